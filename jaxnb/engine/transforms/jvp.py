"""Forward-mode differentiation: every value travels with its tangent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from jaxnb.engine.core.ad import Zero
from jaxnb.engine.core.avals import aval_makers
from jaxnb.engine.core.jaxpr import Jaxpr
from jaxnb.engine.core.rules import Composite, Undefined, instantiate_zeros, jvp_rule_of, jvp_rules
from jaxnb.engine.core.source import transform_name_stack
from jaxnb.engine.core.trace import (
    CustomCall,
    Trace,
    Tracer,
    concrete_value,
    set_current_trace,
    set_trace,
    shaped_aval,
    trace_context,
)
from jaxnb.engine.transforms.evaluate import eval_jaxpr
from jaxnb.engine.transforms.stage import trace_to_jaxpr

__all__ = ["JVPTrace", "JVPTracer", "TangentTracer", "jvp_flat", "jvp_jaxpr"]


class TangentTracer(Tracer):
    """A value and its tangent, whatever that is for the trace."""

    __slots__ = ("primal", "tangent")

    def __init__(self, trace: Trace, primal: Any, tangent: Any):
        self._trace = trace
        self.primal = primal
        self.tangent = tangent
        self.aval = shaped_aval(primal)

    def concrete(self) -> Any:
        return concrete_value(self.primal)


class JVPTracer(TangentTracer):
    """A value and its tangent."""

    __slots__ = ()

    def full_lower(self) -> Any:
        if type(self.tangent) is Zero:
            return self.primal.full_lower() if isinstance(self.primal, Tracer) else self.primal
        return self

    def __repr__(self) -> str:
        return f"JVPTracer(primal={self.primal}, tangent={self.tangent})"


aval_makers[JVPTracer] = lambda x: x.aval


class JVPTrace(Trace):
    """Applies jvp rules; what the rules do is handled by the trace around."""

    __slots__ = ("finished", "parent")

    def __init__(self, parent: Trace):
        self.parent = parent
        self.finished = False

    def pair(self, x: Any) -> tuple[Any, Any]:
        """Returns a value and its tangent."""
        if type(x) is JVPTracer and x._trace is self:
            return x.primal, x.tangent
        return x, Zero(shaped_aval(x).to_tangent_aval())

    def wrap(self, primal: Any, tangent: Any) -> Any:
        """Returns the tracer of a pair, or the bare value where its tangent is zero."""
        return primal if type(tangent) is Zero else JVPTracer(self, primal, tangent)

    def process(self, primitive: Any, args: Sequence[Any], params: dict[str, Any]) -> Any:
        primals, tangents = zip(*map(self.pair, args), strict=True) if args else ((), ())
        if all(type(t) is Zero for t in tangents):
            return self.parent.process(primitive, primals, params)
        rule = jvp_rule_of(primitive) if primitive in jvp_rules else None
        if rule is None or isinstance(rule, Undefined):
            raise _no_rule(primitive, rule)
        if type(rule) is Composite:
            with set_current_trace(self):
                return rule.fun(*args, **params)
        before = set_trace(self.parent)
        try:
            out, t_out = rule(primals, tangents, **params)
        finally:
            set_trace(before)
        if primitive.multiple_results:
            return [self.wrap(p, t) for p, t in zip(out, t_out, strict=True)]
        return self.wrap(out, t_out)

    def custom_jvp(self, call: CustomCall, args: Sequence[Any]) -> list[Any]:
        primals, tangents = zip(*map(self.pair, args), strict=True) if args else ((), ())
        with set_current_trace(self.parent):
            if all(type(t) is Zero for t in tangents):
                return trace_context.trace.custom_jvp(call, primals)
            assert call.jvp is not None
            ts = tangents if call.symbolic_zeros else [instantiate_zeros(t) for t in tangents]
            out, t_out = call.jvp(primals, ts)
        return [self.wrap(p, t) for p, t in zip(out, t_out, strict=True)]

    def custom_vjp(self, call: CustomCall, args: Sequence[Any]) -> list[Any]:
        primals, tangents = zip(*map(self.pair, args), strict=True) if args else ((), ())
        if all(type(t) is Zero for t in tangents):
            with set_current_trace(self.parent):
                return trace_context.trace.custom_vjp(call, primals)
        with set_current_trace(self.parent):
            assert call.fwd is not None
            residuals, out = call.fwd(*primals)
            full = [instantiate_zeros(t) for t in tangents]
            t_out = custom_vjp_tangents(
                call, residuals, full, [shaped_aval(o).to_tangent_aval() for o in out]
            )
        return [self.wrap(p, t) for p, t in zip(out, t_out, strict=True)]


custom_vjp_tangents: Any = None
"""Set by ``control.custom_rules``: the linear operation whose transpose is a function's own backward pass."""


def _no_rule(primitive: Any, rule: Any) -> Exception:
    return NotImplementedError(f"Differentiation rule for '{primitive}' not implemented")


def jvp_flat(
    fun: Callable[..., Sequence[Any]], primals: Sequence[Any], tangents: Sequence[Any]
) -> tuple[list[Any], list[Any]]:
    """Returns a flat function's results and their tangents (``Zero`` where they are known to be zero)."""
    parent = trace_context.trace
    trace = JVPTrace(parent)
    args = [trace.wrap(p, t) for p, t in zip(primals, tangents, strict=True)]
    with set_current_trace(trace), transform_name_stack("jvp"):
        out = fun(*args)
    trace.finished = True
    pairs = [trace.pair(o) for o in out]
    return [p for p, _ in pairs], [t for _, t in pairs]


def jvp_jaxpr(
    jaxpr: Jaxpr, nonzeros: Sequence[bool], instantiate: bool | Sequence[bool] = False
) -> tuple[Jaxpr, list[bool]]:
    """Returns the program of values and tangents, and which results have a tangent; remembered by program.

    Its parameters are the values, then the tangents that are not zero; its results likewise.
    """
    inst = tuple([instantiate] * len(jaxpr.outvars) if isinstance(instantiate, bool) else instantiate)
    key = ("jvp", tuple(nonzeros), inst)
    found = jaxpr._cache.get(key)
    if found is None:
        n = len(jaxpr.invars)
        nz_out: list[bool] = []

        def fun(*args: Any) -> list[Any]:
            ts = iter(args[n:])
            tangents = [
                next(ts) if nz else Zero(v.aval.to_tangent_aval())
                for nz, v in zip(key[1], jaxpr.invars, strict=True)
            ]
            trace = JVPTrace(trace_context.trace)
            ins = [trace.wrap(p, t) for p, t in zip(args[:n], tangents, strict=True)]
            with set_current_trace(trace):
                out = eval_jaxpr(jaxpr, (), *ins)
            trace.finished = True
            pairs = [trace.pair(o) for o in out]
            nz_out[:] = [type(t) is not Zero or i for (_, t), i in zip(pairs, inst, strict=True)]
            return [
                *[p for p, _ in pairs],
                *[instantiate_zeros(t) for (_, t), nz in zip(pairs, nz_out, strict=True) if nz],
            ]

        avals = [v.aval for v in jaxpr.invars]
        avals += [v.aval.to_tangent_aval() for v, nz in zip(jaxpr.invars, key[1], strict=True) if nz]
        new, consts = trace_to_jaxpr(fun, avals, jaxpr.debug_info, stage_all=True)
        assert not consts
        found = jaxpr._cache[key] = (new, nz_out)
    return found
