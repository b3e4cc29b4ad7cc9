"""Choosing between arrays element by element: `select_n`, `clamp`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from jaxnb.engine.core import dtypes
from jaxnb.engine.core.ad import Zero, is_undefined_primal
from jaxnb.engine.core.avals import ShapedArray
from jaxnb.engine.core.rules import define, per_operand
from jaxnb.engine.ops.bitwise import bitwise_and
from jaxnb.engine.ops.comparison import compare_type, compare_values, eq, gt, lt
from jaxnb.engine.ops.elementwise import (
    axis_to_front,
    check_same_dtypes,
    filled_like,
    filled_value,
    not_linear,
    stretch_values,
)
from jaxnb.engine.ops.lowering import LoweringContext, dense_ints
from jaxnb.engine.ops.shape import broadcast_in_dim
from jaxnb.xla.mlir import hlo, ir
from jaxnb.xla.version import JAXLIB_VERSION

# select_n


def _select_n_abstract(which: ShapedArray, *cases: ShapedArray) -> ShapedArray:
    if not cases:
        raise ValueError("select_n must have at least one case")
    first = cases[0]
    if any(case.shape != first.shape for case in cases):
        shapes = ", ".join(str(case.shape) for case in cases)
        raise TypeError(f"select cases must have the same shapes, got [{shapes}].")
    if which.shape and which.shape != first.shape:
        raise TypeError(
            "select `which` must be scalar or have the same shape as cases, "
            f"got `which` shape {which.shape} but case shape {first.shape}."
        )
    check_same_dtypes("select", *cases)
    is_bool = dtypes.issubdtype(which.dtype, np.bool_)
    if not is_bool and not dtypes.issubdtype(which.dtype, np.integer):
        raise TypeError(f"select `which` must be boolean or integer type, got {which.dtype}.")
    if is_bool and len(cases) > 2:
        raise TypeError("select with boolean `which` cannot have > 2 cases.")
    return first.update(weak_type=all(case.weak_type for case in cases))


def _select_n_lower(ctx: LoweringContext, which: ir.Value, *cases: ir.Value) -> ir.Value:
    """Two cases are one select; more are found by bisection on ``which``."""
    which_aval, case_aval = ctx.avals_in[0], ctx.avals_in[1]
    if dtypes.is_extended(case_aval.dtype):
        which = _widen_which(which, which_aval, case_aval)
        which_aval = which_aval.update(shape=tuple(ir.RankedTensorType(which.type).shape))
    if which_aval.dtype != np.dtype(bool):
        if len(cases) == 1:
            return cases[0]
        return _bisect(which, which_aval, 0, cases)
    if len(cases) == 1:
        return cases[0]
    return hlo.select(which, cases[1], cases[0])


def _widen_which(which: ir.Value, which_aval: ShapedArray, case_aval: ShapedArray) -> ir.Value:
    words, _ = dtypes.physical_aval(case_aval.dtype)
    shape = (*case_aval.shape, *words)
    result = ir.RankedTensorType.get(shape, ir.RankedTensorType(which.type).element_type)
    return hlo.broadcast_in_dim(result, which, dense_ints(range(which_aval.ndim)))


def _bisect(which: ir.Value, aval: ShapedArray, offset: int, cases: Sequence[ir.Value]) -> ir.Value:
    if len(cases) == 1:
        return cases[0]
    half = len(cases) // 2
    border = filled_value(offset + half, aval)
    below = compare_values("LT", compare_type(aval.dtype), which, border)
    return hlo.select(
        below,
        _bisect(which, aval, offset, cases[:half]),
        _bisect(which, aval, offset + half, cases[half:]),
    )


def _select_n_jvp(primals: Any, tangents: Any) -> Any:
    """The same choice among the tangents."""
    which, *cases = primals
    out = select_n(which, *cases)
    case_tangents = tangents[1:]
    if all(type(t) is Zero for t in case_tangents):
        return out, Zero.from_primal_value(out)
    zeros = filled_like(next(t for t in case_tangents if type(t) is not Zero), 0)
    return out, select_n(which, *(zeros if type(t) is Zero else t for t in case_tangents))


def _select_n_transpose(ct: Any, which: Any, *cases: Any) -> list[Any]:
    """``ct`` where the case was chosen, zero elsewhere."""
    assert not is_undefined_primal(which)
    if type(ct) is Zero:
        return [None] * (1 + len(cases))
    zeros = filled_like(ct, 0)
    if which.dtype != np.bool_ and JAXLIB_VERSION >= (0, 12):
        first, last = (np.asarray(number, which.dtype)[()] for number in (0, len(cases) - 1))
        which = clamp(first, which, last)

    def where_chosen(number: int) -> Any:
        if which.dtype == np.bool_:
            return select_n(which, zeros, ct) if number else select_n(which, ct, zeros)
        return select_n(eq(which, np.asarray(number, which.dtype)[()]), zeros, ct)

    return [None, *(where_chosen(i) if is_undefined_primal(case) else None for i, case in enumerate(cases))]


def _select_n_batch(args: Sequence[Any], dims: Sequence[int | None]) -> tuple[Any, int]:
    """The batch axis comes first unless every operand has it in one place; a scalar choice may stay scalar."""
    which, *cases = args
    d_which, *d_cases = dims
    size = next(np.shape(x)[d] for x, d in zip(args, dims, strict=True) if d is not None)
    if d_which is None:
        if np.ndim(which) == 0 and d_cases[0] is not None and all(d == d_cases[0] for d in d_cases):
            return select_n(which, *cases), d_cases[0]
    elif all(d == d_which for d in d_cases) and np.shape(which) == np.shape(cases[0]):
        return select_n(which, *cases), d_which
    if np.ndim(which) == 0 and d_which is None:
        cases = [axis_to_front(x, d, size) for x, d in zip(cases, d_cases, strict=True)]
        return select_n(which, *cases), 0
    which = axis_to_front(which, d_which, size)
    if all(d is None and np.ndim(x) == 0 for x, d in zip(cases, d_cases, strict=True)):
        cases = [broadcast_in_dim(x, np.shape(which), ()) for x in cases]
        return select_n(which, *cases), 0
    cases = [axis_to_front(x, d, size) for x, d in zip(cases, d_cases, strict=True)]
    if np.ndim(which) < np.ndim(cases[0]):
        which = broadcast_in_dim(which, np.shape(cases[0]), tuple(range(np.ndim(which))))
    return select_n(which, *cases), 0


select_n_p = define(
    "select_n",
    abstract=_select_n_abstract,
    lower=_select_n_lower,
    jvp=_select_n_jvp,
    transpose=_select_n_transpose,
    batch=_select_n_batch,
)


def select_n(which, *cases):
    """Element by element the case numbered ``which``; True is the second case."""
    if not cases:
        raise ValueError("select_n() must have at least one case")
    return select_n_p.bind(which, *cases)


def select(pred, on_true, on_false):
    """``on_true`` where ``pred``, elsewhere ``on_false``."""
    return select_n(pred, on_false, on_true)


# clamp


def _clamp_abstract(low: ShapedArray, x: ShapedArray, high: ShapedArray) -> ShapedArray:
    for name, bound in (("min", low), ("max", high)):
        if bound.shape and bound.shape != x.shape:
            raise TypeError(
                f"clamp requires {name}.shape == operand.shape or {name}.shape == (), "
                f"got {name}.shape={bound.shape}, operand.shape={x.shape}."
            )
    check_same_dtypes("clamp", low, x, high)
    return x.update(weak_type=low.weak_type and x.weak_type and high.weak_type)


def _clamp_lower(ctx: LoweringContext, *values: ir.Value) -> ir.Value:
    return hlo.clamp(*stretch_values(ctx, values))


def _clamp_batch(args: Sequence[Any], dims: Sequence[int | None]) -> tuple[Any, int]:
    (low, x, high), (d_low, d, d_high) = args, dims
    size = next(np.shape(a)[e] for a, e in zip(args, dims, strict=True) if e is not None)
    if np.ndim(low) == 0 and np.ndim(high) == 0 and d_low is None and d_high is None and d is not None:
        return clamp(low, x, high), d
    if d_low == d == d_high and np.shape(low) == np.shape(x) == np.shape(high) and d is not None:
        return clamp(low, x, high), d
    low = axis_to_front(low, d_low, size) if np.ndim(low) else low
    high = axis_to_front(high, d_high, size) if np.ndim(high) else high
    x = axis_to_front(x, d, size)
    bounds = {"low": low, "high": high}
    for name in ("low", "high"):
        if np.ndim(bounds[name]) == 0:
            bounds[name] = broadcast_in_dim(bounds[name], np.shape(x), ())
    for name in ("low", "high"):
        bound = bounds[name]
        if np.ndim(bound) < np.ndim(x):
            bounds[name] = broadcast_in_dim(bound, np.shape(x), tuple(range(np.ndim(bound))))
    return clamp(bounds["low"], x, bounds["high"]), 0


clamp_p = define(
    "clamp",
    abstract=_clamp_abstract,
    lower=_clamp_lower,
    jvp=per_operand(
        lambda t, low, x, high: select(bitwise_and(gt(low, x), lt(low, high)), t, filled_like(x, 0)),
        lambda t, low, x, high: select(bitwise_and(gt(x, low), lt(x, high)), t, filled_like(x, 0)),
        lambda t, low, x, high: select(lt(high, x), t, filled_like(x, 0)),
    ),
    transpose=not_linear,
    batch=_clamp_batch,
)


def clamp(min, x, max):
    """``x`` moved into the interval from ``min`` to ``max``."""
    return clamp_p.bind(min, x, max)
