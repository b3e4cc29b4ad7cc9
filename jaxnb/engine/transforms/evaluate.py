"""Evaluating a jaxpr: applying its equations one after the other under the current trace."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from jaxnb.engine.core.jaxpr import ClosedJaxpr, Jaxpr, Literal
from jaxnb.engine.core.source import empty_name_stack, provenance
from jaxnb.engine.core.trace import trace_context

__all__ = ["eval_jaxpr", "jaxpr_as_fun", "rebind_rules"]

rebind_rules: dict[Any, Callable[..., Any]] = {}
"""Primitives whose equations stand for a call that the trace handles its own way: ``(args, params) -> results``."""


def eval_jaxpr(
    jaxpr: Jaxpr, consts: Sequence[Any], *args: Any, propagate_source_info: bool = True
) -> list[Any]:
    """Returns the results of a program applied to values or tracers.

    Args:
        jaxpr: the program.
        consts: the values of its constants' variables.
        args: one value a parameter.
        propagate_source_info: whether equations staged meanwhile keep the provenance of the ones they come from.

    Raises:
        ValueError: where the number of arguments is wrong.
    """
    env: dict[Any, Any] = {}
    for names, values in ((jaxpr.constvars, consts), (jaxpr.invars, args)):
        if len(names) != len(values):
            longer = "longer" if len(values) > len(names) else "shorter"
            raise ValueError(f"foreach() argument 2 is {longer} than argument 1")
        env.update(zip(names, values, strict=True))
    p = provenance
    saved = p.traceback, p.name_stack
    base = p.name_stack
    try:
        for eqn in jaxpr.eqns:
            vals = [a.val if type(a) is Literal else env[a] for a in eqn.invars]
            if propagate_source_info:
                info = eqn.source_info
                p.traceback = info.traceback
                p.name_stack = base if info.name_stack is empty_name_stack else base + info.name_stack
            rebind = rebind_rules.get(eqn.primitive)
            if rebind is not None:
                out = rebind(vals, eqn.params)
            else:
                out = trace_context.trace.process(eqn.primitive, vals, eqn.params)
            if eqn.primitive.multiple_results:
                env.update(zip(eqn.outvars, out, strict=True))
            else:
                env[eqn.outvars[0]] = out
    finally:
        p.traceback, p.name_stack = saved
    return [a.val if type(a) is Literal else env[a] for a in jaxpr.outvars]


def jaxpr_as_fun(closed_jaxpr: ClosedJaxpr, *args: Any) -> Any:
    """Returns the function that applies a program to flat arguments; called with them too, its results.

    Args:
        closed_jaxpr: the program with its constants.
        args: one value a parameter.
    """
    if not args:
        return functools.partial(_apply, closed_jaxpr)
    return _apply(closed_jaxpr, *args)


def _apply(closed_jaxpr: ClosedJaxpr, *args: Any) -> list[Any]:
    return eval_jaxpr(closed_jaxpr.jaxpr, closed_jaxpr.consts, *args)


_apply.__name__ = _apply.__qualname__ = "jaxpr_as_fun"  # what programs made of the function are called
