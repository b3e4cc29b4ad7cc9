"""The document model: six frozen classes and the functions that build them.

What lives here: the shape of a document before it has a width. What must not: any knowledge of jaxprs, MLIR or
HLO, and any rendering. A document is immutable; every class caches what the layout needs (its width when flat, its
flat text when that is short), so that a subtree which fits on its line is one string append.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

INFINITE = 1 << 60
"""The width of something that cannot be put on one line."""

_KEEP_FLAT = 320
# Longer flat texts are not cached: each level of nesting would hold its own copy of them.


class Text(NamedTuple):
    """A run of characters, with what it is (``role``) and what it stands for (``entity``)."""

    flat: str | None
    size: int
    rigid: bool
    marked: bool
    text: str
    role: str | None
    entity: str | int | None
    annotation: str | None


class Line(NamedTuple):
    """A place where a line may end; when its group fits it is ``flat`` instead. A hard line never fits."""

    flat: str | None
    size: int
    rigid: bool
    marked: bool


class Cat(NamedTuple):
    """Documents one after the other; a role or an entity given here covers all of them."""

    flat: str | None
    size: int
    rigid: bool
    marked: bool
    children: tuple[Doc | str, ...]
    role: str | None
    entity: str | int | None


class Nest(NamedTuple):
    """A document whose broken lines are indented by ``indent`` more columns."""

    flat: str | None
    size: int
    rigid: bool
    marked: bool
    child: Doc
    indent: int


class Group(NamedTuple):
    """A document that is laid out flat if it fits and broken at all of its own lines if not."""

    flat: str | None
    size: int
    rigid: bool
    marked: bool
    child: Doc


class Fold(NamedTuple):
    """A document that a renderer may hide behind its ``label``."""

    flat: str | None
    size: int
    rigid: bool
    marked: bool
    child: Doc
    label: str
    is_open: bool


_new: Any = tuple.__new__
# Builders run for every token of a page, and the class's own constructor would double their cost.

Doc = Text | Line | Cat | Nest | Group | Fold


def text(
    content: str,
    role: str | None = None,
    entity: str | int | None = None,
    *,
    annotation: str | None = None,
) -> Text:
    """A run of characters.

    Args:
        content: The characters; a newline among them is kept as it is and gets no indentation.
        role: What kind of thing it is (``"keyword"``, ``"type"``, …), for colours.
        entity: The id of the thing it stands for, for links.
        annotation: A remark set at the end of the line on which the text lands.
    """
    marked = role is not None or entity is not None or annotation is not None
    return _new(Text, (content, len(content), True, marked, content, role, entity, annotation))


def line(flat: str | None = " ") -> Line:
    """A possible line end; ``flat`` is its text when the group fits, None makes it a hard line."""
    if flat is None:
        return Line(None, INFINITE, False, False)
    return Line(flat, len(flat), False, False)


def cat(children: Iterable[Doc | str], role: str | None = None, entity: str | int | None = None) -> Doc:
    """The children one after the other; strings among them are plain texts."""
    docs = tuple(children)
    size = 0
    rigid = True
    marked = role is not None or entity is not None
    flats: list[Any] = []
    for doc in docs:
        if isinstance(doc, str):
            size += len(doc)
            flats.append(doc)
            continue
        flats.append(doc.flat)
        size += doc.size
        if not doc.rigid:
            rigid = False
        if doc.marked:
            marked = True
    if size <= _KEEP_FLAT:
        whole = "".join(flats)
    else:
        whole = None
        size = min(size, INFINITE)
    return _new(Cat, (whole, size, rigid, marked, docs, role, entity))


def nest(indent: int, child: Doc) -> Nest:
    """The child, its broken lines indented by ``indent`` more columns."""
    return _new(Nest, (*child[:4], child, indent))


def group(child: Doc) -> Group:
    """The child, on one line if it fits."""
    return _new(Group, (*child[:4], child))


def fold(label: str, child: Doc, *, is_open: bool = True) -> Fold:
    """The child, which a renderer may hide behind ``label``."""
    return Fold(child[0], child[1], child[2], True, child, label, is_open)


def tag(child: Doc, role: str | None = None, entity: str | int | None = None) -> Doc:
    """The child, all of it with this role and entity."""
    return cat((child,), role, entity)


def join(separator: Doc | str, children: Sequence[Doc | str]) -> Doc:
    """The children with the separator between them."""
    parts: list[Doc | str] = []
    for index, child in enumerate(children):
        if index:
            parts.append(separator)
        parts.append(child)
    return cat(parts)


EMPTY = text("")
BREAK = line()
SOFT_BREAK = line("")
HARD_BREAK = line(None)
