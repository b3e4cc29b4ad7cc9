"""What can be said of a Python function: its name and where it stands."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

__all__ = ["UNNAMED", "fun_name", "fun_source", "fun_src_info"]

UNNAMED = "<unnamed function>"
"""The name of a callable that has none."""


def fun_name(fun: Callable[..., Any]) -> str:
    """Returns the name that a function's programs carry."""
    if isinstance(fun, functools.partial):
        return fun_name(fun.func)
    return getattr(fun, "__name__", UNNAMED)


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
