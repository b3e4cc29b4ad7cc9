"""Who keeps a traced value that should be gone, by name: ``keep['acts'][0]``.

What lives here: the search from a value outwards. What must not: the search from names inwards (``engine_leaks``).
"""

from __future__ import annotations

import ast
import gc
import inspect
import sys
from collections.abc import Iterator, Sequence
from types import CellType, CodeType, FunctionType, TracebackType
from typing import Any

from jaxnb.engine.core.source import is_user_file
from jaxnb.engine.core.trace import Tracer
from jaxnb.engine.transforms.batch import BatchTracer
from jaxnb.engine.transforms.jvp import JVPTracer
from jaxnb.engine.transforms.linearize import LinearizeTracer
from jaxnb.engine.transforms.stage import StagedTracer
from jaxnb.explorer.capture.engine_jaxpr import Frames
from jaxnb.explorer.capture.engine_leaks import is_user_namespace, is_users_object
from jaxnb.explorer.capture.failure import CapturedHolder
from jaxnb.xla import traceback as tb_door

__all__ = ["find_holders"]

_DEEPEST = 6
_MOST_LOOKED_AT = 20_000

_TRACED_FOR: dict[type, str] = {BatchTracer: "vmap", JVPTracer: "jvp", LinearizeTracer: "grad"}

Link = tuple[str, str]
"""A step of a path, and what one gets by it."""


def find_holders(tracer: Tracer, entries: Sequence[TracebackType], frames: Frames) -> list[CapturedHolder]:
    """The ways from variables to a traced value, found by asking who refers to it.

    Args:
        tracer: The value.
        entries: The traceback of the error, in whose frames local variables are looked at too.
        frames: Reads captured stacks.
    """
    found: list[CapturedHolder] = []
    links: list[Link] = [("", _what(tracer))]
    queue: list[tuple[Any, list[Link]]] = [(tracer, links)]
    seen = {id(tracer), id(queue), id(found), id(links), id(entries)}
    users = _local_variables(entries)
    seen.update(map(id, [users, *users]))
    looked_at = 0
    while queue and looked_at < _MOST_LOOKED_AT:
        value, links = queue.pop(0)
        found += [
            _holder(name, links, tracer, "local", frames, entries)
            for name, item in users
            if item is value and not _is_global(name, value, entries)
        ]
        for holder in gc.get_referrers(value):
            looked_at += 1
            if id(holder) in seen or holder is queue or inspect.isframe(holder) or holder is sys.modules:
                continue
            seen.add(id(holder))
            found += [
                _holder(name, links, tracer, scope, frames, entries) for scope, name in _named(holder, value)
            ]
            for step in _steps(holder, value):
                if len(links) <= _DEEPEST:
                    inside = [(step, links[0][1]), *links[1:]] if step else links[1:]
                    queue.append((holder, [("", type(holder).__name__), *inside]))
        if found:
            break
    return list({one.path: one for one in found}.values())


def _what(tracer: Tracer) -> str:
    return f"{type(tracer).__name__}, {tracer.aval.str_short(True)}"


def _holder(
    name: str,
    links: list[Link],
    tracer: Tracer,
    scope: str,
    frames: Frames,
    entries: Sequence[TracebackType],
) -> CapturedHolder:
    path = name
    chain = [(path, links[0][1])]
    for step, what in links[1:]:
        path += step
        chain.append((path, what))
    made = _made(tracer)
    spans = frames.of(made) if made is not None else ()
    step = links[1][0] if len(links) > 1 else ""
    function, traced_for, is_jitted = _kept_by(tracer, name, step, entries)
    return CapturedHolder(
        path,
        tracer.aval.str_short(True),
        scope,
        spans[0] if spans else None,
        tuple(chain),
        function,
        traced_for,
        is_jitted,
    )


def _made(tracer: Any) -> Any:
    """The stack that made a value, where that is known."""
    while isinstance(tracer, Tracer):
        made = getattr(tracer, "made", None)
        if made is not None:
            return made.traceback
        tracer = (
            getattr(tracer, "primal", None)
            if hasattr(type(tracer), "primal")
            else getattr(tracer, "value", None)
        )
    return None


def _kept_by(tracer: Tracer, name: str, step: str, entries: Sequence[TracebackType]) -> tuple[str, str, bool]:
    """The function that a value leaked from, what it was transformed by, and whether that was inside of a program."""
    inner: Any = tracer
    while isinstance(inner, Tracer) and not isinstance(inner, StagedTracer):
        inner = (
            getattr(inner, "primal", None)
            if hasattr(type(inner), "primal")
            else getattr(inner, "value", None)
        )
    traced_for = _TRACED_FOR.get(type(tracer), "")
    info: Any = inner._trace.debug_info if isinstance(inner, StagedTracer) else None  # pyright: ignore[reportAttributeAccessIssue]
    if info is not None:
        return info.func_src_info.partition(" at ")[0], traced_for or info.traced_for, bool(traced_for)
    stack = _made(tracer)
    for frame in tb_door.frames(stack) if stack is not None else ():
        if is_user_file(frame.file):
            return frame.code.co_name, traced_for, False
    return _function_with(name, step, entries), traced_for, False


def _function_with(name: str, step: str, entries: Sequence[TracebackType]) -> str:
    """The one function among the user's variables that has a variable and the key it is used with; "" if there are more."""
    found: dict[CodeType, str] = {}
    key = ast.literal_eval(step[1:-1]) if step.startswith(("['", '["')) else step.removeprefix(".")
    for entry in entries:
        frame = entry.tb_frame
        if not is_user_file(frame.f_code.co_filename):
            continue
        for value in [*frame.f_locals.values(), *frame.f_globals.values()]:
            code = getattr(value, "__code__", None)
            if not isinstance(code, CodeType) or code is frame.f_code or not code.co_argcount:
                continue  # what was differentiated has an argument
            words = (*code.co_names, *code.co_freevars)
            if name in words and (key in ("", step) or key in (*words, *code.co_consts)):
                found[code] = code.co_name
    return next(iter(found.values())) if len(found) == 1 else ""


# ---- names -----------------------------------------------------------------------------------------------------------


def _local_variables(entries: Sequence[TracebackType]) -> list[tuple[str, Any]]:
    """The variables of the user's functions that an error went through."""
    return [
        (name, value)
        for one in entries
        if is_user_file(one.tb_frame.f_code.co_filename)
        and one.tb_frame.f_locals is not one.tb_frame.f_globals
        for name, value in one.tb_frame.f_locals.items()
        if not name.startswith(("_", "@"))
    ]


def _is_global(name: str, value: Any, entries: Sequence[TracebackType]) -> bool:
    return any(one.tb_frame.f_globals.get(name) is value for one in entries)


def _named(holder: Any, value: Any) -> Iterator[tuple[str, str]]:
    """The names under which a module's variables or a function's closure hold a value."""
    if isinstance(holder, dict) and "__name__" in holder and "__builtins__" in holder:
        if not is_user_namespace(holder):
            return
        for name, item in holder.items():
            if item is value and not name.startswith("_"):
                yield "global", name
    elif isinstance(holder, CellType):
        for closure in gc.get_referrers(holder):
            for function in gc.get_referrers(closure) if isinstance(closure, tuple) else ():
                if isinstance(function, FunctionType) and function.__closure__ is closure:
                    code = function.__code__
                    if is_user_file(code.co_filename):
                        at = next(i for i, one in enumerate(closure) if one is holder)
                        yield "closure", code.co_freevars[at]


def _steps(holder: Any, value: Any) -> Iterator[str]:
    """How one gets from a container to a value in it."""
    if isinstance(holder, dict):
        if "__builtins__" in holder:
            return
        for key, item in list(holder.items()):
            if item is value:
                owner = _owner_of(holder)
                yield f".{key}" if owner else f"[{key!r}]"
                return
    elif isinstance(holder, list | tuple):
        for at, item in enumerate(holder):
            if item is value:
                yield f"[{at}]"
                return
    elif is_users_object(holder):
        if holder.__dict__ is value:
            yield ""
            return
        for name, item in list(holder.__dict__.items()):  # newer Pythons keep attributes in the object itself
            if item is value:
                yield f".{name}"
                return


def _owner_of(attributes: dict[Any, Any]) -> bool:
    """Whether a dictionary is the attributes of an object."""
    return any(
        getattr(one, "__dict__", None) is attributes
        for one in gc.get_referrers(attributes)
        if is_users_object(one)
    )
