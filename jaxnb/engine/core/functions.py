"""What can be said of a Python function: its name, its parameters and where it stands."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable
from inspect import Parameter as Kinds
from typing import Any, NamedTuple

__all__ = ["UNNAMED", "NamedParameter", "fun_name", "fun_parameters", "fun_source", "fun_src_info", "held"]

UNNAMED = "<unnamed function>"
"""The name of a callable that has none."""


def fun_name(fun: Callable[..., Any]) -> str:
    """Returns the name that a function's programs carry."""
    if isinstance(fun, functools.partial):
        return fun_name(fun.func)
    return getattr(fun, "__name__", UNNAMED)


def held(fun: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the function, or, where it cannot be referenced weakly as caches do it (NumPy's own), one that calls it."""
    return fun if type(fun).__weakrefoffset__ else functools.partial(fun)


class NamedParameter(NamedTuple):
    """A parameter of a function: what it is called and how it may be passed (one of ``inspect.Parameter``'s kinds)."""

    name: str
    kind: Any

    @property
    def is_positional(self) -> bool:
        """Whether one argument may be passed for it by position."""
        return self.kind is Kinds.POSITIONAL_OR_KEYWORD or self.kind is Kinds.POSITIONAL_ONLY


def fun_parameters(fun: Callable[..., Any]) -> tuple[NamedParameter, ...] | None:
    """Returns the parameters of a callable, or None where Python cannot tell.

    They are those of ``inspect.signature``. A plain function's are read from its code instead: a package of two hundred
    jitted functions would otherwise spend a tenth of its import on them.
    """
    if type(fun) is types.FunctionType and not (fun.__dict__.keys() & {"__wrapped__", "__signature__"}):
        return _parameters_of_code(fun.__code__)
    try:
        signature = inspect.signature(fun)
    except (ValueError, TypeError):
        return None
    return tuple(NamedParameter(p.name, p.kind) for p in signature.parameters.values())


def _parameters_of_code(code: types.CodeType) -> tuple[NamedParameter, ...]:
    names, positional = code.co_varnames, code.co_argcount
    last = positional + code.co_kwonlyargcount
    found = [
        NamedParameter(
            name, Kinds.POSITIONAL_ONLY if i < code.co_posonlyargcount else Kinds.POSITIONAL_OR_KEYWORD
        )
        for i, name in enumerate(names[:positional])
    ]
    rest = last
    if code.co_flags & inspect.CO_VARARGS:
        found.append(NamedParameter(names[rest], Kinds.VAR_POSITIONAL))
        rest += 1
    found += [NamedParameter(name, Kinds.KEYWORD_ONLY) for name in names[positional:last]]
    if code.co_flags & inspect.CO_VARKEYWORDS:
        found.append(NamedParameter(names[rest], Kinds.VAR_KEYWORD))
    return tuple(found)


def _innermost(fun: Callable[..., Any]) -> Any:
    """Returns the function under wrappers and partial applications."""
    while True:
        if isinstance(fun, functools.partial):
            fun = fun.func
        elif hasattr(fun, "__wrapped__") and not isinstance(fun, type):
            fun = fun.__wrapped__
        else:
            return fun


def fun_source(fun: Callable[..., Any]) -> str:
    """Returns ``file:line`` of a function."""
    code = getattr(_innermost(fun), "__code__", None)
    return "<unknown>" if code is None else f"{code.co_filename}:{code.co_firstlineno}"


def fun_src_info(fun: Callable[..., Any]) -> str:
    """Returns what messages call a function: ``name at file:line``, only a name, or ``<unknown>``."""
    inner = _innermost(fun)
    code = getattr(inner, "__code__", None)
    if code is not None:
        return f"{inner.__name__} at {code.co_filename}:{code.co_firstlineno}"
    return inner.__name__ if inspect.isroutine(inner) else "<unknown>"
