"""Slices whose place is a run-time value: dynamic_slice and dynamic_update_slice, and how a start index is read.

Batching either over its indices turns it into a gather or a scatter.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from jaxnb.engine.core import dtypes
from jaxnb.engine.core.ad import Zero, is_undefined_primal
from jaxnb.engine.core.avals import ShapedArray
from jaxnb.engine.core.rules import define, instantiate_zeros
from jaxnb.engine.ops.addressing import GatherDimensionNumbers, GatherScatterMode, ScatterDimensionNumbers
from jaxnb.engine.ops.arithmetic import add
from jaxnb.engine.ops.axes import Shape, canonicalize_shape
from jaxnb.engine.ops.comparison import lt
from jaxnb.engine.ops.conversion import convert_element_type
from jaxnb.engine.ops.filling import full
from jaxnb.engine.ops.gather import gather_batch
from jaxnb.engine.ops.joining import concatenate, rows
from jaxnb.engine.ops.lowering import LoweringContext, constant, dense_ints
from jaxnb.engine.ops.scatter import scatter_batch, scatter_p
from jaxnb.engine.ops.selection import select_n
from jaxnb.engine.ops.shape import broadcast_in_dim
from jaxnb.engine.ops.slicing import check_slice_sizes
from jaxnb.engine.ops.staging import is_array
from jaxnb.xla.mlir import hlo, ir

# Start indices


def wrap_index(index: Any, size: int) -> Any:
    """The index counted from the front: ``index + size`` where it is negative."""
    if not is_array(index):
        array = np.asarray(index)
        if array.dtype.kind == "u":
            return _narrowed(index)
        if not isinstance(index, np.ndarray | np.generic):
            return _narrowed(operator.index(index) + size if index < 0 else index)
        return array.dtype.type(array + array.dtype.type(size)) if array < 0 else index
    if dtypes.issubdtype(index.dtype, np.unsignedinteger):
        return index
    negative = lt(index, _const(0, index.dtype))
    strong = convert_element_type(index, index.dtype) if index.aval.weak_type else index
    return select_n(negative, index, add(strong, _const(size, index.dtype)))


def _narrowed(index: Any) -> Any:
    """A Python integer that is too large loses its upper bits."""
    if type(index) is int and not -0x8000_0000 <= index < 0x8000_0000:
        return np.asarray(index).astype(dtypes.canonicalize_dtype(np.int64))[()]
    return index


def _const(value: int, dtype: Any) -> np.ndarray:
    return np.asarray(value).astype(dtype)


def start_indices_of(operand: Any, indices: Any, allow_negative: bool | Sequence[bool]) -> list[Any]:
    """One scalar start index for each axis of the operand, counted from the front."""
    shape = np.shape(operand)
    if is_array(indices) or isinstance(indices, np.ndarray):
        if np.ndim(indices) != 1:
            raise ValueError(f"Slice indices must be a 1D sequence, got {np.shape(indices)}")
    if len(indices) != len(shape):
        raise ValueError(
            f"Length of slice indices must match number of operand dimensions ({len(indices)} vs {shape})"
        )
    if is_array(indices):
        indices = list(rows(indices))  # all of them, before any is looked at
    allowed = [allow_negative] * len(shape) if isinstance(allow_negative, bool) else list(allow_negative)
    if len(allowed) != len(shape):
        ndim = len(shape)
        raise ValueError(
            f"safe_zip() argument 2 has length {len(allowed)} but argument 0 has length {ndim}. "
            f"All lengths: {(ndim, ndim, len(allowed))}"
        )
    starts = []
    for index, size, wraps in zip(indices, shape, allowed, strict=True):
        if wraps:
            starts.append(wrap_index(index, size))
            continue
        if not is_array(index) and np.ndim(index) == 0 and index < 0:
            raise ValueError(
                f"Index {index} is out of bounds for dimension {size} if allow_negative_indices=False"
            )
        starts.append(index)
    return starts


def _check_indices(name: str, indices: Sequence[ShapedArray], *, scalars: str, integers: str) -> None:
    if any(index.shape != () for index in indices):
        listed = ", ".join(map(repr, indices)) + ("," if len(indices) == 1 else "")
        raise TypeError(f"start_indices arguments to {name} must be scalars, {scalars}got indices ({listed})")
    kinds = {index.dtype for index in indices}
    if len(kinds) > 1 or not all(dtypes.issubdtype(kind, np.integer) for kind in kinds):
        listed = ", ".join(str(index.dtype) for index in indices)
        raise TypeError(
            f"index arguments to {name} must be integers of the same type, got{integers} {listed}"
        )


def _with_extra_zeros(operand: ir.Value, indices: Sequence[ir.Value], dtype: Any) -> list[ir.Value]:
    """The indices, and a zero for each dimension that a key array has in memory only."""
    extra = ir.RankedTensorType(operand.type).rank - len(indices)
    return [*indices, *(constant(np.zeros((), dtype)) for _ in range(extra))]


def _stack_indices(indices: Sequence[Any], dims: Sequence[int | None]) -> tuple[Any, int | None]:
    """The start indices as the rows of one array, ``i32[n]`` or ``i32[b, n]``, as gather wants them."""
    size = next((x.shape[d] for x, d in zip(indices, dims, strict=True) if d is not None), None)
    if not indices:
        return np.zeros((0,), dtypes.canonicalize_dtype(np.int64)), None
    if size is None:
        return concatenate([broadcast_in_dim(x, (1,), ()) for x in indices], 0), None
    columns = [
        broadcast_in_dim(x, (size, 1), ()) if d is None else broadcast_in_dim(x, (size, 1), (0,))
        for x, d in zip(indices, dims, strict=True)
    ]
    return concatenate(columns, 1), 0


# dynamic_slice


def _dynamic_slice_abstract(operand: ShapedArray, *indices: ShapedArray, slice_sizes):
    check_slice_sizes(operand, slice_sizes)
    _check_indices("dynamic_slice", indices, scalars=" ", integers=":")
    return operand.update(shape=slice_sizes)


def _dynamic_slice_lower(ctx: LoweringContext, operand: ir.Value, *indices: ir.Value, slice_sizes):
    extra = list(ir.RankedTensorType(operand.type).shape)[len(slice_sizes) :]
    dtype = ctx.avals_in[1].dtype if indices else np.int32
    starts = _with_extra_zeros(operand, indices, dtype)
    return hlo.dynamic_slice(operand, starts, dense_ints([*slice_sizes, *extra]))


def _dynamic_slice_jvp(primals, tangents, *, slice_sizes):
    """``dynamic_slice(t, *indices)``."""
    operand, *indices = primals
    t = tangents[0]
    t_out = t if type(t) is Zero else dynamic_slice_p.bind(t, *indices, slice_sizes=slice_sizes)
    out = dynamic_slice_p.bind(operand, *indices, slice_sizes=slice_sizes)
    return out, Zero.from_primal_value(out) if type(t) is Zero else t_out


def _dynamic_slice_transpose(ct, operand, *indices, slice_sizes):
    """``ct`` set into zeros at the indices."""
    if type(ct) is Zero:
        return [None] * (1 + len(indices))
    zeros = full(operand.aval.shape, 0, operand.aval.dtype)
    return [dynamic_update_slice_p.bind(zeros, ct, *indices), *(None for _ in indices)]


def _dynamic_slice_batch(args, dims, *, slice_sizes):
    operand, *indices = args
    d, *index_dims = dims
    starts, d_starts = _stack_indices(indices, index_dims)
    axes = tuple(range(len(slice_sizes)))
    return gather_batch(
        (operand, starts),
        (d, d_starts),
        dimension_numbers=GatherDimensionNumbers(
            offset_dims=axes, collapsed_slice_dims=(), start_index_map=axes
        ),
        slice_sizes=slice_sizes,
        unique_indices=True,
        indices_are_sorted=True,
        mode=GatherScatterMode.CLIP,
        fill_value=None,
    )


dynamic_slice_p = define(
    "dynamic_slice",
    abstract=_dynamic_slice_abstract,
    lower=_dynamic_slice_lower,
    jvp=_dynamic_slice_jvp,
    transpose=_dynamic_slice_transpose,
    batch=_dynamic_slice_batch,
)


def dynamic_slice(operand, start_indices, slice_sizes, *, allow_negative_indices=True):
    """The rectangle of these sizes at a run-time place, moved inside where it would reach out."""
    starts = start_indices_of(operand, start_indices, allow_negative_indices)
    return dynamic_slice_p.bind(operand, *starts, slice_sizes=canonicalize_shape(slice_sizes))


def _on_axis(shape: Shape, index: Any, axis: int) -> list[Any]:
    """Start indices that are zero, of the index's own dtype, but on one axis."""
    zero = _const(0, index.dtype) if hasattr(index, "dtype") else 0
    starts: list[Any] = [zero] * len(shape)
    starts[axis] = index
    return starts


def dynamic_slice_in_dim(operand, start_index, slice_size, axis=0, *, allow_negative_indices=True):
    """A slice of one axis at a run-time place; the other axes stay whole."""
    sizes = list(np.shape(operand))
    axis = operator.index(axis)
    starts = _on_axis(tuple(sizes), start_index, axis)
    sizes[axis] = operator.index(slice_size)
    return dynamic_slice(operand, starts, sizes, allow_negative_indices=allow_negative_indices)


# dynamic_update_slice


def _dynamic_update_slice_abstract(operand: ShapedArray, update: ShapedArray, *indices: ShapedArray):
    if operand.ndim != update.ndim:
        raise TypeError(
            "dynamic_update_slice update must have the same rank as operand, "
            f"got update shape {update.shape} for operand shape {operand.shape}."
        )
    if not all(size <= whole for size, whole in zip(update.shape, operand.shape, strict=True)):
        raise TypeError(
            "dynamic_update_slice update shape must be smaller than operand shape, "
            f"got update shape {update.shape} for operand shape {operand.shape}."
        )
    if operand.dtype != update.dtype:
        raise TypeError(
            "lax.dynamic_update_slice requires arguments to have the same dtypes, "
            f"got {operand.dtype}, {update.dtype}."
        )
    _check_indices("dynamic_update_slice", indices, scalars="", integers="")
    return operand.update(weak_type=False)


def _dynamic_update_slice_lower(ctx: LoweringContext, operand, update, *indices):
    dtype = ctx.avals_in[2].dtype if indices else np.int32
    return hlo.dynamic_update_slice(operand, update, _with_extra_zeros(operand, indices, dtype))


def _dynamic_update_slice_jvp(primals, tangents):
    """``dynamic_update_slice(t, t_update, *indices)``."""
    operand, update, *indices = primals
    t, t_update = tangents[:2]
    out = dynamic_update_slice_p.bind(operand, update, *indices)
    if type(t) is Zero and type(t_update) is Zero:
        return out, Zero.from_primal_value(out)
    t, t_update = instantiate_zeros(t), instantiate_zeros(t_update)
    return out, dynamic_update_slice_p.bind(t, t_update, *indices)


def _dynamic_update_slice_transpose(ct, operand, update, *indices):
    """For the operand, ``ct`` with the updated part zeroed; for the update, that part of ``ct``."""
    if type(ct) is Zero:
        return [None] * (2 + len(indices))
    ct_operand = ct_update = None
    update_aval = update.aval if is_undefined_primal(update) else ShapedArray(np.shape(update), ct.dtype)
    zeros = full(update_aval.shape, 0, update_aval.dtype)
    if is_undefined_primal(operand):
        ct_operand = dynamic_update_slice_p.bind(ct, zeros, *indices)
    if is_undefined_primal(update):
        ct_update = dynamic_slice_p.bind(ct, *indices, slice_sizes=update_aval.shape)
    return [ct_operand, ct_update, *(None for _ in indices)]


def _dynamic_update_slice_batch(args, dims):
    operand, update, *indices = args
    d, d_update, *index_dims = dims
    starts, d_starts = _stack_indices(indices, index_dims)
    ndim = np.ndim(update) - (d_update is not None)
    axes = tuple(range(ndim))
    return scatter_batch(
        scatter_p,
        (operand, starts, update),
        (d, d_starts, d_update),
        dimension_numbers=ScatterDimensionNumbers(
            update_window_dims=axes, inserted_window_dims=(), scatter_dims_to_operand_dims=axes
        ),
        indices_are_sorted=True,
        unique_indices=True,
        mode=GatherScatterMode.CLIP,
        update_jaxpr=None,
        update_consts=(),
    )


dynamic_update_slice_p = define(
    "dynamic_update_slice",
    abstract=_dynamic_update_slice_abstract,
    lower=_dynamic_update_slice_lower,
    jvp=_dynamic_update_slice_jvp,
    transpose=_dynamic_update_slice_transpose,
    batch=_dynamic_update_slice_batch,
)


def dynamic_update_slice(operand, update, start_indices, *, allow_negative_indices=True):
    """The operand with a rectangle replaced by ``update``, moved inside where it would reach out."""
    starts = start_indices_of(operand, start_indices, allow_negative_indices)
    return dynamic_update_slice_p.bind(operand, update, *starts)


def dynamic_update_slice_in_dim(operand, update, start_index, axis, *, allow_negative_indices=True):
    """The operand with a slice of one axis replaced by ``update``."""
    axis = operator.index(axis)
    starts = _on_axis(np.shape(operand), start_index, axis)
    return dynamic_update_slice(operand, update, starts, allow_negative_indices=allow_negative_indices)
