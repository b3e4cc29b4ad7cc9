"""Exponentials, logarithms, roots, and the logistic function."""

from __future__ import annotations

from typing import Any

import numpy as np

from jaxnb.engine.core import dtypes
from jaxnb.engine.core.rules import composite, per_operand, per_operand_out
from jaxnb.engine.ops.accuracy import accuracy_attribute
from jaxnb.engine.ops.arithmetic import add, div, integer_pow, mul, neg, sub
from jaxnb.engine.ops.elementwise import FLOAT, INEXACT, const, filled_value, unary
from jaxnb.engine.ops.lowering import LoweringContext
from jaxnb.xla.mlir import hlo, ir
from jaxnb.xla.version import JAXLIB_VERSION

_EXPM1_BY_EXP = JAXLIB_VERSION >= (0, 12)


def _exp2_lower(ctx: LoweringContext, x: ir.Value, *, accuracy: Any) -> ir.Value:
    """``exp(log 2 · x)``."""
    (aval,) = ctx.avals_in
    scaled = hlo.multiply(filled_value(np.log(2), aval), x)
    if accuracy is None:
        return hlo.exponential(scaled)
    return hlo.exponential(scaled, result_accuracy=accuracy_attribute(accuracy))


def _expm1_tangent(t: Any, ans: Any, x: Any, accuracy: Any) -> Any:
    """``t · exp(x)``."""
    by_exp = _EXPM1_BY_EXP or accuracy is not None
    return mul(t, exp(x, accuracy=accuracy) if by_exp else add(ans, const(ans, 1)))


exp_p = unary(
    "exp",
    INEXACT,
    lower="exponential",
    jvp=per_operand_out(lambda t, ans, x, accuracy: mul(t, ans)),
    accuracy=True,
)
exp2_p = unary(
    "exp2",
    INEXACT,
    lower=_exp2_lower,
    jvp=per_operand_out(lambda t, ans, x, accuracy: mul(log(const(x, 2)), mul(t, ans))),
    accuracy=True,
)
expm1_p = unary(
    "expm1", INEXACT, lower="exponential_minus_one", jvp=per_operand_out(_expm1_tangent), accuracy=True
)
log_p = unary("log", INEXACT, lower="log", jvp=per_operand(lambda t, x, accuracy: div(t, x)), accuracy=True)


def _log2_lower(ctx: LoweringContext, x: ir.Value, *, accuracy: Any) -> ir.Value:
    """``log(x) · log2(e)``, on each part of a complex number."""
    (aval,) = ctx.avals_in
    attribute = None if accuracy is None else accuracy_attribute(accuracy)
    natural = hlo.log(x, result_accuracy=attribute)
    if not dtypes.issubdtype(aval.dtype, np.complexfloating):
        # the factor is one over the logarithm as this type holds it
        factor = np.ones((), aval.dtype) / np.asarray(np.log(2), aval.dtype)
        return hlo.multiply(natural, filled_value(factor, aval))
    part = aval.update(dtype=np.finfo(aval.dtype).dtype)
    re, im = hlo.real(natural), hlo.imag(natural)
    factor = filled_value(1 / np.log(2), part)
    return hlo.complex(hlo.multiply(re, factor), hlo.multiply(im, factor))


log2_p = unary(
    "log2",
    INEXACT,
    lower=_log2_lower,
    jvp=per_operand(lambda t, x, accuracy: div(t, mul(x, log(const(x, 2))))),
    accuracy=True,
)
log1p_p = unary(
    "log1p",
    INEXACT,
    lower="log_plus_one",
    jvp=per_operand(lambda t, x, accuracy: div(t, add(x, const(x, 1)))),
    accuracy=True,
)
sqrt_p = unary(
    "sqrt",
    INEXACT,
    lower="sqrt",
    jvp=per_operand_out(lambda t, ans, x, accuracy: mul(t, div(const(x, 0.5), ans))),
    accuracy=True,
)
rsqrt_p = unary(
    "rsqrt",
    INEXACT,
    lower="rsqrt",
    jvp=per_operand_out(lambda t, ans, x, accuracy: mul(t, mul(const(x, -0.5), div(ans, x)))),
    accuracy=True,
)
cbrt_p = unary(
    "cbrt",
    FLOAT,
    lower="cbrt",
    jvp=per_operand_out(lambda t, ans, x, accuracy: mul(t, mul(const(x, 1 / 3), integer_pow(ans, -2)))),
    accuracy=True,
)
logistic_p = unary(
    "logistic",
    INEXACT,
    lower=composite(lambda x, accuracy: div(const(x, 1), add(const(x, 1), exp(neg(x))))),
    jvp=per_operand_out(lambda t, ans, x, accuracy: mul(t, mul(ans, sub(const(ans, 1), ans)))),
    accuracy=True,
)


def exp(x, *, accuracy=None):
    """``e^x``."""
    return exp_p.bind(x, accuracy=accuracy)


def exp2(x, *, accuracy=None):
    """``2^x``."""
    return exp2_p.bind(x, accuracy=accuracy)


def expm1(x, *, accuracy=None):
    """``e^x - 1``, exact near zero."""
    return expm1_p.bind(x, accuracy=accuracy)


def log(x, *, accuracy=None):
    """The natural logarithm."""
    return log_p.bind(x, accuracy=accuracy)


def log2(x, *, accuracy=None):
    """The logarithm to base 2."""
    return log2_p.bind(x, accuracy=accuracy)


def log1p(x, *, accuracy=None):
    """``log(1 + x)``, exact near zero."""
    return log1p_p.bind(x, accuracy=accuracy)


def sqrt(x, *, accuracy=None):
    """The square root."""
    return sqrt_p.bind(x, accuracy=accuracy)


def rsqrt(x, *, accuracy=None):
    """``1 / sqrt(x)``."""
    return rsqrt_p.bind(x, accuracy=accuracy)


def cbrt(x, *, accuracy=None):
    """The cube root."""
    return cbrt_p.bind(x, accuracy=accuracy)


def logistic(x, *, accuracy=None):
    """``1 / (1 + e^-x)``."""
    return logistic_p.bind(x, accuracy=accuracy)
