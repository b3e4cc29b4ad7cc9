"""Panels as plain text: columns that line up, differences side by side, cards with their figures.

What lives here: columns and lines. What must not: what is said, colours.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from jaxnb.explorer.model.panels import Card, Cards, DiffLine, DiffPanel, Panel, Row, Table, Waiting

__all__ = ["panel_text"]

WIDTH = 110
_LEAST_CUT = 20
_MOST_ROWS = 60
_MOST_CODE_LINES = 4
_NEAR = 2
"""Rows that were kept are shown this far from a change."""

_SIGNS = {"kept": " ", "changed": "~", "added": "+", "removed": "-"}


def panel_text(panel: Panel) -> str:
    """A panel with its title as text."""
    if isinstance(panel, Waiting):
        lines: Iterable[str] = [f"(not there yet: {panel.stage})"]
    elif isinstance(panel, Table):
        lines = _table(panel)
    elif isinstance(panel, DiffPanel):
        lines = _difference(panel)
    else:
        lines = _cards(panel)
    note = [] if isinstance(panel, Waiting) or not panel.note else textwrap.wrap(panel.note, WIDTH - 2)
    return "\n".join([panel.title, *(f"  {line}".rstrip() for line in [*lines, *note])])


# ---- tables ----------------------------------------------------------------------------------------------------------


def _table(table: Table) -> list[str]:
    if not table.rows:
        return [table.empty]
    shown = table.rows[:_MOST_ROWS]
    heads = [column.title for column in table.columns]
    plain = [row for row in shown if row.mark != "head"]
    widths = [
        max([len(head), *(len(_first_line(row, at)) for row in plain)]) for at, head in enumerate(heads)
    ]
    while sum(widths) + 2 * len(widths) > WIDTH and max(widths) > _LEAST_CUT:
        # the widest column gives way
        widths[widths.index(max(widths))] -= 1
    lines = _cells(table, heads, widths) if any(heads) else []
    for row in shown:
        if row.mark == "head":
            lines.append(" ".join(cell for cell in row.cells if cell))
        else:
            lines += _cells(table, [_first_line(row, at) for at in range(len(heads))], widths)
        for line in filter(None, row.detail.split("\n")):
            parts = textwrap.wrap(line, WIDTH - 8) if len(line) > WIDTH - 6 else [line]
            lines += [f"    {'  ' * (at > 0)}{part}" for at, part in enumerate(parts)]
    if len(table.rows) > len(shown):
        lines.append(f"… {len(table.rows) - len(shown)} more rows")
    return lines


def _first_line(row: Row, at: int) -> str:
    return row.cells[at].partition("\n")[0] if at < len(row.cells) else ""


def _cells(table: Table, cells: Sequence[str], widths: Sequence[int]) -> list[str]:
    """A row as lines: numbers are cut where a column is too narrow, text goes on below, code not for long."""
    columns: list[list[str]] = []
    for column, cell, width in zip(table.columns, cells, widths, strict=True):
        if column.is_number:
            columns.append([_fit(cell, width).rjust(width)])
            continue
        lines = textwrap.wrap(cell, max(1, width)) if len(cell) > width else [cell]
        if column.is_code and len(lines) > _MOST_CODE_LINES:
            lines = [*lines[: _MOST_CODE_LINES - 1], _fit(f"{lines[_MOST_CODE_LINES - 1]} …", width)]
        columns.append([line.ljust(width) for line in lines])
    return [
        "  ".join(
            lines[at] if at < len(lines) else " " * width
            for lines, width in zip(columns, widths, strict=True)
        ).rstrip()
        for at in range(max(map(len, columns)))
    ]


# ---- differences -----------------------------------------------------------------------------------------------------


def _difference(panel: DiffPanel) -> list[str]:
    rows = panel.lines
    lines = [", ".join(f"{number} {mark}" for mark, number in panel.counts.items() if number) or "nothing"]
    if all(row.mark == "kept" for row in rows):
        return [*lines, "the programs differ in names and order only"]
    near = _near(rows)
    half = (WIDTH - 8) // 2
    longest = max(
        len(text) + 2 * rows[at].depth for at in near for text in (rows[at].left, rows[at].right) if text
    )
    if longest > half:
        return lines + _unified(panel, near)
    body: list[str] = []
    hidden = 0
    for at, row in enumerate(rows):
        if at not in near:
            hidden += 1
            continue
        if hidden:
            body.append(f"    … {hidden} kept")
            hidden = 0
        body.append(_side_by_side(row, half))
        if row.why:
            body.append(f"    {row.why}")
    if hidden:
        body.append(f"    … {hidden} kept")
    lines.append(f"  {panel.left.ljust(half)} | {panel.right}")
    if len(body) > _MOST_ROWS:
        body = [*body[:_MOST_ROWS], f"… {len(body) - _MOST_ROWS} more lines"]
    return lines + body


def _unified(panel: DiffPanel, near: set[int]) -> list[str]:
    """One text below the other: for lines too long to stand side by side."""
    body = [f"- {panel.left}", f"+ {panel.right}"]
    hidden = 0
    for at, row in enumerate(panel.lines):
        if at not in near:
            hidden += 1
            continue
        if hidden:
            body.append(f"    … {hidden} kept")
            hidden = 0
        indent = "  " * row.depth
        if row.mark == "changed":
            body.append(_fit(f"- {indent}{row.left}", WIDTH - 2))
            body.append(
                _fit(f"+ {indent}{row.right}", WIDTH - 2) + ("" if not row.why else f"\n      {row.why}")
            )
        else:
            body.append(
                _fit(
                    f"{_SIGNS[row.mark]} {indent}{row.right if row.right is not None else row.left}",
                    WIDTH - 2,
                )
            )
    if hidden:
        body.append(f"    … {hidden} kept")
    lines = [line for entry in body for line in entry.split("\n")]
    if len(lines) > _MOST_ROWS:
        lines = [*lines[:_MOST_ROWS], f"… {len(lines) - _MOST_ROWS} more lines"]
    return lines


def _near(rows: Sequence[DiffLine]) -> set[int]:
    changed = [at for at, row in enumerate(rows) if row.mark != "kept"]
    return {
        one for at in changed for one in range(max(0, at - _NEAR), min(len(rows), at + _NEAR + 1))
    }  # fmt: skip


def _side_by_side(row: DiffLine, half: int) -> str:
    indent = "  " * row.depth
    left = _fit(indent + row.left, half) if row.left is not None else ""
    right = _fit(indent + row.right, half) if row.right is not None else ""
    return f"{_SIGNS[row.mark]} {left.ljust(half)} | {right}".rstrip()


def _fit(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"


# ---- cards -----------------------------------------------------------------------------------------------------------


def _cards(cards: Cards) -> list[str]:
    lines: list[str] = []
    for number, card in enumerate(cards.cards):
        if cards.is_chain:
            lines.append(f"{number + 1}. {card.title}" + (f": {_figures(card)}" if card.figures else ""))
        else:
            lines.append(card.title + (f": {_figures(card)}" if card.figures else ""))
        for paragraph in card.text.split("\n"):
            lines += [f"   {line}" for line in textwrap.wrap(paragraph, WIDTH - 5)]
        lines += [f"     {line}" for line in card.code.rstrip("\n").split("\n") if card.code]
    return lines


def _figures(card: Card) -> str:
    return ", ".join(f"{k} {v}" if k else v for k, v in card.figures)
