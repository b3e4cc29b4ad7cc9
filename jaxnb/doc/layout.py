"""One layout: a document and a width in, a page of text with its marks out.

What lives here: the Wadler-style algorithm, in the variant JAX's printer uses: a group is flat when the group
itself fits into the rest of its line, whatever follows it. What must not: colours, HTML, or any IR.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from jaxnb.doc.model import Cat, Doc, Fold, Group, Line, Nest, Text

DEFAULT_WIDTH = 100


class Mark(NamedTuple):
    """A stretch of a page that has a role, stands for an entity, or can be folded."""

    start: int
    end: int
    role: str | None
    entity: str | int | None
    fold: str | None = None
    is_open: bool = True


class Span(NamedTuple):
    """A stretch of one line, in columns counted from 0."""

    line: int
    start: int
    end: int


@dataclass(frozen=True)
class Page:
    """A laid-out document: its text and the marks upon it, outer marks before inner ones."""

    text: str
    marks: list[Mark] = field(default_factory=list)

    @cached_property
    def line_starts(self) -> list[int]:
        """The offset at which each line begins."""
        return line_starts(self.text)

    def spans(self, start: int, end: int) -> list[Span]:
        """The stretches of lines that characters ``start`` to ``end`` cover, indentation left out."""
        starts = self.line_starts
        first = bisect_right(starts, start) - 1
        spans = []
        for number in range(first, len(starts)):
            begin = starts[number]
            if begin >= end and number > first:
                break
            stop = (starts[number + 1] - 1) if number + 1 < len(starts) else len(self.text)
            low = max(start, begin)
            high = min(end, stop)
            if low == begin:
                low += len(self.text[low:high]) - len(self.text[low:high].lstrip(" "))
            if high > low:
                spans.append(Span(number, low - begin, high - begin))
        return spans


def line_starts(content: str) -> list[int]:
    """The offset at which each line of ``content`` begins."""
    starts = [0]
    at = content.find("\n")
    while at >= 0:
        starts.append(at + 1)
        at = content.find("\n", at + 1)
    return starts


class _Close(NamedTuple):
    """Ends a mark when the layout comes to it."""

    index: int


def layout(doc: Doc, width: int = DEFAULT_WIDTH, *, annotation_prefix: str = " # ") -> Page:
    """The page on which ``doc`` stands, at most ``width`` columns wide where its groups allow it."""
    return _lay_out(doc, width, True, annotation_prefix)


def to_text(doc: Doc, width: int = DEFAULT_WIDTH) -> str:
    """The text of ``doc`` alone: no marks, no annotations; the fastest way to print."""
    return _lay_out(doc, width, False, "").text


def _lay_out(doc: Doc, width: int, with_marks: bool, annotation_prefix: str) -> Page:
    out: list[str] = []
    put = out.append
    marks: list[Mark] = []
    remarks: dict[int, list[str]] = {}
    breaks: list[int] = []  # where each line but the last ends
    at = 0  # characters put so far
    column = 0
    # Bottom of the stack is the end of the document. An entry is (indent, flat, document).
    stack: list[tuple[int, bool, Doc | str | _Close]] = [(0, False, doc)]
    pop = stack.pop
    push = stack.append
    while stack:
        indent, flat, node = pop()
        if isinstance(node, str):
            put(node)
            at += len(node)
            column += len(node)
            continue
        if isinstance(node, _Close):
            marks[node.index] = marks[node.index]._replace(end=at)
            continue
        content, size = node.flat, node.size
        if isinstance(node, Group) and not flat and column + size <= width:
            flat = True
        if content is not None and (flat or node.rigid) and not (with_marks and node.marked):
            if content:
                put(content)
                at += size
                column += size
            continue
        if isinstance(node, Text):
            if node.role is not None or node.entity is not None:
                marks.append(Mark(at, at + size, node.role, node.entity))
            if node.annotation is not None:
                remarks.setdefault(len(breaks), []).extend(node.annotation.split("\n"))
            put(node.text)
            at += size
            column += size
        elif isinstance(node, Line):
            # A flat line was put above, so this one breaks.
            put("\n" + " " * indent)
            breaks.append(at)
            at += 1 + indent
            column = indent
        elif isinstance(node, Cat):
            if with_marks and (node.role is not None or node.entity is not None):
                push((indent, flat, _Close(len(marks))))
                marks.append(Mark(at, at, node.role, node.entity))
            for child in reversed(node.children):
                push((indent, flat, child))
        elif isinstance(node, Nest):
            push((indent + node.indent, flat, node.child))
        elif isinstance(node, Group):
            push((indent, flat, node.child))
        elif isinstance(node, Fold):
            if with_marks:
                push((indent, flat, _Close(len(marks))))
                marks.append(Mark(at, at, None, None, node.label, node.is_open))
            push((indent, flat, node.child))
    page = Page("".join(out), marks)
    return _with_remarks(page, breaks, remarks, annotation_prefix) if remarks else page


def _with_remarks(page: Page, breaks: list[int], remarks: dict[int, list[str]], prefix: str) -> Page:
    """The page with each line's annotations set in one column behind its text.

    The lines are those the layout made, each of which ends at a break; a text that brings its own newline
    stays whole.
    """
    starts = [0, *[offset + 1 for offset in breaks]]
    lines = [page.text[start:end] for start, end in zip(starts, [*breaks, len(page.text)], strict=True)]
    margin = max(len(content) for content in lines)
    added = []  # (offset in the old text after which characters are added, how many)
    out = []
    for number, content in enumerate(lines):
        notes = remarks.get(number)
        if notes:
            tail = " " * (margin - len(content)) + prefix + notes[0]
            tail += "".join("\n" + " " * margin + prefix + note for note in notes[1:])
            added.append((starts[number] + len(content), len(tail)))
            content += tail
        out.append(content)
    offsets = [offset for offset, _ in added]
    sums = [0]
    for _, count in added:
        sums.append(sums[-1] + count)

    def move(offset: int, is_end: bool) -> int:
        before = bisect_right(offsets, offset - 1 if is_end else offset)
        return offset + sums[before]

    marks = [mark._replace(start=move(mark.start, False), end=move(mark.end, True)) for mark in page.marks]
    return Page("\n".join(out), marks)
