"""The cyclic garbage collector, put off while much is made and nothing thrown away.

Python runs it again and again while objects are made; where a hundred thousand are made to stay, it goes through all of
them each time and finds nothing. Code of a user, whose garbage may be large, only has it come more rarely.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["collection_paused", "collection_rare"]

_RARE = 70_000
"""How many more objects must have been made than freed for a collection."""


class _Shared:
    """A state of the process that blocks of several threads want at a time: begun by the first, ended by the last."""

    def __init__(self, begin: Callable[[], Any], end: Callable[[Any], None]) -> None:
        self._begin = begin
        self._end = end
        self._lock = threading.Lock()
        self._depth = 0
        self._before: Any = None

    @contextmanager
    def block(self) -> Iterator[None]:
        with self._lock:
            if self._depth == 0:
                self._before = self._begin()
            self._depth += 1
        try:
            yield
        finally:
            with self._lock:
                self._depth -= 1
                if self._depth == 0:
                    self._end(self._before)


def _pause() -> bool:
    was_enabled = gc.isenabled()
    gc.disable()
    return was_enabled


def _go_on(was_enabled: bool) -> None:
    if was_enabled:
        gc.enable()


def _make_rare() -> tuple[int, ...]:
    before = gc.get_threshold()
    if before[0]:  # 0: never
        gc.set_threshold(max(before[0], _RARE), *before[1:])
    return before


def _make_usual(before: tuple[int, ...]) -> None:
    gc.set_threshold(*before)


_paused = _Shared(_pause, _go_on)
_rare = _Shared(_make_rare, _make_usual)

collection_paused = _paused.block
"""A block without collections, until it and any other such block that has begun meanwhile have ended."""

collection_rare = _rare.block
"""A block with collections a hundred times more rarely, until it and any other such block have ended."""
