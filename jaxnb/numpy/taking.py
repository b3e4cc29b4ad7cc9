"""Elements read and written at arrays of indices: ``take``, ``put`` and their kin."""

from __future__ import annotations

import functools
import math
import operator
from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.engine.api.jit import jit
from jaxnb.engine.core import dtypes
from jaxnb.engine.ops.addressing import GatherDimensionNumbers, GatherScatterMode
from jaxnb.engine.ops.axes import canonicalize_axis
from jaxnb.engine.ops.conversion import convert
from jaxnb.numpy.arguments import concrete, ensure_arraylike
from jaxnb.numpy.arithmetic import plus, times
from jaxnb.numpy.creation import arange
from jaxnb.numpy.division import divmod, remainder
from jaxnb.numpy.indexing import wrapped
from jaxnb.numpy.limits import clip
from jaxnb.numpy.predicates import greater, less
from jaxnb.numpy.selection import choose
from jaxnb.numpy.triangles import repeated
from jaxnb.numpy.updates import _IndexUpdateHelper, stretch
from jaxnb.xla.version import JAXLIB_VERSION

# take


def take(
    a,
    indices,
    axis=None,
    out=None,
    mode=None,
    unique_indices=False,
    indices_are_sorted=False,
    fill_value=None,
):
    """The slices along an axis that stand at indices; without ``axis``, elements."""
    axis = None if axis is None else operator.index(axis)
    return _take(a, indices, axis, out, mode, unique_indices, indices_are_sorted, fill_value)


@functools.partial(
    jit, static_argnames=("axis", "mode", "unique_indices", "indices_are_sorted", "fill_value")
)
def _take(
    a,
    indices,
    axis=None,
    out=None,
    mode=None,
    unique_indices=False,
    indices_are_sorted=False,
    fill_value=None,
):
    if out is not None:
        raise NotImplementedError("The 'out' argument to jnp.take is not supported.")
    x, places = ensure_arraylike("take", a, indices)
    if axis is None:
        x, axis = lax.reshape(x, (x.size,)), 0
    axis = canonicalize_axis(axis, x.ndim)
    whole = x.shape[axis]
    places, gather_mode = _places(places, whole, mode)
    sizes = [*x.shape]
    if whole == 0:
        if places.size:
            raise IndexError("Cannot do a non-empty jnp.take() from an empty axis.")
        return x
    if places.size == 0:
        return lax.full((*sizes[:axis], *places.shape, *sizes[axis + 1 :]), 0, x.dtype)
    rank = places.ndim
    sizes[axis] = 1
    offsets = [d if d < axis else d + rank - 1 for d in range(x.ndim) if d != axis]
    numbers = GatherDimensionNumbers(tuple(offsets), (axis,), (axis,))
    return lax.gather(
        x,
        lax.expand_dims(places, (rank,)),
        numbers,
        tuple(sizes),
        unique_indices=unique_indices,
        indices_are_sorted=indices_are_sorted,
        mode=gather_mode,
        fill_value=fill_value,
    )


def _places(places: Any, whole: int, mode: str | None) -> tuple[Any, Any]:
    """The indices and the gather's mode that give what a mode of ``take`` says."""
    if mode is None or mode == "fill":
        if dtypes.issubdtype(places.dtype, np.bool_):
            places = lax.convert_element_type(places, np.int32)
        zero, size = _like(places, 0), _like(places, whole)
        return choose(lax.lt(places, zero), lax.add(places, size), places), "fill"
    if mode == "raise":
        raise NotImplementedError("The 'raise' mode to jnp.take is not supported.")
    if mode == "wrap":
        return remainder(places, _like(places, whole)), GatherScatterMode.PROMISE_IN_BOUNDS
    if mode == "clip":
        return places, GatherScatterMode.CLIP
    raise ValueError(f"Invalid mode '{mode}' for np.take")


def _like(x: Any, value: int) -> Any:
    like = np.asarray(value, x.dtype)[()]
    return like.item() if x.aval.weak_type else like


# take_along_axis


@functools.partial(jit, static_argnames=("axis", "mode", "fill_value", "wrap_negative_indices"))
def take_along_axis(arr, indices, axis=-1, mode=None, fill_value=None, *, wrap_negative_indices=None):
    """For each index, the element that stands there along an axis."""
    x, places = ensure_arraylike("take_along_axis", arr, indices)
    if not dtypes.issubdtype(places.dtype, np.integer):
        raise TypeError(f"take_along_axis indices must be of integer type, got {places.dtype!s}")
    if axis is None:
        if places.ndim != 1:
            raise ValueError(f"take_along_axis indices must be 1D if axis=None, got shape {places.shape}")
        x, axis = lax.reshape(x, (x.size,)), 0
    if places.ndim != x.ndim:
        raise ValueError(
            f"indices and arr must have the same number of dimensions; {places.ndim} vs. {x.ndim}"
        )
    axis = canonicalize_axis(axis, x.ndim)
    return _take_along(x, places, axis, mode, fill_value, wrap_negative_indices)


def _take_along(x: Any, places: Any, axis: int, mode: Any, fill_value: Any, wraps: bool | None) -> Any:
    whole = x.shape[axis]
    kept = lax.broadcast_shapes(*[(*s[:axis], 1, *s[axis + 1 :]) for s in (places.shape, x.shape)])
    if whole == 0:
        return lax.full((*kept[:axis], places.shape[axis], *kept[axis + 1 :]), 0, x.dtype)
    index_dtype = np.dtype(np.int64 if whole > np.iinfo(np.int32).max else np.int32)
    places = lax.convert_element_type(places, index_dtype)
    parsed = "fill" if mode is None else mode
    parsed = GatherScatterMode.from_any(parsed)
    if wraps is None:
        wraps = JAXLIB_VERSION >= (0, 12) or parsed is not GatherScatterMode.PROMISE_IN_BOUNDS
    if wraps:
        places = wrapped(places, whole)
    return _gather_along(x, places, axis, parsed, fill_value)


def _gather_along(x: Any, places: Any, axis: int, mode: GatherScatterMode, fill_value: Any) -> Any:
    """Axes of one size in both vary together; one that only the array has is a window, one it lacks is dropped."""
    whole = x.shape
    windows = [d for d in range(x.ndim) if d != axis and places.shape[d] == 1]
    dropped = [d for d in range(x.ndim) if d != axis and whole[d] == 1 and places.shape[d] != 1]
    together = [d for d in range(x.ndim) if d != axis and d not in windows and d not in dropped]
    left = [d for d in range(x.ndim) if d not in dropped]
    batch = [d for d in range(x.ndim) if d not in windows]
    rows = [places.shape[d] for d in batch]
    places = lax.reshape(places, (*rows, 1))
    x = lax.squeeze(x, dropped) if dropped else x
    numbers = GatherDimensionNumbers(
        offset_dims=tuple(windows),
        collapsed_slice_dims=(left.index(axis),),
        start_index_map=(left.index(axis),),
        operand_batching_dims=tuple(left.index(d) for d in together),
        start_indices_batching_dims=tuple(batch.index(d) for d in together),
    )
    sizes = tuple(whole[d] if d in windows else min(1, whole[d]) for d in left)
    return lax.gather(x, places, numbers, sizes, mode=mode, fill_value=fill_value)


# Writing


def immutable(name: str, blank: str = " ") -> ValueError:
    return ValueError(
        f"jax.numpy.{name} cannot modify arrays in-place, because JAX arrays{blank}are immutable. Pass inplace=False "
        "to instead return an updated array."
    )


@functools.partial(jit, static_argnames=("axis", "inplace", "mode"))
def put_along_axis(arr, indices, values, axis, inplace=True, *, mode=None):
    """The array with values written along an axis, one at each index."""
    if inplace:
        raise immutable("put_along_axis", blank="")
    x, places, values = ensure_arraylike("put_along_axis", arr, indices, values)
    shape = x.shape
    if axis is None:
        x, axis = lax.reshape(x, (x.size,)), 0
    if x.ndim != places.ndim:
        raise ValueError(
            "put_along_axis arguments 'arr' and 'indices' must have same ndim. Got "
            f"arr.ndim={x.ndim} and indices.ndim={places.ndim}."
        )
    axis = canonicalize_axis(axis, x.ndim)
    values = stretch(values, places.shape)
    numbers = [
        lax.broadcast_in_dim(arange(size), (1,) * d + (size,) + (1,) * (x.ndim - d - 1), (d,))
        for d, size in enumerate(x.shape)
    ]
    at = tuple(places if d == axis else number for d, number in enumerate(numbers))
    return lax.reshape(_IndexUpdateHelper(x)[at].set(values, mode=mode), shape)


def put(a, ind, v, mode=None, *, inplace=True):
    """The array with values written at places of its elements counted in order."""
    if inplace:
        raise immutable("put")
    x, places, values = ensure_arraylike("put", a, ind, v)
    places, values = lax.reshape(places, (places.size,)), lax.reshape(values, (values.size,))
    if not x.size or not places.size or not values.size:
        return x
    values = repeated(values, places.size)
    scatter_mode: Any = "promise_in_bounds"
    if mode is None:
        scatter_mode = "drop"
    elif mode == "clip":
        places = clip(places, 0, x.size - 1)
    elif mode == "wrap":
        places = remainder(places, x.size)
    elif mode == "raise":
        raise NotImplementedError("The 'raise' mode to jnp.put is not supported.")
    else:
        raise ValueError(f"mode should be one of 'wrap' or 'clip'; got {mode=}")
    return _IndexUpdateHelper(x)[unravel_index(places, x.shape)].set(values, mode=scatter_mode)


# Places counted in order, and by axis


def unravel_index(indices, shape):
    """For places counted in order, where each is along every axis."""
    places = ensure_arraylike("unravel_index", indices)
    sizes = (shape,) if np.ndim(shape) == 0 else tuple(shape)
    along = []
    for size in reversed(sizes):
        places, rest = divmod(places, size)
        along.append(rest)
    beyond, before = greater(places, 0), less(places, -1)
    return tuple(
        choose(beyond, size - 1, choose(before, 0, rest))
        for size, rest in zip(sizes, reversed(along), strict=True)
    )


def ravel_multi_index(multi_index, dims, mode="raise", order="C", *, dtype=None):
    """For places given by axis, each one's count in order."""
    assert len(multi_index) == len(dims), f"{len(multi_index)=} != {len(dims)=}"
    sizes = tuple(map(operator.index, dims))
    places = [_place_along(x) for x in multi_index]
    if mode == "raise":
        places = [_inside(x, size) for x, size in zip(places, sizes, strict=True)]
    elif mode == "clip":
        places = [clip(x, 0, size - 1) for x, size in zip(places, sizes, strict=True)]
    elif mode == "wrap":
        places = [remainder(x, size) for x, size in zip(places, sizes, strict=True)]
    elif mode != "ignore":
        raise ValueError(f"invalid {mode=}. Expected 'raise', 'wrap', 'clip', or 'ignore'.")
    if order not in ("C", "F"):
        raise ValueError(f"invalid {order=}. Expected 'C' or 'F'")
    return _count(places, sizes, order, dtype)


def _place_along(x: Any) -> Any:
    place = ensure_arraylike("ravel_multi_index", x)
    if not dtypes.issubdtype(place.dtype, np.integer):
        raise TypeError("only int indices permitted")
    return place


def _inside(x: Any, size: int) -> Any:
    """The place, which must be known and lie within the axis."""
    value = concrete(
        x,
        "The error occurred because ravel_multi_index was jit-compiled with mode='raise'. Use mode='wrap' or "
        "mode='clip' instead.",
    )
    if ((np.asarray(value) < 0) | (np.asarray(value) >= size)).any():
        raise ValueError("invalid entry in coordinates array")
    return value


def _count(places: list[Any], sizes: tuple[int, ...], order: str, dtype: Any) -> Any:
    result_dtype = np.dtype(dtypes.result_type(*places)) if dtype is None else np.dtype(dtype)
    if not dtypes.issubdtype(result_dtype, np.integer):
        raise ValueError(f"dtype={result_dtype!r} is not an integer type.")
    ahead = [math.prod(sizes[d + 1 :] if order == "C" else sizes[:d]) for d in range(len(sizes))]
    total: Any = np.zeros((), result_dtype)[()]
    for place, step in zip(places, ahead, strict=True):
        weight = np.asarray(step, result_dtype)[()]
        total = plus(total, times(convert(place, result_dtype, False), weight))
    return total
