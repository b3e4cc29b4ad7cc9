"""Primitives that take a rectangle out of an array, or put one in: slice with pad, dynamic_slice with its update.

Indexing with arrays of indices is in ``gather.py`` and ``scatter.py``.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from jaxnb.engine.core.ad import Zero, is_undefined_primal
from jaxnb.engine.core.avals import ShapedArray
from jaxnb.engine.core.rules import define, linear_jvp, primitives
from jaxnb.engine.core.trace import current_trace_is_eval
from jaxnb.engine.ops.arithmetic import sub
from jaxnb.engine.ops.axes import check_nonnegative
from jaxnb.engine.ops.filling import full
from jaxnb.engine.ops.lowering import LoweringContext, dense_ints
from jaxnb.engine.ops.selection import select_n
from jaxnb.engine.ops.shape import broadcast, broadcast_in_dim, squeeze
from jaxnb.engine.ops.staging import is_array
from jaxnb.xla.mlir import hlo, ir


def _extra(operand: ir.Value, dimensions: Sequence[Any]) -> list[int]:
    """The sizes of the trailing dimensions that a key array has in memory only."""
    return list(ir.RankedTensorType(operand.type).shape)[len(dimensions) :]


# slice


def check_slice_sizes(operand: ShapedArray, sizes: tuple[Any, ...]) -> None:
    """Raises unless a slice of these sizes fits into the operand."""
    if len(sizes) != operand.ndim:
        raise ValueError("safe_map() argument 2 is shorter than argument 1")
    if not all(size <= whole for size, whole in zip(sizes, operand.shape, strict=True)):
        raise TypeError(
            "slice slice_sizes must be less than or equal to operand shape, "
            f"got slice_sizes {sizes} for operand shape {operand.shape}."
        )
    if not all(size >= 0 for size in sizes):
        raise TypeError(
            f"slice slice_sizes must be greater than or equal to zero, got slice_sizes of {sizes}."
        )


def _slice_abstract(operand: ShapedArray, *, start_indices, limit_indices, strides):
    check_nonnegative("slice", "start_indices", start_indices)
    for what, values in (("limit_indices", limit_indices), ("strides", strides or ())):
        if not all(value >= 0 for value in values):
            raise TypeError(f"slice {what} must have every element be nonnegative, got {values}.")
    shape = operand.shape
    if len(start_indices) != operand.ndim:
        raise TypeError(
            "slice start_indices must have length equal to the number of dimensions of the operand, "
            f"got indices {start_indices} for operand shape {shape}."
        )
    if len(start_indices) != len(limit_indices):
        raise TypeError(
            "slice limit_indices must have the same length as start_indices, "
            f"got start_indices {start_indices} and limit_indices {limit_indices}."
        )
    if not all(limit <= size for limit, size in zip(limit_indices, shape, strict=True)):
        raise TypeError(
            "slice limit_indices must be less than or equal to operand shape, "
            f"got limit_indices {limit_indices} for operand shape {shape}."
        )
    if not all(start <= limit for start, limit in zip(start_indices, limit_indices, strict=True)):
        raise TypeError(
            "slice limit_indices must be greater than or equal to start_indices, "
            f"got start_indices {start_indices} and limit_indices {limit_indices}."
        )
    if strides is None:
        strides = (1,) * operand.ndim
    elif len(strides) != operand.ndim:
        raise TypeError(
            "slice strides must have length equal to the number of dimensions of the operand, "
            f"got strides {strides} for operand shape {shape}."
        )
    bounds = zip(start_indices, limit_indices, strides, strict=True)
    return operand.update(shape=tuple(int(-((start - limit) // step)) for start, limit, step in bounds))


def _slice_lower(ctx: LoweringContext, operand: ir.Value, *, start_indices, limit_indices, strides):
    extra = _extra(operand, start_indices)
    steps = (1,) * len(start_indices) if strides is None else strides
    return hlo.slice(
        operand,
        dense_ints([*start_indices, *(0 for _ in extra)]),
        dense_ints([*limit_indices, *extra]),
        dense_ints([*steps, *(1 for _ in extra)]),
    )


def _slice_transpose(ct, operand, *, start_indices, limit_indices, strides):
    """``ct`` set into zeros: padded outside and, for a stride, between."""
    if type(ct) is Zero:
        return [None]
    shape = operand.aval.shape
    if strides is None or np.all(np.equal(strides, 1)):
        after, between = np.subtract(shape, limit_indices), (0,) * len(start_indices)
    else:
        reached = np.where(
            np.array(ct.shape) == 0, 0, np.add(1, np.multiply(strides, np.subtract(ct.shape, 1)))
        )
        after = np.subtract(shape, np.add(start_indices, reached))
        between = np.subtract(strides, 1)
    zero = np.zeros((), ct.dtype)
    return [pad(ct, zero, tuple(zip(start_indices, after, between, strict=True)))]


def _slice_batch(args, dims, *, start_indices, limit_indices, strides):
    (operand,), (d,) = args, dims
    start, limit = list(start_indices), list(limit_indices)
    start.insert(d, 0)
    limit.insert(d, operand.shape[d])
    if strides is not None:
        strides = list(strides)
        strides.insert(d, 1)
    return slice(operand, start, limit, strides), d


slice_p = define(
    "slice",
    abstract=_slice_abstract,
    lower=_slice_lower,
    jvp=linear_jvp,
    transpose=_slice_transpose,
    batch=_slice_batch,
)


def slice(operand, start_indices, limit_indices, strides=None):
    """The rectangle of the operand from ``start_indices`` up to ``limit_indices``, every ``strides``-th element."""
    start, limit = tuple(start_indices), tuple(limit_indices)
    if strides is None and current_trace_is_eval() and start and is_array(operand):
        # an array's slices of one size share one program, which takes the start
        sizes = _slice_abstract(operand.aval, start_indices=start, limit_indices=limit, strides=None).shape
        places = [np.asarray(place, np.int32)[()] for place in start]
        return primitives["dynamic_slice"].bind(operand, *places, slice_sizes=sizes)
    return slice_p.bind(
        operand,
        start_indices=start,
        limit_indices=limit,
        strides=None if strides is None else tuple(strides),
    )


def slice_in_dim(operand, start_index, limit_index, stride=1, axis=0):
    """A slice along one axis; negative indices count from its end."""
    ndim = np.ndim(operand)
    shape = np.shape(operand)
    start, limit, strides = [0] * ndim, list(shape), [1] * ndim
    size = shape[axis]
    first = 0 if start_index is None else operator.index(start_index)
    last = size if limit_index is None else operator.index(limit_index)
    axis = operator.index(axis)
    start[axis] = first + size if first < 0 else first
    limit[axis] = last + size if last < 0 else last
    strides[axis] = operator.index(stride)
    return slice(operand, start, limit, strides)


def index_in_dim(operand, index, axis=0, keepdims=True):
    """The slice of size one at a static index of an axis, which is kept or dropped."""
    index, axis = operator.index(index), operator.index(axis)
    size = np.shape(operand)[axis]
    place = index + size if index < 0 else index
    if not 0 <= place < size:
        raise IndexError(f"index {index} is out of bounds for axis {axis} with size {size}")
    piece = slice_in_dim(operand, place, place + 1, 1, axis)
    return piece if keepdims else squeeze(piece, (axis,))


# pad


def _pad_abstract(operand: ShapedArray, padding_value: ShapedArray, *, padding_config):
    if operand.dtype != padding_value.dtype:
        raise TypeError(
            f"pad operand and padding_value must be same dtype: got {operand.dtype} and {padding_value.dtype}."
        )
    if padding_value.shape != ():
        raise ValueError(f"padding_value must be a scalar; got np.shape(padding_value)={padding_value.shape}")
    if len(padding_config) != operand.ndim:
        raise ValueError(
            "length of padding_config must equal the number of axes of operand, "
            f"got padding_config {padding_config} for operand shape {operand.shape}"
        )
    if not all(between >= 0 for _, _, between in padding_config):
        raise ValueError(
            f"interior padding in padding_config must be nonnegative, got padding_config {padding_config}"
        )
    shape = tuple(
        int(before + after + (0 if size == 0 else (between * (size - 1) + size)))
        for (before, after, between), size in zip(padding_config, operand.shape, strict=True)
    )
    if not all(size >= 0 for size in shape):
        raise ValueError(
            f"Dimension size after padding is not at least 0, got result shape {shape}, "
            f"for padding_config {padding_config} and operand shape {operand.shape}"
        )
    return ShapedArray(shape, operand.dtype, weak_type=operand.weak_type and padding_value.weak_type)


def _pad_lower(ctx: LoweringContext, operand: ir.Value, padding_value: ir.Value, *, padding_config):
    before, after, between = (
        (dense_ints(column) for column in zip(*padding_config, strict=True))
        if (padding_config)
        else (dense_ints(()),) * 3
    )
    return hlo.pad(operand, padding_value, before, after, between)


def _pad_transpose(ct, operand, padding_value, *, padding_config):
    """For the operand, ``ct`` without the padding; for the value, the sum of what was padded."""
    if type(ct) is Zero:
        return [None, None]
    before, after, between = np.array(padding_config, int).reshape(-1, 3).T
    trimmed = pad(ct, np.zeros((), ct.dtype), tuple(zip(-before, -after, np.zeros_like(before), strict=True)))
    inside = slice(trimmed, np.zeros_like(before), trimmed.shape, between + 1)
    ct_value = None
    if is_undefined_primal(padding_value):
        ct_value = sub(_sum_all(ct), _sum_all(inside))
    return [inside if is_undefined_primal(operand) else None, ct_value]


def _sum_all(x: Any) -> Any:
    return primitives["reduce_sum"].bind(x, axes=tuple(range(x.ndim)), out_sharding=None)


def _pad_batch(args, dims, *, padding_config):
    (operand, padding_value), (d, d_value) = args, dims
    if d is None:
        operand, d = broadcast(operand, (padding_value.shape[d_value],)), 0
    config = list(padding_config)
    config.insert(d, (0, 0, 0))
    if d_value is None:
        return pad(operand, padding_value, config), d
    # A pad takes one value: pad with zero, and select each lane's own value where the padding is.
    padded = pad(operand, np.zeros((), operand.dtype), config)
    inside = pad(full(operand.shape, True, np.dtype(bool)), False, config)
    return select_n(inside, broadcast_in_dim(padding_value, padded.shape, (d,)), padded), d


pad_p = define(
    "pad",
    abstract=_pad_abstract,
    lower=_pad_lower,
    jvp=linear_jvp,
    transpose=_pad_transpose,
    batch=_pad_batch,
)


def pad(operand, padding_value, padding_config):
    """The operand with ``(before, after, between)`` copies of a value put around and between its elements."""
    padding_config = tuple(tuple(axis) if isinstance(axis, list) else axis for axis in padding_config)
    return pad_p.bind(operand, padding_value, padding_config=padding_config)
