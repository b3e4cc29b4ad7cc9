"""The incomplete gamma functions, regularised: shares of Γ(a) below and above ``x``, and their derivatives in ``a``.

Below one, or below ``a``, the lower share is a power series; elsewhere the upper share is a continued fraction. Both
stop for each element on its own; derivatives go along term by term.
Source: DLMF 8.7.1 and 8.9.2; Moore, "Algorithm AS 187", Applied Statistics 31 (1982), for the derivatives.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any

import numpy as np

from jaxnb.engine.control.repetition import while_loop
from jaxnb.engine.core import dtypes
from jaxnb.engine.core.avals import get_aval
from jaxnb.engine.core.rules import Undefined, composite, per_operand
from jaxnb.engine.linalg.log_gamma import lgamma
from jaxnb.engine.linalg.promoted import above, add, div, mul, sub
from jaxnb.engine.ops.arithmetic import neg, reciprocal
from jaxnb.engine.ops.axes import broadcast_shapes
from jaxnb.engine.ops.bitwise import bitwise_and, bitwise_not, bitwise_or
from jaxnb.engine.ops.comparison import eq, ge, gt, le, lt, ne
from jaxnb.engine.ops.conversion import convert_element_type
from jaxnb.engine.ops.elementwise import FLOAT, const, nary
from jaxnb.engine.ops.exponential import exp, log
from jaxnb.engine.ops.filling import full_like
from jaxnb.engine.ops.magnitude import abs
from jaxnb.engine.ops.reductions import reduce_or
from jaxnb.engine.ops.selection import select
from jaxnb.engine.ops.shape import broadcast_in_dim
from jaxnb.engine.ops.special import digamma
from jaxnb.xla.version import JAXLIB_VERSION


class Wanted(Enum):
    """What a sum is to give: the value, its derivative in ``a``, or that of a gamma sample."""

    VALUE = 1
    DERIVATIVE = 2
    SAMPLE_DERIVATIVE = 3


def in_one_shape(fun: Callable[..., Any]) -> Callable[..., Any]:
    """The function of operands of one shape, made one of operands that broadcast; half precision is widened."""

    def broadcasting(*args: Any, **params: Any) -> Any:
        shape = broadcast_shapes(*map(np.shape, args))
        args = tuple(
            x if np.shape(x) == shape else broadcast_in_dim(x, shape, range(np.ndim(x))) for x in args
        )
        dtype = _dtype(args[0])
        if dtype.itemsize > 2:
            return fun(*args)
        return convert_element_type(fun(*(convert_element_type(x, np.float32) for x in args)), dtype)

    return broadcasting


def _dtype(x: Any) -> Any:
    return get_aval(x).dtype  # pyright: ignore[reportAttributeAccessIssue]


def _eps(x: Any) -> Any:
    return const(x, dtypes.finfo(_dtype(x)).eps)


def any_of(flags: Any) -> Any:
    """Whether any element is true."""
    return reduce_or(flags, tuple(range(np.ndim(flags))))


def is_nan(x: Any) -> Any:
    """Whether an element is no number."""
    return ne(x, x)


# ---- the two sums ---------------------------------------------------------------------------------------


def _series(scale: Any, x: Any, a: Any, enabled: Any, wanted: Wanted) -> Any:
    """The power series, for each enabled element until a term no longer counts; ``scale`` is ``x^a e^-x / Γ(a)``."""

    def advance(state: Any) -> Any:
        enabled, r, c, ans, x, dc_da, dans_da = state
        r = add(r, const(r, 1))
        dc_da = sub(mul(dc_da, div(x, r)), div(mul(c, x), mul(r, r)))
        dans_da = add(dans_da, dc_da)
        c = mul(c, div(x, r))
        ans = add(ans, c)
        change = div(c, ans) if wanted is Wanted.VALUE else abs(div(dc_da, dans_da))
        goes_on = bitwise_and(enabled, above(change, dtypes.finfo(_dtype(change)).eps))
        new = (r, c, ans, x, dc_da, dans_da)
        return goes_on, *(select(enabled, n, o) for n, o in zip(new, state[1:], strict=True))

    ones, zeros = (lambda: full_like(a, 1)), (lambda: full_like(a, 0))
    start = (enabled, a, ones(), ones(), x, zeros(), zeros())
    _, _, _, ans, _, _, dans_da = while_loop(lambda state: any_of(state[0]), advance, start)
    if wanted is Wanted.VALUE:
        return div(mul(ans, scale), a)
    dlog_da = sub(log(x), digamma(add(a, const(a, 1))))
    if wanted is Wanted.DERIVATIVE:
        return div(mul(scale, add(mul(ans, dlog_da), dans_da)), a)
    return div(mul(neg(add(dans_da, mul(ans, dlog_da))), x), a)


def _continued_fraction(scale: Any, x: Any, a: Any, enabled: Any, wanted: Wanted) -> Any:
    """The continued fraction, for each enabled element until it changes no more, in at most 2000 steps."""
    eps = _eps(x)

    def holds(state: Any) -> Any:
        return bitwise_and(lt(state[5], const(state[5], 2000)), any_of(state[0]))

    def advance(state: Any) -> Any:
        (
            enabled,
            ans,
            t,
            y,
            z,
            c,
            pkm1,
            qkm1,
            pkm2,
            qkm2,
            dpkm2_da,
            dqkm2_da,
            dpkm1_da,
            dqkm1_da,
            dans_da,
        ) = state
        c = add(c, const(c, 1))
        y = add(y, const(y, 1))
        z = add(z, const(z, 2))
        yc = mul(y, c)
        pk = sub(mul(pkm1, z), mul(pkm2, yc))
        qk = sub(mul(qkm1, z), mul(qkm2, yc))
        divides = ne(qk, const(qk, 0))
        r = div(pk, qk)
        t = select(divides, abs(div(sub(ans, r), r)), full_like(t, 1))
        ans = select(divides, r, ans)
        dpk_da = add(sub(sub(mul(dpkm1_da, z), pkm1), mul(dpkm2_da, yc)), mul(pkm2, c))
        dqk_da = add(sub(sub(mul(dqkm1_da, z), qkm1), mul(dqkm2_da, yc)), mul(qkm2, c))
        dans_da_new = select(divides, div(sub(dpk_da, mul(ans, dqk_da)), qk), dans_da)
        change = select(divides, abs(sub(dans_da_new, dans_da)), full_like(dans_da, 1))
        # numerators and denominators have grown too large: all shrink alike
        rescale = gt(abs(pk), reciprocal(eps))
        (pkm2, pkm1, qkm2, qkm1, dpkm2_da, dqkm2_da, dpkm1_da, dqkm1_da) = (
            select(rescale, mul(v, eps), v) for v in (pkm1, pk, qkm1, qk, dpkm1_da, dqkm1_da, dpk_da, dqk_da)
        )
        changes = above(t, dtypes.finfo(_dtype(t)).eps) if wanted is Wanted.VALUE else gt(change, eps)
        goes_on = bitwise_and(enabled, changes)
        counted = (ans, t, y, z)
        terms = (pkm1, qkm1, pkm2, qkm2, dpkm2_da, dqkm2_da, dpkm1_da, dqkm1_da, dans_da_new)
        return (
            goes_on,
            *(select(enabled, n, o) for n, o in zip(counted, state[1:5], strict=True)),
            c,
            *(select(enabled, n, o) for n, o in zip(terms, state[6:], strict=True)),
        )

    y = sub(const(a, 1), a)
    z = add(add(x, y), const(x, 1))
    pkm2, pkm1, qkm1 = full_like(x, 1), add(x, const(x, 1)), mul(z, x)
    ans = div(pkm1, qkm1)
    t = full_like(x, 1)
    dpkm2_da, dqkm2_da, dpkm1_da = full_like(x, 0), full_like(x, 0), full_like(x, 0)
    dqkm1_da = neg(x)
    dans_da = div(sub(dpkm1_da, mul(ans, dqkm1_da)), qkm1)
    start = (
        enabled, ans, t, y, z, const(x, 0), pkm1, qkm1, pkm2, x, dpkm2_da, dqkm2_da, dpkm1_da, dqkm1_da, dans_da,
    )  # fmt: skip
    _, ans, *_, dans_da = while_loop(holds, advance, start)
    if wanted is Wanted.VALUE:
        return mul(ans, scale)
    dlog_da = sub(log(x), digamma(a))
    if wanted is Wanted.DERIVATIVE:
        return mul(scale, add(mul(ans, dlog_da), dans_da))
    return neg(mul(add(dans_da, mul(ans, dlog_da)), x))


# ---- the functions --------------------------------------------------------------------------------------


def _log_scale(a: Any, x: Any) -> tuple[Any, Any]:
    """``log(x^a e^-x / Γ(a))``, and where its exponential is zero."""
    out = sub(sub(mul(a, log(x)), x), lgamma(a))
    return out, lt(out, neg(log(const(out, dtypes.finfo(_dtype(out)).max))))


_KNOWS_INFINITE_ORDER = JAXLIB_VERSION >= (0, 12)
"""Whether the limit for an infinite ``a`` is given; older JAX gives NaN."""


def _outside(a: Any, x: Any, corners: list[tuple[Any, Any]]) -> Any:
    """Whether the function has no value: an operand is negative, or both are at a corner of the domain."""
    below = lt(x, const(x, 0)), lt(a, const(a, 0))
    both = [bitwise_and(*corner) for corner in corners]
    out = bitwise_or(*below)
    for corner in both:
        out = bitwise_or(out, corner)
    return out


@in_one_shape
def _igamma(a: Any, x: Any) -> Any:
    no_number = bitwise_or(is_nan(a), is_nan(x))
    x_is_infinite = eq(x, const(x, np.inf))
    a_is_infinite = eq(a, const(a, np.inf)) if _KNOWS_INFINITE_ORDER else None
    a_is_zero, x_is_zero = eq(a, const(a, 0)), eq(x, const(x, 0))
    corners = [(a_is_zero, x_is_zero)]
    if a_is_infinite is not None:
        corners.append((a_is_infinite, x_is_infinite))
    undefined = bitwise_or(_outside(a, x, corners), no_number)
    use_upper = bitwise_and(ge(x, const(x, 1)), gt(x, a))
    scale, underflows = _log_scale(a, x)
    scale = exp(scale)
    known = bitwise_or(bitwise_or(bitwise_or(x_is_zero, undefined), underflows), x_is_infinite)
    enabled = bitwise_not(known if a_is_infinite is None else bitwise_or(known, a_is_infinite))
    upper = _continued_fraction(scale, x, a, bitwise_and(enabled, use_upper), Wanted.VALUE)
    upper = sub(const(a, 1), upper)
    lower = _series(scale, x, a, bitwise_and(enabled, bitwise_not(use_upper)), Wanted.VALUE)
    out = select(use_upper, upper, lower)
    if a_is_infinite is not None:
        out = select(a_is_infinite, full_like(out, 0), out)
    out = select(x_is_zero, full_like(out, 0), out)
    out = select(x_is_infinite, full_like(out, 1), out)
    return select(undefined, full_like(out, np.nan), out)


@in_one_shape
def _igammac(a: Any, x: Any) -> Any:
    no_number = bitwise_or(is_nan(a), is_nan(x))
    a_is_zero, x_is_zero = eq(a, const(a, 0)), eq(x, const(x, 0))
    x_is_infinite = eq(x, const(x, np.inf))
    a_is_infinite = eq(a, const(a, np.inf)) if _KNOWS_INFINITE_ORDER else None
    corners = [(a_is_zero, x_is_zero)]
    if a_is_infinite is not None:
        corners.append((a_is_infinite, x_is_infinite))
    undefined = bitwise_or(_outside(a, x, corners), no_number)
    use_lower = bitwise_or(lt(x, const(x, 1)), lt(x, a))
    scale, underflows = _log_scale(a, x)
    known = bitwise_or(bitwise_or(bitwise_or(undefined, underflows), x_is_infinite), a_is_zero)
    enabled = bitwise_not(known if a_is_infinite is None else bitwise_or(known, a_is_infinite))
    scale = exp(scale)
    lower = _series(scale, x, a, bitwise_and(enabled, use_lower), Wanted.VALUE)
    upper = _continued_fraction(scale, x, a, bitwise_and(enabled, bitwise_not(use_lower)), Wanted.VALUE)
    out = select(use_lower, sub(const(a, 1), lower), upper)
    if a_is_infinite is not None:
        out = select(a_is_infinite, full_like(out, 1), out)
    out = select(bitwise_or(x_is_infinite, a_is_zero), full_like(out, 0), out)
    return select(undefined, full_like(a, np.nan), out)


def _derivative(a: Any, x: Any, wanted: Wanted) -> Any:
    no_number = bitwise_or(is_nan(a), is_nan(x))
    x_is_zero = eq(x, full_like(x, 0))
    outside = bitwise_or(lt(x, full_like(x, 0)), le(a, full_like(a, 0)))
    use_upper = bitwise_and(gt(x, full_like(x, 1)), gt(x, a))
    scale, underflows = _log_scale(a, x)
    scale = exp(scale)
    enabled = bitwise_not(bitwise_or(bitwise_or(bitwise_or(x_is_zero, outside), underflows), no_number))
    upper = neg(_continued_fraction(scale, x, a, bitwise_and(enabled, use_upper), wanted))
    lower = _series(scale, x, a, bitwise_and(enabled, bitwise_not(use_upper)), wanted)
    out = select(use_upper, upper, lower)
    out = select(x_is_zero, full_like(out, 0), out)
    return select(bitwise_or(outside, no_number), full_like(a, np.nan), out)


def _density(a: Any, x: Any) -> Any:
    """The derivative of the lower share in ``x``: ``x^(a-1) e^-x / Γ(a)``."""
    return exp(sub(add(neg(x), mul(sub(a, full_like(a, 1)), log(x))), lgamma(a)))


igamma_p = nary(
    "igamma",
    [FLOAT, FLOAT],
    lower=composite(_igamma),
    jvp=per_operand(lambda t, a, x: mul(t, igamma_grad_a(a, x)), lambda t, a, x: mul(t, _density(a, x))),
)
igammac_p = nary(
    "igammac",
    [FLOAT, FLOAT],
    lower=composite(_igammac),
    jvp=per_operand(
        lambda t, a, x: neg(mul(t, igamma_grad_a(a, x))), lambda t, a, x: neg(mul(t, _density(a, x)))
    ),
)
igamma_grad_a_p = nary(
    "igamma_grad_a",
    [FLOAT, FLOAT],
    lower=composite(in_one_shape(lambda a, x: _derivative(a, x, Wanted.DERIVATIVE))),
    jvp=Undefined("a second derivative in the order has no series here"),
)


def igamma(a, x):
    """The lower incomplete gamma function, regularised: ``∫₀ˣ s^(a-1) e^-s ds / Γ(a)``."""
    return igamma_p.bind(a, x)


def igammac(a, x):
    """The upper incomplete gamma function, regularised: one minus `igamma`."""
    return igammac_p.bind(a, x)


def igamma_grad_a(a, x):
    """The derivative of `igamma` in ``a``."""
    return igamma_grad_a_p.bind(a, x)


def random_gamma_grad(a, x):
    """The derivative in ``a`` of a sample ``x`` of the gamma distribution, its random numbers held fixed."""
    return in_one_shape(lambda a, x: _derivative(a, x, Wanted.SAMPLE_DERIVATIVE))(a, x)
