"""Quantiles: of all elements, or of those that are not NaN; medians and percentiles are quantiles by other names."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.engine.api.jit import jit
from jaxnb.engine.core import dtypes
from jaxnb.engine.ops.addressing import GatherDimensionNumbers
from jaxnb.engine.ops.axes import canonicalize_axis
from jaxnb.engine.ops.placement import check_out_sharding
from jaxnb.engine.ops.shape import reshape_p
from jaxnb.numpy.arguments import check_arraylike, ensure_arraylike, promote_dtypes_inexact
from jaxnb.numpy.cumulative import cumsum
from jaxnb.numpy.predicates import isnan, logical_not
from jaxnb.numpy.promotion import constant_like
from jaxnb.numpy.reductions import any as any_of
from jaxnb.numpy.reductions import sum
from jaxnb.numpy.selection import choose
from jaxnb.numpy.shapes import broadcast_to, expand_dims, moveaxis, ravel
from jaxnb.numpy.taking import take_along_axis
from jaxnb.xla.version import JAXLIB_VERSION

_METHODS = ("linear", "lower", "higher", "midpoint", "nearest", "inverted_cdf")
_NEWER = JAXLIB_VERSION >= (0, 12)

_jit = functools.partial(jit, static_argnames=("axis", "overwrite_input", "keepdims", "method"))


def _refuse(name: str, overwrite_input: bool, out: Any) -> None:
    if overwrite_input or out is not None:
        raise ValueError(f"jax.numpy.{name} does not support overwrite_input=True or out != None")


def _check_weights(name: str, weights: Any) -> None:
    if weights is not None:
        check_arraylike(name, weights)


@_jit
def quantile(
    a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None
):
    """The values below which given shares of the elements lie.

    Args:
        a: array.
        q: share or one-dimensional array of shares, from 0 to 1.
        axis: axis or axes; None: all.
        out: not supported.
        overwrite_input: not supported.
        method: what is taken between two elements: "linear", "lower", "higher", "midpoint" or "nearest"; or
            "inverted_cdf", the first element that completes the share.
        keepdims: whether reduced axes stay with size one.
        weights: what each element counts for, with "inverted_cdf".
    """
    check_arraylike("quantile", a, q)
    _check_weights("quantile", weights)
    _refuse("quantile", overwrite_input, out)
    return _quantile(a, q, axis, method, keepdims, False, weights)


@_jit
def nanquantile(
    a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None
):
    """As ``quantile``, of the elements that are not NaN."""
    check_arraylike("nanquantile", a, q)
    _check_weights("nanquantile", weights)
    _refuse("nanquantile", overwrite_input, out)
    return _quantile(a, q, axis, method, keepdims, True, weights)


@_jit
def percentile(
    a,
    q,
    axis=None,
    out=None,
    overwrite_input=False,
    method="linear",
    keepdims=False,
    *,
    weights=None,
    out_sharding=None,
):
    """As ``quantile``, with shares from 0 to 100."""
    a, q = ensure_arraylike("percentile", a, q)
    _check_weights("percentile", weights)
    check_out_sharding(out_sharding, "percentile")
    return quantile(
        a,
        q / 100,
        axis=axis,
        out=out,
        overwrite_input=overwrite_input,
        method=method,
        keepdims=keepdims,
        weights=weights,
    )


@_jit
def nanpercentile(
    a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None
):
    """As ``percentile``, of the elements that are not NaN."""
    a, q = ensure_arraylike("nanpercentile", a, q)
    _check_weights("nanpercentile", weights)
    return nanquantile(
        a,
        q / 100,
        axis=axis,
        out=out,
        overwrite_input=overwrite_input,
        method=method,
        keepdims=keepdims,
        weights=weights,
    )


@functools.partial(jit, static_argnames=("axis", "overwrite_input", "keepdims"))
def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """The middle element over the axes, or the mean of the two in the middle; arguments as those of ``quantile``."""
    a = ensure_arraylike("median", a)
    if _NEWER:
        _refuse_empty(a, axis)
    return quantile(
        a, 0.5, axis=axis, out=out, overwrite_input=overwrite_input, keepdims=keepdims, method="midpoint"
    )


def _refuse_empty(a: Any, axis: Any) -> None:
    axes = range(a.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    found = tuple(canonicalize_axis(i, a.ndim) for i in axes)
    if len(set(found)) != len(found):
        raise ValueError(f"repeated axis: {axis}")
    if 0 in [a.shape[i] for i in found]:
        raise ValueError("jax.numpy.median reduction axis must be non-empty")


@functools.partial(jit, static_argnames=("axis", "overwrite_input", "keepdims"))
def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """As ``median``, of the elements that are not NaN."""
    check_arraylike("nanmedian", a)
    return nanquantile(
        a, 0.5, axis=axis, out=out, overwrite_input=overwrite_input, keepdims=keepdims, method="midpoint"
    )


# One axis


def _one_axis(x: Any, axis: Any) -> tuple[Any, int]:
    """The array with the axes brought together as one, and that axis."""
    if axis is None:
        return ravel(x), 0
    if not isinstance(axis, tuple):
        return x, canonicalize_axis(axis, x.ndim)
    axes = sorted(canonicalize_axis(i, x.ndim) for i in axis)
    if len(set(axes)) != len(axes):
        raise ValueError("repeated axis")
    kept = [i for i in range(x.ndim) if i not in axes]
    shape = (*[x.shape[i] for i in kept], math.prod(x.shape[i] for i in axes))
    order = (*kept, *axes)
    return lax.reshape(x, shape, None if order == tuple(range(x.ndim)) else order), len(kept)


def _spread_weights(weights: Any, a: Any, axis: Any) -> Any:
    """The weights in the shape of the array."""
    if axis is None:
        if weights.shape != a.shape:
            raise ValueError("Weights shape must match 'a' shape when axis is None.")
        return weights
    axes = tuple(canonicalize_axis(i, a.ndim) for i in (axis if isinstance(axis, tuple) else (axis,)))
    shape = tuple(a.shape[i] for i in axes)
    if weights.shape == a.shape:
        return weights
    if weights.shape != shape:
        raise ValueError(f"Weights shape {weights.shape} must match reduction axes {shape}")
    return lax.broadcast_in_dim(weights, a.shape, axes)


def _kept_shape(a: Any, axis: Any) -> list[int]:
    axes = range(a.ndim) if axis is None else [canonicalize_axis(i, a.ndim) for i in axis]
    return [1 if i in axes else n for i, n in enumerate(a.shape)]


def _quantile(a: Any, q: Any, axis: Any, method: str, keepdims: bool, without_nan: bool, weights: Any) -> Any:
    if method not in _METHODS:
        raise ValueError(
            "method can only be 'linear', 'lower', 'higher', 'midpoint', 'nearest' or 'inverted_cdf'"
        )
    (a,) = promote_dtypes_inexact(a)
    if dtypes.issubdtype(a.dtype, np.complexfloating):
        raise ValueError("quantile does not support complex input, as the operation is poorly defined.")
    if weights is not None:
        if method != "inverted_cdf":
            raise NotImplementedError(
                f"{method} doesn't support weights. Only method 'inverted_cdf' supports weights."
            )
        (weights,) = promote_dtypes_inexact(weights)
        weights = _spread_weights(weights, a, axis)
    kept = _kept_shape(a, axis) if keepdims and (axis is None or isinstance(axis, tuple)) else None
    whole, (a, at) = axis, _one_axis(a, axis)
    if weights is not None:
        weights, _ = _one_axis(weights, whole)
    if np.ndim(q) > 1:
        raise ValueError(f"q must be have rank <= 1, got shape {np.shape(q)}")
    q = ensure_arraylike("quantile", q)
    if _NEWER and without_nan and a.shape[at] == 0:
        rest = [n for i, n in enumerate(a.shape) if i != at]
        if keepdims:
            rest = [1 if i == at else n for i, n in enumerate(a.shape)] if kept is None else kept
        return lax.full((*q.shape, *rest), np.nan, a.dtype)
    if without_nan:
        a = choose(isnan(a), np.nan, a)
    else:
        a = choose(any_of(isnan(a), axis=at, keepdims=True), np.nan, a)
    if weights is None:
        a = lax.sort(a, dimension=at, is_stable=not _NEWER)
    else:
        a, weights = lax.sort((a, weights), dimension=at, num_keys=1)
    neighbours = _among_numbers if without_nan else _among_all
    low, high, share = neighbours(a, q, at, keepdims)
    if method == "inverted_cdf":
        result = _inverted_cdf(a, q, at, keepdims, without_nan, weights)
    else:
        result = _between(method, low, high, share, q)
    if kept is not None:
        result = lax.reshape(result, [*q.shape, *kept])
    return lax.convert_element_type(result, a.dtype)


def _between(method: str, low: Any, high: Any, share: tuple[Any, Any], q: Any) -> Any:
    """What is taken between two neighbours, given the shares of the lower and the higher."""
    low_share, high_share = share
    if method == "linear":
        return lax.add(lax.mul(low.astype(q.dtype), low_share), lax.mul(high.astype(q.dtype), high_share))
    if method == "lower":
        return low
    if method == "higher":
        return high
    if method == "nearest":
        return lax.select(lax.le(high_share, constant_like(high_share, 0.5)), low, high)
    half = 0.5 if dtypes.is_weakly_typed(low) else constant_like(low, 0.5)
    return lax.mul(lax.add(low, high), half)


# Neighbours of a place in the sorted elements


def _places(q: Any, steps: Any) -> tuple[Any, Any, tuple[Any, Any]]:
    """The places below and above, as floating numbers, and the share of each."""
    place = lax.mul(q, steps)
    low, high = lax.floor(place), lax.ceil(place)
    high_share = lax.sub(place, low)
    return low, high, (lax.sub(constant_like(high_share, 1), high_share), high_share)


def _integer(x: Any) -> Any:
    return lax.convert_element_type(x, dtypes.canonicalize_dtype(np.int64))


def _among_all(a: Any, q: Any, at: int, keepdims: bool) -> tuple[Any, Any, tuple[Any, Any]]:
    """The two neighbours where every row has the same length, and the shares of each."""
    length = lax.convert_element_type(lax.full((), a.shape[at]), q.dtype)
    one, zero = constant_like(length, 1), constant_like(length, 0)
    low, high, share = _places(q, lax.sub(length, one))
    low = lax.clamp(zero, low, lax.sub(length, one))
    high = lax.clamp(zero, high, lax.sub(length, one))
    low, high = _integer(low), _integer(high)
    sizes = list(a.shape)
    sizes[at] = 1
    numbers = GatherDimensionNumbers(
        offset_dims=tuple(range(q.ndim, a.ndim + q.ndim - (not keepdims))),
        collapsed_slice_dims=() if keepdims else (at,),
        start_index_map=(at,),
    )
    low, high = (
        lax.gather(a, lax.expand_dims(x, (q.ndim,)), numbers, tuple(sizes), mode="promise_in_bounds")
        for x in (low, high)
    )
    if q.ndim == 1:
        low_share, high_share = (lax.broadcast_in_dim(x, low.shape, (0,)) for x in share)
        share = low_share, high_share
    return low, high, share


def _among_numbers(a: Any, q: Any, at: int, keepdims: bool) -> tuple[Any, Any, tuple[Any, Any]]:
    """The two neighbours among the elements that are not NaN, which are the first ones, and the shares of each."""
    counts = sum(logical_not(isnan(a)), axis=at, dtype=q.dtype, keepdims=keepdims)
    shape = counts.shape
    n = q.ndim
    q = lax.expand_dims(q, tuple(range(n, len(shape) + n)))
    counts = lax.expand_dims(counts, tuple(range(n)))
    one, zero = constant_like(counts, 1), constant_like(counts, 0)
    low, high, share = _places(q, lax.sub(counts, one))
    low = lax.max(zero, lax.min(low, lax.sub(counts, one)))
    high = lax.max(zero, lax.min(high, lax.sub(counts, one)))
    low, high = _integer(low), _integer(high)
    index = dtypes.canonicalize_dtype(np.int64)
    out = (*np.shape(share[0])[:n], *shape)
    others = [lax.broadcasted_iota(index, out, i + n) for i in range(len(shape))]
    after = others[at + 1 :] if keepdims else others[at:]
    low, high = (a[(*others[:at], x, *after)] for x in (low, high))
    return low, high, share


# By weight


def _inverted_cdf(a: Any, q: Any, at: int, keepdims: bool, without_nan: bool, weights: Any) -> Any:
    """The first element that completes the share of the weight."""
    n = q.ndim
    new = tuple(range(n))
    weights = lax.full_like(a, 1) if weights is None else weights
    nothing = lax.full_like(weights, 0)
    wrong = lax.bitwise_or(lax.lt(weights, nothing), isnan(weights))
    missing = isnan(a)
    weight_so_far = cumsum(lax.select(lax.bitwise_or(wrong, missing), nothing, weights), axis=at)
    total = lax.index_in_dim(weight_so_far, -1, at, keepdims=keepdims)
    wanted = lax.expand_dims(total, new)
    wanted = lax.mul(
        reshape_p.bind(q, new_sizes=(*q.shape, *[1] * total.ndim), dimensions=None, sharding=None), wanted
    )
    if not keepdims:
        wanted = lax.expand_dims(wanted, (at + n,))
    below = lax.lt(lax.expand_dims(weight_so_far, new), wanted)
    place = sum(below, axis=at + n, keepdims=keepdims)
    if without_nan:
        counts = sum(logical_not(missing), axis=at, dtype=total.dtype, keepdims=keepdims)
    else:
        counts = lax.full_like(total, a.shape[at])
    last = lax.expand_dims(_integer(lax.sub(counts, constant_like(counts, 1))), new)
    place = lax.max(np.zeros((), place.dtype)[()], lax.min(place, last))
    if keepdims:
        place = lax.squeeze(place, (at + n,))
    place = moveaxis(place, 0, at) if n else lax.expand_dims(place, (at,))
    result = take_along_axis(a, place, axis=at)
    result = moveaxis(result, at, 0) if n else lax.squeeze(result, (at,))
    if keepdims:
        result = lax.expand_dims(result, (at + n,))
    empty = lax.eq(counts, lax.full_like(counts, 0))
    bad = any_of(wrong, axis=at, keepdims=keepdims)
    bad = lax.bitwise_or(bad, empty if without_nan else any_of(missing, axis=at, keepdims=keepdims))
    return choose(lax.expand_dims(bad, new), lax.full_like(result, np.nan), result)
