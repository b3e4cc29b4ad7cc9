"""``i0`` and its derivative, by the formulas that each version of the oracle has."""

from __future__ import annotations

import functools
import math

import numpy as np

from jaxnb import lax
from jaxnb.engine.api.grad import jvp
from jaxnb.engine.api.jit import jit
from jaxnb.engine.control.custom_rules import custom_jvp
from jaxnb.engine.core import dtypes
from jaxnb.engine.ops.elementwise import const
from jaxnb.numpy.promotion import constant_like, promote_args_inexact
from jaxnb.numpy.selection import choose
from jaxnb.xla.version import JAXLIB_VERSION

_HAS_I1 = JAXLIB_VERSION >= (0, 12)
"""Whether the derivative is a function with a derivative of its own; before, it is that of the formula of `i0`."""


@custom_jvp
def _i0(x):
    size = lax.abs(x)
    return lax.mul(lax.exp(size), lax.bessel_i0e(size))


@_i0.defjvp
def _i0_jvp(primals, tangents):
    (x,), (t,) = primals, tangents
    if _HAS_I1:
        return _i0(x), lax.mul(t, _i1(x))
    out, tangent = jvp(_i0.fun, primals, tangents)
    return out, choose(lax.eq(x, constant_like(x, 0)), 0.0, tangent)


@custom_jvp
def _i1(x):
    return lax.mul(lax.exp(lax.abs(x)), lax.bessel_i1e(x))


@_i1.defjvp
def _i1_jvp(primals, tangents):
    (x,), (t,) = primals, tangents
    out, tangent = jvp(_i1.fun, primals, tangents)
    near_zero = lax.le(lax.abs(x), constant_like(x, math.sqrt(dtypes.finfo(x.dtype).eps)))
    return out, choose(near_zero, lax.mul(_i1_maclaurin(1, x), t), tangent)


@functools.partial(custom_jvp, nondiff_argnums=(0,))
def _i1_maclaurin(k, x):
    """The first term of the derivative of order ``k`` of ``i1`` at zero."""
    m = k // 2
    power = 2 * m + 1
    factor = math.factorial(power) / (2**power * math.factorial(m) * math.factorial(m + 1))
    return lax.full_like(x, factor) if k % 2 else lax.mul(const(x, factor), x)


@_i1_maclaurin.defjvp
def _i1_maclaurin_jvp(k, primals, tangents):
    (x,), (t,) = primals, tangents
    return _i1_maclaurin(k, x), lax.mul(_i1_maclaurin(k + 1, x), t)


if _HAS_I1:  # the names that stand in a program changed with the same version
    _i0.fun.__name__ = "i0_impl"
    _i0_jvp.__name__ = "i0_impl_jvp"
    _i1_jvp.__name__ = "i1_impl_jvp"


@jit
def i0(x):
    """The modified Bessel function of order zero."""
    given = x
    (x,) = promote_args_inexact("i0", x)
    if not dtypes.issubdtype(x.dtype, np.floating):
        raise ValueError(f"Unsupported input type to jax.numpy.i0: {dtypes.dtype(given)}")
    return _i0(x)
