"""Array methods and operators: one table, for arrays and tracers alike, filled when the first of them is used.

Lives here: the table, its names and who receives it. What the methods do stands in ``jaxnb/numpy/array_methods.py``.
"""

from __future__ import annotations

import importlib
from collections.abc import Collection, Mapping
from typing import Any

from jaxnb.engine.core.trace import Tracer

__all__ = ["NAMES", "ensure_filled", "fill", "method", "receive"]

_FILLER = "jaxnb.numpy.array_methods"  # it stands above, and is asked by its name

_BINARY = (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "divmod", "pow", "matmul", "and", "or", "xor", "lshift", "rshift",
)  # fmt: skip

NAMES = (
    "__neg__", "__pos__", "__abs__", "__invert__", "__round__", "__getitem__", "__setitem__", "__iter__", "__reversed__",
    *(f"__{side}{name}__" for name in _BINARY for side in ("", "r")),
    "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__",
    "at", "T", "mT", "real", "imag", "flat", "itemsize", "nbytes",
    "all", "any", "argmax", "argmin", "argpartition", "argsort", "astype", "choose", "clip", "conj", "conjugate", "copy",
    "cumprod", "cumsum", "diagonal", "dot", "flatten", "max", "mean", "min", "nonzero", "prod", "ptp", "ravel", "repeat",
    "reshape", "round", "searchsorted", "sort", "squeeze", "std", "sum", "swapaxes", "take", "trace", "transpose", "var",
    "view",
)  # fmt: skip
"""Of all methods and properties."""

_table: dict[str, Any] = {}
_receivers: list[tuple[type, Collection[str]]] = []


class _Pending:
    """Stands in a class for one of the methods, until one of them is used: then every class has them all."""

    __slots__ = ("name",)

    def __init__(self, name: str):
        self.name = name

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        method(self.name)
        return getattr(owner if instance is None else instance, self.name)

    def __set__(self, instance: Any, value: Any) -> None:
        method(self.name)
        setattr(instance, self.name, value)


def fill(table: Mapping[str, Any]) -> None:
    """Fills the table and gives it to every class that receives it."""
    _table.update(table)
    for cls, kept in _receivers:
        _install(cls, table, kept)


def ensure_filled() -> None:
    """Has the table filled now: whoever measures a trace does not want to measure an import."""
    if not _table:
        importlib.import_module(_FILLER)


def method(name: str) -> Any:
    """Returns the method or property of this name, as a class has it."""
    ensure_filled()
    return _table[name]


def receive(cls: type, kept: Collection[str] = ()) -> None:
    """Gives a class the methods, except for the names that it is to keep as they are."""
    _receivers.append((cls, kept))
    _install(cls, _table or {name: _Pending(name) for name in NAMES}, kept)


def _install(cls: type, table: Mapping[str, Any], kept: Collection[str]) -> None:
    for name, value in table.items():
        if name not in kept:
            setattr(cls, name, value)


receive(Tracer)
