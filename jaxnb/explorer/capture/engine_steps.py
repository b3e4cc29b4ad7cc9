"""The ways through the programs that were being traced, from their arguments to the values that an error is about.

What lives here: finding the ways. What must not: reading the exception.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from jaxnb.engine.core.jaxpr import JaxprEqn, Literal
from jaxnb.engine.core.trace import Tracer
from jaxnb.engine.transforms.stage import StagedTracer, StageTrace
from jaxnb.explorer.capture.engine_jaxpr import Frames
from jaxnb.explorer.capture.failure import CapturedStep

__all__ = ["Outer", "Ways", "argument_names", "ways_to"]

_MOST_ARGUMENTS = 8


@dataclass(frozen=True)
class Outer:
    """A program around another.

    Attributes:
        trace: The program.
        given: What it gives to the parameters of the one inside, in order; empty where that is not known.
    """

    trace: StageTrace
    given: Sequence[Any]


@dataclass
class Ways:
    """The ways to some values.

    Attributes:
        steps: The arguments, those of the outermost program first, then the operations in the program's order.
        names: The arguments of the innermost program that the values depend on.
        roots: The arguments of the outermost program that they depend on, where that is another program.
    """

    steps: list[CapturedStep] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    roots: list[str] = field(default_factory=list)


def ways_to(trace: StageTrace, targets: Sequence[Any], outer: Sequence[Outer], frames: Frames) -> Ways:
    """The ways to the values of a program, and to what it was given from the programs around it."""
    found = Ways()
    parameters = argument_names(trace)
    kept, reached, taken = _between(trace, targets)
    found.names = [name for var, (_, name) in parameters.items() if var in reached]
    if outer:
        # What this program was given is what is wanted of the next: operands of the loop, values closed over.
        given = dict(zip(trace.invars, outer[0].given, strict=False)) if outer[0].given else {}
        inputs = [given[var] for var in reached if var in given] + taken
        atoms = [x.atom for x in map(_inner, inputs) if x is not None and x._trace is outer[0].trace]
        around = (
            ways_to(outer[0].trace, list(dict.fromkeys(atoms)), outer[1:], Frames(None)) if atoms else Ways()
        )
        function = _function(outer[0].trace)
        found.steps += [
            CapturedStep(step.label, step.type, step.source, "", step.function or function)
            for step in around.steps
        ]
        found.roots = around.roots or (around.names if len(outer) == 1 else [])
    made: dict[Any, JaxprEqn] = {v: eqn for eqn in trace.eqns for v in eqn.outvars}
    at = {id(eqn): place for place, eqn in enumerate(trace.eqns)}
    function = _function(trace) if outer else ""
    for var, (place, name) in parameters.items():
        if var in kept:
            found.steps.append(
                CapturedStep(name, var.aval.str_short(True), None, f"argument:{place}", function)
            )
    inside = sorted((atom for atom in kept if atom in made), key=lambda atom: at[id(made[atom])])
    for atom in inside:
        eqn = made[atom]
        spans = frames.of(eqn.source_info.traceback)
        found.steps.append(
            CapturedStep(
                eqn.primitive.name, atom.aval.str_short(True), spans[0] if spans else None, f"q{eqn.id}"
            )
        )
    return found


def argument_names(trace: StageTrace) -> dict[Any, tuple[int, str]]:
    """The parameters of a program: their places and what they are called."""
    info = trace.debug_info
    names = info.arg_names if info is not None else ()
    return {
        v: (at, (names[at] if at < len(names) else None) or f"argument {at}")
        for at, v in enumerate(trace.invars)
    }


def _function(trace: StageTrace) -> str:
    return trace.debug_info.func_src_info.partition(" at ")[0] if trace.debug_info is not None else ""


def _inner(x: Any) -> StagedTracer | None:
    while isinstance(x, Tracer) and not isinstance(x, StagedTracer):
        x = getattr(x, "primal", None) if hasattr(type(x), "primal") else getattr(x, "value", None)
    return x if isinstance(x, StagedTracer) else None


def _between(trace: StageTrace, targets: Iterable[Any]) -> tuple[set[Any], list[Any], list[Any]]:
    """What lies on the shortest way from each argument to each target; the arguments; the captured values reached."""
    made: dict[Any, JaxprEqn] = {v: eqn for eqn in trace.eqns for v in eqn.outvars}
    captured = dict(trace.constvars.values())
    parameters = set(trace.invars)
    kept: set[Any] = set()
    reached: dict[Any, None] = {}
    taken: list[Any] = []
    for target in targets:
        came_from: dict[Any, Any] = {target: None}
        queue = [target]
        for atom in queue:
            eqn = made.get(atom)
            for operand in eqn.invars if eqn is not None else ():
                if type(operand) is not Literal and operand not in came_from:
                    came_from[operand] = atom
                    queue.append(operand)
        ends = [atom for atom in queue if atom in parameters]
        reached.update(dict.fromkeys(ends))
        taken += [captured[atom] for atom in queue if atom in captured]
        ends += [atom for atom in queue if atom in captured]
        if not ends:
            # No argument: the operations that begin with literals alone.
            starts = [a for a in queue if a in made and all(type(x) is Literal for x in made[a].invars)]
            ends = starts[:1] or [target]
        for end in ends[:_MOST_ARGUMENTS]:
            while end is not None and end not in kept:
                kept.add(end)
                end = came_from[end]
            kept.add(target)
    order = [var for var in trace.invars if var in reached]
    return kept, order, taken
