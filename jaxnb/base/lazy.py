"""Modules that are loaded when something of them is first used.

For those that few programs need and that are a noticeable part of start-up time; the type checker is shown the import
itself, under ``TYPE_CHECKING``.
"""

from __future__ import annotations

import importlib
import types
from typing import Any

__all__ = ["lazy_module"]


class _LazyModule(types.ModuleType):
    """Stands for a module; the first attribute that is read loads it, and the later ones cost nothing."""

    def __getattr__(self, name: str) -> Any:
        module = importlib.import_module(self.__name__)
        vars(self).update(vars(module))
        return getattr(module, name)


def lazy_module(name: str) -> Any:
    """Returns what stands for the module of this full name. An error of its import is raised at the first use."""
    return _LazyModule(name)
