"""``reduce_window`` with a function of the user's: a reduction over windows that holds a program for two scalars.

Windows with a known operation are in ``engine/ops/windows.py`` and ``window_extrema.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jaxnb.engine.control.reduce import monoid_of, trace_computation
from jaxnb.engine.core.ad import Zero
from jaxnb.engine.core.avals import ShapedArray
from jaxnb.engine.core.jaxpr import close
from jaxnb.engine.core.rules import Undefined, define, instantiate_zeros
from jaxnb.engine.ops.elementwise import axis_to_front
from jaxnb.engine.ops.lowering import LoweringContext
from jaxnb.engine.ops.window_extrema import reduce_window_max_p, reduce_window_min_p
from jaxnb.engine.ops.windows import (
    Window,
    batched_window,
    build_reduce_window,
    make_window,
    reduce_window_sum_p,
    window_shape,
)
from jaxnb.engine.transforms.jvp import jvp_jaxpr
from jaxnb.xla import pytree
from jaxnb.xla.mlir import ir


def _reduce_window_abstract(*avals: ShapedArray, jaxpr, consts, **window) -> list[ShapedArray]:
    half = len(avals) // 2
    operands, inits = avals[:half], avals[half:]
    if any(operand.dtype != init.dtype for operand, init in zip(operands, inits, strict=True)):
        raise TypeError(
            "reduce_window got inconsistent dtypes for operands and init_values: "
            f"got operand dtypes {[operand.dtype for operand in operands]} "
            f"and init_value dtypes {[init.dtype for init in inits]}."
        )
    if any(init.shape for init in inits):
        raise TypeError(
            "reduce_window expected init_values to be scalars but init_values have shapes "
            f"{[init.shape for init in inits]}."
        )
    shape = window_shape(operands[0], Window(**window))
    return [ShapedArray(shape, operand.dtype) for operand in operands]


def _reduce_window_lower(ctx: LoweringContext, *values: ir.Value, jaxpr, consts, **window) -> list[ir.Value]:
    half = len(values) // 2
    return build_reduce_window(
        ctx.avals_out,
        values[:half],
        values[half:],
        Window(**window),
        lambda *scalars: ctx.lower_jaxpr(jaxpr, *scalars),
    )


def _reduce_window_jvp(primals, tangents, *, jaxpr, consts, **window):
    """One reduction of values and tangents together, by the function's own jvp."""
    half = len(primals) // 2
    if any(type(t) is not Zero for t in tangents[half:]):
        raise TypeError("reduce_window jvp does not support non-zero init_value_tangent.")
    new, _ = jvp_jaxpr(jaxpr.jaxpr, [True] * (2 * half), True)
    # The function sees values and tangents of the first operand, then of the second.
    order = [*range(half), *range(2 * half, 3 * half), *range(half, 2 * half), *range(3 * half, 4 * half)]
    paired = new.replace(invars=[new.invars[i] for i in order])
    zeros = [instantiate_zeros(t) for t in tangents]
    out = reduce_window_p.bind(
        *primals[:half],
        *zeros[:half],
        *primals[half:],
        *zeros[half:],
        jaxpr=close(paired),
        consts=consts,
        **window,
    )
    return out[:half], out[half:]


def _reduce_window_batch(args, dims, *, jaxpr, consts, **window):
    """The same reduction with the mapped axis first, and windows of size one along it."""
    half = len(args) // 2
    if any(d is not None for d in dims[half:]):
        raise NotImplementedError("reduce_window batching is not implemented for initial values")
    size = next(x.shape[d] for x, d in zip(args, dims, strict=True) if d is not None)
    operands = [axis_to_front(x, d, size) for x, d in zip(args[:half], dims[:half], strict=True)]
    batched = batched_window(Window(**window), 0)
    out = reduce_window_p.bind(*operands, *args[half:], jaxpr=jaxpr, consts=consts, **batched._asdict())
    return out, [0] * len(out)


reduce_window_p = define(
    "reduce_window",
    abstract=_reduce_window_abstract,
    lower=_reduce_window_lower,
    jvp=_reduce_window_jvp,
    transpose=Undefined("a reduction by a function is not linear"),
    batch=_reduce_window_batch,
    multiple_results=True,
)

_known = {"sum": reduce_window_sum_p, "max": reduce_window_max_p, "min": reduce_window_min_p}


def reduce_window(
    operand: Any,
    init_value: Any,
    computation: Callable,
    window_dimensions: Sequence[int],
    window_strides: Sequence[int] | None = None,
    padding: str | Sequence[tuple[int, int]] = "VALID",
    base_dilation: Sequence[int] | None = None,
    window_dilation: Sequence[int] | None = None,
):
    """The operand reduced over sliding windows by a function of two scalars (or trees of them).

    Args:
        operand: a tree of arrays of one shape.
        init_value: for each, the value the reduction starts from.
        computation: an associative function of two trees of scalars.
        window_dimensions: the window's size along each axis.
        window_strides: the window's steps; ones by default.
        padding: pairs of numbers before and after each axis, or ``"SAME"``, ``"SAME_LOWER"``, ``"VALID"``.
        base_dilation: the distance of the operand's elements; ones by default.
        window_dilation: the distance of the window's elements; ones by default.
    """
    leaves, tree = pytree.flatten(operand)
    inits, init_tree = pytree.flatten(init_value)
    if tree != init_tree:
        raise ValueError(f"Operands must have the same tree structure as init_values: {tree} vs. {init_tree}")
    if len(leaves) == 0:
        raise ValueError("reduce_window must have at least one operand.")
    if len(leaves) != len(inits):
        raise ValueError("Number of operands must equal number of init_values.")
    window = make_window(
        np.shape(leaves[0]), window_dimensions, window_strides, padding, base_dilation, window_dilation
    )
    if len(leaves) == 1:
        name = monoid_of(computation, inits[0], leaves[0])
        if name in _known:
            return pytree.unflatten(tree, [_known[name].bind(leaves[0], **window._asdict())])
    jaxpr, out_tree = trace_computation(computation, inits, tree, "reduce_window comp")
    if out_tree != tree:
        raise ValueError(
            f"reduce_window output must have the same tree structure as the operands {tree} vs. {out_tree}"
        )
    out = reduce_window_p.bind(*leaves, *inits, jaxpr=jaxpr, consts=(), **window._asdict())
    return pytree.unflatten(tree, out)
