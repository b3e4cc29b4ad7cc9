"""Staging: running a function on tracers that record every operation into a jaxpr.

Lives here: the trace that records, its tracers, and ``trace_to_jaxpr``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from jaxnb.base import config
from jaxnb.base.errors import UnexpectedTracerError, leaked_tracer_text
from jaxnb.engine.core import source
from jaxnb.engine.core.avals import AbstractValue, aval_makers, get_aval
from jaxnb.engine.core.jaxpr import (
    Atom,
    DebugInfo,
    Jaxpr,
    JaxprEqn,
    Literal,
    Var,
    eqn_ids,
    no_effects,
)
from jaxnb.engine.core.primitive import Primitive
from jaxnb.engine.core.source import SourceInfo, capture, provenance
from jaxnb.engine.core.trace import Trace, Tracer, set_trace, trace_context
from jaxnb.engine.ops.shape import broadcast_in_dim_p
from jaxnb.engine.ops.staging import stage_p
from jaxnb.engine.transforms.constants import is_captured_array
from jaxnb.engine.transforms.dependent import DependentTrace, note_staged
from jaxnb.engine.transforms.leaks import check_leaks
from jaxnb.xla import traceback as tb_door

__all__ = ["StageTrace", "StagedTracer", "trace_rule", "trace_to_jaxpr"]

next_id = eqn_ids.__next__


class StagedTracer(Tracer):
    """A value that exists only as a variable of the jaxpr being recorded."""

    __slots__ = ("atom", "made")

    def __init__(self, trace: StageTrace, atom: Atom, aval: AbstractValue, made: SourceInfo | None):
        self._trace = trace
        self.atom = atom
        self.aval = aval
        self.made = made

    def _origin_msg(self) -> str:
        return cast(StageTrace, self._trace).origin_of(self)

    def _leaked_error(self) -> Exception:
        trace: StageTrace = self._trace  # pyright: ignore[reportAssignmentType]
        info = trace.debug_info
        name = f"{info.func_src_info} traced for {info.traced_for}" if info else None
        frames = source.user_frames(self.made.traceback) if self.made else []
        lines = [f"{f.file}:{f.line}:{f.col_start} ({f.function})" for f in frames]
        error = UnexpectedTracerError(
            leaked_tracer_text(
                self.aval.str_short(),
                "DynamicJaxprTracer",
                name,
                lines,
                config.tracer_error_num_traceback_frames.value,
            )
        )
        error.tracer = self
        return error

    def __repr__(self) -> str:
        return f"JitTracer({self.aval})"


# JAX's name, which Python's own errors show
StagedTracer.__name__ = StagedTracer.__qualname__ = "DynamicJaxprTracer"


aval_makers[StagedTracer] = lambda x: x.aval


class StageTrace(Trace):
    """Records equations. One is made for each jaxpr."""

    __slots__ = (
        "constants",
        "constvars",
        "debug_info",
        "effects",
        "eqns",
        "finished",
        "invars",
        "keeps_calls",
        "keeps_repeats",
        "opens_constants",
    )

    stages = True

    def __init__(self, debug_info: DebugInfo | None = None):
        self.eqns: list[JaxprEqn] = []
        self.invars: list[Var] = []
        self.constvars: dict[int, tuple[Var, Any]] = {}
        self.constants: dict[int, Literal] = {}
        self.effects: frozenset = no_effects
        self.debug_info = debug_info
        self.finished = False
        self.keeps_repeats = False
        self.keeps_calls = False
        self.opens_constants = False

    def new_arg(self, aval: AbstractValue) -> StagedTracer:
        """Returns the tracer of a new parameter."""
        var = Var(aval)
        self.invars.append(var)
        return StagedTracer(self, var, aval, None)

    def atom(self, x: Any) -> Atom:
        """Returns the atom that stands for ``x`` here; a foreign value becomes a constant."""
        if isinstance(x, Tracer):
            if x._trace is self:
                return cast(StagedTracer, x).atom
            return self.foreign(x)
        if self.opens_constants and is_captured_array(x):
            return self.constant(x)
        if self.keeps_repeats and getattr(x, "ndim", 0) > 0 and x.size:
            return self.repeated(x)
        return self.literal(x)

    def repeated(self, x: Any) -> Atom:
        """Returns a constant; one whose elements are all equal is staged as a scalar's broadcast."""
        host = np.asarray(x)
        first = host.reshape(-1)[0]
        if not (host == first).all():
            return self.literal(x)
        note_staged(x)
        params = {"shape": host.shape, "broadcast_dimensions": (), "sharding": None}
        return cast(StagedTracer, self.process(broadcast_in_dim_p, [first], params)).atom

    def foreign(self, x: Tracer) -> Atom:
        """Returns the constant's variable of a tracer from outside; that its trace has ended is told of where it is run."""
        if self.finished or (x._trace.finished and x._trace.checks_operands):
            raise x._leaked_error()
        return self.constant(x)

    def constant(self, x: Any) -> Atom:
        """Returns the constant's variable of a value from outside."""
        found = self.constvars.get(id(x))
        if found is None:
            found = self.constvars[id(x)] = (Var(get_aval(x)), x)
        return found[0]

    def literal(self, x: Any) -> Literal:
        """Returns ``x`` as a literal; an array keeps its identity, so that it is hoisted once."""
        kind = type(x)
        if kind is float or kind is int or kind is bool:
            return Literal(x, get_aval(x))
        found = self.constants.get(id(x))
        if found is not None:
            return found
        aval = get_aval(x)
        val = x
        if getattr(x, "ndim", None) == 0 and isinstance(x, np.generic | np.ndarray):
            val = np.asarray(x, aval.dtype)[()]
        elif isinstance(x, np.ndarray) and x.dtype != aval.dtype and x.dtype.names is None:
            val = x.astype(aval.dtype)
        elif hasattr(x, "__jax_array__"):
            return self.literal(x.__jax_array__())  # pyright: ignore[reportAttributeAccessIssue]
        lit = Literal(val, aval)
        if aval.shape:
            self.constants[id(x)] = lit
        return lit

    def process(self, primitive: Primitive, args: Sequence[Any], params: dict[str, Any]) -> Any:
        """Appends one equation and returns the tracers of its results; a host value that is staged stays a literal."""
        if primitive is stage_p:
            atom = self.atom(args[0])
            return StagedTracer(self, atom, atom.aval, None)
        if primitive.staging is not None:
            staged = primitive.staging(self, args, params)
            if staged is not NotImplemented:
                return staged
        atoms: list[Any] = []
        for x in args:
            if type(x) is StagedTracer and x._trace is self:
                atoms.append(x.atom)
            else:
                atoms.append(self.atom(x))
        avals = tuple([a.aval for a in atoms])
        out = primitive.abstract_eval(avals, params)
        p = provenance
        tb = p.traceback
        info = SourceInfo(capture() if tb is None else tb, p.name_stack)
        if primitive.effects is not None:
            effects = frozenset(primitive.effects(*avals, **params))
            self.effects |= effects
        else:
            effects = no_effects
        if primitive.multiple_results:
            outvars = [Var(a) for a in out]
            self.eqns.append(JaxprEqn(atoms, outvars, primitive, params, effects, info, next_id()))
            return [StagedTracer(self, v, v.aval, info) for v in outvars]
        var = Var(out)
        self.eqns.append(JaxprEqn(atoms, [var], primitive, params, effects, info, next_id()))
        return StagedTracer(self, var, out, info)

    def to_jaxpr(self, out: Sequence[Any], debug_info: DebugInfo | None = None) -> tuple[Jaxpr, list[Any]]:
        """Returns the recorded program with these results, and the values of its constants' variables."""
        outvars = [
            self.constant(x)
            if isinstance(x, Tracer) and x._trace is not self and not self.finished
            else self.atom(x)
            for x in out
        ]
        self.finished = True
        pairs = list(self.constvars.values())
        jaxpr = Jaxpr(
            [v for v, _ in pairs],
            self.invars,
            outvars,
            self.eqns,
            self.effects,
            debug_info or self.debug_info,
        )
        return jaxpr, [c for _, c in pairs]

    def origin_of(self, tracer: StagedTracer) -> str:
        """Returns the sentence that says on which arguments a value depends, or what took constants in."""
        info = self.debug_info
        if info is None:
            return ""
        # Of a trace that has ended, JAX remembers no operations.
        needed = {tracer.atom} if self.finished else self._ancestors(tracer.atom)
        msg = f"\nThe error occurred while tracing the function {info.func_src_info} for {info.traced_for}. "
        names = [
            n for v, n in zip(self.invars, info.arg_names, strict=False) if v in needed and n is not None
        ]
        if names:
            if len(names) == 1:
                which = f"the value of the argument {names[0]}"
            elif len(names) == 2:
                which = f"the values of the arguments {names[0]} and {names[1]}"
            else:
                which = f"the values of the arguments {', '.join(names[:-1])}, and {names[-1]}"
            return msg + f"This concrete value was not available in Python because it depends on {which}."
        operations = (
            [] if self.finished else [eqn for eqn in self.eqns if any(type(a) is Literal for a in eqn.invars)]
        )
        if operations:
            lines = [
                f"  operation {eqn!r}\n    from line {source.summarize(eqn.source_info)}"
                for eqn in operations[:5]
            ]
            more = "" if len(operations) <= 5 else "\n\n(Additional originating lines are not shown.)"
            return (
                msg
                + "This value became a tracer due to JAX operations on these lines:\n\n"
                + "\n\n".join(lines)
                + more
            )
        return msg

    def _ancestors(self, atom: Atom) -> set[Any]:
        needed: set[Any] = {atom}
        for eqn in reversed(self.eqns):
            if any(v in needed for v in eqn.outvars):
                needed.update(a for a in eqn.invars if type(a) is not Literal)
        return needed


def trace_to_jaxpr(
    fun: Callable[..., Sequence[Any]],
    in_avals: Sequence[AbstractValue],
    debug_info: DebugInfo | None = None,
    stage_all: bool = False,
    keep_constants: bool = False,
) -> tuple[Jaxpr, list[Any]]:
    """Returns the jaxpr of a function of flat arguments with flat results, and its constants.

    Args:
        fun: takes one tracer an argument and returns a list of values.
        in_avals: the arguments' types.
        debug_info: what messages say of the function.
        stage_all: whether everything is recorded even while omnistaging is off, as where a program is made of another.
        keep_constants: whether captured arrays become constants' variables where the setting asks for the older way.

    Raises:
        UnexpectedTracerError: where the function uses a tracer of a trace that has ended.
    """
    trace = StageTrace(debug_info)
    trace.opens_constants = keep_constants and not config.use_simplified_jaxpr_constants.value
    args = [trace.new_arg(a) for a in in_avals]
    if stage_all or config.omnistaging.value:
        before = set_trace(trace)
    else:
        trace.keeps_repeats = True
        before = set_trace(DependentTrace(trace, trace_context.trace))
    p = provenance
    saved = p.traceback, p.name_stack
    p.traceback = source.rule_traceback if p.traceback is source.rule_traceback else None
    p.name_stack = source.empty_name_stack
    try:
        # A program may be used from many places: what its equations say of their origin begins with it, not with a caller.
        with tb_door.Scope():
            out = fun(*args)
        jaxpr, consts = trace.to_jaxpr(out)
    except Exception as error:
        # What was recorded so far stays with the error, the innermost program first: it says how the error came about.
        error.__dict__.setdefault("partial_traces", []).append(trace)
        raise
    finally:
        p.traceback, p.name_stack = saved
        set_trace(before)
    if config.check_tracer_leaks.value:
        del args, out
        check_leaks(trace, "DynamicJaxprTrace")
    return jaxpr, consts


def trace_rule(fun: Callable[..., Sequence[Any]], in_avals: Sequence[AbstractValue]) -> Jaxpr:
    """Returns the program of a lowering rule, which captures nothing and comes from where its equation will."""
    p = provenance
    before = p.traceback
    p.traceback = source.rule_traceback
    try:
        jaxpr, consts = trace_to_jaxpr(fun, in_avals)
    finally:
        p.traceback = before
    assert not consts
    return jaxpr
