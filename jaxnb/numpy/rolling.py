"""The order of an array's elements changed along its axes: rolled, reversed, turned."""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.engine.api.jit import jit
from jaxnb.engine.ops.axes import canonicalize_axes, canonicalize_axis
from jaxnb.engine.ops.joining import rows
from jaxnb.engine.ops.staging import is_array
from jaxnb.numpy.arguments import concrete, ensure_arraylike, static_indices
from jaxnb.numpy.division import remainder
from jaxnb.numpy.shapes import transpose
from jaxnb.numpy.updates import stretch
from jaxnb.xla.version import JAXLIB_VERSION

# roll


@functools.partial(jit, static_argnames=("shift", "axis"))
def _roll_static(a, shift, axis):
    for step, dim in zip(shift, axis, strict=True):
        size = a.shape[dim]
        if size:
            cut = size - step % size
            parts = [lax.slice_in_dim(a, cut, size, axis=dim), lax.slice_in_dim(a, 0, cut, axis=dim)]
            a = lax.concatenate(parts, dim)
    return a


@functools.partial(jit, static_argnames=("axis",))
def _roll_dynamic(a, shift, axis):
    shifts = stretch(shift, lax.broadcast_shapes(np.shape(shift), (len(axis),)))
    together = tuple(rows(shifts)) if JAXLIB_VERSION >= (0, 12) else ()
    for i, dim in enumerate(axis):
        size = a.shape[dim]
        step = together[i] if together else lax.index_in_dim(shifts, i, keepdims=False)
        step = remainder(lax.convert_element_type(step, np.int32), lax.max(np.int32(size), np.int32(1)))
        twice = lax.concatenate([a, a], dim)
        a = lax.dynamic_slice_in_dim(twice, lax.sub(np.int32(size), step), size, dim)
    return a


def roll(a, shift, axis=None):
    """The elements moved along axes; those that leave at one end come in at the other."""
    x = ensure_arraylike("roll", a)
    if axis is None:
        return lax.reshape(roll(lax.reshape(x, (x.size,)), shift, 0), x.shape)
    axes = canonicalize_axes(static_indices(axis), x.ndim)
    if is_array(shift):
        return _roll_dynamic(x, shift, axes)
    steps, dims = np.broadcast_arrays(np.ravel(shift).astype(np.int64), np.array(axes, np.int64))
    return _roll_static(x, tuple(steps.tolist()), tuple(dims.tolist()))


# flip


@functools.partial(jit, static_argnames=("axis",), inline=False)
def _flip(m, axis=None):
    x = ensure_arraylike("flip", m)
    if axis is None:
        return lax.rev(x, list(range(x.ndim)))
    axes = axis if isinstance(axis, tuple) else (axis,)
    return lax.rev(x, canonicalize_axes(axes, x.ndim))


def flip(m, axis=None):
    """The elements in reversed order along all axes, or some."""
    x = ensure_arraylike("flip", m)
    if axis is not None:
        axis = static_indices(concrete(axis, "The axis argument must be known statically."))
    return _flip(x, axis)


def fliplr(m):
    """The elements in reversed order along the second axis."""
    return _flip(ensure_arraylike("fliplr", m), 1)


def flipud(m):
    """The elements in reversed order along the first axis."""
    return _flip(ensure_arraylike("flipud", m), 0)


@functools.partial(jit, static_argnames=("k", "axes"))
def rot90(m, k=1, axes=(0, 1)):
    """The array turned by quarter turns, from the first of two axes toward the second."""
    x = ensure_arraylike("rot90", m)
    if x.ndim < 2:
        raise ValueError(
            "rot90 requires its first argument to have ndim at least two, but got first argument of "
            f"shape {x.shape}, which has ndim {x.ndim}"
        )
    first, second = axes
    first, second = canonicalize_axis(first, x.ndim), canonicalize_axis(second, x.ndim)
    if first == second:
        raise ValueError("Axes must be different")
    order: list[Any] = list(range(x.ndim))
    order[first], order[second] = order[second], order[first]
    turns = k % 4
    if turns == 0:
        return x
    if turns == 1:
        return transpose(flip(x, second), order)
    if turns == 2:
        return flip(flip(x, first), second)
    return flip(transpose(x, order), second)
