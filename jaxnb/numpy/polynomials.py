"""Polynomials as rows of coefficients, the highest power first: their values, sums, quotients, derivatives, integrals.

Roots need eigenvalues and products need convolutions; neither is here.
"""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.engine.api.jit import jit
from jaxnb.engine.core import dtypes
from jaxnb.engine.ops.axes import broadcast_shapes
from jaxnb.numpy.arguments import concrete, ensure_arraylike, promote_dtypes, promote_dtypes_inexact
from jaxnb.numpy.arithmetic import greater_of
from jaxnb.numpy.creation import arange, full, zeros
from jaxnb.numpy.division import true_divide
from jaxnb.numpy.joining import concatenate
from jaxnb.numpy.reductions import prod
from jaxnb.numpy.shapes import atleast_1d, broadcast_to
from jaxnb.numpy.ufunc_objects import multiply
from jaxnb.xla.version import JAXLIB_VERSION

if JAXLIB_VERSION >= (0, 12):
    from jaxnb.engine.control.polynomial import polynomial

_UNROLL = 16
"""How many steps of Horner's rule are written out in one turn of the loop."""


@functools.partial(jit, static_argnames=("unroll",))
def polyval(p, x, *, unroll=None):
    """The values of a polynomial.

    Args:
        p: coefficients, ``[n]``, the highest power first; further axes are as many polynomials.
        x: where values are wanted.
        unroll: how many steps are written out in one turn of a loop.

    Returns:
        Values in the common type, of ``x``'s shape (stretched by ``p``'s further axes).

    Raises:
        TypeError: ``p`` or ``x`` is no array.
    """
    p, x = ensure_arraylike("polyval", p, x)
    p, x = promote_dtypes(p, x)
    shape = broadcast_shapes(p.shape[1:], x.shape)
    if JAXLIB_VERSION >= (0, 12):
        x = _of_rank(x, len(shape))
        coefficients = [_of_rank(p[i], len(shape)) for i in range(p.shape[0] - 1, -1, -1)]
        return polynomial(x, coefficients, unroll=unroll)
    start = full(shape, 0, x.dtype)
    out, _ = lax.scan(lambda y, c: (y * x + c, None), start, p, unroll=_UNROLL if unroll is None else unroll)
    return out


def _of_rank(x: Any, rank: int) -> Any:
    return lax.broadcast_to_rank(x, rank) if x.ndim else x


@jit
def polyadd(a1, a2):
    """The coefficients of the sum of two polynomials.

    Args:
        a1: coefficients, ``[n]``, the highest power first.
        a2: coefficients, ``[m]``.

    Returns:
        ``[max(n, m)]`` in the common type.

    Raises:
        TypeError: an argument is no array.
    """
    a1, a2 = ensure_arraylike("polyadd", a1, a2)
    a1, a2 = promote_dtypes(a1, a2)
    if a2.shape[0] <= a1.shape[0]:
        return a1.at[-a2.shape[0] :].add(a2)
    return a2.at[-a1.shape[0] :].add(a1)


@jit
def polysub(a1, a2):
    """The coefficients of the difference of two polynomials; arguments as those of ``polyadd``."""
    a1, a2 = ensure_arraylike("polysub", a1, a2)
    a1, a2 = promote_dtypes(a1, a2)
    return polyadd(a1, -a2)


def _falling_factors(first: int, last: int, m: int, dtype: Any, *, at_least_one: bool) -> Any:
    """For each power from ``first`` to before ``last``, the product of it and of the ``m - 1`` powers below it."""
    below = arange(first, last, dtype=dtype)[None] - arange(m, dtype=dtype)[:, None]
    return prod(greater_of(1, below) if at_least_one else below, axis=0)


@functools.partial(jit, static_argnames=("m",))
def polyder(p, m=1):
    """The coefficients of a derivative of a polynomial.

    Args:
        p: coefficients, ``[n]``, the highest power first.
        m: how many times the derivative is taken.

    Returns:
        ``[max(n - m, 0)]`` in an inexact type.

    Raises:
        TypeError: ``p`` is no array, or ``m`` no integer.
        ValueError: ``m`` is negative.
    """
    p = ensure_arraylike("polyder", p)
    m = operator.index(m)
    (p,) = promote_dtypes_inexact(p)
    if m < 0:
        raise ValueError("Order of derivative must be positive")
    if m == 0:
        return p
    factors = _falling_factors(m, len(p), m, p.dtype, at_least_one=False)
    return multiply(p[:-m], factors[::-1])


@functools.partial(jit, static_argnames=("m",))
def polyint(p, m=1, k=None):
    """The coefficients of an integral of a polynomial.

    Args:
        p: coefficients, ``[n]``, the highest power first.
        m: how many times the integral is taken.
        k: the constants of integration, ``[m]``, the first integral's first; or one for all. Zero by default.

    Returns:
        ``[n + m]`` in an inexact type.

    Raises:
        TypeError: ``p`` is no array, or ``m`` no integer.
        ValueError: ``m`` is negative, or there is another number of constants.
    """
    m = operator.index(m)
    k = 0 if k is None else k
    p, k = ensure_arraylike("polyint", p, k)
    p, k = promote_dtypes_inexact(p, k)
    if m < 0:
        raise ValueError("Order of integral must be positive (see polyder)")
    k = atleast_1d(k)
    if len(k) == 1:
        k = broadcast_to(k[0], (m,))
    if k.shape != (m,):
        raise ValueError("k must be a scalar or a rank-1 array of length 1 or m.")
    if m == 0:
        return p
    factors = _falling_factors(0, len(p) + m, m, p.dtype, at_least_one=True)[::-1]
    return true_divide(concatenate([p, k]), factors)


def polydiv(u, v, *, trim_leading_zeros=False):
    """The coefficients of the quotient and of the remainder of two polynomials.

    Args:
        u: coefficients of the dividend, ``[n]``, the highest power first.
        v: coefficients of the divisor, ``[m]``.
        trim_leading_zeros: whether to leave out what is nearly zero in front of the remainder; it must be known then.

    Returns:
        The quotient, ``[max(n - m + 1, 1)]``, and the remainder, ``[n]`` unless zeros are left out, in an inexact type.

    Raises:
        TypeError: an argument is no array.
        IndexError: there is no coefficient in ``v``.
        ConcretizationTypeError: zeros are to be left out of what is traced.
    """
    u, v = ensure_arraylike("polydiv", u, v)
    u, v = promote_dtypes_inexact(u, v)
    m, n = len(u) - 1, len(v) - 1
    scale = 1.0 / v[0]
    quotient = zeros(max(m - n + 1, 1), dtype=u.dtype)
    for k in range(m - n + 1):
        factor = scale * u[k]
        quotient = quotient.at[k].set(factor)
        u = u.at[k : k + n + 1].add(-factor * v)
    return quotient, _without_leading_zeros(u) if trim_leading_zeros else u


def _without_leading_zeros(x: Any) -> Any:
    """The coefficients without those in front that are zero but for rounding."""
    known = np.asarray(concrete(x, "Error arose in the `filt` argument of trim_zeros_tol()"))
    (places,) = np.nonzero(np.abs(known) > np.sqrt(dtypes.finfo(x.dtype).eps))
    return x[int(places[0]) :] if places.size else x[:0]
