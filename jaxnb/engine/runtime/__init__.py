"""From a jaxpr to a result: lowering, constants, compilation, dispatch, caches, arrays, shardings."""
