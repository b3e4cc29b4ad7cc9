"""What a front end hands over of its history of traces: plain frozen data.

What lives here: the records. What must not: where they come from.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CapturedChange", "CapturedTraceRecord"]


@dataclass(frozen=True, slots=True)
class CapturedChange:
    """A value that a function read, or changed itself, when it was traced: what it was before, and what it is now."""

    path: str
    scope: str
    before: str
    now: str
    how: str = "contents"
    """``contents``, ``object`` for another one, ``code`` for another function, or ``gone``."""


@dataclass(frozen=True, slots=True)
class CapturedTraceRecord:
    """One trace.

    Attributes:
        number: Traces are counted from 1.
        name: The function's name.
        source: Where it is defined: ``f at file.py:3``.
        function: Which function object it was; objects of one source were defined anew.
        signature: The types of its arguments by name, static ones by value.
        call: Where the call was made.
        trace_s: How long tracing took [s].
        lower_s: How long lowering took; None where there was none.
        compile_s: How long compiling took; None where there was none.
        hits: The calls that it served while calls were counted.
        is_alive: Whether it may still serve calls.
        kinds: In what it differs from the nearest earlier trace of the function: ``settings``, ``static value``,
            ``structure``, ``type``; nothing for the first.
        differences: The leaves, static arguments or settings that differ.
        changes: What it read and has changed since.
        effects: What the function changed itself while it was traced.
        donated: The leaves of its arguments whose arrays a call gives away.
        compared: How many values that it read were compared with what they are now.
        is_whole: Whether all was compared that it can be seen to read.
        written: What the user calls the compiled function, "" where no variable has it.
    """

    number: int
    name: str
    source: str
    function: int
    signature: str
    call: str
    trace_s: float
    lower_s: float | None
    compile_s: float | None
    hits: int
    is_alive: bool
    kinds: tuple[str, ...] = ()
    differences: tuple[str, ...] = ()
    changes: tuple[CapturedChange, ...] = ()
    effects: tuple[CapturedChange, ...] = ()
    donated: tuple[str, ...] = ()
    compared: int = 0
    is_whole: bool = True
    written: str = ""
