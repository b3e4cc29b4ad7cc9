"""An error that was raised while our engine traced, read: the program so far, the values, the line that asked for them.

What lives here: reading an exception. What must not: the way to a value (``engine_steps``), who keeps one
(``engine_holders``), advice.
"""

from __future__ import annotations

import difflib
import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import CodeType, FrameType, TracebackType
from typing import Any

from jaxnb.base.errors import ConcretizationTypeError, UnexpectedTracerError
from jaxnb.base.frames import entries as entries_of
from jaxnb.base.frames import full_traceback
from jaxnb.engine.core.boundary import is_boundary
from jaxnb.engine.core.jaxpr import Jaxpr, Var
from jaxnb.engine.core.source import is_user_file
from jaxnb.engine.core.trace import Tracer, shaped_aval
from jaxnb.engine.transforms.batch import batch_flat
from jaxnb.engine.transforms.jvp import jvp_flat
from jaxnb.engine.transforms.leaks import is_leak_found
from jaxnb.engine.transforms.linearize import linearize_flat
from jaxnb.engine.transforms.stage import StagedTracer, StageTrace, trace_to_jaxpr
from jaxnb.explorer.capture.engine import trace_of
from jaxnb.explorer.capture.engine_again import body_that_returned, trace_again
from jaxnb.explorer.capture.engine_holders import find_holders
from jaxnb.explorer.capture.engine_jaxpr import Frames
from jaxnb.explorer.capture.engine_steps import Outer, argument_names, ways_to
from jaxnb.explorer.capture.failing_code import FailingCode, read_failing_code
from jaxnb.explorer.capture.failure import CapturedFailure, CapturedOperand, CapturedProgram
from jaxnb.explorer.capture.protocol import CapturedTrace, SourceSpan
from jaxnb.xla import pytree
from jaxnb.xla import traceback as tb_door

__all__ = ["capture_failure"]

_TRANSFORMING = {one.__code__ for one in (batch_flat, jvp_flat, linearize_flat)}
_MOST_OPERANDS = 16


def capture_failure(error: BaseException) -> CapturedFailure | None:
    """What is known of an error that was raised while a function was traced; None for any other error."""
    found = _capture(error)
    if found is None or found.trace.jaxpr or found.holders:
        return found
    # Nothing was recorded: the operations were executed one by one. Tracing says how the values came about.
    again = trace_again(full_traceback(error))
    if again is None:
        return found
    if again.error is None and again.failed_inside:
        return found  # with values in the place of traced ones it had come to another line
    if again.error is None:
        return _completed(found, again.trace, again.results, again.code)
    same = _capture(again.error)
    if same is None or same.place != found.place or type(again.error) is not type(error):
        return found
    return replace(same, message=found.message, detail=found.detail, can_be_static=False)


def _capture(error: BaseException) -> CapturedFailure | None:
    tracer = _tracer_of(error)
    staged = _staged(tracer)
    entries = list(_entries(full_traceback(error)))
    is_leak = isinstance(error, UnexpectedTracerError) or is_leak_found(error)
    traces = [] if is_leak else _users_traces(error, entries)
    if not traces and staged is not None and isinstance(staged._trace, StageTrace):
        traces = [staged._trace] if is_leak or _is_users(staged._trace, entries) else []
    if not traces and tracer is None and not _is_about_tracing(error, entries):
        return None
    place = _failing_place(entries)
    code = read_failing_code(place)
    operands = _operands(entries, code)
    body = body_that_returned(error, entries) if not is_leak else None
    program: StageTrace | None = traces[0] if traces else None
    is_one = staged is not None and (is_leak or not _ABOUT_OPERANDS.search(str(error)))
    targets = _targets(program, staged, operands, is_one)
    outer = _outer(traces, entries)
    if body is not None:
        return _of_body(error, body, place, code, operands, outer if program is None else [program, *outer])
    return _of_trace(error, program, outer, targets, tracer, place, code, operands, is_leak)


def _of_trace(
    error: BaseException,
    program: StageTrace | None,
    outer: Sequence[Outer],
    targets: Sequence[Any],
    tracer: Tracer | None,
    place: SourceSpan | None,
    code: FailingCode,
    operands: Sequence[Any],
    is_leak: bool,
) -> CapturedFailure:
    entries = list(_entries(full_traceback(error)))
    traced = _traced_code(entries, tracer)
    frames = Frames(traced)
    attribute = _missing_attribute(error)
    found = CapturedFailure(
        error=type(error).__name__,
        message=str(error).strip().partition("\n")[0],
        detail=str(error).strip(),
        trace=_no_program(place, entries, frames),
        place=place,
        code=code,
        attribute=attribute,
        is_of_arrays=not attribute or _arrays_have(attribute),
        similar=tuple(_similar(attribute, tracer)) if attribute else (),
        value_type=tracer.aval.str_short(True) if tracer is not None else "",
        operands=tuple(map(_as_operand, operands)),
        holders=tuple(find_holders(tracer, entries, frames)) if is_leak and tracer is not None else (),
    )
    if program is None:
        return found
    captured = _captured(_partial(program, targets), program.debug_info, traced, frames)
    ways = ways_to(program, targets, outer, frames)
    return replace(
        found,
        trace=captured,
        steps=tuple(ways.steps),
        depends_on=tuple(ways.names),
        roots=tuple(ways.roots),
        traced_for=program.debug_info.traced_for if program.debug_info is not None else "",
        can_be_static=not outer and not is_leak and _is_jitted_alone(program, entries),
        around=tuple(map(_as_program, outer)),
    )


def _of_body(
    error: BaseException,
    body: Any,
    place: SourceSpan | None,
    code: FailingCode,
    operands: Sequence[Any],
    around: Sequence[Any],
) -> CapturedFailure:
    """Of an error about what the body of a loop returned: the body's whole program."""
    entries = list(_entries(full_traceback(error)))
    frames = Frames(body.code)
    trace = StageTrace(body.debug)
    trace.invars, trace.eqns = list(body.jaxpr.invars), list(body.jaxpr.eqns)
    outer = [one if isinstance(one, Outer) else Outer(one, body.given(one)) for one in around]
    targets = body.differing
    ways = ways_to(trace, targets, outer, frames)
    return CapturedFailure(
        error=type(error).__name__,
        message=str(error).strip().partition("\n")[0],
        detail=str(error).strip(),
        trace=_captured(body.jaxpr, body.debug, body.code, frames)
        if body.code is not None
        else _captured(body.jaxpr, body.debug, _traced_code(entries, None), frames),
        place=place,
        code=code,
        steps=tuple(ways.steps),
        depends_on=tuple(ways.names),
        roots=tuple(ways.roots),
        traced_for=body.debug.traced_for,
        operands=tuple(map(_as_operand, operands)),
        around=tuple(map(_as_program, outer)),
    )


def _completed(
    found: CapturedFailure, trace: StageTrace, results: Sequence[Any], code: CodeType | None
) -> CapturedFailure:
    """Of an error about what a function returned: its whole program."""
    frames = Frames(code)
    targets = [x.atom for x in results if isinstance(x, StagedTracer) and x._trace is trace]
    ways = ways_to(trace, targets, (), frames)
    return replace(
        found,
        trace=_captured(_partial(trace, targets), trace.debug_info, code, frames),
        steps=tuple(ways.steps),
        depends_on=tuple(ways.names),
    )


def _captured(jaxpr: Jaxpr, info: Any, code: CodeType | None, frames: Frames) -> CapturedTrace:
    captured, _ = trace_of(jaxpr, info, code, frames)
    if info is not None:
        # What messages call it: the body of a loop, not what the loop makes of it.
        name = info.func_src_info.partition(" at ")[0]
        captured = replace(captured, function=name, title=name)
    return captured


def _no_program(place: SourceSpan | None, entries: Sequence[TracebackType], frames: Frames) -> CapturedTrace:
    """What stands for the program where none was recorded: the source of the line that failed."""
    users = [one.tb_frame.f_code for one in entries if is_user_file(one.tb_frame.f_code.co_filename)]
    captured, _ = trace_of(
        Jaxpr([], [], [], [], frozenset(), None), None, users[-1] if users else None, frames
    )
    name = place.function.rpartition(".")[2] if place is not None else "program"
    name = "the cell" if name == "<module>" else name
    return replace(captured, function=name, title=name, jaxpr="", jaxpr_spans=())


def _partial(trace: StageTrace, results: Sequence[Any]) -> Jaxpr:
    """The program so far, with the values that were asked for as its results."""
    constvars = [v for v, _ in trace.constvars.values()]
    return Jaxpr(
        constvars, list(trace.invars), list(results), list(trace.eqns), trace.effects, trace.debug_info
    )


def _as_program(outer: Outer) -> CapturedProgram:
    trace = outer.trace
    info = trace.debug_info
    name = info.func_src_info.partition(" at ")[0] if info is not None else "program"
    captured, _ = trace_of(_partial(trace, []), info, None, Frames(None))
    return CapturedProgram(name, info.traced_for if info is not None else "", captured.jaxpr)


# ---- whose error it is -----------------------------------------------------------------------------------------------


def _users_traces(error: BaseException, entries: Sequence[TracebackType]) -> list[StageTrace]:
    """The programs that were being traced, the innermost first; those of the engine's own functions left out."""
    traces: list[StageTrace] = getattr(error, "partial_traces", [])
    return [trace for trace in traces if _is_users(trace, entries)]


def _is_users(trace: StageTrace, entries: Sequence[TracebackType]) -> bool:
    """Whether a program is that of a function of the user's, or of one of ours that called one of the user's."""
    if trace.debug_info is not None:
        file = trace.debug_info.func_src_info.partition(" at ")[2].rpartition(":")[0]
        if file and is_user_file(file):
            return True
    at = _frame_of(trace, entries)
    return at is not None and any(
        is_user_file(one.tb_frame.f_code.co_filename) for one in itertools.islice(entries, at, None)
    )


def _frame_of(trace: StageTrace, entries: Sequence[TracebackType]) -> int | None:
    """Where in a traceback a program was being traced."""
    for at, one in enumerate(entries):
        frame = one.tb_frame
        if frame.f_code is trace_to_jaxpr.__code__ and frame.f_locals.get("trace") is trace:
            return at
    return None


_ABOUT_TRACING = re.compile(
    r"as an abstract array\. The problematic value|carry input and carry output must|branches must have equal"
    r"|Gradient only defined for scalar|requires real- or complex-valued inputs|vmap got inconsistent sizes"
    r"|[Ii]ncompatible shapes for broadcasting|requires contracting dimensions|Cannot concatenate arrays"
)


_ABOUT_OPERANDS = re.compile(
    r"[Ii]ncompatible shapes for broadcasting|requires contracting dimensions|^Cannot concatenate arrays"
)


def _is_about_tracing(error: BaseException, entries: Sequence[TracebackType]) -> bool:
    """Whether an error that has left no traced value was raised inside of a traced function, or is about one."""
    codes = [one.tb_frame.f_code for one in entries]
    if not any(not is_user_file(code.co_filename) for code in codes):
        return False
    if _ABOUT_TRACING.search(str(error)):
        return True
    inside = [at for at, code in enumerate(codes) if code in _TRANSFORMING]
    return bool(inside) and any(is_user_file(code.co_filename) for code in codes[inside[0] :])


def _is_jitted_alone(trace: StageTrace, entries: Sequence[TracebackType]) -> bool:
    info = trace.debug_info
    return (
        info is not None
        and info.traced_for == "jit"
        and not any(one.tb_frame.f_code in _TRANSFORMING for one in entries)
    )


def _outer(traces: Sequence[StageTrace], entries: Sequence[TracebackType]) -> list[Outer]:
    """The programs around the first one, each with what it gave to the parameters of the one inside."""
    return [Outer(outer, _given(inner, entries)) for inner, outer in itertools.pairwise(traces)]


_OPERANDS = {
    "scan": ("init", "xs"),
    "fori_loop": ("lower", "init_val"),
    "while_loop": ("init_val",),
    "map": ("xs",),
    "cond": ("operands",),
    "switch": ("operands",),
    "cache_miss": ("args", "kwargs"),
}
"""In which variables the functions that trace others have what they give to them."""


def _given(inner: StageTrace, entries: Sequence[TracebackType]) -> list[Any]:
    """What the user's call gave to the parameters of a program, in order; nothing where that is not known."""
    at = _frame_of(inner, entries)
    while at is not None and at > 0 and not is_user_file(entries[at - 1].tb_frame.f_code.co_filename):
        at -= 1
    return given_by(entries[at].tb_frame, len(inner.invars)) if at is not None else []


def given_by(frame: FrameType, count: int) -> list[Any]:
    """What a function that traces another was called with for it, if there are as many leaves as parameters."""
    names = _OPERANDS.get(frame.f_code.co_name, ())
    try:
        leaves = pytree.flatten([frame.f_locals.get(name) for name in names])[0]
    except Exception:
        return []
    return leaves if len(leaves) == count else []


# ---- the values ------------------------------------------------------------------------------------------------------


def _tracer_of(error: BaseException) -> Tracer | None:
    """The traced value that an error is about: the one it names, else the one that the engine was given last."""
    for named in (
        getattr(error, "tracer", None),
        getattr(error, "obj", None),
    ):  # the second of an AttributeError
        if isinstance(named, Tracer):
            return named
    for entry in reversed(list(_entries(full_traceback(error)))):
        frame = entry.tb_frame
        if is_user_file(frame.f_code.co_filename):
            break
        for value in frame.f_locals.values():
            found = _in_value(value)
            if found is not None:
                return found
    return None


def _in_value(value: Any) -> Tracer | None:
    if isinstance(value, Tracer):
        return value
    if isinstance(value, tuple | list) and len(value) <= _MOST_OPERANDS:
        return next((one for one in value if isinstance(one, Tracer)), None)
    return None


def _staged(x: Any) -> StagedTracer | None:
    """The traced value inside of one that is mapped or differentiated."""
    while isinstance(x, Tracer) and not isinstance(x, StagedTracer):
        x = getattr(x, "primal", None) if hasattr(type(x), "primal") else getattr(x, "value", None)
    return x if isinstance(x, StagedTracer) else None


def _operands(entries: Sequence[TracebackType], code: FailingCode) -> list[Any]:
    """What the user's innermost expression was given, as the engine's function that it calls got it."""
    users = [at for at, one in enumerate(entries) if is_user_file(one.tb_frame.f_code.co_filename)]
    if not users:
        return []
    if users[-1] + 1 < len(entries):
        values = _parameters(entries[users[-1] + 1].tb_frame)
        # The engine's first function may be one that serves any call; a method's is called by its operands.
        if (
            code.kind == "operator"
            and len(values) == 2
            and _is_reflected(entries[users[-1]].tb_frame, code, values)
        ):
            values.reverse()
        return values
    variables = entries[users[-1]].tb_frame
    names = [part for part in code.parts if part.isidentifier()]
    return [x for x in (_variable(variables, name) for name in names) if isinstance(x, Tracer)]


def _parameters(frame: FrameType) -> list[Any]:
    code = frame.f_code
    count = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4)
    found: list[Any] = []
    for name in code.co_varnames[:count]:
        value = frame.f_locals.get(name)
        leaves = list(value) if isinstance(value, tuple | list) and len(value) <= _MOST_OPERANDS else [value]
        found += [x for x in leaves if _is_array(x)]
    return found


def _is_array(x: Any) -> bool:
    return isinstance(x, Tracer) or (hasattr(x, "shape") and hasattr(x, "dtype"))


def _is_reflected(frame: FrameType, code: FailingCode, values: Sequence[Any]) -> bool:
    """Whether Python asked the right operand first, so that the engine got the operands in the other order."""
    if len(code.parts) != 2:
        return False
    left, right = (_variable(frame, part) if part.isidentifier() else None for part in code.parts)
    return (left is not None and left is values[1]) or (right is not None and right is values[0])


def _variable(frame: FrameType, name: str) -> Any:
    return frame.f_locals.get(name, frame.f_globals.get(name))


def _as_operand(x: Any) -> CapturedOperand:
    aval = shaped_aval(x)
    return CapturedOperand(
        aval.str_short(True), tuple(aval.shape), getattr(aval.dtype, "name", str(aval.dtype))
    )


def _targets(
    trace: StageTrace | None, staged: StagedTracer | None, operands: Sequence[Any], is_one: bool
) -> list[Any]:
    """The values in a program that an error is about: the one it names, else all that the expression was given."""
    if trace is None:
        return []
    found = [staged] if is_one else [_staged(x) for x in operands]
    inside = [x.atom for x in found if x is not None and x._trace is trace and type(x.atom) is Var]
    if not inside and staged is not None and staged._trace is trace:
        inside = [staged.atom]
    return list(dict.fromkeys(inside))


# ---- the line --------------------------------------------------------------------------------------------------------


def _entries(traceback: TracebackType | None) -> Iterator[TracebackType]:
    return (one for one in entries_of(traceback) if not is_boundary(one.tb_frame.f_code))


def _traced_code(entries: Sequence[TracebackType], tracer: Tracer | None) -> CodeType | None:
    """The code of the function that was being traced, the innermost one; or of the one that made the value."""
    inside: CodeType | None = None
    is_next = False
    for entry in entries:
        code = entry.tb_frame.f_code
        if code is trace_to_jaxpr.__code__:
            is_next = True
        elif is_next and is_user_file(code.co_filename):
            inside, is_next = code, False
    staged = _staged(tracer)
    made = getattr(tracer if staged is None else staged, "made", None)
    if inside is None and made is not None:
        for frame in tb_door.frames(made.traceback):
            if frame.code is trace_to_jaxpr.__code__:
                break
            if is_user_file(frame.file):
                inside = frame.code
    return inside


def _failing_place(entries: Sequence[TracebackType]) -> SourceSpan | None:
    """The user's innermost expression on the way to the error."""
    users = [one for one in entries if is_user_file(one.tb_frame.f_code.co_filename)]
    if not users:
        return None
    entry = users[-1]
    code = entry.tb_frame.f_code
    line, end_line, column, end_column = list(code.co_positions())[entry.tb_lasti // 2]
    return SourceSpan(
        code.co_filename,
        line or entry.tb_lineno,
        end_line or entry.tb_lineno,
        column or 0,
        end_column or 0,
        code.co_qualname,
    )


# ---- what only arrays have -------------------------------------------------------------------------------------------

_ON_DEVICES = re.compile(
    r"^The (?!item|tolist)'?(\w+)'?(?:\(\) method| property| attribute) (?:was called|is not available) on ",
    re.MULTILINE,
)
_OF_ARRAYS = frozenset(
    {
        "_value", "addressable_data", "addressable_shards", "block_until_ready", "committed", "copy_to_host_async",
        "delete", "devices", "global_shards", "is_deleted", "is_fully_addressable", "is_fully_replicated",
        "on_device_size_in_bytes", "sharding", "traceback", "unsafe_buffer_pointer",
    }
)  # fmt: skip


def _missing_attribute(error: BaseException) -> str:
    """What a traced value has not, if that is what the error is about; else an empty text."""
    if isinstance(error, AttributeError):
        return getattr(error, "name", None) or ""
    found = _ON_DEVICES.search(str(error)) if isinstance(error, ConcretizationTypeError) else None
    return found[1] if found is not None else ""


def _arrays_have(name: str) -> bool:
    return name in _OF_ARRAYS


def _similar(name: str, tracer: Tracer | None) -> list[str]:
    """What a traced value has that is called much the same."""
    names = [one for one in dir(type(tracer)) if not one.startswith("_")] if tracer is not None else []
    return difflib.get_close_matches(name, names, 3, 0.6)
