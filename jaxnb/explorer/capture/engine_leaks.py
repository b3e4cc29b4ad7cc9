"""Who keeps a traced value that should be gone, by name: ``keep['acts'][0]``.

What lives here: the search, from names inwards. What must not: the checks that raise.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from types import FunctionType, ModuleType
from typing import Any

from jaxnb.engine.core.source import is_user_file
from jaxnb.engine.core.trace import Tracer
from jaxnb.explorer.capture.engine_jaxpr import Frames
from jaxnb.explorer.capture.failure import CapturedHolder

__all__ = ["leaks_in"]

_DEEPEST = 6
_MOST_ITEMS = 2000


def leaks_in(value: Any, path: str, frames: Frames) -> list[CapturedHolder]:
    """The traced values inside a value that is reached by a path."""
    scope = "global"
    return [_holder(way, tracer, scope, frames) for way, tracer in _tracers_in(value, path, 0, set())]


def variables_of(fun: Callable[..., Any]) -> Iterator[tuple[str, str, Any]]:
    """The variables of a function that outlive a call: (scope, name, value)."""
    while hasattr(fun, "__wrapped__") or (not hasattr(fun, "__code__") and hasattr(fun, "func")):
        fun = fun.__wrapped__ if hasattr(fun, "__wrapped__") else fun.func  # pyright: ignore[reportFunctionMemberAccess]
    owner = getattr(fun, "__self__", None)
    if owner is not None and not isinstance(owner, ModuleType):
        yield "self", "self", owner
    code = getattr(fun, "__code__", None)
    if code is None:
        return
    for name, cell in zip(code.co_freevars, getattr(fun, "__closure__", None) or (), strict=False):
        try:
            yield "closure", name, cell.cell_contents
        except ValueError:  # an empty cell
            continue
    for default in getattr(fun, "__defaults__", None) or ():
        yield "default", "a default value", default
    outer = getattr(fun, "__globals__", {})
    for name in _names(code):
        if name in outer:
            yield "global", name, outer[name]


def _names(code: Any) -> Iterator[str]:
    """The names that a function and those defined in it look up."""
    yield from dict.fromkeys(code.co_names)
    for constant in code.co_consts:
        if hasattr(constant, "co_names"):
            yield from _names(constant)


def _tracers_in(value: Any, path: str, depth: int, seen: set[int]) -> Iterator[tuple[str, Tracer]]:
    """The traced values inside a value, each with the way to it."""
    if isinstance(value, Tracer):
        yield path, value
        return
    if depth >= _DEEPEST or id(value) in seen or isinstance(value, ModuleType | type | FunctionType):
        return
    seen.add(id(value))
    if isinstance(value, dict):
        for key, item in list(value.items())[:_MOST_ITEMS]:
            yield from _tracers_in(item, f"{path}[{key!r}]", depth + 1, seen)
    elif isinstance(value, list | tuple | set | frozenset):
        for at, item in enumerate(list(value)[:_MOST_ITEMS]):
            yield from _tracers_in(item, f"{path}[{at}]", depth + 1, seen)
    elif is_users_object(value):
        for name, item in list(vars(value).items())[:_MOST_ITEMS]:
            yield from _tracers_in(item, f"{path}.{name}", depth + 1, seen)


def is_users_object(value: Any) -> bool:
    """Whether a value is an instance of a class that the user wrote."""
    module = sys.modules.get(type(value).__module__)
    file = getattr(module, "__file__", None)
    if not hasattr(value, "__dict__"):
        return False
    return type(value).__module__ == "__main__" or (
        file is not None and is_user_file(file) and "site-packages" not in file
    )


def _holder(path: str, tracer: Tracer, scope: str, frames: Frames) -> CapturedHolder:
    made = getattr(tracer, "made", None)
    spans = frames.of(made.traceback) if made is not None else ()
    return CapturedHolder(path, tracer.aval.str_short(True), scope, spans[0] if spans else None)


def is_user_namespace(namespace: dict[str, Any]) -> bool:
    """Whether a module's dictionary is that of a module which the user wrote, or of a notebook."""
    if namespace.get("__name__") == "__main__":
        return True
    file = namespace.get("__file__")
    return file is not None and is_user_file(file) and "site-packages" not in file
