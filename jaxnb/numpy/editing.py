"""Slices of an array taken out along an axis."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.engine.core import dtypes
from jaxnb.engine.ops.axes import canonicalize_axes, canonicalize_axis
from jaxnb.numpy.arguments import check_arraylike, concrete, ensure_arraylike
from jaxnb.numpy.arithmetic import minus, plus
from jaxnb.numpy.creation import arange
from jaxnb.numpy.indexing import getitem
from jaxnb.numpy.joining import concatenate
from jaxnb.numpy.limits import clip
from jaxnb.numpy.predicates import less
from jaxnb.numpy.selection import choose
from jaxnb.numpy.shapes import ravel
from jaxnb.numpy.sorting import sort


def delete(arr, obj, axis=None, *, assume_unique_indices=False):
    """The array without the slices that stand at indices along an axis; without ``axis``, without elements."""
    check_arraylike("delete", arr, *([] if isinstance(obj, slice) else [obj]))
    x = ravel(arr) if axis is None else ensure_arraylike("delete", arr)
    axis = 0 if axis is None else canonicalize_axis(axis, x.ndim)
    whole = x.shape[axis]
    if isinstance(obj, slice):
        obj, assume_unique_indices = getitem(arange(whole), obj), True
    dtype = dtypes.dtype(obj)
    if not (np.issubdtype(dtype, np.integer) or dtype == np.bool_):
        raise ValueError(f"np.delete(arr, obj): got obj.dtype={dtype}; must be integer or bool.")
    if assume_unique_indices:
        return getitem(x, at_axis(axis, x.ndim, _others(obj, whole)))
    obj = np.asarray(concrete(obj, "'obj' array argument of jnp.delete()"))
    if obj.ndim == 0:
        place = canonicalize_axis(int(obj), whole)
        before, after = at_axis(axis, x.ndim, slice(0, place)), at_axis(axis, x.ndim, slice(place + 1, whole))
        return concatenate([getitem(x, before), getitem(x, after)], axis=axis)
    kept = np.ones(whole, bool)
    if obj.dtype == np.bool_ and obj.shape != (whole,):
        raise ValueError(
            "np.delete(arr, obj): for boolean indices, obj must be one-dimensional with length matching specified "
            "axis."
        )
    kept[obj] = False
    return getitem(x, at_axis(axis, x.ndim, kept))


def at_axis(axis: int, ndim: int, index: Any) -> tuple[Any, ...]:
    """The index that names places along one axis, and everything along the others."""
    return (slice(None),) * axis + (index,) + (slice(None),) * (ndim - axis - 1)


def from_front(places: Any, whole: int) -> Any:
    """The indices counted from the front, and moved into bounds."""
    return clip(choose(less(places, 0), plus(places, whole), places), 0, whole)


def _others(obj: Any, whole: int) -> Any:
    """The indices that are not among those given, all of which differ."""
    gone = sort(from_front(ravel(obj), whole))
    gone = minus(gone, arange(gone.size))
    left = arange(whole - gone.size)
    passed = lax.ge(lax.expand_dims(left, (0,)), lax.expand_dims(gone, (1,)))
    count = lax.reduce_sum(lax.convert_element_type(passed, left.dtype), (0,))
    return lax.add(left, count)


def trim_zeros(filt, trim="fb", axis=None):
    """The array without the zeros in front (``f`` in ``trim``) and behind (``b``) along all axes, or some."""
    x = ensure_arraylike("trim_zeros", filt)
    values = np.asarray(concrete(x, "Error arose in the `filt` argument of trim_zeros()"))
    if axis is None:
        axes = tuple(range(values.ndim))
    else:
        axes = canonicalize_axes((axis,) if not np.iterable(axis) else axis, values.ndim)
    index: list[Any] = [slice(None)] * values.ndim
    for along, places in enumerate(np.nonzero(values) if values.ndim else ()):
        if along in axes:
            size = values.shape[along]
            first = (places.min() if places.size else size) if "f" in trim.lower() else 0
            last = (places.max() + 1 if places.size else 0) if "b" in trim.lower() else size
            index[along] = slice(operator.index(first), operator.index(last))
    return getitem(x, tuple(index))
