"""``reduce`` with a function of the user's: a reduction that holds a program for two scalars.

Reductions with a known operation are in ``engine/ops/reductions.py``; ``reduce`` finds out which one is meant.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jaxnb.engine.control.bodies import body_info
from jaxnb.engine.core.avals import ShapedArray, get_aval
from jaxnb.engine.core.jaxpr import ClosedJaxpr, close
from jaxnb.engine.core.printer import print_without
from jaxnb.engine.core.rules import Undefined, composite, define
from jaxnb.engine.core.trace import Tracer
from jaxnb.engine.ops import arithmetic, bitwise, magnitude, reductions
from jaxnb.engine.ops.elementwise import axis_to_front
from jaxnb.engine.ops.lowering import LoweringContext, dense_ints, ir_types, open_block
from jaxnb.engine.transforms.stage import trace_to_jaxpr
from jaxnb.xla import pytree
from jaxnb.xla.mlir import hlo, ir

_CLOSED_OVER = (
    "Reduction computations can't close over Tracers. Please open an issue at https://github.com/jax-ml/jax."
)


# Which reduction is meant


def monoid_of(computation: Callable, init: Any, operand: Any) -> str | None:
    """The name of the known reduction that starts at ``init``: ``"sum"``, ``"max"``, …; None if there is none."""
    if isinstance(init, Tracer) or np.ndim(init) != 0:
        return None
    dtype = get_aval(operand).dtype
    value = np.asarray(init)
    candidates: dict[Any, list[tuple[str, Any]]] = {
        arithmetic.add: [("sum", dtype.type(0))],
        arithmetic.mul: [("prod", dtype.type(1))],
        magnitude.max: [("max", reductions.max_identity(dtype))],
        magnitude.min: [("min", reductions.min_identity(dtype))],
        bitwise.bitwise_or: [("or", dtype.type(0))],
        bitwise.bitwise_xor: [("xor", dtype.type(0))],
    }
    if computation is bitwise.bitwise_and:
        ones = reductions.all_bits(dtype)
        return "and" if bool(value == ones) else None
    for name, identity in candidates.get(computation, ()):
        if bool(value == identity):
            return name
    return None


_known: dict[str, Callable[..., Any]] = {
    "sum": reductions.reduce_sum,
    "prod": reductions.reduce_prod,
    "max": reductions.reduce_max,
    "min": reductions.reduce_min,
    "and": reductions.reduce_and,
    "or": reductions.reduce_or,
    "xor": reductions.reduce_xor,
}


# reduce


def trace_computation(
    computation: Callable, inits: Sequence[Any], tree: Any, traced_for: str
) -> tuple[ClosedJaxpr, Any]:
    """The program of a reduction's function on scalars, and the structure of its result."""
    scalars = [ShapedArray((), aval.dtype, aval.weak_type) for aval in map(get_aval, inits)]  # pyright: ignore
    out_tree: list[Any] = []

    def flat(*args: Any) -> list[Any]:
        first, second = args[: len(scalars)], args[len(scalars) :]
        out = computation(pytree.unflatten(tree, first), pytree.unflatten(tree, second))
        leaves, structure = pytree.flatten(out)
        out_tree.append(structure)
        return leaves

    one = pytree.unflatten(tree, list(range(len(scalars))))
    info = body_info(computation, traced_for, pytree.flatten((one, one))[1])
    jaxpr, consts = trace_to_jaxpr(flat, [*scalars, *scalars], info)
    if consts:
        raise NotImplementedError(_CLOSED_OVER)
    return close(jaxpr), out_tree[0]


def _reduce_abstract(*avals: ShapedArray, computation, jaxpr, dimensions, tree) -> list[ShapedArray]:
    half = len(avals) // 2
    operands, inits = avals[:half], avals[half:]
    if any(init.shape for init in inits):
        raise ValueError(f"reduce found non-scalar initial value: {[init.shape for init in inits]}")
    if any(operand.dtype != init.dtype for operand, init in zip(operands, inits, strict=True)):
        raise TypeError(
            "reduce operand dtypes should match corresponding initial value dtypes, "
            f"got operands={list(operands)} and initial_values={list(inits)}"
        )
    return [
        ShapedArray(
            tuple(np.delete(operand.shape, list(dimensions)).astype(int).tolist()),
            operand.dtype,
            operand.weak_type and init.weak_type,
        )
        for operand, init in zip(operands, inits, strict=True)
    ]


def _reduce_lower(
    ctx: LoweringContext, *values: ir.Value, computation, jaxpr, dimensions, tree
) -> list[ir.Value]:
    half = len(values) // 2
    operands, inits = list(values[:half]), list(values[half:])
    op = hlo.ReduceOp(ir_types(ctx.avals_out), operands, inits, dense_ints(dimensions))
    body = open_block(op.regions[0], *[init.type for init in inits] * 2)
    with ir.InsertionPoint(body):
        hlo.return_(ctx.lower_jaxpr(jaxpr, *body.arguments))
    return list(op.results)


def _by_halves(*values: Any, computation, jaxpr, dimensions, tree):
    half = len(values) // 2
    operands, inits = values[:half], values[half:]

    def combine(*args: Any) -> list[Any]:
        first, second = (pytree.unflatten(tree, part) for part in (args[:half], args[half:]))
        return pytree.flatten(computation(first, second))[0]

    return reductions.fold_halves(operands, inits, combine, dimensions)


def _reduce_batch(args, dims, *, computation, jaxpr, dimensions, tree):
    """The same reduction with the mapped axis first and left alone."""
    half = len(args) // 2
    if any(d is not None for d in dims[half:]):
        raise NotImplementedError  # as JAX does, without a text
    size = next(x.shape[d] for x, d in zip(args, dims, strict=True) if d is not None)
    operands = [axis_to_front(x, d, size) for x, d in zip(args[:half], dims[:half], strict=True)]
    out = reduce_p.bind(
        *operands,
        *args[half:],
        computation=computation,
        jaxpr=jaxpr,
        dimensions=tuple(dim + 1 for dim in dimensions),
        tree=tree,
    )
    return out, [0] * len(out)


reduce_p = define(
    "reduce",
    abstract=_reduce_abstract,
    lower=_reduce_lower,
    jvp=composite(_by_halves, multiple_results=True),
    transpose=Undefined("a reduction by a function is not linear"),
    batch=_reduce_batch,
    multiple_results=True,
    hide={"tree": ...},
)
print_without(reduce_p, "tree")


def reduce(
    operands: Any,
    init_values: Any,
    computation: Callable,
    dimensions: Sequence[int],
    out_sharding: Any = None,
):
    """The operands reduced over these axes by a function of two scalars (or trees of them).

    Args:
        operands: a tree of arrays of one shape.
        init_values: for each, the value the reduction starts from.
        computation: an associative function of two trees of scalars.
        dimensions: the axes.
        out_sharding: how the result is sharded.
    """
    leaves, tree = pytree.flatten(operands)
    inits, init_tree = pytree.flatten(init_values)
    if tree != init_tree:
        raise ValueError(f"Operands must have the same tree structure as init_values: {tree} vs. {init_tree}")
    if len(leaves) == 1:
        name = monoid_of(computation, inits[0], leaves[0])
        if name is not None:
            return pytree.unflatten(tree, [_known[name](leaves[0], dimensions)])
    if any(np.ndim(init) for init in inits):
        raise ValueError(f"reduce found non-scalar initial value: {[np.shape(init) for init in inits]}")
    jaxpr, out_tree = trace_computation(computation, inits, tree, "reduce comp")
    out = reduce_p.bind(
        *leaves, *inits, computation=computation, jaxpr=jaxpr, dimensions=tuple(dimensions), tree=tree
    )
    return pytree.unflatten(out_tree, out)
