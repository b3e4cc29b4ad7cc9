"""How observed variables vary together: covariances and correlations."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.engine.api.jit import jit
from jaxnb.engine.core import dtypes
from jaxnb.numpy.arguments import ensure_arraylike
from jaxnb.numpy.contraction import dot
from jaxnb.numpy.creation import asarray, full
from jaxnb.numpy.division import true_divide
from jaxnb.numpy.elementary import conj, imag, real, sqrt
from jaxnb.numpy.joining import concatenate
from jaxnb.numpy.limits import clip
from jaxnb.numpy.means import average
from jaxnb.numpy.promotion import promote_args_inexact
from jaxnb.numpy.reductions import sum
from jaxnb.numpy.shapes import atleast_2d, reshape
from jaxnb.numpy.triangles import diag


def _weights(name: str, given: Any, count: int) -> Any:
    """The weights of observations as numbers that are not negative.

    Raises:
        RuntimeError: there is not one for each observation.
    """
    found = ensure_arraylike("cov", given)
    if found.ndim > 1:
        raise RuntimeError(f"cannot handle multidimensional {name}")
    if found.shape[0] != count:
        raise RuntimeError(f"incompatible numbers of samples and {name}")
    return found


@functools.partial(jit, static_argnames=("rowvar", "bias", "ddof", "dtype"))
def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, dtype=None):
    """The covariances of variables.

    Args:
        m: observations of one variable, ``[n]``, or of several, ``[k, n]``.
        y: further variables, as ``m``.
        rowvar: whether a row is a variable; otherwise a column is.
        bias: whether the sums are divided by the number of observations; otherwise by one less.
        ddof: what is subtracted from the number of observations instead.
        fweights: how often each observation is counted; integers.
        aweights: how much each observation counts.
        dtype: element type of the result.

    Returns:
        ``[k, k]``; a scalar for one variable.

    Raises:
        TypeError: ``fweights`` are no integers.
        ValueError: ``m`` or ``y`` has more than two axes, or ``dtype`` is neither floating nor complex.
        RuntimeError: the weights are not one for each observation.
    """
    if dtype is not None:
        if not dtypes.issubdtype(dtype, np.inexact):
            raise ValueError(f"cov: dtype must be a subclass of float or complex; got {dtype=}")
        dtype = dtypes.check_user_dtype_supported(dtype, "cov")
    if y is not None:
        m, y = promote_args_inexact("cov", m, y)
        if np.ndim(y) > 2:
            raise ValueError("y has more than 2 dimensions")
    else:
        (m,) = promote_args_inexact("cov", m)
    if m.ndim > 2:
        raise ValueError("m has more than 2 dimensions")
    x = _in_rows(m, rowvar or m.ndim == 1, dtype)
    if y is not None:
        x = concatenate([x, _in_rows(y, rowvar or np.shape(y)[0] == 1, dtype)], axis=0)
    if x.shape[0] == 0:
        return reshape(asarray(np.zeros(0, x.dtype)), (0, 0))
    if ddof is None:
        ddof = 0 if bias else 1
    count = x.shape[1]
    weights = None
    if fweights is not None:
        weights = _weights("fweights", fweights, count)
        if not dtypes.issubdtype(weights.dtype, np.integer):
            raise TypeError("fweights must be integer.")
        weights = lax.abs(weights)
    if aweights is not None:
        aweights = lax.abs(_weights("aweights", aweights, count))
        weights = aweights if weights is None else weights * aweights
    if count == 0:
        size = x.shape[0]
        return full((size, size) if size > 1 else (), np.nan, x.dtype)
    means, totals = average(x, axis=1, weights=weights, returned=True)
    total = totals[0]
    if weights is None:
        norm = count - ddof
    elif ddof == 0:
        norm = total
    elif aweights is None:
        norm = total - ddof
    else:
        norm = total - ddof * sum(weights * aweights) / total
    x = x - means[:, None]
    other = (
        x.T if weights is None else lax.transpose(x * lax.broadcast_in_dim(weights, (1, count), (1,)), (1, 0))
    )
    return true_divide(dot(x, conj(other)), norm).squeeze()


def _in_rows(x: Any, rowvar: bool, dtype: Any) -> Any:
    x = atleast_2d(x)
    if dtype is not None:
        x = lax.convert_element_type(x, dtype)
    return x if rowvar else x.T


@functools.partial(jit, static_argnames=("rowvar", "dtype"))
def corrcoef(x, y=None, rowvar=True, dtype=None):
    """The correlations of variables, between -1 and 1; arguments and result as those of ``cov``."""
    x = ensure_arraylike("corrcoef", x)
    c = cov(x, y, rowvar, dtype=dtype)
    if not c.shape:
        return c / c
    deviations = lax.convert_element_type(sqrt(real(diag(c))), c.dtype)
    c = c / deviations[:, None] / deviations[None, :]
    if dtypes.issubdtype(c.dtype, np.complexfloating):
        return lax.complex(clip(real(c), -1, 1), clip(imag(c), -1, 1))
    return clip(c, -1, 1)
