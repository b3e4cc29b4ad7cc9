"""The one door to jaxlib: every other part of the project reaches the compiler and the runtime through here.

What lives here: thin, typed wrappers over jaxlib's MLIR bindings, PJRT client, arrays, C++ dispatch, pytrees,
and the bridges between jaxlib versions. What must not: tracing, primitives, or any knowledge of a jaxpr.
The package itself imports nothing, so that reaching for one module never pays for the others.
"""
