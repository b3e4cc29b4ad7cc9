"""Array methods and operators: one table, filled once by ``jaxnb.numpy``, for arrays and tracers alike.

Lives here: the table and who receives it. What the methods do stands in ``jaxnb/numpy/array_methods.py``.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from jaxnb.engine.core.trace import Tracer

__all__ = ["ensure_filled", "fill", "methods", "receive"]

_FILLER = "jaxnb.numpy"

methods: dict[str, Any] = {}
"""Name -> method or property. Empty until ``jaxnb.numpy`` is loaded."""

_receivers: list[type] = []


def fill(table: Mapping[str, Any]) -> None:
    """Fills the table and gives it to every class that receives it."""
    methods.update(table)
    for cls in _receivers:
        _install(cls, table)


def ensure_filled() -> None:
    """Has the table filled where nobody has asked for ``jaxnb.numpy``: it stands above, and is asked by its name."""
    if not methods:
        importlib.import_module(_FILLER)


def receive(cls: type) -> None:
    """Gives a class the table, now or when it is filled."""
    _receivers.append(cls)
    _install(cls, methods)


def _install(cls: type, table: Mapping[str, Any]) -> None:
    for name, value in table.items():
        setattr(cls, name, value)


receive(Tracer)
