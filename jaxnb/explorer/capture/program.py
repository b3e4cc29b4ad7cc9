"""Programs in one form, whatever language they were printed in: operations in scopes, names left out.

What lives here: the data that readers fill and the structural difference compares. What must not: how any language
is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

__all__ = ["ARRAY", "PARAMETER", "RESULT", "Node", "Program", "ProgramBuilder", "Scope", "Value"]

PARAMETER = "parameter"
RESULT = "result"
ARRAY = "array "
"""How the place of a parameter begins that stands for a captured array; a digest of its contents follows."""

Value: TypeAlias = "tuple[int, int] | str"
"""What an operand is: the result of a node, as ``(node, which result)``, or the text of a literal."""

COMMUTATIVE = frozenset(
    {
        "add", "mul", "max", "min", "and", "or", "xor", "eq", "ne", "add_any",
        "multiply", "maximum", "minimum",
    }
)  # fmt: skip
"""Operations whose two operands may be exchanged, by the last part of their names in any of the languages."""


@dataclass(slots=True)
class Node:
    """An operation, a parameter of a scope, or a scope's result.

    Attributes:
        kind: What it does, in a word: the operation's name, ``parameter`` or ``result``.
        label: All that counts when two nodes are compared: kind, attributes, types; no name of a value. A parameter's
            is its type.
        operands: What it uses, in order.
        scopes: The scopes inside it: bodies of loops and branches, called programs.
        text: As a reader sees it, on one line; names and all.
        line: Its line in the text it was read from, counted from 0; -1 if it has none.
        keys: The pivots it stands for.
        is_hidden: Whether it is left out of what is shown unless it was changed.
        place: Of a parameter, which one of its scope it is.
    """

    kind: str
    label: str
    operands: tuple[Value, ...] = ()
    scopes: tuple[int, ...] = ()
    text: str = ""
    line: int = -1
    keys: tuple[str, ...] = ()
    is_hidden: bool = False
    place: str = ""

    @property
    def commutes(self) -> bool:
        """Whether the order of its two operands does not count."""
        return len(self.operands) == 2 and self.kind.rpartition(".")[2] in COMMUTATIVE


@dataclass(slots=True)
class Scope:
    """A list of nodes: parameters first, the result last; the operations between them in the order of the text."""

    nodes: list[int] = field(default_factory=list)
    parameters: int = 0
    owner: int = -1
    """The first node that it is inside of; -1 for a program's outermost scope."""


@dataclass(slots=True)
class Program:
    """A program: all its nodes, and its scopes, of which ``root`` is the outermost."""

    language: str
    nodes: list[Node] = field(default_factory=list)
    scopes: list[Scope] = field(default_factory=list)
    root: int = 0

    @property
    def operations(self) -> list[Node]:
        """The nodes that are neither parameters nor results."""
        return [node for node in self.nodes if node.kind not in (PARAMETER, RESULT)]


class ProgramBuilder:
    """Builds a program scope by scope; a reader's names stand for values until they are looked up."""

    def __init__(self, language: str) -> None:
        self.program = Program(language)

    def scope(self) -> int:
        """Begins a scope and returns its number."""
        self.program.scopes.append(Scope())
        return len(self.program.scopes) - 1

    def parameter(
        self, scope: int, place: str, type_: str, text: str, *, line: int = -1, keys: Iterable[str] = ()
    ) -> int:
        """Adds a parameter; ``place`` says which one it is: its number, or what it is known by."""
        node = Node(PARAMETER, type_, text=text, line=line, keys=tuple(keys), place=place)
        number = self._add(scope, node)
        self.program.scopes[scope].parameters += 1
        return number

    def operation(
        self,
        scope: int,
        kind: str,
        label: str,
        operands: Sequence[Value],
        text: str,
        *,
        scopes: Sequence[int] = (),
        line: int = -1,
        keys: Iterable[str] = (),
    ) -> int:
        """Adds an operation and returns its number."""
        number = self._add(scope, Node(kind, label, tuple(operands), tuple(scopes), text, line, tuple(keys)))
        for inner in scopes:
            if self.program.scopes[inner].owner < 0:
                self.program.scopes[inner].owner = number
        return number

    def result(
        self, scope: int, operands: Sequence[Value], text: str, *, line: int = -1, is_hidden: bool = False
    ) -> int:
        """Ends a scope with what it gives back."""
        return self._add(
            scope, Node(RESULT, RESULT, tuple(operands), text=text, line=line, is_hidden=is_hidden)
        )

    def _add(self, scope: int, node: Node) -> int:
        self.program.nodes.append(node)
        number = len(self.program.nodes) - 1
        self.program.scopes[scope].nodes.append(number)
        return number
