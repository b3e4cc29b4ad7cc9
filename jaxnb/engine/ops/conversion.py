"""Changing the element type: by value, by bits, or only in precision."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from jaxnb.engine.core import dtypes
from jaxnb.engine.core.ad import Zero
from jaxnb.engine.core.avals import ShapedArray, get_aval
from jaxnb.engine.core.jaxpr import Literal
from jaxnb.engine.core.rules import define, linear_jvp, per_operand
from jaxnb.engine.core.trace import current_trace_is_eval
from jaxnb.engine.ops.comparison import compare_type, compare_values
from jaxnb.engine.ops.elementwise import FLOAT, check_dtype, filled_value, not_linear, unary_batch
from jaxnb.engine.ops.lowering import LoweringContext, ir_type
from jaxnb.engine.ops.shape import moveaxis
from jaxnb.engine.ops.staging import is_array, stage_p
from jaxnb.xla.mlir import hlo, ir
from jaxnb.xla.version import JAXLIB_VERSION

# convert_element_type


def _convert_abstract(
    x: ShapedArray, *, new_dtype: Any, weak_type: bool, sharding: Any = None
) -> ShapedArray:
    return ShapedArray(x.shape, new_dtype, weak_type)


def convert_value(x: ir.Value, old: ShapedArray, new: ShapedArray) -> ir.Value:
    """Emits the conversion of a value from one type to another of the same shape."""
    dtype = old.dtype
    if dtypes.issubdtype(dtype, np.complexfloating) and not dtypes.issubdtype(new.dtype, np.complexfloating):
        x = hlo.real(x)
        dtype = np.finfo(dtype).dtype
    if new.dtype == np.dtype(bool):
        # true is what differs from zero, while a plain conversion would look at the lowest bit
        x = compare_values("NE", compare_type(dtype), x, filled_value(0, ShapedArray(old.shape, dtype)))
    return hlo.convert(ir_type(new), x)


def _convert_lower(ctx: LoweringContext, x: ir.Value, **_: Any) -> ir.Value:
    (old,), (new,) = ctx.avals_in, ctx.avals_out
    return convert_value(x, old, new)


def _convert_jvp(primals: Any, tangents: Any, **params: Any) -> Any:
    """The tangent converted alike; zero where either type has no derivative."""
    out = convert_element_type_p.bind(*primals, **params)
    (t,) = tangents
    inexact = dtypes.issubdtype(params["new_dtype"], np.inexact)
    if type(t) is Zero or not inexact:
        return out, Zero.from_primal_value(out)
    return out, convert_element_type_p.bind(t, **params)


def _convert_transpose(
    ct: Any, x: Any, *, new_dtype: Any, weak_type: bool, sharding: Any = None
) -> list[Any]:
    """``ct`` in the operand's type."""
    if type(ct) is Zero:
        return [None]
    aval = x.aval
    return [
        convert_element_type_p.bind(ct, new_dtype=aval.dtype, weak_type=aval.weak_type, sharding=sharding)
    ]


convert_element_type_p = define(
    "convert_element_type",
    abstract=_convert_abstract,
    lower=_convert_lower,
    jvp=_convert_jvp,
    transpose=_convert_transpose,
    batch=unary_batch(lambda: convert_element_type_p),
    hide={"sharding": None},
)


def convert_element_type(operand, new_dtype):
    """The operand's values in another type, strongly typed; itself where nothing changes."""
    if new_dtype is None:
        raise ValueError("dtype must be specified.")
    new_dtype = dtypes.check_user_dtype_supported(new_dtype, "convert_element_type", stacklevel=4)
    return convert(operand, new_dtype, False)


def no_array_type(value: Any, dtype: Any) -> TypeError:
    """Returns the error of a value of a dtype that no array has."""
    return TypeError(
        f"Value '{value}' with dtype {dtype} is not a valid JAX array type. "
        "Only arrays of numeric types are supported by JAX."
    )


_scalars = (np.generic, int, float, complex)


def convert(operand: Any, new_dtype: Any = None, weak_type: bool | None = None, sharding: Any = None) -> Any:
    """The operand in another type and weakness; what is None stays as it is."""
    if not is_array(operand) and hasattr(operand, "__jax_array__"):
        operand = operand.__jax_array__()
    if operand is None:
        raise ValueError("Invalid argument to dtype: None.")
    # An array made while x64 was on keeps its type when it is off.
    old_dtype = operand.dtype if is_array(operand) else dtypes.dtype(operand, canonicalize=True)
    if not is_array(operand) and not dtypes.is_supported(old_dtype):
        raise no_array_type(operand, old_dtype)
    old_weak = dtypes.is_weakly_typed(operand)
    new_dtype = old_dtype if new_dtype is None else new_dtype
    weak_type = old_weak if weak_type is None else weak_type
    if dtypes.is_extended(new_dtype) or dtypes.is_extended(old_dtype):
        if new_dtype == old_dtype:
            return operand
        raise ValueError(f"Cannot convert_element_type from {old_dtype} to {new_dtype}")
    new_dtype = np.dtype(new_dtype)
    if type(operand) is int and not -0x8000_0000 <= operand < 0x8000_0000:
        operand = np.asarray(operand).astype(new_dtype)[()]  # too large a number loses its upper bits
    if np.issubdtype(old_dtype, np.complexfloating) and not _holds_complex(new_dtype):
        warnings.warn(
            "Casting complex values to real discards the imaginary part", np.exceptions.ComplexWarning, 3
        )
    if not is_array(operand):
        converted = _convert_host_value(operand, old_dtype, new_dtype, weak_type)
        if converted is not None:
            return converted
    elif old_dtype == new_dtype and old_weak == weak_type and sharding is None:
        return operand
    return convert_element_type_p.bind(operand, new_dtype=new_dtype, weak_type=weak_type, sharding=sharding)


def _holds_complex(dtype: np.dtype) -> bool:
    return dtype == np.dtype(bool) or dtypes.issubdtype(dtype, np.complexfloating)


_HOST_ARRAYS_CONVERT = JAXLIB_VERSION >= (0, 12)


def _convert_host_value(operand: Any, old_dtype: Any, new_dtype: np.dtype, weak_type: bool) -> Any:
    """A Python or NumPy value converted without an equation, or None where one is needed."""
    if current_trace_is_eval():
        return None
    if isinstance(operand, np.ndarray) and not weak_type:
        if old_dtype == new_dtype:
            return operand
        return operand.astype(new_dtype) if _HOST_ARRAYS_CONVERT or operand.ndim == 0 else None
    if isinstance(operand, np.ndarray):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
        value = np.asarray(operand).astype(new_dtype)[()]
    if not weak_type:
        return value
    kind = dtypes.scalar_type_of(value)
    if kind is bool or dtypes.python_scalar_dtype(kind, 0) != new_dtype:
        return None
    return operand if type(operand) is kind else kind(value)


def _convert_stage(trace: Any, args: Sequence[Any], params: dict[str, Any]) -> Any:
    """A scalar that the traced program has as a literal is converted while tracing."""
    literal = trace.atom(args[0])
    if not isinstance(literal, Literal) or not isinstance(literal.val, _scalars):
        return NotImplemented
    converted = _convert_host_value(literal.val, literal.aval.dtype, params["new_dtype"], params["weak_type"])
    return NotImplemented if converted is None else trace.process(stage_p, [converted], {})


convert_element_type_p.staging = _convert_stage


# bitcast_convert_type


def _bitcast_abstract(x: ShapedArray, *, new_dtype: Any) -> ShapedArray:
    old = x.dtype
    shape = x.shape
    if old != new_dtype:
        kinds = (np.bool_, np.complexfloating)
        if any(dtypes.issubdtype(d, k) for d in (old, new_dtype) for k in kinds):
            raise TypeError(
                "lax.bitcast_convert_type does not support bool or complex values unless the operand and "
                f"destination types match. Got operand dtype={old}, {new_dtype=}. Consider using the "
                "arr.view() method instead."
            )
        old_bits, new_bits = dtypes.itemsize_bits(old), dtypes.itemsize_bits(new_dtype)
        if old_bits < new_bits:
            if not shape or shape[-1] * old_bits != new_bits:
                last = shape[-1] if shape else 1
                raise ValueError(
                    f"Attempting to convert array of shape {shape} from {old} of size {old_bits} bits to "
                    f"{new_dtype} of size {new_bits}, bits but {last} * {old_bits} != {new_bits}"
                )
            shape = shape[:-1]
        elif old_bits > new_bits:
            shape = (*shape, old_bits // new_bits)
    return ShapedArray(shape, new_dtype, False)


def _bitcast_lower(ctx: LoweringContext, x: ir.Value, *, new_dtype: Any) -> ir.Value:
    return hlo.bitcast_convert(ir_type(ctx.avals_out[0]), x)


def _bitcast_batch(args: Any, dims: Any, *, new_dtype: Any) -> tuple[Any, int]:
    """The batch axis stays, unless it stands where the axis must be that a wider type consumes."""
    (x,), (d,) = args, dims
    wider = dtypes.itemsize_bits(new_dtype) > dtypes.itemsize_bits(get_aval(x).dtype)
    if wider and d == np.ndim(x) - 1:
        x, d = moveaxis(x, d, 0), 0
    return bitcast_convert_type_p.bind(x, new_dtype=new_dtype), d


bitcast_convert_type_p = define(
    "bitcast_convert_type",
    abstract=_bitcast_abstract,
    lower=_bitcast_lower,
    jvp=per_operand(None),
    transpose=not_linear,
    batch=_bitcast_batch,
)


def bitcast_convert_type(operand, new_dtype):
    """The operand's bits read as another type; a last axis appears or goes where the widths differ."""
    return bitcast_convert_type_p.bind(operand, new_dtype=dtypes.canonicalize_dtype(new_dtype))


# reduce_precision


def _reduce_precision_abstract(x: ShapedArray, *, exponent_bits: int, mantissa_bits: int) -> ShapedArray:
    check_dtype("reduce_precision", x, FLOAT)
    if exponent_bits < 1:
        raise ValueError(f"reduce_precision: exponent_bits must be positive; got {exponent_bits}")
    if mantissa_bits < 0:
        raise ValueError(f"reduce_precision: mantissa_bits must be non-negative; got {mantissa_bits}")
    return x


def _reduce_precision_lower(
    ctx: LoweringContext, x: ir.Value, *, exponent_bits: int, mantissa_bits: int
) -> ir.Value:
    return hlo.reduce_precision(x, exponent_bits, mantissa_bits)


reduce_precision_p = define(
    "reduce_precision",
    abstract=_reduce_precision_abstract,
    lower=_reduce_precision_lower,
    jvp=linear_jvp,
    transpose=lambda ct, x, **params: [None if type(ct) is Zero else reduce_precision_p.bind(ct, **params)],
    batch=unary_batch(lambda: reduce_precision_p),
)


def reduce_precision(operand, exponent_bits, mantissa_bits):
    """The operand rounded to a float format with these numbers of bits."""
    return reduce_precision_p.bind(
        operand, exponent_bits=int(exponent_bits), mantissa_bits=int(mantissa_bits)
    )
