"""Calls that lowering rules written as programs make: named functions of the module, and whole programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from jaxnb.engine.control.jit_call import jit_p, jit_params
from jaxnb.engine.core.jaxpr import ClosedJaxpr
from jaxnb.engine.core.rules import Undefined, define
from jaxnb.engine.core.trace import shaped_aval
from jaxnb.engine.ops.locations import copied_context
from jaxnb.engine.transforms.stage import trace_to_jaxpr

__all__ = ["call_named", "closed_call_p", "eval_jaxpr_p"]

_named: dict[Any, Any] = {}


def call_named(name: str, fun: Callable[..., Sequence[Any]], *args: Any) -> list[Any]:
    """Returns the results of a function of flat values, called as a jitted function of that name.

    Args:
        name: the function's name in the program.
        fun: a function that closes over nothing; its program is remembered.
        args: its arguments.
    """
    avals = tuple(map(shaped_aval, args))
    key = (name, fun, avals)
    jaxpr = _named.get(key)
    if jaxpr is None:
        jaxpr, consts = trace_to_jaxpr(fun, avals)
        assert not consts
        if len(_named) >= 4096:
            _named.clear()
        _named[key] = jaxpr
    return jit_p.bind(*args, **jit_params(jaxpr, name))


_only_lowered = Undefined("it stands only in lowering rules, after all transformations")

closed_call_p = define(
    "closed_call",
    abstract=lambda *avals, call_jaxpr: call_jaxpr.out_avals,
    lower=lambda ctx, *values, call_jaxpr: _lower(ctx, call_jaxpr, values),
    jvp=_only_lowered,
    transpose=_only_lowered,
    batch=_only_lowered,
    multiple_results=True,
    effects=lambda *avals, call_jaxpr: call_jaxpr.effects,
    doc="calls a program",
)


def _lower(ctx: Any, jaxpr: ClosedJaxpr, values: Sequence[Any]) -> list[Any]:
    return ctx.module.lower_call(ctx, "closed_call", jaxpr.jaxpr, values)


eval_jaxpr_p = define(
    "eval_jaxpr",
    abstract=lambda *avals, call_jaxpr: call_jaxpr.out_avals,
    lower=lambda ctx, *values, call_jaxpr: copied_context(ctx).lower_jaxpr(call_jaxpr, *values),
    jvp=_only_lowered,
    transpose=_only_lowered,
    batch=_only_lowered,
    multiple_results=True,
    effects=lambda *avals, call_jaxpr: call_jaxpr.effects,
    doc="a program that is written where it is called",
)
