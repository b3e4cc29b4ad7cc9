"""The difference of two programs in which names do not count: aligned rows that were kept, added, removed or changed.

What lives here: rows and counts. What must not: how nodes are paired (``matching``), how texts are read (``reading``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from jaxnb.explorer.analysis.matching import Matching, match_programs
from jaxnb.explorer.capture.program import PARAMETER, RESULT, Node, Program
from jaxnb.explorer.model.panels import DiffLine, DiffPanel

__all__ = ["ADDED", "CHANGED", "KEPT", "REMOVED", "DiffRow", "StructuralDiff", "diff_programs"]

KEPT, ADDED, REMOVED, CHANGED = "kept", "added", "removed", "changed"


@dataclass(frozen=True, slots=True)
class DiffRow:
    """One row: a node of the first program, its counterpart in the second, or both.

    Attributes:
        mark: ``kept``, ``added``, ``removed`` or ``changed``.
        left: The node of the first program, None where there is none.
        right: The node of the second.
        depth: How many scopes it is inside of.
        why: What was changed, in a few words.
    """

    mark: str
    left: Node | None
    right: Node | None
    depth: int
    why: str = ""

    @property
    def node(self) -> Node:
        """The node of the second program, or else of the first."""
        node = self.right if self.right is not None else self.left
        assert node is not None
        return node


class StructuralDiff:
    """The rows of two programs, in the order of the second one; what was removed stands where it was."""

    def __init__(self, left: Program, right: Program) -> None:
        self.left = left
        self.right = right
        self._matching = match_programs(left, right)
        self.rows = tuple(_Rows(self._matching).all())

    @property
    def counts(self) -> dict[str, int]:
        """How many operations were kept, added, removed and changed; a changed parameter or result counts too."""
        found = {KEPT: 0, CHANGED: 0, ADDED: 0, REMOVED: 0}
        for row in self.rows:
            if row.mark != KEPT or row.node.kind not in (PARAMETER, RESULT):
                found[row.mark] += 1
        return found

    @property
    def changes(self) -> int:
        """How many rows are not kept; 0 for programs that differ in names and order only."""
        return sum(row.mark != KEPT for row in self.rows)

    def operations(self, mark: str) -> list[str]:
        """The kinds of the operations with this mark, in order; for ``changed`` those of the second program."""
        return [
            row.node.kind
            for row in self.rows
            if row.mark == mark and row.node.kind not in (PARAMETER, RESULT)
        ]

    def panel(self, id_: str, title: str, stage: str, left: str, right: str, note: str = "") -> DiffPanel:
        """The difference as a panel.

        Args:
            id_: Its name among the panels.
            title: Its title.
            stage: The stage that it needs.
            left: What the first program is called.
            right: What the second is called.
            note: A sentence below it.
        """
        lines = tuple(
            DiffLine(
                row.mark,
                row.left.text if row.left is not None else None,
                row.right.text if row.right is not None else None,
                row.depth,
                row.why,
                row.right.keys if row.right is not None else (),
            )
            for row in self.rows
        )
        return DiffPanel(id_, title, stage, left, right, self.right.language, lines, self.counts, note)

    def __repr__(self) -> str:
        return f"<difference: {counts_text(self.counts)}>"


def counts_text(counts: dict[str, int]) -> str:
    """The counts as words: ``3 kept, 1 changed``."""
    return ", ".join(f"{number} {mark}" for mark, number in counts.items() if number) or "nothing"


def diff_programs(left: Program, right: Program) -> StructuralDiff:
    """The difference of two programs."""
    return StructuralDiff(left, right)


class _Rows:
    """Puts the nodes of both programs in one order."""

    def __init__(self, matching: Matching) -> None:
        self.m = matching
        self.left, self.right = matching.left.program, matching.right.program
        self.shown_left: set[int] = set()
        self.shown_right: set[int] = set()

    def all(self) -> Iterator[DiffRow]:
        yield from self.both(self.left.root, self.right.root, 0)

    def both(self, left: int, right: int, depth: int) -> Iterator[DiffRow]:
        """The rows of two scopes; a scope that several operations share is shown once."""
        if left in self.shown_left and right in self.shown_right:
            return
        self.shown_left.add(left)
        self.shown_right.add(right)
        ours = self.left.scopes[left].nodes
        at = 0
        for node in self.right.scopes[right].nodes:
            counterpart = self.m.left_of.get(node)
            if counterpart is None:
                yield from self.one(ADDED, node, self.right, self.shown_right, depth)
                continue
            # what was removed before the counterpart stands before it
            place = self.m.left.place[counterpart]
            while at < place:
                yield from self.removed(ours[at], depth)
                at += 1
            at = max(at, place)
            yield from self.pair(counterpart, node, depth)
        for node in ours[at:]:
            yield from self.removed(node, depth)

    def removed(self, node: int, depth: int) -> Iterator[DiffRow]:
        if node not in self.m.right_of:
            yield from self.one(REMOVED, node, self.left, self.shown_left, depth)

    def one(self, mark: str, number: int, program: Program, shown: set[int], depth: int) -> Iterator[DiffRow]:
        """The rows of a node that has no counterpart, and of all that is inside it."""
        node = program.nodes[number]
        yield DiffRow(mark, node, None, depth) if mark == REMOVED else DiffRow(mark, None, node, depth)
        for scope in node.scopes:
            if scope not in shown:
                shown.add(scope)
                for inner in program.scopes[scope].nodes:
                    yield from self.one(mark, inner, program, shown, depth + 1)

    def pair(self, left: int, right: int, depth: int) -> Iterator[DiffRow]:
        one, other = self.left.nodes[left], self.right.nodes[right]
        is_same = self.m.is_same(left, right)
        if not (is_same and other.is_hidden):
            why = "" if is_same else self.why(left, right)
            yield DiffRow(KEPT if is_same else CHANGED, one, other, depth, why)
        for place in range(max(len(one.scopes), len(other.scopes))):
            if place < len(one.scopes) and place < len(other.scopes):
                yield from self.both(one.scopes[place], other.scopes[place], depth + 1)

    def why(self, left: int, right: int) -> str:
        """What differs between a pair, in a few words."""
        one, other = self.left.nodes[left], self.right.nodes[right]
        if one.kind != other.kind:
            return f"{one.kind.rpartition('.')[2]} → {other.kind.rpartition('.')[2]}"
        if one.label != other.label:
            return label_difference(one.label, other.label)
        if one.place != other.place and one.kind == PARAMETER:
            return "another array"
        if len(one.operands) != len(other.operands):
            return f"{len(one.operands)} operands, now {len(other.operands)}"
        parts = []
        for at in self.m.differing_operands(left, right):
            before = self.operand_text(one.operands[at], self.left)
            now = self.operand_text(other.operands[at], self.right)
            number = f" {at + 1}" if len(one.operands) > 1 else ""
            noun = "result" if one.kind == RESULT else "operand"
            parts.append(
                f"{noun}{number} was {before}, now {now}"
                if before != now
                else f"{noun}{number}: another {now}"
            )
        return "; ".join(parts[:2]) + (f"; and {len(parts) - 2} more" if len(parts) > 2 else "")

    @staticmethod
    def operand_text(value: Any, program: Program) -> str:
        if isinstance(value, str):
            return value
        node = program.nodes[value[0]]
        if node.kind == PARAMETER:
            return node.text if node.text.startswith("[") else f"parameter {node.place}"
        return node.kind.rpartition(".")[2]


_WORD = re.compile(r"[\w.<>\[\]\-]+|\S")
_LONGEST = 80


def label_difference(left: str, right: str) -> str:
    """The part of two labels between what they begin and end with alike: ``(0,) → (1,)``."""
    one, other = _WORD.findall(left), _WORD.findall(right)
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    end = 0
    while end < min(len(one), len(other)) - start and one[-1 - end] == other[-1 - end]:
        end += 1
    before = _short(" ".join(one[start : len(one) - end]))
    now = _short(" ".join(other[start : len(other) - end]))
    return f"{before or 'nothing'} → {now or 'nothing'}"


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
