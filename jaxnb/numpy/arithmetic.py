"""Functions of two arguments, element by element: sums, products, powers, extremes.

Quotients and remainders live in ``division.py``.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.engine.api.jit import jit
from jaxnb.engine.core import dtypes
from jaxnb.numpy.arguments import (
    check_arraylike,
    ensure_arraylike,
    promote_dtypes_inexact,
    promote_dtypes_numeric,
)
from jaxnb.numpy.predicates import either, greater, isnan, less
from jaxnb.numpy.promotion import (
    constant_like,
    inlined,
    promote_args,
    promote_args_inexact,
    promote_args_numeric,
    promote_shapes,
    two_arguments,
)
from jaxnb.numpy.selection import choose


def _is(x: Any, kind: Any) -> bool:
    return dtypes.issubdtype(dtypes.dtype(x), kind)


# sums and products; the operations of truth values are or and and


def _add(x: Any, y: Any) -> Any:
    x, y = promote_args("add", x, y)
    return lax.bitwise_or(x, y) if _is(x, np.bool_) else lax.add(x, y)


def _multiply(x: Any, y: Any) -> Any:
    x, y = promote_args("multiply", x, y)
    return lax.bitwise_and(x, y) if _is(x, np.bool_) else lax.mul(x, y)


plus = two_arguments("add", "``x + y``.", _add, "x y")
minus = two_arguments("subtract", "``x - y``.", lambda x, y: lax.sub(*promote_args("subtract", x, y)), "x y")
times = two_arguments("multiply", "``x · y``.", _multiply, "x y")
greater_of = two_arguments(
    "maximum", "The greater.", lambda x, y: lax.max(*promote_args("maximum", x, y)), "x y"
)
smaller_of = two_arguments(
    "minimum", "The smaller.", lambda x, y: lax.min(*promote_args("minimum", x, y)), "x y"
)

arctan2 = two_arguments(
    "arctan2",
    "The angle of the point ``(x2, x1)``.",
    lambda x1, x2: lax.atan2(*promote_args_inexact("arctan2", x1, x2)),
)
atan2 = two_arguments(
    "atan2", "The angle of the point ``(x2, x1)``.", lambda x1, x2: arctan2(*promote_args("atan2", x1, x2))
)
float_power = two_arguments(
    "float_power",
    "``x^y`` as a floating number.",
    lambda x, y: lax.pow(*promote_args_inexact("float_power", x, y)),
    "x y",
)


@jit
def fmax(x1, x2):
    """The greater; where one is NaN, the other."""
    return choose(either(greater(x1, x2), isnan(x2)), x1, x2)


@jit
def fmin(x1, x2):
    """The smaller; where one is NaN, the other."""
    return choose(either(less(x1, x2), isnan(x2)), x1, x2)


# powers


def power(x1, x2, /):
    """``x1^x2``; a Python integer as exponent is repeated multiplication."""
    check_arraylike("power", x1, x2)
    exponent = _static_exponent(x2)
    if exponent is not None:
        (x1,) = promote_dtypes_numeric(x1)
        return lax.integer_pow(x1, exponent)
    return _power(x1, x2)


def _static_exponent(x: Any) -> int | None:
    if isinstance(x, int):
        return int(x)
    if isinstance(x, np.ndarray | np.generic) and x.ndim == 0 and x.dtype.kind in "iu":
        return operator.index(x)  # pyright: ignore[reportArgumentType]
    return None


def pow(x1, x2, /):
    """``x1^x2``; a Python integer as exponent is repeated multiplication."""
    return power(x1, x2)


@inlined
def _power(x1, x2):
    x1, x2 = promote_shapes("power", *ensure_arraylike("power", x1, x2))
    base, exponent = promote_dtypes_numeric(x1, x2)
    if not _is(base, np.integer):
        return lax.pow(base, x2 if _is(x2, np.integer) else exponent)
    return _integer_power(base, exponent)


def _integer_power(x: Any, y: Any) -> Any:
    """The power by squaring, for exponents below 64; zero to a power is one only at zero."""
    zero, one = constant_like(x, 0), constant_like(x, 1)
    result = choose(lax.bitwise_and(lax.eq(x, zero), lax.ne(y, zero)), zero, one)
    for _ in range(6):
        result = choose(lax.bitwise_and(y, one), lax.mul(result, x), result)
        x = lax.mul(x, x)
        y = lax.shift_right_logical(y, one)
    return result


# others


@jit
def heaviside(x1, x2, /):
    """Zero below zero, one above, ``x2`` at zero."""
    check_arraylike("heaviside", x1, x2)
    x1, x2 = promote_dtypes_inexact(x1, x2)
    zero, one = constant_like(x1, 0), constant_like(x1, 1)
    below, above = lax.lt(x1, zero), lax.gt(x1, zero)
    at_zero = choose(lax.ne(x1, x1), x1, x2)
    return choose(below, zero, choose(above, one, at_zero))
