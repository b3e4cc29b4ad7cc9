"""Things that can be changed, as they were: variables, attributes, items, buffers, generators of random numbers.

What lives here: how each kind is remembered, compared and put back in place. What must not: where they are found.
"""

from __future__ import annotations

import io
import itertools
import operator
import pickle
from abc import ABC, abstractmethod
from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from types import CellType, GeneratorType
from typing import Any, NamedTuple

import numpy as np

__all__ = [
    "NOTHING",
    "Attributes",
    "Buffer",
    "Cell",
    "Change",
    "Items",
    "Members",
    "Position",
    "RandomState",
    "Record",
    "SequenceItems",
    "Variables",
    "is_moving",
]

NOTHING: Any = object()
"""In place of a value where there is none."""

_MOST_NAMED = 3
_PLAIN = (int, float, complex, bool, str, bytes, type(None))


class Change(NamedTuple):
    """Something that differs from what it was.

    Attributes:
        path: ``state``, ``s.key``, ``counts['n']``, ``buffer[0]``.
        kind: ``variable``, ``attribute``, ``item``, or ``moved`` for what has a position of its own.
        owner: The variable that the path begins with.
        name: The variable, attribute or key that was given another value; None where no single one was.
        value: What it is now.
        is_kept: Whether it can be put back.
        is_cache: Whether it is a value that is computed once and kept on purpose.
        is_new: Whether there was nothing before.
    """

    path: str
    kind: str
    owner: str
    name: Any
    value: Any
    is_kept: bool = True
    is_cache: bool = False
    is_new: bool = False


class Record(ABC):
    """A thing as it was."""

    def __init__(self, path: str) -> None:
        self.path = path

    @property
    def owner(self) -> str:
        """The variable that the path begins with."""
        return self.path.partition("[")[0].partition(".")[0]

    @abstractmethod
    def changes(self) -> Iterator[Change]:
        """What differs now."""

    @abstractmethod
    def restore(self) -> None:
        """Puts it back."""

    def named(
        self, kind: str, before: Mapping[Any, Any], now: Mapping[Any, Any], shown: str
    ) -> Iterator[Change]:
        """The changes one by one, each with its path, or the whole where there are many."""
        found = _differing(before, now)
        if len(found) > _MOST_NAMED:
            yield Change(self.path, kind, self.owner, None, [value for _, value in found])
            return
        for name, value in found:
            path = self.path + shown.format(name)
            yield Change(path, kind, self.owner, name, value, is_new=name not in before)


def _is_same(before: Any, now: Any) -> bool:
    """Whether a value is the one it was, or a plain one that is equal to it."""
    if before is now:
        return True
    return type(before) is type(now) and isinstance(before, _PLAIN) and before == now


def _differing(before: Mapping[Any, Any], now: Mapping[Any, Any]) -> list[tuple[Any, Any]]:
    """Keys that were given another value, were added or went away, with what they hold now."""
    changed = [
        (key, now.get(key, NOTHING))
        for key in before
        if not _is_same(before[key], now.get(key, NOTHING))
    ]  # fmt: skip
    return changed + [(key, value) for key, value in now.items() if key not in before]


class Variables(Record):
    """Some variables of a module."""

    def __init__(self, prefix: str, space: dict[str, Any]) -> None:
        super().__init__(prefix)
        self.space = space
        self.saved: dict[str, Any] = {}

    def add(self, name: str) -> bool:
        """Remembers one more; False where it is known."""
        if name in self.saved:
            return False
        self.saved[name] = self.space.get(name, NOTHING)
        return True

    def changes(self) -> Iterator[Change]:
        for name, before in self.saved.items():
            now = self.space.get(name, NOTHING)
            if now is not before:
                path = f"{self.path}{name}"
                yield Change(path, "variable", self.owner or name, name, now, is_new=before is NOTHING)

    def restore(self) -> None:
        for name, before in self.saved.items():
            if self.space.get(name, NOTHING) is before:
                continue
            if before is NOTHING:
                self.space.pop(name, None)
            else:
                self.space[name] = before


class Cell(Record):
    """A variable of a function around."""

    def __init__(self, name: str, cell: CellType) -> None:
        super().__init__(name)
        self.cell = cell
        self.saved = self._now()

    def _now(self) -> Any:
        try:
            return self.cell.cell_contents
        except ValueError:
            return NOTHING

    def changes(self) -> Iterator[Change]:
        if (now := self._now()) is not self.saved:
            yield Change(self.path, "variable", self.path, self.path, now)

    def restore(self) -> None:
        if self._now() is self.saved:
            return
        if self.saved is NOTHING:
            del self.cell.cell_contents
        else:
            self.cell.cell_contents = self.saved


class Items(Record):
    """A dictionary."""

    def __init__(self, path: str, value: dict[Any, Any]) -> None:
        super().__init__(path)
        self.value = value
        self.saved = dict(value)

    def changes(self) -> Iterator[Change]:
        yield from self.named("item", self.saved, self.value, "[{!r}]")

    def restore(self) -> None:
        if list(self.saved) == list(self.value) and not _differing(self.saved, self.value):
            return
        kind: Any = OrderedDict if isinstance(self.value, OrderedDict) else dict
        kind.clear(self.value)  # not a subclass's own, which may do more
        for key, item in self.saved.items():
            kind.__setitem__(self.value, key, item)


class SequenceItems(Record):
    """A list, a deque or a bytearray."""

    def __init__(self, path: str, value: Any) -> None:
        super().__init__(path)
        self.value = value
        self.saved = list(value)

    def changes(self) -> Iterator[Change]:
        yield from self.named("item", dict(enumerate(self.saved)), dict(enumerate(self.value)), "[{}]")

    def restore(self) -> None:
        now = list(self.value)
        if len(now) == len(self.saved) and all(map(operator.is_, now, self.saved)):
            return
        if isinstance(self.value, list):
            list.__setitem__(self.value, slice(None), self.saved)
        elif isinstance(self.value, deque):
            deque.clear(self.value)
            deque.extend(self.value, self.saved)
        else:
            self.value[:] = bytes(self.saved)


class Members(Record):
    """A set."""

    def __init__(self, path: str, value: set[Any]) -> None:
        super().__init__(path)
        self.value = value
        self.saved = set(value)

    def changes(self) -> Iterator[Change]:
        if self.saved != self.value:
            yield Change(self.path, "item", self.owner, None, list(self.value - self.saved))

    def restore(self) -> None:
        if self.saved != self.value:
            set.clear(self.value)
            set.update(self.value, self.saved)


class Attributes(Record):
    """The attributes of an object, a class or a function."""

    def __init__(self, path: str, value: Any) -> None:
        super().__init__(path)
        self.value = value
        self.saved = self._now()

    def _now(self) -> dict[str, Any]:
        found = dict(getattr(self.value, "__dict__", {}))
        if isinstance(self.value, type):
            return {name: item for name, item in found.items() if not name.startswith("__")}
        for cls in type(self.value).__mro__:
            for name in _names_of_slots(vars(cls).get("__slots__", ())):
                with suppress(AttributeError):
                    found[name] = object.__getattribute__(self.value, name)
        return found

    def changes(self) -> Iterator[Change]:
        for change in self.named("attribute", self.saved, self._now(), ".{}"):
            is_cache = isinstance(getattr(type(self.value), str(change.name), None), cached_property)
            yield change._replace(is_cache=is_cache)

    def restore(self) -> None:
        for name, _ in _differing(self.saved, self._now()):
            before = self.saved.get(name, NOTHING)
            if isinstance(self.value, type):
                type.__delattr__(self.value, name) if before is NOTHING else type.__setattr__(
                    self.value, name, before
                )
            elif _is_slot(type(self.value), name):
                # past what the class does when it is assigned to
                object.__delattr__(self.value, name) if before is NOTHING else object.__setattr__(
                    self.value, name, before
                )
            elif before is NOTHING:
                vars(self.value).pop(name, None)
            else:
                vars(self.value)[name] = before


def _names_of_slots(slots: str | Iterable[str]) -> list[str]:
    names = [slots] if isinstance(slots, str) else list(slots)
    return [name for name in names if name not in ("__dict__", "__weakref__")]


def _is_slot(cls: type, name: str) -> bool:
    return any(name in _names_of_slots(vars(one).get("__slots__", ())) for one in cls.__mro__)


class Buffer(Record):
    """A NumPy array that can be written to."""

    def __init__(self, path: str, value: np.ndarray[Any, Any]) -> None:
        super().__init__(path)
        self.value = value
        self.saved = value.copy()

    def _unequal(self) -> np.ndarray[Any, Any]:
        if self.value.dtype.hasobject:
            return np.asarray(np.frompyfunc(operator.is_not, 2, 1)(self.saved, self.value), bool)
        with np.errstate(all="ignore"):
            is_nan = (self.saved != self.saved) & (self.value != self.value)
            return np.asarray(self.saved != self.value) & ~is_nan

    def changes(self) -> Iterator[Change]:
        if self.value.shape != self.saved.shape:
            yield Change(self.path, "item", self.owner, None, None, is_kept=False)
            return
        if self.value.tobytes() == self.saved.tobytes():
            return
        places = np.argwhere(self._unequal())
        if len(places):
            at = ", ".join(map(str, places[0]))
            path = f"{self.path}[{at}]" if len(places) == 1 and at else self.path
            yield Change(path, "item", self.owner, None, None)

    def restore(self) -> None:
        if self.value.shape == self.saved.shape and self.value.flags.writeable:
            self.value[...] = self.saved


class RandomState(Record):
    """A generator of random numbers: NumPy's, Python's, or the one that a module of theirs has."""

    def __init__(self, path: str, value: Any) -> None:
        super().__init__(path)
        self.value = value
        self.saved = pickle.dumps(self._state())

    def _state(self) -> Any:
        if isinstance(self.value, np.random.Generator):
            return self.value.bit_generator.state
        read = getattr(self.value, "get_state", None) or self.value.getstate
        return read()

    def changes(self) -> Iterator[Change]:
        if pickle.dumps(self._state()) != self.saved:
            yield Change(self.path, "moved", self.owner, None, None)

    def restore(self) -> None:
        state = pickle.loads(self.saved)
        if isinstance(self.value, np.random.Generator):
            self.value.bit_generator.state = state
        else:
            write = getattr(self.value, "set_state", None) or self.value.setstate
            write(state)


class Position(Record):
    """An iterator, a generator or a file: it can be seen to have moved on, and cannot be put back."""

    def __init__(self, path: str, value: Any) -> None:
        super().__init__(path)
        self.value = value
        self.saved = _position(value)

    def changes(self) -> Iterator[Change]:
        if _position(self.value) != self.saved:
            yield Change(self.path, "moved", self.owner, None, None, is_kept=False)

    def restore(self) -> None:
        """Nothing: there is no way back."""


def is_moving(value: Any) -> bool:
    """Whether something has a position of its own that using it moves."""
    return isinstance(value, io.IOBase | GeneratorType) or (
        isinstance(value, Iterator) and type(value).__module__ in ("builtins", "itertools")
    )


def _position(value: Any) -> Any:
    if isinstance(value, GeneratorType):
        return value.gi_frame.f_lasti if value.gi_frame is not None else None
    if isinstance(value, io.IOBase):
        try:
            return value.tell() if not value.closed else None
        except (OSError, ValueError):
            return None
    if isinstance(value, itertools.count):
        return repr(value)
    return operator.length_hint(value, -1)
