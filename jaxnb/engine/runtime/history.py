"""What was traced in this process: one record for each trace, with its times and, while someone watches, its calls.

Lives here: the records and how they are asked for. A record keeps neither the function nor any array alive: what it says
beyond names, types and times lasts as long as the trace itself.
"""

from __future__ import annotations

import contextlib
import itertools
import time
import weakref
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from jaxnb.engine.core.avals import AbstractValue
from jaxnb.engine.runtime.explain import CallKey, CallSite, Explanation, nearest
from jaxnb.engine.runtime.reads import Change, Reads
from jaxnb.xla.state import watching_state

__all__ = ["TraceRecord", "is_watching", "records", "watch"]

LONGEST = 2000
"""How many records are kept; the oldest go first."""

_numbers = itertools.count(1)


class TraceRecord:
    """One trace of one function.

    Attributes:
        number: the traces of a process are counted from 1.
        name: the function's name.
        source: what messages call the function, ``f at file.py:3``.
        fun_id: the number of the function object, see ``function_number``.
        names: what the leaves of its arguments are called.
        avals: their types.
        statics: its static arguments, ``(name, value as text)`` each.
        donated: the names of the leaves whose arrays a call gave away.
        call_site: where the call was made that led to the trace.
        when: when it began [s since the epoch].
        trace_seconds: how long tracing took.
        lower_seconds: how long its lowerings took together; None where there was none.
        compile_seconds: how long its compilations took together; None where there was none.
        hits: the calls that it served while calls were counted.
        reads: what the function read beside its arguments when it was traced; None for a package's own.
    """

    __slots__ = (
        "__weakref__",
        "_traced",
        "avals",
        "call_site",
        "compile_seconds",
        "donated",
        "fun_id",
        "hits",
        "lower_seconds",
        "name",
        "names",
        "number",
        "reads",
        "source",
        "statics",
        "trace_seconds",
        "when",
    )

    def __init__(
        self,
        name: str,
        source: str,
        fun_id: int,
        names: tuple[str | None, ...],
        avals: tuple[AbstractValue, ...],
        statics: tuple[tuple[str, str], ...],
        call_site: CallSite,
        trace_seconds: float,
        traced: Any,
    ):
        self.number = next(_numbers)
        self.name = name
        self.source = source
        self.fun_id = fun_id
        self.names = names
        self.avals = avals
        self.statics = statics
        self.donated: tuple[str, ...] = ()
        self.call_site = call_site
        self.when = time.time() - trace_seconds
        self.trace_seconds = trace_seconds
        self.lower_seconds: float | None = None
        self.compile_seconds: float | None = None
        self.hits = 0
        self.reads: Reads | None = None
        self._traced = weakref.ref(traced)

    def note_donated(self, donated: Sequence[bool]) -> None:
        """Notes which leaves a call gives away; a trace may serve functions that give away different ones."""
        given = [name or "" for name, is_given in zip(self.names, donated, strict=False) if is_given]
        self.donated = tuple(dict.fromkeys([*self.donated, *given]))

    @property
    def key(self) -> CallKey | None:
        """The signature; None once the trace is gone."""
        traced = self._traced()
        return None if traced is None else traced.key

    @property
    def is_alive(self) -> bool:
        """Whether the trace may still serve calls."""
        return self._traced() is not None

    @property
    def signature(self) -> str:
        """The types of the traced arguments by name, then the static ones by value."""
        parts = [f"{n}: {a.str_short(True)}" for n, a in zip(self.names, self.avals, strict=False)]
        return ", ".join([*parts, *(f"{name}={value}" for name, value in self.statics)])

    def changes(self) -> list[Change]:
        """Returns what it read and has changed since; nothing once the trace is gone."""
        traced = self._traced()
        return [] if traced is None or self.reads is None else self.reads.changes(traced.key.statics)

    def why(self) -> Explanation | None:
        """Returns what differs from the nearest earlier trace of the same function; None for its first, or once gone."""
        key = self.key
        if key is None:
            return None
        earlier = [
            r.key for r in list(_records) if r.fun_id == self.fun_id and r.number < self.number and r.key
        ]
        statics = [name for name, _ in self.statics]
        return nearest(key, [k for k in earlier if k is not None], [n or "" for n in self.names], statics)

    def __repr__(self) -> str:
        return f"TraceRecord({self.number}, {self.name}, {self.signature})"


_functions: dict[int, tuple[weakref.ref[Any], int]] = {}
_function_numbers = itertools.count(1)


def function_number(fun: Any) -> int:
    """Returns a number that belongs to this function object alone; an ``id`` is given again once its object is gone.

    A function that cannot be weakly referenced gets another number each time.
    """
    key = id(fun)
    known = _functions.get(key)
    if known is not None and known[0]() is fun:
        return known[1]
    number = next(_function_numbers)
    with contextlib.suppress(TypeError):
        _functions[key] = weakref.ref(fun, lambda gone: _forget_function(key, gone)), number
    return number


def _forget_function(key: int, gone: weakref.ref[Any]) -> None:
    if key in _functions and _functions[key][0] is gone:
        del _functions[key]


_records: deque[TraceRecord] = deque(maxlen=LONGEST)


def add(record: TraceRecord) -> None:
    """Adds a record."""
    _records.append(record)


def records(fun: Any = None) -> list[TraceRecord]:
    """Returns the records in order, all or those of one function, which may be jitted.

    Functions of the same source that were made anew each have records of their own; ``source`` groups them.
    """
    if fun is None:
        return list(_records)
    wanted = function_number(getattr(fun, "__wrapped__", fun))
    return [r for r in _records if r.fun_id == wanted and r.is_alive]


_watchers = itertools.count()
_open: set[int] = set()


def is_watching() -> bool:
    """Returns whether calls are counted."""
    return bool(_open)


@contextmanager
def watch() -> Iterator[None]:
    """Counts calls inside, in all threads: each goes through Python, and the records' ``hits`` grow."""
    token = next(_watchers)
    _open.add(token)
    watching_state.set_global(True)
    try:
        yield
    finally:
        _open.discard(token)
        watching_state.set_global(bool(_open))


def add_seconds(record: TraceRecord | None, step: str, seconds: float) -> None:
    """Adds to the time that a record's lowerings or compilations took; ``step`` is ``lower`` or ``compile``."""
    if record is not None:
        name = f"{step}_seconds"
        setattr(record, name, (getattr(record, name) or 0.0) + seconds)


def of_functions(sources: Sequence[str]) -> list[TraceRecord]:
    """Returns the records of all functions that are defined at these places."""
    wanted = set(sources)
    return [r for r in _records if r.source in wanted]
