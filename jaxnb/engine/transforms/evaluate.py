"""Evaluating a jaxpr: applying its equations one after the other under the current trace."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from jaxnb.engine.core.jaxpr import Jaxpr, Literal
from jaxnb.engine.core.source import empty_name_stack, provenance
from jaxnb.engine.core.trace import trace_context

__all__ = ["eval_jaxpr", "rebind_rules"]

rebind_rules: dict[Any, Callable[..., Any]] = {}
"""Primitives whose equations stand for a call that the trace handles its own way: ``(args, params) -> results``."""


def eval_jaxpr(jaxpr: Jaxpr, consts: Sequence[Any], *args: Any, propagate_source: bool = True) -> list[Any]:
    """Returns the results of a program applied to values or tracers.

    Args:
        jaxpr: the program.
        consts: the values of its constants' variables.
        args: one value a parameter.
        propagate_source: whether equations staged meanwhile keep the provenance of the ones they come from.

    Raises:
        ValueError: where the number of arguments is wrong.
    """
    env: dict[Any, Any] = dict(zip(jaxpr.constvars, consts, strict=True))
    env.update(zip(jaxpr.invars, args, strict=True))
    p = provenance
    saved = p.traceback, p.name_stack
    base = p.name_stack
    try:
        for eqn in jaxpr.eqns:
            vals = [a.val if type(a) is Literal else env[a] for a in eqn.invars]
            if propagate_source:
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
