"""Programs of reductions, windows, running sums and sorts, in ``lax``."""

from __future__ import annotations

from tests.differential.program import Program

F = "(np.arange(12, dtype=np.float32).reshape(3, 4) % 5,)"
FF = "(np.arange(12, dtype=np.float32).reshape(3, 4) % 5, np.ones((3, 4), np.float32))"
I = "(np.arange(12, dtype=np.int32).reshape(3, 4) % 5,)"
U = "(np.arange(12, dtype=np.uint8).reshape(3, 4) % 5,)"
B = "(np.arange(12).reshape(3, 4) % 2 == 0,)"
C = "(np.arange(12, dtype=np.complex64).reshape(3, 4) % 5,)"
H = "(np.arange(12).reshape(3, 4).astype(jnp.bfloat16),)"
F3 = "(np.arange(24, dtype=np.float32).reshape(2, 3, 4) % 7,)"
F33 = "(np.ones((2, 3, 4), np.float32), np.ones((2, 3, 4), np.float32))"
E0 = "(np.ones((0, 4), np.float32),)"
BY_TYPE = {"f32": F, "i32": I, "u8": U, "bool": B, "c64": C, "bf16": H, "empty": E0}
ALL = ("jaxpr", "stablehlo", "value")
JAXPR = ("jaxpr",)

PROGRAMS: list[Program] = []


def _add(name: str, fun: str, args: str, wants: tuple[str, ...] = ALL) -> None:
    PROGRAMS.append(Program(name, fun, args, wants))


def _derivatives(name: str, op: str, *, args: str = F, grad: bool = True) -> None:
    """The program itself, its jvp, its gradient and two mappings over an axis."""
    pair = f"({args[1:-2]}, {args[1:-2]})"
    _add(f"{name}-jvp", f"lambda x, t: jax.jvp({op}, (x,), (t,))", pair)
    if grad:
        _add(f"{name}-grad", f"jax.grad(lambda x: ({op})(x).sum())", args)


# one array and axes

for op in ("sum", "prod", "max", "min", "and", "or", "xor"):
    for kind, args in BY_TYPE.items():
        _add(f"reduce_{op}-{kind}", f"lambda x: lax.reduce_{op}(x, (0,))", args)
    _add(f"reduce_{op}-all", f"lambda x: lax.reduce_{op}(x, (0, 1))", I)
    _add(f"reduce_{op}-none", f"lambda x: lax.reduce_{op}(x, ())", I)
    _add(
        f"reduce_{op}-vmap0",
        f"jax.vmap(lambda x: lax.reduce_{op}(x, (1,)))",
        "(np.ones((2, 3, 4), np.int32),)",
    )
    _add(
        f"reduce_{op}-vmap1",
        f"jax.vmap(lambda x: lax.reduce_{op}(x, (0,)), in_axes=1)",
        "(np.ones((2, 3, 4), np.int32),)",
    )
    _add(f"reduce_{op}-bounds", f"lambda x: lax.reduce_{op}(x, (2,))", I, JAXPR)
    _add(f"reduce_{op}-negative", f"lambda x: lax.reduce_{op}(x, (-1,))", I, JAXPR)
    _add(f"reduce_{op}-twice", f"lambda x: lax.reduce_{op}(x, (0, 0))", I, JAXPR)
    _add(f"reduce_{op}-weak", f"lambda: lax.reduce_{op}(lax.broadcast(2, (3,)), (0,))", "()")
    _add(
        f"reduce_{op}-integer-jvp",
        f"jax.grad(lambda x, y: lax.reduce_{op}(y, (0,)) * x)",
        "(2.0, np.arange(3))",
    )
for op in ("sum", "prod", "max", "min"):
    _derivatives(f"reduce_{op}", f"lambda x: lax.reduce_{op}(x, (0,))")
    _derivatives(f"reduce_{op}-all", f"lambda x: lax.reduce_{op}(x, (0, 1))")
    _derivatives(f"reduce_{op}-outer", f"lambda x: lax.reduce_{op}(x, (0, 2))", args=F3)
    _add(
        f"reduce_{op}-grad-vmap",
        f"jax.vmap(jax.grad(lambda x: lax.reduce_{op}(x, (0, 1))))",
        F3,
    )
_add("reduce_sum-sharding", "lambda x: lax.reduce_sum(x, (0,), out_sharding=3)", F, JAXPR)
_add("reduce_prod-jvp-one", "lambda x, t: jax.jvp(lambda x: lax.reduce_prod(x, (1,)), (x,), (t,))",
     "(np.ones((2, 1), np.float32), np.ones((2, 1), np.float32))")  # fmt: skip
_add("reduce_prod-jvp-empty", "lambda x, t: jax.jvp(lambda x: lax.reduce_prod(x, (1,)), (x,), (t,))",
     "(np.ones((2, 0), np.float32), np.ones((2, 0), np.float32))")  # fmt: skip
_add("reduce_max-jvp-complex", "lambda x, t: jax.jvp(lambda x: lax.reduce_max(x, (0,)), (x,), (t,))",
     "(np.ones((2, 3), np.complex64), np.ones((2, 3), np.complex64))")  # fmt: skip

# where an extremum stands

for op in ("argmax", "argmin"):
    for kind, args in BY_TYPE.items():
        _add(f"{op}-{kind}", f"lambda x: lax.{op}(x, 0, np.int32)", args)
    _add(f"{op}-u32", f"lambda x: lax.{op}(x, 1, np.uint32)", F)
    _add(f"{op}-i64", f"lambda x: lax.{op}(x, 1, np.int64)", F)
    _add(f"{op}-float-index", f"lambda x: lax.{op}(x, 1, np.float32)", F, JAXPR)
    _add(f"{op}-bounds", f"lambda x: lax.{op}(x, 2, np.int32)", F, JAXPR)
    _add(f"{op}-vmap", f"jax.vmap(lambda x: lax.{op}(x, 1, np.int32), in_axes=1)", F3)
    _add(f"{op}-jvp", f"lambda x, t: jax.jvp(lambda x: lax.{op}(x, 0, np.int32), (x,), (t,))", FF, JAXPR)
    _add(
        f"{op}-shared",
        f"lambda x: (lax.{op}(x, 0, np.int32), lax.{op}(2 * x, 0, np.int32), lax.{op}(x, 1, np.int32))",
        F,
    )
    _add(
        f"{op}-nan",
        f"lambda x: lax.{op}(x, 0, np.int32)",
        "(np.array([1.0, np.nan, 3.0, np.nan], np.float32),)",
    )

# running reductions

for op in ("cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp"):
    for kind, args in BY_TYPE.items():
        if (op, kind) not in (("cumlogsumexp", "i32"), ("cumlogsumexp", "u8")):  # fails in a way of Python's
            _add(f"{op}-{kind}", f"lambda x: lax.{op}(x, 0)", args)
    _add(f"{op}-reverse", f"lambda x: lax.{op}(x, 1, reverse=True)", F)
    _add(f"{op}-negative", f"lambda x: lax.{op}(x, -1)", F, JAXPR)
    _add(f"{op}-bounds", f"lambda x: lax.{op}(x, 2)", F, JAXPR)
    _add(f"{op}-vmap0", f"jax.vmap(lambda x: lax.{op}(x, 1, reverse=True))", F3)
    _add(f"{op}-vmap2", f"jax.vmap(lambda x: lax.{op}(x, 1), in_axes=2)", F3)
    _derivatives(op, f"lambda x: lax.{op}(x, 0)")
    _derivatives(f"{op}-reverse", f"lambda x: lax.{op}(x, 1, reverse=True)")
    _add(f"{op}-twice", f"lambda x: (lax.{op}(x), lax.{op}(2 * x), lax.{op}(x, reverse=True))", F)
    _add(f"{op}-weak", f"lambda: lax.{op}(lax.broadcast(2.0, (3,)))", "()")
for size in (0, 1, 2, 3, 4, 5, 7, 8):
    _add(
        f"associative_scan-{size}",
        "lambda x: lax.associative_scan(lax.mul, x)",
        f"(np.arange({size}, dtype=np.float32),)",
    )
_add("associative_scan-reverse", "lambda x: lax.associative_scan(lax.add, x, reverse=True, axis=1)", F)
_add("associative_scan-bool", "lambda x: lax.associative_scan(lax.bitwise_or, x, axis=1)", B)
_add(
    "associative_scan-tree",
    "lambda x, y: lax.associative_scan(lambda a, b: (a[0] * b[0], a[1] + b[1]), (x, y))",
    FF,
)
_add("associative_scan-sizes", "lambda x: lax.associative_scan(lambda a, b: a, (x, x[:2]))", F, JAXPR)
_add("associative_scan-axis", "lambda x: lax.associative_scan(lax.add, x, axis=2)", F, JAXPR)
_add("associative_scan-function", "lambda x: lax.associative_scan(3, x)", F, JAXPR)

# sorts

for kind, args in BY_TYPE.items():
    _add(f"sort-{kind}", "lambda x: lax.sort(x, dimension=0)", args)
for axis in (-1, 0, 1, 2, -3):
    _add(f"sort-axis{axis}", f"lambda x: lax.sort(x, dimension={axis})", F)
_add("sort-two-keys", "lambda x, y: lax.sort((x, y), num_keys=2)", FF)
_add(
    "sort-complex-keys",
    "lambda x, y: lax.sort((x, y), num_keys=2)",
    "(np.ones(3, np.complex64), np.ones(3, np.float32))",
)
_add("sort-three", "lambda x, y: lax.sort((y > 0, x, y), num_keys=2, is_stable=False)", FF)
_add("sort-key-val", "lambda x, y: lax.sort_key_val(x, y, dimension=0)", FF)
_derivatives("sort", "lambda x: lax.sort(x, dimension=0)")
_derivatives("sort-last", "lambda x: lax.sort(x)")
_add("sort-grad-two", "jax.grad(lambda x, y: lax.sort((x, y))[1].sum(), argnums=(0, 1))", FF)
_add("sort-jvp-mixed", "lambda x, t: jax.jvp(lambda y: lax.sort((x > 0, y)), (x,), (t,))", FF)
_add(
    "sort-vmap",
    "jax.vmap(lambda x, y: lax.sort((x, y)), in_axes=(0, None))",
    "(np.ones((3, 4), np.float32), np.ones(4, np.float32))",
)
_add(
    "sort-vmap1",
    "jax.vmap(lambda x, y: lax.sort((x, y)), in_axes=(None, 1))",
    "(np.ones(3, np.float32), np.ones((3, 4), np.float32))",
)
_add(
    "sort-vmap01",
    "jax.vmap(lambda x, y: lax.sort((x, y)), in_axes=(0, 1))",
    "(np.ones((3, 4), np.float32), np.ones((4, 3), np.float32))",
)
_add("sort-nan", "lax.sort", "(np.array([np.nan, 0.0, -0.0, -np.inf, -1.0], np.float32),)")
_add("sort-nothing", "lambda x: lax.sort(())", F, JAXPR)
_add("sort-keys", "lambda x: lax.sort((x, x), num_keys=3)", F, JAXPR)
_add("sort-keys-single", "lambda x: lax.sort(x, num_keys=2)", F, JAXPR)
_add("sort-shapes", "lambda x: lax.sort((x, x[0]))", F, JAXPR)
for kind in ("f32", "i32", "u8", "bool", "c64", "bf16"):
    _add(f"top_k-{kind}", "lambda x: lax.top_k(x, 2)", BY_TYPE[kind])
_add("top_k-axis0", "lambda x: lax.top_k(x, 2, axis=0)", F)
_add("top_k-axis1", "lambda x: lax.top_k(x, 2, axis=0)", F3)
_add("top_k-zero", "lambda x: lax.top_k(x, 0)", F)
_add("top_k-large", "lambda x: lax.top_k(x, 5)", F, JAXPR)
_add("top_k-negative", "lambda x: lax.top_k(x, -1)", F, JAXPR)
_add("top_k-bounds", "lambda x: lax.top_k(x, 2, axis=3)", F, JAXPR)
_add("top_k-vmap", "jax.vmap(lambda x: lax.top_k(x, 2), in_axes=1)", F3)
_add("top_k-jvp", "lambda x, t: jax.jvp(lambda x: lax.top_k(x, 2)[0], (x,), (t,))", FF)
_add("top_k-jvp0", "lambda x, t: jax.jvp(lambda x: lax.top_k(x, 2, axis=0)[0], (x,), (t,))", FF)
_add("top_k-grad", "jax.grad(lambda x: lax.top_k(x, 2)[0].sum())", F)

# windows

WINDOW = "(2, 2), (1, 2), 'SAME'"
for name, init, op in (
    ("sum", "0.0", "lax.add"),
    ("max", "-np.inf", "lax.max"),
    ("min", "np.inf", "lax.min"),
    ("prod", "1.0", "lax.mul"),
    ("max-from-zero", "0.0", "lax.max"),
):
    f = f"lambda x: lax.reduce_window(x, {init}, {op}, {WINDOW})"
    known = name in ("sum", "max", "min")
    _add(f"window-{name}", f, F)
    _derivatives(f"window-{name}", f, grad=known)
    _add(f"window-{name}-vmap", f"jax.vmap({f}, in_axes=1)", "(np.ones((3, 2, 4), np.float32),)")
    if known:
        _add(
            f"window-{name}-grad-vmap",
            f"jax.vmap(jax.grad(lambda x: ({f})(x).sum()), in_axes=1)",
            "(np.ones((3, 2, 4), np.float32),)",
        )
        _add(
            f"window-{name}-jvp-grad",
            f"lambda x, t: jax.jvp(jax.grad(lambda x: (({f})(x) ** 2).sum()), (x,), (t,))",
            FF,
        )
DILATED = "(2, 2), padding=((1, 0), (0, 1)), base_dilation=(2, 1), window_dilation=(1, 2)"
_add("window-dilated", f"lambda x: lax.reduce_window(x, 0.0, lax.add, {DILATED})", F)
_add("window-dilated-grad", f"jax.grad(lambda x: lax.reduce_window(x, 0.0, lax.add, {DILATED}).sum())", F)
_add(
    "window-max-dilated-jvp",
    f"lambda x, t: jax.jvp(lambda x: lax.reduce_window(x, -np.inf, lax.max, {DILATED}), (x,), (t,))",
    FF,
)
_add(
    "window-max-dilated-grad",
    f"jax.grad(lambda x: lax.reduce_window(x, -np.inf, lax.max, {DILATED}).sum())",
    F,
    JAXPR,
)
_add(
    "window-max-base-grad",
    "jax.grad(lambda x: lax.reduce_window(x, -np.inf, lax.max, (2, 2), base_dilation=(1, 2)).sum())",
    F,
)
_add(
    "window-two",
    "lambda x: lax.reduce_window((x, x), (0.0, 0.0), lambda a, b: (a[0] + b[0], lax.max(a[1], b[1])), (2, 2))",
    F,
)
for name, rest in (
    ("rank", "(2,)"),
    ("strides", "(2, 2), (1,)"),
    ("padding", "(2, 2), (1, 1), 'FOO'"),
    ("pairs", "(2, 2), (1, 1), ((1, 1),)"),
    ("zero", "(2, 0)"),
    ("zero-stride", "(2, 1), (0, 1)"),
    ("float", "(2, 2.0)"),
    ("dilation", "(2, 2), window_dilation=(0, 1)"),
    ("large", "(9, 1)"),
    ("negative-padding", "(2, 2), padding=((-1, 1), (0, 0))"),
):
    _add(f"window-{name}", f"lambda x: lax.reduce_window(x, 0.0, lax.add, {rest})", F, JAXPR)
_add("window-dtype", "lambda x: lax.reduce_window(x, 0, lambda a, b: a + b, (2, 2))", F, JAXPR)

# reductions by a function: their own jaxpr shows an address, so the modules are compared

for name, fun, args in (
    ("lambda", "lambda x: lax.reduce(x, 0.0, lambda a, b: a + b, (0,))", F),
    ("start", "lambda x: lax.reduce(x, 2.0, lambda a, b: a * b + 1, (0,))", F),
    (
        "tree",
        "lambda x, y: lax.reduce({'a': x, 'b': y}, {'a': 0.0, 'b': 1.0}, lambda a, b: {'a': a['a'] + b['a'], 'b': a['b'] * b['b']}, (0, 1))",
        FF,
    ),
    ("traced-start", "lambda x, i: lax.reduce(x, i, lax.add, (0,))", "(np.ones((3, 4), np.float32), 1.0)"),
    ("vmap", "jax.vmap(lambda x: lax.reduce(x, 0.0, lambda a, b: a * b, (1,)), in_axes=1)", F3),
    ("constant", "lambda x: lax.reduce(x, 0.0, lambda a, b: a + np.float32(3) * b, (0,))", F),
):
    _add(f"reduce-{name}", fun, args, ("stablehlo", "value"))
for name, init, op in (
    ("add", "0", "lax.add"),
    ("mul", "1", "lax.mul"),
    ("max", "np.iinfo(np.int32).min", "lax.max"),
    ("min", "np.iinfo(np.int32).max", "lax.min"),
    ("or", "0", "lax.bitwise_or"),
    ("and", "-1", "lax.bitwise_and"),
    ("xor", "0", "lax.bitwise_xor"),
):
    _add(f"reduce-{name}", f"lambda x: lax.reduce(x, {init}, {op}, (0,))", I)
_add(
    "reduce-jvp",
    "lambda x, t: jax.jvp(lambda x: lax.reduce(x, 1.0, lambda a, b: a * lax.sin(b), (0,)), (x,), (t,))",
    FF,
)
_add("reduce-grad", "jax.grad(lambda x: lax.reduce(x, 1.0, lambda a, b: a * lax.sin(b), (0, 1)))", F)
_add("reduce-init-shape", "lambda x: lax.reduce(x, jnp.ones(3), lambda a, b: a * b, (0,))", F, JAXPR)
_add("reduce-init-dtype", "lambda x: lax.reduce(x, 0, lambda a, b: a * b, (0,))", F, JAXPR)
_add("reduce-closed-over", "lambda x: lax.reduce(x, 0.0, lambda a, b: a + x[0, 0], (0,))", F, JAXPR)
