"""Programs of different elements."""

from __future__ import annotations

from tests.differential.program import Program

ROW = "(np.array([3, 1, 1, 2], np.float32),)"
F = "(np.array([[3, 1, 1, 2], [3, 1, 1, 0], [3, 1, 1, 2]], np.float32),)"
BY_TYPE = {
    "i32": "(np.array([3, 1, 1, 2], np.int32),)",
    "bool": "(np.array([True, False, True]),)",
    "c64": "(np.array([3, 1, 1, 2], np.complex64),)",
    "nan": "(np.array([np.nan, 1, np.nan], np.float32),)",
    "scalar": "(np.float32(2),)",
}

PROGRAMS: list[Program] = []


def _add(name: str, fun: str, args: str, wants: tuple[str, ...] = ("jaxpr", "value")) -> None:
    PROGRAMS.append(Program(name, fun, args, wants))


EXTRAS = ("", "return_index=True", "return_inverse=True", "return_counts=True",
          "return_index=True, return_inverse=True, return_counts=True")  # fmt: skip
for extra in EXTRAS:
    for options in ("size=3", "size=5, fill_value=7", ""):
        _add(
            f"unique-{options}-{extra}",
            f"lambda x: jnp.unique(x, {', '.join(filter(None, (options, extra)))})",
            ROW,
        )
        wants = ("jaxpr", "value")
        _add(
            f"unique-2d-{options}-{extra}",
            f"lambda x: jnp.unique(x, {', '.join(filter(None, (options, extra)))})",
            F,
            wants,
        )
    for axis in ("axis=0", "axis=1", "axis=-1"):
        _add(f"unique-{axis}-{extra}", f"lambda x: jnp.unique(x, {axis}, size=2, {extra})", F)
        _add(f"unique-{axis}-outside-{extra}", f"lambda x: jnp.unique(x, {axis}, {extra})", F, ("value",))
    _add(f"unique-empty-outside-{extra}", f"lambda x: jnp.unique(x[:0], {extra})", ROW, ("value",))
for kind, args in BY_TYPE.items():
    _add(f"unique-{kind}", "lambda x: jnp.unique(x, size=2)", args)
    _add(f"unique-outside-{kind}", "lambda x: jnp.unique(x)", args, ("value",))
for options in ("size=2, equal_nan=False", "size=3, sorted=False", "size=-2", "size=2, axis=3", "size=2.0"):
    _add(f"unique-{options}", f"lambda x: jnp.unique(x, {options})", ROW)
_add("unique-stablehlo", "lambda x: jnp.unique(x, size=3)", ROW, ("stablehlo",))
_add("unique-size-traced", "lambda x, n: jnp.unique(x, size=n)", ROW[:-1] + " 2)", ("jaxpr",))
_add("unique-empty", "lambda x: jnp.unique(x[:0], size=2)", ROW)
_add("unique-empty-fill", "lambda x: jnp.unique(x[:0], size=2, fill_value=3)", ROW)
_add("unique-list", "lambda x: jnp.unique([1, 2], size=2)", ROW)
_add("unique-fill-row", "lambda x: jnp.unique(x, axis=0, size=4, fill_value=x[0])", F)
for fn in ("unique_all", "unique_counts", "unique_inverse", "unique_values"):
    _add(fn, f"lambda x: jnp.{fn}(x, size=3)", ROW)
    _add(f"{fn}-2d", f"lambda x: jnp.{fn}(x, size=3)", F)
    _add(f"{fn}-outside", f"lambda x: jnp.{fn}(x)", BY_TYPE["nan"], ("value",))
    _add(f"{fn}-list", f"lambda x: jnp.{fn}([1])", ROW)

TWO = "(np.array([3, 1, 1, 2], np.float32), np.array([2, 5, 3], np.float32))"
MIXED = "(np.array([[3, 1], [1, 2]], np.float32), np.array([2, 5, 3], np.int32))"
for options in ("", "invert=True", "assume_unique=True", "method='compare_all'", "method='binary_search'", "method='sort'",
                "method='sort', invert=True", "method='sort', assume_unique=True", "method='binary_search', invert=True",
                "method='x'"):  # fmt: skip
    for kind, args in {"row": TWO, "mixed": MIXED}.items():
        _add(f"isin-{options}-{kind}", f"lambda a, b: jnp.isin(a, b, {options})", args)
for arguments in ("a[:0], b", "a, b[:0]", "a, 2", "[1], b", "a, [1]"):
    _add(f"isin-{arguments}", f"lambda a, b: jnp.isin({arguments})", TWO)
for fn in ("union1d", "setdiff1d"):
    for kind, args in {"row": TWO, "mixed": MIXED}.items():
        _add(f"{fn}-{kind}", f"lambda a, b: jnp.{fn}(a, b, size=3)", args)
        _add(f"{fn}-fill-{kind}", f"lambda a, b: jnp.{fn}(a, b, size=6, fill_value=9)", args)
        _add(f"{fn}-outside-{kind}", f"lambda a, b: jnp.{fn}(a, b)", args)
    for arguments in ("a[:0], b", "a, b[:0]", "[1], b", "a, [1]"):
        _add(f"{fn}-{arguments}", f"lambda a, b: jnp.{fn}({arguments})", TWO, ("value",))
_add("setdiff1d-unique", "lambda a, b: jnp.setdiff1d(a, b, assume_unique=True, size=3)", TWO)
_add("setdiff1d-unique-2d", "lambda a, b: jnp.setdiff1d(a, b, assume_unique=True, size=3)", MIXED)
_add("setdiff1d-empty", "lambda a, b: jnp.setdiff1d(a[:0], b, size=2)", TWO)

R, S = "np.array([3, 1, 2, 2, 5], np.int32)", "np.array([2, 9, 3, 2], np.int32)"
for function, extras in (
    (
        "intersect1d",
        ("", "assume_unique=True", "return_indices=True", "assume_unique=True, return_indices=True"),
    ),
    ("setxor1d", ("", "assume_unique=True")),
):
    for extra in extras:
        fills = ("fill_value=7", "fill_value=1.5", *["fill_value=x[0]"] * (function == "setxor1d"))
        for options in ("size=4", "size=0", "size=0, fill_value=1", *(f"size=6, {fill}" for fill in fills)):
            call = f"jnp.{function}(x, {S}, {', '.join(filter(None, (options, extra)))})"
            _add(
                f"{function}-{options}-{extra}",
                f"lambda x: {call}",
                f"({R},)",
                ("jaxpr", "stablehlo", "value"),
            )
        for kind, both in {
            "i32": f"({R}, {S})",
            "f32": f"({R}.astype(np.float32), {S})",
            "bool": f"({R} > 2, {S} > 2)",
            "rows": f"({R}.reshape(1, 5), {S})",
            "nan": "(np.float32([np.nan, 1, np.nan]), np.float32([1, 2, np.nan]))",
            "c64": f"({R} * np.complex64(1j), {S})",
            "scalars": "(3, 4)",
            "same scalars": "(3, 3)",
            "empty": f"({R}[:0], {S})",
            "all empty": f"({R}[:0], {S}[:0])",
        }.items():
            _add(
                f"{function}-{kind}-{extra}", f"lambda x, y: jnp.{function}(x, y, {extra})", both, ("value",)
            )
            _add(f"{function}-{kind}-size-{extra}", f"lambda x, y: jnp.{function}(x, y, {', '.join(filter(None, ('size=3', extra)))})", both)  # fmt: skip
    for name, call in {
        "traced": f"x, {S}",
        "traced second": f"{S}, x",
        "traced unique": f"x, {S}, True",
        "traced no int": f"{S}, x.astype(np.float32)",
        "list": "x, [1]",
        "list first": "[1], x",
        "size word": f"x, {S}, size='a'",
        "size float": f"x, {S}, size=1.5",
        "size negative": f"x, {S}, size=-1",
    }.items():
        _add(f"{function}-{name}", f"lambda x: jnp.{function}({call})", f"({R},)", ("jaxpr",))
