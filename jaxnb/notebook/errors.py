"""Tracebacks without the engine's frames, in every cell of a notebook.

Lives here: which frames a reader does not need, and the hook that leaves them out. Must not live here: what an error
says. The hook stands around the shell's formatter of tracebacks, so that exception classes that render themselves and
handlers that others have set work as before.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from IPython.core.interactiveshell import InteractiveShell

from jaxnb.base import config

__all__ = ["MAGIC_FILE", "TracebackFilter", "went_through_engine", "without_engine_frames"]

MAGIC_FILE = "<%"
"""How the file names of calls in line magics begin."""

_PACKAGE = str(Path(__file__).resolve().parents[1]) + os.sep
_ENGINE = str(Path(_PACKAGE) / "engine") + os.sep
_IMPORTING = ("<frozen importlib", str(importlib.__file__))
_RUNNERS = frozenset({"run_cell_magic", "run_line_magic"})
_MACHINERY = frozenset({"run_code", *_RUNNERS})


def without_engine_frames(traceback: TracebackType | None) -> TracebackType | None:
    """Returns a traceback without the frames of this package, and of the magics on the way to them.

    Where nothing is left, the result is None.
    """
    entries = list(_entries(traceback))
    shortened: TracebackType | None = None
    for place in reversed(range(len(entries))):
        if not _is_hidden(entries, place):
            entry = entries[place]
            shortened = TracebackType(shortened, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return shortened


def went_through_engine(traceback: TracebackType | None) -> bool:
    """Returns whether an error was raised in the engine, or in a function that the engine called."""
    return any(entry.tb_frame.f_code.co_filename.startswith(_ENGINE) for entry in _entries(traceback))


def _entries(traceback: TracebackType | None) -> Iterator[TracebackType]:
    while traceback is not None:
        yield traceback
        traceback = traceback.tb_next


def _is_hidden(entries: list[TracebackType], place: int) -> bool:
    code = entries[place].tb_frame.f_code
    if code.co_filename.startswith(_PACKAGE) or code.co_filename.startswith(_IMPORTING):
        return True
    if code.co_filename.startswith(MAGIC_FILE) and code.co_name == "<module>":
        return True
    if _is_our_runner(entries, place):
        return True
    # The cell itself: of a cell magic the call `get_ipython().run_cell_magic(…)`, which nobody wrote.
    below = place + 1
    return (
        code.co_name == "<module>"
        and _is_our_runner(entries, below)
        and entries[below].tb_frame.f_code.co_name == "run_cell_magic"
    )


def _is_our_runner(entries: list[TracebackType], place: int) -> bool:
    """Whether this frame is IPython's, on the way to a magic of ours."""
    if place + 1 >= len(entries):
        return False
    code, below = (entries[i].tb_frame.f_code for i in (place, place + 1))
    return code.co_name in _RUNNERS and below.co_filename.startswith(_PACKAGE)


class TracebackFilter:
    """The hook on one shell; `jax_traceback_filtering` set to `off` shows every frame."""

    def __init__(self, shell: InteractiveShell) -> None:
        self._formatter = shell.InteractiveTB
        self._original = self._formatter.structured_traceback
        self._syntax = shell.SyntaxTB
        self._original_syntax = self._syntax.structured_traceback
        self._is_on = True
        self._formatter.structured_traceback = self._structured
        self._syntax.structured_traceback = self._structured_syntax

    def remove(self) -> None:
        """Takes the hook away; if another stands around it by now, it stays and does nothing."""
        self._is_on = False
        for formatter, hook in ((self._formatter, self._structured), (self._syntax, self._structured_syntax)):
            if vars(formatter).get("structured_traceback") == hook:
                del formatter.structured_traceback

    def _structured(
        self,
        etype: Any,
        evalue: BaseException | None,
        etb: Any = None,
        tb_offset: int | None = None,
        context: int = 5,
    ) -> list[str]:
        if self._is_on and config.traceback_filtering.value != "off":
            with _shortened_causes(evalue):
                shortened = _shortened(etb, keep_first=tb_offset != 0)
                return self._original(etype, evalue, shortened, tb_offset, context)
        return self._original(etype, evalue, etb, tb_offset, context)

    def _structured_syntax(
        self,
        etype: Any,
        evalue: BaseException | None,
        etb: Any = None,
        tb_offset: int | None = None,
        context: int = 5,
    ) -> list[str]:
        if self._is_on and config.traceback_filtering.value != "off" and isinstance(etb, list):
            etb = _summary_without_engine_frames(etb)  # here IPython passes a summary of the frames
        return self._original_syntax(etype, evalue, etb, tb_offset, context)


def _summary_without_engine_frames(entries: list[Any]) -> list[Any]:
    """Returns a summary of a traceback without the frames of this package, and of the magics on the way to them."""
    kept: list[Any] = []
    for entry in entries:
        if entry.name in _RUNNERS and kept and kept[-1].name == "<module>":
            kept.pop()  # the call of the magic, which nobody wrote
        if entry.name not in _MACHINERY and not entry.filename.startswith((_PACKAGE, MAGIC_FILE)):
            kept.append(entry)
    return kept


def _shortened(traceback: Any, keep_first: bool) -> Any:
    """Shortens a traceback; the first frame is the shell's own, which the formatter drops by counting."""
    if not isinstance(traceback, TracebackType):
        return traceback  # the formatter calls itself with a tuple for the cause of an error
    if not keep_first:
        return without_engine_frames(traceback) or traceback
    rest = without_engine_frames(traceback.tb_next)
    return TracebackType(rest, traceback.tb_frame, traceback.tb_lasti, traceback.tb_lineno)


@contextmanager
def _shortened_causes(error: BaseException | None) -> Iterator[None]:
    """Shortens the tracebacks of the errors that led to this one, for as long as they are being printed.

    A cause that lies in the engine alone is left out: what a reader needs of it, the error itself says.
    """
    with ExitStack() as undo:
        seen: set[int] = set()
        while error is not None and id(error) not in seen:
            seen.add(id(error))
            cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
            if cause is None:
                break
            undo.callback(_restore, error, error.__cause__, error.__suppress_context__)
            undo.callback(setattr, cause, "__traceback__", cause.__traceback__)
            cause.__traceback__ = without_engine_frames(cause.__traceback__)
            if cause.__traceback__ is None:
                error.__cause__ = None  # which also hides the context
            error = cause
        yield


def _restore(error: BaseException, cause: BaseException | None, is_hidden: bool) -> None:
    error.__cause__ = cause
    error.__suppress_context__ = is_hidden
