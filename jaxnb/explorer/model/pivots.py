"""Pivots: what links are made of. A pivot is a leaf equation, an argument, or an array closed over.

What lives here: their numbering, and the pool of pivot sets that spans and graph nodes refer to. What must not: where a
pivot appears.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from jaxnb.explorer.capture.protocol import CapturedTrace


def argument_key(index: int) -> str:
    """The key of an argument."""
    return f"argument:{index}"


def constant_key(index: int) -> str:
    """The key of an array that was closed over."""
    return f"constant:{index}"


@dataclass(slots=True)
class PivotTable:
    """The pivots in columns: leaf equations first, then arguments, then constants.

    Attributes:
        kinds: ``eqn``, ``arg`` or ``const``.
        labels: The primitive's name, or the name of the array.
        types: The short type of what it is or gives.
        keys: An equation's path, or ``argument:i``, ``constant:i``.
        number: From key to pivot number.
    """

    kinds: list[str] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    types: list[str] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    number: dict[str, int] = field(default_factory=dict)
    _inside: dict[str, list[int]] = field(default_factory=dict)

    def add(self, kind: str, label: str, type_: str, key: str) -> None:
        """Adds a pivot; an equation is also found under the paths of those that call it."""
        number = len(self.kinds)
        self.kinds.append(kind)
        self.labels.append(label)
        self.types.append(type_)
        self.keys.append(key)
        self.number[key] = number
        at = key.rfind("/")
        while at >= 0:
            self._inside.setdefault(key[:at], []).append(number)
            at = key.rfind("/", 0, at)

    def numbers(self, keys: Iterable[str]) -> list[int]:
        """The pivots that the keys stand for; an equation that calls stands for all it calls."""
        found: set[int] = set()
        for key in keys:
            number = self.number.get(key)
            if number is not None:
                found.add(number)
            else:
                found.update(self._inside.get(key, ()))
        return sorted(found)


def make_pivots(trace: CapturedTrace) -> PivotTable:
    """The pivots of a traced function."""
    table = PivotTable()
    for equation in trace.equations:
        if equation.is_leaf:
            table.add("eqn", equation.primitive, ", ".join(equation.out_types), equation.path)
    for index, argument in enumerate(trace.arguments):
        table.add("arg", argument.name, argument.type, argument_key(index))
    for index, constant in enumerate(trace.constants):
        table.add("const", constant.name, constant.type, constant_key(index))
    return table


class SetPool:
    """Pivot sets, each kept once."""

    def __init__(self, pivots: PivotTable) -> None:
        self.pivots = pivots
        self.sets: list[list[int]] = []
        self._index: dict[tuple[int, ...], int] = {}
        self._by_keys: dict[tuple[str, ...], int] = {}

    def of(self, keys: tuple[str, ...]) -> int:
        """The number of the set of these keys' pivots, -1 if there are none."""
        found = self._by_keys.get(keys)
        if found is None:
            numbers = tuple(self.pivots.numbers(keys))
            if numbers:
                found = self._index.setdefault(numbers, len(self.sets))
                if found == len(self.sets):
                    self.sets.append(list(numbers))
            else:
                found = -1
            self._by_keys[keys] = found
        return found
