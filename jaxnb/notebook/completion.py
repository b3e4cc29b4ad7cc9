"""Tab completion behind the magics: options, their values, and names in the call.

Lives here: what may stand at the cursor. Must not live here: anything of the engine.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from IPython.core.completer import CompletionContext, SimpleCompletion, SimpleMatcherResult, context_matcher

from jaxnb.notebook.arguments import OPTIONS, Option, find_option, split_options

__all__ = ["complete", "make_matcher"]

_DEFINITION = re.compile(r"^(?:async\s+)?def\s+(\w+)|^(\w+)\s*(?::[^=\n]*)?=(?!=)", re.MULTILINE)
_DOTTED = re.compile(r"[A-Za-z_][\w.]*$")


def make_matcher(magics: Iterable[str], namespace: Mapping[str, Any]) -> Callable[[CompletionContext], Any]:
    """Returns IPython's kind of matcher for these magics, with names from a namespace."""
    opening = re.compile(rf"^\s*(?:[\w\s,.]+=\s*)?(%%?)({'|'.join(magics)})(?:\s+(.*))?$", re.DOTALL)

    @context_matcher(identifier="jaxnb.matcher")
    def matcher(context: CompletionContext) -> SimpleMatcherResult:
        lines = context.full_text.split("\n")
        at = context.cursor_line
        found = opening.match(lines[at][: context.cursor_position])
        if (
            found is None
            or found[3] is None
            or (found[1] == "%%" and any(line.strip() for line in lines[:at]))
        ):
            return SimpleMatcherResult(completions=[])
        body = "\n".join(lines[at + 1 :]) if found[1] == "%%" else ""
        completions = complete(found[3], context.token, body, namespace)
        return SimpleMatcherResult(completions=completions, suppress=bool(completions))

    return matcher


def complete(line: str, token: str, body: str, namespace: Mapping[str, Any]) -> list[SimpleCompletion]:
    """Returns what may stand in place of the token at the end of a magic's line.

    Args:
        line: The line after the magic's name, up to the cursor.
        token: The word at the cursor, as IPython cuts it.
        body: The cell below the line.
        namespace: The notebook's variables.
    """
    before = line[: len(line) - len(token)]
    given, call_at = split_options(before)
    if before[call_at:].strip():
        return _in_call(line[call_at:], token, body, namespace)
    option = _awaiting(before, given)
    if option is not None:
        return _values(option.field, token, body, namespace)
    if token.startswith("-"):
        flags = [flag for one in OPTIONS for flag in one.flags]
        return [SimpleCompletion(text=flag, type="option") for flag in flags if flag.startswith(token)]
    return _in_call(token, token, body, namespace)


def _awaiting(before: str, given: list[tuple[str, str | None]]) -> Option | None:
    """Returns the option whose value the cursor is in."""
    if not given:
        return None
    flag, value = given[-1]
    option = find_option(flag)
    is_inside = value in (None, "") or before[-1:] in ("=", ",")
    return option if option is not None and option.metavar and is_inside else None


def _values(field: str, token: str, body: str, namespace: Mapping[str, Any]) -> list[SimpleCompletion]:
    """The names of arguments; other options take what cannot be foreseen."""
    if not field.endswith("argnames"):
        return []
    names = [name for parameters in _signatures(body).values() for name in parameters]
    if not names:
        functions = [v for n, v in namespace.items() if inspect.isfunction(v) and not n.startswith("_")]
        names = [name for function in functions for name in _parameters(function)]
    return [SimpleCompletion(text=n, type="param") for n in dict.fromkeys(names) if n.startswith(token)]


def _in_call(call: str, token: str, body: str, namespace: Mapping[str, Any]) -> list[SimpleCompletion]:
    definitions = _DEFINITION.findall(body)
    functions = {function for function, _ in definitions if function}
    if "." in token:
        return _attributes(token, namespace)
    found: list[SimpleCompletion] = []
    if (function := _open_function(call)) is not None:
        parameters = _signatures(body).get(function)
        if parameters is None:
            parameters = _parameters(_lookup(function, namespace))
        found += [SimpleCompletion(text=f"{n}=", type="param") for n in parameters if n.startswith(token)]
    for name in dict.fromkeys([*(one or other for one, other in definitions), *namespace]):
        if name.startswith(token) and (token.startswith("_") or not name.startswith("_")):
            is_function = name in functions or callable(namespace.get(name))
            found.append(SimpleCompletion(text=name, type="function" if is_function else "instance"))
    # functions first: a call begins with one
    return found if function is not None else sorted(found, key=lambda one: one.type != "function")


def _attributes(token: str, namespace: Mapping[str, Any]) -> list[SimpleCompletion]:
    path, _, start = token.rpartition(".")
    owner = _lookup(path, namespace)
    if owner is None:
        return []
    names = [
        n for n in dir(owner) if n.startswith(start) and (start.startswith("_") or not n.startswith("_"))
    ]
    return [SimpleCompletion(text=f"{path}.{n}", type="function") for n in names]


def _lookup(path: str, namespace: Mapping[str, Any]) -> Any:
    """Returns what a dotted name stands for, None if nothing."""
    first, *rest = path.split(".")
    value = namespace.get(first)
    for name in rest:
        value = getattr(value, name, None)
    return value


def _open_function(call: str) -> str | None:
    """Returns the dotted name before the innermost bracket that is still open."""
    depth = 0
    for at in range(len(call) - 1, -1, -1):
        if call[at] in ")]}":
            depth += 1
        elif call[at] in "([{":
            if depth == 0:
                name = _DOTTED.search(call[:at])
                return name[0] if call[at] == "(" and name else None
            depth -= 1
    return None


def _signatures(body: str) -> dict[str, list[str]]:
    """Returns the argument names of the functions that a cell defines, as far as it can be read."""
    try:
        tree = ast.parse(body)
    except SyntaxError:
        return {}
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    return {f.name: [a.arg for a in [*f.args.args, *f.args.kwonlyargs]] for f in functions}


def _parameters(function: Any) -> list[str]:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
