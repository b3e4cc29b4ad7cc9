"""Arrays made from a shape: full, iota, empty; and copy, which makes one from an array."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from jaxnb.engine.core import dtypes
from jaxnb.engine.core.ad import Zero
from jaxnb.engine.core.avals import ShapedArray
from jaxnb.engine.core.rules import Undefined, add_tangents_port, define, linear_jvp
from jaxnb.engine.core.trace import current_trace_is_eval
from jaxnb.engine.ops.axes import canonicalize_shape, check_nonnegative
from jaxnb.engine.ops.conversion import convert, no_array_type
from jaxnb.engine.ops.lowering import LoweringContext, constant, dense_ints, i64_attr, ir_type
from jaxnb.engine.ops.shape import broadcast_in_dim
from jaxnb.engine.ops.staging import stage
from jaxnb.xla.mlir import hlo, ir
from jaxnb.xla.version import JAXLIB_VERSION

_no_operands = Undefined("it has no operands")

# iota


_IOTA_KINDS = (
    "integer, complexfloating, floating"
    if JAXLIB_VERSION >= (0, 12)
    else "integer, floating, complexfloating"
)


def _iota_abstract(*, dtype, shape, dimension, sharding=None) -> ShapedArray:
    check_nonnegative("iota", "shape", shape)
    if not any(dtypes.issubdtype(dtype, kind) for kind in (np.integer, np.floating, np.complexfloating)):
        name = np.dtype(dtype).name
        raise TypeError(f"iota does not accept dtype {name}. Accepted dtypes are subtypes of {_IOTA_KINDS}.")
    if not 0 <= dimension < len(shape):
        raise ValueError(
            f"iota dimension must be between 0 and len(shape), got dimension={dimension} for shape={shape}"
        )
    return ShapedArray(shape, dtype)


def _iota_lower(ctx: LoweringContext, *, dimension, **_) -> ir.Value:
    return hlo.iota(ir_type(ctx.avals_out[0]), i64_attr(dimension))


iota_p = define(
    "iota",
    abstract=_iota_abstract,
    lower=_iota_lower,
    jvp=_no_operands,
    transpose=_no_operands,
    batch=_no_operands,
)


def iota(dtype, size):
    """The numbers from zero up to ``size``, not included."""
    return broadcasted_iota(dtype, (size,), 0)


def broadcasted_iota(dtype, shape, dimension, *, out_sharding=None):
    """An array of this shape whose elements are their own index along one dimension."""
    if dtype is None:
        raise ValueError("dtype must be specified.")
    dtype = dtypes.check_user_dtype_supported(dtype, "broadcasted_iota")
    shape = canonicalize_shape(shape)
    return iota_p.bind(
        dtype=dtypes.canonicalize_dtype(dtype),
        shape=shape,
        dimension=operator.index(dimension),
        sharding=out_sharding,
    )


# full


def full(shape, fill_value, dtype=None, *, sharding=None):
    """An array of this shape with every element ``fill_value``."""
    if np.shape(fill_value):
        raise TypeError(
            f"full must be called with scalar fill_value, got fill_value.shape {np.shape(fill_value)}."
        )
    shape = canonicalize_shape(shape)
    if dtype is not None:
        dtype = dtypes.check_user_dtype_supported(dtype, "full")
    if dtype is not None and dtypes.is_extended(dtype):
        return dtype.full(shape, fill_value)
    weak_type = dtype is None and dtypes.is_weakly_typed(fill_value)
    dtype = dtypes.canonicalize_dtype(
        dtypes.dtype(fill_value) if dtype is None else dtype, allow_extended_dtype=True
    )
    if not weak_type and min(shape, default=0) >= 0 and _can_fill_on_host(fill_value, dtype):
        return stage(np.full(shape, fill_value, dtype))
    return broadcast_in_dim(convert(fill_value, dtype, weak_type), shape, ())


def _can_fill_on_host(value: Any, dtype: Any) -> bool:
    """Whether NumPy makes the same array: then no program is compiled for each shape, twice 20 ms."""
    if not current_trace_is_eval() or type(value) not in (bool, int, float) or dtypes.is_extended(dtype):
        return False
    if type(value) is float:  # out of an integer's range, NumPy and XLA choose differently
        return dtypes.issubdtype(dtype, np.inexact)
    return (
        -128 <= value <= 127 and dtypes.itemsize_bits(dtype) >= 8 and not (value < 0 and _is_unsigned(dtype))
    )


def _is_unsigned(dtype: Any) -> bool:
    return dtypes.issubdtype(dtype, np.unsignedinteger)


def full_like(x, fill_value, dtype=None, shape=None, sharding=None):
    """An array with the shape and dtype of ``x`` (where none are given) and every element ``fill_value``."""
    weak_type = dtype is None and dtypes.is_weakly_typed(x)
    asked = dtype
    dtype = dtypes.dtype(x) if dtype is None else dtype
    if not dtypes.is_supported(dtype) and not dtypes.is_supported(np.dtype(dtype)):
        raise no_array_type(x if asked is None else asked, np.dtype(dtype))
    shape = np.shape(x) if shape is None else canonicalize_shape(shape)
    if dtype is not None and dtypes.is_extended(dtype):
        return dtype.full(shape, fill_value)
    value = convert(fill_value, dtypes.canonicalize_dtype(dtype), weak_type)
    if np.shape(fill_value):
        raise TypeError(
            f"full must be called with scalar fill_value, got fill_value.shape {np.shape(fill_value)}."
        )
    return broadcast_in_dim(value, shape, ())


def _zeros(aval: ShapedArray) -> Any:
    """The array of zeros that a symbolic zero stands for."""
    if aval.dtype == dtypes.float0:
        if current_trace_is_eval():
            return np.zeros(aval.shape, dtypes.float0)
        return broadcast_in_dim(np.zeros((), dtypes.float0), aval.shape, ())
    return broadcast_in_dim(convert(0, aval.dtype, aval.weak_type), aval.shape, ())


add_tangents_port.zeros = _zeros


# empty


def _empty_abstract(*, shape, dtype, out_sharding=None) -> ShapedArray:
    return ShapedArray(canonicalize_shape(shape), dtypes.canonicalize_dtype(dtype))


def _empty_lower(ctx: LoweringContext, **_) -> ir.Value:
    (out,) = ctx.avals_out
    zero = constant(np.zeros((), out.dtype))
    return hlo.broadcast_in_dim(ir_type(out), zero, dense_ints(()))


empty_p = define(
    "empty",
    abstract=_empty_abstract,
    lower=_empty_lower,
    jvp=_no_operands,
    transpose=_no_operands,
    batch=_no_operands,
)


def empty(shape, dtype, *, out_sharding=None):
    """An array of this shape with elements of no particular value."""
    return empty_p.bind(shape=shape, dtype=dtype, out_sharding=out_sharding)


# copy


def _copy_abstract(x: ShapedArray) -> ShapedArray:
    return x


def _copy_transpose(ct, x):
    """``copy(ct)``."""
    return [None if type(ct) is Zero else copy_p.bind(ct)]


copy_p = define(
    "copy",
    abstract=_copy_abstract,
    lower=lambda ctx, x: x,
    jvp=linear_jvp,
    transpose=_copy_transpose,
    batch=lambda args, dims: (copy_p.bind(args[0]), dims[0]),
)
