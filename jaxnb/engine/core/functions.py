"""What can be said of a Python function: its name and where it stands."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

__all__ = ["fun_name", "fun_source"]


def fun_name(fun: Callable[..., Any]) -> str:
    """Returns the name that a function's programs carry."""
    if isinstance(fun, functools.partial):
        return fun_name(fun.func)
    return getattr(fun, "__name__", type(fun).__name__)


def fun_source(fun: Callable[..., Any]) -> str:
    """Returns ``file:line`` of a function."""
    while isinstance(fun, functools.partial):
        fun = fun.func
    code = getattr(inspect.unwrap(fun) if not isinstance(fun, type) else fun, "__code__", None)
    if code is None:
        return "<unknown>"
    return f"{code.co_filename}:{code.co_firstlineno}"
