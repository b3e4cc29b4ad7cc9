"""Primitives of one's own, and programs as functions."""

from __future__ import annotations

from tests.differential.scripts import scripts

SETUP = """
ad, batching, mlir = (importlib.import_module(f"{jax.__name__}.interpreters.{name}") for name in ("ad", "batching", "mlir"))
hlo = importlib.import_module("jax._src.lib.mlir.dialects" if hasattr(jax, "_src") else "jaxnb.xla.mlir").hlo
S = core.ShapedArray
def primitive():
    p = core.Primitive("multiply_add")
    p.def_impl(lambda x, y, z: np.add(np.multiply(x, y), z)); p.def_abstract_eval(lambda x, y, z: S(x.shape, x.dtype))
    mlir.register_lowering(p, lambda ctx, x, y, z: [hlo.AddOp(hlo.MulOp(x, y).result, z).result], platform="cpu")
    def given(t, x): return lax.full_like(x, 0) if type(t) is ad.Zero else t
    def jvp(primals, tangents):
        x, y, z = primals; a, b, c = (given(t, x) for t in tangents)
        return p.bind(x, y, z), p.bind(a, y, p.bind(x, b, c))
    def transpose(ct, x, y, z):
        if ad.is_undefined_primal(x): return p.bind(ct, y, lax.full_like(y, 0)), None, ct
        return None, p.bind(x, ct, lax.full_like(x, 0)), ct
    ad.primitive_jvps[p] = jvp; ad.primitive_transposes[p] = transpose
    def batch(args, dims):
        n = next(a.shape[d] for a, d in zip(args, dims) if d is not None)
        return p.bind(*(lax.broadcast(a, (n,)) if d is None else a for a, d in zip(args, dims))), 0
    batching.primitive_batchers[p] = batch
    return p
"""

PRIMITIVES = f"""
# T7 a primitive without rules says which is missing
p = core.Primitive("zz"); show(p, str(p), p.name, p.multiple_results)
attempt(p.bind, 1.0); attempt(jax.jit(p.bind), 1.0); attempt(jax.make_jaxpr(p.bind), 1.0)
p.def_impl(lambda x, *, k=1: np.asarray(x) * k); show(p.bind(np.float32(2), k=3)); attempt(p.bind, "a", k=3); attempt(jax.make_jaxpr(lambda x: p.bind(x, k=2)), 1.0)
p.def_abstract_eval(lambda x, *, k=1: core.ShapedArray(x.shape, x.dtype)); f = lambda x: p.bind(x, k=2)
show(jax.make_jaxpr(f)(1.0), jax.make_jaxpr(lambda x: jax.jit(lambda y: lax.add(f(y), 1.0))(x))(1.0), jax.eval_shape(f, f4))
for g in (jax.jit(f), lambda x: jax.jit(f).lower(x), jax.grad(f), lambda x: jax.jvp(f, (x,), (x,)), lambda x: jax.vmap(f)(jnp.ones(3)), lambda x: lax.scan(lambda c, _: (f(c), None), x, None, length=2)): attempt(g, jnp.float32(1))
attempt(core.Primitive); attempt(core.Primitive, "a", "b")
# T7 a primitive with rules
{SETUP}
p = primitive(); f = lambda a, b: p.bind(a, p.bind(a, b, b), lax.sin(a))
x, y, w = jnp.float32(2), jnp.float32(10), jnp.arange(3, dtype=np.float32)
show(f(x, y), jax.jit(f)(x, y), jax.jvp(f, (x, y), (x, y)), jax.grad(f)(x, y), jax.jit(jax.grad(f, argnums=1))(x, y), jax.vmap(f)(w, w), jax.jit(jax.vmap(jax.grad(f)))(w, w))
show(jax.make_jaxpr(f)(x, y), jax.make_jaxpr(jax.grad(f))(x, y), jax.make_jaxpr(jax.vmap(f))(w, w), jax.jit(f).lower(x, y).as_text(), jax.jit(jax.grad(f)).lower(x, y).as_text())
show(lax.fori_loop(0, 3, lambda i, c: p.bind(c, c, c), x), lax.cond(x > 1, lambda c: p.bind(c, c, c), lax.neg, x))
# T7 lowerings that are programs
{SETUP}
p = core.Primitive("pp"); p.multiple_results = True; p.def_abstract_eval(lambda x, *, k: [x] * k)
mlir.register_lowering(p, mlir.lower_fun(lambda x, *, k: [lax.mul(x, np.float32(i)) for i in range(k)]))
q = core.Primitive("qq"); q.def_abstract_eval(lambda x: x); mlir.register_lowering(q, mlir.lower_fun(lambda x: lax.exp(lax.sin(x)), multiple_results=False))
x = jnp.float32(2)
show(jax.jit(lambda x: p.bind(x, k=3))(x), jax.jit(lambda x: p.bind(x, k=2)).lower(x).as_text(), jax.jit(q.bind)(x), jax.jit(lambda x: q.bind(x)).lower(x).as_text(), jax.make_jaxpr(lambda x: p.bind(x, k=2)[1])(x)); attempt(q.bind, x)
# T7 a program as a function
c = jax.make_jaxpr(lambda x, y: (lax.add(x, y), lax.mul(x, 2.0)))(1.0, 2.0)
f = core.jaxpr_as_fun(c); show(f(3.0, 4.0), jax.make_jaxpr(f)(3.0, 4.0), jax.jit(f)(3.0, 4.0), jax.grad(lambda x: f(x, x)[0])(1.0)); attempt(f, 1.0); attempt(f, 1.0, 2.0, 3.0); attempt(core.eval_jaxpr, c.jaxpr, [], 1.0)
show(jax.make_jaxpr(core.jaxpr_as_fun(jax.make_jaxpr(lambda x: lax.mul(x, f4))(f4)))(f4), jax.jit(f).lower(3.0, 4.0).as_text().splitlines()[0])
# T7 what a closed program shows of the open one
c = jax.make_jaxpr(lambda x, y: (lax.add(x, y), lax.mul(x, f4)))(f4, f4)
show([re.sub("id=[0-9]*", "id", repr(v)) for v in (c.invars, c.outvars, c.constvars)], c.invars == c.jaxpr.invars, c.map_jaxpr(lambda j: j), len(c.eqns), c.in_avals, c.out_avals); attempt(c.replace, consts=[1])
"""

PROGRAMS = scripts(PRIMITIVES)
