"""A call as text, taken apart: the function and its evaluated arguments.

Lives here: the syntax of calls and their evaluation in a namespace. Must not live here: what is done with the
function, and anything of the engine.
"""

from __future__ import annotations

import ast
import builtins
import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import CodeType
from typing import Any

from IPython.core.error import UsageError

__all__ = ["ParsedCall", "evaluate", "parse_call"]

_HANDLER = "__jaxnb_call__"
_WHERE = "define it in an earlier cell, or in this one below the magic."


@dataclass(frozen=True)
class ParsedCall:
    """A call, ready to be evaluated.

    Attributes:
        text: As it was written.
        callee: The function's part of it.
        names: The names that the function's part reads.
        node: The expression; its function is a handler that gets the written function first.
    """

    text: str
    callee: str
    names: frozenset[str]
    node: ast.Expression

    def compile(self, file: str) -> CodeType:
        """Returns the code, with its positions in this file."""
        return compile(self.node, file, "eval")


def parse_call(text: str, magic: str, column: int = 0) -> ParsedCall:
    """Takes a call apart.

    Args:
        text: The call.
        magic: Name of the magic with percent signs, for messages.
        column: Where the call begins in its line.

    Raises:
        UsageError: where it is no Python expression, or no call.
    """
    text = text.rstrip().removesuffix(";").rstrip()  # the shell, which then echoes nothing, leaves it
    if not text:
        raise UsageError(f"{magic}: it wants the call to explore; write one, such as `{magic} f(x)`.")
    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError as error:
        at = max(0, min((error.offset or 1) - 1, len(text)))
        raise UsageError(
            f"{magic}: the call is not Python: {error.msg}\n    {text}\n    {' ' * at}^\n"
            f"Write a call such as `{magic} f(x)`."
        ) from None
    call = tree.body
    if not isinstance(call, ast.Call):
        raise UsageError(_no_call(call, text, magic))
    text = ast.get_source_segment(text, call) or text  # without a comment behind it
    callee = ast.get_source_segment(text, call.func) or ast.unparse(call.func)
    names = frozenset(n.id for n in ast.walk(call.func) if isinstance(n, ast.Name))
    _shift(tree, column)
    handler = ast.copy_location(ast.Name(_HANDLER, ast.Load()), call.func)
    call.args.insert(0, call.func)
    call.func = handler
    return ParsedCall(text, callee, names, tree)


def _no_call(node: ast.expr, text: str, magic: str) -> str:
    if isinstance(node, ast.Name | ast.Attribute | ast.Lambda):
        subject = "a function" if isinstance(node, ast.Lambda) else f"`{text}`"
        shown = f"({text})" if isinstance(node, ast.Lambda) else text
        return f"{magic}: {subject} without arguments cannot be traced; write the call, such as `{magic} {shown}(x)`."
    return (
        f"{magic}: `{text}` is not a call of a function; write one, such as `{magic} f(x)`, "
        f"or make it one: `{magic} (lambda: {text})()`."
    )


def _shift(tree: ast.AST, columns: int) -> None:
    """Moves what stands in the first line to the right."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.expr | ast.keyword | ast.arg):
            continue
        if node.lineno == 1:
            node.col_offset += columns
        if node.end_lineno == 1 and node.end_col_offset is not None:
            node.end_col_offset += columns


def evaluate(
    call: ParsedCall,
    file: str,
    namespace: dict[str, Any],
    magic: str,
    handler: Callable[..., Any],
    defined: Iterable[str] = (),
) -> Any:
    """Evaluates the function and the arguments, and returns what `handler` makes of them.

    Args:
        call: The call.
        file: The file that its code says it is from.
        namespace: Where its names are looked up, and where ``:=`` puts them.
        magic: Name of the magic with percent signs, for messages.
        handler: Called with the function and its arguments.
        defined: Functions to propose if there is none of the written name.

    Raises:
        UsageError: where the function does not exist or is none.
    """
    if isinstance(call.node.body.args[0], ast.Name):  # pyright: ignore[reportAttributeAccessIssue]
        _check_function(call.callee, namespace, magic, tuple(defined))

    def receive(function: Any, /, *args: Any, **kwargs: Any) -> Any:
        if not callable(function):
            kind = type(function).__name__
            raise UsageError(
                f"{magic}: `{call.callee}` is no function, but of type {kind}; write `{magic} f(x)`."
            )
        return handler(function, *args, **kwargs)

    # Python names it where a star's operand does not fit.
    receive.__module__, receive.__qualname__ = "builtins", call.callee
    local: dict[str, Any] = {_HANDLER: receive}
    code = call.compile(file)
    try:
        result = eval(code, namespace, local)
    except NameError as error:
        if _was_raised_by(code, error) and error.name:
            raise UsageError(_no_variable(error.name, namespace, magic)) from None
        raise
    del local[_HANDLER]
    namespace.update(local)
    return result


def _was_raised_by(code: CodeType, error: BaseException) -> bool:
    """Whether an error comes from the written call itself, and not from what it calls."""
    entry = error.__traceback__
    while entry is not None and entry.tb_next is not None:
        entry = entry.tb_next
    return entry is not None and entry.tb_frame.f_code is code


def _no_variable(name: str, namespace: dict[str, Any], magic: str) -> str:
    near = difflib.get_close_matches(name, [n for n in namespace if not n.startswith("_")], n=1)
    advice = f"did you mean `{near[0]}`?" if near else _WHERE
    return f"{magic}: there is no variable `{name}`; {advice}"


def _check_function(name: str, namespace: dict[str, Any], magic: str, defined: tuple[str, ...]) -> None:
    if name in namespace or hasattr(builtins, name):
        return
    functions = [n for n, v in namespace.items() if callable(v) and not n.startswith("_")]
    near = difflib.get_close_matches(name, [n for n in (*defined, *functions) if n != name], n=1)
    if name in defined:
        advice = "the cell defines it, and deletes it again."
    elif near:
        advice = f"did you mean `{near[0]}`?"
    elif defined:
        advice = f"the cell defines {', '.join(f'`{n}`' for n in defined)}."
    else:
        advice = _WHERE
    raise UsageError(f"{magic}: there is no function `{name}`; {advice}")
