"""Programs inside programs: scans in scans, the branches of platforms, calls whose results are used in part."""

from __future__ import annotations

from tests.differential.program import Program, parse_programs

PLATFORMS = """
lambda x: lax.platform_dependent(x, tpu=lax.cos, cpu=lax.sin, default=lax.cos) @ (np.float32(2.),)
lambda x: lax.platform_dependent(x, tpu=lax.cos, cuda=lax.exp, default=lax.sin) @ (np.float32(2.),)
lambda x: lax.platform_dependent(x, tpu=lax.cos, cpu=lax.exp) @ (np.float32(2.),)
lambda x: lax.platform_dependent(x, cpu=lax.exp) @ (np.float32(2.),)
jax.vmap(lambda x: lax.platform_dependent(x, cpu=lax.sin, default=lax.cos)) @ (np.ones(3, np.float32),)
jax.grad(lambda x: lax.platform_dependent(x, cpu=lax.sin, default=lax.cos)) @ (np.float32(2.),)
"""

_NESTED = "lambda d, a: (lax.mul(lax.sin(d), a), d)"
_M, _W = "np.arange(12, dtype=np.float32).reshape(3, 4)", "np.ones(4, np.float32)"
_X, _Z = "np.float32(2.)", "np.float32(3.)"


def _scans(name: str, body: str, others: str, *args: str) -> Program:
    """The gradient of a scan over the rows of ``m``, whose body is given."""
    fun = f"jax.grad(lambda x, m{others}: lax.scan(lambda c, r: {body}, x, m)[0])"
    return Program(
        f"scan-in-scan-{name}", fun, f"({', '.join((_X, _M, *args))},)", wants=("jaxpr", "stablehlo", "value")
    )


_TERMS = {
    "constant": ("lax.mul(lax.sin(d), lax.mul(a, z))", "r", ", z", _Z),
    "carry": ("lax.add(lax.mul(d, c), a)", "r", ""),
    "carry-and-constant": ("lax.mul(lax.mul(c, lax.sin(d)), lax.mul(a, z))", "r", ", z", _Z),
    "rows": ("lax.mul(lax.sin(d), a)", "w", ", w", _W),
    "two-rows": ("lax.mul(lax.sin(d), lax.mul(a[0], a[1]))", "(w, r)", ", w", _W),
}
SCANS = [
    _scans(name, f"lax.scan(lambda d, a: ({term}, d), c, {rows})", *more)
    for name, (term, rows, *more) in _TERMS.items()
]
SCANS += [
    _scans("carry-only", f"(lax.scan({_NESTED}, c, r)[0], None)", ""),
    _scans("linear", "(lax.scan(lambda d, a: (lax.add(d, a), d), c, r)[0] * c, None)", ""),
    Program(
        "scan-in-scan-in-scan",
        f"jax.grad(lambda x, m: lax.scan(lambda c, r: lax.scan(lambda d, a: lax.scan({_NESTED}, d, a), c, r), x, m)[0])",
        "(np.float32(2.), np.arange(24, dtype=np.float32).reshape(2, 3, 4),)",
    ),
]

_JITTED = {
    "constants": "(lambda x: lax.scan(lambda c, a: (jnp.clip(c, 0, 1) * a, None), x[0], x)[0])",
    "table": "(lambda x: jnp.interp(x, np.arange(7, dtype=np.float32), np.ones(7, np.float32)).sum())",
}
JITTED = [
    Program(f"scan-jitted-{name}-grad", f"jax.grad({fun})", "(np.arange(9, dtype=np.float32),)")
    for name, fun in _JITTED.items()
]

_F = "jax.custom_jvp(lambda x, y: (lax.sin(x), lax.cos(y)))"
_G = "jax.custom_vjp(lambda x, y: (lax.sin(x), lax.cos(y)))"
_RULES = {
    "jvp": (_F, "f.defjvp(lambda p, t: (f(*p), (t[0] * 2., t[1] * 3.)))"),
    "vjp": (_G, "f.defvjp(lambda x, y: (f(x, y), (x,)), lambda r, c: (c[0] * r[0], c[1] * 3.))"),
}
_USES = {
    "call": "lambda x, y: f(x, lax.exp(y))[0]",
    "call-of-call": "lambda x, y: jax.jit(lambda x, y: f(x, lax.exp(y))[0])(x, y)",
    "second": "lambda x, y: jax.jit(f)(x, y)[1]",
    "mapped": "lambda x, y: jax.vmap(f)(x[None], y[None])[0]",
    "looped": "lambda x, y: lax.scan(lambda c, a: (f(c, a)[0], None), x, jnp.stack([y, y]))[0]",
    "grad": "jax.grad(lambda x, y: jax.jit(lambda x, y: f(x, lax.exp(y))[0])(x, y), (0, 1))",
    "grad-of-grad": "jax.grad(jax.grad(lambda x, y: jax.jit(lambda x, y: f(x, lax.exp(y))[0])(x, y)))",
    "grad-of-scan": "jax.grad(lambda x, y: lax.scan(lambda c, a: (jax.jit(f)(c, a)[0], None), x, jnp.stack([y, y]))[0])",
}
CALLS = [
    Program(
        f"used-in-part-{kind}-{name}",
        f"(lambda f: ({rule}, {use})[1])({call})",
        "(np.float32(1.), np.float32(2.))",
        # in the gradient of a scan JAX leaves calls without operands behind
        wants=("value",) if name == "grad-of-scan" else ("jaxpr", "stablehlo", "value"),
    )
    for kind, (call, rule) in _RULES.items()
    for name, use in _USES.items()
]

PROGRAMS = [*parse_programs(PLATFORMS), *SCANS, *JITTED, *CALLS]
