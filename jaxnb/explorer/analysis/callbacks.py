"""The calls back into Python that a program makes: which will run, and which print what they printed while tracing.

What lives here: the table. What must not: the calls, which the engine knows.
"""

from __future__ import annotations

from jaxnb.explorer.analysis.executed import place_text
from jaxnb.explorer.capture.protocol import CapturedEquation, CapturedTrace
from jaxnb.explorer.model.panels import Column, Row, Table

__all__ = ["callbacks_panels"]

_NAMES = {
    "debug_print": "debug.print",
    "debug_callback": "debug.callback",
    "io_callback": "io_callback",
    "pure_callback": "pure_callback",
}
_COLUMNS = (
    Column("call", is_code=True),
    Column("given", is_code=True),
    Column("runs"),
    Column("line", is_code=True),
)
_NO_FIELDS = (
    "It is given no value: its text was made while the function was traced, and is the same at every call. A value is "
    'printed by naming it: `debug.print("x = {}", x)`.'
)
_DROPPED = "Nothing uses its result, and a pure callback is run for its result only; an `io_callback` runs all the same."


def callbacks_panels(trace: CapturedTrace) -> list[Table]:
    """The table of a program's callbacks; none where it has none."""
    rows = [_row(one, trace) for one in trace.equations if one.primitive in _NAMES]
    if not rows:
        return []
    return [Table("callbacks", "Calls back into Python", "trace", _COLUMNS, tuple(rows))]


def _row(one: CapturedEquation, trace: CapturedTrace) -> Row:
    is_dropped = one.primitive == "pure_callback" and not one.is_used
    is_fixed = one.primitive == "debug_print" and not one.in_types
    runs = (
        "never" if is_dropped else "for its result" if one.primitive == "pure_callback" else "at every call"
    )
    return Row(
        (_NAMES[one.primitive], ", ".join(one.in_types), runs, place_text(one.source, trace)),
        keys=(one.path,),
        mark="warn" if is_dropped or is_fixed else "",
        detail=_DROPPED if is_dropped else _NO_FIELDS if is_fixed else "",
    )
