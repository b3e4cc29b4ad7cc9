"""``dot_general``: sums of products over paired axes, and the user functions made of it.

Precisions are in ``precision.py``, sums over one operand in ``reductions.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from jaxnb.engine.core import dtypes
from jaxnb.engine.core.ad import Zero, is_undefined_primal
from jaxnb.engine.core.avals import ShapedArray
from jaxnb.engine.core.rules import define, params_shown, per_operand
from jaxnb.engine.ops.conversion import convert_element_type_p
from jaxnb.engine.ops.lowering import LoweringContext, ir_type
from jaxnb.engine.ops.placement import check_out_sharding
from jaxnb.engine.ops.precision import (
    CanonicalPrecision,
    algorithm_attr,
    canonicalize_precision,
    operand_type_for,
    precision_attr,
    result_type_for,
)
from jaxnb.engine.ops.shape import transpose
from jaxnb.xla.mlir import hlo, ir

DotDimensionNumbers = tuple[
    tuple[tuple[int, ...], tuple[int, ...]],
    tuple[tuple[int, ...], tuple[int, ...]],
]
"""``((lhs_contracting, rhs_contracting), (lhs_batch, rhs_batch))``."""


# Types of operands and result

# By the largest number a type can hold; of two with the same, neither wins.
_rank: dict[str, int] = {
    name: rank
    for rank, names in enumerate(
        (
            "bool", "uint1", "int1", "uint2", "int2", "uint4", "int4", "uint8", "int8", "uint16", "int16", "uint32",
            "int32", "uint64", "int64", "float4_e2m1fn", "float6_e2m3fn", "float8_e3m4", "float6_e3m2fn",
            "float8_e4m3b11fnuz", "float8_e4m3 float8_e4m3fnuz", "float8_e4m3fn", "float8_e5m2 float8_e5m2fnuz",
            "float16", "float8_e8m0fnu", "bfloat16", "float32", "float64", "complex64", "complex128",
        )
    )
    for name in names.split()
}  # fmt: skip


def _widest(lhs: np.dtype, rhs: np.dtype) -> np.dtype:
    """The type a product of these two has when the user names none."""
    if lhs == rhs:
        return lhs
    a, b = _rank[lhs.name], _rank[rhs.name]
    if a == b:
        raise TypeError(f"lax.dot_general argument type error: {lhs.name}, {rhs.name}")
    return lhs if a > b else rhs


def _result_dtype(lhs: np.dtype, rhs: np.dtype, preferred: np.dtype | None) -> np.dtype:
    result = _widest(lhs, rhs)
    if preferred is None:
        return result
    if not dtypes.issubdtype(result, np.inexact) and preferred.itemsize < result.itemsize:
        raise TypeError(
            "`preferred_element_type` must not be narrower than the original type, got preferred_element_type of "
            f"{preferred.name} for result type of {result.name}."
        )
    return preferred


# dot_general


def _check_axes(lhs: ShapedArray, rhs: ShapedArray, dimension_numbers: DotDimensionNumbers) -> None:
    (lhs_contracting, rhs_contracting), (lhs_batch, rhs_batch) = dimension_numbers
    sides = (("lhs", lhs, lhs_contracting, lhs_batch), ("rhs", rhs, rhs_contracting, rhs_batch))
    for side, aval, contracting, batch in sides:
        if not all(0 <= axis < aval.ndim for axis in (*contracting, *batch)):
            raise TypeError(
                f"dot_general requires {side} dimension numbers to be nonnegative and less than the number of axes "
                f"of the {side} value, got {side}_batch of {batch} and {side}_contracting of {contracting} for "
                f"{side} of rank {aval.ndim}"
            )
    if len(lhs_batch) != len(rhs_batch):
        raise TypeError(
            "dot_general requires equal numbers of lhs_batch and rhs_batch dimensions, "
            f"got lhs_batch {lhs_batch} and rhs_batch {rhs_batch}."
        )
    for what in ("batch", "contracting"):
        for side, _, contracting, batch in sides:
            axes = batch if what == "batch" else contracting
            if len(set(axes)) != len(axes):
                raise TypeError(
                    f"dot_general requires {side} {what} dimensions to be distinct, got {side}_{what} {axes}."
                )
    for side, _, contracting, batch in sides:
        if set(contracting) & set(batch):
            raise TypeError(
                f"dot_general requires {side} batch dimensions to be disjoint from contracting dimensions, "
                f"got {side}_batch {batch} and {side}_contracting {contracting}."
            )


def _sizes(aval: ShapedArray, axes: Sequence[int]) -> tuple[int, ...]:
    return tuple(aval.shape[axis] for axis in axes)


def _dot_general_abstract(
    lhs: ShapedArray, rhs: ShapedArray, *, dimension_numbers, precision, preferred_element_type, out_sharding
) -> ShapedArray:
    _check_axes(lhs, rhs, dimension_numbers)
    (lhs_contracting, rhs_contracting), (lhs_batch, rhs_batch) = dimension_numbers
    batch = _sizes(lhs, lhs_batch)
    if batch != _sizes(rhs, rhs_batch):
        raise TypeError(
            "dot_general requires lhs batch dimensions and rhs batch dimensions to have the same shape, "
            f"got {batch} and {_sizes(rhs, rhs_batch)}."
        )
    if _sizes(lhs, lhs_contracting) != _sizes(rhs, rhs_contracting):
        raise TypeError(
            "dot_general requires contracting dimensions to have the same shape, "
            f"got {_sizes(lhs, lhs_contracting)} and {_sizes(rhs, rhs_contracting)}."
        )
    lhs_free = _sizes(lhs, _others(lhs.ndim, lhs_contracting, lhs_batch))
    rhs_free = _sizes(rhs, _others(rhs.ndim, rhs_contracting, rhs_batch))
    dtype = _result_dtype(lhs.dtype, rhs.dtype, preferred_element_type)
    return ShapedArray(batch + lhs_free + rhs_free, dtype, lhs.weak_type and rhs.weak_type)


def _others(ndim: int, *taken: Sequence[int]) -> tuple[int, ...]:
    """The axes that are in none of ``taken``, in order."""
    out = {axis for axes in taken for axis in axes}
    return tuple(axis for axis in range(ndim) if axis not in out)


def _is_float8(dtype: np.dtype) -> bool:
    return dtype.name.startswith("float8")


def _dot_general_lower(
    ctx: LoweringContext,
    lhs: ir.Value,
    rhs: ir.Value,
    *,
    dimension_numbers,
    precision: CanonicalPrecision,
    preferred_element_type,
    out_sharding,
) -> ir.Value:
    lhs_aval, rhs_aval = ctx.avals_in
    (out,) = ctx.avals_out
    algorithm = algorithm_attr(precision, ctx.platform)
    if lhs_aval.dtype != rhs_aval.dtype and not (_is_float8(lhs_aval.dtype) and _is_float8(rhs_aval.dtype)):
        lhs_aval, rhs_aval = lhs_aval.update(dtype=out.dtype), rhs_aval.update(dtype=out.dtype)
        lhs = hlo.convert(ir_type(lhs_aval), lhs)
        rhs = hlo.convert(ir_type(rhs_aval), rhs)
    lhs, rhs = (_as_operand(x, aval, precision) for x, aval in ((lhs, lhs_aval), (rhs, rhs_aval)))
    product = out.update(dtype=result_type_for(precision, out.dtype))
    (lhs_contracting, rhs_contracting), (lhs_batch, rhs_batch) = dimension_numbers
    result = hlo.dot_general(
        ir_type(product),
        lhs,
        rhs,
        hlo.DotDimensionNumbers.get(
            lhs_batching_dimensions=list(map(int, lhs_batch)),
            rhs_batching_dimensions=list(map(int, rhs_batch)),
            lhs_contracting_dimensions=list(map(int, lhs_contracting)),
            rhs_contracting_dimensions=list(map(int, rhs_contracting)),
        ),
        precision_config=precision_attr(precision),
        algorithm=algorithm,
    )
    return result if product.dtype == out.dtype else hlo.convert(ir_type(out), result)


def _as_operand(x: ir.Value, aval: ShapedArray, precision: CanonicalPrecision) -> ir.Value:
    dtype = operand_type_for(precision, aval.dtype)
    return x if dtype == aval.dtype else hlo.convert(ir_type(aval.update(dtype=dtype)), x)


def _dot_general_transpose_lhs(ct, x: ShapedArray, y, dimension_numbers, params, *, swapped: bool):
    """``ct · y`` over y's free axes, laid out as ``x``; with ``swapped``, ``x`` was the right operand."""
    (x_contracting, y_contracting), (x_batch, y_batch) = dimension_numbers
    x_free = _others(x.ndim, x_contracting, x_batch)
    y_free = _others(np.ndim(y), y_contracting, y_batch)
    first = len(x_batch) + (0 if swapped else len(x_free))
    ct_batch = tuple(range(len(x_batch)))
    ct_y = tuple(range(first, first + len(y_free)))
    product = dot_general_p.bind(ct, y, dimension_numbers=((ct_y, y_free), (ct_batch, y_batch)), **params)
    # The product's last axes are y's contracting ones, in the order they have in y.
    x_contracted = [x_contracting[i] for i in np.argsort(y_contracting)] if y_contracting else []
    axes = np.argsort([*x_batch, *x_free, *x_contracted])
    result = transpose(product, tuple(axes.astype(int).tolist()))
    if result.dtype == x.dtype:
        return result
    # Bound as it is: the user asked for no conversion, so no warning says that an imaginary part is lost.
    return convert_element_type_p.bind(result, new_dtype=x.dtype, weak_type=x.weak_type, sharding=None)


def _dot_general_transpose(ct, lhs, rhs, *, dimension_numbers, **params):
    """``ct·rhs`` for the left operand, ``ct·lhs`` for the right one."""
    if type(ct) is Zero:
        return [None, None]
    if is_undefined_primal(lhs):
        return [_dot_general_transpose_lhs(ct, lhs.aval, rhs, dimension_numbers, params, swapped=False), None]
    (lhs_contracting, rhs_contracting), (lhs_batch, rhs_batch) = dimension_numbers
    mirrored = ((rhs_contracting, lhs_contracting), (rhs_batch, lhs_batch))
    return [None, _dot_general_transpose_lhs(ct, rhs.aval, lhs, mirrored, params, swapped=True)]


def _past(axes: Sequence[int], d: int | None) -> tuple[int, ...]:
    """The axes counted in an array that has a mapped axis ``d`` besides."""
    return tuple(axes) if d is None else tuple(axis + (axis >= d) for axis in axes)


def _dot_general_batch(args, dims, *, dimension_numbers, **params):
    """The same product with the mapped axis a batch axis, or, of one operand alone, a free one."""
    (lhs, rhs), (lhs_d, rhs_d) = args, dims
    (lhs_contracting, rhs_contracting), (lhs_batch, rhs_batch) = dimension_numbers
    lhs_contracting, lhs_batch = _past(lhs_contracting, lhs_d), _past(lhs_batch, lhs_d)
    rhs_contracting, rhs_batch = _past(rhs_contracting, rhs_d), _past(rhs_batch, rhs_d)
    if lhs_d is not None and rhs_d is not None:
        lhs_batch, rhs_batch = (lhs_d, *lhs_batch), (rhs_d, *rhs_batch)
        out_d = 0
    elif lhs_d is not None:
        out_d = len(lhs_batch) + _others(lhs.ndim, lhs_contracting, lhs_batch).index(lhs_d)
    else:
        lhs_free = np.ndim(lhs) - len(lhs_contracting) - len(lhs_batch)
        out_d = len(lhs_batch) + lhs_free + _others(rhs.ndim, rhs_contracting, rhs_batch).index(rhs_d)
    new_numbers = ((lhs_contracting, rhs_contracting), (lhs_batch, rhs_batch))
    return dot_general_p.bind(lhs, rhs, dimension_numbers=new_numbers, **params), out_d


dot_general_p = define(
    "dot_general",
    abstract=_dot_general_abstract,
    lower=_dot_general_lower,
    jvp=per_operand(
        lambda t, lhs, rhs, **params: dot_general_p.bind(t, rhs, **params),
        lambda t, lhs, rhs, **params: dot_general_p.bind(lhs, t, **params),
    ),
    transpose=_dot_general_transpose,
    batch=_dot_general_batch,
)


def _dot_general_shown(params):
    """Jaxprs show the axes as lists, and what the user did not say not at all."""
    shown = {name: value for name, value in params.items() if value is not None}
    shown["dimension_numbers"] = tuple(
        tuple([int(axis) for axis in axes] for axes in pair) for pair in params["dimension_numbers"]
    )
    return shown


params_shown[dot_general_p] = _dot_general_shown


# User functions


def dot(
    lhs,
    rhs,
    *,
    dimension_numbers: Any = None,
    precision: Any = None,
    preferred_element_type: Any = None,
    out_sharding: Any = None,
):
    """The product of two vectors or matrices, or of two arrays over the named axes.

    Args:
        lhs: left operand.
        rhs: right operand.
        dimension_numbers: ``((lhs_contracting, rhs_contracting), (lhs_batch, rhs_batch))``; may be left out for
            vectors and matrices.
        precision: a ``Precision``, a pair of them, an algorithm, or the name of one.
        preferred_element_type: element type of the result; by default the wider of the operands'.
        out_sharding: how the result is sharded.
    """
    lhs_shape, rhs_shape = np.shape(lhs), np.shape(rhs)
    if dimension_numbers is None:
        if not (1 <= len(lhs_shape) <= 2 and 1 <= len(rhs_shape) <= 2 and lhs_shape[-1] == rhs_shape[0]):
            raise ValueError(
                "jax.lax.dot: dimension_numbers must be specified when not performing simple un-batched "
                "matrix-matrix, matrix-vector, or vector-vector products; "
                f"got lhs_shape={lhs_shape} rhs_shape={rhs_shape}"
            )
        dimension_numbers = (((len(lhs_shape) - 1,), (0,)), ((), ()))
    out_sharding = check_out_sharding(out_sharding, "dot_general")
    (lhs_contracting, rhs_contracting), (lhs_batch, rhs_batch) = dimension_numbers
    if preferred_element_type is not None:
        preferred_element_type = dtypes.check_user_dtype_supported(preferred_element_type, "dot")
    return dot_general_p.bind(
        lhs,
        rhs,
        dimension_numbers=(
            (tuple(lhs_contracting), tuple(rhs_contracting)),
            (tuple(lhs_batch), tuple(rhs_batch)),
        ),
        precision=canonicalize_precision(precision),
        preferred_element_type=preferred_element_type,
        out_sharding=out_sharding,
    )


def dot_general(
    lhs, rhs, dimension_numbers, precision=None, preferred_element_type=None, *, out_sharding=None
):
    """The product of two arrays over the named axes; the result has batch, left free and right free axes."""
    return dot(
        lhs,
        rhs,
        dimension_numbers=dimension_numbers,
        precision=precision,
        preferred_element_type=preferred_element_type,
        out_sharding=out_sharding,
    )


def batch_matmul(lhs, rhs, precision=None):
    """The product of matrices ``lhs: f32[*b, n, k]`` and ``rhs: f32[*b, k, m]`` for each index ``b``."""
    ndim = np.ndim(lhs)
    if ndim < 2 or np.ndim(rhs) < 2:
        raise ValueError(f"Arguments to batch_matmul must be at least 2D, got {ndim}, {np.ndim(rhs)}")
    if ndim != np.ndim(rhs):
        raise ValueError(f"Arguments to batch_matmul must have same ndim, got {ndim}, {np.ndim(rhs)}")
    batch = tuple(range(ndim - 2))
    numbers = (((ndim - 1,), (ndim - 2,)), (batch, batch))
    return dot_general(lhs, rhs, numbers, precision=precision)
