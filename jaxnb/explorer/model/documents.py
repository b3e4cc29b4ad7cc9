"""The four texts of an exploration with the pivot sets of their stretches.

What lives here: where in a text which pivots are meant. What must not: how a text is drawn.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from jaxnb.explorer.capture.protocol import CapturedLowering, CapturedTrace, SourceSpan
from jaxnb.explorer.model.escaping import utf16_length, visible
from jaxnb.explorer.model.hlo_parse import HloModule
from jaxnb.explorer.model.optimized import Reading
from jaxnb.explorer.model.pivots import SetPool
from jaxnb.explorer.model.stablehlo_parse import Block, StableHloModule
from jaxnb.explorer.model.tags import PathIndex

_METADATA = re.compile(r', metadata=\{(?:[^{}"]|"(?:[^"\\]|\\.)*"|\{[^{}]*\})*\}')
_TABLES = frozenset({"FileNames", "FunctionNames", "FileLocations", "StackFrames"})
_ARGUMENT = re.compile(r"%arg(\d+):")


@dataclass(frozen=True, slots=True)
class Document:
    """A text and its spans, a flat list of ``line, column, end column, set``; columns in UTF-16 units."""

    id: str
    title: str
    language: str
    text: str
    first_line: int
    spans: list[int]

    def to_data(self) -> dict[str, Any]:
        """The document as the schema has it."""
        return {
            "id": self.id,
            "title": self.title,
            "language": self.language,
            "text": visible(self.text),
            "first_line": self.first_line,
            "spans": self.spans,
        }


class _Spans:
    """Collects spans and gives them sorted, outer ones before inner ones, in UTF-16 columns."""

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        self.is_narrow = text.isascii() or max(text, default="") < "\ud800"
        self.found: list[tuple[int, int, int, int]] = []

    def add(self, line: int, start: int, end: int, number: int) -> None:
        if number < 0 or not 0 <= line < len(self.lines):
            return
        content = self.lines[line]
        end = min(end, len(content))
        if start >= end:
            return
        if not self.is_narrow:
            start, end = utf16_length(content[:start]), utf16_length(content[:end])
        self.found.append((line, start, -end, number))

    def add_line(self, line: int, number: int) -> None:
        """The whole line, its indentation left out."""
        if 0 <= line < len(self.lines):
            content = self.lines[line]
            self.add(line, len(content) - len(content.lstrip()), len(content), number)

    def flat(self) -> list[int]:
        self.found.sort()
        spans: list[int] = []
        last: tuple[int, int, int] | None = None
        for line, start, end, number in self.found:
            if last != (line, start, end):
                spans += (line, start, -end, number)
            last = (line, start, end)
        return spans


def source_document(trace: CapturedTrace, pool: SetPool) -> Document | None:
    """The function's source; every stretch of it stands for the equations that were made there."""
    source = trace.source
    if source is None:
        return None
    spans = _Spans(source.text)
    places: dict[SourceSpan, dict[str, None]] = {}
    for equation in trace.equations:
        if equation.is_leaf:
            for place in (equation.source, *equation.callers):
                if place is not None and place.file == source.file:
                    places.setdefault(place, {})[equation.path] = None
    merged: dict[tuple[int, int, int, int], dict[str, None]] = {}
    for place, paths in places.items():
        where = (place.line, place.column, place.end_line, place.end_column)
        merged.setdefault(where, {}).update(paths)
    for (line, column, end_line, end_column), paths in merged.items():
        number = pool.of(tuple(paths))
        for at in range(line, end_line + 1):
            row = at - source.first_line
            if not 0 <= row < len(spans.lines):
                continue
            content = spans.lines[row]
            indent = len(content) - len(content.lstrip())
            begin = _characters(content, column) if at == line else indent
            end = _characters(content, end_column) if at == end_line else len(content)
            spans.add(row, begin, end, number)
    _add_parameters(trace, spans, pool)
    return Document("source", "Source", "python", source.text, source.first_line, spans.flat())


def _characters(content: str, bytes_column: int) -> int:
    """A column counted in UTF-8 bytes, as Python's positions are, in characters."""
    if content.isascii():
        return bytes_column
    return len(content.encode(errors="surrogatepass")[:bytes_column].decode(errors="ignore"))


def _add_parameters(trace: CapturedTrace, spans: _Spans, pool: SetPool) -> None:
    """The names in the function's signature stand for the arguments."""
    header = re.compile(rf"\s*def {re.escape(trace.function)}\s*\(")
    for row, content in enumerate(spans.lines):
        match = header.match(content)
        if match is None:
            continue
        groups: dict[str, list[str]] = {}
        for index, argument in enumerate(trace.arguments):
            base = re.match(r"\w+", argument.name)
            if base is not None:
                groups.setdefault(base[0], []).append(f"argument:{index}")
        end = content.find(")", match.end())
        for name, keys in groups.items():
            found = re.search(rf"\b{re.escape(name)}\b", content[match.end() : end if end >= 0 else None])
            if found is not None:
                begin = match.end() + found.start()
                spans.add(row, begin, begin + len(name), pool.of(tuple(keys)))
        return


def jaxpr_document(trace: CapturedTrace, pool: SetPool) -> Document:
    """The jaxpr; every equation stands for itself, or for those it calls."""
    spans = _Spans(trace.jaxpr)
    for line, start, end, paths in trace.jaxpr_spans:
        spans.add(line, start, end, pool.of(paths))
    return Document("jaxpr", "Jaxpr", "jaxpr", trace.jaxpr, 1, spans.flat())


def stablehlo_document(
    lowering: CapturedLowering, module: StableHloModule, index: PathIndex, pool: SetPool
) -> Document:
    """The StableHLO; every operation stands for the equation it comes from."""
    spans = _Spans(lowering.text)
    names = lowering.line_names

    def visit(block: Block) -> None:
        for operation in block.operations:
            name = names[operation.end_line] or names[operation.line]
            keys = index.find(name) if name else ()
            if keys:
                number = pool.of(keys)
                spans.add_line(operation.line, number)
                for line in _closing_lines(spans.lines, operation.line, operation.end_line):
                    spans.add_line(line, number)
            for region in operation.regions:
                visit(region)

    for function in module.functions.values():
        visit(function.body)
    main = module.main
    for match in _ARGUMENT.finditer(spans.lines[main.line]):
        number = int(match[1])
        if number < len(lowering.parameters) and lowering.parameters[number]:
            end = _end_of_parameter(spans.lines[main.line], match.end())
            spans.add(main.line, match.start(), end, pool.of((lowering.parameters[number],)))
    return Document("stablehlo", "StableHLO", "mlir", lowering.text, 1, spans.flat())


def _closing_lines(lines: Sequence[str], first: int, last: int) -> Iterable[int]:
    """The lines of an operation with regions that hold nothing of the regions."""
    if last == first:
        return []
    depth = len(lines[first]) - len(lines[first].lstrip())
    return [
        at
        for at in range(first + 1, last + 1)
        if lines[at].lstrip().startswith("}") and len(lines[at]) - len(lines[at].lstrip()) <= depth + 2
    ]


def _end_of_parameter(line: str, at: int) -> int:
    """Where a function's parameter ends: at the next comma or parenthesis outside of brackets."""
    depth = 0
    while at < len(line):
        character = line[at]
        if character in "<({[":
            depth += 1
        elif character in ">)}]":
            if depth == 0:
                return at
            depth -= 1
        elif character == "," and depth == 0:
            return at
        at += 1
    return at


def hlo_document(text: str, module: HloModule, reading: Reading, pool: SetPool) -> Document:
    """The optimised HLO without its metadata; every instruction stands for the equations it carries."""
    shown, moved = readable_hlo(text)
    spans = _Spans(shown)
    for computation in module.computations.values():
        inside: dict[str, None] = {}
        for instruction in computation.instructions.values():
            keys = reading.carried.get((computation.name, instruction.name))
            if keys:
                spans.add_line(moved[instruction.line], pool.of(keys))
                inside.update(dict.fromkeys(key for key in keys if ":" not in key))
        if inside and not computation.is_entry:
            spans.add_line(moved[computation.line], pool.of(tuple(inside)))
    return Document("hlo", "Optimised HLO", "hlo", shown, 1, spans.flat())


def readable_hlo(text: str) -> tuple[str, list[int]]:
    """The HLO without metadata and its tables, and for each old line its new number (-1: left out)."""
    shown: list[str] = []
    moved: list[int] = []
    in_table = False
    for line in text.split("\n"):
        if line in _TABLES:
            in_table = True
        if in_table and line and line.startswith(("%", "ENTRY", "HloModule")):
            in_table = False
        if in_table or (not line and shown and not shown[-1]):
            moved.append(-1)
            continue
        moved.append(len(shown))
        shown.append(_METADATA.sub("", line) if "metadata={" in line else line)
    while shown and not shown[-1]:
        shown.pop()
    return "\n".join(shown), moved


def with_op_names(text: str, index: PathIndex, op_names: dict[str, str]) -> str:
    """The HLO text with JAX's own op names in place of identity tags."""

    def rename(match: re.Match[str]) -> str:
        paths = index.find(match[1])
        if not paths:
            return match[0]
        return f'op_name="{";".join(op_names.get(path, path) for path in paths)}"'

    return re.sub(r'op_name="((?:[^"\\]|\\.)*)"', rename, text)
