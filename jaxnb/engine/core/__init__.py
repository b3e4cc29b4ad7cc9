"""Avals, element types, jaxprs, primitives and their rule tables, tracers and the current trace."""
