"""Who keeps a traced value that should be gone, by name: ``keep['acts'][0]``.

What lives here: the search, from names inwards. What must not: the checks that raise.
"""

from __future__ import annotations

import gc
import inspect
import sys
from collections.abc import Callable, Iterator
from types import FunctionType, ModuleType
from typing import Any

from jaxnb.engine.core.source import is_user_file
from jaxnb.engine.core.trace import Tracer
from jaxnb.engine.transforms.stage import StagedTracer
from jaxnb.explorer.capture.engine_jaxpr import Frames
from jaxnb.explorer.capture.failure import CapturedHolder

__all__ = ["find_holders", "leaks_in"]

_DEEPEST = 6
_MOST_LOOKED_AT = 20_000
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


def _tracers_in(value: Any, path: str, depth: int, seen: set[int]) -> Iterator[tuple[str, StagedTracer]]:
    """The traced values inside a value, each with the way to it."""
    if isinstance(value, StagedTracer):
        yield path, value
        return
    if depth >= _DEEPEST or id(value) in seen or isinstance(value, Tracer | ModuleType | type | FunctionType):
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


def _holder(path: str, tracer: StagedTracer, scope: str, frames: Frames) -> CapturedHolder:
    spans = frames.of(tracer.made.traceback) if tracer.made is not None else ()
    return CapturedHolder(path, tracer.aval.str_short(True), scope, spans[0] if spans else None)


# ---- from the value outwards -----------------------------------------------------------------------------------------


def find_holders(tracer: StagedTracer, frames: Frames) -> list[CapturedHolder]:
    """The ways from a module's variable to a traced value, found by asking who refers to it."""
    found: list[CapturedHolder] = []
    queue: list[tuple[Any, str]] = [(tracer, "")]
    seen = {id(tracer), id(queue), id(found)}
    looked_at = 0
    while queue and looked_at < _MOST_LOOKED_AT:
        value, tail = queue.pop(0)
        for holder in gc.get_referrers(value):
            looked_at += 1
            if id(holder) in seen or holder is queue or inspect.isframe(holder) or holder is sys.modules:
                continue
            seen.add(id(holder))
            found += [
                _holder(f"{name}{tail}", tracer, scope, frames) for scope, name in _named(holder, value)
            ]
            for step in _steps(holder, value):
                if step.count(".") + step.count("[") + tail.count("[") + tail.count(".") <= _DEEPEST:
                    queue.append((holder, f"{step}{tail}"))
        if found:
            break
    return found


def _named(holder: Any, value: Any) -> Iterator[tuple[str, str]]:
    """The names under which a module's variables hold a value, if ``holder`` is a module's dictionary."""
    if isinstance(holder, dict) and "__name__" in holder and "__builtins__" in holder:
        if not is_user_namespace(holder):
            return
        for name, item in holder.items():
            if item is value and not name.startswith("_"):
                yield "global", name


def is_user_namespace(namespace: dict[str, Any]) -> bool:
    """Whether a module's dictionary is that of a module which the user wrote, or of a notebook."""
    if namespace.get("__name__") == "__main__":
        return True
    file = namespace.get("__file__")
    return file is not None and is_user_file(file) and "site-packages" not in file


def _steps(holder: Any, value: Any) -> Iterator[str]:
    """How one gets from a container to a value in it."""
    if isinstance(holder, dict):
        if "__builtins__" in holder:
            return
        for key, item in list(holder.items()):
            if item is value:
                owner = _owner_of(holder)
                yield f".{key}" if owner else f"[{key!r}]"
                return
    elif isinstance(holder, list | tuple):
        for at, item in enumerate(holder):
            if item is value:
                yield f"[{at}]"
                return
    elif is_users_object(holder):
        if holder.__dict__ is value:
            yield ""
            return
        for name, item in list(holder.__dict__.items()):  # newer Pythons keep attributes in the object itself
            if item is value:
                yield f".{name}"
                return


def _owner_of(attributes: dict[Any, Any]) -> bool:
    """Whether a dictionary is the attributes of an object."""
    return any(
        getattr(one, "__dict__", None) is attributes
        for one in gc.get_referrers(attributes)
        if is_users_object(one)
    )
