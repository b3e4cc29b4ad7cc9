"""``sinc``, by the formula that each version of the oracle has."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.engine.api.jit import jit
from jaxnb.engine.control.custom_rules import custom_jvp
from jaxnb.engine.control.polynomial import polynomial
from jaxnb.engine.core import dtypes
from jaxnb.engine.ops.elementwise import const
from jaxnb.numpy.promotion import constant_like, promote_args_inexact
from jaxnb.numpy.selection import choose
from jaxnb.xla.version import JAXLIB_VERSION


@jit
def sinc(x, /):
    """``sin(πx) / πx``, one at zero."""
    (x,) = promote_args_inexact("sinc", x)
    if JAXLIB_VERSION < (0, 12):
        return _by_quotient(x)
    if dtypes.issubdtype(x.dtype, np.complexfloating):
        return _complex_by_series(x)
    dtype = x.dtype
    if dtypes.finfo(dtype).bits == 16:
        return lax.convert_element_type(_by_series(lax.convert_element_type(x, np.float32)), dtype)
    return _by_series(x)


# before jaxlib 0.12


def _by_quotient(x: Any) -> Any:
    at_zero = lax.eq(x, const(x, 0))
    angle = lax.mul(const(x, np.pi), x)
    safe = choose(at_zero, const(x, 1), angle)
    return choose(at_zero, _sinc_maclaurin(0, angle), lax.div(lax.sin(safe), safe))


@functools.partial(custom_jvp, nondiff_argnums=(0,))
def _sinc_maclaurin(k, x):
    """The derivative of order ``k`` of ``sin(x) / x`` at zero, as a function of ``x``."""
    zero = lax.mul(x, const(x, 0))
    return zero if k % 2 else lax.add(zero, const(x, (-1) ** (k // 2) / (k + 1)))


@_sinc_maclaurin.defjvp
def _sinc_maclaurin_jvp(k, primals, tangents):
    (x,), (t,) = primals, tangents
    return _sinc_maclaurin(k, x), lax.mul(_sinc_maclaurin(k + 1, x), t)


# from jaxlib 0.12 on: the sine of the distance to the nearest integer, by its series

_terms = {"float32": 6, "float64": 11, "complex64": 6, "complex128": 10}


def _by_series(x: Any) -> Any:
    nearest = lax.stop_gradient(lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN))
    infinite = lax.eq(lax.abs(x), const(x, np.inf))
    rest = choose(infinite, 0, lax.sub(x, nearest))
    squared = lax.mul(rest, rest)
    terms = range(1, _terms[x.dtype.name] + 1)
    series = np.array([(-1) ** k * np.pi ** (2 * k) / math.factorial(2 * k + 1) for k in terms], x.dtype)
    correction = lax.mul(squared, polynomial(squared, list(series)))
    near_zero = lax.add(const(x, 1), correction)
    sine = lax.add(rest, lax.mul(rest, correction))
    half = lax.round(lax.mul(const(x, 0.5), nearest), lax.RoundingMethod.TO_NEAREST_EVEN)
    is_odd = lax.ne(lax.mul(const(x, 2), half), nearest)
    is_zero = lax.eq(nearest, const(x, 0))
    quotient = lax.div(sine, choose(is_odd, lax.neg(x), choose(is_zero, 1, x)))
    # at the other integers zero, yet with the quotient's derivative
    at_integer = lax.eq(rest, const(x, 0))
    quotient = choose(at_integer, lax.sub(quotient, lax.stop_gradient(quotient)), quotient)
    return choose(is_zero, near_zero, quotient)


def _complex_by_series(x: Any) -> Any:
    far = lax.abs(lax.real(x))
    part = lax.real(x)
    vanishes = lax.bitwise_and(lax.eq(far, constant_like(part, np.inf)), lax.is_finite(lax.imag(x)))
    one, zero = constant_like(x, 1), constant_like(x, 0)
    angle = choose(vanishes, one, lax.mul(constant_like(x, np.pi), x))
    is_small = lax.lt(lax.abs(angle), constant_like(part, 1))
    small, large = choose(is_small, angle, zero), choose(is_small, one, angle)
    terms = range(_terms[x.dtype.name])
    series = polynomial(
        lax.square(small), [constant_like(x, (-1) ** k / math.factorial(2 * k + 1)) for k in terms]
    )
    quotient = lax.div(lax.sin(large), large)
    return choose(vanishes, zero, choose(is_small, series, quotient))
