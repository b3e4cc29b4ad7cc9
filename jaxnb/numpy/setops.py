"""Arrays as sets: membership, union and difference."""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.engine.api.jit import jit
from jaxnb.numpy.arguments import check_arraylike, concrete, ensure_arraylike, promote_dtypes
from jaxnb.numpy.creation import arange, asarray, full, full_like, zeros
from jaxnb.numpy.joining import concatenate
from jaxnb.numpy.reductions import sum
from jaxnb.numpy.searching import nonzero
from jaxnb.numpy.selection import choose
from jaxnb.numpy.shapes import ravel, reshape
from jaxnb.numpy.sorted_search import searchsorted
from jaxnb.numpy.uniques import unique

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
