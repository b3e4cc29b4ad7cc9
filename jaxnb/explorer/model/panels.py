"""Panels: tables, differences and cards that stand beside the texts of an exploration.

What lives here: their data and the form the schema gives them. What must not: what is said in them, or how it is drawn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from jaxnb.explorer.model.pivots import SetPool

__all__ = [
    "Card",
    "Cards",
    "Column",
    "DiffLine",
    "DiffPanel",
    "Figure",
    "Panel",
    "Row",
    "Table",
    "Waiting",
    "panel_data",
]

Figure: TypeAlias = tuple[str, str]
"""What a number is, and the number as it is shown."""

_MARKS = {"kept": 0, "changed": 1, "added": 2, "removed": 3}


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes:
        title: Its head.
        is_number: Whether its cells are lined up on the right.
        is_code: Whether its cells are names, types or code.
    """

    title: str
    is_number: bool = False
    is_code: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table.

    Attributes:
        cells: One text for each column.
        keys: The pivots it stands for; it lights with them.
        mark: ``warn``, ``good``, ``bad``, ``head`` for the title of a group, or nothing.
        detail: Further lines, shown below the row.
    """

    cells: tuple[str, ...]
    keys: tuple[str, ...] = ()
    mark: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table."""

    id: str
    title: str
    stage: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    note: str = ""
    empty: str = "Nothing to show."


@dataclass(frozen=True, slots=True)
class DiffLine:
    """A line of a difference: what stands left, what stands right, and how the two differ.

    Attributes:
        mark: ``kept``, ``changed``, ``added`` or ``removed``.
        left: The text of the first program, None where it has none.
        right: The text of the second.
        depth: How far it is indented.
        why: What was changed, in a few words.
        keys: The pivots that the right side stands for.
    """

    mark: str
    left: str | None
    right: str | None
    depth: int = 0
    why: str = ""
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DiffPanel:
    """Two programs side by side, aligned.

    Attributes:
        left: What the first program is called.
        right: What the second is called.
        counts: How many lines have each mark.
        language: The programs' language, as documents have it.
    """

    id: str
    title: str
    stage: str
    left: str
    right: str
    language: str
    lines: tuple[DiffLine, ...]
    counts: Mapping[str, int]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Card:
    """A card: a title, figures, and some text or code.

    Attributes:
        title: What it is about.
        figures: Its numbers.
        text: Sentences.
        code: Code, shown as such, that can be copied.
        language: The code's language, as documents have it.
        mark: ``warn``, ``good``, ``bad`` or nothing.
        keys: The pivots it stands for.
    """

    title: str
    figures: tuple[Figure, ...] = ()
    text: str = ""
    code: str = ""
    language: str = "python"
    mark: str = ""
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cards:
    """Cards, one below the other; ``is_chain`` where each leads to the next."""

    id: str
    title: str
    stage: str
    cards: tuple[Card, ...]
    note: str = ""
    is_chain: bool = False


@dataclass(frozen=True, slots=True)
class Waiting:
    """The place of a panel whose stage has not come yet."""

    id: str
    title: str
    stage: str


Panel: TypeAlias = Table | DiffPanel | Cards | Waiting


def panel_data(panels: Sequence[Panel], pool: SetPool | None) -> list[dict[str, Any]]:
    """The panels as the schema has them; without a pool nothing in them is linked."""
    return [_Data(pool).of(panel) for panel in panels]


@dataclass(frozen=True, slots=True)
class _Data:
    pool: SetPool | None

    def of(self, panel: Panel) -> dict[str, Any]:
        data: dict[str, Any] = {"id": panel.id, "title": panel.title, "stage": panel.stage}
        if isinstance(panel, Waiting):
            return {**data, "kind": "waiting"}
        if panel.note:
            data["note"] = panel.note
        if isinstance(panel, Table):
            return {**data, "kind": "table", **self.table(panel)}
        if isinstance(panel, DiffPanel):
            return {**data, "kind": "diff", **self.difference(panel)}
        return {
            **data,
            "kind": "cards",
            "chain": panel.is_chain,
            "cards": [self.card(c) for c in panel.cards],
        }

    def linked(self, data: dict[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
        number = self.pool.of(keys) if self.pool is not None and keys else -1
        return {**data, "set": number} if number >= 0 else data

    def table(self, table: Table) -> dict[str, Any]:
        rows = []
        for row in table.rows:
            data: dict[str, Any] = {"cells": list(row.cells)}
            if row.mark:
                data["mark"] = row.mark
            if row.detail:
                data["detail"] = row.detail
            rows.append(self.linked(data, row.keys))
        columns = [
            {
                "title": c.title,
                **({"number": True} if c.is_number else {}),
                **({"code": True} if c.is_code else {}),
            }
            for c in table.columns
        ]
        return {"columns": columns, "rows": rows, "empty": table.empty}

    def difference(self, panel: DiffPanel) -> dict[str, Any]:
        rows = []
        for line in panel.lines:
            number = self.pool.of(line.keys) if self.pool is not None and line.keys else -1
            rows.append([_MARKS[line.mark], line.depth, line.left, line.right, number, line.why])
        return {
            "language": panel.language,
            "left": panel.left,
            "right": panel.right,
            "counts": dict(panel.counts),
            "rows": rows,
        }

    def card(self, card: Card) -> dict[str, Any]:
        data: dict[str, Any] = {"title": card.title}
        if card.figures:
            data["figures"] = [{"k": k, "v": v} for k, v in card.figures]
        for name in ("text", "code", "mark"):
            if getattr(card, name):
                data[name] = getattr(card, name)
        if card.code:
            data["language"] = card.language
        return self.linked(data, card.keys)
