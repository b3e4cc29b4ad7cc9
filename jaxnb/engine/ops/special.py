"""Special functions that the compiler knows: inverse error function, gamma functions, Bessel functions, zeta.

Those whose rules need control flow (the error function, incomplete gamma and beta functions) live in ``engine/linalg``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from jaxnb.engine.core.avals import get_aval
from jaxnb.engine.core.rules import Undefined, composite, per_operand, per_operand_out
from jaxnb.engine.ops.arithmetic import add, div, mul, neg, reciprocal, square, sub
from jaxnb.engine.ops.comparison import gt, le
from jaxnb.engine.ops.conversion import convert
from jaxnb.engine.ops.elementwise import FLOAT, const, filled_like, lower_to, nary, unary
from jaxnb.engine.ops.exponential import exp, sqrt
from jaxnb.engine.ops.magnitude import abs, sign
from jaxnb.engine.ops.selection import select
from jaxnb.engine.ops.special_tables import BESSEL_I0E


def _chlo(name: str) -> Any:
    return lower_to(name, dialect="chlo")


# the inverse error function

erf_inv_p = unary(
    "erf_inv",
    FLOAT,
    lower=_chlo("erf_inv"),
    jvp=per_operand_out(lambda t, ans, x: mul(const(x, np.sqrt(np.pi) / 2), mul(t, exp(square(ans))))),
)


def erf_inv(x):
    """The inverse of the error function."""
    return erf_inv_p.bind(x)


# gamma functions

lgamma_p = unary("lgamma", FLOAT, lower=_chlo("lgamma"), jvp=per_operand(lambda t, x: mul(t, digamma(x))))
digamma_p = unary(
    "digamma", FLOAT, lower=_chlo("digamma"), jvp=per_operand(lambda t, x: mul(t, polygamma(const(x, 1), x)))
)


def _polygamma_order_tangent(t: Any, m: Any, x: Any) -> Any:
    raise ValueError("polygamma gradient with respect to m is not supported")


polygamma_p = nary(
    "polygamma",
    (FLOAT, FLOAT),
    lower=_chlo("polygamma"),
    jvp=per_operand(_polygamma_order_tangent, lambda t, m, x: mul(t, polygamma(add(m, const(m, 1)), x))),
)
zeta_p = nary("zeta", (FLOAT, FLOAT), lower=_chlo("zeta"), jvp=Undefined("no derivative is known here"))


def lgamma(x):
    """The logarithm of the absolute value of the gamma function."""
    return lgamma_p.bind(x)


def digamma(x):
    """The derivative of `lgamma`."""
    return digamma_p.bind(x)


def polygamma(m, x):
    """The derivative of order ``m`` of `digamma`."""
    return polygamma_p.bind(m, x)


def zeta(x, q):
    """The Hurwitz zeta function."""
    return zeta_p.bind(x, q)


# Bessel functions


def _chebyshev(x: Any, coefficients: Sequence[float]) -> Any:
    """A Chebyshev series by Clenshaw's recurrence, with the last halving.

    Source: S. L. Moshier, Cephes Mathematical Library.
    """
    b0, b1, b2 = (filled_like(x, 0) for _ in range(3))
    for c in coefficients:
        b2, b1 = b1, b0
        b0 = add(sub(mul(x, b1), b2), filled_like(x, c))
    difference = sub(b0, b2)
    return mul(filled_like(x, 0.5), difference)


def _bessel_i0e(x: Any) -> Any:
    dtype = get_aval(x).dtype
    if dtype not in BESSEL_I0E:
        return convert(_bessel_i0e(convert(x, np.float32, False)), dtype, False)
    near, far = BESSEL_I0E[dtype]
    x = abs(x)
    half, two, wide = (filled_like(x, v) for v in (0.5, 2, 32))
    small = _chebyshev(sub(mul(half, x), two), near)
    large = div(_chebyshev(sub(div(wide, x), two), far), sqrt(x))
    return select(le(x, filled_like(x, 8)), small, large)


def _bessel_i1e_slope(ans: Any, x: Any) -> Any:
    """``i0e(x) - i1e(x) · (sign x + 1/x)``, one half near zero."""
    eps = np.finfo(get_aval(x).dtype).eps
    is_far = gt(abs(x), const(x, eps))
    safe = select(is_far, x, filled_like(x, eps))
    slope = sub(bessel_i0e(safe), mul(ans, add(sign(safe), reciprocal(safe))))
    return select(is_far, slope, filled_like(x, 0.5))


bessel_i0e_p = unary(
    "bessel_i0e",
    FLOAT,
    lower=composite(_bessel_i0e),
    jvp=per_operand_out(lambda t, ans, x: mul(t, sub(bessel_i1e(x), mul(sign(x), ans)))),
)
bessel_i1e_p = unary(
    "bessel_i1e",
    FLOAT,
    lower=_chlo("bessel_i1e"),
    jvp=per_operand_out(lambda t, ans, x: mul(t, _bessel_i1e_slope(ans, x))),
)


def bessel_i0e(x):
    """The modified Bessel function of order zero times ``e^-|x|``."""
    return bessel_i0e_p.bind(x)


def bessel_i1e(x):
    """The modified Bessel function of order one times ``e^-|x|``."""
    return bessel_i1e_p.bind(x)
