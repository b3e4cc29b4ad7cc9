"""Comparisons: eq, ne, ge, gt, le, lt, and le and lt under the total order of floats.

What acts on their result (`select_n`, `clamp`) lives in ``selection.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jaxnb.engine.core import dtypes
from jaxnb.engine.core.avals import ShapedArray
from jaxnb.engine.core.primitive import Primitive
from jaxnb.engine.core.rules import per_operand
from jaxnb.engine.ops.elementwise import ANY, ORDERED, nary, stretch_values
from jaxnb.engine.ops.lowering import LoweringContext, constant, dense_ints, ir_type, open_block
from jaxnb.xla.mlir import hlo, ir


def compare_type(dtype: Any) -> str:
    """How elements of this dtype are compared: ``FLOAT``, ``SIGNED`` or ``UNSIGNED``."""
    if dtypes.issubdtype(dtype, np.inexact):
        return "FLOAT"
    return "SIGNED" if dtypes.issubdtype(dtype, np.signedinteger) else "UNSIGNED"


def compare_values(direction: str, kind: str, x: ir.Value, y: ir.Value) -> ir.Value:
    """Emits ``stablehlo.compare``."""
    return hlo.compare(
        x, y, hlo.ComparisonDirectionAttr.get(direction), compare_type=hlo.ComparisonTypeAttr.get(kind)
    )


def _lower_compare(direction: str, total: bool = False) -> Callable[..., Any]:
    def lower(ctx: LoweringContext, *values: ir.Value) -> ir.Value:
        dtype = ctx.avals_in[0].dtype
        x, y = stretch_values(ctx, values)
        if dtypes.is_extended(dtype):
            return _compare_keys(ctx, direction, x, y)
        whole = total and dtypes.issubdtype(dtype, np.inexact)
        return compare_values(direction, "TOTALORDER" if whole else compare_type(dtype), x, y)

    return lower


def _compare_keys(ctx: LoweringContext, direction: str, x: ir.Value, y: ir.Value) -> ir.Value:
    """Keys are equal where all their words are."""
    (out,) = ctx.avals_out
    shape, dtype = dtypes.physical_aval(ctx.avals_in[0].dtype)
    words = compare_values(direction, compare_type(dtype), x, y)
    every = direction == "EQ"
    start = constant(np.bool_(every))
    axes = tuple(range(out.ndim, out.ndim + len(shape)))
    reduction = hlo.ReduceOp([ir_type(out)], [words], [start], dense_ints(axes))
    scalar = ir_type(ShapedArray((), np.dtype(bool)))
    block = open_block(reduction.regions[0], scalar, scalar)
    with ir.InsertionPoint(block):
        combine = hlo.and_ if every else hlo.or_
        hlo.return_([combine(*block.arguments)])
    return reduction.result


def _comparison(
    name: str, direction: str, accepted: Sequence[type], *, total: bool = False, doc: str | None = None
) -> Primitive:
    return nary(
        name,
        (accepted, accepted),
        lower=_lower_compare(direction, total),
        jvp=per_operand(None, None),
        result=lambda _: np.dtype(bool),
        doc=doc,
    )


_EQUAL = (*ANY, dtypes.extended)

eq_p = _comparison("eq", "EQ", _EQUAL, doc="x = y")
ne_p = _comparison("ne", "NE", _EQUAL, doc="x ≠ y")
ge_p = _comparison("ge", "GE", ORDERED, doc="x ≥ y")
gt_p = _comparison("gt", "GT", ORDERED, doc="x > y")
le_p = _comparison("le", "LE", ORDERED, doc="x ≤ y")
lt_p = _comparison("lt", "LT", ORDERED, doc="x < y")
eq_to_p = _comparison("eq_to", "EQ", ANY, total=True, doc="x = y, with −0 ≠ +0 and NaN = NaN")
le_to_p = _comparison("le_to", "LE", ORDERED, total=True, doc="x ≤ y, with −NaN < −∞ and −0 < +0")
lt_to_p = _comparison("lt_to", "LT", ORDERED, total=True, doc="x < y, with −NaN < −∞ and −0 < +0")


def check_ordered(comparison: Primitive, dtype: Any) -> None:
    """Raises the TypeError of a comparison that does not accept this dtype."""
    scalar = ShapedArray((), dtype)
    comparison.abstract_eval((scalar, scalar), {})


def eq(x, y):
    """True where ``x = y``."""
    return eq_p.bind(x, y)


def ne(x, y):
    """True where ``x ≠ y``."""
    return ne_p.bind(x, y)


def ge(x, y):
    """True where ``x ≥ y``."""
    return ge_p.bind(x, y)


def gt(x, y):
    """True where ``x > y``."""
    return gt_p.bind(x, y)


def le(x, y):
    """True where ``x ≤ y``."""
    return le_p.bind(x, y)


def lt(x, y):
    """True where ``x < y``."""
    return lt_p.bind(x, y)
