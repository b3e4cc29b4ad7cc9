"""Omnistaging on is JAX's only way of tracing: what is staged then, and what its migration problems look like."""

from __future__ import annotations

from tests.differential.scripts import scripts

STAGED = """
# O1 constants alone are staged
show(jax.make_jaxpr(lambda x: lax.add(lax.add(1.0, 1.0), x))(1.0)); show(jax.jit(lambda x: lax.mul(lax.sin(2.0), x)).lower(1.0).as_text())
# O1 a function without arguments
show(jax.make_jaxpr(lambda: lax.exp(lax.neg(1.0)))(), jax.jit(lambda: lax.exp(1.0)).lower().as_text())
# O1 what no result uses
show(jax.make_jaxpr(lambda x: (lax.cos(3.0), lax.sin(x))[1])(1.0)); show(jax.jit(lambda x: (lax.cos(3.0), lax.sin(x))[1]).lower(1.0).as_text())
# O1 arrays made inside
show(jax.make_jaxpr(lambda x: lax.add(x, lax.full((3,), 2.0)))(np.ones(3, np.float32)), jax.make_jaxpr(lambda x: lax.mul(x, lax.iota(np.float32, 4)))(f4))
# O1 inside a loop's body
show(jax.make_jaxpr(lambda x: lax.fori_loop(0, 3, lambda i, c: lax.add(c, lax.mul(2.0, 3.0)), x))(1.0)); show(jax.make_jaxpr(lambda x: lax.scan(lambda c, a: (lax.sin(1.0), a), x, f4))(1.0))
# O1 inside a branch
show(jax.make_jaxpr(lambda x: lax.cond(x > 0, lambda: lax.tanh(1.0), lambda: lax.cos(2.0)))(1.0))
# O1 inside an inner program
show(jax.make_jaxpr(lambda x: jax.jit(lambda y: lax.add(y, lax.exp(2.0)))(x))(1.0)); show(jax.make_jaxpr(lambda x: lax.mul(x, jax.jit(lambda: lax.neg(1.0))()))(2.0))
# O1 under grad
show(jax.make_jaxpr(jax.grad(lambda x: lax.mul(x, lax.sin(2.0))))(1.0)); show(jax.grad(lambda x: lax.mul(x, lax.cos(0.0)))(1.0))
# O1 under vmap
show(jax.make_jaxpr(jax.vmap(lambda x: lax.add(x, lax.abs(-2.0))))(f4)); show(jax.vmap(lambda x: lax.mul(x, lax.neg(1.0)))(f4))
# O1 outside of tracing
show(lax.add(1, 1), jax.vmap(lambda x: (show(lax.sin(0.0)), lax.neg(x))[1])(f4), jax.grad(lambda x: (show(lax.cos(0.0)), lax.mul(x, x))[1])(2.0))
# O1 a constant is a tracer
seen = []
jax.jit(lambda x: (seen.append(lax.add(1, 1)), seen.append(lax.neg(x)), x)[2])(1.0); show([type(s).__name__ for s in seen], [str(s.aval) for s in seen])
# O1 a constant in Python's if
attempt(jax.jit(lambda x: lax.sin(x) if lax.gt(lax.exp(1.0), 2.0) else lax.cos(x)), 1.0)
# O1 a constant as a number
attempt(jax.jit(lambda x: lax.mul(x, float(lax.sin(1.0)))), 1.0); attempt(jax.jit(lambda x: lax.add(x, int(lax.neg(1)))), 1); attempt(jax.jit(lambda x: lax.add(x, np.asarray(lax.exp(1.0)))), 1.0)
# O1 computed while tracing on demand
def f(x):
    with jax.ensure_compile_time_eval(): c = lax.add(lax.sin(0.0), 1.0); positive = bool(c > 0)
    return lax.mul(x, c) if positive else x
show(jax.make_jaxpr(f)(2.0), f(2.0), jax.jit(f)(3.0))
# O1 NumPy stays outside
show(jax.make_jaxpr(lambda x: lax.mul(x, np.float32(np.sin(1.0))))(2.0), jax.make_jaxpr(lambda x: lax.add(x, np.arange(4, dtype=np.float32)))(f4), jax.make_jaxpr(lambda x: lax.reshape(x, (int(np.prod(x.shape)),)))(f22))
# O1 with jit disabled
with jax.disable_jit(): show(jax.jit(lambda x: lax.add(x, lax.exp(0.0)) if lax.gt(lax.sin(1.0), 0.0) else lax.neg(x))(1.0))
# O2 adding two numbers
show(jax.make_jaxpr(lambda: jnp.add(1, 1))(), jax.jit(lambda: jnp.add(1, 1)).lower().as_text())
# O2 adding two numbers beside an argument
show(jax.make_jaxpr(lambda x: jnp.add(1, 1))(1.0), jax.make_jaxpr(lambda x: lax.mul(jnp.add(1, 1), x))(3)); show(jax.jit(lambda x: lax.mul(jnp.add(1, 1), x)).lower(3).as_text())
# O2 adding two numbers in floating point
show(jax.make_jaxpr(lambda x: lax.mul(x, jnp.add(1.0, 2.0)))(1.0), jax.make_jaxpr(lambda x: lax.sin(jnp.add(1, 2.0)))(1.0))
"""

_TRIL = """
# O2 select_tril {name}
def select_tril(x): return {body}
x = np.arange({size}, dtype=np.{dtype}).reshape({shape}); show(jax.make_jaxpr(select_tril)(x), jax.jit(select_tril).lower(x).as_text(), jax.jit(select_tril)(x))
"""

_MASK = "lax.ge(lax.broadcasted_iota(np.int32, x.shape, 0), lax.broadcasted_iota(np.int32, x.shape, 1))"
TRILS = "".join(
    _TRIL.format(name=name, body=body, size=rows * columns, dtype=dtype, shape=(rows, columns))
    for name, body, rows, columns, dtype in (
        ("of the issue", f"lax.select({_MASK}, x, lax.full_like(x, 0))", 3, 4, "float32"),
        ("square", f"lax.select({_MASK}, x, lax.full_like(x, 0))", 5, 5, "float32"),
        ("of integers", f"lax.select({_MASK}, x, lax.full_like(x, 0))", 4, 3, "int32"),
        (
            "with a broadcast zero",
            f"lax.select({_MASK}, x, lax.broadcast(np.float32(0), x.shape))",
            3,
            6,
            "float32",
        ),
        ("by jnp.where", "jnp.where(jnp.tri(*x.shape, dtype=bool), x, jnp.zeros_like(x))", 4, 6, "float32"),
        ("by jnp.tril", "jnp.tril(x)", 6, 4, "float32"),
        (
            "with a mask of NumPy",
            "lax.select(np.tri(*x.shape, dtype=bool), x, lax.full_like(x, 0))",
            6,
            3,
            "float32",
        ),
        ("of the sine", f"lax.select({_MASK}, lax.sin(x), lax.neg(x))", 2, 7, "float32"),
        (
            "of its derivative",
            f"jax.grad(lambda y: lax.reduce_sum(lax.select({_MASK}, lax.mul(y, y), y), (0, 1)))(x)",
            3,
            7,
            "float32",
        ),
        (
            "row by row",
            f"jax.vmap(lambda r, m: lax.select(m, r, lax.full_like(r, 0)))(x, {_MASK})",
            4,
            7,
            "float32",
        ),
        ("twice", f"lax.select({_MASK}, lax.select({_MASK}, x, lax.neg(x)), lax.exp(x))", 5, 7, "float32"),
        ("by multiplying", f"lax.mul(x, lax.convert_element_type({_MASK}, x.dtype))", 7, 3, "float32"),
    )
)

PROBLEMS = """
# O4 shapes computed by jnp
attempt(jax.jit(lambda x: lax.reshape(x, (jnp.prod(jnp.array(x.shape)),))), f22); show(jax.jit(lambda x: lax.reshape(lax.neg(x), (int(np.prod(x.shape)),)))(f22))
# O4 a size computed by jnp
attempt(jax.jit(lambda x: jnp.zeros(jnp.add(1, x.shape[0]))), f4); attempt(jax.jit(lambda x: jnp.arange(jnp.maximum(2, 3))), f4); show(jax.jit(lambda x: lax.iota(np.int32, max(2, x.ndim)))(f4))
# O4 an axis computed by jnp
attempt(jax.jit(lambda x: jnp.sum(x, axis=jnp.argmax(jnp.array(x.shape)))), f22); show(jax.jit(lambda x: lax.reduce_sum(lax.exp(x), (int(np.argmax(x.shape)),)))(f22))
# O4 a length of a loop computed by jnp
attempt(jax.jit(lambda x: [lax.sin(x) for _ in range(jnp.add(1, 2))]), 1.0); show(jax.jit(lambda x: [lax.sin(x) for _ in range(np.add(1, 2))])(1.0))
# O4 a value kept from tracing
kept = []
jax.jit(lambda x: (kept.append(lax.add(1.0, 1.0)), lax.neg(x))[1])(1.0); attempt(lambda: lax.mul(kept[0], 2.0)); attempt(lambda: jnp.add(kept[0], 1)); attempt(lambda: float(kept[0]))
# O4 a cache filled while tracing
cache = {}
def table(n):
    if n not in cache: cache[n] = lax.exp(lax.iota(np.float32, n))
    return cache[n]
show(jax.jit(lambda x: lax.mul(x, table(4)))(f4)); attempt(jax.jit(lambda x: lax.add(x, table(4))), f4); attempt(lambda: lax.sin(table(4)))
# O4 a cache filled before
cache = {4: lax.exp(lax.iota(np.float32, 4))}
show(jax.jit(lambda x: lax.mul(x, cache[4]))(f4), jax.make_jaxpr(lambda x: lax.sub(x, cache[4]))(f4))
# O4 an attribute set while tracing
class Layer: scale = None
layer = Layer()
def f(x): layer.scale = lax.mul(2.0, 3.0); return lax.mul(x, layer.scale)
show(jax.jit(f)(1.0)); attempt(lambda: lax.neg(layer.scale)); attempt(jax.jit(lambda x: lax.add(x, layer.scale)), 1.0)
# O4 a global counter
count = jnp.zeros(())
def f(x):
    global count
    count = lax.add(count, 1.0); return lax.sin(x)
jax.jit(f)(0.0); attempt(lambda: lax.mul(count, 2.0)); show(type(count).__name__)
# O4 a random key made while tracing
keys = []
def f(x): keys.append(jax.random.key(0)); return lax.add(x, jax.random.uniform(keys[-1]))
show(jax.jit(f)(0.0), jax.jit(lambda x: lax.neg(f(x)))(0.0)); attempt(lambda: jax.random.uniform(keys[0])); attempt(lambda: jax.random.split(keys[0]))
# O4 a random key that is used again
key = jax.random.key(1); f = jax.jit(lambda x: lax.mul(x, jax.random.normal(key))); show(f(1.0) == f(1.0), jax.jit(lambda x: lax.add(x, jax.random.normal(key)))(0.0) == lax.abs(f(1.0)))
# O4 a random key that is passed on
def f(key, x): key, sub = jax.random.split(key); return key, lax.mul(x, jax.random.uniform(sub))
key = jax.random.key(2); key, a = jax.jit(f)(key, 1.0); key, b = jax.jit(f)(key, 1.0); show(lax.ne(a, b), lax.sub(a, b))
# O4 printing while tracing
with printed(): f = jax.jit(lambda x: (print(lax.add(1, 2)), print(lax.neg(x)), lax.exp(x))[2]); f(0.0); f(1.0); print(lax.add(1, 2))
# O4 a check while tracing
def f(x):
    assert lax.gt(lax.exp(1.0), 2.0), "small"
    return lax.log(x)
attempt(jax.jit(f), 1.0); show(f(1.0), jax.grad(f)(2.0)); attempt(jax.jit(jax.grad(f)), 2.0)
# O4 indexing Python's lists
table = [10, 20, 30]
attempt(jax.jit(lambda x: lax.mul(x, table[jnp.add(1, 1)])), 1); show(jax.jit(lambda x: lax.mul(x, table[np.add(1, 1)]))(1), table[lax.add(1, 1)], jax.jit(lambda x: lax.neg(jnp.array(table)[lax.add(1, 1)]))(1))
# O4 small differences of numbers
a = lax.mul(lax.sin(lax.exp(1.0)), 3.0); b = jax.jit(lambda: lax.mul(lax.sin(lax.exp(1.0)), 3.0))(); show(bool(lax.lt(lax.abs(lax.sub(a, b)), np.float32(1e-5))), a.dtype, b.dtype, a.weak_type, b.weak_type)
"""

PROGRAMS = scripts(STAGED + TRILS + PROBLEMS)
