"""Where an equation comes from: the captured Python stack and the name stack.

Lives here: name stacks, the thread's current provenance, and which frames are the engine's own. Knows no equation.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, NamedTuple

from jaxnb.xla import traceback as tb_door

__all__ = [
    "NameStack",
    "SourceInfo",
    "current_name_stack",
    "current_source",
    "extend_name_stack",
    "is_own",
    "is_user_file",
    "named_scope",
    "provenance",
    "rule_traceback",
    "summarize",
    "transform_name_stack",
    "user_frames",
    "with_source",
]


class NameStack:
    """A path of scopes and transformations, such as ``layer/jvp(attention)``; immutable and interned."""

    __slots__ = ("_children", "_text", "entries")

    def __init__(self, entries: tuple[tuple[str, str], ...]):
        self.entries = entries
        self._children: dict[tuple[str, str], NameStack] = {}
        self._text: str | None = None

    def _child(self, kind: str, name: str) -> NameStack:
        found = self._children.get((kind, name))
        if found is None:
            found = self._children[kind, name] = NameStack((*self.entries, (kind, name)))
        return found

    def extend(self, name: str) -> NameStack:
        """Returns this path with one more scope."""
        return self._child("scope", name)

    def transform(self, name: str) -> NameStack:
        """Returns this path with one more transformation, which is written around the next scope."""
        return self._child("transform", name)

    def __add__(self, other: NameStack) -> NameStack:
        if not self.entries:
            return other
        out = self
        for kind, name in other.entries:
            out = out._child(kind, name)
        return out

    def without(self, base: NameStack) -> NameStack:
        """Returns what this path adds to another that it begins with; itself where it does not begin with it."""
        n = len(base.entries)
        if not n or self.entries[:n] != base.entries:
            return self
        out = empty_name_stack
        for kind, name in self.entries[n:]:
            out = out._child(kind, name)
        return out

    def __str__(self) -> str:
        if self._text is None:
            words: list[str] = []
            for kind, name in reversed(self.entries):
                if kind == "scope":
                    words.insert(0, name)
                else:  # a transformation stands around the next word alone
                    words[:1] = [f"{name}({words[0] if words else ''})"]
            self._text = "/".join(words)
        return self._text

    def __repr__(self) -> str:
        return f"NameStack({str(self)!r})"


empty_name_stack = NameStack(())


class SourceInfo(NamedTuple):
    """Where an equation comes from: the Python stack (None where not captured) and the name stack."""

    traceback: Any
    name_stack: NameStack


class _Provenance(threading.local):
    """What new equations of this thread are told about their origin."""

    def __init__(self) -> None:
        self.name_stack = empty_name_stack
        self.traceback: Any = None


provenance = _Provenance()

rule_traceback = tb_door.Traceback()
"""Stands for the traceback of whatever equation a lowering rule that is a program will be used for."""
capture = tb_door.capture


def current_source() -> SourceInfo:
    """Returns the provenance of an equation made now."""
    p = provenance
    tb = p.traceback
    return SourceInfo(capture() if tb is None else tb, p.name_stack)


def current_name_stack() -> NameStack:
    """Returns this thread's name stack."""
    return provenance.name_stack


@contextmanager
def extend_name_stack(name: str) -> Iterator[NameStack]:
    """Adds a scope to the name stack of equations made inside."""
    p = provenance
    before = p.name_stack
    p.name_stack = before.extend(name)
    try:
        yield p.name_stack
    finally:
        p.name_stack = before


@contextmanager
def transform_name_stack(name: str) -> Iterator[NameStack]:
    """Adds a transformation to the name stack of equations made inside."""
    p = provenance
    before = p.name_stack
    p.name_stack = before.transform(name)
    try:
        yield p.name_stack
    finally:
        p.name_stack = before


@contextmanager
def with_source(traceback: Any, name_stack: NameStack) -> Iterator[None]:
    """Gives equations made inside the provenance of another equation."""
    p = provenance
    before = p.traceback, p.name_stack
    p.traceback, p.name_stack = traceback, name_stack
    try:
        yield
    finally:
        p.traceback, p.name_stack = before


@contextmanager
def reset_name_stack() -> Iterator[None]:
    """Starts an empty name stack, as the body of a function traced on its own has."""
    p = provenance
    before = p.traceback, p.name_stack
    p.traceback, p.name_stack = None, empty_name_stack
    try:
        yield
    finally:
        p.traceback, p.name_stack = before


def named_scope(name: str) -> AbstractContextManager[NameStack]:
    """Labels the operations traced inside with ``name``; the label reaches HLO metadata.

    Raises:
        TypeError: where ``name`` is not a string.
    """
    if not isinstance(name, str):
        raise TypeError("named_scope name argument must be a string.")
    return extend_name_stack(name)


_package_dir = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))) + os.sep
_library_dir = os.path.dirname(os.__file__)
_internal: dict[str, bool] = {}


def is_user_file(filename: str) -> bool:
    """Returns whether a frame of this file is the user's own, and not the engine's, Python's library's or an import hook's.

    A file of tests is always the user's, as it is for JAX.
    """
    found = _internal.get(filename)
    if found is None:
        found = filename.startswith((_package_dir, _library_dir, "<frozen ")) and not filename.endswith(
            "_test.py"
        )
        _internal[filename] = found
    return not found


def is_own(fun: Any) -> bool:
    """Returns whether a function is defined in this package."""
    code = getattr(fun, "__code__", None)
    return code is not None and code.co_filename.startswith(_package_dir)


def user_frames(traceback: Any) -> list[tb_door.Frame]:
    """Returns the user's own frames of a captured stack, innermost first."""
    if traceback is None:
        return []
    return [f for f in tb_door.frames(traceback) if is_user_file(f.file)]


def summarize(info: SourceInfo) -> str:
    """Returns ``file:line:column (function)`` of the user's innermost frame; a line's first column is left out.

    It is empty where the function traced has no line of the user's, as the functions of this package have not.
    """
    frames = user_frames(info.traceback)
    if not frames:
        return ""
    f = frames[0]
    column = f":{f.col_start}" if f.col_start else ""
    return f"{f.file}:{f.line}{column} ({f.function})"
