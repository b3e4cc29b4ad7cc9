"""Looking at where a value lies: on its devices now, or as a program that is being lowered will keep it.

Lives here: the primitive and the function that users call. How a sharding is drawn is in ``api/pictures.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jaxnb.engine.core.effects import debug_effect
from jaxnb.engine.core.rules import Undefined, define
from jaxnb.xla import pytree
from jaxnb.xla.array import replicated_sharding
from jaxnb.xla.mlir import ir

__all__ = ["inspect_array_sharding", "inspect_sharding_p"]


def _look(value: Any, *, callback: Callable[[Any], None]) -> list[Any]:
    callback(value.sharding)
    return []


def _lower(ctx: Any, value: Any, *, callback: Callable[[Any], None]) -> list[Any]:
    inspect = ctx.module.inspect
    if inspect is None:
        callback(replicated_sharding())  # one device holds everything, and no operation is needed to see that
        return []
    key = inspect(callback, len(ctx.avals_in[0].shape))
    attributes = {
        "call_target_name": ir.StringAttr.get("InspectSharding"),
        "has_side_effect": ir.BoolAttr.get(True),
        "backend_config": ir.StringAttr.get(key),
    }
    ir.Operation.create(
        "stablehlo.custom_call", results=[value.type], operands=[value], attributes=attributes
    )
    return []


def _jvp(primals: Any, tangents: Any, *, callback: Callable[[Any], None]) -> tuple[list[Any], list[Any]]:
    inspect_sharding_p.bind(*primals, callback=callback)
    return [], []


def _batch(args: Any, dims: Any, *, callback: Callable[[Any], None]) -> tuple[list[Any], list[Any]]:
    inspect_sharding_p.bind(*args, callback=callback)
    return [], []


inspect_sharding_p = define(
    "inspect_sharding",
    abstract=lambda aval, **_: [],
    lower=_lower,
    jvp=_jvp,
    transpose=Undefined("it has no results, so nothing flows back through it"),
    batch=_batch,
    multiple_results=True,
    impl=_look,
    effects=lambda aval, **_: {debug_effect},
    doc="shows a Python function where a value lies",
)


def inspect_array_sharding(value: Any, *, callback: Callable[[Any], None]) -> None:
    """Calls ``callback`` with the sharding of each array: at once, or, in a compiled function, when it is lowered.

    Args:
        value: an array or a tree of arrays.
        callback: a function of a sharding; its result is ignored.

    Raises:
        AttributeError: where a value outside of a traced function is no array on a device.
    """
    for leaf in pytree.flatten(value)[0]:
        inspect_sharding_p.bind(leaf, callback=callback)
