"""Side effects of tracing a function: what it changed outside of itself, traced values it left behind; all put back.

What lives here: noticing, and the line that did it. What must not: what can be reached (``reachable``); advice.
"""

from __future__ import annotations

import dis
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import CodeType
from typing import Any

from jaxnb.engine.core.source import is_user_file
from jaxnb.explorer.capture.effects import CapturedEffect
from jaxnb.explorer.capture.engine_jaxpr import Frames, code_of
from jaxnb.explorer.capture.engine_leaks import leaks_in
from jaxnb.explorer.capture.failure import CapturedHolder
from jaxnb.explorer.capture.protocol import SourceSpan
from jaxnb.explorer.capture.reachable import Reachable, all_codes
from jaxnb.explorer.capture.remembered import NOTHING, Change

__all__ = ["SideEffects", "without_side_effects"]

_ASSIGNS = frozenset({"STORE_GLOBAL", "STORE_NAME", "STORE_DEREF", "DELETE_GLOBAL", "DELETE_DEREF"})
_METHODS = frozenset(
    {
        "add", "append", "appendleft", "clear", "discard", "extend", "extendleft", "fill", "insert", "move_to_end", "pop",
        "popitem", "popleft", "put", "remove", "resize", "reverse", "rotate", "setdefault", "shuffle", "sort", "subtract",
        "update",
    }
)  # fmt: skip
"""Methods that change what they are called on."""


class SideEffects:
    """What a function did beside returning a result.

    Attributes:
        writes: What it changed outside of itself.
        leaks: The traced values that are now inside of what it put there.
    """

    def __init__(self) -> None:
        self.writes: tuple[CapturedEffect, ...] = ()
        self.leaks: tuple[CapturedHolder, ...] = ()


@contextmanager
def without_side_effects(
    fun: Callable[..., Any], args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
) -> Iterator[SideEffects]:
    """Notes what a function changes outside of itself while it is traced, and puts it back.

    Variables, attributes, items of containers, NumPy arrays and generators of random numbers are put back, into the same
    objects. An iterator, a generator or a file that moved on is noted, and stays where it is.
    """
    found = SideEffects()
    state = Reachable(fun, {**_named(fun, args), **(kwargs or {})}, is_user_file)
    try:
        yield found
    finally:
        changes = state.changes()
        codes = [code for one in state.functions for code in all_codes(one.__code__)]
        frames = Frames(code_of(fun))
        writes, leaks = [], []
        for change in changes:
            inside = [] if change.value is NOTHING else leaks_in(change.value, change.path, frames)
            if change.is_cache and not inside:
                continue
            own = next((leak for leak in inside if leak.path == change.path), None)
            source = _line_of(change, codes)
            if source is None and inside:
                source = inside[0].source
            writes.append(
                CapturedEffect(
                    change.path,
                    source,
                    bool(inside),
                    (own or inside[0]).type if inside else "",
                    change.kind,
                    change.is_kept,
                    change.is_new,
                )
            )
            leaks += [leak for leak in inside if leak is not own]
        state.restore()
        found.writes, found.leaks = tuple(writes), tuple(leaks)


def _named(fun: Callable[..., Any], args: Sequence[Any]) -> dict[str, Any]:
    """The arguments by name."""
    try:
        names = list(inspect.signature(fun).parameters)
    except (TypeError, ValueError):
        names = []
    return {names[at] if at < len(names) else f"argument {at}": value for at, value in enumerate(args)}


# ---- the line that did it --------------------------------------------------------------------------------------------


def _line_of(change: Change, codes: Sequence[CodeType]) -> SourceSpan | None:
    """Where something is changed; None where the code does not show it."""
    for code in codes:
        for at in _sites(change, code):
            positions = at.positions
            line = (positions.lineno if positions is not None else None) or code.co_firstlineno
            return SourceSpan(
                code.co_filename,
                line,
                (positions.end_lineno if positions is not None else None) or line,
                (positions.col_offset if positions is not None else None) or 0,
                (positions.end_col_offset if positions is not None else None) or 0,
                code.co_qualname,
            )
    return None


def _sites(change: Change, code: CodeType) -> Iterator[dis.Instruction]:
    """The instructions that may have made a change: stores under its name, or into what its line names."""
    instructions = list(dis.get_instructions(code))
    if change.kind == "variable":
        yield from (one for one in instructions if one.opname in _ASSIGNS and one.argval == change.name)
        yield from (one for one in instructions if one.opname == "STORE_ATTR" and one.argval == change.name)
        return
    if change.kind == "attribute" and isinstance(change.name, str):
        yield from (
            one
            for one in instructions
            if one.opname in ("STORE_ATTR", "DELETE_ATTR") and one.argval == change.name
        )
        return
    last = change.path.rpartition("[")[0].rpartition(".")[2] or change.path.rpartition(".")[2]
    names_by_line: dict[int | None, set[Any]] = {}
    for one in instructions:
        if isinstance(one.argval, str):
            names_by_line.setdefault(_line(one), set()).add(one.argval)
    for is_certain in (True, False):
        for one in instructions:
            names = names_by_line.get(_line(one), set())
            is_store = one.opname in ("STORE_SUBSCR", "DELETE_SUBSCR", "STORE_SLICE") or (
                change.kind == "moved" and change.owner in names
            )
            if (is_store or one.argval in _METHODS) and (
                change.owner in names or (not is_certain and last in names)
            ):
                yield one


def _line(instruction: dis.Instruction) -> int | None:
    return instruction.positions.lineno if instruction.positions is not None else None
