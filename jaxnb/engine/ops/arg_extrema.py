"""Where an extremum stands: argmax and argmin.

The extrema themselves are in ``reductions.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from jaxnb.engine.core import dtypes
from jaxnb.engine.core.avals import ShapedArray
from jaxnb.engine.core.primitive import Primitive
from jaxnb.engine.core.rules import Undefined, define, per_operand
from jaxnb.engine.ops.comparison import check_ordered, compare_type, compare_values, gt_p, lt_p
from jaxnb.engine.ops.locations import steps
from jaxnb.engine.ops.lowering import LoweringContext, constant, dense_ints, ir_type, open_block
from jaxnb.engine.ops.outlining import outlined
from jaxnb.engine.ops.reductions import max_identity, min_identity, reduced_shape, reduction_batch
from jaxnb.xla.mlir import hlo, ir


def _arg_abstract(operand: ShapedArray, *, axes, index_dtype) -> ShapedArray:
    (axis,) = axes
    if not 0 <= axis < operand.ndim:
        raise ValueError(f"Invalid axis {axis} for operand shape {operand.shape}")
    if operand.shape[axis] < 1:
        raise ValueError(
            "argmin and argmax require non-empty reduced dimension. "
            f"operand.shape={operand.shape} axis={axis}"
        )
    if not dtypes.issubdtype(index_dtype, np.integer):
        raise TypeError(f"index_dtype must be an integer type, but got {np.dtype(index_dtype).name}")
    return ShapedArray(reduced_shape(operand.shape, axes), index_dtype)


def _arg_lower(comparison: Primitive, identity: Callable[[Any], Any]) -> Callable[..., ir.Value]:
    """Reduces pairs of value and position: the better value wins, a NaN above all, of equals the first."""

    def lower(ctx: LoweringContext, operand: ir.Value, *, axes, index_dtype) -> ir.Value:
        (aval,), (out,) = ctx.avals_in, ctx.avals_out
        check_ordered(comparison, aval.dtype)
        position = ShapedArray((), index_dtype)
        at, inside = steps(ctx), steps(ctx, 2)
        with at("iota"):
            positions = hlo.iota(ir_type(aval.update(dtype=out.dtype)), int(axes[0]))
        worst = constant(identity(aval.dtype), ShapedArray((), aval.dtype))
        nowhere = constant(out.dtype.type(0), position)
        with at("reduce"):
            op = hlo.ReduceOp(
                [ir_type(out.update(dtype=aval.dtype)), ir_type(out)],
                [operand, positions],
                [worst, nowhere],
                dense_ints(axes),
            )
            body = open_block(op.regions[0], *[worst.type, nowhere.type] * 2)
            with ir.InsertionPoint(body):
                x, i, y, j = body.arguments
                kind = compare_type(aval.dtype)
                with inside(comparison.name):
                    better = compare_values(comparison.name.upper(), kind, x, y)
                with inside("ne"):
                    is_nan = compare_values("NE", kind, x, x)
                with inside("or"):
                    wins = hlo.or_(better, is_nan)
                with inside("eq"):
                    tie = compare_values("EQ", kind, x, y)
                with inside("lt"):
                    before = compare_values("LT", compare_type(out.dtype), i, j)
                with inside("and"):
                    first = hlo.and_(tie, before)
                with inside("or"):
                    value = hlo.or_(wins, first)
                with inside("select_n"):
                    results = [hlo.select(wins, x, y), hlo.select(value, i, j)]
                hlo.return_(results)
        return op.results[1]

    return lower


def _arg_extremum(name: str, comparison: Primitive, identity: Callable[[Any], Any]) -> Primitive:
    prim = define(
        name,
        abstract=_arg_abstract,
        lower=outlined(_arg_lower(comparison, identity)),
        jvp=per_operand(None),
        transpose=Undefined("positions have no cotangents"),
        batch=reduction_batch(lambda: prim),
    )
    return prim


argmax_p = _arg_extremum("argmax", gt_p, max_identity)
argmin_p = _arg_extremum("argmin", lt_p, min_identity)


def argmax(operand, axis, index_dtype):
    """The position of the greatest element along an axis, of several the first."""
    index_dtype = dtypes.check_user_dtype_supported(index_dtype, "argmax")
    return argmax_p.bind(operand, axes=(axis,), index_dtype=index_dtype)


def argmin(operand, axis, index_dtype):
    """The position of the least element along an axis, of several the first."""
    index_dtype = dtypes.check_user_dtype_supported(index_dtype, "argmin")
    return argmin_p.bind(operand, axes=(axis,), index_dtype=index_dtype)
