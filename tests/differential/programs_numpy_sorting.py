"""Programs that sort, search and count."""

from __future__ import annotations

from tests.differential.program import Program

F = "(np.array([[3, 1, 2, 0], [0, 5, 0, 1], [2, 2, 1, 7]], np.float32),)"
ROW = "(np.array([3, 1, 2, 0], np.float32),)"
IROW = "(np.array([3, 1, 2, 0], np.int32),)"
BY_TYPE = {
    "i32": "(np.array([[3, 1, 2, 0], [0, 5, 0, 1]], np.int32),)",
    "u8": "(np.array([[3, 1, 2, 0], [0, 5, 0, 1]], np.uint8),)",
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


# sorting

for fn in ("sort", "argsort"):
    for kind, args in BY_TYPE.items():
        _add(f"{fn}-{kind}", f"lambda x: jnp.{fn}(x)", args)
        _add(f"{fn}-{kind}-descending", f"lambda x: jnp.{fn}(x, descending=True)", args, ("jaxpr", "value"))
    for options in ("axis=0", "axis=None", "axis=5", "stable=False", "descending=True", "descending=True, stable=False",
                    "kind='stable'", "order='a'"):  # fmt: skip
        _add(f"{fn}-{options}", f"lambda x: jnp.{fn}(x, {options})", F)
    _add(f"{fn}-vmap", f"jax.vmap(jnp.{fn})", F)
    _add(f"{fn}-list", f"lambda x: jnp.{fn}([1, 2])", F, JAXPR)
_add("sort-grad", "jax.grad(lambda x: jnp.sort(x)[0, 0])", F)
_add("sort-jvp", "lambda x: jax.jvp(jnp.sort, (x,), (x,))", F)
for dtype in ("np.int8", "np.float32", "'int64'"):
    _add(f"argsort-dtype-{dtype}", f"lambda x: jnp.argsort(x, dtype={dtype})", F)
for kind, args in {**BY_TYPE, "f32": F}.items():
    _add(f"sort_complex-{kind}", "lambda x: jnp.sort_complex(x)", args)
    for fn in ("partition", "argpartition"):
        _add(f"{fn}-{kind}", f"lambda x: jnp.{fn}(x, 1)", args)
_add("sort_complex-list", "lambda x: jnp.sort_complex([1])", F, JAXPR)
_add("lexsort", "lambda x: jnp.lexsort((x, x + 1))", F)
_add("lexsort-array", "lambda x: jnp.lexsort(x)", F)
_add("lexsort-vmap", "jax.vmap(lambda x: jnp.lexsort((x, x)))", F)
for keys in ("(x, x), axis=0", "()", "(x, x[0])", "(x, x), axis=4", "[[1, 2], [3, 4]]", "(1, 2)"):
    _add(f"lexsort-{keys}", f"lambda x: jnp.lexsort({keys})", F, ("jaxpr", "value"))
for fn in ("partition", "argpartition"):
    for options in ("-1", "1, axis=0", "7", "np.int64(1)", "(1, 2)", "0"):
        _add(f"{fn}-{options}", f"lambda x: jnp.{fn}(x, {options})", F)
    _add(f"{fn}-row", f"lambda x: jnp.{fn}(x, 2)", ROW)
    _add(f"{fn}-three", f"lambda x: jnp.{fn}(x, 1, axis=0)", "(np.ones((3, 1, 4), np.float32),)")
    _add(f"{fn}-vmap", f"jax.vmap(lambda x: jnp.{fn}(x, 1))", F)
_add("partition-grad", "jax.grad(lambda x: jnp.partition(x, 1)[0, 0])", F)

# where and what is not zero

for options in (
    "size=3",
    "size=3, fill_value=-1",
    "size=0",
    "",
    "size=2.0",
    "size='a'",
    "size=20, fill_value=7",
):
    # newer JAX takes the operation apart before it leaves out what is not used, and constants then have other places
    wants = ALL if options == "size=3" else ("jaxpr", "value")
    for fn in ("nonzero", "flatnonzero", "argwhere", "where"):
        _add(f"{fn}-{options}", f"lambda x: jnp.{fn}(x, {options})", F, wants)
        _add(f"{fn}-{options}-row", f"lambda x: jnp.{fn}(x, {options})", ROW, ("jaxpr", "value"))
for fn in ("nonzero", "flatnonzero", "argwhere", "where"):
    _add(f"{fn}-outside", f"lambda x: jnp.{fn}(x)", F, ("value",))
    _add(f"{fn}-scalar", f"lambda x: jnp.{fn}(x, size=2)", "(np.float32(2),)")
    _add(f"{fn}-scalar-outside", f"lambda x: jnp.{fn}(x)", "(np.float32(2),)", ("value",))
    _add(f"{fn}-list", f"lambda x: jnp.{fn}([1, 2])", F, JAXPR)
    _add(
        f"{fn}-empty", f"lambda x: jnp.{fn}(x, size=3)", "(np.zeros((0, 3), np.float32),)", ("jaxpr", "value")
    )
    _add(f"{fn}-empty-outside", f"lambda x: jnp.{fn}(x)", "(np.zeros((0, 3), np.float32),)", ("value",))
    _add(f"{fn}-vmap", f"jax.vmap(lambda x: jnp.{fn}(x, size=2))", F)
    for kind, args in BY_TYPE.items():
        _add(f"{fn}-{kind}", f"lambda x: jnp.{fn}(x, size=2)", args, ("jaxpr", "value"))
for fill in ("(1, 2)", "(1, 2, 3)", "x", "1.5", "x[0]"):
    _add(
        f"nonzero-fill-{fill}", f"lambda x: jnp.nonzero(x, size=3, fill_value={fill})", F, ("jaxpr", "value")
    )
_add("nonzero-size-negative", "lambda x: jnp.nonzero(x, size=-1)", F, JAXPR)
_add("nonzero-size-traced", "lambda x, n: jnp.nonzero(x, size=n)", F[:-1] + " 3)", JAXPR)
_add("nonzero-grad", "jax.grad(lambda x: x[jnp.nonzero(x, size=2)].sum())", F)
_add(
    "nonzero-vmap-fill",
    "jax.vmap(lambda x, n: jnp.nonzero(x, size=2, fill_value=n))",
    F[:-1] + " np.arange(3))",
)

W = "(np.arange(12).reshape(3, 4) % 3 > 0, np.ones((3, 4), np.float32), np.arange(12).reshape(3, 4))"
_add("where-three", "lambda c, x, y: jnp.where(c, x, y)", W)
for terms in (
    "x, 1",
    "2.0, 1",
    "x[0], x[:, :1]",
    "True, c",
    "x",
    "None, 1",
    "x, None",
    "[1], 2",
    "x, 1, size=3",
):
    _add(f"where-{terms}", f"lambda c, x, y: jnp.where(c, {terms})", W)
for condition in (
    "y",
    "x",
    "x.astype(np.complex64)",
    "np.ones((3, 4), bool)",
    "True",
    "c[0]",
    "x[0, 0]",
    "[True]",
):
    _add(f"where-condition-{condition}", f"lambda c, x, y: jnp.where({condition}, x, 0)", W)
_add("where-keywords", "lambda c, x, y: jnp.where(condition=c, x=x, y=y)", W, JAXPR)
_add("where-shapes", "lambda c, x, y: jnp.where(c, x, np.ones(7))", W, JAXPR)
_add("where-grad", "jax.grad(lambda x: jnp.where(x > 0, x, 2 * x).sum())", F)
_add(
    "where-vmap",
    "jax.vmap(lambda c, x: jnp.where(c, x, 0), in_axes=(None, 0))",
    "(True, np.ones((3, 4), np.float32))",
)
_add("where-weak", "lambda x: jnp.where(x > 0, x, 0.1)", "(1.0,)")

# counting

for options in ("length=5", "length=0", "length=-5", "length=2.0", "minlength=5, length=7", "minlength=2.0, length=7",
                "minlength=-1, length=2", "", "length=x[0]", "weights=x, length=3", "weights=np.ones(4, np.float32), length=3",
                "weights=np.ones((3, 4), np.float32), length=3", "out_sharding='x'"):  # fmt: skip
    _add(f"bincount-{options}", f"lambda x: jnp.bincount(x, {options})", IROW)
for x in ("np.array([1, 2, 2])", "np.array([], int)", "np.array([-1, 2])", "jnp.array([1, 2])"):
    _add(f"bincount-outside-{x}", f"lambda y: jnp.bincount({x})", "()", ("value",))
    _add(f"bincount-outside-least-{x}", f"lambda y: jnp.bincount({x}, minlength=5)", "()", ("value",))
_add(
    "bincount-grad",
    "jax.grad(lambda w: jnp.bincount(np.array([0, 1]), weights=w, length=3)[0])",
    "(np.ones(2, np.float32),)",
)
_add("bincount-vmap", "jax.vmap(lambda x: jnp.bincount(x, length=3))", BY_TYPE["i32"])
for kind, args in {**BY_TYPE, "row": ROW}.items():
    _add(f"bincount-{kind}", "lambda x: jnp.bincount(x[0], length=3)", args, JAXPR)
_add("bincount-list", "lambda x: jnp.bincount([1, 2])", F, JAXPR)
_add("bincount-scalar", "lambda x: jnp.bincount(x, length=3)", "(1,)", JAXPR)

# searching in what is sorted

S = "(np.array([0, 1, 2, 3], np.float32), np.array([[0, 1.5, -1, 9], [2, 2, 3, np.nan]], np.float32))"
for side in ("left", "right"):
    for method in ("scan", "scan_unrolled", "sort", "compare_all"):
        call = f"jnp.searchsorted(a, v, side={side!r}, method={method!r})"
        _add(f"searchsorted-{side}-{method}", f"lambda a, v: {call}", S)
        _add(f"searchsorted-{side}-{method}-row", f"lambda a, v: (lambda v: {call})(v[0])", S)
        _add(f"searchsorted-{side}-{method}-scalar", f"lambda a, v: (lambda v: {call})(v[0, 1])", S)
        for kind, args in BY_TYPE.items():
            if kind != "weak":
                _add(
                    f"searchsorted-{side}-{method}-{kind}",
                    f"lambda x: (lambda a, v: {call})(jnp.sort(x[0]), x[1])",
                    args,
                )
    _add(f"digitize-{side}", f"lambda a, v: jnp.digitize(v, a, right={side == 'right'})", S)
    _add(
        f"digitize-{side}-down",
        f"lambda a, v: jnp.digitize(v, a[::-1], right={side == 'right'})",
        S,
        ("value",),
    )
for arguments in ("a, 1", "a, 1.5", "a, v[0, 0], sorter=np.arange(4)", "a[:0], v", "a, v[:0]", "v, a", "[1, 2], v", "a, v, 'x'",
                  "a, v, method='x'", "np.arange(3), v", "a, np.arange(3)"):  # fmt: skip
    _add(f"searchsorted-{arguments}", f"lambda a, v: jnp.searchsorted({arguments})", S, ("jaxpr", "value"))
_add("searchsorted-vmap-values", "lambda a, v: jax.vmap(lambda v: jnp.searchsorted(a, v))(v)", S)
_add(
    "searchsorted-vmap-values-1",
    "lambda a, v: jax.vmap(lambda v: jnp.searchsorted(a, v), in_axes=1)(v)",
    S,
    ("value",),
)
_add(
    "searchsorted-vmap-array",
    "lambda a, v: jax.vmap(lambda v: jnp.searchsorted(v, a))(v)",
    S,
    ("jaxpr", "value"),
)
_add(
    "searchsorted-vmap-both",
    "lambda a, v: jax.vmap(lambda v: jnp.searchsorted(v, v))(v)",
    S,
    ("jaxpr", "value"),
)
_add(
    "searchsorted-jvp", "lambda a, v: jax.jvp(lambda a: jnp.searchsorted(a, v), (a,), (a,))[0]", S, ("value",)
)
for arguments in ("v, a[:0]", "v, v", "[1], a", "v, a, method='sort'", "v, a, method='x'", "1, a"):
    _add(f"digitize-{arguments}", f"lambda a, v: jnp.digitize({arguments})", S, ("jaxpr", "value"))
