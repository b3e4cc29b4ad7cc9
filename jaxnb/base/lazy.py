"""What is loaded when it is first used: modules that few programs need, and the functions of large packages.

A type checker is shown the import itself: under ``TYPE_CHECKING``, or in a package's stub.
"""

from __future__ import annotations

import importlib
import os
import sys
import types
from collections.abc import Callable, Collection
from typing import Any

from jaxnb.base.collection import collection_paused

__all__ = ["lazy_module", "load", "public_names"]


class _LazyModule(types.ModuleType):
    """Stands for a module; the first attribute that is read loads it, and the later ones cost nothing."""

    def __getattr__(self, name: str) -> Any:
        module = importlib.import_module(self.__name__)
        vars(self).update(vars(module))
        return getattr(module, name)


def lazy_module(name: str) -> Any:
    """Returns what stands for the module of this full name. An error of its import is raised at the first use."""
    return _LazyModule(name)


def load(name: str) -> types.ModuleType:
    """Imports the module of this full name; what modules are made of is no garbage, and none is looked for meanwhile."""
    with collection_paused():
        return importlib.import_module(name)


def public_names(
    module: str, file: str, absent: Collection[str] = ()
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Returns ``__all__``, ``__getattr__`` and ``__dir__`` of a module whose names are imported when first used.

    The one list of the names is the module's stub, which type checkers read too. Each line of it is
    ``from MODULE import NAME as NAME``.

    Args:
        module: The module's ``__name__``.
        file: Its ``__file__``; the stub lies beside it.
        absent: Names of the stub that it does not have here.
    """
    homes: dict[str, str] = {}
    with open(f"{os.path.splitext(file)[0]}.pyi", encoding="utf-8") as stub:
        for line in stub:
            words = line.split()
            if words[0] == "from" and words[-1] not in absent:
                homes[words[-1]] = words[1]

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        value = getattr(load(homes[name]), name)
        setattr(sys.modules[module], name, value)
        return value

    def names() -> list[str]:
        return sorted({*vars(sys.modules[module]), *homes})

    return list(homes), get, names
