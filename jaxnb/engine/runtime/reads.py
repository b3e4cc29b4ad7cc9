"""What a function read from outside of its arguments when it was traced, so that it can be told when that has changed.

Lives here: fingerprints of globals, closures and attributes, and their comparison. A fingerprint keeps no array and no
object alive. Must not live here: what to do about a change.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from jaxnb.base.lazy import lazy_module
from jaxnb.engine.core.source import is_user_file
from jaxnb.engine.runtime.arrays import ArrayImpl

if TYPE_CHECKING:
    import hashlib
else:
    hashlib = lazy_module("hashlib")

__all__ = ["Change", "Reads", "reads_of"]

_DEEPEST = 3
_MOST_ITEMS = 64
_MOST_HASHED = 1 << 20
_MOST_HASHED_AGAIN = 1 << 10
"""After each trace one looks once more: larger arrays are left out of that, for it would take too long."""
_PLAIN = (bool, int, float, complex, str, bytes, type(None))


class Change(NamedTuple):
    """A value that is not what it was when the function was traced."""

    path: str
    """The way to it, the variable's name first: ``self.k``, ``helper → scale``."""
    scope: str
    """``global``, ``closure``, ``self`` or ``function``."""
    before: str
    now: str


class Fingerprint(NamedTuple):
    """What is remembered of a value: how it looked, and something that differs when it differs."""

    scope: str
    shown: str
    mark: Any


class Reads:
    """The values that one function read, as they were at one time."""

    __slots__ = ("_found", "_fun", "effects")

    def __init__(self, fun: Callable[..., Any]):
        self._fun = _reference(fun)
        self._found = dict(_read(fun, _MOST_HASHED))
        self.effects: tuple[Change, ...] = ()
        """What the function itself changed while it was traced. That is no input: the next trace changes it again."""

    def traced(self, fun: Callable[..., Any]) -> None:
        """Notes what the trace that has just ended changed itself."""
        found = self._changed(_read(fun, _MOST_HASHED_AGAIN))
        if found:
            self.effects = tuple(found)
            for change in found:
                del self._found[change.path]

    def changes(self) -> list[Change]:
        """Returns what has changed since; nothing, once the function is gone."""
        fun = self._fun()
        return [] if fun is None else self._changed(_read(fun, _MOST_HASHED))

    def _changed(self, values: Iterator[tuple[str, Fingerprint]]) -> list[Change]:
        now = dict(values)
        found = []
        for path, before in self._found.items():
            after = now.get(path)
            if after is None:
                found.append(Change(path, before.scope, before.shown, "gone"))
            elif not _is_same(before.mark, after.mark):
                found.append(Change(path, before.scope, before.shown, after.shown))
        return found


def reads_of(fun: Callable[..., Any]) -> Reads | None:
    """Returns what a user's function reads now; None for a function of a package's own."""
    code = getattr(_plain(fun), "__code__", None)
    return Reads(fun) if code is not None and is_user_file(code.co_filename) else None


def _reference(fun: Any) -> Callable[[], Any]:
    if isinstance(fun, MethodType):
        return weakref.WeakMethod(fun)
    try:
        return weakref.ref(fun)
    except TypeError:
        return lambda: None


def _plain(fun: Any) -> Any:
    while hasattr(fun, "__wrapped__"):
        fun = fun.__wrapped__
    return fun


# ---- what is read ----------------------------------------------------------------------------------------------------


def _read(fun: Any, most: int) -> Iterator[tuple[str, Fingerprint]]:
    """Yields what a function reads by its path; an array of more than ``most`` bytes is known by its identity at best."""
    seen: set[int] = set()
    yield from _variables(_plain(fun), "", 0, seen, most)


def _variables(
    fun: Any, prefix: str, depth: int, seen: set[int], most: int
) -> Iterator[tuple[str, Fingerprint]]:
    code = getattr(fun, "__code__", None)
    if code is None or id(code) in seen:
        return
    seen.add(id(code))
    names = frozenset(_names(code))
    owner = getattr(fun, "__self__", None)
    if owner is not None and not isinstance(owner, ModuleType):
        yield from _attributes(owner, f"{prefix}self", "self", names, most)
    for name, cell in zip(code.co_freevars, getattr(fun, "__closure__", None) or (), strict=False):
        try:
            value = cell.cell_contents
        except ValueError:  # an empty cell
            continue
        yield from _value(value, f"{prefix}{name}", "closure", names, depth, seen, most)
    outer = getattr(fun, "__globals__", {})
    for name in names:
        if name in outer:
            yield from _value(outer[name], f"{prefix}{name}", "global", names, depth, seen, most)


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _value(
    value: Any, path: str, scope: str, names: frozenset[str], depth: int, seen: set[int], most: int
) -> Iterator[tuple[str, Fingerprint]]:
    if isinstance(value, ModuleType | type):
        return
    inner = _plain(value)
    if isinstance(inner, FunctionType | MethodType):
        if not is_user_file(inner.__code__.co_filename):
            return
        yield path, Fingerprint("function", f"function {inner.__name__}", _code_mark(inner.__code__))
        if depth < _DEEPEST:
            yield from _variables(inner, f"{path} → ", depth + 1, seen, most)
        return
    if _is_users_object(value):
        yield from _attributes(value, path, scope, names, most)
        return
    yield path, Fingerprint(scope, _shown(value), _mark(value, 0, most))


def _attributes(
    owner: Any, path: str, scope: str, names: frozenset[str], most: int
) -> Iterator[tuple[str, Fingerprint]]:
    for name, value in list(getattr(owner, "__dict__", {}).items()):
        if name in names and not callable(value):
            yield f"{path}.{name}", Fingerprint(scope, _shown(value), _mark(value, 0, most))


def _is_users_object(value: Any) -> bool:
    if not hasattr(value, "__dict__") or isinstance(value, ArrayImpl | np.ndarray) or callable(value):
        return False
    init = getattr(type(value), "__init__", None)
    code = getattr(init, "__code__", None)
    return type(value).__module__ == "__main__" or (code is not None and is_user_file(code.co_filename))


# ---- fingerprints ----------------------------------------------------------------------------------------------------


def _code_mark(code: CodeType) -> Any:
    consts = tuple(_code_mark(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts)
    return "code", code.co_code, code.co_names, consts


def _mark(value: Any, depth: int, most: int) -> Any:
    """Returns something that differs when the value differs; for what cannot be looked into, a weak reference.

    It is None where an array is not looked at again.
    """
    if isinstance(value, _PLAIN):
        return "plain", type(value), repr(value)
    if isinstance(value, np.ndarray):
        if value.nbytes > most and most < _MOST_HASHED:
            return None
        if value.nbytes > most or value.dtype.hasobject:
            return _identity(value)
        digest = hashlib.blake2b(np.ascontiguousarray(value).tobytes(), digest_size=8).digest()
        return "array", value.shape, value.dtype.str, digest
    if depth < _DEEPEST and isinstance(value, list | tuple) and len(value) <= _MOST_ITEMS:
        return "list", type(value), tuple(_mark(item, depth + 1, most) for item in value)
    if depth < _DEEPEST and isinstance(value, dict) and len(value) <= _MOST_ITEMS:
        return "dict", tuple((repr(key), _mark(item, depth + 1, most)) for key, item in value.items())
    return _identity(value)


def _identity(value: Any) -> Any:
    try:
        return "object", id(value), weakref.ref(value)
    except TypeError:
        return "object", id(value), None


def _is_same(before: Any, now: Any) -> bool:
    if now is None:  # not looked at again
        return True
    if not (isinstance(before, tuple) and isinstance(now, tuple)):
        return before == now
    if before[:1] == ("object",) and now[:1] == ("object",):
        # The identity of an object that is gone may have been given to another one.
        return before[1] == now[1] and (before[2] is None or before[2]() is not None)
    return len(before) == len(now) and all(_is_same(a, b) for a, b in zip(before, now, strict=True))


def _shown(value: Any) -> str:
    if isinstance(value, np.ndarray | ArrayImpl) and value.ndim:
        return f"{value.dtype}[{','.join(map(str, value.shape))}]"
    text = (
        repr(value) if isinstance(value, (*_PLAIN, list, tuple, dict, np.ndarray)) else type(value).__name__
    )
    return text if len(text) <= 60 else f"{text[:59]}…"
