"""Programs of products of vectors and matrices, in ``lax``."""

from __future__ import annotations

from tests.differential.program import Program

ALL = ("jaxpr", "stablehlo", "value")
JAXPR = ("jaxpr",)

PROGRAMS: list[Program] = []


def _add(name: str, fun: str, args: str, wants: tuple[str, ...] = ALL) -> None:
    PROGRAMS.append(Program(name, fun, args, wants))


def _ones(*shapes: tuple[int, ...], dtype: str = "np.float32") -> str:
    return "(" + "".join(f"np.ones({shape}, {dtype}), " for shape in shapes) + ")"


MM = _ones((3, 4), (4, 5))
BMM = _ones((2, 3, 4), (2, 4, 5))
FOUR = "lambda a, b: lax.dot_general(a, b, (((1, 3), (2, 0)), ((2,), (1,))))"
CASES = {
    "vv": ("lax.dot", _ones((3,), (3,))),
    "mv": ("lax.dot", _ones((3, 4), (4,))),
    "vm": ("lax.dot", _ones((3,), (3, 4))),
    "mm": ("lax.dot", MM),
    "bmm": ("lax.batch_matmul", BMM),
    "outer": ("lambda a, b: lax.dot_general(a, b, (((), ()), ((), ())))", _ones((3,), (4, 5))),
    "swapped": ("lambda a, b: lax.dot_general(a, b, (((0,), (1,)), ((), ())))", _ones((3, 4), (5, 3))),
    "four": (FOUR, _ones((2, 3, 4, 5), (5, 4, 3, 6))),
    "high": ("lambda a, b: lax.dot(a, b, precision='high')", MM),
    "wide": (
        "lambda a, b: lax.dot(a, b, preferred_element_type=jnp.float32)",
        _ones((3, 4), (4, 5), dtype="jnp.bfloat16"),
    ),
    "mixed": ("lax.dot", "(np.ones((3, 4), jnp.bfloat16), np.ones((4, 5), np.float32))"),
    "complex": ("lax.dot", "(np.ones((3, 4), np.complex64), np.ones((4, 5), np.float32))"),
}
for name, (fun, args) in CASES.items():
    _add(f"dot-{name}", fun, args)
    _add(f"dot-{name}-jvp", f"lambda a, b: jax.jvp({fun}, (a, b), (a, b))", args)
    if name != "complex":
        _add(f"dot-{name}-grad", f"jax.grad(lambda a, b: ({fun})(a, b).sum(), argnums=(0, 1))", args)
    if name not in ("complex", "mixed", "wide", "high"):
        for axes in ((0, 0), (0, None), (None, 0), (1, 1), (0, 1), (1, 0)):
            stacked = "".join(
                f"({args})[{i}], " if axis is None else f"np.stack([({args})[{i}]] * 2, axis={axis}), "
                for i, axis in enumerate(axes)
            )
            label = f"dot-{name}-vmap{axes}".replace(" ", "")
            _add(label, f"jax.vmap({fun}, in_axes={axes})", f"({stacked})")
_add("dot-vmap-grad", "jax.vmap(jax.grad(lambda a, b: lax.dot(a, b).sum(), argnums=(0, 1)))", BMM)
_add(
    "dot-grad-grad",
    "jax.grad(lambda a, b: (jax.grad(lambda a: (lax.dot(a, b) ** 2).sum())(a) ** 2).sum())",
    MM,
)

# precisions

PRECISIONS = (
    "'highest'", "'float32'", "'bfloat16_3x'", "'tensorfloat32'", "'default'", "'bfloat16'", "'fastest'",
    "lax.Precision.HIGH", "('high', 'default')", "['high', 'high']", "(lax.Precision.HIGH, lax.Precision.HIGHEST)",
    "lax.DotAlgorithmPreset.DEFAULT", "'F32_F32_F32'", "'BF16_BF16_F32'", "'BF16_BF16_F32_X3'", "'BF16_BF16_F32_X6'",
    "'F16_F16_F16'", "'F64_F64_F64'", "'TF32_TF32_F32'", "'ANY_F8_ANY_F8_F32'", "'BF16_BF16_BF16'",
    "'foo'", "3", "('high',)", "('high', 3)", "('high', 'foo')", "('high', None)", "(None, None)", "'None'",
    "('default', 'DEFAULT')",
)  # fmt: skip
for precision in PRECISIONS:
    _add(
        f"dot-precision-{precision}",
        f"lambda a, b: lax.dot(a, b, precision={precision})",
        MM,
        ("jaxpr", "stablehlo"),
    )
_add(
    "dot-precision-grad",
    "jax.grad(lambda a, b: lax.dot(a, b, precision=('high', 'default')).sum(), argnums=(0, 1))",
    MM,
)
PROGRAMS.append(
    Program(
        "dot-precision-default",
        "lax.dot",
        MM,
        ("jaxpr", "stablehlo"),
        {"jax_default_matmul_precision": "high"},
    )
)

# types of operands and result

DTYPES = ("np.bool_", "np.int8", "np.uint8", "np.int32", "np.uint32", "np.float16", "jnp.bfloat16", "np.float32",
          "np.complex64", "jnp.float8_e4m3fn", "jnp.float8_e5m2")  # fmt: skip
for a in DTYPES:
    for b in DTYPES:
        _add(
            f"dot-{a}-{b}", "lax.dot", f"(np.ones((3, 4), {a}), np.ones((4, 5), {b}))", ("jaxpr", "stablehlo")
        )
for a, b, preferred in (
    ("np.int8", "np.float32", "np.float32"),
    ("np.int8", "np.float32", "np.int32"),
    ("np.complex64", "np.complex64", "np.float32"),
    ("np.float32", "np.float32", "np.complex64"),
    ("np.bool_", "np.bool_", "np.int32"),
    ("np.int32", "np.int32", "np.bool_"),
    ("np.int32", "np.int32", "np.uint32"),
    ("np.int32", "np.int32", "np.int16"),
    ("np.float32", "np.float32", "np.float16"),
    ("np.float32", "np.float32", "np.int32"),
    ("np.float32", "np.float32", "np.float64"),
    ("np.int32", "np.int32", "jnp.bfloat16"),
):
    fun = f"lambda a, b: lax.dot(a, b, preferred_element_type={preferred})"
    _add(
        f"dot-{a}-{b}-to-{preferred}",
        fun,
        f"(np.ones((3, 4), {a}), np.ones((4, 5), {b}))",
        ("jaxpr", "stablehlo"),
    )
_add("dot-weak", "lambda a: lax.dot_general(a, 2, (((), ()), ((), ())))", "(2.0,)")

# errors

for name, numbers in (
    ("negative", "(((-1,), (1,)), ((0,), (0,)))"),
    ("bounds", "(((2,), (1,)), ((0,), (4,)))"),
    ("batch-count", "(((2,), (1,)), ((0,), ()))"),
    ("contracting-count", "(((2, 1), (1,)), ((0,), (0,)))"),
    ("contracting-twice", "(((2, 2), (1, 2)), ((0,), (0,)))"),
    ("batch-twice", "(((2,), (1,)), ((0, 0), (0, 1)))"),
    ("rhs-batch-twice", "(((1,), (1,)), ((0, 1), (0, 0)))"),
    ("both", "(((0,), (0,)), ((0,), (0,)))"),
    ("rhs-both", "(((1,), (1,)), ((0,), (1,)))"),
    ("contracting-sizes", "(((1,), (1,)), ((0,), (0,)))"),
    ("batch-sizes", "(((2,), (1,)), ((1,), (0,)))"),
    ("malformed", "((2,), (1,))"),
    ("none", "None"),
):
    _add(f"dot-error-{name}", f"lambda a, b: lax.dot_general(a, b, {numbers})", BMM, JAXPR)
for name, fun, args in (
    ("3d", "lax.dot", _ones((2, 3, 4), (4, 5))),
    ("shapes", "lax.dot", _ones((3,), (4, 5))),
    ("scalars", "lax.dot", "(1.0, 1.0)"),
    ("list", "lambda a: lax.dot(a, [1, 2, 3, 4])", _ones((3, 4))),
    ("sharding", "lambda a, b: lax.dot(a, b, out_sharding=3)", MM),
    ("bmm-ndim", "lax.batch_matmul", _ones((2, 3, 4), (4, 5))),
    ("bmm-vectors", "lax.batch_matmul", _ones((3,), (3,))),
    ("bmm-batch", "lax.batch_matmul", _ones((3, 3, 4), (2, 4, 5))),
):
    _add(f"dot-error-{name}", fun, args, JAXPR)
