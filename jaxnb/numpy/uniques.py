"""Different elements: unique and its four named forms.

How many there are is part of the result's shape, so a traced program must be told: ``size``.
"""

from __future__ import annotations

import functools
import operator
from typing import Any, NamedTuple

import numpy as np

from jaxnb import lax
from jaxnb.engine.api.jit import jit
from jaxnb.engine.core import dtypes
from jaxnb.engine.ops.axes import canonicalize_axis
from jaxnb.numpy.arguments import check_arraylike, concrete, ensure_arraylike
from jaxnb.numpy.creation import arange, asarray, full, ones, zeros
from jaxnb.numpy.cumulative import cumsum
from jaxnb.numpy.differences import diff
from jaxnb.numpy.joining import append
from jaxnb.numpy.predicates import isnan, logical_not
from jaxnb.numpy.promotion import constant_like
from jaxnb.numpy.reductions import any as any_of
from jaxnb.numpy.reductions import sum
from jaxnb.numpy.searching import nonzero
from jaxnb.numpy.selection import choose
from jaxnb.numpy.shapes import expand_dims, moveaxis, ravel, reshape
from jaxnb.numpy.sorting import lexsort

_ADVICE = (
    "To make jnp.unique() compatible with JIT and other transforms, you can specify a concrete value for the size "
    "argument, which will determine the output size."
)


def _differ(x: Any, y: Any, equal_nan: bool) -> Any:
    if equal_nan and dtypes.issubdtype(x.dtype, np.inexact):
        return lax.bitwise_and(lax.ne(x, y), logical_not(lax.bitwise_and(isnan(x), isnan(y))))
    return lax.ne(x, y)


@functools.partial(jit, static_argnames=("axis", "equal_nan"))
def _unique_sorted_mask(ar, axis, equal_nan):
    """The slices along the axis in order, where a new one begins, and where each was."""
    if equal_nan and dtypes.issubdtype(ar.dtype, np.complexfloating):
        # what is NaN in one part only is the same NaN
        ar = choose(isnan(ar), constant_like(ar, np.nan), ar)
    slices = moveaxis(ar, axis, 0)
    length, *rest = slices.shape
    order = lexsort(lax.rev(reshape(slices, (length, int(np.prod(rest)))).T, (0,)))
    slices = slices[order]
    begins = ones(length, dtype=bool) if length else zeros(length, dtype=bool)
    if length:
        new = _differ(slices[1:], slices[:-1], equal_nan)
        begins = begins.at[1:].set(any_of(new, axis=tuple(range(1, slices.ndim))))
    return slices, begins, order


def different_slices(
    ar: Any,
    axis: int,
    parts: tuple[bool, bool, bool],
    equal_nan: bool,
    size: int | None,
    fill_value: Any,
    *,
    with_number: bool = False,
) -> list[Any]:
    """The different slices, and of their positions, the inverse and the counts those that are wanted.

    With ``with_number`` the last value is how many differ, however many are returned.
    """
    if ar.shape[axis] == 0 and size and fill_value is None:
        raise ValueError(
            "jnp.unique: for zero-sized input with nonzero size argument, fill_value must be specified"
        )
    slices, begins, order = _unique_sorted_mask(ar, axis, equal_nan)
    (found,) = nonzero(begins, size=size)
    if fill_value is not None and slices.size == 0 and size is not None:
        result = full((size, *slices.shape[1:]), fill_value, dtype=slices.dtype)
    else:
        result = slices[found] if slices.size else slices
        if fill_value is not None and size is not None:
            is_there = lax.lt(arange(size), sum(begins))
            result = choose(expand_dims(is_there, tuple(range(1, result.ndim))), result, fill_value)
    out = [moveaxis(result, 0, axis)]
    want_index, want_inverse, want_counts = parts
    if want_index:
        out.append(order[found] if slices.size else order)
    if want_inverse:
        if slices.size:
            numbers = cumsum(begins) - 1
            out.append(zeros(begins.shape, dtype=numbers.dtype).at[order].set(numbers))
        else:
            out.append(zeros(begins.shape, dtype=dtypes.canonicalize_dtype(np.int64)))
    if want_counts:
        if size is None:
            starts = append(nonzero(begins)[0], begins.size)
        else:
            (starts,) = nonzero(begins, size=size + 1)
            starts = starts.at[1:].set(choose(starts[1:], starts[1:], begins.size))
        out.append(diff(starts))
    if with_number:
        out.append(sum(begins))
    return out


def unique(
    ar,
    return_index=False,
    return_inverse=False,
    return_counts=False,
    axis=None,
    *,
    equal_nan=True,
    size=None,
    fill_value=None,
    sorted=True,
):
    """The different elements, in ascending order.

    Args:
        ar: array.
        return_index: whether to return too where each one first occurs.
        return_inverse: whether to return too, for each element, which one it is.
        return_counts: whether to return too how often each one occurs.
        axis: axis whose slices are compared as wholes; None: single elements.
        equal_nan: whether all NaNs are one.
        size: how many to return: the first ones; known beforehand under a transformation.
        fill_value: what stands where there are fewer; the least element by default.
        sorted: accepted; the result is always in order.
    """
    check_arraylike("unique", ar)
    if size is None:
        ar = concrete(ar, f"The error arose for the first argument of jnp.unique(). {_ADVICE}")
    else:
        size = operator.index(
            concrete(size, f"The error arose for the size argument of jnp.unique(). {_ADVICE}")
        )
    ar = ensure_arraylike("unique", ar)
    if fill_value is not None:
        fill_value = asarray(fill_value, dtype=ar.dtype)
    parts = (bool(return_index), bool(return_inverse), bool(return_counts))
    shape = ar.shape
    if axis is None:
        at, flat = 0, ravel(ar)
    else:
        at, flat = (
            canonicalize_axis(operator.index(concrete(axis, "axis argument of jnp.unique()")), ar.ndim),
            ar,
        )
    out = different_slices(flat, at, parts, equal_nan, size, fill_value)
    if return_inverse and axis is None:
        place = 1 + return_index
        out[place] = reshape(out[place], shape)
    return tuple(out) if len(out) > 1 else out[0]


class _UniqueAllResult(NamedTuple):
    """The different elements, where each first occurs, which each element is, and how often each occurs."""

    values: Any
    indices: Any
    inverse_indices: Any
    counts: Any


class _UniqueCountsResult(NamedTuple):
    """The different elements, and how often each occurs."""

    values: Any
    counts: Any


class _UniqueInverseResult(NamedTuple):
    """The different elements, and which of them each element is."""

    values: Any
    inverse_indices: Any


def unique_all(x, /, *, size=None, fill_value=None):
    """The different elements and all that ``unique`` knows of them; arguments as those of ``unique``."""
    check_arraylike("unique_all", x)
    values, indices, inverse, counts = unique(
        x,
        return_index=True,
        return_inverse=True,
        return_counts=True,
        equal_nan=False,
        size=size,
        fill_value=fill_value,
    )
    return _UniqueAllResult(values, indices, inverse, counts)


def unique_counts(x, /, *, size=None, fill_value=None):
    """The different elements and how often each occurs; arguments as those of ``unique``."""
    check_arraylike("unique_counts", x)
    found = unique(x, return_counts=True, equal_nan=False, size=size, fill_value=fill_value)
    return _UniqueCountsResult(*found)


def unique_inverse(x, /, *, size=None, fill_value=None):
    """The different elements and which of them each element is; arguments as those of ``unique``."""
    check_arraylike("unique_inverse", x)
    found = unique(x, return_inverse=True, equal_nan=False, size=size, fill_value=fill_value)
    return _UniqueInverseResult(*found)


def unique_values(x, /, *, size=None, fill_value=None):
    """The different elements; arguments as those of ``unique``."""
    check_arraylike("unique_values", x)
    return unique(x, equal_nan=False, size=size, fill_value=fill_value)
