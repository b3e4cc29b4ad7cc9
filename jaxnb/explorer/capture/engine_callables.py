"""A callable of ours taken apart: the user's function in it, what was put around it, and how it is written in code.

What lives here: reading jitted functions, partials and methods. What must not: what is done with the code.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import FunctionType, MethodType, ModuleType
from typing import Any

from jaxnb.engine.api.jit import info_of, jit
from jaxnb.engine.core.boundary import is_boundary
from jaxnb.engine.core.source import is_own, is_user_file
from jaxnb.explorer.capture.reachable import Reachable

__all__ = ["Callee", "WrittenCall", "jitted_again", "read_callee", "written_call"]


@dataclass(frozen=True, slots=True)
class Callee:
    """A callable taken apart.

    Attributes:
        function: The user's function in the middle; None where there is none.
        owner: What the function is bound to, or the object that is called; None for a plain function.
        layers: What is around it, the outermost first: ``jit``, ``partial``, ``method``, ``object`` or ``other``.
        options: The options of the outermost ``jit``, as they are written.
        functions: All functions of the user that it can reach.
        around: The functions of functions among the layers: ``grad``, ``vmap``, ….
        given: The first positional arguments and the keywords that partials hold.
    """

    function: Any
    owner: Any
    layers: tuple[str, ...]
    options: Mapping[str, str]
    functions: tuple[Any, ...]
    around: tuple[str, ...]
    given: tuple[Any, ...]
    keywords: Mapping[str, Any]


def read_callee(f: Callable[..., Any]) -> Callee:
    """Takes a callable apart."""
    layers: list[str] = []
    around: list[str] = []
    owner: Any = None
    inner: Any = f
    given: tuple[Any, ...] = ()
    keywords: dict[str, Any] = {}
    while True:
        info = info_of(inner)
        if info is not None:
            layers.append("jit")
            inner = info.fun
        elif isinstance(inner, functools.partial):
            layers.append("partial")
            given, keywords, inner = (*inner.args, *given), {**inner.keywords, **keywords}, inner.func
        elif isinstance(inner, MethodType):
            layers.append("method")
            owner, inner = inner.__self__, inner.__func__
        elif isinstance(inner, FunctionType):
            wrapped = getattr(inner, "__wrapped__", None)
            if wrapped is None:
                break
            if is_boundary(inner.__code__):
                inner = wrapped
                continue
            layers.append("other")
            if is_own(inner):
                around.append(inner.__code__.co_qualname.partition(".")[0])
            inner = wrapped
        elif not isinstance(inner, type) and hasattr(inner, "__wrapped__"):
            layers.append("other")
            if type(inner).__module__.startswith("jaxnb."):
                around.append(type(inner).__name__)
            inner = inner.__wrapped__
        elif _is_function(vars(type(inner)).get("__call__")):
            layers.append("object")
            owner, inner = inner, type(inner).__call__
        else:
            break
    function = inner if isinstance(inner, FunctionType) and not is_own(inner) else None
    middle: Any = function if function is None or owner is None else MethodType(function, owner)
    functions = tuple(Reachable(middle, {}, is_user_file).functions) if function is not None else ()
    return Callee(function, owner, tuple(layers), _options_of(f), functions, tuple(around), given, keywords)


def _is_function(value: Any) -> bool:
    return isinstance(value, FunctionType) or info_of(value) is not None


def _options_of(f: Any) -> dict[str, str]:
    """What is written behind the function in ``jit(f, …)``."""
    info = info_of(f)
    if info is None:
        return {}
    found: dict[str, str] = {}
    for kind in ("static", "donate"):
        names: list[str] = list(getattr(info, f"{kind}_argnames"))
        numbers: list[int] = list(getattr(info, f"{kind}_argnums"))
        if names:
            found[f"{kind}_argnames"] = repr(tuple(names) if len(names) > 1 else names[0]).replace("'", '"')
        elif numbers:
            found[f"{kind}_argnums"] = repr(tuple(numbers) if len(numbers) > 1 else numbers[0])
    if info.keep_unused:
        found["keep_unused"] = "True"
    if info.compiler_options:
        found["compiler_options"] = repr(dict(info.compiler_options)).replace("'", '"')
    return found


def jitted_again(value: Any, name: str) -> str | None:
    """The code that makes a jitted function again, of a function of this name; None where it is none."""
    if info_of(value) is None:
        return None
    space: dict[str, Any] = getattr(read_callee(value).function, "__globals__", {})
    options = "".join(f", {key}={text}" for key, text in _options_of(value).items())
    return f"{_verb(space, None)}({name}{options})"


@dataclass(frozen=True, slots=True)
class WrittenCall:
    """A call as code.

    Attributes:
        jitted: The expression of the jitted function: ``f`` where it is one, else ``jit(f, …)``.
        arguments: Its arguments, between the parentheses.
        dynamic: The arguments of the compiled program: the static ones are left out.
    """

    jitted: str
    arguments: str
    dynamic: str


def written_call(
    f: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], title: str | None
) -> WrittenCall:
    """A call as code that runs where the function is known.

    Args:
        f: What is called.
        args: Its arguments.
        kwargs: Its keyword arguments.
        title: The call as it was written, or just a name; None where nothing was written.
    """
    callee = read_callee(f)
    node = _call_of(title)
    space: dict[str, Any] = callee.function.__globals__ if callee.function is not None else {}
    if node is not None:
        expression = ast.unparse(node.func) if "\n" in (title or "") else _segment(title or "", node.func)
        given, named = list(node.args), list(node.keywords)
    else:
        expression = _name_in(space, f) or (title or "f")
        if not expression.isidentifier():
            expression = "f"
        given, named = _named_arguments(callee, args, kwargs)
    jitted = _jitted(f, expression, node.func if node is not None else None, callee, space)
    numbers, names = _statics(f, args)
    return WrittenCall(
        jitted, _arguments(title or "", given, named), _dynamic(title or "", given, named, numbers, names)
    )


def _call_of(title: str | None) -> ast.Call | None:
    try:
        node = ast.parse(title or "", mode="eval").body
    except SyntaxError:
        return None
    return node if isinstance(node, ast.Call) else None


def _segment(text: str, node: ast.AST) -> str:
    return ast.get_source_segment(text, node) or ast.unparse(node)


def _name_in(space: Mapping[str, Any], value: Any) -> str:
    """The variable that holds something; "" if none does."""
    return next((name for name, one in list(space.items()) if one is value and not name.startswith("_")), "")


def _named_arguments(
    callee: Callee, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[list[ast.expr], list[ast.keyword]]:
    """Arguments by the names of the parameters, for a call that nobody wrote; plain values as they are."""
    names: list[str] = []
    if callee.function is not None:
        code = callee.function.__code__
        names = list(code.co_varnames[: code.co_argcount])[bool({"method", "object"} & set(callee.layers)) :]
        names = [name for name in names[len(callee.given) :] if name not in callee.keywords]
    given = [
        _literal(value) or ast.Name(names[at] if at < len(names) else f"x{at}")
        for at, value in enumerate(args)
    ]
    return given, [ast.keyword(name, _literal(value) or ast.Name(name)) for name, value in kwargs.items()]


def _literal(value: Any) -> ast.expr | None:
    return ast.Constant(value) if type(value) in (bool, int, str, type(None)) else None


def _jitted(f: Any, expression: str, node: ast.expr | None, callee: Callee, space: Mapping[str, Any]) -> str:
    verb = _verb(space, node)
    options = "".join(f", {name}={text}" for name, text in callee.options.items())
    if info_of(f) is None:
        return f"{verb}({expression})"
    if isinstance(node, ast.Call):
        is_jit = ast.unparse(node.func).rpartition(".")[2] in ("jit", "pjit")
        known: Any = f if is_jit else None
    else:
        known = _value_of(node if node is not None else ast.Name(expression), space)
    if known is f or (known is None and not options):
        return expression
    if info_of(known) is not None:
        return f"{verb}({expression}.__wrapped__{options})"  # its own options gave way to others
    return f"{verb}({expression}{options})"


def _value_of(node: ast.expr, space: Mapping[str, Any]) -> Any:
    """What a name, or attributes of one, stand for; None where that is not known."""
    if isinstance(node, ast.Name):
        return space.get(node.id)
    if isinstance(node, ast.Attribute):
        owner = _value_of(node.value, space)
        return getattr(owner, node.attr, None) if owner is not None else None
    return None


def _verb(space: Mapping[str, Any], node: ast.expr | None) -> str:
    """What ``jit`` is called where the function is from, or in the call."""
    for name, value in list(space.items()):
        if value is jit:
            return name
    for name, value in list(space.items()):
        if isinstance(value, ModuleType) and value.__name__ == "jaxnb" and not name.startswith("_"):
            return f"{name}.jit"
    names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)} if node is not None else set()
    return "jaxnb.jit" if "jaxnb" in names else "jit"


def _statics(f: Any, args: Sequence[Any]) -> tuple[set[int], set[str]]:
    info = info_of(f)
    if info is None:
        return set(), set()
    numbers = (
        {at % len(args) for at in info.static_argnums if -len(args) <= at < len(args)} if args else set()
    )
    return numbers, set(info.static_argnames)


def _arguments(text: str, given: Sequence[ast.expr], named: Sequence[ast.keyword]) -> str:
    parts = [_text(text, one) for one in given]
    parts += [
        f"{one.arg}={_text(text, one.value)}" if one.arg else f"**{_text(text, one.value)}" for one in named
    ]
    return ", ".join(parts)


def _text(text: str, node: ast.expr) -> str:
    return (ast.get_source_segment(text, node) if hasattr(node, "end_lineno") else None) or ast.unparse(node)


def _dynamic(
    text: str, given: Sequence[ast.expr], named: Sequence[ast.keyword], numbers: set[int], names: set[str]
) -> str:
    """The arguments without the static ones."""
    if not numbers and not names:
        return _arguments(text, given, named)
    parts = []
    stars = [at for at, one in enumerate(given) if isinstance(one, ast.Starred)]
    if stars and any(number >= stars[0] for number in numbers):
        listed = ", ".join(_text(text, one) for one in given)
        where = ", ".join(map(str, sorted(numbers)))
        parts.append(f"*[x for i, x in enumerate([{listed}]) if i not in ({where},)]")
    else:
        parts += [_text(text, one) for at, one in enumerate(given) if at not in numbers]
    for one in named:
        if one.arg is None:
            shown = _text(text, one.value)
            parts.append(
                f"**{{k: v for k, v in {shown}.items() if k not in {tuple(sorted(names))!r}}}"
                if names
                else f"**{shown}"
            )
        elif one.arg not in names:
            parts.append(f"{one.arg}={_text(text, one.value)}")
    return ", ".join(parts)
