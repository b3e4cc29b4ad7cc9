"""Side effects of tracing a function: variables it assigned, traced values it left behind; and how they are undone.

What lives here: noticing and undoing. What must not: advice.
"""

from __future__ import annotations

import dis
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType
from typing import Any

from jaxnb.engine.core.trace import Tracer
from jaxnb.explorer.capture.engine_jaxpr import Frames, code_of
from jaxnb.explorer.capture.engine_leaks import leaks_of, variables_of
from jaxnb.explorer.capture.failure import CapturedHolder, CapturedWrite
from jaxnb.explorer.capture.protocol import SourceSpan

__all__ = ["SideEffects", "without_side_effects"]

_nothing: Any = object()


class SideEffects:
    """What a function did beside returning a result.

    Attributes:
        writes: The variables outside of it that it assigned.
        leaks: The traced values that such variables, or what they hold, kept.
    """

    def __init__(self) -> None:
        self.writes: tuple[CapturedWrite, ...] = ()
        self.leaks: tuple[CapturedHolder, ...] = ()


@contextmanager
def without_side_effects(fun: Callable[..., Any]) -> Iterator[SideEffects]:
    """Notes what a function assigns outside of itself while it is traced, and takes it back.

    Assignments to globals and to variables of the functions around it are taken back; what it puts into containers and
    objects is noted, and stays.
    """
    found = SideEffects()
    code = code_of(fun)
    places = dict(_assignments(code)) if code is not None else {}
    before = {name: _value_of(fun, name) for name in places}
    frames = Frames(code)
    known = {holder.path for holder in leaks_of(fun, frames)}
    try:
        yield found
    finally:
        leaks = [holder for holder in leaks_of(fun, frames) if holder.path not in known]
        writes = []
        for name, span in places.items():
            after = _value_of(fun, name)
            if after is not before[name]:
                writes.append(CapturedWrite(name, span, isinstance(after, Tracer)))
                _restore(fun, name, before[name])
        found.writes, found.leaks = tuple(writes), tuple(leaks)


def _assignments(code: CodeType, outer: frozenset[str] = frozenset()) -> Iterator[tuple[str, SourceSpan]]:
    """The variables outside of a function that its code assigns, and where; the functions inside it are looked at too."""
    outside = frozenset(code.co_freevars) - outer
    for instruction in dis.get_instructions(code):
        is_outside = instruction.opname in ("STORE_GLOBAL", "STORE_NAME") or (
            instruction.opname == "STORE_DEREF" and instruction.argval in outside
        )
        if is_outside:
            at = instruction.positions
            line = (at.lineno if at is not None else None) or code.co_firstlineno
            yield (
                instruction.argval,
                SourceSpan(
                    code.co_filename,
                    line,
                    (at.end_lineno if at is not None else None) or line,
                    (at.col_offset if at is not None else None) or 0,
                    (at.end_col_offset if at is not None else None) or 0,
                    code.co_qualname,
                ),
            )
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _assignments(constant, outer | frozenset(code.co_cellvars))


def _value_of(fun: Callable[..., Any], name: str) -> Any:
    return next((value for _, known, value in variables_of(fun) if known == name), _nothing)


def _restore(fun: Callable[..., Any], name: str, value: Any) -> None:
    inner: Any = fun
    while hasattr(inner, "__wrapped__") or (not hasattr(inner, "__code__") and hasattr(inner, "func")):
        inner = inner.__wrapped__ if hasattr(inner, "__wrapped__") else inner.func
    code = code_of(fun)
    if code is not None and name in code.co_freevars:
        inner.__closure__[code.co_freevars.index(name)].cell_contents = value
    elif value is _nothing:
        inner.__globals__.pop(name, None)
    else:
        inner.__globals__[name] = value
