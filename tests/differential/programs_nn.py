"""Programs of the functions that neural networks are made of."""

from __future__ import annotations

from tests.differential.program import Program

F = "(np.linspace(-4, 4, 12, dtype=np.float32).reshape(3, 4),)"
I = "(np.arange(3, dtype=np.int32),)"
FW = "(np.linspace(-4, 4, 12, dtype=np.float32).reshape(3, 4), np.arange(12).reshape(3, 4) % 3 > 0)"
FF = "(np.linspace(-4, 4, 12, dtype=np.float32).reshape(3, 4), np.linspace(-1, 4, 12, dtype=np.float32).reshape(3, 4))"
BY_TYPE = {
    "i32": "(np.arange(12, dtype=np.int32).reshape(3, 4) % 5,)",
    "bool": "(np.arange(12).reshape(3, 4) % 2 == 0,)",
    "bf16": "(np.linspace(-4, 4, 12).reshape(3, 4).astype(jnp.bfloat16),)",
    "c64": "(np.linspace(-4, 4, 12).reshape(3, 4).astype(np.complex64),)",
    "weak": "(2.0,)",
}
ALL = ("jaxpr", "stablehlo", "value")
JAXPR = ("jaxpr",)

PROGRAMS: list[Program] = []


def _add(name: str, fun: str, args: str, wants: tuple[str, ...] = ALL) -> None:
    PROGRAMS.append(Program(name, fun, args, wants))


def _transformed(name: str, fun: str, args: str = F) -> None:
    _add(f"{name}-grad", f"jax.grad(lambda *a: ({fun})(*a).sum())", args)
    _add(f"{name}-jvp", f"lambda x, *a: jax.jvp(lambda x: ({fun})(x, *a), (x,), (x,))", args)
    _add(f"{name}-vmap", f"jax.vmap({fun})", args)


FUNCTIONS = (
    "relu", "relu6", "sigmoid", "softplus", "sparse_plus", "sparse_sigmoid", "soft_sign", "silu", "swish",
    "log_sigmoid", "leaky_relu", "elu", "celu", "selu", "gelu", "hard_tanh", "hard_sigmoid", "hard_silu",
    "hard_swish", "softmax", "log_softmax", "logsumexp", "standardize", "squareplus", "mish", "identity", "tanh",
    "glu", "logmeanexp", "log1mexp",
)  # fmt: skip
for fn in FUNCTIONS:
    _add(fn, f"lambda x: nn.{fn}(x)", F)
    _transformed(fn, f"nn.{fn}")
    _add(f"{fn}-vmap-in-1", f"jax.vmap(nn.{fn}, in_axes=1)", F, JAXPR)
    for kind, args in BY_TYPE.items():
        _add(f"{fn}-{kind}", f"lambda x: nn.{fn}(x)", args)
    _add(f"{fn}-list", f"lambda x: nn.{fn}([1.0, 2.0])", F, JAXPR)
    _add(f"{fn}-none", f"lambda x: nn.{fn}(None)", F, JAXPR)

_add("gelu-exact", "lambda x: nn.gelu(x, approximate=False)", F)
_transformed("gelu-exact", "lambda x: nn.gelu(x, approximate=False)")
for kind, args in BY_TYPE.items():
    _add(f"gelu-exact-{kind}", "lambda x: nn.gelu(x, approximate=False)", args)
for fn, alpha in (("elu", "0.5"), ("celu", "0.5"), ("leaky_relu", "0.2"), ("squareplus", "2")):
    _add(f"{fn}-alpha", f"lambda x: nn.{fn}(x, {alpha})", F)
    _add(f"{fn}-alpha-traced", f"lambda x, a: nn.{fn}(x, a)", F[:-1] + " np.float32(0.5))")
    _add(
        f"{fn}-alpha-grad",
        f"jax.grad(lambda x, a: nn.{fn}(x, a).sum(), 1)",
        F[:-1] + " np.float32(0.5))",
        JAXPR,
    )

for fn in ("softmax", "log_softmax"):
    _add(f"{fn}-where", f"lambda x, w: nn.{fn}(x, where=w)", FW)
    _transformed(f"{fn}-where", f"lambda x, w: nn.{fn}(x, where=w)", FW)
    for axis in ("0", "-2", "(0, 1)", "None", "()", "7", "[0]"):
        _add(f"{fn}-axis-{axis}", f"lambda x: nn.{fn}(x, axis={axis})", F)
    _add(f"{fn}-scalar", f"lambda x: nn.{fn}(x)", "(np.float32(1),)", JAXPR)
    _add(f"{fn}-empty", f"lambda x: nn.{fn}(x)", "(np.zeros((0,), np.float32),)")

for fn in ("logsumexp", "logmeanexp"):
    for axis in ("0", "-1", "(0, 1)", "()", "5", "(0, 0)"):
        _add(f"{fn}-axis-{axis}", f"lambda x: nn.{fn}(x, axis={axis})", F)
        _add(f"{fn}-keepdims-{axis}", f"lambda x: nn.{fn}(x, axis={axis}, keepdims=True)", F, JAXPR)
    _add(f"{fn}-where", f"lambda x, w: nn.{fn}(x, axis=0, where=w)", FW)
    _add(f"{fn}-where-keepdims", f"lambda x, w: nn.{fn}(x, axis=1, keepdims=True, where=w)", FW)
    _add(f"{fn}-empty", f"lambda x: nn.{fn}(x)", "(np.zeros((0,), np.float32),)")
_add("logsumexp-b", "lambda x, b: nn.logsumexp(x, b=b)", FF)
_add("logsumexp-b-axis", "lambda x, b: nn.logsumexp(x, axis=1, b=b)", FF)
_add("logsumexp-b-row", "lambda x: nn.logsumexp(x, axis=1, b=np.ones(4, np.float32))", F)
_add("logsumexp-b-scalar", "lambda x: nn.logsumexp(x, b=2)", F)
_add("logsumexp-b-int", "lambda x: nn.logsumexp(x, b=np.arange(12).reshape(3, 4))", F, ("value",))
_add("logsumexp-b-shape", "lambda x: nn.logsumexp(x, b=np.ones(3, np.float32))", F, JAXPR)
_add("logsumexp-sign", "lambda x: nn.logsumexp(x, return_sign=True)", F)
_add("logsumexp-b-sign", "lambda x, b: nn.logsumexp(x, axis=0, b=b, return_sign=True, keepdims=True)", FF)
_add("logsumexp-b-grad", "jax.grad(lambda x, b: nn.logsumexp(x, b=b), (0, 1))", FF)
_add("logsumexp-b-complex", "lambda x: nn.logsumexp(x, axis=0, b=x)", BY_TYPE["c64"])
_add("logsumexp-sign-complex", "lambda x: nn.logsumexp(x, axis=0, return_sign=True)", BY_TYPE["c64"])
_add("logsumexp-where-b", "lambda x, w: nn.logsumexp(x, axis=0, where=w, b=x)", FW)
_add("logsumexp-infinite", "lambda x: nn.logsumexp(x)", "(np.array([np.inf, 1], np.float32),)")
_add("logsumexp-minus-infinite", "lambda x: nn.logsumexp(x)", "(np.array([-np.inf, -np.inf], np.float32),)")

_add("standardize-mean", "lambda x: nn.standardize(x, mean=np.ones((3, 1), np.float32))", F)
_add("standardize-variance", "lambda x: nn.standardize(x, variance=np.ones((3, 1), np.float32))", F)
_add("standardize-both", "lambda x, m: nn.standardize(x, mean=m, variance=m, epsilon=1e-3)", FF)
_add("standardize-where", "lambda x, w: nn.standardize(x, where=w)", FW)
_add("standardize-axes", "lambda x: nn.standardize(x, axis=(0, 1))", F)
_add("standardize-all", "lambda x: nn.standardize(x, axis=None)", F)
_add("standardize-stable", "lambda x: nn.standardize(x, algorithm='stable')", F)
_add("standardize-unknown", "lambda x: nn.standardize(x, algorithm='accurate')", F, JAXPR)

_add("glu-odd", "lambda x: nn.glu(x, 0)", F, JAXPR)
_add("glu-axis", "lambda x: nn.glu(x, 5)", F, JAXPR)
_add("glu-tuple", "lambda x: nn.glu(x, (0,))", F, JAXPR)

_add("one_hot", "lambda i: nn.one_hot(i, 5)", I)
_add("one_hot-vmap", "jax.vmap(lambda i: nn.one_hot(i, 5))", I)
_add("one_hot-grad", "jax.grad(lambda x: nn.one_hot(x, 5).sum())", "(1.0,)", JAXPR)
_add("one_hot-outside", "lambda i: nn.one_hot(i, 3)", "(np.array([0, 7, -1]),)", ("value",))
for axis in ("0", "1", "-1", "4", "'x'", "1.0"):
    _add(f"one_hot-axis-{axis}", f"lambda i: nn.one_hot(i, 5, axis={axis})", I)
for dtype in ("np.int32", "bool", "jnp.bfloat16", "float", "'complex64'"):
    _add(f"one_hot-{dtype}", f"lambda i: nn.one_hot(i, 5, dtype={dtype})", I)
for kind, args in {**BY_TYPE, "f32": F}.items():
    if kind == "bool":  # the error lists a set, in any order
        continue
    _add(f"one_hot-of-{kind}", "lambda i: nn.one_hot(i, 5)", args)
for size in ("np.int64(3)", "True", "None", "5.0", "'a'", "-1", "0"):
    _add(f"one_hot-size-{size}", f"lambda i: nn.one_hot(i, {size})", I, JAXPR)
_add("one_hot-size-traced", "lambda i: nn.one_hot(i, i[0])", I, JAXPR)
_add("one_hot-of-list", "lambda i: nn.one_hot([2, 3], 5)", I)
_add("one_hot-of-none", "lambda i: nn.one_hot(None, 5)", I, JAXPR)
_add("one_hot-of-number", "lambda i: nn.one_hot(2, 5)", I)
