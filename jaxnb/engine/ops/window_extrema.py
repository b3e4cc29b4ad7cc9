"""Windowed extrema, and the two selections their derivatives need.

Windows themselves and their sums are in ``windows.py``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from jaxnb.engine.core.ad import Zero, is_undefined_primal
from jaxnb.engine.core.avals import ShapedArray
from jaxnb.engine.core.primitive import Primitive
from jaxnb.engine.core.rules import Undefined, define, instantiate_zeros, primitives
from jaxnb.engine.ops.comparison import check_ordered, compare_type, compare_values
from jaxnb.engine.ops.elementwise import axis_to_front
from jaxnb.engine.ops.lowering import LoweringContext, constant, dense_ints, ir_type, open_block
from jaxnb.engine.ops.reductions import lexicographic, max_identity, min_identity
from jaxnb.engine.ops.slicing import pad, slice, slice_p
from jaxnb.engine.ops.windows import (
    Window,
    batched_window,
    build_reduce_window,
    pairs_attr,
    window_shape,
    windowed_abstract,
    windowed_batch,
    windowed_lower,
)
from jaxnb.xla.mlir import hlo, ir


def _windowed_extremum(name: str, select: str, combine: Any, identity: Any) -> Primitive:
    def jvp(primals, tangents, **window):
        """The tangent of the element that each window selects."""
        (operand,), (t,) = primals, tangents
        out = prim.bind(operand, **window)
        if type(t) is Zero:
            return out, Zero.from_primal_value(out)
        return out, select_and_gather_add_p.bind(t, operand, select_prim=primitives[select], **window)

    prim = define(
        name,
        abstract=windowed_abstract,
        lower=windowed_lower(combine, identity),
        jvp=jvp,
        transpose=Undefined("an extremum is not linear"),
        batch=windowed_batch(lambda: prim),
    )
    return prim


reduce_window_max_p = _windowed_extremum(
    "reduce_window_max", "ge", lexicographic("GT", lambda a, b: hlo.maximum(a, b)), max_identity
)
reduce_window_min_p = _windowed_extremum(
    "reduce_window_min", "le", lexicographic("LT", lambda a, b: hlo.minimum(a, b)), min_identity
)


# select_and_gather_add: the tangent where a window's extremum stands


def _worst(select_prim: Primitive, dtype: Any) -> Any:
    return max_identity(dtype) if select_prim.name == "ge" else min_identity(dtype)


def _select_and_gather_add_abstract(tangents: ShapedArray, operand: ShapedArray, *, select_prim, **window):
    if tangents.shape != operand.shape:
        raise TypeError(
            f"select_and_gather_add tangents and operand shapes must match, got {tangents.shape} and {operand.shape}."
        )
    return tangents.update(shape=window_shape(operand, Window(**window)))


def _select_and_gather_add_lower(ctx: LoweringContext, tangents, operand, *, select_prim, **window):
    t_aval, aval = ctx.avals_in
    (out,) = ctx.avals_out
    check_ordered(select_prim, aval.dtype)
    # Infinity as it is, not the least number: JAX refuses integers here, and so does NumPy in the same words.
    infinity = aval.dtype.type(-np.inf if select_prim.name == "ge" else np.inf)
    worst = constant(infinity, ShapedArray((), aval.dtype))
    zero = constant(t_aval.dtype.type(0), ShapedArray((), t_aval.dtype))

    def emit(x, tx, y, ty):
        first = compare_values(select_prim.name.upper(), compare_type(aval.dtype), x, y)
        return [hlo.select(first, x, y), hlo.select(first, tx, ty)]

    outs = [out.update(dtype=aval.dtype), out]
    return build_reduce_window(outs, [operand, tangents], [worst, zero], Window(**window), emit)[1]


def _select_and_gather_add_jvp(primals, tangents, **params):
    """The same selection of the tangents' tangent."""
    (source, operand), (t, _) = primals, tangents
    out = select_and_gather_add_p.bind(source, operand, **params)
    if type(t) is Zero:
        return out, Zero.from_primal_value(out)
    return out, select_and_gather_add_p.bind(t, operand, **params)


def _select_and_gather_add_transpose(ct, tangents, operand, *, select_prim, **params):
    """Each cotangent added where its window's extremum stands."""
    if type(ct) is Zero:
        return [None, None]
    window = Window(**params)
    if any(step != 1 for step in window.window_dilation):
        raise NotImplementedError(
            "VJP not implemented for select_and_gather (MaxPool) with window dilation, "
            f"got window_dilation={window.window_dilation}."
        )
    dilated = any(step != 1 for step in window.base_dilation)
    if dilated:
        config = [(0, 0, step - 1) for step in window.base_dilation]
        operand = pad(operand, _worst(select_prim, operand.dtype), config)
    result = select_and_scatter_add_p.bind(
        ct,
        operand,
        select_prim=select_prim,
        window_dimensions=window.window_dimensions,
        window_strides=window.window_strides,
        padding=window.padding,
    )
    if dilated:
        result = slice(result, (0,) * len(result.shape), result.shape, window.base_dilation)
    return [result, None]


def _both_to_front(args, dims):
    """Both operands with the mapped axis first; one that is not mapped is repeated along it."""
    size = next(x.shape[d] for x, d in zip(args, dims, strict=True) if d is not None)
    return [axis_to_front(x, d, size) for x, d in zip(args, dims, strict=True)]


def _select_and_gather_add_batch(args, dims, *, select_prim, **params):
    tangents, operand = _both_to_front(args, dims)
    window = batched_window(Window(**params), 0)
    return select_and_gather_add_p.bind(tangents, operand, select_prim=select_prim, **window._asdict()), 0


select_and_gather_add_p = define(
    "select_and_gather_add",
    abstract=_select_and_gather_add_abstract,
    lower=_select_and_gather_add_lower,
    jvp=_select_and_gather_add_jvp,
    transpose=_select_and_gather_add_transpose,
    batch=_select_and_gather_add_batch,
)


# select_and_scatter_add: a cotangent added where a window's extremum stands


def _select_and_scatter_add_abstract(source: ShapedArray, operand: ShapedArray, **_) -> ShapedArray:
    return ShapedArray(operand.shape, source.dtype)


def _select_and_scatter_add_lower(
    ctx: LoweringContext, source, operand, *, select_prim, window_dimensions, window_strides, padding
):
    source_aval, aval = ctx.avals_in
    (out,) = ctx.avals_out
    check_ordered(select_prim, aval.dtype)
    low, high = [before for before, _ in padding], [after for _, after in padding]
    worst = constant(_worst(select_prim, aval.dtype), ShapedArray((), aval.dtype))
    padded_shape = tuple(a + size + b for a, size, b in zip(low, aval.shape, high, strict=True))
    limits = [before + size for before, size in zip(low, aval.shape, strict=True)]
    back = {"start_indices": tuple(low), "limit_indices": tuple(limits), "strides": None}
    slice_p.abstract_eval(
        (out.update(shape=padded_shape),), back
    )  # padding that cuts cannot be cut off again
    padded = hlo.pad(operand, worst, dense_ints(low), dense_ints(high), dense_ints([0] * aval.ndim))
    zero = constant(source_aval.dtype.type(0), ShapedArray((), source_aval.dtype))
    op = hlo.SelectAndScatterOp(
        ir_type(out.update(shape=padded_shape)),
        padded,
        source,
        zero,
        window_dimensions=dense_ints(window_dimensions),
        window_strides=dense_ints(window_strides),
        padding=pairs_attr(((0, 0),) * aval.ndim),
    )
    body = open_block(op.select, worst.type, worst.type)
    with ir.InsertionPoint(body):
        hlo.return_([compare_values(select_prim.name.upper(), compare_type(aval.dtype), *body.arguments)])
    body = open_block(op.scatter, zero.type, zero.type)
    with ir.InsertionPoint(body):
        hlo.return_([hlo.add(*body.arguments)])
    return hlo.slice(op.result, dense_ints(low), dense_ints(limits), dense_ints([1] * aval.ndim))


def _select_and_scatter_add_jvp(primals, tangents, **params):
    """The same scattering of the source's tangent."""
    (source, operand), (t, _) = primals, tangents
    out = select_and_scatter_add_p.bind(source, operand, **params)
    if type(t) is Zero:
        return out, Zero.from_primal_value(out)
    return out, select_and_scatter_add_p.bind(instantiate_zeros(t), operand, **params)


def _select_and_scatter_add_transpose(ct, source, operand, **params):
    """The cotangent where each window's extremum stands."""
    if type(ct) is Zero or not is_undefined_primal(source):
        return [None, None]
    ones = (1,) * len(ct.shape)
    return [
        select_and_gather_add_p.bind(ct, operand, base_dilation=ones, window_dilation=ones, **params),
        None,
    ]


def _select_and_scatter_add_batch(args, dims, *, select_prim, window_dimensions, window_strides, padding):
    source, operand = _both_to_front(args, dims)
    return select_and_scatter_add_p.bind(
        source,
        operand,
        select_prim=select_prim,
        window_dimensions=(1, *window_dimensions),
        window_strides=(1, *window_strides),
        padding=((0, 0), *padding),
    ), 0


select_and_scatter_add_p = define(
    "select_and_scatter_add",
    abstract=_select_and_scatter_add_abstract,
    lower=_select_and_scatter_add_lower,
    jvp=_select_and_scatter_add_jvp,
    transpose=_select_and_scatter_add_transpose,
    batch=_select_and_scatter_add_batch,
)
