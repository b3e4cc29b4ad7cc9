"""The incomplete beta function, regularised: the share of B(a, b) below ``x``, by a continued fraction.

Source: DLMF 8.17.22; Lentz's algorithm as Thompson and Barnett changed it (J. Comput. Phys. 64, 1986).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from jaxnb.engine.control.repetition import while_loop
from jaxnb.engine.core import dtypes
from jaxnb.engine.core.avals import get_aval
from jaxnb.engine.core.rules import composite, per_operand
from jaxnb.engine.linalg.incomplete_gamma import any_of, in_one_shape, is_nan
from jaxnb.engine.linalg.log_gamma import lgamma
from jaxnb.engine.linalg.promoted import add, div, mul, quotient, remainder, sub
from jaxnb.engine.ops import arithmetic
from jaxnb.engine.ops.arithmetic import neg, reciprocal
from jaxnb.engine.ops.bitwise import bitwise_and, bitwise_not, bitwise_or
from jaxnb.engine.ops.comparison import eq, ge, gt, lt
from jaxnb.engine.ops.conversion import convert_element_type
from jaxnb.engine.ops.elementwise import FLOAT, const, nary
from jaxnb.engine.ops.exponential import exp, log, log1p
from jaxnb.engine.ops.filling import full_like
from jaxnb.engine.ops.magnitude import abs
from jaxnb.engine.ops.selection import select
from jaxnb.engine.ops.shape import broadcast_in_dim
from jaxnb.xla.version import JAXLIB_VERSION

_STOPS_FOR_EACH = JAXLIB_VERSION >= (0, 12)
"""Whether the fraction stops for each element on its own; in older JAX all go on until the last one stops."""

_STEPS = {np.dtype(np.float32): 200, np.dtype(np.float64): 600}


def _numerator(iteration: Any, a: Any, b: Any, x: Any) -> Any:
    """The partial numerator of DLMF 8.17.23; the first is one."""
    n = broadcast_in_dim(iteration, np.shape(x), ())
    is_even = eq(remainder(n, full_like(n, 2)), full_like(n, 0))
    is_first = eq(n, full_like(n, 1))
    m = quotient(sub(n, full_like(n, 1)), full_like(n, 2))
    m_is_zero = eq(m, full_like(m, 0))
    m = convert_element_type(m, get_aval(x).dtype)  # pyright: ignore[reportAttributeAccessIssue]
    one, two = full_like(a, 1), full_like(a, 2)

    def a_2m() -> Any:
        return add(a, mul(two, m))

    even_at_zero = div(mul(neg(add(a, b)), x), add(a, one))
    even = mul(mul(neg(add(a, m)), add(add(a, b), m)), x)
    even = div(even, mul(a_2m(), add(a_2m(), one)))
    even = select(m_is_zero, even_at_zero, even)
    odd = mul(mul(m, sub(b, m)), x)
    odd = div(odd, mul(sub(a_2m(), one), a_2m()))
    first = full_like(x, 1)
    return select(is_first, first, select(is_even, even, odd))


def _denominator(iteration: Any, x: Any) -> Any:
    """The partial denominator: one, but zero before the fraction begins."""
    n = broadcast_in_dim(iteration, np.shape(x), ())
    return select(eq(n, full_like(n, 0)), full_like(x, 0), full_like(x, 1))


def _fraction(a: Any, b: Any, x: Any) -> Any:
    """The continued fraction, while some element changes by half a unit in the last place or more."""
    dtype: Any = get_aval(x).dtype  # pyright: ignore[reportAttributeAccessIssue]
    small, steps = dtypes.finfo(dtype).eps / 2, _STEPS[dtype]

    def step(iteration: Any, a: Any, b: Any, x: Any, c: Any, d: Any, h: Any) -> tuple[Any, ...]:
        """The new ``c``, ``d`` and ``h``, and by what ``h`` has changed."""
        numerator, denominator = _numerator(iteration, a, b, x), _denominator(iteration, x)
        c = arithmetic.add(denominator, arithmetic.div(numerator, c))
        tiny = full_like(c, small)
        c = select(lt(abs(c), tiny), tiny, c)
        d = arithmetic.add(denominator, arithmetic.mul(numerator, d))
        d = reciprocal(select(lt(abs(d), tiny), tiny, d))
        change = arithmetic.mul(c, d)
        return c, d, arithmetic.mul(h, change), change

    def goes_on(change: Any) -> Any:
        return ge(abs(sub(change, full_like(change, 1))), full_like(change, small))

    def advance(state: Any) -> Any:
        a, b, x, iteration, _, c, d, h = state
        c, d, h, change = step(iteration, a, b, x, c, d, h)
        iteration = add(iteration, 1)
        return a, b, x, iteration, any_of(goes_on(change)), c, d, h

    def advance_each(state: Any) -> Any:
        a, b, x, *old, iteration, enabled = state
        *new, change = step(iteration, a, b, x, *old)
        changes = goes_on(change)
        iteration = add(iteration, 1)
        still = bitwise_and(enabled, changes)
        return a, b, x, *(select(enabled, n, o) for n, o in zip(new, old, strict=True)), iteration, still

    h = _denominator(0, x)
    h = select(lt(abs(h), full_like(h, small)), full_like(h, small), h)
    if _STOPS_FOR_EACH:
        enabled = full_like(x, True, np.bool_)
        start = (a, b, x, h, full_like(h, 0), h, 1, enabled)
        return while_loop(lambda s: bitwise_and(lt(s[6], steps), any_of(s[7])), advance_each, start)[5]
    start = (a, b, x, 1, True, h, full_like(h, 0), h)
    return while_loop(lambda s: bitwise_and(lt(s[3], steps), s[4]), advance, start)[-1]


@in_one_shape
def _betainc(a: Any, b: Any, x: Any) -> Any:
    left = bitwise_or(eq(a, full_like(a, 0)), eq(b, full_like(b, np.inf)))
    right = bitwise_or(eq(b, full_like(b, 0)), eq(a, full_like(a, np.inf)))
    x_is_zero, x_is_one = eq(x, full_like(x, 0)), eq(x, full_like(x, 1))
    x_not_zero, x_not_one = bitwise_not(x_is_zero), bitwise_not(x_is_one)
    no_number = bitwise_or(bitwise_or(is_nan(a), is_nan(b)), is_nan(x))
    is_zero = bitwise_or(bitwise_and(right, x_not_one), bitwise_and(left, x_is_zero))
    is_one = bitwise_or(bitwise_and(left, x_not_zero), bitwise_and(right, x_is_one))
    outside = bitwise_or(
        bitwise_or(bitwise_or(lt(a, full_like(a, 0)), lt(b, full_like(b, 0))), lt(x, full_like(x, 0))),
        gt(x, full_like(x, 1)),
    )
    undefined = bitwise_or(outside, bitwise_or(bitwise_and(left, right), no_number))

    converges_fast = lt(x, div(add(a, full_like(a, 1)), add(add(a, b), full_like(b, 2))))
    a, b = select(converges_fast, a, b), select(converges_fast, b, a)
    x = select(converges_fast, x, sub(full_like(x, 1), x))
    fraction = _fraction(a, b, x)
    log_beta_small_a = sub(lgamma(b), lgamma(add(a, b)))
    log_beta = add(lgamma(a), log_beta_small_a)
    a_is_small = lt(a, full_like(a, 2 * float(dtypes.finfo(get_aval(a).dtype).tiny)))  # pyright: ignore[reportAttributeAccessIssue]
    factor_small_a = exp(sub(mul(log1p(neg(x)), b), log_beta_small_a))
    factor = exp(sub(add(mul(log(x), a), mul(log1p(neg(x)), b)), log_beta))
    factor = select(a_is_small, factor_small_a, div(factor, a))
    out = mul(fraction, factor)
    out = select(converges_fast, out, sub(full_like(out, 1), out))
    out = select(is_zero, full_like(out, 0), out)
    out = select(is_one, full_like(out, 1), out)
    return select(undefined, full_like(out, np.nan), out)


def _unknown(t: Any, a: Any, b: Any, x: Any) -> Any:
    raise ValueError("Betainc gradient with respect to a and b not supported.")


def _density(a: Any, b: Any, x: Any) -> Any:
    """The derivative in ``x``: ``x^(a-1) (1-x)^(b-1) / B(a, b)``."""
    log_beta = sub(add(lgamma(a), lgamma(b)), lgamma(add(a, b)))
    upper = mul(sub(b, const(b, 1)), log1p(neg(x)))
    return exp(sub(add(upper, mul(sub(a, const(a, 1)), log(x))), log_beta))


_refused: Callable[..., Any] = _unknown
regularized_incomplete_beta_p = nary(
    "regularized_incomplete_beta",
    [FLOAT, FLOAT, FLOAT],
    lower=composite(_betainc),
    jvp=per_operand(_refused, _refused, lambda t, a, b, x: mul(_density(a, b, x), t)),
)


def betainc(a, b, x):
    """The incomplete beta function, regularised: ``∫₀ˣ s^(a-1) (1-s)^(b-1) ds / B(a, b)``."""
    return regularized_incomplete_beta_p.bind(a, b, x)
