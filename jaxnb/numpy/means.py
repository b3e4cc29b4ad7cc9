"""Means and spreads over axes: mean, average, var, std, ptp, and counting.

The reductions they are made of are in ``reductions.py``.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.engine.api.jit import jit
from jaxnb.engine.core import dtypes
from jaxnb.engine.ops.axes import canonicalize_axis
from jaxnb.numpy.arguments import check_arraylike, ensure_arraylike, promote_dtypes_inexact
from jaxnb.numpy.reductions import check_where, is_half_precision, max, min, refuse_out, static_axis, sum
from jaxnb.numpy.selection import choose


def axis_size(a: Any, axis: Any) -> int:
    """How many elements a reduction over ``axis`` takes together."""
    shape = np.shape(a)
    if axis is None:
        return math.prod(shape)
    axes = (axis,) if isinstance(axis, int) else axis
    for name in axes:
        if isinstance(name, str):
            raise NameError(f"unbound axis name: {name}")
    return math.prod(shape[i] for i in axes)


def _upcast_half(dtype: Any) -> Any:
    return np.dtype(np.float32) if is_half_precision(dtype) else dtype


def reduced_count(a: Any, axis: Any, where: Any, dtype: Any, keepdims: bool) -> Any:
    """How many elements are reduced, as a scalar or, with ``where``, for each place of the result."""
    if where is None:
        return lax.convert_element_type(axis_size(a, axis), dtype)
    return sum(_spread(where, np.shape(a)), axis, dtype=dtype, keepdims=keepdims)


def _spread(x: Any, shape: tuple[int, ...]) -> Any:
    """The array stretched to a shape, aligned at the last axis."""
    given = np.shape(x)
    fits = len(given) <= len(shape) and all(
        a in (1, b) for a, b in zip(given[::-1], shape[::-1], strict=False)
    )
    if not fits:
        short = dtypes.short_dtype_name(dtypes.dtype(x, canonicalize=True))
        raise ValueError(
            f"Incompatible types for broadcasting: input type={short}[{','.join(map(str, given))}] "
            f"and requested type={short}[{','.join(map(str, shape))}]"
        )
    return lax.broadcast_in_dim(x, shape, range(len(shape) - len(given), len(shape)))


@functools.partial(jit, static_argnames=("axis", "dtype", "keepdims", "upcast"), inline=True)
def _mean(a, axis=None, dtype=None, out=None, keepdims=False, *, upcast=True, where=None):
    check_arraylike("mean", a)
    where = check_where("mean", where)
    if dtype is None:
        result = dtypes.to_inexact_dtype(dtypes.dtype(a, canonicalize=True))
        inside = _upcast_half(result) if upcast else result
    else:
        result = inside = dtypes.check_user_dtype_supported(dtype, "mean")
    count = reduced_count(a, axis, where, inside, keepdims)
    total = sum(a, axis, dtype=inside, keepdims=keepdims, where=where)
    return lax.convert_element_type(lax.div(total, count), result)


def mean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=None):
    """The mean of the elements over the axes; arguments as those of ``sum``."""
    refuse_out("mean", out)
    return _mean(a, axis=static_axis(axis), dtype=dtype, keepdims=keepdims, where=where)


# Averages


@functools.partial(jit, static_argnames=("axis", "returned", "keepdims"), inline=True)
def _average(a, axis=None, weights=None, returned=False, keepdims=False):
    if weights is None:
        a = ensure_arraylike("average", a)
        (a,) = promote_dtypes_inexact(a)
        if axis is not None:
            axis = _distinct_axes(a, axis)
        found = mean(a, axis=axis, keepdims=keepdims)
        if not returned:
            return found
        size = axis_size(a, axis)
        return found, lax.full_like(found, size, dtype=found.dtype)
    a, weights = ensure_arraylike("average", a, weights)
    a, weights = promote_dtypes_inexact(a, weights)
    if a.shape != weights.shape:
        weights = _weights_along(a, weights, axis)
    total = sum(weights, axis=axis, keepdims=keepdims)
    found = lax.div(sum(lax.mul(a, weights), axis=axis, keepdims=keepdims), total)
    if not returned:
        return found
    return found, total if total.shape == found.shape else _spread(total, found.shape)


def _distinct_axes(a: Any, axis: Any) -> tuple[int, ...]:
    axes = (axis,) if isinstance(axis, int) else axis
    found = tuple(canonicalize_axis(i, a.ndim) for i in axes)
    if len(found) != len(set(found)):
        raise ValueError(f"repeated axis: {found}")
    return found


def _weights_along(a: Any, weights: Any, axis: Any) -> Any:
    """One-dimensional weights laid along an axis of ``a``."""
    if axis is None:
        raise ValueError("Axis must be specified when shapes of a and weights differ.")
    axes = _distinct_axes(a, axis)
    if weights.shape != tuple(a.shape[i] for i in axes):
        raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
    weights = lax.transpose(weights, tuple(int(i) for i in np.argsort(axes)))
    return lax.reshape(weights, tuple(size if i in axes else 1 for i, size in enumerate(a.shape)))


def average(a, axis=None, weights=None, returned=False, keepdims=False):
    """The mean of the elements, each counted with its weight; with ``returned`` the sum of weights, too."""
    return _average(a, static_axis(axis), weights, returned, keepdims)


# Spreads


def variance_dtypes(a_dtype: Any, dtype: Any) -> tuple[Any, Any]:
    """The type a variance is computed in, and that of the result."""
    if dtype is not None:
        is_complex = dtypes.issubdtype(a_dtype, np.complexfloating)
        if is_complex and not dtypes.issubdtype(dtype, np.complexfloating):
            raise ValueError(
                "jax.numpy.var does not yet support real dtype parameters when computing the variance of an array "
                "of complex values. The semantics of numpy.var seem unclear in this case. Please comment on "
                "https://github.com/jax-ml/jax/issues/2283 if this behavior is important to you."
            )
        if dtypes.issubdtype(dtype, np.inexact):
            return _upcast_half(dtypes.promote_types(a_dtype, dtype)), dtype
        return dtype, dtype
    if not dtypes.issubdtype(a_dtype, np.inexact):
        inexact = dtypes.canonicalize_dtype(dtypes.to_inexact_dtype(a_dtype))
        return inexact, inexact
    return _upcast_half(a_dtype), np.zeros((), a_dtype).real.dtype


@functools.partial(jit, static_argnames=("axis", "dtype", "keepdims"))
def _var(a, mean=None, correction=0, where=None, *, axis=None, dtype=None, keepdims=False):
    check_arraylike("var", a)
    where = check_where("var", where)
    inside, result_dtype = variance_dtypes(dtypes.dtype(a, canonicalize=True), dtype)
    a = lax.convert_element_type(a, inside)
    if mean is None:
        mean = _mean(a, axis, dtype=inside, keepdims=True, where=where)
    else:
        mean = lax.convert_element_type(mean, inside)
    centered = lax.sub(a, mean)
    if dtypes.issubdtype(inside, np.complexfloating):
        centered = lax.real(lax.mul(centered, lax.conj(centered)))
        inside = centered.dtype
    else:
        centered = lax.square(centered)
    count = reduced_count(a, axis, where, inside, keepdims)
    count = lax.sub(count, lax.convert_element_type(correction, inside))
    result = lax.div(sum(centered, axis, dtype=inside, keepdims=keepdims, where=where), count)
    result = lax.convert_element_type(result, result_dtype)
    return choose(lax.gt(count, np.zeros((), inside)), result, math.nan)


def _correction(ddof: Any, correction: Any) -> Any:
    if correction is None:
        return ddof
    if not (isinstance(ddof, int) and ddof == 0):
        raise ValueError("ddof and correction can't be provided simultaneously.")
    return correction


def var(
    a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=None, mean=None, correction=None
):
    """The variance of the elements over the axes.

    Args:
        a: array.
        axis: axis or axes; None: all.
        dtype: element type of the result.
        out: not supported.
        ddof: the sum of squares is divided by the number of elements less this.
        keepdims: whether reduced axes stay with size one.
        where: truth values; elements where it is False are left out.
        mean: the mean, where it is known.
        correction: another name of ``ddof``.
    """
    refuse_out("var", out)
    correction = _correction(ddof, correction)
    return _var(
        a, mean, correction, where, axis=static_axis(axis), dtype=_dtype(dtype, "var"), keepdims=keepdims
    )


def _dtype(dtype: Any, name: str) -> Any:
    return None if dtype is None else dtypes.check_user_dtype_supported(dtype, name)


@functools.partial(jit, static_argnames=("axis", "dtype", "keepdims"))
def _std(a, correction=0, mean=None, where=None, *, axis=None, dtype=None, keepdims=False):
    check_arraylike("std", a)
    where = check_where("std", where)
    if dtype is not None and not dtypes.issubdtype(dtype, np.inexact):
        raise ValueError(f"dtype argument to jnp.std must be inexact; got {dtype}")
    return lax.sqrt(_var(a, mean, correction, where, axis=axis, dtype=dtype, keepdims=keepdims))


def std(
    a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=None, mean=None, correction=None
):
    """The square root of ``var``; arguments as there."""
    refuse_out("std", out)
    correction = _correction(ddof, correction)
    return _std(
        a, correction, mean, where, axis=static_axis(axis), dtype=_dtype(dtype, "std"), keepdims=keepdims
    )


@functools.partial(jit, static_argnames=("axis", "keepdims"))
def _ptp(a, axis=None, out=None, keepdims=False):
    check_arraylike("ptp", a)
    return lax.sub(max(a, axis=axis, keepdims=keepdims), min(a, axis=axis, keepdims=keepdims))


def ptp(a, axis=None, out=None, keepdims=False):
    """The greatest element less the least one, over the axes."""
    refuse_out("ptp", out)
    return _ptp(a, axis=static_axis(axis), keepdims=keepdims)


@functools.partial(jit, static_argnames=("axis", "keepdims"))
def count_nonzero(a, axis=None, keepdims=False):
    """The number of elements over the axes that are not zero."""
    check_arraylike("count_nonzero", a)
    zero = np.zeros((), dtypes.dtype(a, canonicalize=True))
    return sum(lax.ne(a, zero), axis=axis, dtype=dtypes.canonicalize_dtype(np.int64), keepdims=keepdims)
