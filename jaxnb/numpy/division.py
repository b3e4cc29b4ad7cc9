"""Quotients, and what division leaves."""

from __future__ import annotations

from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.engine.api.jit import jit
from jaxnb.engine.core import dtypes
from jaxnb.numpy.arguments import ensure_arraylike
from jaxnb.numpy.predicates import both
from jaxnb.numpy.promotion import (
    constant_like,
    promote_args,
    promote_args_inexact,
    promote_args_numeric,
    two_arguments,
)
from jaxnb.numpy.selection import choose


def _is(x: Any, kind: Any) -> bool:
    return dtypes.issubdtype(dtypes.dtype(x), kind)


true_divide = two_arguments(
    "true_divide", "``x1 / x2``.", lambda x1, x2: lax.div(*promote_args_inexact("true_divide", x1, x2))
)


def divide(x1, x2, /):
    """``x1 / x2``."""
    return true_divide(x1, x2)


def _float_divmod(x1: Any, x2: Any) -> tuple[Any, Any]:
    """The floor of the quotient, exactly what the remainder leaves, and the remainder with the sign of ``x2``."""
    mod = lax.rem(x1, x2)
    exact = lax.div(choose(lax.eq(x2, constant_like(x2, 0)), x1, lax.sub(x1, mod)), x2)
    adjust = lax.bitwise_and(
        lax.ne(mod, constant_like(mod, 0)),
        lax.ne(lax.sign(x2), lax.sign(mod)),
    )
    mod = lax.select(adjust, lax.add(mod, x2), mod)
    exact = lax.select(adjust, lax.sub(exact, constant_like(exact, 1)), exact)
    return lax.round(exact), mod


@jit
def floor_divide(x1, x2, /):
    """The greatest integer not above ``x1 / x2``."""
    x1, x2 = promote_args_numeric("floor_divide", x1, x2)
    if _is(x1, np.unsignedinteger):
        return lax.div(x1, x2)
    if _is(x1, np.integer):
        quotient = lax.div(x1, x2)
        signs_differ = lax.ne(lax.sign(x1), lax.sign(x2))
        below = both(signs_differ, lax.ne(lax.rem(x1, x2), _as_weak(x1, 0)))
        return choose(below, lax.sub(quotient, _as_weak(quotient, 1)), quotient)
    if _is(x1, np.complexfloating):
        raise TypeError("floor_divide does not support complex-valued inputs")
    return _float_divmod(x1, x2)[0]


def _as_weak(x: Any, value: int) -> Any:
    """A scalar of ``x``'s dtype, weakly typed where ``x`` is."""
    return value if dtypes.is_weakly_typed(x) else constant_like(x, value)


def _without_zero(x: Any) -> Any:
    """The divisor with one in place of zero, where division by zero would be undefined."""
    return choose(lax.eq(x, _as_weak(x, 0)), lax.full_like(x, 1), x)


@jit
def remainder(x1, x2, /):
    """What division leaves, with the sign of ``x2``."""
    x1, x2 = promote_args("remainder", x1, x2)
    if _is(x1, np.integer):
        x2 = _without_zero(x2)
    rest = lax.rem(x1, x2)
    zero = constant_like(rest, 0)
    has_rest = lax.ne(rest, zero)
    adjust = lax.bitwise_and(lax.ne(lax.lt(rest, zero), lax.lt(x2, zero)), has_rest)
    return lax.select(adjust, lax.add(rest, x2), rest)


def mod(x1, x2, /):
    """What division leaves, with the sign of ``x2``."""
    return remainder(x1, x2)


@jit
def fmod(x1, x2, /):
    """What division leaves, with the sign of ``x1``."""
    x1, x2 = ensure_arraylike("fmod", x1, x2)
    if dtypes.issubdtype(dtypes.result_type(x1, x2), np.integer):
        x2 = _without_zero(x2)
    return lax.rem(*promote_args("fmod", x1, x2))


@jit
def divmod(x1, x2, /):
    """The floor of the quotient and the remainder."""
    x1, x2 = promote_args_numeric("divmod", x1, x2)
    if _is(x1, np.integer):
        return floor_divide(x1, x2), remainder(x1, x2)
    return _float_divmod(x1, x2)
