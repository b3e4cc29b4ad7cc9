"""Errors of our engine while it traces: the program so far, the value that was asked for, the line that asked.

What lives here: reading an exception. What must not: advice.
"""

from __future__ import annotations

import ast
import linecache
import re
from collections.abc import Iterator
from dataclasses import replace
from types import CodeType, TracebackType
from typing import Any

from jaxnb.base.errors import ConcretizationTypeError, UnexpectedTracerError
from jaxnb.engine.core.jaxpr import Jaxpr, JaxprEqn, Literal
from jaxnb.engine.core.source import is_user_file
from jaxnb.engine.transforms.leaks import is_leak_found
from jaxnb.engine.transforms.stage import StagedTracer, StageTrace, trace_to_jaxpr
from jaxnb.explorer.capture.cell_syntax import parse_cell
from jaxnb.explorer.capture.engine import trace_of
from jaxnb.explorer.capture.engine_jaxpr import Frames
from jaxnb.explorer.capture.engine_leaks import find_holders
from jaxnb.explorer.capture.failure import CapturedFailure, CapturedStep
from jaxnb.explorer.capture.protocol import SourceSpan
from jaxnb.xla import traceback as tb_door

__all__ = ["capture_failure"]


def capture_failure(error: BaseException) -> CapturedFailure | None:
    """What is known of an error that was raised while a function was traced; None for any other error."""
    traces: list[StageTrace] = getattr(error, "partial_traces", [])
    tracer = _tracer_of(error)
    trace = traces[0] if traces else tracer._trace if tracer is not None else None
    if not isinstance(trace, StageTrace):
        return None
    code = _traced_code(error.__traceback__, tracer)
    frames = Frames(code)
    results = [tracer.atom] if tracer is not None and tracer._trace is trace else []
    captured, _ = trace_of(_partial(trace, results), trace.debug_info, code, frames)
    if trace.debug_info is not None:
        # What messages call it: the body of a loop, not what the loop makes of it.
        name = trace.debug_info.func_src_info.partition(" at ")[0]
        captured = replace(captured, function=name, title=name)
    place = _failing_place(error.__traceback__)
    statement, node = _expression(place)
    is_leak = isinstance(error, UnexpectedTracerError) or is_leak_found(error)
    known = isinstance(tracer, StagedTracer) and tracer._trace is trace
    return CapturedFailure(
        error=type(error).__name__,
        message=str(error).strip().partition("\n")[0],
        trace=captured,
        place=place,
        statement=statement,
        kind=_kind(node),
        callee=ast.unparse(node.func) if isinstance(node, ast.Call) else "",
        parts=tuple(_parts(node)),
        attribute=_missing_attribute(error),
        steps=tuple(_steps(trace, tracer, frames)) if known and tracer is not None else (),
        depends_on=tuple(_arguments_of(trace, tracer)) if known and tracer is not None else (),
        value_type=tracer.aval.str_short(True) if tracer is not None else "",
        holders=tuple(find_holders(tracer, frames)) if is_leak and tracer is not None else (),
    )


def _partial(trace: StageTrace, results: list[Any]) -> Jaxpr:
    """The program so far, with the value that was asked for as its result."""
    constvars = [v for v, _ in trace.constvars.values()]
    return Jaxpr(constvars, list(trace.invars), results, list(trace.eqns), trace.effects, trace.debug_info)


# ---- the value -------------------------------------------------------------------------------------------------------


def _tracer_of(error: BaseException) -> StagedTracer | None:
    """The traced value that an error is about: the one it names, else the one that the engine was given last."""
    named = getattr(error, "tracer", None)
    if isinstance(named, StagedTracer):
        return named
    owner = getattr(error, "obj", None)  # of an AttributeError
    if isinstance(owner, StagedTracer):
        return owner
    entries = list(_entries(error.__traceback__))
    for entry in reversed(entries):
        frame = entry.tb_frame
        if is_user_file(frame.f_code.co_filename):
            break
        for value in frame.f_locals.values():
            found = _in_value(value)
            if found is not None:
                return found
    return None


def _in_value(value: Any) -> StagedTracer | None:
    if isinstance(value, StagedTracer):
        return value
    if isinstance(value, tuple | list) and len(value) <= 16:
        return next((one for one in value if isinstance(one, StagedTracer)), None)
    return None


def _steps(trace: StageTrace, tracer: StagedTracer, frames: Frames) -> list[CapturedStep]:
    """The way from the farthest argument to the value, or from an operation that has no operand; no detours."""
    names = _argument_names(trace)
    made: dict[Any, JaxprEqn] = {v: eqn for eqn in trace.eqns for v in eqn.outvars}
    came_from: dict[Any, Any] = {}
    queue = [tracer.atom]
    end: Any = None
    for atom in queue:
        if atom in names:
            end = atom
        eqn = made.get(atom)
        for operand in eqn.invars if eqn is not None else ():
            if type(operand) is not Literal and operand not in came_from and operand is not tracer.atom:
                came_from[operand] = atom
                queue.append(operand)
    if end is None:
        # No argument: the operations that begin with literals alone.
        starts = [a for a in queue if a in made and all(type(x) is Literal for x in made[a].invars)]
        end = starts[0] if starts else tracer.atom
    steps = []
    while end is not None:
        if end in names:
            place = names[end]
            steps.append(CapturedStep(place[1], end.aval.str_short(True), None, f"argument:{place[0]}"))
        elif end in made:
            eqn = made[end]
            spans = frames.of(eqn.source_info.traceback)
            steps.append(
                CapturedStep(
                    eqn.primitive.name, end.aval.str_short(True), spans[0] if spans else None, f"q{eqn.id}"
                )
            )
        end = came_from.get(end)
    return steps


def _argument_names(trace: StageTrace) -> dict[Any, tuple[int, str]]:
    info = trace.debug_info
    names = info.arg_names if info is not None else ()
    return {
        v: (at, (names[at] if at < len(names) else None) or f"argument {at}")
        for at, v in enumerate(trace.invars)
    }


def _arguments_of(trace: StageTrace, tracer: StagedTracer) -> Iterator[str]:
    needed = trace._ancestors(tracer.atom)
    for var, (_, name) in _argument_names(trace).items():
        if var in needed:
            yield name


def _traced_code(traceback: TracebackType | None, tracer: StagedTracer | None) -> CodeType | None:
    """The code of the function that was being traced, the innermost one; or of the one that made the value."""
    inside: CodeType | None = None
    is_next = False
    for entry in _entries(traceback):
        code = entry.tb_frame.f_code
        if code is trace_to_jaxpr.__code__:
            is_next = True
        elif is_next and is_user_file(code.co_filename):
            inside, is_next = code, False
    if inside is None and tracer is not None and tracer.made is not None:
        for frame in tb_door.frames(tracer.made.traceback):
            if frame.code is trace_to_jaxpr.__code__:
                break
            if is_user_file(frame.file):
                inside = frame.code
    return inside


# ---- the line --------------------------------------------------------------------------------------------------------


def _entries(traceback: TracebackType | None) -> Iterator[TracebackType]:
    while traceback is not None:
        yield traceback
        traceback = traceback.tb_next


def _failing_place(traceback: TracebackType | None) -> SourceSpan | None:
    """The user's innermost expression on the way to the error."""
    entries = [one for one in _entries(traceback) if is_user_file(one.tb_frame.f_code.co_filename)]
    if not entries:
        return None
    entry = entries[-1]
    code = entry.tb_frame.f_code
    positions = list(code.co_positions())
    line, end_line, column, end_column = positions[entry.tb_lasti // 2]
    return SourceSpan(
        code.co_filename,
        line or entry.tb_lineno,
        end_line or entry.tb_lineno,
        column or 0,
        end_column or 0,
        code.co_qualname,
    )


def _expression(place: SourceSpan | None) -> tuple[str, ast.AST | None]:
    """The expression at a place as it is written, and what of the syntax it is a part of."""
    if place is None:
        return "", None
    lines = linecache.getlines(place.file)
    if not lines:
        return "", None
    try:
        tree = parse_cell("".join(lines))
    except SyntaxError:
        return lines[place.line - 1].strip() if place.line <= len(lines) else "", None
    found: ast.AST | None = None
    parents: dict[ast.AST, ast.AST] = {}
    for node in ast.walk(tree):
        for child in ast.iter_child_nodes(node):
            parents[child] = node
        if _span(node) == (place.line, place.end_line, place.column, place.end_column):
            found = node if found is None else found
    text = ast.get_source_segment("".join(lines), found) if found is not None else None
    if text is None:
        text = lines[place.line - 1].strip() if place.line <= len(lines) else ""
    return text, _asking(found, parents)


def _span(node: ast.AST) -> tuple[Any, ...] | None:
    if not hasattr(node, "lineno"):
        return None
    return node.lineno, node.end_lineno, node.col_offset, node.end_col_offset  # pyright: ignore[reportAttributeAccessIssue]


def _asking(node: ast.AST | None, parents: dict[ast.AST, ast.AST]) -> ast.AST | None:
    """The part of the syntax that asks for a value: the `if` around a condition, the `and` around an operand."""
    if node is None or isinstance(node, ast.Call | ast.Subscript):
        return node
    parent = parents.get(node)
    if isinstance(parent, ast.BoolOp | ast.UnaryOp):
        return parent
    if isinstance(parent, ast.If | ast.IfExp | ast.While | ast.Assert) and parent.test is node:
        return parent
    return node


def _parts(node: ast.AST | None) -> Iterator[str]:
    """What an expression is made of, as it would be written."""
    if isinstance(node, ast.BoolOp):
        yield from map(ast.unparse, node.values)
    elif isinstance(node, ast.Compare):
        yield from map(ast.unparse, (node.left, *node.comparators))
    elif isinstance(node, ast.Call):
        yield from map(ast.unparse, node.args)
    elif isinstance(node, ast.Subscript):
        yield from map(ast.unparse, (node.value, node.slice))
    elif isinstance(node, ast.UnaryOp):
        yield ast.unparse(node.operand)


_KINDS: dict[type[ast.AST], str] = {
    ast.If: "if",
    ast.IfExp: "if",
    ast.While: "while",
    ast.Assert: "assert",
    ast.Call: "call",
    ast.Subscript: "index",
    ast.For: "for",
    ast.Attribute: "attribute",
}


def _kind(node: ast.AST | None) -> str:
    if isinstance(node, ast.BoolOp):
        return "and" if isinstance(node.op, ast.And) else "or"
    if isinstance(node, ast.UnaryOp):
        return "not" if isinstance(node.op, ast.Not) else ""
    if isinstance(node, ast.Compare):
        return "chain" if len(node.ops) > 1 else "compare"
    return _KINDS.get(type(node), "") if node is not None else ""


_ON_DEVICES = re.compile(
    r"^The (?!item|tolist)'?(\w+)'?(?:\(\) method| property| attribute) (?:was called|is not available) on ",
    re.MULTILINE,
)


def _missing_attribute(error: BaseException) -> str:
    """What an array has and a traced value has not, if that is what the error is about; else an empty text."""
    if isinstance(error, AttributeError):
        return getattr(error, "name", None) or ""
    found = _ON_DEVICES.search(str(error)) if isinstance(error, ConcretizationTypeError) else None
    return found[1] if found is not None else ""
