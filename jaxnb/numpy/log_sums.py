"""Sums of numbers given by their logarithms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.engine.control.custom_rules import custom_jvp
from jaxnb.engine.core import dtypes
from jaxnb.numpy.promotion import constant_like, promote_args_inexact, two_arguments


def _is(x: Any, kind: Any) -> bool:
    return dtypes.issubdtype(dtypes.dtype(x), kind)


def _replace_infinity(x: Any) -> Any:
    part = lax.real(x) if _is(x, np.complexfloating) else x
    return lax.select(lax.eq(part, constant_like(part, np.inf)), lax.full_like(x, 0), x)


def _wrap(angle: Any, half_turn: float) -> Any:
    """The imaginary part of a complex logarithm within half a turn of zero."""
    half, full = constant_like(angle, half_turn), constant_like(angle, 2 * half_turn)
    rest = lax.rem(lax.add(angle, half), full)
    rest = lax.select(lax.lt(rest, constant_like(rest, 0)), lax.add(rest, full), rest)
    return lax.sub(rest, half)


def _log_of_sum(
    x1: Any, x2: Any, exp: Callable[[Any], Any], log1p: Callable[[Any], Any], half_turn: float
) -> Any:
    """``log(exp(x1) + exp(x2))`` in the base of ``exp``."""
    largest = lax.max(x1, x2)
    if _is(x1, np.complexfloating):
        difference = lax.sub(lax.add(x1, x2), lax.mul(largest, constant_like(largest, 2)))
        out = lax.add(largest, log1p(exp(difference)))
        return lax.complex(lax.real(out), _wrap(lax.imag(out), half_turn))
    difference = lax.sub(x1, x2)
    # NaN also where both are infinite of one sign: then the sum is the answer
    return lax.select(
        lax.ne(difference, difference),
        lax.add(x1, x2),
        lax.add(largest, log1p(exp(lax.neg(lax.abs(difference))))),
    )


def _share(t: Any, x: Any, out: Any, exp: Callable[[Any], Any]) -> Any:
    return lax.mul(t, exp(lax.sub(_replace_infinity(x), _replace_infinity(out))))


@custom_jvp
def logaddexp(x1, x2):
    """``log(e^x1 + e^x2)``."""
    return _log_of_sum(x1, x2, lax.exp, lax.log1p, np.pi)


@logaddexp.defjvp
def _logaddexp_jvp(primals, tangents):
    (x1, x2), (t1, t2) = primals, tangents
    out = logaddexp(x1, x2)
    return out, lax.add(_share(t1, x1, out, lax.exp), _share(t2, x2, out, lax.exp))


@custom_jvp
def logaddexp2(x1, x2):
    """``log2(2^x1 + 2^x2)``."""

    def log1p(x: Any) -> Any:
        y = lax.log1p(x)
        return lax.mul(constant_like(y, 1 / np.log(2)), y)

    return _log_of_sum(x1, x2, lax.exp2, log1p, np.pi / np.log(2))


@logaddexp2.defjvp
def _logaddexp2_jvp(primals, tangents):
    (x1, x2), (t1, t2) = primals, tangents
    out = logaddexp2(x1, x2)
    return out, lax.add(_share(t1, x1, out, lax.exp2), _share(t2, x2, out, lax.exp2))


log_sum = two_arguments(
    "logaddexp", "``log(e^x1 + e^x2)``.", lambda x1, x2: logaddexp(*promote_args_inexact("logaddexp", x1, x2))
)
log2_sum = two_arguments(
    "logaddexp2",
    "``log2(2^x1 + 2^x2)``.",
    lambda x1, x2: logaddexp2(*promote_args_inexact("logaddexp2", x1, x2)),
)
