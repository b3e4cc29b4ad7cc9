"""The user's verbs: jit, grad, vmap, make_jaxpr, eval_shape, and the stages of a compilation."""
