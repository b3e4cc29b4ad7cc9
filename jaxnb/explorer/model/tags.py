"""Identity tags: how an equation's identity is written into a location name and read back from an ``op_name``.

An equation's identity is a path of ids through nested jaxprs, ``q3/q17``. Lowering names the location of every
operation ``q17/mul``: the id in its own jaxpr, then the primitive's name, because XLA takes the last part for the
instruction's name. XLA changes such a name in two ways, both tried: where it inlines a call it puts the call site's
name in front, and where a pass makes one operation of several it joins their names with ``;``. Ids are unique over all
jaxprs of a program, so that a name whose front is missing (the body of a loop; a function that was not inlined; the
second of joined names) still finds its equation. Nothing else may stand in a tag: a scope that the user calls ``q1``
must not be taken for an equation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_SEGMENT = re.compile(r"q\d+")


def tag(equation_id: int, primitive: str) -> str:
    """The location name of an operation that the equation lowers to."""
    return f"q{equation_id}/{primitive.replace('/', '_').replace(';', '_')}"


def join(prefix: str, path: str) -> str:
    """The path of an equation in a jaxpr that the equation at ``prefix`` calls."""
    return f"{prefix}/{path}" if prefix else path


def ids_of(name: str) -> list[str]:
    """The ids that the name of one operation carries, outermost first; none if it is not a tag.

    A tag begins with an id and does not end with one: neither an argument called ``q1`` nor a key ``a/q1/b`` of an
    argument is taken for an equation.
    """
    parts = name.split("/")
    if not _SEGMENT.fullmatch(parts[0]):
        return []
    return [part for part in parts[:-1] if _SEGMENT.fullmatch(part)]


class PathIndex:
    """The identity paths of a program, found from the names that XLA left."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.paths = dict.fromkeys(paths)
        self._by_last: dict[str, list[str]] = {}
        for path in self.paths:
            self._by_last.setdefault(path.rpartition("/")[2], []).append(path)
        self._names: dict[str, tuple[str, ...]] = {}

    def find(self, op_name: str) -> tuple[str, ...]:
        """The paths of the equations that an ``op_name`` names.

        An operation whose front part is missing and which could stand at several call sites stands for all of them:
        that is the case of a function compiled once and called several times.
        """
        found = self._names.get(op_name)
        if found is None:
            found = self._names[op_name] = tuple(self._resolve(op_name))
        return found

    def _resolve(self, op_name: str) -> list[str]:
        found: list[str] = []
        front: list[str] = []
        for name in op_name.split(";"):
            ids = ids_of(name)
            if not ids:
                continue
            paths = self._candidates(ids)
            while not paths and len(ids) > 1:
                # A primitive that lowers to a program of its own: what stands inside belongs to it.
                ids.pop()
                paths = self._candidates(ids)
            if len(paths) > 1 and front:
                # A later one of joined names: it comes from where the first one comes from.
                near = [path for path in paths if path.split("/")[: len(front)] == front]
                paths = near or paths
            for path in paths:
                if path not in found:
                    found.append(path)
            if not front and len(paths) == 1:
                front = paths[0].split("/")[:-1]
        return found

    def _candidates(self, ids: list[str]) -> list[str]:
        exact = "/".join(ids)
        if exact in self.paths:
            return [exact]
        return [path for path in self._by_last.get(ids[-1], ()) if _is_within(ids, path.split("/"))]


def _is_within(ids: list[str], path: list[str]) -> bool:
    """Whether the ids stand in the path in their order."""
    remaining = iter(path)
    return all(one in remaining for one in ids)
