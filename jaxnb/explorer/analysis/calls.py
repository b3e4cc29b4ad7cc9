"""Calls, decorators and what functions are wrapped in: small questions about code.

What lives here: answers to them. What must not: edits.
"""

from __future__ import annotations

import ast
import functools
import inspect
import re
from collections.abc import Sequence
from types import FunctionType, MethodType
from typing import Any

__all__ = ["base_names", "call_of", "innermost", "passes_all", "plain_function", "verb_of"]


def base_names(paths: Sequence[str]) -> list[str]:
    """The variables that paths such as ``params['w'][0]`` begin with, each once; what is no variable is left out."""
    found = [match[0] for path in paths if (match := re.match(r"[A-Za-z_]\w*(?=$|[.\[])", path)) is not None]
    return list(
        dict.fromkeys(name for name in found if not re.fullmatch(r"(?:float|int|uint|complex|bool)\d*", name))
    )


def plain_function(value: Any) -> Any:
    """The function in a method, or in what was made of it."""
    for _ in range(8):
        if isinstance(value, MethodType | staticmethod | classmethod):
            value = value.__func__
        elif not isinstance(value, type) and hasattr(value, "__wrapped__"):
            value = value.__wrapped__
        else:
            break
    return value if isinstance(value, FunctionType | functools.partial) else None


def innermost(value: Any) -> Any:
    """The function in what was made of it, partials too."""
    while isinstance(value, functools.partial):
        value = value.func
    inner = plain_function(value)
    return innermost(inner) if isinstance(inner, functools.partial) else inner


def passes_all(node: ast.AST, fun: Any) -> bool:
    """Whether a call hands on whatever keywords the function around was given."""
    has_stars = isinstance(node, ast.Call) and any(one.arg is None for one in node.keywords)
    return has_stars and bool(fun.__code__.co_flags & inspect.CO_VARKEYWORDS)


def verb_of(decorator: ast.expr) -> str:
    """What a decorator is called: ``jit`` for ``functools.partial(jit, …)``."""
    if isinstance(decorator, ast.Call):
        name = verb_of(decorator.func)
        return verb_of(decorator.args[0]) if name == "partial" and decorator.args else name
    return ast.unparse(decorator).rpartition(".")[2]


def call_of(text: str) -> ast.Call | None:
    try:
        node = ast.parse(text, mode="eval").body
    except SyntaxError:
        return None
    return node if isinstance(node, ast.Call) else None
