"""A function's source with captured arrays as arguments: what to write in place of a closure.

What lives here: the rewriting of a signature. What must not: finding the arrays.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Sequence

from jaxnb.explorer.capture.cell_syntax import parse_cell

__all__ = ["base_names", "with_arguments"]


def base_names(paths: Sequence[str]) -> list[str]:
    """The variables that paths such as ``params['w'][0]`` begin with, each once; what is no variable is left out."""
    found = [match[0] for path in paths if (match := re.match(r"[A-Za-z_]\w*(?=$|[.\[])", path)) is not None]
    return list(
        dict.fromkeys(name for name in found if not re.fullmatch(r"(?:float|int|uint|complex|bool)\d*", name))
    )


def with_arguments(
    source: str, function: str, names: Sequence[str], arguments: Sequence[str], called: str = ""
) -> str:
    """The function with these variables as its first arguments, and a call of it.

    Args:
        source: The text that has the function in it.
        function: The function's name.
        names: The variables that it captured.
        arguments: The names of its own arguments.
        called: The call that was explored, as it was written; without one its arguments go by their names.
    """
    call = _call_with(called, function, names) or f"{function}({', '.join([*names, *arguments])})"
    definition = _definition(source, function)
    if definition is None:
        shown = function if function.isidentifier() else "f"
        return f"def {shown}({', '.join([*names, *arguments])}):\n    …\n\n{call.replace(function, shown)}"
    head = re.compile(rf"(def\s+{re.escape(function)}\s*\(\s*)(\)?)")
    changed = head.sub(lambda m: f"{m[1]}{', '.join(names)}{m[2] or ', '}", definition, count=1)
    return f"{changed.rstrip()}\n\n{call}"


def _call_with(called: str, function: str, names: Sequence[str]) -> str | None:
    """The call with these variables before its own arguments; None where it calls something else."""
    try:
        node = ast.parse(called, mode="eval").body
    except SyntaxError:
        return None
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == function):
        return None
    given = [*(ast.Name(name) for name in names), *node.args]
    return ast.unparse(ast.Call(node.func, given, node.keywords))


def _definition(source: str, function: str) -> str | None:
    text = textwrap.dedent(source)
    try:
        tree = parse_cell(text)
    except SyntaxError:
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == function:
            lines = text.split("\n")[node.lineno - 1 : node.end_lineno]
            return textwrap.dedent("\n".join(lines))
    return None
