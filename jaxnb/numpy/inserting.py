"""Slices put into an array along an axis, and places given by a condition."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.engine.core import dtypes
from jaxnb.engine.ops.axes import canonicalize_axis
from jaxnb.numpy.arguments import check_arraylike, concrete, ensure_arraylike
from jaxnb.numpy.creation import arange, array, ones
from jaxnb.numpy.editing import at_axis, from_front
from jaxnb.numpy.indexing import getitem
from jaxnb.numpy.searching import nonzero
from jaxnb.numpy.shapes import moveaxis, ravel
from jaxnb.numpy.sorting import argsort
from jaxnb.numpy.taking import immutable
from jaxnb.numpy.triangles import repeated, tril, triu
from jaxnb.numpy.updates import _IndexUpdateHelper, stretch


def insert(arr, obj, values, axis=None):
    """The array with values put in before indices of an axis; without ``axis``, among its elements."""
    check_arraylike("insert", arr, 0 if isinstance(obj, slice) else obj, values)
    x, values = ensure_arraylike("insert", arr, values)
    x, axis = (ravel(x), 0) if axis is None else (x, canonicalize_axis(axis, x.ndim))
    whole = x.shape[axis]
    if isinstance(obj, slice):
        places = arange(*obj.indices(whole))
    elif np.ndim(obj) > 1:
        raise ValueError(
            f"jnp.insert(): obj must be a slice, a one-dimensional array, or a scalar; got {obj}"
        )
    elif not dtypes.issubdtype(dtypes.dtype(obj), np.integer):
        raise ValueError(f"jnp.insert(): index array must be integer typed; got {obj}")
    values = array(values, ndmin=x.ndim, dtype=x.dtype, copy=False)
    if not isinstance(obj, slice):
        places = ravel(obj)
    if places.size == 1:
        place = getitem(places, 0)
        if not isinstance(obj, slice) and np.ndim(obj) == 0:
            values = moveaxis(values, 0, axis)
        places = stretch(place, (values.shape[axis],))
    out = lax.full_like(x, 0, shape=(*x.shape[:axis], whole + places.size, *x.shape[axis + 1 :]))
    size = out.shape[axis]
    # each place moves on by as many as are put in before it
    places = from_front(places, whole)
    places = _IndexUpdateHelper(places)[argsort(places)].add(arange(places.size, dtype=places.dtype))
    free = _IndexUpdateHelper(ones(size, bool))[places].set(False)
    (others,) = nonzero(free, size=whole)
    out = _IndexUpdateHelper(out)[at_axis(axis, x.ndim, places)].set(values)
    return _IndexUpdateHelper(out)[at_axis(axis, x.ndim, others)].set(x)


def place(arr, mask, vals, *, inplace=True):
    """The array with values, in turn, where a condition holds."""
    x, mask, values = ensure_arraylike("place", arr, mask, vals)
    if inplace:
        raise immutable("place")
    if x.size != mask.size:
        raise ValueError("place: arr and mask must be the same size")
    values = ravel(values)
    if not values.size:
        raise ValueError("Cannot place values from an empty array")
    if not x.size:
        return x
    (places,) = nonzero(ravel(mask), size=mask.size, fill_value=mask.size)
    values = repeated(values, mask.size)
    return lax.reshape(_IndexUpdateHelper(ravel(x))[places].set(values, mode="drop"), x.shape)


# Indices of triangles


def mask_indices(n, mask_func, k=0, *, size=None):
    """The indices, by axis, of the elements of a square matrix that a function such as ``triu`` keeps."""
    return nonzero(mask_func(ones((n, n)), k), size=size)


def tril_indices(n, k=0, m=None):
    """The indices, by axis, at and below the ``k``-th diagonal of a matrix with ``n`` rows and ``m`` columns."""
    n, k, m = _sizes(n, k, m)
    size = sum(min(max(row + k + 1, 0), m) for row in range(n))
    return nonzero(tril(ones((n, m)), k=k), size=size)


def triu_indices(n, k=0, m=None):
    """The indices, by axis, at and above the ``k``-th diagonal of a matrix with ``n`` rows and ``m`` columns."""
    n, k, m = _sizes(n, k, m)
    size = sum(min(max(m - row - k, 0), m) for row in range(n))
    return nonzero(triu(ones((n, m)), k=k), size=size)


def _sizes(n: Any, k: Any, m: Any) -> tuple[int, int, int]:
    def size(x: Any, name: str) -> int:
        return operator.index(
            concrete(x, f"{name} argument of jnp.triu_indices")
        )  # so JAX says of both functions

    n, k = size(n, "n"), size(k, "k")
    return n, k, n if m is None else size(m, "m")


def _rows_and_columns(name: str, arr: Any) -> tuple[int, int]:
    shape = arr.shape if hasattr(arr, "shape") else None
    if shape is None:
        check_arraylike(name, arr)
        shape = np.shape(arr)
    if len(shape) != 2:
        raise ValueError("Only 2-D inputs are accepted")
    return shape


def tril_indices_from(arr, k=0):
    """The indices, by axis, at and below the ``k``-th diagonal of a matrix."""
    rows, columns = _rows_and_columns("tril_indices_from", arr)
    return tril_indices(rows, k=k, m=columns)


def triu_indices_from(arr, k=0):
    """The indices, by axis, at and above the ``k``-th diagonal of a matrix."""
    rows, columns = _rows_and_columns("triu_indices_from", arr)
    return triu_indices(rows, k=k, m=columns)
