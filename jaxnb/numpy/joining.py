"""Arrays joined, cut apart and repeated."""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.engine.api.jit import jit
from jaxnb.engine.api.vmap import vmap
from jaxnb.engine.core import dtypes
from jaxnb.engine.core.trace import Tracer
from jaxnb.engine.ops.axes import canonicalize_axis
from jaxnb.engine.ops.staging import is_array
from jaxnb.numpy.arguments import check_arraylike, concrete, ensure_arraylike, promote_dtypes
from jaxnb.numpy.creation import asarray
from jaxnb.numpy.cumulative import cumsum
from jaxnb.numpy.rolling import roll
from jaxnb.numpy.shapes import atleast_1d, atleast_2d, atleast_3d, ravel
from jaxnb.numpy.shapes import expand_dims as _expand_dims
from jaxnb.numpy.taking import take
from jaxnb.numpy.updates import _IndexUpdateHelper, stretch
from jaxnb.xla.version import JAXLIB_VERSION


def _is_stacked(arrays: Any) -> bool:
    """Whether several arrays are given as one array, cut along its first axis."""
    return is_array(arrays) or isinstance(arrays, np.ndarray)


# Joining


def concatenate(arrays, axis=0, dtype=None):
    """The arrays one after another along an axis; with ``axis=None``, their elements."""
    if _is_stacked(arrays):
        return _concatenate_stacked(arrays, axis, dtype)
    check_arraylike("concatenate", *arrays)
    if not len(arrays):
        raise ValueError("Need at least one array to concatenate.")
    if axis is None:
        return concatenate([ravel(x) for x in arrays], axis=0, dtype=dtype)
    if np.ndim(arrays[0]) == 0:
        raise ValueError("Zero-dimensional arrays cannot be concatenated.")
    axis = canonicalize_axis(operator.index(axis), np.ndim(arrays[0]))
    return lax.concatenate(_in_one_dtype(arrays, dtype), axis)


def _in_one_dtype(arrays: Sequence[Any], dtype: Any) -> list[Any]:
    if dtype is None:
        return promote_dtypes(*arrays)
    dtype = dtypes.check_user_dtype_supported(dtype, "concatenate")
    return [asarray(x, dtype) for x in arrays]


def _concatenate_stacked(arrays: Any, axis: Any, dtype: Any) -> Any:
    x = ensure_arraylike("concatenate", arrays)
    if dtype is not None:
        x = asarray(x, dtypes.check_user_dtype_supported(dtype, "concatenate"))
    if x.ndim == 0:
        raise ValueError("Zero-dimensional arrays cannot be concatenated.")
    if x.shape[0] == 0:
        raise ValueError("Need at least one array to concatenate.")
    if axis is None:
        return lax.reshape(x, (x.size,))
    if x.ndim == 1:
        raise ValueError("Zero-dimensional arrays cannot be concatenated.")
    axis = canonicalize_axis(operator.index(axis), x.ndim - 1)
    count, *sizes = x.shape
    sizes[axis] *= count
    order = [*range(1, x.ndim)]
    order.insert(axis, 0)
    return lax.reshape(x, sizes, order)


def concat(arrays, /, *, axis=0):
    """The arrays one after another along an axis."""
    return concatenate(arrays, axis=axis)


def stack(arrays, axis=0, out=None, dtype=None):
    """The arrays side by side along a new axis."""
    if not len(arrays):
        raise ValueError("Need at least one array to stack.")
    if out is not None:
        raise NotImplementedError("The 'out' argument to jnp.stack is not supported.")
    if _is_stacked(arrays):
        x = ensure_arraylike("stack", arrays)
        axis = canonicalize_axis(axis, x.ndim)
        return concatenate(_expand_dims(x, axis + 1), axis=axis, dtype=dtype)
    check_arraylike("stack", *arrays)
    axis = canonicalize_axis(axis, np.ndim(arrays[0]) + 1)
    return lax.stack(_in_one_dtype(arrays, dtype), axis)


def _widened(tup: Any, widen: Any) -> Any:
    return vmap(widen)(tup) if _is_stacked(tup) else [widen(x) for x in tup]


def vstack(tup, dtype=None):
    """The arrays one below another, vectors as rows."""
    return concatenate(_widened(tup, atleast_2d), axis=0, dtype=dtype)


def hstack(tup, dtype=None):
    """The arrays side by side: along the second axis, vectors along their only one."""
    arrays = _widened(tup, atleast_1d)
    first = arrays.ndim - 1 if _is_stacked(arrays) else np.ndim(arrays[0])
    return concatenate(arrays, axis=0 if first == 1 else 1, dtype=dtype)


def dstack(tup, dtype=None):
    """The arrays one behind another, along the third axis."""
    return concatenate(_widened(tup, atleast_3d), axis=2, dtype=dtype)


def column_stack(tup):
    """The arrays side by side, vectors as columns."""
    if _is_stacked(tup):
        x = ensure_arraylike("column_stack", tup)
        if x.ndim < 3:
            x = vmap(lambda v: atleast_2d(v).T)(x)
        return concatenate(x, axis=1)
    check_arraylike("column_stack", *tup)
    columns = [lax.transpose(atleast_2d(x), (1, 0)) if np.ndim(x) < 2 else x for x in tup]
    return concatenate(columns, axis=1)


@functools.partial(jit, static_argnames=("axis",))
def append(arr, values, axis=None):
    """The array with values after it; without ``axis``, the elements of both."""
    if axis is None:
        return concatenate([ravel(arr), ravel(values)], 0)
    return concatenate([arr, values], axis=axis)


@jit
def block(arrays):
    """The blocks, given as nested lists, put together into one array."""
    out, _ = _block(arrays)
    return out


def _block(blocks: Any) -> tuple[Any, int]:
    if isinstance(blocks, tuple):
        raise ValueError(f"jax.numpy.block does not allow tuples, got {blocks}")
    if not isinstance(blocks, list):
        return blocks, 1
    if not blocks:
        raise ValueError("jax.numpy.block does not allow empty list arguments")
    parts, depths = zip(*(_block(part) for part in blocks), strict=True)
    if len(set(depths)) > 1:
        raise ValueError("Mismatched list depths in jax.numpy.block")
    depth = depths[0]
    rank = max(depth, *(np.ndim(x) for x in parts))
    parts = [lax.broadcast_to_rank(ensure_arraylike("block", x), rank) for x in parts]
    return concatenate(parts, axis=-depth), depth + 1


# Cutting


def split(ary, indices_or_sections, axis=0):
    """The array cut at places of an axis, or into equal parts."""
    return _split("split", ary, indices_or_sections, axis)


def array_split(ary, indices_or_sections, axis=0):
    """The array cut at places of an axis, or into parts as equal as can be."""
    return _split("array_split", ary, indices_or_sections, axis)


def hsplit(ary, indices_or_sections):
    """The array cut along its second axis, a vector along its only one."""
    x = ensure_arraylike("hsplit", ary)
    return _split("hsplit", x, indices_or_sections, axis=0 if x.ndim == 1 else 1)


def vsplit(ary, indices_or_sections):
    """The array cut along its first axis."""
    return _split("vsplit", ary, indices_or_sections, axis=0)


def dsplit(ary, indices_or_sections):
    """The array cut along its third axis."""
    return _split("dsplit", ary, indices_or_sections, axis=2)


def _split(name: str, ary: Any, indices_or_sections: Any, axis: Any) -> list[Any]:
    x = ensure_arraylike(name, ary)
    axis = operator.index(concrete(axis, f"in jax.numpy.{name} argument `axis`"))
    whole = x.shape[axis]
    if isinstance(indices_or_sections, list | tuple) or np.ndim(indices_or_sections) > 0:
        context = f"in jax.numpy.{name} argument 1"
        places = np.array([concrete(i, context) for i in indices_or_sections], np.int64)
        if JAXLIB_VERSION >= (0, 12):
            places = np.clip(np.where(places < 0, places + whole, places), 0, whole)
        bounds = np.concatenate([[np.int64(0)], places, [np.int64(whole)]])
    else:
        sections = concrete(indices_or_sections, f"in jax.numpy.{name} argument 1")
        part, rest = divmod(whole, operator.index(sections))
        if rest and name != "array_split":
            raise ValueError(f"array split does not result in an equal division: rest is {rest}")
        sizes = [0] + [part + 1] * rest + [part] * (sections - rest)
        bounds = np.cumsum(np.array(sizes, np.int64))
    return list(lax.split(x, list(np.diff(bounds)), axis=axis))


@functools.partial(jit, static_argnames=("axis",), inline=True)
def unstack(x, /, *, axis=0):
    """The slices of the array along an axis, which they no longer have."""
    x = ensure_arraylike("unstack", x)
    return lax.unstack(x, axis)


# Repeating


def tile(A, reps):
    """The array repeated along each axis."""
    x = ensure_arraylike("tile", A)
    reps = (reps,) if not np.iterable(reps) else tuple(reps)
    reps = tuple(rep if isinstance(rep, Tracer) else operator.index(rep) for rep in reps)
    rank = max(x.ndim, len(reps))
    x = lax.broadcast_to_rank(x, rank)
    return lax.tile(x, (1,) * (rank - len(reps)) + reps)


def repeat(a, repeats, axis=None, *, total_repeat_length=None, out_sharding=None):
    """The array with each of its slices along an axis repeated."""
    check_arraylike("repeat", a, repeats)
    if total_repeat_length is None:
        repeats = concrete(
            repeats,
            "When jit-compiling jnp.repeat, the total number of repeats must be static. To fix this, either "
            "specify a static value for `repeats`, or pass a static value to `total_repeat_length`.",
        )
        if np.ndim(repeats) == 0 or np.size(repeats) == 1:
            return _repeat_evenly(a, operator.index(np.asarray(repeats).reshape(())[()]), axis)
    return _repeat_each(a, repeats, axis, total_repeat_length)


def _flat(a: Any, axis: Any) -> tuple[Any, int]:
    x = ensure_arraylike("repeat", a)
    if axis is None:
        return lax.reshape(x, (x.size,)), 0
    return x, canonicalize_axis(operator.index(concrete(axis, "'axis' argument of jnp.repeat()")), x.ndim)


def _repeat_evenly(a: Any, repeats: int, axis: Any) -> Any:
    x, axis = _flat(a, axis)
    sizes = list(x.shape)
    wide = [*sizes[: axis + 1], repeats, *sizes[axis + 1 :]]
    kept = [d for d in range(len(wide)) if d != axis + 1]
    sizes[axis] *= repeats
    return lax.reshape(lax.broadcast_in_dim(x, wide, kept), sizes)


def _repeat_each(a: Any, repeats: Any, axis: Any, total: int | None) -> Any:
    x, axis = _flat(a, axis)
    if total is None:
        counts = np.ravel(np.asarray(repeats))
        if x.ndim == 0:
            counts = counts[:1]
        total = int(np.sum(counts))
    repeats = ravel(asarray(repeats)) if np.ndim(repeats) != 1 else asarray(repeats)
    if repeats.size != 1 and repeats.size != x.shape[axis]:
        raise ValueError(f"repeats must have size 1 or {x.shape[axis]}; got shape {np.shape(repeats)}")
    if repeats.size == 1 and x.shape[axis] != 1:
        repeats = stretch(repeats, (x.shape[axis],))
    if total == 0:
        return lax.full((*x.shape[:axis], 0, *x.shape[axis + 1 :]), 0, x.dtype)
    # where each slice's copies begin; counting the beginnings up to a place says which slice stands there
    begins = _IndexUpdateHelper(roll(repeats, 1))[0].set(0)
    begins = cumsum(begins)
    marks = _IndexUpdateHelper(lax.full((total,), 0, np.dtype(np.int32)))[begins].add(1)
    which = lax.sub(cumsum(marks), np.int32(1))
    return take(x, which, axis=axis)
