"""The functions that branches and loops are given, traced to programs.

Lives here: tracing with its cache, and how values that the functions close over become operands.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from jaxnb.engine.core.argument_names import argument_names
from jaxnb.engine.core.avals import AbstractValue, get_aval
from jaxnb.engine.core.functions import fun_name, fun_parameters, fun_src_info
from jaxnb.engine.core.jaxpr import DebugInfo, Jaxpr, Literal, Var
from jaxnb.engine.core.trace import Tracer, shaped_aval, trace_context
from jaxnb.engine.transforms.stage import trace_to_jaxpr
from jaxnb.xla import pytree
from jaxnb.xla.state import trace_context as settings_context

__all__ = [
    "Body",
    "avals_of",
    "body_info",
    "forget_bodies",
    "forwarded_results",
    "join_consts",
    "trace_body",
    "with_const_invars",
]


class Body(NamedTuple):
    """A traced function."""

    jaxpr: Jaxpr
    """Values that the function closed over are its constants' variables."""
    consts: list[Any]
    out_tree: Any
    debug: DebugInfo


_traced: weakref.WeakKeyDictionary[Any, dict[Any, Body]] = weakref.WeakKeyDictionary()


def forget_bodies() -> None:
    """Forgets all traced bodies."""
    _traced.clear()


def avals_of(values: Sequence[Any]) -> list[AbstractValue]:
    """Returns the types of values and tracers.

    Raises:
        TypeError: where one of them is no array.
    """
    return [x.aval if isinstance(x, Tracer) else get_aval(x) for x in values]


def body_info(fun: Callable[..., Any], traced_for: str, in_tree: Any) -> DebugInfo:
    """Returns what messages say of a function and of its arguments' leaves.

    Args:
        fun: the function.
        traced_for: the user's function that it was given to.
        in_tree: the structure of its positional arguments.
    """
    args = pytree.unflatten(in_tree, list(range(in_tree.num_leaves)))
    names = argument_names(fun_parameters(fun), args, {})
    return DebugInfo(traced_for, fun_src_info(fun), fun_name(fun), names)


def trace_body(
    fun: Callable[..., Any],
    traced_for: str,
    in_tree: Any,
    in_avals: Sequence[AbstractValue],
    info: Callable[[], DebugInfo] | None = None,
) -> Body:
    """Returns a function of trees as a program; remembered by function where it closes over no value.

    Args:
        fun: the function.
        traced_for: the user's function that it was given to.
        in_tree: the structure of its positional arguments.
        in_avals: the types of their leaves.
        info: makes what messages say of the function, where that is not what they say of ``fun``.

    Raises:
        TypeError: where a result is no array.
    """
    key = (
        traced_for,
        in_tree,
        tuple(in_avals),
        settings_context(),
        tuple(trace_context.axis_env.items()),
    )
    try:
        known = _traced.get(fun)
        if known is None:
            known = _traced[fun] = {}
    except TypeError:  # a function that cannot be hashed or weakly referenced
        known = {}
    found = known.get(key)
    if found is None:
        debug = body_info(fun, traced_for, in_tree) if info is None else info()
        found = _trace(fun, debug, in_tree, in_avals)
        if not found.consts:
            known[key] = found
    return found


def _trace(
    fun: Callable[..., Any], debug: DebugInfo, in_tree: Any, in_avals: Sequence[AbstractValue]
) -> Body:
    out_tree: list[Any] = []

    def flat(*leaves: Any) -> list[Any]:
        out = fun(*pytree.unflatten(in_tree, leaves))
        flat_out, tree = pytree.flatten(out)
        out_tree.append(tree)
        for i, x in enumerate(flat_out):
            if not isinstance(x, Tracer):
                _check_result(x, i, out, debug)
        return flat_out

    jaxpr, consts = trace_to_jaxpr(flat, in_avals, debug, keep_constants=True)
    return Body(jaxpr, consts, out_tree[0], debug)


def _check_result(x: Any, i: int, out: Any, debug: DebugInfo) -> None:
    try:
        get_aval(x)
    except TypeError:
        path = pytree.flatten_with_path(out)[0][i][0]
        where = f" at output component {pytree.keystr(path)}" if path else ""
        raise TypeError(
            f"function {debug.func_src_info} traced for {debug.traced_for} returned a value of type {type(x)}{where}, "
            "which is not a valid JAX type"
        ) from None


def with_const_invars(jaxpr: Jaxpr) -> Jaxpr:
    """Returns the program with its constants' variables as its first parameters."""
    if not jaxpr.constvars:
        return jaxpr
    return jaxpr.replace(constvars=[], invars=[*jaxpr.constvars, *jaxpr.invars])


def join_consts(bodies: Sequence[Body]) -> tuple[list[Jaxpr], list[Any]]:
    """Returns the programs with the same first parameters: all values that any of them closes over, each once."""
    joint: dict[int, Any] = {}
    for body in bodies:
        joint.update((id(c), c) for c in body.consts)
    if not joint:
        return [b.jaxpr for b in bodies], []
    return [_spread_consts(b, joint) for b in bodies], list(joint.values())


def _spread_consts(body: Body, joint: dict[int, Any]) -> Jaxpr:
    own = {id(c): v for c, v in zip(body.consts, body.jaxpr.constvars, strict=True)}
    variables = [own[i] if i in own else Var(shaped_aval(c)) for i, c in joint.items()]
    return body.jaxpr.replace(constvars=[], invars=[*variables, *body.jaxpr.invars])


def forwarded_results(jaxpr: Jaxpr) -> list[int | None]:
    """Returns for each result the parameter that it is, or None."""
    places = {v: i for i, v in enumerate(jaxpr.invars)}
    return [None if type(v) is Literal else places.get(v) for v in jaxpr.outvars]  # pyright: ignore[reportArgumentType]
