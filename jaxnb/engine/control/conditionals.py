"""``cond``, ``switch`` and ``platform_dependent``: the user's functions for choosing between programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jaxnb.base import config
from jaxnb.engine.control.bodies import (
    avals_of,
    forwarded_results,
    join_consts,
    trace_body,
)
from jaxnb.engine.control.branches import cond_p, platform_index_p
from jaxnb.engine.control.mismatch import check_branch_structures, check_branch_types
from jaxnb.engine.core import dtypes
from jaxnb.engine.core.boundary import api_boundary
from jaxnb.engine.core.jaxpr import close
from jaxnb.engine.core.trace import concrete_value, current_trace_is_eval, shaped_aval
from jaxnb.engine.ops.comparison import ne
from jaxnb.engine.ops.conversion import convert_element_type
from jaxnb.engine.ops.selection import clamp
from jaxnb.engine.ops.staging import is_array, stage
from jaxnb.xla import pytree

__all__ = ["cond", "platform_dependent", "switch"]

_absent: Any = object()


def _choose(
    kind: str, index: Any, functions: Sequence[Callable[..., Any]], operands: Sequence[Any], **params: Any
) -> Any:
    """Binds the choice between traced functions; what all of them hand through does not pass through it."""
    leaves, in_tree = pytree.flatten(tuple(operands))
    avals = avals_of(leaves)
    bodies = [trace_body(f, kind, in_tree, avals) for f in functions]
    out_tree = bodies[0].out_tree
    infos = [b.debug for b in bodies]
    check_branch_structures(kind, infos, [b.out_tree for b in bodies])
    check_branch_types(kind, infos, out_tree, [b.jaxpr.out_avals for b in bodies])
    joined, consts = join_consts(bodies)
    if kind == "cond":
        joined.reverse()  # traced as they are written, numbered as the predicate numbers them
    # Each branch is said to have the effects of all.
    effects = frozenset().union(*(b.effects for b in joined))
    branches = [b if b.effects == effects else b.replace(effects=effects) for b in joined]
    given = [*consts, *leaves]
    passed = [
        column[0] if len(set(column)) == 1 else None
        for column in zip(*map(forwarded_results, branches), strict=True)
    ]
    kept = [p is None for p in passed]
    if not all(kept):
        branches = [
            b.replace(outvars=[v for v, k in zip(b.outvars, kept, strict=True) if k]) for b in branches
        ]
    out = iter(cond_p.bind(index, *given, branches=tuple(close(b) for b in branches), **params))
    return pytree.unflatten(out_tree, [next(out) if p is None else _passed_on(given[p]) for p in passed])


def _passed_on(x: Any) -> Any:
    """A result that is an operand; outside of any trace it is an array, whatever was given."""
    return x if is_array(x) or not current_trace_is_eval() else stage(x)


@api_boundary
def cond(pred: Any, true_fun: Any, false_fun: Any, *operands: Any, operand: Any = _absent) -> Any:
    """Returns ``true_fun(*operands)`` where ``pred`` holds, else ``false_fun(*operands)``; both are traced.

    Args:
        pred: a boolean or number without dimensions.
        true_fun: a function of the operands.
        false_fun: another one, with results of the same structure and types.
        operands: trees of arrays.
        operand: one operand, in place of ``operands``.

    Raises:
        TypeError: where an argument is of the wrong kind, or the functions' results differ in type.
    """
    if operand is not _absent:
        if operands:
            raise TypeError(
                f"if 'operand' keyword is passed then no positional operands can be passed, got operand={operand} "
                f"and positional operands {operands}"
            )
        operands = (operand,)
    if not callable(true_fun) and len(operands) == 2 and callable(false_fun) and callable(operands[1]):
        # The older form: each function stands beside its own operand.
        true_operand, true, false_operand, false = true_fun, false_fun, *operands
        return cond(pred, lambda x, _: true(x), lambda _, x: false(x), true_operand, false_operand)
    if not (callable(true_fun) and callable(false_fun)):
        raise TypeError("lax.cond: true_fun and false_fun arguments should be callable.")
    if pred is None:
        raise TypeError("cond predicate is None")
    dtype = _scalar_dtype(pred, "Pred")
    if dtype.kind not in "iufb" and not dtypes.issubdtype(dtype, np.floating):
        raise TypeError(f"Pred type must be either boolean or number, got {pred}.")
    if dtype != np.dtype(bool):
        pred = ne(pred, np.zeros((), dtype)[()]) if not isinstance(pred, int | float) else pred != 0
    if config.disable_jit.value and (known := concrete_value(pred)) is not None:
        return (true_fun if known else false_fun)(*operands)
    index = convert_element_type(pred, np.int32)
    return _choose("cond", index, [true_fun, false_fun], operands)


def _scalar_dtype(x: Any, what: str) -> np.dtype:
    try:
        aval = shaped_aval(x)
    except TypeError:
        raise TypeError(f"{what} must be a scalar, got {x} of type {type(x)}") from None
    if aval.shape:  # pyright: ignore[reportAttributeAccessIssue]
        raise TypeError(f"{what} must be a scalar, got {x} of shape {aval.shape}.")  # pyright: ignore[reportAttributeAccessIssue]
    return aval.dtype  # pyright: ignore[reportAttributeAccessIssue]


@api_boundary
def switch(index: Any, branches: Sequence[Callable[..., Any]], *operands: Any, operand: Any = _absent) -> Any:
    """Returns ``branches[index](*operands)``; all are traced, and an index out of bounds is clamped.

    Args:
        index: an integer without dimensions.
        branches: functions of the operands, with results of the same structure and types.
        operands: trees of arrays.
        operand: one operand, in place of ``operands``.

    Raises:
        TypeError: where an argument is of the wrong kind, or the functions' results differ in type.
        ValueError: where there are no branches.
    """
    if operand is not _absent:
        if operands:
            raise TypeError(
                f"if 'operand' keyword is passed then no positional operands can be passed, got operand={operand} "
                f"and positional operands {operands}"
            )
        operands = (operand,)
    if not all(callable(b) for b in branches):
        raise TypeError("lax.switch: branches argument should be a sequence of callables.")
    try:
        aval: Any = shaped_aval(index)
    except TypeError:
        raise TypeError(f"Index type must be an integer, got {index}.") from None
    if aval.shape:
        raise TypeError(f"Branch index must be scalar, got {index} of shape {aval.shape}.")
    if not dtypes.issubdtype(aval.dtype, np.integer):
        raise TypeError(f"Index type must be an integer, got {index} as {aval.dtype}")
    branches = tuple(branches)
    if not branches:
        raise ValueError("Empty branch sequence")
    if len(branches) == 1:
        return branches[0](*operands)
    index = clamp(np.int32(0), convert_element_type(index, np.int32), np.int32(len(branches) - 1))
    if config.disable_jit.value and (known := concrete_value(index)) is not None:
        return branches[int(known)](*operands)
    return _choose("switch", index, branches, operands)


def platform_dependent(
    *args: Any, default: Callable[..., Any] | None = None, **per_platform: Callable[..., Any]
) -> Any:
    """Returns the results of the function for the platform that the program is lowered for.

    Args:
        args: the functions' arguments.
        default: the function for platforms without one.
        per_platform: functions by platform, ``cpu`` for example.
    """
    names: list[tuple[str, ...] | None] = [(name,) for name in per_platform]
    functions = list(per_platform.values())
    if default is not None:
        names.append(None)
        functions.append(default)
    if len(functions) == 1 and default is not None:
        return default(*args)
    platforms = tuple(names)
    index = platform_index_p.bind(platforms=platforms)
    return _choose("switch", index, functions, args, branches_platforms=platforms)
