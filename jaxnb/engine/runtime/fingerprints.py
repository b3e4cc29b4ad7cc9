"""What is remembered of a value, so that it can be told later whether it is another one.

Lives here: marks, how two are compared, and how a value is shown. A mark keeps no array and no object alive. Must not live
here: which values are looked at (``outside.py``).
"""

from __future__ import annotations

import enum
import weakref
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from jaxnb.base.lazy import lazy_module
from jaxnb.engine.runtime.arrays import ArrayImpl

if TYPE_CHECKING:
    import hashlib
else:
    hashlib = lazy_module("hashlib")

__all__ = [
    "MOST_HASHED",
    "MOST_ITEMS",
    "PLAIN",
    "Fingerprint",
    "changed_how",
    "mark_of",
    "plain_fingerprint",
    "shown",
]

MOST_ITEMS = 1000
"""So many items of a container are looked at."""
_MOST_TOGETHER = 4000
"""So many with those of the containers inside it."""

PLAIN = (bool, int, float, complex, str, bytes, type(None))

MOST_HASHED = 1 << 20
"""Larger arrays of NumPy, in bytes, are not read."""

_DEEPEST = 4
_LONGEST = 60
_LONG_TEXT = 1000
_CONTAINERS = (list, tuple, dict, set, frozenset)
_BY_TEXT = (np.generic, range, slice, np.dtype, enum.Enum)


class Fingerprint(NamedTuple):
    """What is remembered of a value: where it was found, how it looked, and something that differs when it differs."""

    scope: str
    shown: str
    mark: Any


def plain_fingerprint(scope: str, value: Any) -> Fingerprint:
    """Returns that of a number, a text, or None."""
    mark = _plain_mark(value)
    text = mark[2] if type(mark[2]) is str else repr(value[:_LONGEST])
    return Fingerprint(scope, text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…", mark)


def _plain_mark(value: Any) -> tuple[str, str, Any]:
    name = type(value).__qualname__
    if isinstance(value, str | bytes) and len(value) > _LONG_TEXT:
        return "plain", name, (len(value), hash(value))
    return "plain", name, repr(value)


def mark_of(value: Any, most: int) -> Any:
    """Returns something that differs when the value differs; for what cannot be looked into, a weak reference.

    Args:
        value: the value.
        most: arrays of more bytes are not read. Where that is less than is read at first, their mark is None.
    """
    return _mark(value, most, 0, [_MOST_TOGETHER])


def _mark(value: Any, most: int, depth: int, room: list[int]) -> Any:
    if isinstance(value, (*PLAIN, *_BY_TEXT)):
        return _plain_mark(value)
    if isinstance(value, np.ndarray):
        if value.nbytes > most and most < MOST_HASHED:
            return None
        if value.nbytes > most or value.dtype.hasobject:
            return _identity(value)
        digest = hashlib.blake2b(np.ascontiguousarray(value).tobytes(), digest_size=8).digest()
        return "array", value.shape, value.dtype.str, digest
    if isinstance(value, _CONTAINERS) and depth < _DEEPEST:
        seen = min(len(value), MOST_ITEMS, room[0])
        room[0] -= seen
        if isinstance(value, dict):
            family = "dict"
            items = [(_key(k), _mark(item, most, depth + 1, room)) for k, item in islice(value.items(), seen)]
        elif isinstance(value, set | frozenset):  # equal ones may have other orders
            family, items = "set", sorted(str(_key(item)) for item in islice(value, seen))
        else:
            family, items = "list", [_mark(item, most, depth + 1, room) for item in islice(value, seen)]
        return "items", (family, type(value).__qualname__), len(value), tuple(items)
    return _identity(value)


def _key(key: Any) -> Any:
    return repr(key) if type(key) in PLAIN else (type(key).__qualname__, id(key))


def _identity(value: Any) -> Any:
    try:
        return "object", id(value), weakref.ref(value)
    except TypeError:
        return "object", id(value), None


def changed_how(before: Any, now: Any) -> str:
    """Returns how two marks differ: ``code``, ``object`` (it is another one), ``contents``, or ``""``."""
    if _is_same(before, now):
        return ""
    if before[0] == now[0] == "object":
        return "object"
    return "code" if now[0] == "code" else "contents"


def _is_same(before: Any, now: Any) -> bool:
    if now is None or before is now:  # not looked at again, or one object
        return True
    if before is None or before[0] != now[0]:
        return False
    if before[0] == "object":
        # The identity of an object that is gone may have been given to another one.
        return before[1] == now[1] and (before[2] is None or before[2]() is not None)
    if before[0] != "items":
        return before == now
    if before[1:3] != now[1:3] or len(before[3]) != len(now[3]):
        return False
    family = before[1][0]
    if family == "dict":
        return all(a[0] == b[0] and _is_same(a[1], b[1]) for a, b in zip(before[3], now[3], strict=True))
    if family == "set":
        return before[3] == now[3]
    return all(map(_is_same, before[3], now[3]))


def shown(value: Any) -> str:
    """Returns a value as a short text, in which arrays are types and objects the names of theirs."""
    text = _text(value, 0)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _text(value: Any, depth: int) -> str:
    kind = type(value)
    if isinstance(value, np.ndarray | ArrayImpl) and (value.ndim or depth):
        return f"{value.dtype}[{','.join(map(str, value.shape))}]"
    if kind in PLAIN or isinstance(value, (*_BY_TEXT, np.ndarray)):
        return repr(value)
    if isinstance(value, _CONTAINERS) and depth < _DEEPEST:
        parts: list[str] = []
        for item in value.items() if isinstance(value, dict) else value:
            if sum(map(len, parts)) > _LONGEST:
                break
            parts.append(
                ": ".join(_text(i, depth + 1) for i in item)
                if isinstance(value, dict)
                else _text(item, depth + 1)
            )
        inner = ", ".join(parts)
        if isinstance(value, tuple):
            return f"({inner},)" if len(value) == 1 else f"({inner})"
        return f"[{inner}]" if isinstance(value, list) else f"{{{inner}}}"
    return kind.__name__
