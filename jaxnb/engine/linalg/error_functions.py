"""The error function and its complement; their derivative needs a function with a rule of its own.

The inverse and the other special functions that the compiler knows live in ``ops/special.py``.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from jaxnb.engine.control.custom_rules import custom_jvp
from jaxnb.engine.control.polynomial import polynomial
from jaxnb.engine.core.avals import get_aval
from jaxnb.engine.core.rules import per_operand
from jaxnb.engine.ops.accuracy import AccuracyMode
from jaxnb.engine.ops.arithmetic import add, mul, neg, square, sub
from jaxnb.engine.ops.bitwise import bitwise_and
from jaxnb.engine.ops.comparison import lt
from jaxnb.engine.ops.conversion import bitcast_convert_type
from jaxnb.engine.ops.elementwise import FLOAT, const, filled_like, lower_to, unary
from jaxnb.engine.ops.exponential import exp
from jaxnb.engine.ops.magnitude import abs, min
from jaxnb.engine.ops.selection import select
from jaxnb.xla.version import JAXLIB_VERSION

# By dtype: beyond which size the result is zero, the bits of the upper half of a number, terms of the series.
_halves: dict[Any, tuple[float, np.generic, int]] = {
    np.dtype("float32"): (11.0, np.uint32(0xFFFFF000), 5),
    np.dtype("float64"): (28.0, np.uint64(0xFFFFFFFFF8000000), 4),
}


@custom_jvp
def exp_neg_sq(x):
    """``exp(-x²)``, the square split in two so that rounding it does not show."""
    dtype = get_aval(x).dtype  # pyright: ignore[reportAttributeAccessIssue]
    if dtype not in _halves:
        return exp(neg(square(x)))
    bound, upper_bits, terms = _halves[dtype]
    size = min(abs(x), const(x, bound))
    bits = bitcast_convert_type(size, upper_bits.dtype)
    upper = bitcast_convert_type(bitwise_and(bits, upper_bits), dtype)
    rest = sub(size, upper)
    whole = mul(upper, upper)
    correction = mul(rest, add(size, upper))
    main = exp(neg(whole), accuracy=AccuracyMode.HIGHEST)
    small = neg(correction)
    series = polynomial(small, [const(x, 1 / math.factorial(k + 1)) for k in range(terms)])
    return add(main, mul(main, mul(small, series)))


@exp_neg_sq.defjvp
def _exp_neg_sq_jvp(primals, tangents):
    (x,), (t,) = primals, tangents
    out = exp_neg_sq(x)
    bound = _halves.get(get_aval(x).dtype, (28.0,))[0]  # pyright: ignore[reportAttributeAccessIssue]
    inside = select(lt(abs(x), const(x, bound)), x, filled_like(x, 0))
    return out, mul(mul(mul(const(x, -2), inside), out), t)


def _gauss(x: Any) -> Any:
    """``exp(-x²)``."""
    return exp_neg_sq(x) if JAXLIB_VERSION >= (0, 12) else exp(neg(square(x)))


erf_p = unary(
    "erf",
    FLOAT,
    lower=lower_to("erf", dialect="chlo"),
    jvp=per_operand(lambda t, x: _scaled_gauss(2 / np.sqrt(np.pi), t, x)),
)
erfc_p = unary(
    "erfc",
    FLOAT,
    lower=lower_to("erfc", dialect="chlo"),
    jvp=per_operand(lambda t, x: _scaled_gauss(-2 / np.sqrt(np.pi), t, x)),
)


def _scaled_gauss(factor: float, t: Any, x: Any) -> Any:
    return mul(const(x, factor), mul(t, _gauss(x)))


def erf(x):
    """The error function."""
    return erf_p.bind(x)


def erfc(x):
    """One minus the error function."""
    return erfc_p.bind(x)
