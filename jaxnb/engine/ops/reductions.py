"""Reductions over axes with a known operation: sums, products, extrema, logic, and where an extremum stands.

Reductions with a function of the user's are in ``engine/control/reduce.py``, windows in ``windows.py``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from jaxnb.engine.core import dtypes
from jaxnb.engine.core.ad import Zero
from jaxnb.engine.core.avals import ShapedArray
from jaxnb.engine.core.primitive import Primitive
from jaxnb.engine.core.rules import Undefined, composite, define, linear_jvp, per_operand_out
from jaxnb.engine.ops.arithmetic import div, mul
from jaxnb.engine.ops.comparison import compare_values, eq
from jaxnb.engine.ops.conversion import convert_element_type
from jaxnb.engine.ops.lowering import LoweringContext, constant, dense_ints, ir_type, open_block
from jaxnb.engine.ops.placement import check_out_sharding
from jaxnb.engine.ops.shape import broadcast, broadcast_in_dim, reshape, squeeze
from jaxnb.engine.ops.slicing import pad, slice_in_dim
from jaxnb.xla.mlir import hlo, ir
from jaxnb.xla.version import JAXLIB_VERSION

_EXTREMA_HAVE_SHARDING = JAXLIB_VERSION >= (0, 12)


# Identities


def max_identity(dtype: Any) -> np.generic:
    """The value ``m`` with ``max(m, x) == x``: minus infinity, or the least integer."""
    return _limit(dtype, largest=False)


def min_identity(dtype: Any) -> np.generic:
    """The value ``m`` with ``min(m, x) == x``: infinity, or the greatest integer."""
    return _limit(dtype, largest=True)


def _limit(dtype: Any, *, largest: bool) -> np.generic:
    dtype = np.dtype(dtype)
    if dtype == np.bool_:
        return np.bool_(largest)
    if dtypes.issubdtype(dtype, np.integer):
        info = dtypes.iinfo(dtype)
        return dtype.type(info.max if largest else info.min)
    infinity = dtype.type(np.inf if largest else -np.inf)
    if dtypes.issubdtype(dtype, np.complexfloating) or np.isinf(infinity):
        return infinity
    info = dtypes.finfo(dtype)  # eight-bit floats without infinities
    return dtype.type(info.max if largest else info.min)


def all_bits(dtype: Any) -> np.generic:
    """The value whose bits are all ones: ``all_bits & x == x``."""
    if dtypes.issubdtype(dtype, np.signedinteger):
        return np.dtype(dtype).type(-1)
    return _limit(dtype, largest=True)


# What all of them share


def _check_axes(operand: ShapedArray, axes: Sequence[int]) -> None:
    if len(axes) != len(set(axes)):
        raise ValueError(f"duplicate value in 'axes' of reduction: {axes}")
    if not all(0 <= axis < operand.ndim for axis in axes):
        raise ValueError(f"reduction axes {axes} contains out-of-bounds indices for {operand}.")


def reduced_shape(shape: Sequence[int], axes: Sequence[int]) -> tuple[int, ...]:
    """The sizes of the axes that are not reduced."""
    return tuple(np.delete(shape, list(axes)).astype(int).tolist()) if len(axes) else tuple(shape)


def _reduction_abstract(name: str, keeps_weak: bool, bool_allowed: bool) -> Callable[..., ShapedArray]:
    def abstract(operand: ShapedArray, *, axes, out_sharding=None) -> ShapedArray:
        _check_axes(operand, axes)
        if not bool_allowed and operand.dtype == np.bool_:
            raise TypeError(f"{name} does not accept dtype bool. Accepted dtypes are subtypes of number.")
        shape = reduced_shape(operand.shape, axes)
        return ShapedArray(shape, operand.dtype, keeps_weak and operand.weak_type)

    return abstract


def _logical_abstract(operand: ShapedArray, *, axes) -> ShapedArray:
    if operand.dtype != np.bool_ and not dtypes.issubdtype(operand.dtype, np.integer):
        raise TypeError(f"logical reduction requires operand dtype bool or int, got {operand.dtype}.")
    return ShapedArray(reduced_shape(operand.shape, axes), operand.dtype)


Combine: TypeAlias = "Callable[[ir.Value, ir.Value], ir.Value]"


def build_reduce(out: ShapedArray, operand: ir.Value, init: ir.Value, combine: Combine, axes: Sequence[int]):
    """A ``stablehlo.reduce`` of one operand whose body is one operation."""
    scalar = init.type
    op = hlo.ReduceOp([ir_type(out)], [operand], [init], dense_ints(axes))
    body = open_block(op.regions[0], scalar, scalar)
    with ir.InsertionPoint(body):
        hlo.return_([combine(*body.arguments)])
    return op.result


def _reduction_lower(combine: Combine, identity: Callable[[Any], Any]) -> Callable[..., ir.Value]:
    def lower(ctx: LoweringContext, operand: ir.Value, *, axes, **_) -> ir.Value:
        (out,) = ctx.avals_out
        init = constant(identity(out.dtype), ShapedArray((), out.dtype))
        return build_reduce(out, operand, init, combine, axes)

    return lower


def lexicographic(direction: str, real: Combine) -> Combine:
    """An extremum that compares complex numbers by real part and then by imaginary part."""

    def combine(a: ir.Value, b: ir.Value) -> ir.Value:
        if not isinstance(ir.RankedTensorType(a.type).element_type, ir.ComplexType):
            return real(a, b)
        real_a, real_b = hlo.real(a), hlo.real(b)
        same = compare_values("EQ", "FLOAT", real_a, real_b)
        by_real = compare_values(direction, "FLOAT", real_a, real_b)
        by_imag = compare_values(direction, "FLOAT", hlo.imag(a), hlo.imag(b))
        return hlo.select(hlo.select(same, by_imag, by_real), a, b)

    return combine


def reduction_batch(prim: Callable[[], Primitive]) -> Callable[..., Any]:
    """The batching rule of the primitive that ``prim`` returns."""

    def batch(args, dims, *, axes, **params):
        """The same reduction over the axes counted past the mapped one."""
        (operand,), (d,) = args, dims
        out_d = d - sum(int(axis) < d for axis in axes)
        axes = tuple(np.where(np.less(axes, d), axes, np.add(axes, 1)))
        return prim().bind(operand, axes=axes, **params), out_d

    return batch


# reduce_sum


def _reduce_sum_transpose(ct, operand, *, axes, out_sharding):
    """``ct`` repeated along the axes that were summed over."""
    if type(ct) is Zero:
        return [None]
    shape = operand.aval.shape
    kept = tuple(np.delete(np.arange(len(shape)), list(axes)))
    return [broadcast_in_dim(ct, shape, kept)]


reduce_sum_p = define(
    "reduce_sum",
    abstract=_reduction_abstract("reduce_sum", keeps_weak=True, bool_allowed=False),
    lower=_reduction_lower(lambda a, b: hlo.add(a, b), lambda dtype: dtype.type(0)),
    jvp=linear_jvp,
    transpose=_reduce_sum_transpose,
    batch=reduction_batch(lambda: reduce_sum_p),
)


def reduce_sum(operand, axes, *, out_sharding=None):
    """The sum of the elements over these axes."""
    out_sharding = check_out_sharding(out_sharding, "reduce_sum")
    return reduce_sum_p.bind(operand, axes=tuple(axes), out_sharding=out_sharding)


# reduce_prod


def fold_halves(operands: Sequence[Any], identities: Sequence[Any], combine: Callable[..., Any], axes: Any):
    """The reduction of several arrays by combining their halves until one element is left.

    Args:
        operands: arrays of one shape.
        identities: for each, the value that stands in for a missing element.
        combine: takes the first halves and then the second ones, and returns a list.
        axes: what is reduced.
    """
    shape = operands[0].shape
    kept = tuple(axis for axis in range(len(shape)) if axis not in set(axes))
    kept_sizes = tuple(shape[axis] for axis in kept)
    size = math.prod(shape[axis] for axis in axes)
    values = [reshape(x, (size, *kept_sizes), (*axes, *kept)) for x in operands]
    if size == 0:
        return [broadcast(identity, kept_sizes) for identity in identities]
    while size > 1:
        half = (size + 1) // 2
        first = [slice_in_dim(x, 0, half) for x in values]
        second = [slice_in_dim(x, half, size) for x in values]
        if size % 2:
            config = [(0, 1, 0)] + [(0, 0, 0)] * len(kept)
            second = [pad(x, identity, config) for x, identity in zip(second, identities, strict=True)]
        values = combine(*first, *second)
        size = half
    return [squeeze(x, (0,)) for x in values]


def _prod_by_halves(operand, *, axes):
    return fold_halves([operand], [operand.dtype.type(1)], lambda a, b: [mul(a, b)], axes)[0]


reduce_prod_p = define(
    "reduce_prod",
    abstract=_reduction_abstract("reduce_prod", keeps_weak=True, bool_allowed=False),
    lower=_reduction_lower(lambda a, b: hlo.multiply(a, b), lambda dtype: dtype.type(1)),
    jvp=composite(_prod_by_halves),
    transpose=Undefined("a product is not linear"),
    batch=reduction_batch(lambda: reduce_prod_p),
)


def reduce_prod(operand, axes):
    """The product of the elements over these axes."""
    return reduce_prod_p.bind(operand, axes=tuple(axes))


# reduce_max, reduce_min


def _extremum_jvp(t, ans, operand, *, axes, **_):
    """The mean of ``t`` over the places where the extremum stands."""
    kept = tuple(1 if axis in axes else size for axis, size in enumerate(operand.shape))
    here = convert_element_type(eq(operand, reshape(ans, kept)), t.dtype)
    count = reduce_sum(here, axes)
    return div(reduce_sum(mul(t, here), axes), count)


def _extremum(name: str, combine: Combine, identity: Callable[[Any], Any]) -> Primitive:
    prim = define(
        name,
        abstract=_reduction_abstract(name, keeps_weak=True, bool_allowed=True),
        lower=_reduction_lower(combine, identity),
        jvp=per_operand_out(_extremum_jvp),
        transpose=Undefined("an extremum is not linear"),
        batch=reduction_batch(lambda: prim),
    )
    return prim


reduce_max_p = _extremum("reduce_max", lexicographic("GT", lambda a, b: hlo.maximum(a, b)), max_identity)
reduce_min_p = _extremum("reduce_min", lexicographic("LT", lambda a, b: hlo.minimum(a, b)), min_identity)


def _extremum_params(axes: Any, out_sharding: Any, name: str) -> dict[str, Any]:
    params: dict[str, Any] = {"axes": tuple(axes)}
    if _EXTREMA_HAVE_SHARDING:
        params["out_sharding"] = check_out_sharding(out_sharding, name)
    return params


def reduce_max(operand, axes, *, out_sharding=None):
    """The greatest element over these axes."""
    return reduce_max_p.bind(operand, **_extremum_params(axes, out_sharding, "reduce_max"))


def reduce_min(operand, axes, *, out_sharding=None):
    """The least element over these axes."""
    return reduce_min_p.bind(operand, **_extremum_params(axes, out_sharding, "reduce_min"))


# reduce_and, reduce_or, reduce_xor


def _logical(name: str, combine: Combine, identity: Callable[[Any], Any]) -> Primitive:
    prim = define(
        name,
        abstract=_logical_abstract,
        lower=_reduction_lower(combine, identity),
        jvp=per_operand_out(None),
        transpose=Undefined("integers have no cotangents"),
        batch=reduction_batch(lambda: prim),
    )
    return prim


reduce_and_p = _logical("reduce_and", lambda a, b: hlo.and_(a, b), all_bits)
reduce_or_p = _logical("reduce_or", lambda a, b: hlo.or_(a, b), lambda dtype: dtype.type(0))
reduce_xor_p = _logical("reduce_xor", lambda a, b: hlo.xor(a, b), lambda dtype: dtype.type(0))


def reduce_and(operand, axes):
    """The bitwise "and" of the elements over these axes."""
    return reduce_and_p.bind(operand, axes=tuple(axes))


def reduce_or(operand, axes):
    """The bitwise "or" of the elements over these axes."""
    return reduce_or_p.bind(operand, axes=tuple(axes))


def reduce_xor(operand, axes):
    """The bitwise "exclusive or" of the elements over these axes."""
    return reduce_xor_p.bind(operand, axes=tuple(axes))
