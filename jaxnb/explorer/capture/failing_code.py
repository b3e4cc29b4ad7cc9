"""The expression that failed, as it is written: what it does, what it is made of, and what stands around it.

What lives here: reading the syntax at a place, which is not the same in all versions of Python. What must not: the engine.
"""

from __future__ import annotations

import ast
import linecache
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from jaxnb.explorer.capture.cell_syntax import parse_cell
from jaxnb.explorer.capture.protocol import SourceSpan

__all__ = ["FailingCode", "read_failing_code"]

_MOST_LINES = 20


@dataclass(frozen=True, slots=True)
class FailingCode:
    """An expression that failed.

    Attributes:
        statement: The expression as it is written; of a condition all of it. "" where the source is not to be had.
        kind: What it does: ``if``, ``while``, ``and``, ``or``, ``not``, ``compare``, ``call``, ``index``, ….
        callee: The name of the function it calls, if it is a call.
        parts: What it is made of, as written: operands, arguments, or a container and its index.
        context: What asks whether it is true: ``if``, ``choice``, ``while``, ``assert``, ``filter``; else "".
        whole: What stands around it: the choice or the filtered list of a condition, else the statement it is in.
    """

    statement: str = ""
    kind: str = ""
    callee: str = ""
    parts: tuple[str, ...] = ()
    context: str = ""
    whole: str = ""


def read_failing_code(place: SourceSpan | None) -> FailingCode:
    """What is written at a place."""
    lines = linecache.getlines(place.file) if place is not None else []
    if place is None or not lines:
        return FailingCode()
    line = lines[place.line - 1].strip() if place.line <= len(lines) else ""
    text = "".join(lines)
    try:
        tree = parse_cell(text)
    except SyntaxError:
        return FailingCode(line)
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    # Of nodes at the same place the innermost: an expression, and not the statement that it is.
    at_place = [node for node in ast.walk(tree) if _span(node) == tuple(place[1:5])]
    if not at_place:
        return FailingCode(line)
    node = _meant(at_place[-1], parents)
    around = parents.get(node)
    context = ""
    if isinstance(around, ast.If | ast.IfExp | ast.While | ast.Assert) and around.test is node:
        context = _CONTEXTS[type(around)]
    elif isinstance(around, ast.comprehension) and node in around.ifs:
        context, around = "filter", parents[around]
    elif not isinstance(node, ast.stmt):
        around = _statement_of(node, parents)
    return FailingCode(
        statement=ast.get_source_segment(text, node) or line,
        kind=_kind(node, context),
        callee=ast.unparse(node.func) if isinstance(node, ast.Call) else "",
        parts=tuple(_parts(node)),
        context=context,
        whole=_segment(text, around) if around is not None else "",
    )


def _span(node: ast.AST) -> tuple[Any, ...] | None:
    if not hasattr(node, "lineno"):
        return None
    return node.lineno, node.end_lineno, node.col_offset, node.end_col_offset  # pyright: ignore[reportAttributeAccessIssue]


def _meant(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> ast.AST:
    """The expression that a place stands for: a whole condition, a whole f-string.

    Older Pythons give the place of the choice, the loop or the string; newer ones that of the part that is asked.
    """
    if isinstance(node, ast.If | ast.IfExp | ast.While | ast.Assert):
        node = node.test
    up: ast.AST | None = node
    while up is not None and not isinstance(up, ast.stmt):
        if isinstance(up, ast.JoinedStr):
            node = up
        up = parents.get(up)
    while True:
        around = parents.get(node)
        if not isinstance(around, ast.BoolOp) and not _is_not(around):
            return node
        node = around  # pyright: ignore[reportAssignmentType]


def _is_not(node: ast.AST | None) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)


def _statement_of(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> ast.AST | None:
    around: ast.AST | None = node
    while around is not None and not isinstance(around, ast.stmt):
        around = parents.get(around)
    return around


def _segment(text: str, node: ast.AST) -> str:
    """The text of a node, without what its lines are indented by."""
    found = ast.get_source_segment(text, node, padded=True) or ""
    if found.count("\n") >= _MOST_LINES:
        return ""
    return textwrap.dedent(found).strip()


def _parts(node: ast.AST) -> Iterator[str]:
    """What an expression is made of, as it would be written."""
    if isinstance(node, ast.BoolOp):
        yield from map(ast.unparse, node.values)
    elif isinstance(node, ast.Compare):
        yield from map(ast.unparse, (node.left, *node.comparators))
    elif isinstance(node, ast.BinOp):
        yield from map(ast.unparse, (node.left, node.right))
    elif isinstance(node, ast.AugAssign):
        yield from map(ast.unparse, (node.target, node.value))
    elif isinstance(node, ast.Call):
        yield from map(ast.unparse, node.args)
    elif isinstance(node, ast.Subscript):
        yield from map(ast.unparse, (node.value, node.slice))
    elif isinstance(node, ast.UnaryOp):
        yield ast.unparse(node.operand)
    elif isinstance(node, ast.Attribute):
        yield ast.unparse(node.value)
    elif isinstance(node, ast.JoinedStr):
        yield from (ast.unparse(one.value) for one in node.values if isinstance(one, ast.FormattedValue))


_CONTEXTS: dict[type[ast.AST], str] = {
    ast.If: "if",
    ast.IfExp: "choice",
    ast.While: "while",
    ast.Assert: "assert",
}

_KINDS: dict[type[ast.AST], str] = {
    ast.Call: "call",
    ast.Subscript: "index",
    ast.For: "for",
    ast.Attribute: "attribute",
    ast.BinOp: "operator",
    ast.AugAssign: "operator",
    ast.JoinedStr: "text",
}


def _kind(node: ast.AST, context: str) -> str:
    if isinstance(node, ast.BoolOp):
        return "and" if isinstance(node.op, ast.And) else "or"
    if _is_not(node):
        return "not"
    if isinstance(node, ast.Compare) and len(node.ops) > 1:
        return "chain"
    if context:
        return "if" if context == "choice" else context
    if isinstance(node, ast.Compare):
        return "compare"
    return _KINDS.get(type(node), "")
