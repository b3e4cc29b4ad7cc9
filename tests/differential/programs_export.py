"""Programs exported for several platforms: which branch is for which, in their text and where they are called."""

from __future__ import annotations

from tests.differential.scripts import scripts

PLATFORMS = r"""
# V1 branches for platforms
import importlib; export = importlib.import_module(jax.__name__ + ".export")
def ex(f, *args, platforms=("cpu", "cuda"), **kw):
    e = export.export(jax.jit(f), platforms=platforms, **kw)(*args)
    show(re.sub(r"^#loc.*\n?| loc\(.*?\)$", "", e.mlir_module(), flags=re.M)); show(e.platforms, e.calling_convention_version, e.uses_global_constants if hasattr(e, "uses_global_constants") else None)
    attempt(lambda: e.call(*args))
pd = lambda x: lax.platform_dependent(x, cpu=lambda x: lax.sin(x), cuda=lambda x: lax.cos(x), default=lambda x: lax.neg(x))
attempt(lambda: ex(pd, f4))
attempt(lambda: ex(lambda x: lax.sin(x), f4))
attempt(lambda: ex(pd, f4, platforms=("cuda", "cpu")))
attempt(lambda: ex(pd, f4, platforms=("cpu", "tpu")))
attempt(lambda: ex(pd, f4, platforms=("cpu",)))
attempt(lambda: ex(lambda x: lax.platform_dependent(x, cpu=lambda x: lax.sin(x), default=lambda x: lax.cos(x)), f4, platforms=("tpu", "cuda", "cpu")))
attempt(lambda: ex(lambda x: lax.platform_dependent(x, cpu=lambda x: lax.sin(x)), f4))
attempt(lambda: ex(lambda x: jax.jit(pd)(x) + jax.jit(pd)(x * 2), f4))
attempt(lambda: ex(lambda x: lax.cond(x[0] > 0, pd, lambda x: x, x), f4))
attempt(lambda: ex(lambda x: lax.fori_loop(0, 3, lambda i, c: pd(c), x), f4))
attempt(lambda: ex(lambda x: pd(x), f4, platforms=("cpu", "rocm")))
attempt(lambda: lax.platform_dependent(1.0)); attempt(lambda: lax.platform_dependent(1.0, foo=lambda x: x))
attempt(lambda: ex(jax.grad(lambda x: lax.reduce_sum(pd(x), axes=(0,))), f4))
attempt(lambda: ex(lambda x: jax.vmap(pd)(x), f22))
# V1 operations that JAX lowers differently on other platforms
import importlib; export = importlib.import_module(jax.__name__ + ".export")
for f in (lambda x: lax.cumsum(x), lambda x: jax.random.normal(jax.random.key(0), (4,)) + x, lambda x: lax.erf_inv(x / 2), lambda x: lax.sort(x)): attempt(lambda: export.export(jax.jit(f), platforms=("cpu", "cuda"))(f4).call(f4))
# V1 programs that call exported programs
import importlib; export = importlib.import_module(jax.__name__ + ".export")
pd = lambda x: lax.platform_dependent(x, cpu=lambda x: lax.sin(x), cuda=lambda x: lax.cos(x), default=lambda x: lax.neg(x))
inner = export.export(jax.jit(pd), platforms=("cuda", "cpu"))(f4)
attempt(lambda: jax.jit(lambda x: inner.call(x) * 2)(f4)); attempt(lambda: export.export(jax.jit(lambda x: inner.call(x) * 2), platforms=("cpu", "cuda"))(f4).call(f4)); attempt(lambda: export.export(jax.jit(lambda x: inner.call(x) * 2), platforms=("cpu", "tpu"))(f4).call(f4))
"""

PROGRAMS = scripts(PLATFORMS)
