"""Programs of reductions in ``jnp``."""

from __future__ import annotations

from tests.differential.program import Program

F = "(np.arange(12, dtype=np.float32).reshape(3, 4) % 5,)"
FW = "(np.arange(12, dtype=np.float32).reshape(3, 4) % 5, np.arange(12).reshape(3, 4) % 3 > 0)"
N = "(np.array([[1.0, np.nan, 3.0], [np.nan, np.nan, np.nan]], np.float32),)"
BY_TYPE = {
    "f32": F,
    "i32": "(np.arange(12, dtype=np.int32).reshape(3, 4) % 5,)",
    "i8": "(np.arange(12, dtype=np.int8).reshape(3, 4) % 5,)",
    "u8": "(np.arange(12, dtype=np.uint8).reshape(3, 4) % 5,)",
    "bool": "(np.arange(12).reshape(3, 4) % 2 == 0,)",
    "c64": "(np.arange(12, dtype=np.complex64).reshape(3, 4) % 5,)",
    "bf16": "(np.arange(12).reshape(3, 4).astype(jnp.bfloat16),)",
    "f16": "(np.arange(12).reshape(3, 4).astype(np.float16),)",
    "weak": "(2.0,)",
}
ALL = ("jaxpr", "stablehlo", "value")
JAXPR = ("jaxpr",)

PROGRAMS: list[Program] = []


def _add(name: str, fun: str, args: str, wants: tuple[str, ...] = ALL) -> None:
    PROGRAMS.append(Program(name, fun, args, wants))


AXES = ("sum", "prod", "max", "min", "mean", "var", "std", "all", "any", "ptp", "count_nonzero", "average", "nansum",
        "nanprod", "nanmax", "nanmin", "nanmean", "nanvar", "nanstd", "amax", "amin")  # fmt: skip
for fn in AXES:
    for kind, args in BY_TYPE.items():
        _add(f"{fn}-{kind}", f"lambda x: jnp.{fn}(x)", args)
        if kind != "weak":
            _add(f"{fn}-{kind}-axis", f"lambda x: jnp.{fn}(x, axis=-1)", args)
    _add(f"{fn}-keepdims", f"lambda x: jnp.{fn}(x, axis=0, keepdims=True)", F)
    _add(f"{fn}-keepdims-all", f"lambda x: jnp.{fn}(x, keepdims=True)", F)
    _add(f"{fn}-axes", f"lambda x: jnp.{fn}(x, axis=(-1, 0))", F)
    _add(f"{fn}-no-axes", f"lambda x: jnp.{fn}(x, axis=())", F)
    _add(f"{fn}-empty", f"lambda x: jnp.{fn}(x, axis=0)", "(np.ones((0, 3), np.float32),)")
    _add(f"{fn}-number", f"lambda: jnp.{fn}(2)", "()")
    _add(f"{fn}-bounds", f"lambda x: jnp.{fn}(x, axis=2)", F, JAXPR)
    _add(f"{fn}-twice", f"lambda x: jnp.{fn}(x, axis=(0, -2))", F, JAXPR)
    if fn != "average":  # of a list it fails where JAX's own lines are named
        _add(f"{fn}-list", f"lambda: jnp.{fn}([1, 2])", "()", JAXPR)
    if fn not in ("count_nonzero", "average"):
        _add(f"{fn}-out", f"lambda x: jnp.{fn}(x, out=3)", F, JAXPR)
    if fn not in ("ptp", "count_nonzero", "average"):
        initial = ", initial=2" if fn in ("max", "min", "nanmax", "nanmin", "amax", "amin") else ""
        _add(f"{fn}-where", f"lambda x, w: jnp.{fn}(x, axis=0, where=w{initial})", FW)
        _add(
            f"{fn}-where-keepdims",
            f"lambda x, w: jnp.{fn}(x, axis=1, keepdims=True, where=w[0]{initial})",
            FW,
        )
        _add(f"{fn}-where-int", f"lambda x, w: jnp.{fn}(x, where=x.astype(np.int32))", FW, JAXPR)
    if not fn.startswith("nan"):
        _add(f"{fn}-axis-list", f"lambda x: jnp.{fn}(x, axis=[0])", F, JAXPR)
    if fn not in ("all", "any", "count_nonzero", "ptp"):
        _add(f"{fn}-grad", f"jax.grad(lambda x: jnp.{fn}(x, axis=0).sum())", F)
        _add(
            f"{fn}-vmap",
            f"jax.vmap(lambda x: jnp.{fn}(x, axis=0), in_axes=1)",
            "(np.ones((2, 3, 4), np.float32),)",
        )
    if fn.startswith("nan"):
        _add(f"{fn}-nan", f"lambda x: jnp.{fn}(x, axis=1)", N, ("value",))
for fn in ("sum", "prod", "mean", "var", "std", "nansum", "nanprod", "nanmean", "nanvar", "nanstd"):
    for dtype in ("np.float32", "jnp.bfloat16", "np.int32", "np.int8", "bool", "np.complex64", "np.float64"):
        _add(f"{fn}-to-{dtype}", f"lambda x: jnp.{fn}(x, axis=0, dtype={dtype})", F, ("jaxpr",))
        _add(
            f"{fn}-bf16-to-{dtype}",
            f"lambda x: jnp.{fn}(x, axis=0, dtype={dtype})",
            BY_TYPE["bf16"],
            ("jaxpr",),
        )
        _add(
            f"{fn}-i8-to-{dtype}", f"lambda x: jnp.{fn}(x, axis=0, dtype={dtype})", BY_TYPE["i8"], ("jaxpr",)
        )
        _add(
            f"{fn}-c64-to-{dtype}",
            f"lambda x: jnp.{fn}(x, axis=0, dtype={dtype})",
            BY_TYPE["c64"],
            ("jaxpr",),
        )
for fn in ("sum", "prod", "max", "min", "nansum", "nanprod", "nanmax", "nanmin"):
    for kind in ("f32", "i32", "bf16", "bool"):
        _add(
            f"{fn}-{kind}-initial", f"lambda x: jnp.{fn}(x, axis=0, keepdims=True, initial=2)", BY_TYPE[kind]
        )
    _add(f"{fn}-initial-traced", f"lambda x, i: jnp.{fn}(x, initial=i)", f"({F[1:-1]} 1.0)")
    _add(f"{fn}-initial-array", f"lambda x: jnp.{fn}(x, initial=jnp.ones(4))", F, JAXPR)
for fn in ("sum", "prod"):
    _add(f"{fn}-narrow", f"lambda x: jnp.{fn}(x, axis=0, promote_integers=False)", BY_TYPE["i8"])
_add("max-where", "lambda x, w: jnp.max(x, where=w)", FW, JAXPR)
_add("sum-str", "lambda x: jnp.sum(x, axis=1.0)", F, JAXPR)
_add("sum-traced-axis", "lambda x, a: jnp.sum(x, axis=a)", f"({F[1:-1]} 1)", JAXPR)
for fn in ("var", "std", "nanvar", "nanstd"):
    _add(f"{fn}-ddof", f"lambda x: jnp.{fn}(x, axis=0, ddof=1)", F)
    _add(f"{fn}-mean", f"lambda x: jnp.{fn}(x, axis=0, keepdims=True, mean=x[:1])", F)
    _add(f"{fn}-mean-where", f"lambda x, w: jnp.{fn}(x, axis=0, mean=x[:1], where=w, ddof=1)", FW)
for fn in ("var", "std"):
    _add(f"{fn}-correction", f"lambda x: jnp.{fn}(x, axis=0, correction=1.5)", F)
    _add(f"{fn}-both", f"lambda x: jnp.{fn}(x, axis=0, correction=1, ddof=1)", F, JAXPR)
    _add(f"{fn}-real-mean", f"lambda x: jnp.{fn}(x, mean=0.5)", F)
    _add(f"{fn}-mean-rank", f"lambda x: jnp.{fn}(x, axis=0, mean=x[0])", F, JAXPR)

W = "np.arange(12, dtype=np.float32).reshape(3, 4)"
for name, rest in (
    ("weights", f"weights={W}"),
    ("weights-axis", f"axis=1, weights={W}"),
    ("weights-row", f"axis=1, weights={W}[0]"),
    ("weights-column", f"axis=0, weights={W}[:, 0], keepdims=True"),
    ("weights-int", f"weights={W}.astype(np.int32)"),
    ("returned", "returned=True"),
    ("returned-axis", "axis=0, returned=True"),
    ("returned-weights", f"axis=0, weights={W}[:, 0], returned=True"),
    ("weights-shape", f"axis=1, weights={W}[:, 0]"),
    ("weights-no-axis", f"weights={W}[0]"),
):
    _add(f"average-{name}", f"lambda x: jnp.average(x, {rest})", F)

for fn in ("argmax", "argmin", "nanargmax", "nanargmin"):
    for kind, args in BY_TYPE.items():
        _add(f"{fn}-{kind}", f"lambda x: jnp.{fn}(x)", args)
    _add(f"{fn}-axis", f"lambda x: jnp.{fn}(x, axis=-1)", F)
    _add(f"{fn}-keepdims", f"lambda x: jnp.{fn}(x, axis=0, keepdims=True)", F)
    _add(f"{fn}-keepdims-all", f"lambda x: jnp.{fn}(x, keepdims=True)", F)
    _add(f"{fn}-bounds", f"lambda x: jnp.{fn}(x, axis=2)", F, JAXPR)
    _add(f"{fn}-out", f"lambda x: jnp.{fn}(x, out=2)", F, JAXPR)
    _add(f"{fn}-axes", f"lambda x: jnp.{fn}(x, axis=(0, 1))", F, JAXPR)
    _add(f"{fn}-list", f"lambda: jnp.{fn}([1, 2])", "()", JAXPR)
    _add(f"{fn}-empty", f"lambda x: jnp.{fn}(x)", "(np.ones((0,), np.float32),)", JAXPR)
    _add(f"{fn}-empty-axis", f"lambda x: jnp.{fn}(x, axis=0)", "(np.ones((0, 3), np.float32),)", JAXPR)
    _add(f"{fn}-nan", f"lambda x: jnp.{fn}(x, axis=1)", N, ("value",))

for fn in ("cumsum", "cumprod", "nancumsum", "nancumprod", "cumulative_sum", "cumulative_prod"):
    array_api = fn.startswith("cumulative")
    for kind, args in BY_TYPE.items():
        if not (array_api and kind == "weak"):
            _add(f"{fn}-{kind}", f"lambda x: jnp.{fn}(x, axis=0)", args)
    _add(f"{fn}-flat", f"lambda x: jnp.{fn}(x)", F)
    _add(f"{fn}-one", f"lambda x: jnp.{fn}(x[0])", F)
    _add(f"{fn}-last", f"lambda x: jnp.{fn}(x, axis=-1)", F)
    _add(f"{fn}-scalar", f"lambda x: jnp.{fn}(x)", "(2.0,)")
    for dtype in ("np.float32", "jnp.bfloat16", "np.int32", "bool"):
        _add(f"{fn}-to-{dtype}", f"lambda x: jnp.{fn}(x, axis=0, dtype={dtype})", F)
        _add(f"{fn}-bool-to-{dtype}", f"lambda x: jnp.{fn}(x, axis=0, dtype={dtype})", BY_TYPE["bool"])
    _add(f"{fn}-bounds", f"lambda x: jnp.{fn}(x, axis=2)", F, JAXPR)
    _add(f"{fn}-axes", f"lambda x: jnp.{fn}(x, axis=(0, 1))", F, JAXPR)
    _add(f"{fn}-list", f"lambda: jnp.{fn}([1, 2])", "()", JAXPR)
    if array_api:
        _add(f"{fn}-initial", f"lambda x: jnp.{fn}(x, axis=1, include_initial=True)", F)
        _add(f"{fn}-initial-i8", f"lambda x: jnp.{fn}(x, axis=1, include_initial=True)", BY_TYPE["i8"])
    else:
        _add(f"{fn}-out", f"lambda x: jnp.{fn}(x, out=2)", F, JAXPR)
    _add(f"{fn}-grad", f"jax.grad(lambda x: jnp.{fn}(x, axis=0).sum())", F)
