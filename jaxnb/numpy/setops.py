"""Arrays as sets: membership, union, difference, intersection, and what is in one of two only."""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.engine.api.jit import jit
from jaxnb.numpy.arguments import check_arraylike, concrete, ensure_arraylike, promote_dtypes
from jaxnb.numpy.creation import arange, asarray, full, full_like, ones, zeros
from jaxnb.numpy.joining import concatenate
from jaxnb.numpy.reductions import max, min, sum
from jaxnb.numpy.searching import nonzero
from jaxnb.numpy.selection import choose
from jaxnb.numpy.shapes import ravel, reshape
from jaxnb.numpy.sorted_search import searchsorted
from jaxnb.numpy.sorting import sort
from jaxnb.numpy.uniques import different_slices, unique
from jaxnb.xla.version import JAXLIB_VERSION

_METHODS = ("auto", "compare_all", "binary_search", "sort")


@functools.partial(jit, static_argnames=("invert", "method", "assume_unique"))
def _in1d(ar1, ar2, invert, method="auto", assume_unique=False):
    """For each element of the first array in a row, whether it is in the second (or is not)."""
    a, b = map(ravel, promote_dtypes(ar1, ar2))
    if a.size == 0 or b.size == 0:
        return full(a.shape, invert, dtype=bool)
    differ = lax.ne if invert else lax.eq
    if method in ("auto", "compare_all"):
        together = lax.reduce_and if invert else lax.reduce_or
        return together(differ(lax.expand_dims(a, (1,)), lax.expand_dims(b, (0,))), (1,))
    if method == "binary_search":
        b = lax.sort(b)
        return differ(a, b[searchsorted(b, a)])
    return _in1d_by_sorting(a, b, invert, assume_unique)


def _in1d_by_sorting(a: Any, b: Any, invert: bool, assume_unique: bool) -> Any:
    """The same by sorting both together: an element that is in both has its like beside it."""
    inverse: Any = None
    if not assume_unique:
        a, inverse = unique(a, return_inverse=True, size=a.size, fill_value=b.max())
    together = lax.concatenate([a, b], 0)
    places = lax.iota(np.dtype(np.int32), together.shape[0])
    together, order = lax.sort_key_val(together, places)
    found = full(a.shape, invert, dtype=bool)
    order = order[:-1]
    beside = (lax.ne if invert else lax.eq)(together[1:], together[:-1])
    found = found.at[order].set(beside)
    return found if inverse is None else found[inverse]


def isin(element, test_elements, assume_unique=False, invert=False, *, method="auto"):
    """For each element, whether it is among the test elements.

    Args:
        element: array.
        test_elements: the elements to look for.
        assume_unique: whether both arrays hold each element once; used by "sort" alone.
        invert: whether to say where it is not.
        method: "compare_all", "binary_search", "sort" or "auto".
    """
    element, test_elements = ensure_arraylike("isin", element, test_elements)
    if method not in _METHODS:
        raise ValueError(
            f"{method=} is not implemented; options are 'compare_all', 'binary_search', 'sort', and 'auto'"
        )
    found = _in1d(element, test_elements, invert=invert, method=method, assume_unique=assume_unique)
    return reshape(found, element.shape)


def union1d(ar1, ar2, *, size=None, fill_value=None):
    """The different elements of both arrays.

    Args:
        ar1: array.
        ar2: array.
        size: how many to return; known beforehand under a transformation.
        fill_value: what stands where there are fewer; the least element by default.
    """
    check_arraylike("union1d", ar1, ar2)
    if size is None:
        ar1 = concrete(ar1, "The error arose in union1d()")
        ar2 = concrete(ar2, "The error arose in union1d()")
    else:
        size = operator.index(concrete(size, "The error arose in union1d()"))  # pyright: ignore[reportArgumentType]
    both = concatenate([ar1, ar2], axis=None)  # pyright: ignore[reportArgumentType]
    return unique(both, size=size, fill_value=fill_value)


def setdiff1d(ar1, ar2, assume_unique=False, *, size=None, fill_value=None):
    """The different elements of the first array that are not in the second.

    Args:
        ar1: array.
        ar2: array.
        assume_unique: whether both arrays hold each element once.
        size: how many to return; known beforehand under a transformation.
        fill_value: what stands where there are fewer; 0 by default.
    """
    check_arraylike("setdiff1d", ar1, ar2)
    if size is None:
        ar1 = concrete(ar1, "The error arose in setdiff1d()")
    else:
        size = operator.index(concrete(size, "The error arose in setdiff1d()"))
    ar1 = ensure_arraylike("setdiff1d", ar1)
    fill_value = asarray(0 if fill_value is None else fill_value, dtype=ar1.dtype)
    if ar1.size == 0:
        return full_like(ar1, fill_value, shape=size or 0)
    if not assume_unique:
        ar1 = unique(ar1, size=size and ar1.size)
    ar1 = ravel(ar1)
    is_left = _in1d(ar1, ar2, invert=True)
    if size is None:
        return ar1[is_left]
    if not assume_unique:
        # the least element stands too where there were fewer different ones
        how_many = ar1.size + 1 - sum(ar1 == ar1[0])
        is_left = choose(arange(ar1.size) < how_many, is_left, False)
    is_there = arange(size) < sum(is_left)
    return choose(is_there, ar1[nonzero(is_left, size=size)[0]], fill_value)


# Intersection and symmetric difference: both arrays in one row, sorted, where like elements are neighbours


def _in_one_row(arrays: list[Any], numbers: list[Any]) -> Any:
    """The first elements of two arrays, as many as the numbers say, one after the other; zeros follow."""
    first, second = arrays
    row = zeros(first.size + second.size, dtype=first.dtype)
    row = lax.dynamic_update_slice(row, first, (0,))
    return lax.dynamic_update_slice(row, second, (numbers[0],))


def _filled(values: Any, number: Any, fill_value: Any) -> Any:
    """The values, and behind the first ``number`` of them the fill value: the least one by default."""
    if values.size == 0 and JAXLIB_VERSION >= (0, 12):
        return values
    if fill_value is not None:
        return _first(values, number, fill_value)
    # of what is there: what is not must not be the least
    values = choose(arange(len(values)) < number, values, max(values))
    return choose(arange(len(values)) < number, values, min(values))


def _first(values: Any, number: Any, otherwise: Any) -> Any:
    return choose(arange(len(values)) < number, values, otherwise)


def _read(row: Any, places: Any, otherwise: int) -> Any:
    return row.at[places].get(mode="fill", fill_value=otherwise)


@functools.partial(jit, static_argnames=("fill_value", "assume_unique", "size", "return_indices"))
def _intersect1d_size(arr1, arr2, fill_value, assume_unique, size, return_indices):
    """The elements of both arrays, ``size`` of them, and where they are in each."""
    indices, numbers = [], []
    if assume_unique:
        indices = [arange(arr1.size), arange(arr2.size)]
        row = concatenate([arr1, arr2])
        row, order = lax.sort([row, arange(row.size)], num_keys=1)
        is_there = ones(row.size, dtype=bool)
        numbers = [arr1.size, arr2.size]
    else:
        firsts = []
        for a in (arr1, arr2):
            values, index, number = different_slices(
                a, 0, (True, False, False), True, a.size, asarray(0, dtype=a.dtype), with_number=True
            )
            firsts.append(values)
            indices.append(index)
            numbers.append(number)
        row = _in_one_row(firsts, numbers)
        is_there = arange(row.size) < numbers[0] + numbers[1]
        _, row, order = lax.sort([~is_there, row, arange(row.size)], num_keys=2)
    is_double = (row[1:] == row[:-1]) & is_there[1:]
    number = sum(is_double)
    if row.size:
        places = nonzero(is_double, size=size, fill_value=row.size)[0]
        values = _read(row, places, 0)
    else:
        places, values = arange(0), zeros(size, row.dtype)
    values = _filled(values, number, fill_value)
    if not return_indices:
        return values
    where1 = _first(_read(order, places, arr1.size), number, arr1.size)
    where2 = _first(_read(order, places + 1, arr2.size) - numbers[0], number, arr2.size)
    if not assume_unique:
        where1 = _read(indices[0], where1, arr1.size)
        where2 = _read(indices[1], where2, arr2.size)
    return values, where1, where2


def intersect1d(ar1, ar2, assume_unique=False, return_indices=False, *, size=None, fill_value=None):
    """The different elements that are in both arrays, in ascending order.

    Args:
        ar1: array; taken in one row.
        ar2: array; taken in one row.
        assume_unique: whether both arrays hold each element once.
        return_indices: whether to return too where each one first is in both rows.
        size: how many to return; known beforehand under a transformation.
        fill_value: what stands where there are fewer; the least element by default.

    Returns:
        ``[n]`` in the common type; with ``return_indices`` also two times ``i[n]``.

    Raises:
        TypeError: an argument is no array.
        ConcretizationTypeError: an array is traced, and the size is not given.
    """
    ar1, ar2 = ensure_arraylike("intersect1d", ar1, ar2)
    ar1, ar2 = map(ravel, promote_dtypes(ar1, ar2))
    if size is not None:
        return _intersect1d_size(
            ar1, ar2, fill_value, assume_unique=assume_unique, size=size, return_indices=return_indices
        )
    indices: list[Any] = []
    if not assume_unique:
        ar1, index1 = unique(ar1, return_index=True)
        ar2, index2 = unique(ar2, return_index=True)
        indices = [index1, index2]
    row = concatenate([ar1, ar2])
    row, order = lax.sort([row, arange(row.size)], num_keys=1)
    is_double = row[1:] == row[:-1]
    values = row[:-1][is_double]
    if not return_indices:
        return values
    where1, where2 = order[:-1][is_double], order[1:][is_double] - ar1.size
    return (values, indices[0][where1], indices[1][where2]) if indices else (values, where1, where2)


def _edges(row: Any, first: bool, last: bool) -> Any:
    """Where neighbours in a row differ, and what is said of its two ends: one more than there are elements."""
    differ = row[1:] != row[:-1]
    return concatenate([lax.reshape(first, (1,)), differ, lax.reshape(last, (1,))])


def _between(edges: Any) -> Any:
    """The elements that have an edge on both sides."""
    return edges[1:] & edges[:-1]


@functools.partial(jit, static_argnames=("assume_unique", "size"))
def _setxor1d_size(arr1, arr2, fill_value, *, assume_unique, size):
    """The elements of one array only, ``size`` of them."""
    is_any = arr1.size + arr2.size > 0
    if assume_unique:
        row = concatenate([arr1, arr2])
        row = sort(concatenate([arr1, arr2]))
        alone = _between(_edges(row, is_any, True))
    else:
        firsts, numbers = [], []
        for a in (arr1, arr2):
            values, number = different_slices(
                a, 0, (False, False, False), True, a.size, None, with_number=True
            )
            firsts.append(values)
            numbers.append(number)
        row = _in_one_row(firsts, numbers)
        number = numbers[0] + numbers[1]
        # the last element that is there has no neighbour behind it
        is_there = arange(row.size + 1) < number + 1
        _, row = lax.sort([~is_there[1:], row], num_keys=2)
        alone = _between(is_there & _edges(row, is_any, False).at[number].set(True))
    number = sum(alone)
    if row.size:
        values = _read(row, nonzero(alone, size=size, fill_value=row.size)[0], 0)
    else:
        values = zeros(size, row.dtype)
    return _filled(values, number, fill_value)


def setxor1d(ar1, ar2, assume_unique=False, *, size=None, fill_value=None):
    """The different elements that are in one of the arrays only, in ascending order.

    Args:
        ar1: array; taken in one row.
        ar2: array; taken in one row.
        assume_unique: whether both arrays hold each element once.
        size: how many to return; known beforehand under a transformation.
        fill_value: what stands where there are fewer; the least element by default.

    Returns:
        ``[n]`` in the common type.

    Raises:
        TypeError: an argument is no array.
        ConcretizationTypeError: an array is traced, and the size is not given.
    """
    ar1, ar2 = ensure_arraylike("setxor1d", ar1, ar2)
    ar1, ar2 = map(ravel, promote_dtypes(ar1, ar2))
    if size is not None:
        return _setxor1d_size(ar1, ar2, fill_value, assume_unique=assume_unique, size=size)
    if not assume_unique:
        ar1, ar2 = unique(ar1), unique(ar2)
    row = concatenate([ar1, ar2])
    if row.size == 0:
        return row
    row = sort(row)
    return row[_between(_edges(row, True, True))]
