"""What a function can reach and change: remembered before it runs, compared and put back afterwards.

What lives here: the walk from a function's variables inwards, to a bounded depth and size. What must not: the engine; what
a change means; how each kind of thing is remembered (``remembered``).
"""

from __future__ import annotations

import random as python_random
import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from types import CellType, CodeType, FunctionType, MethodType, ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from jaxnb.explorer.capture.remembered import (
    NOTHING,
    Attributes,
    Buffer,
    Cell,
    Change,
    Items,
    Members,
    Position,
    RandomState,
    Record,
    SequenceItems,
    Variables,
    is_moving,
)

__all__ = ["Reachable", "all_codes"]

_DEEPEST = 8
_MOST_WALKED = 2_000
_MOST_ITEMS = 100_000
_MOST_RECORDS = 20_000
_MOST_FUNCTIONS = 500
_MOST_BYTES = 1 << 26

_LEAVES = (str, bytes, int, float, complex, bool, type(None), CodeType)


class Reachable:
    """The state that a function can reach, as it was when this was made.

    Args:
        fun: The function.
        arguments: What it is called with, by name: an object that is compiled in by value can be changed too.
        is_users_file: Whether a file is the user's; what libraries keep is left alone.
    """

    def __init__(
        self, fun: Callable[..., Any], arguments: Mapping[str, Any], is_users_file: Callable[[str], bool]
    ) -> None:
        self.records: list[Record] = []
        self.functions: list[FunctionType] = []
        self._is_users_file = is_users_file
        self._seen: dict[int, Any] = {}
        self._bytes_left = _MOST_BYTES
        self._names: set[str] = set()
        self._classes: list[tuple[type, str]] = []
        self._variables: dict[int, Variables] = {}
        self._visit(fun, "", 0)
        for name, value in arguments.items():
            self._visit(value, name, 1)
        self._visit_methods()

    def changes(self) -> list[Change]:
        """What differs from what was remembered, each once."""
        return [change for record in self.records for change in record.changes()]

    def restore(self) -> None:
        """Puts back what was remembered, into the same objects."""
        for record in self.records:
            record.restore()

    # -- the walk ----------------------------------------------------------------------------------------------------

    def _remember(self, record: Record) -> None:
        self.records.append(record)

    def _visit(self, value: Any, path: str, depth: int) -> None:
        if isinstance(value, _LEAVES) or id(value) in self._seen or len(self.records) > _MOST_RECORDS:
            return
        if depth > _DEEPEST:
            return
        self._seen[id(value)] = value
        wrapped = getattr(value, "__wrapped__", None) if not isinstance(value, type | ModuleType) else None
        if isinstance(value, FunctionType):
            self._function(value, path, depth)
            self._visit(wrapped, path, depth)
        elif isinstance(value, MethodType):
            self._visit(value.__self__, path.rpartition(".")[0] or "self", depth)
            self._visit(value.__func__, path, depth)
        elif isinstance(value, partial):
            self._visit(value.func, path, depth)
            for at, one in enumerate(value.args):
                self._visit(one, f"{path or 'partial'}.args[{at}]", depth + 1)
            for name, one in value.keywords.items():
                self._visit(one, f"{path or 'partial'}.keywords[{name!r}]", depth + 1)
        elif isinstance(value, ModuleType):
            self._module(value, path, depth)
        elif isinstance(value, type):
            self._class(value, path, depth)
        elif isinstance(wrapped, FunctionType | MethodType | partial):
            self._visit(wrapped, path, depth)  # jitted, cached, or decorated otherwise
        else:
            self._value(value, path, depth)

    def _value(self, value: Any, path: str, depth: int) -> None:
        if isinstance(value, np.ndarray):
            if value.flags.writeable and value.nbytes <= self._bytes_left:
                self._bytes_left -= value.nbytes
                self._remember(Buffer(path, value))
        elif isinstance(value, dict):
            if len(value) <= _MOST_ITEMS:
                self._remember(Items(path, value))
                for key, item in list(value.items())[:_MOST_WALKED]:
                    self._visit(item, f"{path}[{key!r}]", depth + 1)
        elif isinstance(value, list | deque | bytearray):
            if len(value) <= _MOST_ITEMS:
                self._remember(SequenceItems(path, value))
                if not isinstance(value, bytearray):
                    self._each(list(value), path, depth)
        elif isinstance(value, set):
            if len(value) <= _MOST_ITEMS:
                self._remember(Members(path, value))
                self._each(list(value), path, depth)
        elif isinstance(value, tuple | frozenset):
            self._each(list(value), path, depth)
        elif isinstance(value, np.random.Generator | np.random.RandomState | python_random.Random):
            self._remember(RandomState(path, value))
        elif isinstance(value, CellType):
            self._cell(value, path, depth)
        elif is_moving(value):
            self._remember(Position(path, value))
        elif isinstance(value, SimpleNamespace) or self._is_users(type(value)):
            self._object(value, path, depth)

    def _each(self, items: Sequence[Any], path: str, depth: int) -> None:
        for at, item in enumerate(items[:_MOST_WALKED]):
            self._visit(item, f"{path}[{at}]", depth + 1)

    def _function(self, fun: FunctionType, path: str, depth: int) -> None:
        if len(self.functions) >= _MOST_FUNCTIONS or not self._is_users_file(fun.__code__.co_filename):
            return
        self.functions.append(fun)
        code = fun.__code__
        names = {name for one in all_codes(code) for name in one.co_names}
        self._names |= names
        if vars(fun):
            self._remember(Attributes(path or fun.__name__, fun))
            for name, item in list(vars(fun).items()):
                self._visit(item, f"{path or fun.__name__}.{name}", depth + 1)
        for name, cell in zip(code.co_freevars, fun.__closure__ or (), strict=False):
            if id(cell) not in self._seen:
                self._seen[id(cell)] = cell
                self._cell(cell, name, depth)
        arguments = code.co_varnames[: code.co_argcount]
        defaults = fun.__defaults__ or ()
        pairs = zip(arguments[len(arguments) - len(defaults) :], defaults, strict=False)
        for name, item in (*pairs, *(fun.__kwdefaults__ or {}).items()):
            self._visit(item, name, depth + 1)
        self._of_namespace(fun.__globals__, names, "", depth)

    def _of_namespace(self, space: dict[str, Any], names: set[str], prefix: str, depth: int) -> None:
        """The variables of a module that functions name; those that do not exist yet are remembered too."""
        record = self._variables.get(id(space))
        if record is None:
            record = self._variables[id(space)] = Variables(prefix, space)
            self._remember(record)
        for name in sorted(names):
            if record.add(name) and (value := space.get(name, NOTHING)) is not NOTHING:
                self._visit(value, f"{prefix}{name}", depth + 1)

    def _cell(self, cell: CellType, name: str, depth: int) -> None:
        self._remember(Cell(name, cell))
        try:
            value = cell.cell_contents
        except ValueError:  # it is empty
            return
        self._visit(value, name, depth + 1)

    def _module(self, module: ModuleType, path: str, depth: int) -> None:
        if module is python_random:
            self._remember(RandomState(path, python_random))
        elif module.__name__ in ("numpy", "numpy.random"):
            name = path if module.__name__ == "numpy.random" else f"{path}.random"
            if id(np.random) not in self._seen or module is np.random:
                self._seen[id(np.random)] = np.random
                self._remember(RandomState(name, np.random))
        elif self._is_users_file(getattr(module, "__file__", None) or "<none>"):
            self._of_namespace(vars(module), self._names & vars(module).keys(), f"{path}.", depth)

    def _class(self, cls: type, path: str, depth: int) -> None:
        if not self._is_users(cls):
            return
        self._classes.append((cls, path))
        self._remember(Attributes(path, cls))
        for name, item in list(vars(cls).items()):
            if not name.startswith("__") and not isinstance(item, FunctionType | property):
                self._visit(item, f"{path}.{name}", depth + 1)
        for base in cls.__bases__:
            self._visit(base, base.__name__, depth + 1)

    def _object(self, value: Any, path: str, depth: int) -> None:
        record = Attributes(path, value)
        self._remember(record)
        self._visit(type(value), type(value).__name__, depth)
        for name, item in list(record.saved.items())[:_MOST_WALKED]:
            self._visit(item, f"{path}.{name}", depth + 1)

    def _visit_methods(self) -> None:
        """Methods that the functions name; those name others."""
        known = -1
        while known != len(self._names) + len(self._classes):
            known = len(self._names) + len(self._classes)
            for cls, path in list(self._classes):
                for name in (*self._names, "__call__"):
                    method = vars(cls).get(name)
                    if isinstance(method, property):
                        method = method.fget
                    inner = getattr(method, "__func__", method)
                    if inner is not None:
                        self._visit(inner, f"{path}.{name}", 1)

    def _is_users(self, cls: type) -> bool:
        """Whether the user wrote a class."""
        if cls.__module__ == "__main__":
            return True
        file = getattr(sys.modules.get(cls.__module__), "__file__", None)
        return file is not None and self._is_users_file(file) and "site-packages" not in file


def all_codes(code: CodeType) -> Iterator[CodeType]:
    """A function's code, and that of the functions inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from all_codes(constant)
