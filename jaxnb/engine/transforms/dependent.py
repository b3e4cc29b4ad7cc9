"""Tracing without omnistaging: only what depends on an argument is recorded, the rest is executed at once.

Lives here: the one rule that makes the difference between the two modes, and the account of what was executed meanwhile.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from jaxnb.engine.core.source import SourceInfo, current_source
from jaxnb.engine.core.trace import CustomCall, Trace, Tracer, set_trace

__all__ = ["DependentTrace", "Executed", "note_staged", "record_executed"]


class Executed(NamedTuple):
    """One operation that was executed while a function was traced."""

    primitive: str
    out_types: tuple[str, ...]
    source: SourceInfo
    size_bytes: int
    is_staged: bool = False
    """Whether its result, a number repeated, is made by the program after all."""


class _Account(threading.local):
    def __init__(self) -> None:
        self.open: list[list[Executed]] = []
        self.repeats: list[tuple[Any, Executed]] = []


_account = _Account()


@contextmanager
def record_executed() -> Iterator[list[Executed]]:
    """Collects the operations that tracing inside executes at once."""
    rows: list[Executed] = []
    _account.open.append(rows)
    try:
        yield rows
    finally:
        _account.open[:] = [
            one for one in _account.open if one is not rows
        ]  # equal lists are not the same list
        if not _account.open:
            _account.repeats.clear()


def note_staged(x: Any) -> None:
    """Notes that an array, a number repeated, is staged as such: then the program makes it, and is not given it."""
    for at, (made, row) in enumerate(_account.repeats):
        if made is x:
            del _account.repeats[at]
            for rows in _account.open:
                rows[:] = [one._replace(is_staged=True) if one is row else one for one in rows]
            return


class DependentTrace(Trace):
    """Hands an operation to the recording trace if it has an operand from there, else to the trace around."""

    __slots__ = ("finished", "inner", "parent")

    stages = True

    def __init__(self, inner: Trace, parent: Trace):
        self.inner = inner
        self.parent = parent
        self.finished = False

    def _depends(self, args: Sequence[Any]) -> bool:
        return any(isinstance(x, Tracer) and x._trace is self.inner for x in args)

    def process(self, primitive: Any, args: Sequence[Any], params: dict[str, Any]) -> Any:
        if self._depends(args):
            return self.inner.process(primitive, args, params)
        before = set_trace(self.parent)
        try:
            out = self.parent.process(primitive, args, params)
        finally:
            set_trace(before)
        if _account.open and not any(isinstance(x, Tracer) for x in args):
            results = out if primitive.multiple_results else [out]
            avals = [r.aval for r in results]
            size_bytes = sum(a.size * getattr(a.dtype, "itemsize", 4) for a in avals)
            types = tuple([a.str_short(True) for a in avals])
            row = Executed(primitive.name, types, current_source(), size_bytes)
            for rows in _account.open:
                rows.append(row)
            if primitive.name == "broadcast_in_dim" and not getattr(args[0], "ndim", 0):
                _account.repeats.append((out, row))
        return out

    def custom_jvp(self, call: CustomCall, args: Sequence[Any]) -> list[Any]:
        return (self.inner if self._depends(args) else self.parent).custom_jvp(call, args)

    def custom_vjp(self, call: CustomCall, args: Sequence[Any]) -> list[Any]:
        return (self.inner if self._depends(args) else self.parent).custom_vjp(call, args)
