"""Slicing functions of ``lax`` that are programs of their own (jitted), or take a function of the user's."""

from __future__ import annotations

import functools
import operator

import numpy as np

from jaxnb.engine.api.jit import jit
from jaxnb.engine.core.avals import ShapedArray
from jaxnb.engine.ops.addressing import GatherDimensionNumbers, GatherScatterMode
from jaxnb.engine.ops.arithmetic import add
from jaxnb.engine.ops.bitwise import bitwise_and
from jaxnb.engine.ops.comparison import eq, lt, ne
from jaxnb.engine.ops.dynamic_slicing import dynamic_slice_in_dim, dynamic_update_slice_in_dim
from jaxnb.engine.ops.filling import full_like
from jaxnb.engine.ops.gather import gather
from jaxnb.engine.ops.joining import concatenate
from jaxnb.engine.ops.magnitude import rem
from jaxnb.engine.ops.scatter import scatter_p
from jaxnb.engine.ops.selection import select_n
from jaxnb.engine.ops.shape import broadcast_in_dim, expand_dims, squeeze
from jaxnb.engine.transforms.stage import trace_to_jaxpr


@functools.partial(jit, static_argnames=("axis", "keepdims", "allow_negative_indices"))
def dynamic_index_in_dim(operand, index, axis=0, keepdims=True, *, allow_negative_indices=True):
    """The slice of size one at a run-time index of an axis, which is kept or dropped."""
    piece = dynamic_slice_in_dim(operand, index, 1, axis, allow_negative_indices=allow_negative_indices)
    return piece if keepdims else squeeze(piece, (axis,))


@functools.partial(jit, static_argnames=("axis", "allow_negative_indices"))
def dynamic_update_index_in_dim(operand, update, index, axis, *, allow_negative_indices=True):
    """The operand with the slice at an index of an axis replaced."""
    axis = operator.index(axis)
    if np.ndim(update) != np.ndim(operand):
        assert np.ndim(update) + 1 == np.ndim(operand)
        update = expand_dims(update, (axis,))
    return dynamic_update_slice_in_dim(
        operand, update, index, axis, allow_negative_indices=allow_negative_indices
    )


def scatter_apply(
    operand, scatter_indices, func, dimension_numbers, *, update_shape=(), indices_are_sorted=False,
    unique_indices=False, mode=None,
):  # fmt: skip
    """The operand with ``func`` applied at the places that the rows of indices name."""
    unused = full_like(operand, 0, shape=update_shape)
    scalar = ShapedArray((), operand.dtype)
    program, consts = trace_to_jaxpr(lambda x, _: [func(x)], [scalar, scalar])
    return scatter_p.bind(
        operand,
        scatter_indices,
        unused,
        update_jaxpr=program,
        update_consts=tuple(consts),
        dimension_numbers=dimension_numbers,
        indices_are_sorted=bool(indices_are_sorted),
        unique_indices=bool(unique_indices),
        mode=GatherScatterMode.from_any(mode),
    )


# Indices that wrap around


@jit
def _where(condition, x, y):
    return select_n(condition, y, x)


@jit
def remainder(x, y):
    """What is left of an integer division rounded down."""
    zero = np.zeros((), x.dtype)[()]
    y = _where(eq(y, zero), full_like(y, 1), y)
    rest = rem(x, y)
    left = ne(rest, zero)
    differ = ne(lt(rest, zero), lt(y, zero))
    return select_n(bitwise_and(differ, left), rest, add(rest, y))


def index_take(src, idxs, axes):
    """The slices of an array at indices of some axes, which wrap around."""
    columns = [expand_dims(index, (1,)) for index in idxs]
    places = concatenate(columns, 1)
    sizes = np.array([src.shape[axis] for axis in axes], places.dtype)
    places = remainder(places, broadcast_in_dim(sizes, (1, len(axes)), (1,)))
    window = list(src.shape)
    for axis in axes:
        window[axis] = 1
    numbers = GatherDimensionNumbers(
        offset_dims=tuple(range(1, src.ndim - len(axes) + 1)),
        collapsed_slice_dims=tuple(axes),
        start_index_map=tuple(axes),
    )
    return gather(src, places, numbers, tuple(window))
