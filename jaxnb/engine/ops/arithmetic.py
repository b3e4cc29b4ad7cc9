"""Sums, products, quotients, and integer powers.

Ordering, rounding and absolute value live in ``magnitude.py``; transcendental functions in ``exponential.py`` and
``trigonometric.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jaxnb.engine.core import dtypes
from jaxnb.engine.core.ad import Zero, is_undefined_primal
from jaxnb.engine.core.avals import ShapedArray
from jaxnb.engine.core.rules import add_tangents_port, composite, define, linear_jvp, per_operand
from jaxnb.engine.ops.elementwise import (
    INT,
    NUMBER,
    broadcast_axis,
    check_dtype,
    const,
    filled_value,
    lower_to,
    nary,
    nary_abstract,
    nary_batch,
    not_linear,
    stretch,
    stretch_values,
    unary,
    unary_batch,
    unstretch,
)
from jaxnb.engine.ops.locations import steps
from jaxnb.engine.ops.lowering import LoweringContext, constant, dense_ints, full_like, ir_type
from jaxnb.engine.ops.shape import moveaxis
from jaxnb.xla.mlir import chlo, hlo, ir

# negation, sum, difference


def _neg_transpose(ct: Any, x: Any) -> list[Any]:
    """``-ct``."""
    return [None if type(ct) is Zero else neg(ct)]


neg_p = unary("neg", NUMBER, lower="negate", jvp=linear_jvp, transpose=_neg_transpose)


def neg(x):
    """``-x``."""
    return neg_p.bind(x)


def _sum_jvp(operation: Callable[..., Any], second: Callable[[Any], Any]) -> Callable[..., Any]:
    """``operation(t, u)``; a lone tangent is stretched to the result's shape."""

    def jvp(primals: Any, tangents: Any) -> Any:
        out = operation(*primals)
        t, u = tangents
        if type(t) is Zero and type(u) is Zero:
            return out, Zero.from_primal_value(out)
        if type(u) is Zero:
            return out, stretch(t, np.shape(out))
        if type(t) is Zero:
            return out, stretch(second(u), np.shape(out))
        return out, operation(t, u)

    return jvp


def _sum_transpose(second: Callable[[Any], Any]) -> Callable[..., Any]:
    def transpose(ct: Any, x: Any, y: Any) -> list[Any]:
        """The cotangent for each linear operand, summed over what was stretched."""
        if type(ct) is Zero:
            return [None, None]
        return [
            unstretch(x.aval, ct) if is_undefined_primal(x) else None,
            unstretch(y.aval, second(ct)) if is_undefined_primal(y) else None,
        ]

    return transpose


def add(x, y):
    """``x + y``."""
    return add_p.bind(x, y)


def sub(x, y):
    """``x - y``."""
    return sub_p.bind(x, y)


add_p = nary(
    "add",
    (NUMBER, NUMBER),
    lower="add",
    jvp=_sum_jvp(add, lambda u: u),
    transpose=_sum_transpose(lambda ct: ct),
)
sub_p = nary("sub", (NUMBER, NUMBER), lower="subtract", jvp=_sum_jvp(sub, neg), transpose=_sum_transpose(neg))


# the sum of tangents


def _add_any_abstract(x: Any, y: Any) -> Any:
    assert x.shape == y.shape, (x, y)
    return x


def _add_any_batch(args: Sequence[Any], dims: Sequence[int | None]) -> tuple[Any, int]:
    """The second operand's batch axis comes where the first one's is; an operand without one is repeated."""
    (x, y), (d, e) = args, dims
    if d is None:
        assert e is not None
        return add_jaxvals(broadcast_axis(x, np.shape(y)[e], e), y), e
    y = broadcast_axis(y, np.shape(x)[d], d) if e is None else moveaxis(y, e, d)
    return add_jaxvals(x, y), d


add_any_p = define(
    "add_any",
    abstract=_add_any_abstract,
    lower=lower_to("add"),
    jvp=linear_jvp,
    transpose=lambda ct, x, y: [
        ct if is_undefined_primal(x) else None,
        ct if is_undefined_primal(y) else None,
    ],
    batch=_add_any_batch,
    doc="the sum of two tangents or cotangents of one value",
)


def add_jaxvals(x, y):
    """The sum of two tangents or cotangents."""
    return add_any_p.bind(x, y)


add_tangents_port.add = add_jaxvals


# product


def _mul_abstract(x: ShapedArray, y: ShapedArray, *, out_dtype: Any = None) -> ShapedArray:
    out = _mul_typing(x, y)
    return out if out_dtype is None else out.update(dtype=np.dtype(out_dtype))


_mul_typing = nary_abstract("mul", (NUMBER, NUMBER))


def _mul_lower(ctx: LoweringContext, *values: ir.Value, out_dtype: Any = None) -> ir.Value:
    values = tuple(stretch_values(ctx, values))
    if out_dtype is not None:
        values = tuple(hlo.convert(ir_type(ctx.avals_out[0]), v) for v in values)
    return hlo.multiply(*values)


def _mul_transpose(ct: Any, x: Any, y: Any, *, out_dtype: Any = None) -> list[Any]:
    """``ct · y`` or ``x · ct``."""
    assert is_undefined_primal(x) ^ is_undefined_primal(y), (x, y)
    if type(ct) is Zero:
        return [None, None]
    if is_undefined_primal(x):
        return [unstretch(x.aval, mul(ct, y)), None]
    return [None, unstretch(y.aval, mul(x, ct))]


mul_p = define(
    "mul",
    abstract=_mul_abstract,
    lower=_mul_lower,
    jvp=per_operand(
        lambda t, x, y, out_dtype: mul(t, y, out_dtype=out_dtype),
        lambda t, x, y, out_dtype: mul(x, t, out_dtype=out_dtype),
    ),
    transpose=_mul_transpose,
    batch=nary_batch(lambda: mul_p),
    hide={"out_dtype": None},
)


def mul(x, y, *, out_dtype=None):
    """``x · y``, computed in ``out_dtype`` where given."""
    return mul_p.bind(x, y, out_dtype=out_dtype)


def _mulhi_lower(ctx: LoweringContext, *values: ir.Value) -> ir.Value:
    return chlo.mulhi(*stretch_values(ctx, values))


mulhi_p = nary("mulhi", (INT, INT), lower=_mulhi_lower, jvp=per_operand(None, None))


def mulhi(x, y, /):
    """The upper half of the bits of ``x · y``."""
    return mulhi_p.bind(x, y)


# powers


def _integer_pow_abstract(x: ShapedArray, *, y: int) -> ShapedArray:
    check_dtype("integer_pow", x, NUMBER)
    if y < 0 and dtypes.issubdtype(x.dtype, np.integer):
        raise TypeError(f"Integers cannot be raised to negative powers, got integer_pow({x}, {y})")
    return x


def _integer_pow_lower(ctx: LoweringContext, x: ir.Value, *, y: int) -> ir.Value:
    """Repeated squaring; the cube and the fourth power take their shortest form."""
    (out,) = ctx.avals_out
    if y == -1:
        return hlo.divide(filled_value(1, out), x)
    at = steps(ctx)

    def one() -> ir.Value:
        scalar = constant(1, ShapedArray((), out.dtype))
        with at("broadcast_in_dim"):
            return hlo.broadcast_in_dim(ir_type(out), scalar, dense_ints(())) if out.shape else scalar

    if y == 0:
        return one()
    if y == 2:
        return hlo.multiply(x, x)
    if y == 3:
        return hlo.multiply(hlo.multiply(x, x), x)
    power: ir.Value | None = None
    square, n = x, abs(y)
    with at("mul"):
        while n:
            if n & 1:
                power = square if power is None else hlo.multiply(power, square)
            n >>= 1
            if n:
                square = hlo.multiply(square, square)
    assert power is not None
    if y > 0:
        return power
    numerator = one()
    with at("div"):
        return hlo.divide(numerator, power)


def _integer_pow_tangent(t: Any, x: Any, *, y: int) -> Any:
    """``t · y · x^(y-1)``."""
    if y == 0:
        return Zero.from_primal_value(x)
    if y == 1:
        return t
    return mul(t, mul(const(x, y), x if y == 2 else integer_pow(x, y - 1)))


integer_pow_p = define(
    "integer_pow",
    abstract=_integer_pow_abstract,
    lower=_integer_pow_lower,
    jvp=per_operand(_integer_pow_tangent),
    transpose=not_linear,
    batch=unary_batch(lambda: integer_pow_p),
)


def integer_pow(x, y):
    """``x`` to a power that is a Python integer."""
    return integer_pow_p.bind(x, y=y)


def reciprocal(x):
    """``1 / x``."""
    return integer_pow(x, -1)


def _square_lower(ctx: LoweringContext, x: ir.Value) -> ir.Value:
    if dtypes.issubdtype(ctx.avals_in[0].dtype, np.integer):
        return hlo.multiply(x, x)
    return chlo.square(x)


square_p = unary(
    "square", NUMBER, lower=_square_lower, jvp=per_operand(lambda t, x: mul(t, mul(const(x, 2), x)))
)


def square(x):
    """``x · x``."""
    return square_p.bind(x)


# quotient


def _div_transpose(ct: Any, x: Any, y: Any) -> list[Any]:
    """``ct / y``."""
    assert is_undefined_primal(x), x
    assert not is_undefined_primal(y), y
    return [None if type(ct) is Zero else unstretch(x.aval, div(ct, y)), None]


div_p = nary(
    "div",
    (NUMBER, NUMBER),
    lower="divide",
    jvp=per_operand(
        lambda t, x, y: div(t, y),
        lambda t, x, y: mul(mul(neg(t), x), integer_pow(y, -2)),
    ),
    transpose=_div_transpose,
)


def div(x, y):
    """``x / y``; towards zero for integers."""
    return div_p.bind(x, y)


# 1 - x², exact near ±1

one_minus_square_p = unary(
    "one_minus_square",
    NUMBER,
    lower=composite(lambda x: mul(add(const(x, 1), x), sub(const(x, 1), x))),
    jvp=per_operand(lambda t, x: mul(t, mul(const(x, -2), x))),
)


def one_minus_square(x):
    """``1 - x²`` without cancellation near one."""
    return one_minus_square_p.bind(x)
