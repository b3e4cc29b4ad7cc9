"""The levels of abstraction of a value, in words: what each keeps and forgets, allows and costs.

What lives here: what is said. What must not: tracers, colours.
"""

from __future__ import annotations

from jaxnb.explorer.capture.levels import CapturedLevels
from jaxnb.explorer.model.panels import Card, Cards, Column, Panel, Row, Table

__all__ = ["levels_panels", "levels_rows"]

_ELSEWHERE = "not in jaxnb"


def levels_panels(captured: CapturedLevels) -> list[Panel]:
    """All that is said of a value."""
    return [_ladder(captured), _attempts(captured), _neighbours(captured), _layers(captured)]


def levels_rows(captured: CapturedLevels) -> list[dict[str, str]]:
    """The ladder, from knowing everything downwards.

    Of each level: its name, the class JAX had for it, the one it has now, what is known of this value there, what is
    forgotten, whether this trace works there, and which calls one program serves.
    """
    value, type_ = captured.value, captured.type
    rows = [
        {
            "level": "value",
            "known": value or "unknown",
            "forgotten": "nothing",
            "here": "known" if value else "unknown",
            "serves": "this value",
            "once": "ConcreteArray",
            "now": "gone",
        },
        {
            "level": "shape, dtype",
            "known": type_,
            "forgotten": "value",
            "here": "kept",
            "serves": f"every {type_}",
            "once": "ShapedArray",
            "now": "the same",
        },
    ]
    if captured.sized_type:
        sized = captured.sized_type
        most = 2 * captured.shape[0]
        rows += [
            {
                "level": "bounded size",
                "known": f"{sized}, n <= {most}",
                "forgotten": "value, exact size",
                "here": _ELSEWHERE,
                "serves": f"every n <= {most}",
                "once": "BoundedInt",
                "now": "bounded n",
            },
            {
                "level": "named size",
                "known": sized,
                "forgotten": "value, size",
                "here": _ELSEWHERE,
                "serves": "every n",
                "once": "DBIdx",
                "now": "n",
            },
        ]
    return rows


def _ladder(captured: CapturedLevels) -> Table:
    columns = (
        Column("level"),
        Column("known of x", is_code=True),
        Column("forgotten"),
        Column("here"),
        Column("one program serves"),
        Column("in JAX once", is_code=True),
        Column("now", is_code=True),
    )
    names = ("level", "known", "forgotten", "here", "serves", "once", "now")
    reached = 0 if captured.is_known else 1
    rows = tuple(
        Row(tuple(row[name] for name in names), mark="good" if at == reached else "")
        for at, row in enumerate(levels_rows(captured))
    )
    weak = (
        "The mark ~ says that the type is weak: it yields to the types it meets. "
        if captured.is_weak
        else "The type is not weak: it holds against Python numbers. "
    )
    sizes = (
        "The last two levels forget the size of the first axis. JAX has them as symbolic sizes, for export only, and they "
        "are shown as it prints them; jaxnb has none, and makes a program for each size, as `jit` does in JAX."
        if captured.sized_type
        else "There is no size to be forgotten."
    )
    gone = " A ConcreteArray was a type with a value in it; today tracers of grad hold the value, and no type does."
    return Table("levels", "How much is known of x", "trace", columns, rows, weak + sizes + gone)


def _attempts(captured: CapturedLevels) -> Table:
    columns = (
        Column("Python", is_code=True),
        Column("asks for"),
        Column("with the value", is_code=True),
        Column("with the type", is_code=True),
        *((Column("with a size by name", is_code=True),) if captured.sized_type else ()),
    )
    asked = {"type": "the type", "value": "the value", "program": "an equation"}
    rows = []
    for one in captured.attempts:
        cells = (one.code, asked[one.asks], one.with_value or "would work", one.with_type)
        rows.append(
            Row(
                (*cells, one.with_size) if captured.sized_type else cells,
                mark="bad" if one.is_refused else "good",
            )
        )
    note = "The type's column was tried on a stand-in of its own: nothing of it is in your program."
    if captured.is_known:
        note += " The value is known here, so Python may use the first column, and what it decides holds for this call only."
    return Table("attempts", "What Python may do with x", "trace", columns, tuple(rows), note)


def _neighbours(captured: CapturedLevels) -> Table:
    columns = (
        Column("the next call brings"),
        Column("type", is_code=True),
        Column("made for the value"),
        Column("made for the type"),
        *((Column("made for a size by name"),) if captured.sized_type else ()),
    )
    rows = []
    for one in captured.neighbours:
        served = (one.on_value, one.on_type, *((one.on_size,) if captured.sized_type else ()))
        rows.append(
            Row(
                (one.what, one.type, *("served" if yes else "another program" for yes in served)),
                mark="good" if one.on_type else "",
            )
        )
    note = (
        "`jit` makes programs for types: the column in the middle. A static argument has one for each value."
    )
    if not captured.sized_type:
        note = "`jit` makes programs for types: the last column. A static argument has one for each value."
    return Table("serves", "Which calls one program serves", "trace", columns, tuple(rows), note)


def _layers(captured: CapturedLevels) -> Cards:
    cards = tuple(
        Card(
            f"{one.name}, of {one.made_by}" if one.made_by else one.name,
            (("", one.type),),
            text=f"Holds {one.holds}." if one.made_by else one.holds,
            code=one.program,
            language="jaxpr",
            mark="" if one.made_by else "good",
        )
        for one in captured.layers
    )
    note = "Python holds the first; each stands for the next."
    if not captured.layers[0].made_by:
        note = "No trace: this is the value itself."
    elif captured.layers[-1].program:
        note += " The program is what the trace has kept so far, with x as its result."
    return Cards("layers", "What stands for x", "trace", cards, note, is_chain=True)
