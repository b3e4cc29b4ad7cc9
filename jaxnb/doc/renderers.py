"""Renderers of a laid-out page: ANSI, HTML and JSON-able data.

What lives here: what a role looks like in each medium. What must not: layout, or which roles an IR uses.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from jaxnb.base.lazy import lazy_module
from jaxnb.doc.layout import Page

if TYPE_CHECKING:
    import html
else:
    html = lazy_module("html")


class Style(NamedTuple):
    """ANSI colours of a role; None leaves what surrounds it."""

    foreground: int | None = None
    background: int | None = None
    intensity: int | None = None


_RESET = Style(39, 49, 22)

STYLES: Mapping[str, Style] = {
    "keyword": Style(foreground=34, intensity=1),
    "type": Style(foreground=35, intensity=22),
    "comment": Style(foreground=90),
    "error": Style(foreground=31, intensity=1),
    "heading": Style(intensity=1),
}
"""The colours that JAX gives to keywords and types, and ours for the rest."""


def _segments(page: Page) -> list[tuple[int, int, tuple[int, ...]]]:
    """The page cut where marks begin or end: (start, end, the marks around it, outermost first)."""
    events: list[tuple[int, int, int]] = []
    for index, mark in enumerate(page.marks):
        if mark.end > mark.start:
            events.append((mark.start, 1, index))
            events.append((mark.end, 0, -index))
    events.sort()
    segments = []
    around: tuple[int, ...] = ()
    at = 0
    for offset, opens, index in events:
        if offset > at:
            segments.append((at, offset, around))
            at = offset
        around = (*around, index) if opens else tuple(one for one in around if one != -index)
    if len(page.text) > at:
        segments.append((at, len(page.text), around))
    return segments


def to_ansi(page: Page, styles: Mapping[str, Style] = STYLES) -> str:
    """The page with ANSI colour codes where its roles have a style."""
    out: list[str] = []
    current: list[int | None] = list(_RESET)

    def change(wanted: list[int | None]) -> None:
        codes = [str(new) for new, old in zip(wanted, current, strict=True) if new != old]
        if codes:
            out.append(f"\x1b[{';'.join(codes)}m")
            current[:] = wanted

    for start, end, around in _segments(page):
        wanted: list[int | None] = list(_RESET)
        for index in around:
            role = page.marks[index].role
            style = styles.get(role) if role is not None else None
            if style is not None:
                wanted = [old if new is None else new for new, old in zip(style, wanted, strict=True)]
        change(wanted)
        out.append(page.text[start:end])
    change(list(_RESET))
    return "".join(out)


def to_html(page: Page) -> str:
    """The page as escaped HTML: a ``<span>`` per mark, its role as class, its entity as ``data-entity``.

    The text is safe inside ``<pre>``; it brings no style of its own. Folds become ``data-fold`` attributes.
    """
    out: list[str] = []
    open_marks: tuple[int, ...] = ()
    for start, end, around in _segments(page):
        shared = 0
        while shared < min(len(open_marks), len(around)) and open_marks[shared] == around[shared]:
            shared += 1
        out.append("</span>" * (len(open_marks) - shared))
        for index in around[shared:]:
            mark = page.marks[index]
            attributes = ""
            if mark.role is not None:
                attributes += f' class="{html.escape(mark.role)}"'
            if mark.entity is not None:
                attributes += f' data-entity="{html.escape(str(mark.entity))}"'
            if mark.fold is not None:
                attributes += f' data-fold="{html.escape(mark.fold)}"'
            out.append(f"<span{attributes}>")
        out.append(html.escape(page.text[start:end]))
        open_marks = around
    out.append("</span>" * len(open_marks))
    return "".join(out)


def to_data(page: Page) -> dict[str, Any]:
    """The page as JSON-able data: its text, and its marks as ``[start, end, role, entity]`` (+ fold)."""
    marks: list[list[Any]] = []
    for mark in page.marks:
        row: list[Any] = [mark.start, mark.end, mark.role, mark.entity]
        if mark.fold is not None:
            row += [mark.fold, mark.is_open]
        marks.append(row)
    return {"text": page.text, "marks": marks}
