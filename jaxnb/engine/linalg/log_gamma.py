"""The logarithm of the gamma function in single precision, as the program that newer JAX lowers it to.

From ½ to 4 a polynomial times the two factors that vanish at one and two; above, Stirling's series; below, Euler's
reflection, and near the roots between the poles a polynomial for each. Sums that cancel are kept in two numbers, a
large one and what it lacks. Older JAX, and double precision, leave the function to the compiler.
Source: DLMF 5.5.3 and 5.11.1; Dekker, "A floating-point technique for extending the available precision", Numer. Math.
18 (1971), for products of halves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from jaxnb.engine.control.calls import call_named
from jaxnb.engine.core.avals import get_aval
from jaxnb.engine.core.rules import composite, lowering_rules
from jaxnb.engine.linalg import log_gamma_tables as tables
from jaxnb.engine.ops.addressing import GatherDimensionNumbers
from jaxnb.engine.ops.arithmetic import add, mul, neg, reciprocal, sub
from jaxnb.engine.ops.bitwise import (
    bitwise_and,
    bitwise_not,
    bitwise_or,
    clz,
    shift_left,
    shift_right_arithmetic,
)
from jaxnb.engine.ops.comparison import eq, ge, gt, le, lt, ne
from jaxnb.engine.ops.conversion import bitcast_convert_type, convert_element_type
from jaxnb.engine.ops.elementwise import const
from jaxnb.engine.ops.gather import gather
from jaxnb.engine.ops.lowering import LoweringContext
from jaxnb.engine.ops.magnitude import RoundingMethod, abs, floor, min, round
from jaxnb.engine.ops.selection import select
from jaxnb.engine.ops.shape import broadcast_in_dim
from jaxnb.engine.ops.special import lgamma as lgamma
from jaxnb.engine.ops.special import lgamma_p as lgamma_p
from jaxnb.xla.mlir import ir
from jaxnb.xla.version import JAXLIB_VERSION

F32, I32 = np.dtype("float32"), np.dtype("int32")
_SIGN, _SIZE, _LEAST_NORMAL = -(1 << 31), (1 << 31) - 1, 1 << 23
_OVERFLOWS = 4.08500311e36
"""From here on the logarithm is no number of single precision."""


def _wide(x: Any, value: Any) -> Any:
    """A value, as one for each element of ``x``."""
    shape = np.shape(x)
    return broadcast_in_dim(value, shape, ()) if shape and np.ndim(value) == 0 else value


def _where(condition: Any, x: Any, y: Any) -> Any:
    return select(condition, _wide(condition, x), _wide(condition, y))


def _bits(x: Any) -> Any:
    return bitcast_convert_type(x, I32)


def _float(bits: Any) -> Any:
    return bitcast_convert_type(bits, F32)


def _halved(x: Any) -> tuple[Any, Any]:
    """The first twelve digits of a number, and the others: products of such are exact."""
    bits = _bits(x)
    first = _float(bitwise_and(bits, const(bits, -4096)))
    return first, sub(x, first)


def _polynomial(x: Any, coefficients: Sequence[Any]) -> Any:
    return call_named("_horner", _horner, x, *coefficients)[0]


def _horner(x: Any, *coefficients: Any) -> list[Any]:
    def wide(c: Any) -> Any:
        return _wide(x, convert_element_type(c, F32))

    out = wide(coefficients[-1])
    for c in reversed(coefficients[:-1]):
        out = add(mul(out, x), wide(c))
    return [out]


def _log(x: Any, *raised: Any) -> list[Any]:
    """The logarithm in two numbers; ``raised`` is by how many powers of two ``x`` is too large."""
    bits = _bits(x)
    exponent = shift_right_arithmetic(sub(bits, const(bits, 0x3F3504F3)), const(bits, 23))  # of x / sqrt(1/2)
    lowered = sub(exponent, raised[0] if raised else const(bits, 0))
    power = convert_element_type(lowered, F32)
    f = sub(_float(sub(bits, shift_left(exponent, const(bits, 23)))), const(x, 1))
    squared = mul(f, f)
    head = sub(f, mul(const(x, 0.5), squared))
    of_mantissa = add(head, mul(mul(squared, f), _polynomial(f, tables.LOGARITHM)))
    # the logarithm of two, in two parts of which the first has few digits
    large = mul(power, const(x, 0.693115234))
    rest = add(of_mantissa, mul(power, const(x, 3.19461833e-05)))
    total = add(large, rest)
    return [total, add(sub(large, total), rest)]


def _up_to_four(x: Any) -> list[Any]:
    """The logarithm of the gamma function from ½ to 4: the sum, then its two parts."""
    far = gt(x, const(x, 1.5))
    a = sub(x, const(x, 1))
    b = sub(a, const(x, 1))
    at = sub(a, _where(far, np.float32(1.75), np.float32(0)))
    pairs = zip(tables.FROM_ONE_AND_A_HALF, tables.NEAR_ONE, strict=True)
    p = _polynomial(at, [_where(far, np.float32(u), np.float32(v)) for u, v in pairs])
    a_first, a_rest = _halved(a)
    b_first, b_rest = _halved(b)
    product = mul(a_first, b_first)
    lacking = add(mul(a_rest, b), mul(a_first, b_rest))
    p_first, p_rest = _halved(p)
    large = mul(product, p_first)
    small = add(mul(lacking, p), mul(product, p_rest))
    return [add(large, small), large, small]


def _above_four(x: Any) -> list[Any]:
    """Stirling's series in two parts, then its derivative to first order."""
    log, log_lacking = call_named("_log_f32", _log, x)
    log_first, log_rest = _halved(log)
    log_rest = add(log_rest, log_lacking)
    shifted = sub(x, const(x, 0.5))
    first, rest = _halved(shifted)
    factor = sub(log_first, const(x, 1))
    large = mul(first, factor)
    small = add(mul(rest, factor), mul(shifted, log_rest))
    inverse = reciprocal(x)
    series = _polynomial(mul(inverse, inverse), tables.STIRLING)
    # half the logarithm of 2π, less ½
    small = add(add(small, const(x, 0.418938518)), mul(inverse, series))
    return [large, small, sub(log, mul(const(x, 0.5), inverse))]


def _reflected(rest: Any, log: Any, large: Any, small: Any, correction: Any) -> list[Any]:
    """``-log |Γ(1 - x) sin(πx) / π|``, ``rest`` being the distance from a pole and ``log`` its logarithm."""
    squared = mul(rest, rest)
    log_sinc = mul(squared, _polynomial(squared, tables.LOG_SINC))
    sum_of_large = add(log, large)
    return [neg(add(sum_of_large, add(small, add(log_sinc, correction))))]


_ROW = GatherDimensionNumbers(offset_dims=(), collapsed_slice_dims=(0,), start_index_map=(0,))


def _at_root(x: Any, pole: Any) -> list[Any]:
    """Whether a root is near, and the value there."""
    # the root at -2.457 belongs to the pole at -2
    at_two = bitwise_and(gt(x, const(x, -2.6)), lt(x, const(x, -2)))
    pole = _where(at_two, np.float32(-2), pole)
    d = sub(x, pole)
    k = convert_element_type(neg(pole), I32)
    has_roots = bitwise_and(ge(k, const(k, 2)), le(k, const(k, 9)))
    on_the_right = _where(gt(d, const(d, 0)), np.int32(1), np.int32(0))
    column = add(mul(const(k, 2), sub(k, const(k, 2))), on_the_right)
    column = _where(has_roots, column, np.int32(1))
    shape = np.shape(column)
    places = broadcast_in_dim(column, (*shape, 1), tuple(range(len(shape))))
    root, root_lacking, radius, *coefficients = (
        gather(table, places, _ROW, (1,))
        for table in (tables.ROOTS, tables.ROOTS_LOW, tables.RADII, *tables.AT_ROOTS)
    )
    above = sub(d, root)
    total = add(d, root)
    inverse = reciprocal(total)
    quotient = mul(sub(above, root_lacking), inverse)
    remainder = sub(above, mul(quotient, total))
    remainder = sub(remainder, mul(root_lacking, add(const(x, 1), quotient)))
    z = add(quotient, mul(remainder, inverse))
    near = le(abs(z), radius)
    z = _where(near, z, np.float32(0))
    return [near, mul(z, _polynomial(z, coefficients))]


def _log_gamma(x: Any) -> list[Any]:
    bits = _bits(x)
    size = bitwise_and(bits, const(bits, _SIZE))
    is_zero = eq(size, const(bits, 0))
    is_subnormal = bitwise_and(gt(size, const(bits, 0)), lt(size, const(bits, _LEAST_NORMAL)))
    raised = _where(is_subnormal, sub(clz(size), const(bits, 8)), np.int32(0))
    lifted = bitwise_or(bitwise_and(bits, const(bits, _SIGN)), shift_left(size, raised))
    normal = _float(select(is_subnormal, lifted, bits))
    is_large = ge(normal, const(x, 0.5))
    normal = _where(is_zero, np.float32(1), normal)
    has_digits = bitwise_and(bitwise_not(is_large), gt(normal, const(x, -(2.0**23))))
    below = _where(has_digits, normal, np.float32(-0.5))
    pole = round(below, RoundingMethod.TO_NEAREST_EVEN)
    rest = sub(below, pole)
    distance = abs(rest)
    mirrored = sub(sub(const(x, 1), pole), rest)
    lost = sub(sub(sub(const(x, 1), pole), mirrored), rest)
    at = min(select(is_large, normal, mirrored), const(x, _OVERFLOWS))
    log, log_lacking = call_named("_log_f32", _log, distance, raised)
    small_total, *small = call_named("_lgamma_pos_small", _up_to_four, at)
    *large, slope = call_named("_lgamma_pos_large", _above_four, at)
    is_small = le(at, const(x, 4))
    total = select(is_small, small_total, add(*large))
    parts = [select(is_small, u, v) for u, v in zip(small, large, strict=True)]
    lacking = add(parts[1], log_lacking)
    reflected = call_named(
        "_lgamma_neg_reflection", _reflected, rest, log, parts[0], lacking, mul(slope, lost)
    )[0]
    near, at_root = call_named("_lgamma_neg_root", _at_root, below, pole)
    out = select(is_large, total, select(near, at_root, reflected))
    out = _where(eq(out, const(x, 0)), np.float32(0), out)  # no negative zero
    at_pole = bitwise_or(is_zero, bitwise_and(bitwise_not(is_large), eq(normal, floor(normal))))
    overflows = convert_element_type(gt(x, const(x, _OVERFLOWS)), np.bool_)
    out = _where(bitwise_or(at_pole, overflows), np.float32(np.inf), out)
    return [_where(ne(x, x), np.float32(np.nan), out)]


def _in_single_precision(x: Any) -> Any:
    dtype = get_aval(x).dtype  # pyright: ignore[reportAttributeAccessIssue]
    if dtype == F32:
        return call_named("lgamma_impl", _log_gamma, x)[0]
    out = call_named("lgamma_impl", _log_gamma, convert_element_type(x, F32))[0]
    return convert_element_type(out, dtype)


_program = composite(_in_single_precision)
_by_compiler: Any = lowering_rules[lgamma_p]


def _lower(ctx: LoweringContext, x: ir.Value) -> Any:
    return _by_compiler(ctx, x) if ctx.avals_in[0].dtype.itemsize > 4 else _program


if JAXLIB_VERSION >= (0, 12):
    lowering_rules[lgamma_p] = _lower
