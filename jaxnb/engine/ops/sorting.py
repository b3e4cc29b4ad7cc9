"""Sorting along an axis, with any number of operands, and the greatest elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from jaxnb.engine.core import dtypes
from jaxnb.engine.core.ad import Zero
from jaxnb.engine.core.avals import ShapedArray
from jaxnb.engine.core.rules import Undefined, define
from jaxnb.engine.ops.addressing import GatherDimensionNumbers, GatherScatterMode
from jaxnb.engine.ops.axes import canonicalize_axis, canonicalize_shape
from jaxnb.engine.ops.comparison import compare_type, compare_values
from jaxnb.engine.ops.filling import broadcasted_iota
from jaxnb.engine.ops.gather import gather
from jaxnb.engine.ops.locations import Steps, steps
from jaxnb.engine.ops.lowering import (
    LoweringContext,
    constant,
    dense_ints,
    i64_attr,
    ir_type,
    ir_types,
    open_block,
)
from jaxnb.engine.ops.shape import broadcast_in_dim, expand_dims, moveaxis, reshape
from jaxnb.xla.mlir import chlo, hlo, ir
from jaxnb.xla.version import JAXLIB_VERSION

_TOP_K_HAS_STABILITY = JAXLIB_VERSION >= (0, 12)


def _take_along(operand: Any, indices: Any, axis: int, dims: Sequence[Any]) -> Any:
    """The elements of ``operand`` at ``indices: u32[*shape, 1]`` along an axis; ``dims`` are the other axes."""
    numbers = GatherDimensionNumbers(
        offset_dims=(),
        collapsed_slice_dims=(axis,),
        start_index_map=(axis,),
        operand_batching_dims=tuple(dims),
        start_indices_batching_dims=tuple(dims),
    )
    ones = (1,) * len(operand.shape)
    return gather(operand, indices, numbers, ones, mode=GatherScatterMode.PROMISE_IN_BOUNDS)


# sort


def _sort_abstract(*operands: ShapedArray, dimension, is_stable, num_keys) -> list[ShapedArray]:
    if len({operand.shape for operand in operands}) > 1:
        shapes = " ".join(str(operand.shape) for operand in operands)
        raise TypeError(f"Arguments to sort must have equal shapes, got: {shapes}")
    return list(operands)


def _sort_lower(ctx: LoweringContext, *operands: ir.Value, dimension, is_stable, num_keys) -> list[ir.Value]:
    op = hlo.SortOp(
        ir_types(ctx.avals_out),
        list(operands),
        dimension=i64_attr(dimension),
        is_stable=ir.BoolAttr.get(is_stable),
    )
    scalars = [ir_type(ShapedArray((), aval.dtype)) for aval in ctx.avals_in]
    body = open_block(op.regions[0], *[scalar for scalar in scalars for _ in range(2)])
    at = steps(ctx)
    with ir.InsertionPoint(body):
        arguments = list(body.arguments)
        keys = []
        for i, aval in enumerate(ctx.avals_in[:num_keys]):
            x, y = (_ordered_parts(v, aval.dtype, at) for v in arguments[2 * i : 2 * i + 2])
            keys += zip(x, y, strict=True)
        hlo.return_([_is_less(keys, at)])
    return list(op.results)


def _ordered_parts(x: ir.Value, dtype: np.dtype, at: Steps) -> list[tuple[ir.Value, str]]:
    """The scalars that decide where ``x`` stands, and how each is compared: both zeros are one, and so are NaNs."""
    if dtypes.issubdtype(dtype, np.complexfloating):
        part = np.dtype(np.float64 if dtype == np.complex128 else np.float32)
        with at("real"):
            real = hlo.real(x)
        parts = _ordered_parts(real, part, at)
        with at("imag"):
            imag = hlo.imag(x)
        return parts + _ordered_parts(imag, part, at)
    if not dtypes.issubdtype(dtype, np.floating):
        return [(x, compare_type(dtype))]
    scalar = ShapedArray((), dtype)
    zero = constant(0, scalar)
    with at("eq"):
        is_zero = compare_values("EQ", "FLOAT", x, zero)
    zero = constant(0, scalar)
    with at("select_n"):
        value = hlo.select(is_zero, zero, x)
    with at("ne"):
        is_nan = compare_values("NE", "FLOAT", x, x)
    nan = constant(np.nan, scalar)
    with at("select_n"):
        return [(hlo.select(is_nan, nan, value), "TOTALORDER")]


def _is_less(keys: Sequence[tuple[tuple[ir.Value, str], tuple[ir.Value, str]]], at: Steps) -> ir.Value:
    """``x < y`` by the first key in which they differ."""
    result = None
    for (x, kind), (y, _) in reversed(keys):
        with at("lt_to"):
            less = compare_values("LT", kind, x, y)
        if result is None:
            result = less
            continue
        with at("eq_to"):
            equal = compare_values("EQ", kind, x, y)
        with at("and"):
            result = hlo.and_(equal, result)
        with at("or"):
            result = hlo.or_(less, result)
    assert result is not None
    return result


def _sort_jvp(primals, tangents, *, dimension, **params):
    """Each tangent in the order of the sorted operands."""
    shape = primals[0].shape
    places = broadcasted_iota(np.uint32, shape, dimension)
    *out, order = sort_p.bind(*primals, places, dimension=dimension, **params)
    indices = expand_dims(order, (len(shape),))
    others = tuple(np.delete(np.arange(len(shape)), dimension))
    moved = [t if type(t) is Zero else _take_along(t, indices, dimension, others) for t in tangents]
    return out, moved


def _sort_batch(args, dims, *, dimension, **params):
    """The same sort; operands whose mapped axis is elsewhere, or missing, are brought to the first one's."""
    prototype, d = next((x, d) for x, d in zip(args, dims, strict=True) if d is not None)
    size = prototype.shape[d]
    operands = [_with_axis(x, at, d, size) for x, at in zip(args, dims, strict=True)]
    out = sort_p.bind(*operands, dimension=dimension + (d <= dimension), **params)
    return out, [d] * len(out)


def _with_axis(x: Any, at: int | None, d: int, size: int) -> Any:
    if at is not None:
        return moveaxis(x, at, d)
    shape = list(np.shape(x))
    shape.insert(d, size)
    return broadcast_in_dim(x, shape, [axis for axis in range(len(shape)) if axis != d])


sort_p = define(
    "sort",
    abstract=_sort_abstract,
    lower=_sort_lower,
    jvp=_sort_jvp,
    transpose=Undefined("an order is not linear"),
    batch=_sort_batch,
    multiple_results=True,
)


def sort(operand, dimension: int = -1, is_stable: bool = True, num_keys: int = 1):
    """The operand sorted along an axis; of several operands, all in the order of the first ``num_keys``."""
    if isinstance(operand, Sequence):
        if len(operand) == 0:
            raise TypeError("Sort requires at least one operand")
        if not (1 <= num_keys <= len(operand)):
            raise ValueError(f"num_keys={num_keys} must be between 1 and len(operand)={len(operand)}")
        dimension = canonicalize_axis(dimension, len(operand[0].shape))
        return tuple(sort_p.bind(*operand, dimension=dimension, is_stable=is_stable, num_keys=num_keys))
    if num_keys != 1:
        raise ValueError(f"num_keys={num_keys} must equal 1 for a single operand.")
    dimension = canonicalize_axis(dimension, len(operand.shape))
    return sort_p.bind(operand, dimension=dimension, is_stable=is_stable, num_keys=1)[0]


def sort_key_val(keys, values, dimension: int = -1, is_stable: bool = True):
    """The keys sorted along an axis, and the values in the same order."""
    dimension = canonicalize_axis(dimension, len(keys.shape))
    k, v = sort_p.bind(keys, values, dimension=dimension, is_stable=is_stable, num_keys=1)
    return k, v


# top_k


def _check_count(k: int) -> None:
    if k < 0:
        raise ValueError(f"k argument to top_k must be nonnegative, got {k}")


def _top_k_abstract(operand: ShapedArray, *, k, axis, is_stable=True) -> list[ShapedArray]:
    if dtypes.issubdtype(operand.dtype, np.complexfloating):
        raise ValueError("top_k is not compatible with complex inputs.")
    _check_count(k)
    shape = list(operand.shape)
    if not shape:
        raise TypeError(f"top_k operand must have >= 1 dimension, got {operand.shape}")
    if shape[axis] < k:
        raise ValueError(
            f"k argument to top_k must be no larger than size along axis; got {k=} with {shape=} and {axis=}"
        )
    shape[axis] = k
    values = operand.update(shape=canonicalize_shape(shape))
    return [values, values.update(dtype=np.dtype(np.int32))]


def _top_k_lower(ctx: LoweringContext, operand: ir.Value, *, k, axis, is_stable=True) -> list[ir.Value]:
    ndim = ctx.avals_in[0].ndim
    order = list(range(ndim))
    order[axis], order[-1] = order[-1], order[axis]
    to_last = axis != ndim - 1
    if to_last:
        operand = hlo.transpose(operand, dense_ints(order))
    options: dict[str, Any] = {} if is_stable else {"is_stable": ir.BoolAttr.get(False)}
    results: list[ir.Value] = [*chlo.TopKOp(operand, i64_attr(k), **options).results]
    return [hlo.transpose(x, dense_ints(order)) for x in results] if to_last else results


def _top_k_jvp(primals, tangents, *, axis, **params):
    """The tangents of the elements taken."""
    (operand,), (t,) = primals, tangents
    values, indices = top_k_p.bind(operand, axis=axis, **params)
    positions = reshape(indices, (*indices.shape, 1))
    others = [other for other in range(len(indices.shape)) if other != axis]
    return [values, indices], [_take_along(t, positions, axis, others), Zero.from_primal_value(indices)]


def _top_k_batch(args, dims, *, axis, **params):
    (operand,), (d,) = args, dims
    return top_k_p.bind(operand, axis=axis + (d <= axis), **params), [d, d]


top_k_p = define(
    "top_k",
    abstract=_top_k_abstract,
    lower=_top_k_lower,
    jvp=_top_k_jvp,
    transpose=Undefined("an order is not linear"),
    batch=_top_k_batch,
    multiple_results=True,
)


def top_k(operand, k: int, *, axis: int = -1, is_stable: bool = True):
    """The ``k`` greatest elements along an axis, greatest first, and their positions."""
    axis = canonicalize_axis(axis, np.ndim(operand))
    _check_count(k)
    stability = {"is_stable": is_stable} if _TOP_K_HAS_STABILITY else {}
    values, indices = top_k_p.bind(operand, k=k, axis=axis, **stability)
    return values, indices
