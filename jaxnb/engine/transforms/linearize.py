"""Linearisation: the values are computed now, the tangents' computation is recorded as a linear program.

Lives here: the trace that splits, and ``linearize_jaxpr``. The transposition of the linear program is in ``transpose.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from jaxnb.base import config
from jaxnb.engine.core.ad import Zero
from jaxnb.engine.core.avals import aval_makers
from jaxnb.engine.core.jaxpr import DebugInfo, Jaxpr, Literal
from jaxnb.engine.core.rules import (
    Composite,
    Undefined,
    instantiate_zeros,
    jvp_rule_of,
    jvp_rules,
    known_rules,
    linearize_rules,
    split_rules,
)
from jaxnb.engine.core.source import NameStack, capture, empty_name_stack, provenance, transform_name_stack
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
from jaxnb.engine.transforms import jvp as jvp_module
from jaxnb.engine.transforms.constants import is_captured_array
from jaxnb.engine.transforms.dce import dce_jaxpr
from jaxnb.engine.transforms.evaluate import eval_jaxpr
from jaxnb.engine.transforms.leaks import check_leaks
from jaxnb.engine.transforms.stage import StagedTracer, StageTrace
from jaxnb.xla.version import JAXLIB_VERSION

__all__ = [
    "LinearizeTrace",
    "LinearizeTracer",
    "LinearizedJaxpr",
    "SplitTrace",
    "linearize_flat",
    "linearize_jaxpr",
]


class LinearizeTracer(jvp_module.TangentTracer):
    """A value, and the variable of its tangent in the linear program."""

    __slots__ = ()

    def __repr__(self) -> str:
        return (
            f"GradTracer(primal={self.primal!s}, "
            f"typeof(tangent)={self.tangent.aval.str_short(short_dtypes=True)})"
        )


aval_makers[LinearizeTracer] = lambda x: x.aval


class SplitTrace(Trace):
    """Runs a jvp rule: what depends on a tangent is recorded in the linear program, the rest is handled around."""

    __slots__ = ("finished", "linear", "parent")

    def __init__(self, parent: Trace, linear: StageTrace):
        self.parent = parent
        self.linear = linear
        self.finished = False

    def _is_linear(self, x: Any) -> bool:
        return type(x) is StagedTracer and x._trace is self.linear

    def process(self, primitive: Any, args: Sequence[Any], params: dict[str, Any]) -> Any:
        linear = self.linear
        for x in args:
            if type(x) is StagedTracer and x._trace is linear:
                rule = split_rules.get(primitive)
                if rule is not None:
                    return rule(self, args, params)
                return linear.process(primitive, args, params)
        rule = known_rules.get(primitive)
        return self.parent.process(primitive, args, params) if rule is None else rule(self, args, params)

    def custom_jvp(self, call: CustomCall, args: Sequence[Any]) -> list[Any]:
        inside = self.linear if any(map(self._is_linear, args)) else self.parent
        with set_current_trace(inside):
            return inside.custom_jvp(call, args)

    def custom_vjp(self, call: CustomCall, args: Sequence[Any]) -> list[Any]:
        inside = self.linear if any(map(self._is_linear, args)) else self.parent
        with set_current_trace(inside):
            return inside.custom_vjp(call, args)


class LinearizeTrace(Trace):
    """Linearises each operation as it is applied."""

    __slots__ = ("finished", "linear", "parent", "split")

    checks_operands = JAXLIB_VERSION >= (0, 12)

    def __init__(self, parent: Trace, linear: StageTrace):
        self.parent = parent
        self.linear = linear
        self.split = SplitTrace(parent, linear)
        self.finished = False

    def pair(self, x: Any) -> tuple[Any, Any]:
        """Returns a value and the tracer of its tangent."""
        if type(x) is LinearizeTracer and x._trace is self:
            return x.primal, x.tangent
        return x, Zero(shaped_aval(x).to_tangent_aval())

    def wrap(self, primal: Any, tangent: Any) -> Any:
        """Returns the tracer of a pair, or the bare value where its tangent is zero."""
        return primal if type(tangent) is Zero else LinearizeTracer(self, primal, tangent)

    def process(self, primitive: Any, args: Sequence[Any], params: dict[str, Any]) -> Any:
        primals: list[Any] = []
        tangents: list[Any] = []
        active = False
        for x in args:
            if type(x) is LinearizeTracer and x._trace is self:
                primals.append(x.primal)
                tangents.append(x.tangent)
                active = True
            else:
                primals.append(x)
                tangents.append(None)
        if not active:
            return self.parent.process(primitive, args, params)
        for i, t in enumerate(tangents):
            if t is None:
                tangents[i] = Zero(shaped_aval(primals[i]).to_tangent_aval())
        p = provenance
        tb = p.traceback
        if tb is None:
            # One capture serves the value's equation and the tangent's equations.
            p.traceback = capture()
        try:
            rule = linearize_rules.get(primitive)
            if rule is not None:
                out, t_out = rule(self, primals, tangents, params)
            else:
                rule = jvp_rule_of(primitive) if primitive in jvp_rules else None
                if rule is None or isinstance(rule, Undefined):
                    raise jvp_module._no_rule(primitive, rule)
                if type(rule) is Composite:
                    with set_current_trace(self):
                        return rule.fun(*args, **params)
                before = set_trace(self.split)
                try:
                    out, t_out = rule(primals, tangents, **params)
                finally:
                    set_trace(before)
        finally:
            p.traceback = tb
        if primitive.multiple_results:
            return [self.wrap(o, self._linear(t)) for o, t in zip(out, t_out, strict=True)]
        return self.wrap(out, self._linear(t_out))

    def _linear(self, t: Any) -> Any:
        """Returns a tangent as a tracer of the linear program."""
        if type(t) is Zero or (type(t) is StagedTracer and t._trace is self.linear):
            return t
        return StagedTracer(self.linear, self.linear.atom(t), shaped_aval(t), None)

    def custom_jvp(self, call: CustomCall, args: Sequence[Any]) -> list[Any]:
        primals, tangents = zip(*map(self.pair, args), strict=True) if args else ((), ())
        if all(type(t) is Zero for t in tangents):
            with set_current_trace(self.parent):
                return self.parent.custom_jvp(call, primals)
        assert call.jvp is not None
        with set_current_trace(self.split):
            ts = tangents if call.symbolic_zeros else [instantiate_zeros(t) for t in tangents]
            out, t_out = call.jvp(primals, ts)
        return [self.wrap(o, self._linear(t)) for o, t in zip(out, t_out, strict=True)]

    def custom_vjp(self, call: CustomCall, args: Sequence[Any]) -> list[Any]:
        primals, tangents = zip(*map(self.pair, args), strict=True) if args else ((), ())
        if all(type(t) is Zero for t in tangents):
            with set_current_trace(self.parent):
                return self.parent.custom_vjp(call, primals)
        assert call.fwd is not None
        with set_current_trace(self.parent):
            residuals, out = call.fwd(*primals)
        with set_current_trace(self.linear):
            full = [instantiate_zeros(t) for t in tangents]
            avals = [shaped_aval(o).to_tangent_aval() for o in out]
            t_out = jvp_module.custom_vjp_tangents(call, residuals, full, avals)
        return [self.wrap(o, self._linear(t)) for o, t in zip(out, t_out, strict=True)]


def linearize_flat(
    fun: Callable[..., Sequence[Any]],
    primals: Sequence[Any],
    nonzeros: Sequence[bool],
    debug_info: DebugInfo | None = None,
) -> tuple[list[Any], list[bool], Jaxpr, list[Any]]:
    """Returns a flat function's results, which have a tangent, the linear program and its constants' values.

    The linear program's parameters are the nonzero tangents; its results are the nonzero tangents of the results.
    """
    parent = trace_context.trace
    linear = StageTrace(debug_info)
    linear.keeps_calls = True
    linear.opens_constants = True
    trace = LinearizeTrace(parent, linear)
    args = [
        LinearizeTracer(trace, p, linear.new_arg(shaped_aval(p).to_tangent_aval())) if nz else p
        for p, nz in zip(primals, nonzeros, strict=True)
    ]
    with set_current_trace(trace), transform_name_stack("jvp"):
        out = fun(*args)
    trace.finished = True
    pairs = [trace.pair(o) for o in out]
    if config.check_tracer_leaks.value and JAXLIB_VERSION >= (0, 12):  # older JAX does not look here
        del args, out
        check_leaks(trace, "LinearizeTrace")
    nz_out = [type(t) is not Zero for _, t in pairs]
    jaxpr, consts = _needed(*linear.to_jaxpr([t for _, t in pairs if type(t) is not Zero]))
    n = len(consts)
    jaxpr = jaxpr.replace(constvars=jaxpr.invars[:n], invars=jaxpr.invars[n:])
    _name_from(jaxpr, provenance.name_stack)
    return [p for p, _ in pairs], nz_out, jaxpr, consts


def _name_from(jaxpr: Jaxpr, base: NameStack) -> None:
    """Names a new program's equations from inside ``base``: whoever evaluates it is in ``base``, too."""
    if base.entries:
        for eqn in jaxpr.eqns:
            info = eqn.source_info
            eqn.source_info = info._replace(name_stack=info.name_stack.without(base))


def _needed(jaxpr: Jaxpr, consts: Sequence[Any]) -> tuple[Jaxpr, list[Any]]:
    """Returns a linear program without dead code, its constants as first parameters, and those that it still needs."""
    jaxpr = jaxpr.replace(constvars=[], invars=[*jaxpr.constvars, *jaxpr.invars])
    keep = [False] * len(consts) + [True] * (len(jaxpr.invars) - len(consts))
    jaxpr, used = dce_jaxpr(jaxpr, [True] * len(jaxpr.outvars), keep)
    return jaxpr, [c for c, u in zip(consts, used, strict=False) if u]


class LinearizedJaxpr(NamedTuple):
    """A program split in two: values with residuals, and the linear program of tangents."""

    primal: Jaxpr
    """Its results are the program's, then the residuals that are neither a parameter nor a result."""
    residuals: tuple[tuple[str, Any], ...]
    """Where each residual is found: ``("in", i)``, ``("out", i)`` among the results of ``primal``, ``("value", x)``."""
    nonzeros_out: tuple[bool, ...]
    tangent: Jaxpr
    """Its parameters are the residuals, then the nonzero tangents."""


def linearize_jaxpr(
    jaxpr: Jaxpr, nonzeros: Sequence[bool], instantiate: Sequence[bool] | None = None
) -> LinearizedJaxpr:
    """Returns a program split for linearisation; remembered by program.

    Args:
        jaxpr: the program.
        nonzeros: which parameters have a tangent.
        instantiate: results that get a tangent even where it is zero.
    """
    key = ("linearize", tuple(nonzeros), None if instantiate is None else tuple(instantiate))
    found = jaxpr._cache.get(key)
    if found is None:
        found = jaxpr._cache[key] = _linearize_jaxpr(jaxpr, key[1], key[2])
    return found


def _linearize_jaxpr(
    jaxpr: Jaxpr, nonzeros: tuple[bool, ...], instantiate: tuple[bool, ...] | None
) -> LinearizedJaxpr:
    primal_trace = StageTrace(jaxpr.debug_info)
    ins = [primal_trace.new_arg(v.aval) for v in jaxpr.invars]
    linear = StageTrace(jaxpr.debug_info)
    linear.keeps_calls = True
    linear.opens_constants = True
    trace = LinearizeTrace(primal_trace, linear)
    args = [
        LinearizeTracer(trace, x, linear.new_arg(x.aval.to_tangent_aval())) if nz else x
        for x, nz in zip(ins, nonzeros, strict=True)
    ]
    p = provenance
    saved = p.traceback, p.name_stack
    p.traceback, p.name_stack = None, empty_name_stack
    with set_current_trace(trace):
        try:
            out = eval_jaxpr(jaxpr, (), *args)
        finally:
            p.traceback, p.name_stack = saved
    trace.finished = True
    pairs = [trace.pair(o) for o in out]
    if instantiate is not None:
        with set_current_trace(primal_trace):
            pairs = [
                (o, instantiate_zeros(t) if i else t) for (o, t), i in zip(pairs, instantiate, strict=True)
            ]
    nz_out = tuple(type(t) is not Zero for _, t in pairs)
    tangent, consts = _needed(*linear.to_jaxpr([t for _, t in pairs if type(t) is not Zero]))
    primal, where = with_residuals(primal_trace, [o for o, _ in pairs], consts)
    primal, _ = dce_jaxpr(primal, [True] * len(primal.outvars), True)  # what only dead tangents needed
    return LinearizedJaxpr(primal, where, nz_out, tangent)


def with_residuals(
    trace: StageTrace, outs: Sequence[Any], residuals: Sequence[Any]
) -> tuple[Jaxpr, tuple[tuple[str, Any], ...]]:
    """Returns the recorded program with residuals among its results, and where each residual is found.

    A residual that is a parameter or a result already is not returned once more; with constants kept the older way, a
    captured array is not returned either.
    """
    parameters = {v: i for i, v in enumerate(trace.invars)}
    places: dict[Any, int] = {}
    for i, x in enumerate(outs):
        atom = trace.atom(x)
        if type(atom) is not Literal:
            places.setdefault(atom, i)
    where: list[tuple[str, Any]] = []
    extra: list[Any] = []
    for r in residuals:
        if not config.use_simplified_jaxpr_constants.value and is_captured_array(r):
            where.append(("value", r))
            continue
        atom = trace.atom(r)
        if atom in parameters:
            where.append(("in", parameters[atom]))
            continue
        if atom not in places:
            places[atom] = len(outs) + len(extra)
            extra.append(r)
        where.append(("out", places[atom]))
    jaxpr, consts = trace.to_jaxpr([*outs, *extra])
    assert not consts
    return jaxpr, tuple(where)
