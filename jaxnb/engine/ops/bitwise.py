"""Operations on bits: and, or, xor, not, shifts, counting."""

from __future__ import annotations

from jaxnb.engine.core.rules import per_operand
from jaxnb.engine.ops.elementwise import BITS, INT, nary, unary

_no_derivative = per_operand(None, None)

and_p = nary("and", (BITS, BITS), lower="and_", jvp=_no_derivative)
or_p = nary("or", (BITS, BITS), lower="or_", jvp=_no_derivative)
xor_p = nary("xor", (BITS, BITS), lower="xor", jvp=_no_derivative)
not_p = unary("not", BITS, lower="not_", jvp=per_operand(None))
population_count_p = unary("population_count", INT, lower="popcnt", jvp=per_operand(None))
clz_p = unary("clz", INT, lower="count_leading_zeros", jvp=per_operand(None))
shift_left_p = nary("shift_left", (INT, INT), lower="shift_left", jvp=_no_derivative)
shift_right_logical_p = nary(
    "shift_right_logical", (INT, INT), lower="shift_right_logical", jvp=_no_derivative
)
shift_right_arithmetic_p = nary(
    "shift_right_arithmetic", (INT, INT), lower="shift_right_arithmetic", jvp=_no_derivative
)


def bitwise_and(x, y):
    """The bits set in both."""
    return and_p.bind(x, y)


def bitwise_or(x, y):
    """The bits set in either."""
    return or_p.bind(x, y)


def bitwise_xor(x, y):
    """The bits set in exactly one."""
    return xor_p.bind(x, y)


def bitwise_not(x):
    """Every bit inverted."""
    return not_p.bind(x)


def population_count(x):
    """The number of bits set."""
    return population_count_p.bind(x)


def clz(x):
    """The number of leading zero bits."""
    return clz_p.bind(x)


def shift_left(x, y):
    """The bits of ``x`` moved ``y`` places up, zeros behind."""
    return shift_left_p.bind(x, y)


def shift_right_logical(x, y):
    """The bits of ``x`` moved ``y`` places down, zeros in front."""
    return shift_right_logical_p.bind(x, y)


def shift_right_arithmetic(x, y):
    """The bits of ``x`` moved ``y`` places down, the sign bit in front."""
    return shift_right_arithmetic_p.bind(x, y)
