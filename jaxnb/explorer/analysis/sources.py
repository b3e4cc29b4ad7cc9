"""The source of functions as trees that can be edited: parameters added, expressions replaced, the rest is as written.

What lives here: finding a function's node, what it reads, and edits of text. What must not: what is to be changed.
"""

from __future__ import annotations

import ast
import inspect
import io
import textwrap
import tokenize
from collections.abc import Iterator, Mapping
from types import CodeType, FunctionType
from typing import Any, TypeAlias

from jaxnb.explorer.capture.cell_syntax import parse_cell

__all__ = [
    "Definition",
    "chain_text",
    "definition_of",
    "evaluate_chain",
    "free_chains",
    "namespace_of",
    "with_parameters",
]

FunctionNode: TypeAlias = ast.FunctionDef | ast.Lambda

_MISSING: Any = object()


class Definition:
    """A function's node, with the text it stands in.

    Args:
        node: The function.
        statement: What is shown of the text: the function with its decorators, or the statement that a lambda is in.
        text: The whole text.
    """

    def __init__(self, node: FunctionNode, statement: ast.AST, text: str) -> None:
        self.node = node
        self.statement = statement
        self.lines = [line.encode() for line in text.split("\n")]
        self.edits: list[tuple[tuple[int, int], tuple[int, int], str]] = []

    @property
    def decorators(self) -> list[ast.expr]:
        """What the function is decorated with."""
        return self.node.decorator_list if isinstance(self.node, ast.FunctionDef) else []

    def assignment_of(self, variable: str, name: str) -> str | None:
        """The last statement of the text that makes a variable of what has this name."""
        found: str | None = None
        text = b"\n".join(self.lines).decode()
        for node in parse_cell(text).body:
            if isinstance(node, ast.Assign) and [ast.unparse(one) for one in node.targets] == [variable]:
                has_name = any(isinstance(one, ast.Name) and one.id == name for one in ast.walk(node.value))
                found = ast.get_source_segment(text, node) if has_name else None
        return found

    def replace(self, node: ast.AST, text: str) -> None:
        """Puts a text in a node's place."""
        self.edits.append((_start(node), _end(node), text))

    def insert(self, at: tuple[int, int], text: str) -> None:
        """Puts a text between others; lines count from 1, columns from 0 [bytes]."""
        self.edits.append((at, at, text))

    def add_parameters(self, arguments: ast.arguments) -> None:
        """Gives the function another list of parameters."""
        node = self.node
        body = node.body[0] if isinstance(node, ast.FunctionDef) else node.body
        start, end = _start(node), _start(body)
        region = self.between(start, end)
        colon = _colon(region)
        row = region[:colon].count("\n")
        column = len(region[:colon].rpartition("\n")[2].encode()) + (start[1] if row == 0 else 0)
        if isinstance(node, ast.FunctionDef):
            returned = f" -> {ast.unparse(node.returns)}" if node.returns is not None else ""
            head = f"def {node.name}({ast.unparse(arguments)}){returned}"
        else:
            head = f"lambda {ast.unparse(arguments)}"
        self.edits.append((start, (start[0] + row, column), head))

    def add_keywords(self, call: ast.Call, keywords: str) -> None:
        """Gives a call further keywords."""
        row, column = _end(call)
        inside = self.between(_end(call.func), (row, column - 1)).strip().removeprefix("(").strip()
        comma = "" if not inside or inside.endswith(",") else ", "
        self.insert((row, column - 1), f"{comma}{' ' if inside.endswith(',') else ''}{keywords}")

    def between(self, start: tuple[int, int], end: tuple[int, int]) -> str:
        """A stretch of the text."""
        (row, column), (last, stop) = start, end
        if row == last:
            return self.lines[row - 1][column:stop].decode()
        parts = [self.lines[row - 1][column:], *self.lines[row : last - 1], self.lines[last - 1][:stop]]
        return b"\n".join(parts).decode()

    def text(self) -> str:
        """The statement with all edits."""
        start, end = _start(self.statement), _end(self.statement)
        if isinstance(self.statement, ast.FunctionDef) and self.decorators:
            first = self.decorators[0]
            start = (first.lineno, max(0, first.col_offset - 1))
        if not self.lines[end[0] - 1][end[1] :].strip().startswith(b"#"):
            rest = b""
        else:
            rest = self.lines[end[0] - 1][end[1] :]  # a comment behind the last line
        parts: list[str] = []
        at = start
        for begin, stop, new in sorted(self.edits):
            if begin < at:  # inside of what was replaced
                continue
            parts += [self.between(at, begin), new]
            at = stop
        whole = "".join([*parts, self.between(at, end), rest.decode()])
        return textwrap.dedent(" " * start[1] + whole)


def _start(node: Any) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _end(node: Any) -> tuple[int, int]:
    return node.end_lineno, node.end_col_offset


def _colon(text: str) -> int:
    """Where the colon stands that ends a function's head."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    depth = 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.OP:
                depth += (token.string in "([{") - (token.string in ")]}")
                if token.string == ":" and depth == 0:
                    return starts[token.start[0] - 1] + token.start[1]
    except (tokenize.TokenError, IndentationError):  # the region ends within the function
        pass
    return text.rindex(":")


def definition_of(fun: FunctionType, called: str = "") -> Definition | None:
    """Where a function is defined, or what is assigned to the variable that is called; None without a source."""
    code = fun.__code__
    try:
        text = "".join(inspect.findsource(code)[0])
        tree = parse_cell(text)
    except (OSError, TypeError, SyntaxError, IndexError):
        return None
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == code.co_name:
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            if code.co_firstlineno in (first, node.lineno):
                return Definition(node, node, text)
        elif isinstance(node, ast.Lambda) and code.co_name == "<lambda>" and _is_of(node, code):
            statement: ast.AST = node
            while statement in parents and not isinstance(statement, ast.stmt):
                statement = parents[statement]
            is_whole = isinstance(statement, ast.Assign) and (
                statement.value is node or [ast.unparse(one) for one in statement.targets] == [called]
            )
            return Definition(node, statement if is_whole else node, text)
    return None


def _is_of(node: ast.Lambda, code: CodeType) -> bool:
    places = [p for p in code.co_positions() if p[0] is not None and p[2] is not None]
    inside = [(line, column) for line, _, column, _ in places if (line, column) >= _start(node.body)]
    return (
        node.lineno == code.co_firstlineno
        and any(_start(node.body) == place for place in inside)
        and _end(node.body)
        == max((last, stop) for _, last, _, stop in places if last is not None and stop is not None)
    )


def namespace_of(fun: FunctionType, owner: Any = None) -> dict[str, Any]:
    """What a function's free variables stand for; with the object that it is bound to under its first parameter."""
    space = dict(fun.__globals__)
    for name, cell in zip(fun.__code__.co_freevars, fun.__closure__ or (), strict=False):
        try:
            space[name] = cell.cell_contents
        except ValueError:
            continue
    for name in _bound_names(fun.__code__):
        space.pop(name, None)
    if owner is not None and fun.__code__.co_argcount:
        space[fun.__code__.co_varnames[0]] = owner
    return space


def _bound_names(code: CodeType) -> Iterator[str]:
    yield from code.co_varnames
    yield from code.co_cellvars
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _bound_names(constant)


def free_chains(node: ast.AST, space: Mapping[str, Any]) -> Iterator[list[ast.expr]]:
    """The expressions such as ``m.params['w']`` whose variable is free, each from the variable on outwards."""

    def visit(one: ast.AST) -> Iterator[list[ast.expr]]:
        chain: list[ast.expr] = []
        inner = one
        while isinstance(inner, ast.Attribute) or (
            isinstance(inner, ast.Subscript) and isinstance(inner.slice, ast.Constant)
        ):
            chain.append(inner)
            inner = inner.value
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load) and inner.id in space:
            yield [inner, *reversed(chain)]
        else:
            for child in ast.iter_child_nodes(one):
                yield from visit(child)

    for part in (
        node.body
        if isinstance(node, ast.FunctionDef)
        else [node.body]
        if isinstance(node, ast.Lambda)
        else [node]
    ):
        yield from visit(part)


def evaluate_chain(node: ast.expr, space: Mapping[str, Any]) -> Any:
    """What such an expression stands for; None where it has no value."""
    try:
        if isinstance(node, ast.Name):
            return space.get(node.id)
        if isinstance(node, ast.Attribute):
            owner = evaluate_chain(node.value, space)
            return getattr(owner, node.attr, None)
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            owner: Any = evaluate_chain(node.value, space)
            key: Any = node.slice.value
            return owner[key] if isinstance(owner, dict | list | tuple) else None
    except Exception:
        # A property may raise anything; then it is none of the arrays.
        return None
    return None


def chain_text(node: ast.expr) -> str:
    """Such an expression as code."""
    return ast.unparse(node)


def with_parameters(arguments: ast.arguments, names: list[str], is_first: bool) -> ast.arguments:
    """A list of parameters with others before it, or after it as keywords."""
    added = [ast.arg(name) for name in names]
    if is_first:
        positional = [*added, *arguments.posonlyargs] if arguments.posonlyargs else []
        return ast.arguments(
            positional, arguments.args if positional else [*added, *arguments.args],
            arguments.vararg, arguments.kwonlyargs, arguments.kw_defaults, arguments.kwarg, arguments.defaults,
        )  # fmt: skip
    return ast.arguments(
        arguments.posonlyargs, arguments.args, arguments.vararg, [*arguments.kwonlyargs, *added],
        [*arguments.kw_defaults, *(None for _ in added)], arguments.kwarg, arguments.defaults,
    )  # fmt: skip
