"""Primitives that change only the shape: broadcast, reshape, transpose, squeeze, reverse.

What joins or cuts arrays lives in ``joining.py`` and ``slicing.py``; what makes new ones in ``filling.py``.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from jaxnb.engine.core.ad import Zero
from jaxnb.engine.core.avals import ShapedArray, get_aval
from jaxnb.engine.core.rules import define, linear_jvp, primitives
from jaxnb.engine.ops.axes import Shape, canonicalize_axes, canonicalize_shape, check_nonnegative
from jaxnb.engine.ops.lowering import LoweringContext, dense_ints, ir_type
from jaxnb.engine.ops.staging import as_operand as as_operand
from jaxnb.engine.ops.staging import is_array as is_array
from jaxnb.engine.ops.staging import stage
from jaxnb.xla.mlir import hlo, ir


def physical(ctx: LoweringContext, operand: ir.Value, dimensions: Sequence[int]) -> tuple[int, ...]:
    """The result's dimensions for the operand's, with the trailing ones that keys have in memory."""
    extra = ir.RankedTensorType(operand.type).rank - ctx.avals_in[0].ndim
    ndim = ctx.avals_out[0].ndim
    return (*dimensions, *range(ndim, ndim + extra))


# broadcast_in_dim


def _broadcast_in_dim_abstract(operand: ShapedArray, *, shape, broadcast_dimensions, sharding=None):
    name = "broadcast_in_dim"
    check_nonnegative(name, "shape", shape)
    check_nonnegative(name, "broadcast_dimensions", broadcast_dimensions)
    if len(broadcast_dimensions) != operand.ndim:
        raise TypeError(
            f"{name} broadcast_dimensions must have length equal to operand ndim; "
            f"got broadcast_dimensions {broadcast_dimensions} for operand ndim {operand.ndim}."
        )
    if len(shape) < operand.ndim:
        raise TypeError(
            f"{name} target broadcast shape must have equal or higher rank to the operand shape; "
            f"got operand ndim {operand.ndim} and target broadcast ndim {len(shape)}."
        )
    if not all(0 <= d < len(shape) for d in broadcast_dimensions):
        raise TypeError(
            f"{name} broadcast_dimensions must be a subset of output dimensions, "
            f"got {broadcast_dimensions} for operand ndim {operand.ndim} and shape {shape}."
        )
    sizes = [shape[d] for d in broadcast_dimensions]
    if not all(size in (1, wide) for size, wide in zip(operand.shape, sizes, strict=True)):
        raise TypeError(
            f"{name} operand dimension sizes must either be 1, or be equal to their corresponding dimensions "
            f"in the target broadcast shape; got operand of shape {operand.shape}, "
            f"target broadcast shape {shape}, broadcast_dimensions {broadcast_dimensions} "
        )
    if len(set(broadcast_dimensions)) != len(broadcast_dimensions):
        raise TypeError(
            f"{name} broadcast_dimensions must not contain duplicates, "
            f"got broadcast_dimensions {broadcast_dimensions}"
        )
    return operand.update(shape=tuple(shape))


def _broadcast_in_dim_lower(
    ctx: LoweringContext, operand: ir.Value, *, broadcast_dimensions, **_
) -> ir.Value:
    (out,) = ctx.avals_out
    return hlo.broadcast_in_dim(
        ir_type(out), operand, dense_ints(physical(ctx, operand, broadcast_dimensions))
    )


def _broadcast_in_dim_transpose(ct, operand, *, shape, broadcast_dimensions, sharding=None):
    """``sum(ct)`` over the dimensions that were added or stretched."""
    if type(ct) is Zero:
        return [None]
    units = tuple(axis for axis, size in enumerate(operand.aval.shape) if size == 1)
    kept = set(np.delete(np.asarray(broadcast_dimensions, int), units).tolist())
    axes = tuple(axis for axis in range(len(shape)) if axis not in kept)
    summed = primitives["reduce_sum"].bind(ct, axes=axes, out_sharding=None)
    return [expand_dims(summed, units)]


def _broadcast_in_dim_batch(args, dims, *, shape, broadcast_dimensions, sharding=None):
    (operand,), (d,) = args, dims
    operand = moveaxis(operand, d, 0)
    new_shape = (operand.shape[0], *shape)
    new_dimensions = (0, *np.add(1, np.asarray(broadcast_dimensions, int)))
    return broadcast_in_dim(operand, new_shape, new_dimensions), 0


broadcast_in_dim_p = define(
    "broadcast_in_dim",
    abstract=_broadcast_in_dim_abstract,
    lower=_broadcast_in_dim_lower,
    jvp=linear_jvp,
    transpose=_broadcast_in_dim_transpose,
    batch=_broadcast_in_dim_batch,
    hide={"shape": ..., "sharding": None, "broadcast_dimensions": ()},
)


def broadcast_in_dim(operand, shape, broadcast_dimensions, *, out_sharding=None):
    """The operand stretched to ``shape``, its axis ``i`` becoming axis ``broadcast_dimensions[i]``."""
    shape, broadcast_dimensions = tuple(shape), tuple(broadcast_dimensions)
    if out_sharding is None and _is_identity(operand, shape, broadcast_dimensions):
        return stage(operand)
    return broadcast_in_dim_p.bind(
        operand, shape=shape, broadcast_dimensions=broadcast_dimensions, sharding=out_sharding
    )


def _is_identity(operand: Any, shape: Shape, broadcast_dimensions: tuple[int, ...]) -> bool:
    if np.shape(operand) != shape or any(
        isinstance(size, float) for size in shape
    ):  # 4.0 is 4, and is refused
        return False
    if broadcast_dimensions == tuple(range(len(shape))):
        return True
    return not broadcast_dimensions and is_array(operand)


def broadcast(operand, sizes, *, out_sharding=None):
    """The operand repeated along new leading axes of these sizes."""
    sizes = tuple(sizes)
    dimensions = tuple(range(len(sizes), len(sizes) + np.ndim(operand)))
    return broadcast_in_dim(operand, sizes + np.shape(operand), dimensions, out_sharding=out_sharding)


def broadcast_to_rank(x, rank):
    """The array with leading axes of size one until it has ``rank`` axes."""
    ndim = np.ndim(x)
    return x if ndim >= rank else expand_dims(x, range(rank - ndim))


def broadcast_like(arr, like_arr):
    """The array stretched to the shape of another, aligned at the last axis."""
    shape = np.shape(like_arr)
    return broadcast_in_dim(arr, shape, range(len(shape) - np.ndim(arr), len(shape)))


def expand_dims(array, dimensions):
    """The array with new axes of size one at these places of the result."""
    ndim = np.ndim(array) + len(dimensions)
    places = set(canonicalize_axes(dimensions, ndim))
    if len(places) != len(dimensions):
        raise ValueError(f"repeated axis in lax.expand_dims: {dimensions}")
    sizes = iter(np.shape(array))
    shape = [1 if axis in places else next(sizes) for axis in range(ndim)]
    kept = tuple(axis for axis in range(ndim) if axis not in places)
    return broadcast_in_dim(array, shape, kept)


# reshape


def _reshape_abstract(operand: ShapedArray, *, new_sizes, dimensions, sharding=None):
    if not all(size >= 0 for size in new_sizes):
        raise TypeError(f"reshape new_sizes must all be positive, got {new_sizes}.")
    if dimensions is not None and set(dimensions) != set(range(operand.ndim)):
        raise TypeError(
            "reshape dimensions must be a permutation of operand dimensions, "
            f"got dimensions {dimensions} for shape {operand.shape}."
        )
    return operand.update(shape=tuple(new_sizes))


def _reshape_lower(ctx: LoweringContext, operand: ir.Value, *, dimensions, **_) -> ir.Value:
    if dimensions is not None:
        extra = range(len(dimensions), ir.RankedTensorType(operand.type).rank)
        operand = hlo.transpose(operand, dense_ints((*dimensions, *extra)))
    return hlo.reshape(ir_type(ctx.avals_out[0]), operand)


def _reshape_transpose(ct, operand, *, new_sizes, dimensions, sharding=None):
    """``ct`` back in the operand's shape."""
    if type(ct) is Zero:
        return [None]
    if dimensions is None:
        return [reshape(ct, operand.aval.shape)]
    ct = reshape(ct, np.take(operand.aval.shape, dimensions))
    return [transpose(ct, np.argsort(dimensions))]


def _reshape_batch(args, dims, *, new_sizes, dimensions, sharding=None):
    operand = moveaxis(args[0], dims[0], 0)
    if dimensions is not None:
        dimensions = (0, *(axis + 1 for axis in dimensions))
    return reshape(operand, (operand.shape[0], *new_sizes), dimensions), 0


reshape_p = define(
    "reshape",
    abstract=_reshape_abstract,
    lower=_reshape_lower,
    jvp=linear_jvp,
    transpose=_reshape_transpose,
    batch=_reshape_batch,
)


def reshape(operand, new_sizes, dimensions=None, *, out_sharding=None):
    """The operand's elements in row-major order (of its ``dimensions``, where given) in a new shape."""
    new_sizes = canonicalize_shape(new_sizes)
    axes = tuple(range(np.ndim(operand)))
    dimensions = None if dimensions is None else tuple(int(axis) for axis in dimensions)
    same_order = dimensions is None or dimensions == axes
    if axes and np.shape(operand) == new_sizes and same_order and is_array(operand) and out_sharding is None:
        return operand
    return reshape_p.bind(
        operand, new_sizes=new_sizes, dimensions=None if same_order else dimensions, sharding=out_sharding
    )


def collapse(operand, start_dimension, stop_dimension=None):
    """The operand with axes ``start_dimension`` to ``stop_dimension`` (not included) made one."""
    start, stop, _ = slice(start_dimension, stop_dimension).indices(np.ndim(operand))
    shape = np.shape(operand)
    if stop < start:
        raise ValueError(f"Invalid dimension range passed to collapse: {shape}[{start}:{stop}]")
    return reshape(operand, (*shape[:start], math.prod(shape[start:stop]), *shape[stop:]))


# squeeze


def _squeezed_shape(shape: Shape, dimensions: Sequence[int]) -> Shape:
    dims = canonicalize_axes(dimensions, len(shape))
    if len(set(dims)) != len(dims):
        raise ValueError(f"dimensions are not unique: {dims}")
    if not all(shape[axis] == 1 for axis in dims):
        raise ValueError(
            "cannot select an axis to squeeze out which has size not equal to one, "
            f"got shape={shape} and dimensions={dims}"
        )
    return tuple(size for axis, size in enumerate(shape) if axis not in dims)


def _squeeze_abstract(operand: ShapedArray, *, dimensions):
    return operand.update(shape=_squeezed_shape(operand.shape, dimensions))


def _squeeze_lower(ctx: LoweringContext, operand: ir.Value, *, dimensions) -> ir.Value:
    return hlo.reshape(ir_type(ctx.avals_out[0]), operand)


def _squeeze_transpose(ct, operand, *, dimensions):
    """``expand_dims(ct, dimensions)``."""
    return [None if type(ct) is Zero else expand_dims(ct, dimensions)]


def _squeeze_batch(args, dims, *, dimensions):
    operand = moveaxis(args[0], dims[0], 0)
    dimensions = canonicalize_axes(dimensions, operand.ndim - 1)
    return squeeze(operand, tuple(axis + 1 for axis in dimensions)), 0


squeeze_p = define(
    "squeeze",
    abstract=_squeeze_abstract,
    lower=_squeeze_lower,
    jvp=linear_jvp,
    transpose=_squeeze_transpose,
    batch=_squeeze_batch,
)


def squeeze(array, dimensions):
    """The array without these axes, each of size one."""
    dimensions = canonicalize_axes(dimensions, np.ndim(array))
    if not dimensions and is_array(array):
        return array
    return squeeze_p.bind(array, dimensions=dimensions)


# transpose


def _transpose_abstract(operand: ShapedArray, *, permutation):
    if set(permutation) != set(range(operand.ndim)) or len(permutation) != operand.ndim:
        raise TypeError(
            "transpose permutation isn't a permutation of operand dimensions, "
            f"got permutation {permutation} for operand shape {operand.shape}."
        )
    return operand.update(shape=tuple(operand.shape[axis] for axis in permutation))


def _transpose_lower(ctx: LoweringContext, operand: ir.Value, *, permutation) -> ir.Value:
    return hlo.transpose(operand, dense_ints(physical(ctx, operand, permutation)))


def _transpose_transpose(ct, operand, *, permutation):
    """``ct`` under the inverse permutation."""
    return [None if type(ct) is Zero else transpose(ct, np.argsort(permutation))]


def _transpose_batch(args, dims, *, permutation):
    (operand,), (d,) = args, dims
    return transpose(operand, (d, *(axis + (axis >= d) for axis in permutation))), 0


transpose_p = define(
    "transpose",
    abstract=_transpose_abstract,
    lower=_transpose_lower,
    jvp=linear_jvp,
    transpose=_transpose_transpose,
    batch=_transpose_batch,
)


def transpose(operand, permutation):
    """The operand with its axes permuted: axis ``i`` of the result is axis ``permutation[i]``."""
    permutation = tuple(operator.index(axis) for axis in permutation)
    if permutation == tuple(range(np.ndim(operand))) and is_array(operand):
        return operand
    return transpose_p.bind(operand, permutation=permutation)


def moveaxis(operand, source, destination):
    """The operand with one axis moved, the others in their order."""
    if source == destination:
        return operand
    axes = [axis for axis in range(operand.ndim) if axis != source]
    axes.insert(destination, source)
    return transpose(operand, axes)


# rev


def _rev_abstract(operand: ShapedArray, *, dimensions):
    check_nonnegative("rev", "dimensions", dimensions)
    if len(set(dimensions)) != len(dimensions):
        raise TypeError(f"rev dimensions must be unique, got {dimensions}.")
    if dimensions and max(dimensions) >= operand.ndim:
        raise TypeError(
            "rev dimensions must all be less than operand ndim, "
            f"got dimensions {dimensions} for operand ndim {operand.ndim}."
        )
    return operand


def _rev_lower(ctx: LoweringContext, operand: ir.Value, *, dimensions) -> ir.Value:
    return hlo.reverse(operand, dense_ints(dimensions))


def _rev_transpose(ct, operand, *, dimensions):
    """``rev(ct)``."""
    return [None if type(ct) is Zero else rev(ct, dimensions)]


def _rev_batch(args, dims, *, dimensions):
    (operand,), (d,) = args, dims
    return rev(operand, tuple(axis + 1 if axis >= d else axis for axis in dimensions)), d


rev_p = define(
    "rev",
    abstract=_rev_abstract,
    lower=_rev_lower,
    jvp=linear_jvp,
    transpose=_rev_transpose,
    batch=_rev_batch,
)


def rev(operand, dimensions):
    """The operand with the order of elements reversed along these axes."""
    return rev_p.bind(operand, dimensions=tuple(dimensions))
