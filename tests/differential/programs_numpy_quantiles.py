"""Programs of quantiles."""

from __future__ import annotations

from tests.differential.program import Program

F = "(np.array([[3, 1, 2, 0], [0, 5, 0, 1], [2, 2, 1, 7]], np.float32),)"
Q = F[:-1] + " np.array([0.1, 0.5], np.float32))"
W = F[:-1] + " np.array([1, 2, 0, 1], np.float32))"
N = "(np.array([[3, np.nan, 2, 0], [0, 5, np.nan, 1], [np.nan, np.nan, np.nan, np.nan]], np.float32),)"
BY_TYPE = {
    "i32": "(np.array([[3, 1, 2, 0], [0, 5, 0, 1]], np.int32),)",
    "bool": "(np.array([[True, False, True, False], [False, False, True, True]]),)",
    "bf16": "(np.array([[3, 1, 2, 0], [0, 5, 0, 1]]).astype(jnp.bfloat16),)",
    "c64": "(np.array([[3, 1, 2, 0], [0, 5, 0, 1]], np.complex64),)",
    "weak": "(2.0,)",
}
ALL = ("jaxpr", "stablehlo", "value")
JAXPR = ("jaxpr",)

PROGRAMS: list[Program] = []


def _add(name: str, fun: str, args: str, wants: tuple[str, ...] = ALL) -> None:
    PROGRAMS.append(Program(name, fun, args, wants))


CALLS = {
    "median": "jnp.median(x",
    "nanmedian": "jnp.nanmedian(x",
    "quantile": "jnp.quantile(x, 0.3",
    "nanquantile": "jnp.nanquantile(x, 0.3",
    "percentile": "jnp.percentile(x, 30",
    "nanpercentile": "jnp.nanpercentile(x, 30",
}
for fn, call in CALLS.items():
    _add(fn, f"lambda x: {call})", F)
    for options in ("axis=0", "axis=-1", "axis=(0, 1)", "axis=(1, 0)", "axis=()", "axis=5", "axis=(0, 0)", "keepdims=True",
                    "axis=1, keepdims=True", "axis=(0,), keepdims=True", "overwrite_input=True", "out=x"):  # fmt: skip
        _add(f"{fn}-{options}", f"lambda x: {call}, {options})", F, ("jaxpr", "value"))
    _add(
        f"{fn}-three",
        f"lambda x: {call}, axis=(0, 2))",
        "(np.arange(24, dtype=np.float32).reshape(2, 3, 4),)",
    )
    _add(f"{fn}-nan", f"lambda x: {call}, axis=1)", N, ("value",))
    _add(f"{fn}-empty", f"lambda x: {call})", "(np.zeros((0,), np.float32),)", JAXPR)
    _add(f"{fn}-list", f"lambda x: {call.replace('x', '[1.0]', 1)})", F, JAXPR)
    _add(f"{fn}-grad", f"jax.grad(lambda x: {call}))", F, JAXPR)
    _add(f"{fn}-vmap", f"jax.vmap(lambda x: {call}))", F, JAXPR)
    for kind, args in BY_TYPE.items():
        _add(f"{fn}-{kind}", f"lambda x: {call})", args)
for fn in ("quantile", "nanquantile", "percentile", "nanpercentile"):
    for method in ("linear", "lower", "higher", "midpoint", "nearest", "inverted_cdf", "nothing"):
        _add(f"{fn}-{method}", f"lambda x: jnp.{fn}(x, 0.3, axis=0, method={method!r})", F)
        _add(f"{fn}-{method}-q", f"lambda x, q: jnp.{fn}(x, q, axis=1, method={method!r})", Q)
        _add(
            f"{fn}-{method}-q-0",
            f"lambda x, q: jnp.{fn}(x, q, axis=0, method={method!r})",
            Q,
            ("jaxpr", "value"),
        )
        _add(
            f"{fn}-{method}-keep",
            f"lambda x, q: jnp.{fn}(x, q, 0, method={method!r}, keepdims=True)",
            Q,
            ("jaxpr", "value"),
        )
        _add(
            f"{fn}-{method}-all-keep",
            f"lambda x: jnp.{fn}(x, 0.3, method={method!r}, keepdims=True)",
            F,
            ("jaxpr", "value"),
        )
    for q in ("1", "[0.5]", "None", "np.ones((2, 2))", "np.array([1])", "x", "np.float64(0.5)"):
        _add(f"{fn}-of-{q}", f"lambda x: jnp.{fn}(x, {q})", F, ("jaxpr", "value"))
    for options in ("axis=1", "axis=0", "axis=None", "axis=(1,)"):
        _add(
            f"{fn}-weights-{options}",
            f"lambda x, w: jnp.{fn}(x, 0.3, {options}, weights=w, method='inverted_cdf')",
            W,
        )
    _add(f"{fn}-weights-linear", f"lambda x, w: jnp.{fn}(x, 0.3, 1, weights=w)", W, JAXPR)
    _add(
        f"{fn}-weights-list",
        f"lambda x: jnp.{fn}(x, 0.3, 0, weights=[1, 2, 3], method='inverted_cdf')",
        F,
        JAXPR,
    )
    _add(f"{fn}-weights-all", f"lambda x: jnp.{fn}(x, 0.3, weights=x, method='inverted_cdf')", F)
    _add(f"{fn}-weights-axes", f"lambda x: jnp.{fn}(x, 0.3, (0, 1), weights=x, method='inverted_cdf')", F)
    _add(
        f"{fn}-weights-nan", f"lambda x: jnp.{fn}(x, 0.3, 1, weights=x, method='inverted_cdf')", N, ("value",)
    )
