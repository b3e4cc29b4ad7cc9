"""What tracing executed at once, as a table: the price of tracing without omnistaging.

What lives here: the table. What must not: how execution is noticed.
"""

from __future__ import annotations

from jaxnb.explorer.capture.labels import place_label
from jaxnb.explorer.capture.protocol import CapturedTrace, SourceSpan
from jaxnb.explorer.model.graph import size_text
from jaxnb.explorer.model.panels import Column, Row, Table

__all__ = ["executed_panel", "place_text"]

_COLUMNS = (
    Column("#", is_number=True),
    Column("operation", is_code=True),
    Column("result", is_code=True),
    Column("size", is_number=True),
    Column("line", is_code=True),
)


def executed_panel(trace: CapturedTrace) -> Table:
    """The operations that were executed while the function was traced, in order."""
    rows = tuple(
        Row(
            (
                str(number),
                one.primitive,
                ", ".join(one.out_types),
                size_text(one.nbytes),
                place_text(one.source, trace),
            )
        )
        for number, one in enumerate(trace.executed, 1)
    )
    total = sum(one.nbytes for one in trace.executed)
    parts = []
    if rows:
        parts.append(
            f"{len(rows)} operation{'s' if len(rows) > 1 else ''} ran while the function was traced, and gave "
            f"{size_text(total)}. The program knows only the results."
        )
    if trace.repeats:
        parts.append(
            f"{trace.repeats} more `broadcast_in_dim` made one number repeated: that is staged, as a number and a shape."
        )
    note = " ".join(parts)
    return Table(
        "executed",
        "Executed at trace time",
        "trace",
        _COLUMNS,
        rows,
        note,
        empty="Nothing was executed while the function was traced.",
    )


def place_text(span: SourceSpan | None, trace: CapturedTrace) -> str:
    """Where something stands, in a few words, with the line itself where the function's source has it."""
    if span is None:
        return ""
    source = trace.source
    if source is None or span.file != source.file:
        return place_label(f"{span.file}:{span.line}")
    lines = source.text.split("\n")
    row = span.line - source.first_line
    text = lines[row].strip() if 0 <= row < len(lines) else ""
    return f"line {span.line}: {text}" if text else f"line {span.line}"
