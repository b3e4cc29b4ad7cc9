"""gather: slices of an array at many run-time places. Its adjoint, scatter, is in ``scatter.py``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from jaxnb.engine.core import dtypes
from jaxnb.engine.core.ad import Zero
from jaxnb.engine.core.avals import ShapedArray
from jaxnb.engine.core.rules import define, primitives
from jaxnb.engine.ops.addressing import (
    GatherDimensionNumbers,
    GatherScatterMode,
    as_wide_index,
    batched,
    check_disjoint,
    check_index_batching,
    check_sorted,
    check_sorted_in_range,
    check_unique,
    physical_dtype,
    scalar_jaxpr,
)
from jaxnb.engine.ops.axes import canonicalize_shape
from jaxnb.engine.ops.filling import full
from jaxnb.engine.ops.locations import Steps, steps
from jaxnb.engine.ops.lowering import LoweringContext, constant, dense_ints, full_like, ir_type, open_block
from jaxnb.engine.ops.shape import moveaxis
from jaxnb.xla.mlir import hlo, ir
from jaxnb.xla.version import JAXLIB_VERSION

# gather


def _gather_abstract(
    operand: ShapedArray, indices: ShapedArray, *, dimension_numbers, slice_sizes, unique_indices,
    indices_are_sorted, mode, fill_value,
) -> ShapedArray:  # fmt: skip
    if not dtypes.issubdtype(indices.dtype, np.integer):
        raise ValueError("indices must have an integer type")
    offset_dims, collapsed, index_map, batching, index_batching = dimension_numbers
    depth_dim = indices.ndim - 1
    if depth_dim < 0:
        raise TypeError(
            "Gather index leaf dimension must be within [0, rank(indices) + 1). rank(indices) is "
            f"{indices.ndim} and gather index leaf dimension is {depth_dim}."
        )
    shape_of_indices = indices.shape[:-1]
    out_ndim = len(offset_dims) + len(shape_of_indices)
    check_sorted(offset_dims, "gather", "offset_dims")
    check_unique(offset_dims, "gather", "offset_dims")
    for place, d in enumerate(offset_dims):
        if d < 0 or d >= out_ndim:
            raise TypeError(
                f"Offset dimension {place} in gather op is out of bounds; got {d}, "
                f"but should have been in [0, {out_ndim})"
            )
    depth = indices.shape[-1]
    if len(index_map) != depth:
        raise TypeError(
            f"Gather op has {len(index_map)} elements in start_index_map and the bound of dimension "
            f"index_vector_dim={depth_dim} of indices is {depth}. These two numbers must be equal."
        )
    for place, d in enumerate(index_map):
        if d < 0 or d >= operand.ndim:
            raise TypeError(f"Invalid start_index_map; domain is [0, {operand.ndim}), got: {place}->{d}.")
    check_unique(index_map, "gather", "start_index_map")
    check_sorted(collapsed, "gather", "collapsed_slice_dims")
    check_sorted_in_range(collapsed, operand.ndim, "gather", "collapsed_slice_dims")
    check_unique(collapsed, "gather", "collapsed_slice_dims")
    check_unique(batching, "gather", "operand_batching_dims")
    check_sorted(batching, "gather", "operand_batching_dims")
    check_sorted_in_range(batching, operand.ndim, "gather", "operand_batching_dims")
    check_disjoint(collapsed, batching, "gather", "collapsed_slice_dims", "operand_batching_dims")
    check_disjoint(index_map, batching, "gather", "start_index_map", "operand_batching_dims")
    check_index_batching("gather", indices, operand, index_batching, batching, "start_indices_batching_dims")
    _check_slice_sizes(operand, indices, slice_sizes, offset_dims, collapsed, batching)
    kept = [s for d, s in enumerate(slice_sizes) if d not in collapsed and d not in batching]
    window, batch = iter(kept), iter(shape_of_indices)
    shape = tuple(next(window) if d in offset_dims else next(batch) for d in range(out_ndim))
    return operand.update(shape=shape)


def _check_slice_sizes(
    operand: ShapedArray, indices: ShapedArray, slice_sizes, offset_dims, collapsed, batching
) -> None:
    if len(slice_sizes) != operand.ndim:
        raise TypeError(
            "Gather op must have one slice size for every input dimension; got: "
            f"len(slice_sizes)={len(slice_sizes)}, input_shape.rank={operand.ndim}"
        )
    if len(slice_sizes) != len(offset_dims) + len(collapsed) + len(batching):
        raise TypeError(
            "All components of the offset index in a gather op must either be a offset dimension or explicitly "
            f"collapsed/batching; got len(slice_sizes)={len(slice_sizes)}, "
            f"output_slice_sizes={offset_dims}, collapsed_slice_dims={collapsed}, "
            f"operand_batching_dims={batching}."
        )
    for d, (size, whole) in enumerate(zip(slice_sizes, operand.shape, strict=True)):
        # Where there is no index nothing is read: then a slice may be larger than the operand.
        if not 0 <= size <= whole and 0 not in indices.shape:
            raise TypeError(
                f"Slice size at index {d} in gather op is out of range, must be within [0, {whole} + 1), got {size}."
            )
    for place, d in enumerate(collapsed):
        if slice_sizes[d] != 1:
            raise TypeError(
                "Gather op can only collapse slice dims with bound 1, "
                f"but bound is {slice_sizes[d]} for index {d} at position {place}."
            )
    for place, d in enumerate(batching):
        if slice_sizes[d] > 1:
            raise TypeError(
                "Gather op can only have operand batching dims with bound 0/1, "
                f"but bound is {slice_sizes[d]} for index {d} at position {place}."
            )


def _gather_lower(
    ctx: LoweringContext, operand: ir.Value, indices: ir.Value, *, dimension_numbers, slice_sizes,
    unique_indices, indices_are_sorted, mode, fill_value,
) -> ir.Value:  # fmt: skip
    aval, aval_indices = ctx.avals_in
    (out,) = ctx.avals_out
    assert mode is not GatherScatterMode.ONE_HOT, mode
    if mode is not GatherScatterMode.FILL_OR_DROP:
        return _gather_op(ctx, operand, indices, dimension_numbers, slice_sizes, indices_are_sorted)
    at = steps(ctx)
    upper = [aval.shape[d] - slice_sizes[d] for d in dimension_numbers.start_index_map]
    with at("convert_element_type"):
        aval_indices, indices = as_wide_index(aval, aval_indices, indices)
    mask = _in_bounds(aval_indices, indices, upper, at)
    with at("gather"):
        gathered = _gather_op(ctx, operand, indices, dimension_numbers, slice_sizes, indices_are_sorted)
    result = ir.RankedTensorType(gathered.type)
    shape, dtype = tuple(result.shape), physical_dtype(out.dtype)
    mask_type = ir.RankedTensorType.get(shape, ir.IntegerType.get_signless(1))
    offsets = {*dimension_numbers.offset_dims, *range(out.ndim, result.rank)}
    if mask.type != mask_type:
        batch = [d for d in range(result.rank) if d not in offsets]
        with at("broadcast_in_dim"):
            mask = hlo.broadcast_in_dim(mask_type, mask, dense_ints(batch))
    fill = constant(
        _default_fill(dtype) if fill_value is None or dtype != out.dtype else fill_value,
        ShapedArray((), dtype),
    )
    if shape:
        with at("broadcast_in_dim"):
            fill = hlo.broadcast_in_dim(ir_type(ShapedArray(shape, dtype)), fill, dense_ints([]))
    with at("select_n"):
        return hlo.select(mask, gathered, fill)


def _in_bounds(aval: ShapedArray, indices: ir.Value, upper: Sequence[int], at: Steps) -> ir.Value:
    """Whether all indices of a slice lie within ``[0, upper]``."""
    signed = hlo.ComparisonTypeAttr.get("SIGNED")
    at_least = hlo.ComparisonDirectionAttr.get("GE")
    at_most = hlo.ComparisonDirectionAttr.get("LE")
    zero = constant(0, ShapedArray((), aval.dtype))
    with at("ge"):
        if aval.shape:
            zero = hlo.broadcast_in_dim(ir_type(aval), zero, dense_ints([]))
        low = hlo.compare(indices, zero, at_least, compare_type=signed)
    bound = constant(np.asarray(upper, aval.dtype).reshape(len(upper)))
    row = ShapedArray((1,) * (aval.ndim - 1) + (len(upper),), aval.dtype)
    if aval.ndim > 1:
        with at("broadcast_in_dim"):
            bound = hlo.broadcast_in_dim(ir_type(row), bound, dense_ints([aval.ndim - 1]))
    with at("le"):
        if aval.ndim > 1 and row != aval:
            bound = hlo.broadcast_in_dim(ir_type(aval), bound, dense_ints(range(aval.ndim)))
        high = hlo.compare(indices, bound, at_most, compare_type=signed)
    with at("and"):
        both = hlo.and_(low, high)
    with at("reduce_and"):
        start = constant(np.bool_(True))
        flag = start.type
        result = ir_type(ShapedArray(aval.shape[:-1], np.dtype(bool)))
        reduce = hlo.ReduceOp([result], [both], [start], dense_ints([aval.ndim - 1]))
        block = open_block(reduce.regions[0], flag, flag)
        with ir.InsertionPoint(block):
            hlo.return_([hlo.and_(*block.arguments)])
    return reduce.result


def _gather_op(
    ctx: LoweringContext, operand: ir.Value, indices: ir.Value, numbers: GatherDimensionNumbers, slice_sizes,
    indices_are_sorted,
) -> ir.Value:  # fmt: skip
    out = ctx.avals_out[0]
    if 0 in ctx.avals_in[0].shape or 0 in out.shape:
        return full_like(0, out)
    extra = list(ir.RankedTensorType(operand.type).shape)[len(slice_sizes) :]
    out_ndim = out.ndim
    attr = hlo.GatherDimensionNumbers.get(
        offset_dims=[*map(int, numbers.offset_dims), *range(out_ndim, out_ndim + len(extra))],
        collapsed_slice_dims=[*map(int, numbers.collapsed_slice_dims)],
        operand_batching_dims=[*map(int, numbers.operand_batching_dims)],
        start_indices_batching_dims=[*map(int, numbers.start_indices_batching_dims)],
        start_index_map=[*map(int, numbers.start_index_map)],
        index_vector_dim=ctx.avals_in[1].ndim - 1,
    )
    return hlo.gather(
        operand,
        indices,
        attr,
        dense_ints([*slice_sizes, *extra]),
        indices_are_sorted=ir.BoolAttr.get(indices_are_sorted),
    )


def _gather_jvp(primals, tangents, *, fill_value, **params):
    """``gather(t, indices)``, zero where the index is out of bounds."""
    operand, indices = primals
    t = tangents[0]
    out = gather_p.bind(operand, indices, fill_value=fill_value, **params)
    if type(t) is Zero:
        return out, Zero.from_primal_value(out)
    fills = params["mode"] is GatherScatterMode.FILL_OR_DROP
    return out, gather_p.bind(t, indices, fill_value=0 if fills else None, **params)


def _gather_transpose(
    ct,
    operand,
    indices,
    *,
    dimension_numbers,
    slice_sizes,
    unique_indices,
    indices_are_sorted,
    mode,
    fill_value,
):
    """``ct`` scattered into zeros, added where slices overlap."""
    if type(ct) is Zero:
        return [None, None]
    zeros = full(operand.aval.shape, 0, operand.aval.dtype)
    added = primitives["scatter-add"].bind(
        zeros,
        indices,
        ct,
        dimension_numbers=dimension_numbers.as_scatter(),
        indices_are_sorted=indices_are_sorted,
        unique_indices=unique_indices,
        mode=mode,
        update_jaxpr=scalar_jaxpr(primitives["add"], operand.aval.dtype, transposed=JAXLIB_VERSION < (0, 12)),
        update_consts=(),
    )
    return [added, None]


def gather_batch(
    args, dims, *, dimension_numbers, slice_sizes, unique_indices, indices_are_sorted, mode, fill_value
):
    """The batched gather: the mapped axis is a window, an index axis, or a batching dimension of both."""
    (operand, indices), (d, d_indices) = args, dims
    offset_dims, collapsed, index_map, batching, index_batching = dimension_numbers
    if d is not None:
        operand = moveaxis(operand, d, 0)
        collapsed = batched(collapsed)
        index_map = batched(index_map)
    if d_indices is not None:
        indices = moveaxis(indices, d_indices, 0)
    if d_indices is None:
        slice_sizes = (operand.shape[0], *slice_sizes)
        offset_dims = (0, *batched(offset_dims))
        batching = batched(batching)
    elif d is None:
        # Lanes may repeat each other's indices, in any order.
        unique_indices = indices_are_sorted = False
        offset_dims = tuple(1 + axis for axis in offset_dims)
        index_batching = tuple(1 + axis for axis in index_batching)
    else:
        slice_sizes = (min(operand.shape[0], 1), *slice_sizes)
        offset_dims = batched(offset_dims)
        batching = (0, *batched(batching))
        index_batching = (0, *batched(index_batching))
    numbers = GatherDimensionNumbers(offset_dims, collapsed, index_map, batching, index_batching)
    out = gather(
        operand,
        indices,
        numbers,
        slice_sizes,
        unique_indices=unique_indices,
        indices_are_sorted=indices_are_sorted,
        mode=mode,
        fill_value=fill_value,
    )
    return out, 0


gather_p = define(
    "gather",
    abstract=_gather_abstract,
    lower=_gather_lower,
    jvp=_gather_jvp,
    transpose=_gather_transpose,
    batch=gather_batch,
)


def _default_fill(dtype: Any) -> Any:
    """What fills a slice out of bounds: NaN, the least signed or the largest unsigned integer, True."""
    if dtypes.issubdtype(dtype, np.inexact):
        return np.nan
    if dtypes.issubdtype(dtype, np.signedinteger):
        return dtypes.iinfo(dtype).min
    if dtypes.issubdtype(dtype, np.unsignedinteger):
        return dtypes.iinfo(dtype).max
    if np.dtype(dtype) == np.bool_:
        return True
    raise ValueError(f"Unsupported dtype for gather fill_value {dtype}")


def gather(
    operand, start_indices, dimension_numbers, slice_sizes, *, unique_indices=False, indices_are_sorted=False,
    mode=None, fill_value=None,
):  # fmt: skip
    """Slices of the operand at the places that the rows of ``start_indices`` name."""
    mode = GatherScatterMode.PROMISE_IN_BOUNDS if mode is None else GatherScatterMode.from_any(mode)
    if mode is not GatherScatterMode.FILL_OR_DROP:
        fill_value = None
    elif fill_value is None:
        dtype = operand.dtype if hasattr(operand, "dtype") else dtypes.dtype(operand)
        fill_value = _default_fill(physical_dtype(dtype))
    return gather_p.bind(
        operand,
        start_indices,
        dimension_numbers=dimension_numbers,
        slice_sizes=canonicalize_shape(slice_sizes),
        unique_indices=bool(unique_indices),
        indices_are_sorted=bool(indices_are_sorted),
        mode=mode,
        fill_value=fill_value,
    )
