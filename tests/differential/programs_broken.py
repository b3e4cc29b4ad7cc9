"""What breaks an engine that was only given what it expects: other functions, other elements, other modes."""

from __future__ import annotations

from tests.differential.program import parse_programs

FUNCTIONS = """
# functions without weak references: NumPy's own
np.sin @ (np.arange(3.),)
np.cumsum @ (np.arange(3.),)
"""

CALLED = """
# arrays that are not of numbers
lambda x: jax.jit(NEG)(x) @ (np.array(['a']),)
lambda x: jax.jit(NEG)(x) @ (np.array([None]),)
lambda x: jax.jit(NEG)(x) @ (np.array(['2020-01-01'], 'datetime64[D]'),)
lambda x: jax.jit(NEG)(x) @ (np.zeros(2, [('a', 'i4')]),)
lambda x: jax.jit(NEG)(x) @ (np.ones(2, np.longdouble),)
lambda x: jax.jit(NEG)(x) @ ({'a': [np.array(['a'])]},)
lambda x: jax.jit(lambda y: y)(x) @ (np.longdouble(1),)
lambda x: jax.jit(lambda y: y)(x) @ (np.datetime64('2020'),)
lambda x: jax.jit(lambda y: np.array(['a']))(x) @ (1.,)
lambda x: jax.grad(lambda y: y)(x) @ (np.array(['a']),)
lambda x: jax.vmap(lambda y: y)(x) @ (np.array(['a']),)
lambda: jax.eval_shape(NEG, np.array([None])) @ ()
lambda x: jax.vmap(lambda y: 'a')(x) @ (np.ones(3),)
lambda x: jax.vmap(lambda y: (y, np.array(['a'])))(x) @ (np.ones(3),)
# objects whose text fails
lambda x: jax.jit(lambda r, y: y, static_argnums=0)(BAD, x) @ (1.,)
lambda x: jax.jit(NEG)(BAD) @ (1.,)
# a traced value after the end of its trace
lambda: (kept := [], jax.jit(lambda x: kept.append(x * 2) or x)(1.), int(kept[0])) @ ()
lambda: (kept := [], jax.jit(lambda x: kept.append(x) or x)(1.), int(kept[0])) @ ()
lambda: (kept := [], jax.jit(lambda x: kept.append(jnp.zeros(3)) or x)(1.), np.asarray(kept[0])) @ ()
lambda: (kept := [], jax.jit(lambda x: kept.append(x > 1) or x)(1.), bool(kept[0])) @ ()
# elements that Python's buffers have not
lambda: repr(jnp.array([1, 2.5], jnp.float8_e5m2)) @ ()
lambda: jnp.array([1, 2.5], jnp.float8_e5m2).tolist() @ ()
"""

WITHOUT_JIT = """
# loops run in Python
lambda: (seen := [], lax.scan(lambda c, x: (seen.append(str(c)), (c + x, c))[1], 0., np.arange(3.)), seen)[1:] @ ()
lambda: (seen := [], lax.while_loop(lambda c: c < 3, lambda c: (seen.append(str(c)), c + 1)[1], 0), seen)[1:] @ ()
lambda: (seen := [], lax.fori_loop(0, 3, lambda i, c: (seen.append((str(i), str(c))), c + i)[1], 0), seen)[1:] @ ()
lambda: (seen := [], lax.map(lambda x: (seen.append(str(x)), x + 1)[1], np.arange(3.)), seen)[1:] @ ()
lambda: lax.scan(lambda c, x: (c + 1, (c, x)), 0, {'a': np.arange(3.)}, reverse=True) @ ()
lambda: lax.scan(lambda c, _: (c + 1, None), 0, length=3) @ ()
lambda: lax.scan(lambda c, _: (c + 1, None), 0, length=0) @ ()
lambda: lax.scan(lambda c, x: (c + x, x), 0., np.zeros((0, 3))) @ ()
lambda: lax.scan(lambda c, x: (c, x, x), 0., np.arange(3.)) @ ()
lambda: jax.grad(lambda y: lax.scan(lambda c, x: (c * x, c), y, np.arange(3.) + 1)[0])(2.) @ ()
lambda x: jax.vmap(lambda y: lax.while_loop(lambda c: c < 4, lambda c: c * 2, y))(x) @ (np.arange(3.) + 1,)
lambda x: jax.vmap(lambda y: lax.scan(lambda c, z: (c + z, c * z), y, np.arange(3.)))(x) @ (np.arange(3.),)
lambda: jax.jit(lambda y: lax.while_loop(lambda c: c < 4, lambda c: c * 2, y))(1) @ ()
lambda: lax.fori_loop(0, 0, lambda i, c: c + 1, 0) @ ()
lambda: lax.fori_loop(np.int32(2), np.int32(4), lambda i, c: c + i, 0) @ ()
lambda: lax.fori_loop(jnp.int32(2), jnp.int32(4), lambda i, c: c + i, 0) @ ()
lambda: lax.scan(1, 0, length=3) @ ()
lambda: lax.scan(lambda c, x: (c, x), 0) @ ()
lambda: lax.scan(lambda c, x: (c, x), 0, np.arange(3.), length=4) @ ()
"""

NEG = "type('Neg', (), {'__call__': lambda self, x: -x, '__repr__': lambda self: 'neg'})()"
"""A function whose text has no address in it."""

BAD = "type('Bad', (), {'__repr__': lambda self: 1 / 0})()"

PROGRAMS = [
    *parse_programs(FUNCTIONS, wants=("jaxpr",)),
    *parse_programs(CALLED.replace("NEG", NEG).replace("BAD", BAD), wants=("value",)),
    *parse_programs(WITHOUT_JIT, wants=("value",), config={"jax_disable_jit": True}),
    *parse_programs(
        "lambda x: lax.scan(lambda c, y: (c * y, c), x, np.arange(3, dtype=np.float32)) @ (2.,)",
        wants=("jaxpr",),
        config={"jax_disable_jit": True},
    ),
]
