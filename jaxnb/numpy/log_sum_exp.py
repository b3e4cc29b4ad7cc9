"""The logarithm of a sum of exponentials over axes, which both ``nn`` and ``scipy.special`` show."""

from __future__ import annotations

from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.engine.core import dtypes
from jaxnb.engine.ops.staging import stage
from jaxnb.numpy.arguments import check_arraylike, promote_dtypes_inexact
from jaxnb.numpy.elementary import real
from jaxnb.numpy.promotion import constant_like, promote_args_inexact
from jaxnb.numpy.reductions import max, reduced_axes, static_axis, sum
from jaxnb.numpy.selection import choose
from jaxnb.numpy.shapes import expand_dims


def _is_complex(x: Any) -> bool:
    return dtypes.issubdtype(dtypes.dtype(x), np.complexfloating)


def logsumexp(a, axis=None, b=None, keepdims=False, return_sign=False, where=None):
    """``log(sum(b · e^a))`` over the axes, exact where ``e^a`` itself would overflow.

    Args:
        a: the exponents.
        axis: axis or axes to sum over; None: all.
        b: factors; 1 by default.
        keepdims: whether reduced axes stay with size one.
        return_sign: whether to return the logarithm of the magnitude, and the sign beside it.
        where: truth values; elements where it is False are left out.
    """
    if b is None:
        check_arraylike("logsumexp", a)
        (a,) = promote_dtypes_inexact(a)
    else:
        a, b = map(stage, promote_args_inexact("logsumexp", a, b))
    if where is not None:
        a = choose(where, a, 0)
    if b is not None:
        a = choose(lax.ne(b, constant_like(b, 0)), a, -np.inf)
    axes = reduced_axes(a, static_axis(axis))
    exponents = real(a) if _is_complex(a) else a
    largest = max(exponents, axis=axes, keepdims=keepdims, where=where, initial=-np.inf)
    largest = lax.stop_gradient(lax.select(lax.is_finite(largest), largest, lax.full_like(largest, 0)))
    along = largest if keepdims else expand_dims(largest, axes)
    terms = lax.exp(lax.sub(a, along.astype(a.dtype)))
    if b is not None:
        terms = terms * b
    total = sum(terms, axis=axes, keepdims=keepdims, where=where)
    sign = lax.sign(total)
    if return_sign or not _is_complex(total):
        total = abs(total)
    out = lax.log(total)
    out = lax.add(out, largest.astype(out.dtype))
    if return_sign:
        return out, sign
    return out if b is None or _is_complex(out) else choose(sign < 0, constant_like(out, np.nan), out)
