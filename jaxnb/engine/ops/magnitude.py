"""Size and order of numbers: absolute value, sign, rounding, extremes, remainders, real powers."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

import numpy as np

from jaxnb.engine.core import dtypes
from jaxnb.engine.core.ad import Zero
from jaxnb.engine.core.avals import ShapedArray, get_aval
from jaxnb.engine.core.rules import Undefined, composite, define, per_operand, per_operand_out
from jaxnb.engine.ops.arithmetic import add, div, mul, neg, square, sub
from jaxnb.engine.ops.bitwise import bitwise_or
from jaxnb.engine.ops.comparison import compare_values, eq, ge, gt, le
from jaxnb.engine.ops.complex_numbers import complex, conj, imag, part_dtype, real
from jaxnb.engine.ops.conversion import convert, convert_value
from jaxnb.engine.ops.elementwise import (
    ANY,
    FLOAT,
    INEXACT,
    NUMBER,
    REAL,
    SIGNED,
    broadcast_shape,
    by_dtype,
    check_dtype,
    const,
    filled_like,
    filled_value,
    lower_to,
    nary,
    nary_batch,
    not_linear,
    stretch,
    stretch_values,
    unary,
)
from jaxnb.engine.ops.exponential import log, sqrt
from jaxnb.engine.ops.lowering import LoweringContext
from jaxnb.engine.ops.selection import select
from jaxnb.engine.ops.shape import broadcast_in_dim
from jaxnb.xla.mlir import chlo, hlo, ir
from jaxnb.xla.version import JAXLIB_VERSION

_V12 = JAXLIB_VERSION >= (0, 12)

# absolute value and sign


def replace_zero(x: Any) -> Any:
    """``x``, with one in place of zero."""
    return select(eq(x, const(x, 0)), filled_like(x, 1), x)


def _abs_tangent(t: Any, ans: Any, x: Any) -> Any:
    """``t`` with the sign of ``x``; ``re(t · conj x / |x|)`` for complex numbers."""
    if dtypes.issubdtype(get_aval(x).dtype, np.complexfloating):
        toward = conj(x)
        size = replace_zero(convert(ans, get_aval(x).dtype, False))
        return real(mul(t, div(toward, size)))
    return select(ge(x, const(x, 0)), t, neg(t))


def _abs_result(dtype: Any) -> Any:
    return part_dtype(dtype) if dtypes.issubdtype(dtype, np.complexfloating) else dtype


_scales = {
    np.dtype("float32"): (2.0**63, 2.0**-12, 2.0**-75, 2.0**75),
    np.dtype("float64"): (2.0**511, 2.0**-26, 2.0**-537, 2.0**537),
}
"""From which size on squares overflow or vanish, and what to multiply by then."""


def length_and_direction(x: Any, y: Any) -> tuple[Any, Any, Any]:
    """``r = sqrt(x² + y²)``, scaled so that no square overflows or vanishes, and ``x / r``, ``y / r``."""
    size_x, size_y = abs(x), abs(y)
    size = max(size_x, size_y)
    huge, tiny, shrink, grow = _scales[np.dtype(get_aval(x).dtype)]
    is_huge, is_tiny = ge(size, const(size, huge)), le(size, const(size, tiny))
    down, up, one = (filled_like(size, v) for v in (shrink, grow, 1))

    def rescaled(part: Any) -> Any:
        smaller, larger = mul(part, down), mul(part, up)
        return select(is_huge, smaller, select(is_tiny, larger, part))

    x, y = rescaled(x), rescaled(y)
    back = select(is_huge, up, select(is_tiny, down, one))
    length = sqrt(add(square(x), square(y)))
    result = mul(length, back)
    infinity = filled_like(size, np.inf)
    is_infinite = bitwise_or(eq(size_x, infinity), eq(size_y, infinity))
    return select(is_infinite, infinity, result), div(x, length), div(y, length)


def _scaled_abs(x: Any) -> Any:
    return length_and_direction(real(x), imag(x))[0]


abs_p = unary(
    "abs",
    SIGNED,
    lower=by_dtype(np.complexfloating, composite(_scaled_abs), lower_to("abs")) if _V12 else "abs",
    jvp=per_operand_out(_abs_tangent),
    result=_abs_result,
)


def abs(x):
    """``|x|``."""
    return abs_p.bind(x)


def _sign_lower(ctx: LoweringContext, x: ir.Value) -> ir.Value:
    (aval,) = ctx.avals_out
    if not dtypes.issubdtype(aval.dtype, np.unsignedinteger):
        return hlo.sign(x)
    is_zero = compare_values("EQ", "UNSIGNED", x, filled_value(0, aval))
    return hlo.select(is_zero, filled_value(0, aval), filled_value(1, aval))


def _sign_tangent(t: Any, ans: Any, x: Any) -> Any:
    """Zero for real numbers; for complex ones along the unit circle, ``s·i·im(conj(s)·t) / |x|``."""
    if not (_V12 and dtypes.issubdtype(get_aval(x).dtype, np.complexfloating)):
        return Zero.from_primal_value(x)
    turn = imag(mul(conj(ans), t))
    angle = div(turn, replace_zero(abs(x)))
    return mul(ans, complex(filled_like(angle, 0), angle))


sign_p = unary("sign", NUMBER, lower=_sign_lower, jvp=per_operand_out(_sign_tangent))


def sign(x):
    """-1, 0 or 1; ``x / |x|`` for complex numbers."""
    return sign_p.bind(x)


# rounding


class RoundingMethod(enum.IntEnum):
    """Where `round` takes numbers halfway between two integers."""

    AWAY_FROM_ZERO = 0
    TO_NEAREST_EVEN = 1


def _round_lower(ctx: LoweringContext, x: ir.Value, *, rounding_method: RoundingMethod) -> ir.Value:
    if rounding_method is RoundingMethod.AWAY_FROM_ZERO:
        return hlo.round_nearest_afz(x)
    return hlo.round_nearest_even(x)


floor_p = unary("floor", FLOAT, lower="floor", jvp=per_operand(None))
ceil_p = unary("ceil", FLOAT, lower="ceil", jvp=per_operand(None))
round_p = unary("round", FLOAT, lower=_round_lower, jvp=per_operand(None))
is_finite_p = unary(
    "is_finite", FLOAT, lower="is_finite", jvp=per_operand(None), result=lambda _: np.dtype(bool)
)


def floor(x):
    """The greatest integer not above ``x``."""
    return floor_p.bind(x)


def ceil(x):
    """The least integer not below ``x``."""
    return ceil_p.bind(x)


def round(x, rounding_method=RoundingMethod.AWAY_FROM_ZERO):
    """The nearest integer."""
    return round_p.bind(x, rounding_method=RoundingMethod(rounding_method))


def is_finite(x):
    """True where ``x`` is neither infinite nor NaN."""
    return is_finite_p.bind(x)


# extremes


def _share(t: Any, ans: Any, x: Any, y: Any, *, greater: bool) -> Any:
    """``t`` where ``x`` alone is the result, half of it where ``y`` is as well."""
    shape = np.shape(ans)

    def full(value: float) -> Any:
        return filled_like(ans, value, shape)

    if _V12:
        a, b = (x, y) if greater else (y, x)
        alone, tie = gt(a, b), eq(a, b)
        one, zero, half = full(1), full(0), full(0.5)
        return mul(t, select(alone, one, select(tie, half, zero)))
    chosen = select(eq(x, ans), full(1), full(0))
    count = select(eq(y, ans), full(2), full(1))
    return mul(t, div(chosen, count))


def _extreme_jvp(greater: bool) -> Callable[..., Any]:
    return per_operand_out(
        lambda t, ans, x, y: _share(t, ans, x, y, greater=greater),
        lambda t, ans, x, y: _share(t, ans, y, x, greater=greater),
    )


def _extreme_lower(op: str, direction: str) -> Callable[..., Any]:
    plain = lower_to(op)

    def lower(ctx: LoweringContext, *values: ir.Value) -> ir.Value:
        if not dtypes.issubdtype(ctx.avals_in[0].dtype, np.complexfloating):
            return plain(ctx, *values)
        x, y = stretch_values(ctx, values)
        rx, ry = hlo.real(x), hlo.real(y)
        tie = compare_values("EQ", "FLOAT", rx, ry)
        by_real = compare_values(direction, "FLOAT", rx, ry)
        ix, iy = hlo.imag(x), hlo.imag(y)
        by_imag = compare_values(direction, "FLOAT", ix, iy)
        return hlo.select(hlo.select(tie, by_imag, by_real), x, y)

    return lower


max_p = nary("max", (ANY, ANY), lower=_extreme_lower("maximum", "GT"), jvp=_extreme_jvp(True))
min_p = nary("min", (ANY, ANY), lower=_extreme_lower("minimum", "LT"), jvp=_extreme_jvp(False))


def max(x, y):
    """The greater; by real, then imaginary part for complex numbers."""
    return max_p.bind(x, y)


def min(x, y):
    """The smaller; by real, then imaginary part for complex numbers."""
    return min_p.bind(x, y)


# remainder


def _rem_tangent_y(t: Any, x: Any, y: Any) -> Any:
    """``-t · trunc(x / y)``."""
    minus = neg(t)
    return mul(minus, mul(sign(div(x, y)), floor(abs(div(x, y)))))


rem_p = nary(
    "rem",
    (REAL, REAL),
    lower="remainder",
    jvp=per_operand(lambda t, x, y: stretch(t, _common_shape("rem", x, y)), _rem_tangent_y),
)


def _common_shape(name: str, x: Any, y: Any) -> tuple[int, ...]:
    x, y = get_aval(x), get_aval(y)
    assert isinstance(x, ShapedArray)
    assert isinstance(y, ShapedArray)
    return broadcast_shape(name, x, y)


def rem(x, y):
    """What is left of ``x`` after division by ``y``, with the sign of ``x``."""
    return rem_p.bind(x, y)


# powers


def _pow_abstract(x: ShapedArray, y: ShapedArray) -> ShapedArray:
    shape = broadcast_shape("pow", x, y)
    check_dtype("pow", x, INEXACT, 0)
    check_dtype("pow", y, NUMBER, 1)
    if dtypes.issubdtype(y.dtype, np.inexact) and x.dtype != y.dtype:
        raise TypeError(
            "the first argument to pow must have an inexact dtype (float or complex), and the second argument "
            "must have an inexact or integer dtype, and two inexact dtypes must match, "
            f"but got {x.dtype} and {y.dtype} respectively."
        )
    return ShapedArray(shape, x.dtype, x.weak_type and y.weak_type)


def _pow_lower(ctx: LoweringContext, x: ir.Value, y: ir.Value) -> ir.Value:
    x_aval, y_aval = ctx.avals_in
    if x_aval.dtype != y_aval.dtype:
        wide = y_aval.update(dtype=x_aval.dtype)
        y = convert_value(y, y_aval, wide)
        ctx = LoweringContext(ctx.module, ctx.primitive, [x_aval, wide], ctx.avals_out)
    return hlo.power(*stretch_values(ctx, (x, y)))


def _pow_tangent_x(t: Any, ans: Any, x: Any, y: Any) -> Any:
    """``t · y · x^(y-1)``; for integer ``y`` zero at ``y = 0``, whatever ``x`` is."""
    if dtypes.issubdtype(get_aval(y).dtype, np.inexact):
        return mul(t, mul(y, pow(x, sub(y, filled_like(y, 1)))))
    shape = np.shape(ans)
    y = convert(y, get_aval(x).dtype, False)
    x, y = (broadcast_in_dim(v, shape, ()) if np.shape(v) != shape else v for v in (x, y))
    slope = _zero_where_zero(y, lambda: mul(replace_zero(y), pow(x, sub(y, filled_like(y, 1)))))
    return mul(t, slope)


def _zero_where_zero(y: Any, otherwise: Callable[[], Any]) -> Any:
    is_zero = eq(y, const(y, 0))
    zeros = filled_like(y, 0)
    return select(is_zero, zeros, otherwise())


def _pow_tangent_y(t: Any, ans: Any, x: Any, y: Any) -> Any:
    """``t · log(x) · x^y``, with log 1 where ``x`` is zero."""
    return mul(t, mul(log(replace_zero(x)), ans))


pow_p = define(
    "pow",
    abstract=_pow_abstract,
    lower=_pow_lower,
    jvp=per_operand_out(_pow_tangent_x, _pow_tangent_y),
    transpose=not_linear,
    batch=nary_batch(lambda: pow_p),
)


def pow(x, y):
    """``x^y``."""
    return pow_p.bind(x, y)


# neighbours


def _next_after_lower(ctx: LoweringContext, *values: ir.Value) -> ir.Value:
    return chlo.next_after(*stretch_values(ctx, values))


nextafter_p = nary(
    "nextafter",
    (FLOAT, FLOAT),
    lower=_next_after_lower,
    jvp=per_operand(lambda t, x, y: stretch(t, _common_shape("nextafter", x, y)), None)
    if _V12
    else Undefined("differentiation needs no rule before jaxlib 0.12"),
)


def nextafter(x1, x2):
    """The float next to ``x1`` towards ``x2``."""
    return nextafter_p.bind(x1, x2)


__all__ = [
    "RoundingMethod", "abs", "ceil", "floor", "is_finite", "max", "min", "nextafter", "pow", "rem", "replace_zero",
    "round", "sign",
]  # fmt: skip
