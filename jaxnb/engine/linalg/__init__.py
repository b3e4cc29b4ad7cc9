"""Solvers, factorisations and special functions whose rules need control flow."""
