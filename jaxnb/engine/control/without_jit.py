"""Loops run in Python, step by step, while ``disable_jit`` is on: a reader prints and stops in their bodies.

Lives here: how the steps are done. What the loops are when they are programs is in ``repetition.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from jaxnb.base.errors import ConcretizationTypeError
from jaxnb.engine.core.rules import primitives
from jaxnb.engine.core.trace import Tracer, shaped_aval
from jaxnb.engine.ops.joining import concatenate
from jaxnb.engine.ops.shape import expand_dims, squeeze
from jaxnb.engine.ops.slicing import slice_p
from jaxnb.xla import pytree

__all__ = ["fori_in_python", "scan_in_python", "while_in_python"]


def scan_in_python(
    f: Callable[[Any, Any], Any], init: Any, xs: Any, length: int, reverse: bool
) -> tuple[Any, Any]:
    """Returns the last carry and the stacked results of a scan.

    Args:
        f: a function of the carry and a row whose result is a pair.
        init: the first carry.
        xs: a tree of arrays ``[length, ...]``.
        length: how many steps.
        reverse: whether the last row comes first.

    Raises:
        ValueError: where there is no step: nothing tells of what type its results would be.
    """
    if not length:
        raise ValueError(
            "zero-length scan is not supported in disable_jit() mode because the output type is unknown."
        )
    rows, tree = pytree.flatten(xs)
    carry, results = init, []
    for i in reversed(range(length)) if reverse else range(length):
        carry, y = f(carry, pytree.unflatten(tree, [_row(x, i) for x in rows]))
        results.append(pytree.flatten(y))
    if reverse:
        results.reverse()
    columns = zip(*(leaves for leaves, _ in results), strict=True)
    return carry, pytree.unflatten(results[0][1], [_stack(column) for column in columns])


def _row(x: Any, i: int) -> Any:
    shape = shaped_aval(x).shape
    start, limit = (i, *(0,) * (len(shape) - 1)), (i + 1, *shape[1:])
    part = slice_p.bind(x, start_indices=start, limit_indices=limit, strides=(1,) * len(shape))
    return squeeze(part, (0,))


def _stack(values: Sequence[Any]) -> Any:
    return concatenate([expand_dims(v, (0,)) for v in values], 0)


def fori_in_python(lower: int, upper: int, body_fun: Callable[[Any, Any], Any], init_val: Any) -> Any:
    """Returns the last carry of a loop over indices."""
    val = init_val
    for i in range(lower, upper):
        val = body_fun(i, val)
    return val


def while_in_python(
    cond_fun: Callable[[Any], Any], body_fun: Callable[[Any], Any], init_val: Any
) -> tuple[bool, Any]:
    """Returns whether the loop could be run, which it cannot where its condition is traced, and its result."""
    leaves, tree = pytree.flatten(init_val)
    val = pytree.unflatten(
        tree, [x if isinstance(x, Tracer) else primitives["stage"].bind(x) for x in leaves]
    )
    try:
        while cond_fun(val):
            val = body_fun(val)
    except ConcretizationTypeError:
        return False, None
    return True, val
