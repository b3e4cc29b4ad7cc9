"""Arrays that a function of ours captured: what they are called, how large they are, where they are used and kept.

What lives here: finding them in a jaxpr, and their names in the user's variables. What must not: advice.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from jaxnb.base import config
from jaxnb.engine.core import dtypes
from jaxnb.engine.core.jaxpr import Jaxpr, Literal
from jaxnb.engine.core.trace import Tracer
from jaxnb.engine.runtime.arrays import ArrayImpl
from jaxnb.engine.runtime.constants import is_hoistable
from jaxnb.explorer.capture.engine_jaxpr import walk
from jaxnb.explorer.capture.engine_leaks import is_users_object, variables_of
from jaxnb.explorer.capture.protocol import CapturedConstant, CapturedEquation

__all__ = ["captured_constants", "constants_of", "is_same_array"]

_DEEPEST = 4
_MOST_ITEMS = 500
_MOST_COMPARED = 1 << 24


def constants_of(jaxpr: Jaxpr) -> tuple[dict[int, Any], dict[int, list[str]]]:
    """The arrays that a program holds, by identity in order of first use, and the paths of what uses them."""
    users: dict[int, list[str]] = {}
    values: dict[int, Any] = {}
    for path, eqn in walk(jaxpr, ""):
        for atom in eqn.invars:
            if type(atom) is Literal and _is_array(atom.val):
                values[id(atom.val)] = atom.val
                users.setdefault(id(atom.val), []).append(path)
    for atom in jaxpr.outvars:
        if type(atom) is Literal and _is_array(atom.val):
            values.setdefault(id(atom.val), atom.val)
            users.setdefault(id(atom.val), [])
    return values, users


def captured_constants(
    jaxpr: Jaxpr, equations: Sequence[CapturedEquation], fun: Callable[..., Any] | None
) -> tuple[tuple[CapturedConstant, ...], list[int]]:
    """The arrays that a program holds, in order of first use, and the identities of their values."""
    values, users = constants_of(jaxpr)
    by_path = {equation.path: equation for equation in equations}
    found = []
    for key, value in values.items():
        # An inner program that is called several times has its equations once for each call.
        paths = tuple(dict.fromkeys(users[key]))
        first = by_path.get(paths[0]) if paths else None
        shape = ",".join(map(str, value.shape))
        found.append(
            CapturedConstant(
                name=_name_of(value, fun, first) or f"{value.dtype.name}[{shape}]",
                type=f"{_short(value)}[{shape}]",
                nbytes=int(value.nbytes),
                source=first.source if first is not None else None,
                users=paths,
                is_hoisted=is_hoistable(value),
                place=_place(value),
                holder=_holder_of(value),
            )
        )
    return tuple(found), list(values)


def _is_array(value: Any) -> bool:
    """Whether a literal's value is an array of the user's: numbers are written into the text, but a key is not a number."""
    return getattr(value, "ndim", 0) > 0 or _is_key(value)


def _is_key(value: Any) -> bool:
    return hasattr(value, "_base_array")


def _place(value: Any) -> str:
    """Where the program keeps an array."""
    if is_hoistable(value):
        return "argument"
    # Keys are written into the program, however many they are.
    is_small = value.nbytes <= config.embedded_constants_max_bytes.value
    return "embedded" if config.use_simplified_jaxpr_constants.value and is_small else "inlined"


def _short(value: Any) -> str:
    aval = getattr(value, "aval", None)
    text = aval.str_short(True) if aval is not None else dtypes.short_dtype_name(value.dtype)
    return text.partition("[")[0]


# ---- names -----------------------------------------------------------------------------------------------------------


def _holder_of(value: Any) -> str:
    """What holds a captured array, and, on several devices, how it is divided."""
    if not isinstance(value, ArrayImpl) and not _is_key(value):
        return "ndarray"
    sharding = value.sharding
    if len(sharding.device_set) == 1:
        return "Array"
    spec, mesh = getattr(sharding, "spec", sharding), getattr(sharding, "mesh", None)
    return f"Array on {len(sharding.device_set)} devices, divided by {spec}{f' of {mesh}' if mesh else ''}"


def _name_of(value: Any, fun: Callable[..., Any] | None, first: CapturedEquation | None) -> str | None:
    """The variable that holds an array, or one that holds an equal one: a narrowed copy has no name of its own."""
    for is_same in (_is_identical, _is_equal):
        for name, held in _variables(fun, first):
            for path in _paths_to(value, held, name, 0, set(), is_same):
                return path
    return None


def _variables(fun: Callable[..., Any] | None, first: CapturedEquation | None) -> Iterator[tuple[str, Any]]:
    """Variables by name: those the function reads, then those of the modules where it is used and written."""
    for _, name, value in variables_of(fun) if fun is not None else ():
        yield name, value
    files = (
        {span.file for span in (first.source, *first.callers) if span is not None}
        if first is not None
        else set()
    )
    spaces = [_globals_of(fun)]
    spaces += [vars(m) for m in list(sys.modules.values()) if getattr(m, "__file__", None) in files]
    for space in spaces:
        for name, value in list(space.items()):
            if not name.startswith("_"):
                yield name, value


def _globals_of(fun: Any) -> dict[str, Any]:
    """The variables of the module, or the notebook, that a function is from."""
    fun = getattr(fun, "func", fun)  # of a partial
    if not callable(fun):
        return {}
    found = getattr(fun, "__globals__", None)
    return found if found is not None else getattr(type(fun).__call__, "__globals__", {})


def _is_identical(value: Any, held: Any) -> bool:
    return value is held


def _is_equal(value: Any, held: Any) -> bool:
    if not isinstance(held, np.ndarray) or held.shape != value.shape or value.nbytes > _MOST_COMPARED:
        return False
    return isinstance(value, np.ndarray) and bool(np.array_equal(held.astype(value.dtype), value))


def is_same_array(value: Any, held: Any) -> bool:
    """Whether a variable's array is a captured one, or one that it is a narrowed copy of."""
    return _is_identical(value, held) or _is_equal(value, held)


def _paths_to(
    value: Any, held: Any, path: str, depth: int, seen: set[int], is_same: Callable[[Any, Any], bool]
) -> Iterator[str]:
    """The ways from a variable to a value."""
    if is_same(value, held):
        yield path
        return
    skipped = Tracer | ModuleType | FunctionType | np.ndarray | ArrayImpl | str | int | float | type
    if depth >= _DEEPEST or id(held) in seen or isinstance(held, skipped):
        return
    seen.add(id(held))
    if isinstance(held, dict):
        items = [(f"[{key!r}]", item) for key, item in list(held.items())[:_MOST_ITEMS]]
    elif isinstance(held, list | tuple):
        items = [(f"[{at}]", item) for at, item in enumerate(held[:_MOST_ITEMS])]
    elif is_users_object(held):
        items = [(f".{name}", item) for name, item in list(vars(held).items())[:_MOST_ITEMS]]
    else:
        return
    for step, item in items:
        yield from _paths_to(value, item, f"{path}{step}", depth + 1, seen, is_same)
