"""Circular and hyperbolic functions and their inverses."""

from __future__ import annotations

from typing import Any

import numpy as np

from jaxnb.engine.core import dtypes
from jaxnb.engine.core.avals import get_aval
from jaxnb.engine.core.rules import composite, per_operand, per_operand_out
from jaxnb.engine.ops.arithmetic import add, div, mul, neg, one_minus_square, reciprocal, square, sub
from jaxnb.engine.ops.comparison import eq
from jaxnb.engine.ops.complex_numbers import complex, imag, real
from jaxnb.engine.ops.elementwise import INEXACT, by_dtype, const, filled_like, lower_to, nary, unary
from jaxnb.engine.ops.exponential import expm1, rsqrt, sqrt
from jaxnb.engine.ops.identity import stop_gradient
from jaxnb.engine.ops.magnitude import abs, max
from jaxnb.engine.ops.selection import clamp, select
from jaxnb.xla.version import JAXLIB_VERSION

_V12 = JAXLIB_VERSION >= (0, 12)


def _chlo(name: str) -> Any:
    return lower_to(name, dialect="chlo")


def _one_minus(x: Any) -> Any:
    """``1 - x²``."""
    return one_minus_square(x) if _V12 else sub(const(x, 1), square(x))


# circular


def _sinh_cosh(y: Any) -> tuple[Any, Any]:
    """The hyperbolic sine and cosine from ``e^y - 1`` and ``e^-y - 1``."""
    grow, shrink = expm1(y), expm1(neg(y))
    half_difference = div(sub(grow, shrink), const(y, 2))
    half_sum = div(add(add(grow, shrink), const(y, 2)), const(y, 2))
    return half_difference, half_sum


def _complex_sin(x: Any, accuracy: Any) -> Any:
    """``sin a · cosh b + i · cos a · sinh b``, exactly imaginary where ``a`` is zero."""
    a, b = real(x), imag(x)
    on_axis = eq(a, const(a, 0))
    sin_a, cos_a = sin(a), cos(a)
    sinh_b, cosh_b = _sinh_cosh(b)
    re, im = mul(sin_a, cosh_b), mul(cos_a, sinh_b)
    return select(on_axis, complex(const(a, 0), im), complex(re, im))


def _complex_cos(x: Any, accuracy: Any) -> Any:
    """``cos a · cosh b - i · sin a · sinh b``, exactly real where ``a`` is zero."""
    a, b = real(x), imag(x)
    on_axis = eq(a, const(a, 0))
    sin_a, cos_a = sin(a), cos(a)
    sinh_b, cosh_b = _sinh_cosh(b)
    re, im = mul(cos_a, cosh_b), mul(neg(sin_a), sinh_b)
    return select(on_axis, complex(re, const(a, 0)), complex(re, im))


sin_p = unary(
    "sin",
    INEXACT,
    lower=by_dtype(np.complexfloating, composite(_complex_sin), lower_to("sine", accuracy=True)),
    jvp=per_operand(lambda t, x, accuracy: mul(t, cos(x, accuracy=accuracy))),
    accuracy=True,
)
cos_p = unary(
    "cos",
    INEXACT,
    lower=by_dtype(np.complexfloating, composite(_complex_cos), lower_to("cosine", accuracy=True)),
    jvp=per_operand(lambda t, x, accuracy: neg(mul(t, sin(x, accuracy=accuracy)))),
    accuracy=True,
)
tan_p = unary(
    "tan",
    INEXACT,
    lower="tan",
    jvp=per_operand_out(lambda t, ans, x, accuracy: mul(t, add(const(x, 1), square(ans)))),
    accuracy=True,
)


def sin(x, *, accuracy=None):
    """The sine of an angle in radians."""
    return sin_p.bind(x, accuracy=accuracy)


def cos(x, *, accuracy=None):
    """The cosine of an angle in radians."""
    return cos_p.bind(x, accuracy=accuracy)


def tan(x, *, accuracy=None):
    """The tangent of an angle in radians."""
    return tan_p.bind(x, accuracy=accuracy)


def _asin_by_atan2(x: Any) -> Any:
    return atan2(x, sqrt(mul(sub(const(x, 1), x), add(const(x, 1), x))))


asin_p = unary(
    "asin",
    INEXACT,
    lower=by_dtype(np.complexfloating, _chlo("asin"), composite(_asin_by_atan2)) if _V12 else _chlo("asin"),
    jvp=per_operand(lambda t, x: mul(t, rsqrt(_one_minus(x)))),
)
acos_p = unary(
    "acos", INEXACT, lower=_chlo("acos"), jvp=per_operand(lambda t, x: mul(t, neg(rsqrt(_one_minus(x)))))
)
atan_p = unary(
    "atan", INEXACT, lower=_chlo("atan"), jvp=per_operand(lambda t, x: div(t, add(const(x, 1), square(x))))
)
atan2_p = nary(
    "atan2",
    (INEXACT, INEXACT),
    lower="atan2",
    jvp=per_operand(
        lambda t, x, y: mul(t, div(y, add(square(x), square(y)))),
        lambda t, x, y: mul(t, div(neg(x), add(square(x), square(y)))),
    ),
)


def asin(x):
    """The angle whose sine is ``x``."""
    return asin_p.bind(x)


def acos(x):
    """The angle whose cosine is ``x``."""
    return acos_p.bind(x)


def atan(x):
    """The angle whose tangent is ``x``."""
    return atan_p.bind(x)


def atan2(x, y):
    """The angle of the point ``(y, x)``: the arc tangent of ``x / y`` in the right quadrant."""
    return atan2_p.bind(x, y)


# hyperbolic


def _tanh_tangent(t: Any, ans: Any, x: Any, accuracy: Any) -> Any:
    """``t · (1 - ans²)``."""
    if _V12:
        return mul(t, one_minus_square(ans))
    return mul(add(t, mul(t, ans)), sub(const(x, 1), ans))


def _scale_for_hypot(size: Any) -> Any:
    """The reciprocal of a number near ``size``, held constant, between the bounds where squares are safe."""
    low, high = _hypot_bounds[np.dtype(get_aval(size).dtype)]
    scale = clamp(const(size, 1), mul(size, const(size, low)), const(size, high))
    return reciprocal(stop_gradient(scale))


_hypot_bounds: dict[Any, tuple[float, float]] = {
    np.dtype("float16"): (2.0**-6, 2.0**10),
    np.dtype(dtypes.bfloat16): (2.0**-62, 2.0**66),
    np.dtype("float32"): (2.0**-62, 2.0**66),
    np.dtype("float64"): (2.0**-510, 2.0**514),
}


def _asinh_slope(x: Any) -> Any:
    """``1 / sqrt(1 + x²)``."""
    if not _V12:
        return rsqrt(add(square(x), const(x, 1)))
    if not dtypes.issubdtype(get_aval(x).dtype, np.complexfloating):
        shrink = _scale_for_hypot(abs(x))
        small = mul(x, shrink)
        return mul(shrink, rsqrt(add(square(small), square(shrink))))
    re, im = real(x), imag(x)
    size = max(abs(re), abs(im))
    shrink = _scale_for_hypot(size)
    small_re, small_im = mul(re, shrink), mul(im, shrink)
    square_re = square(small_re)
    total = add(square_re, one_minus_square(small_im))
    cross = mul(const(small_re, 2), mul(small_re, small_im))
    root = rsqrt(complex(total, cross))
    is_infinite = eq(size, const(size, np.inf))
    zero = filled_like(x, 0)
    slope = complex(mul(real(root), shrink), mul(imag(root), shrink))
    return select(is_infinite, zero, slope)


def _acosh_tangent(t: Any, x: Any) -> Any:
    """``t / sqrt(x² - 1)``."""
    if _V12:
        return mul(t, mul(rsqrt(sub(x, const(x, 1))), rsqrt(add(x, const(x, 1)))))
    return mul(t, rsqrt(sub(square(x), const(x, 1))))


def _atanh_tangent(t: Any, x: Any) -> Any:
    """``t / (1 - x²)``."""
    if _V12:
        return div(t, one_minus_square(x))
    return mul(reciprocal(add(const(x, 1), x)), div(t, sub(const(x, 1), x)))


sinh_p = unary("sinh", INEXACT, lower=_chlo("sinh"), jvp=per_operand(lambda t, x: mul(t, cosh(x))))
cosh_p = unary("cosh", INEXACT, lower=_chlo("cosh"), jvp=per_operand(lambda t, x: mul(t, sinh(x))))
tanh_p = unary("tanh", INEXACT, lower="tanh", jvp=per_operand_out(_tanh_tangent), accuracy=True)
asinh_p = unary("asinh", INEXACT, lower=_chlo("asinh"), jvp=per_operand(lambda t, x: mul(t, _asinh_slope(x))))
acosh_p = unary("acosh", INEXACT, lower=_chlo("acosh"), jvp=per_operand(_acosh_tangent))
atanh_p = unary("atanh", INEXACT, lower=_chlo("atanh"), jvp=per_operand(_atanh_tangent))


def sinh(x):
    """The hyperbolic sine."""
    return sinh_p.bind(x)


def cosh(x):
    """The hyperbolic cosine."""
    return cosh_p.bind(x)


def tanh(x, *, accuracy=None):
    """The hyperbolic tangent."""
    return tanh_p.bind(x, accuracy=accuracy)


def asinh(x):
    """The inverse of the hyperbolic sine."""
    return asinh_p.bind(x)


def acosh(x):
    """The inverse of the hyperbolic cosine."""
    return acosh_p.bind(x)


def atanh(x):
    """The inverse of the hyperbolic tangent."""
    return atanh_p.bind(x)
