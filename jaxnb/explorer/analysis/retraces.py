"""Why a function was traced, as a table: signatures, costs, what differed, and results that are out of date.

What lives here: the table and the advice. What must not: the records themselves.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from jaxnb.explorer.capture.history import CapturedChange, CapturedTraceRecord
from jaxnb.explorer.capture.labels import place_label, without_run
from jaxnb.explorer.model.assemble import seconds_text
from jaxnb.explorer.model.panels import Card, Cards, Column, Row, Table

__all__ = ["NOT_COUNTED", "cost_s", "cure_for", "retrace_table", "stale_panel"]

NOT_COUNTED = "not counted"

_COLUMNS = (
    Column("#", is_number=True),
    Column("signature", is_code=True),
    Column("called at", is_code=True),
    Column("trace", is_number=True),
    Column("lower", is_number=True),
    Column("compile", is_number=True),
    Column("calls served", is_number=True),
    Column("why it was traced"),
)


def cost_s(records: Sequence[CapturedTraceRecord]) -> float:
    """What the traces cost together [s]."""
    return sum(one.trace_s + (one.lower_s or 0.0) + (one.compile_s or 0.0) for one in records)


def retrace_table(records: Sequence[CapturedTraceRecord], is_counting: bool) -> Table:
    """The traces in order, those of one source together."""
    rows: list[Row] = []
    groups: dict[str, list[CapturedTraceRecord]] = {}
    for one in records:
        groups.setdefault(without_run(one.source), []).append(one)
    for group in groups.values():
        source = group[-1].source
        objects = list(dict.fromkeys(one.function for one in group))
        plural = "s" if len(group) > 1 else ""
        name, _, where = source.partition(" at ")
        defined = f"{name} at {place_label(where)}" if where else name
        head = f"{defined}: {len(group)} trace{plural}, {seconds_text(cost_s(group))}"
        if len(objects) > 1:
            head += f"; same source, new object: defined {len(objects)} times, and traced anew each time"
        rows.append(Row((head, *("" for _ in _COLUMNS[1:])), mark="head"))
        seen: set[int] = set()
        for one in group:
            rows.append(_row(one, is_counting, one.function not in seen and bool(seen)))
            seen.add(one.function)
    note = (
        ""
        if is_counting
        else "Calls are counted while a live table is open (`%retrace -w`), or inside `%%retrace`."
    )
    return Table("retraces", "Traces", "trace", _COLUMNS, tuple(rows), note, "Nothing has been traced yet.")


def _row(one: CapturedTraceRecord, is_counting: bool, is_redefined: bool) -> Row:
    why, detail = "first trace", ""
    if is_redefined:
        why = "same source, new object"
    elif one.kinds:
        why = ", ".join("other settings" if kind == "settings" else f"another {kind}" for kind in one.kinds)
        detail = "\n".join(one.differences)
    if one.donated:
        names = ", ".join(f"`{name}`" for name in one.donated)
        given = f"donates {names}: an array that is passed there is deleted by the call"
        detail = f"{detail}\n{given}" if detail else given
    if one.changes:
        why += ", out of date"
    hits = str(one.hits) if is_counting or one.hits else NOT_COUNTED
    return Row(
        (
            str(one.number),
            one.signature or "no arguments",
            place_label(one.call),
            seconds_text(one.trace_s),
            "" if one.lower_s is None else seconds_text(one.lower_s),
            "" if one.compile_s is None else seconds_text(one.compile_s),
            hits if one.is_alive else f"{hits}, gone",
            why,
        ),
        mark="warn" if one.changes or is_redefined else "",
        detail=detail,
    )


def stale_panel(records: Sequence[CapturedTraceRecord]) -> Cards:
    """The traces whose function would compute something else if it were traced now."""
    found: dict[tuple[str, str, CapturedChange], list[int]] = {}
    for one in records:
        for change in one.changes:
            found.setdefault((one.name, one.written, change), []).append(one.number)
    cards = []
    for (name, written, change), numbers in found.items():
        why, code = cure_for(name, written, change)
        listed = ", ".join(f"#{number}" for number in numbers)
        text = f"`{change.path}` {_what_changed(change)}. The compiled program still computes with the old one. {why}"
        cards.append(
            Card(f"{name} ({listed}): `{change.path}` has changed", text=text, code=code, mark="warn")
        )
    note = "" if cards else _nothing_noticed(records)
    cards += _effect_cards(records)
    return Cards("stale", "Out of date", "trace", tuple(cards), note)


def _what_changed(change: CapturedChange) -> str:
    if change.how == "gone":
        return f"was {change.before} when the function was traced, and is no more"
    if change.before != change.now:
        return f"was {change.before} when the function was traced, and is {change.now} now"
    if change.how == "code":
        return "is a function with other code than when it was called in the trace"
    if change.how == "object":
        return f"is another {change.now} than the one that was there when the function was traced"
    return f"is {change.now} as before, but holds other values than when the function was traced"


def _nothing_noticed(records: Sequence[CapturedTraceRecord]) -> str:
    """What can be said if nothing was found to have changed, which is not that nothing has."""
    compared = sum(one.compared for one in records)
    if not any(one.is_alive for one in records):
        return "No trace is left that could be out of date."
    if not compared:
        return "These functions read nothing beside their arguments, as far as their code shows it."
    whole = (
        "" if all(one.is_whole for one in records) else " More lies too deep, or is too much, to be compared."
    )
    values = "value that was" if compared == 1 else "values that were"
    return (
        f"No change is seen in the {compared} {values} compared, which these functions read beside their arguments as far "
        f"as their code shows it.{whole} The page on the explorer says what is not noticed."
    )


def _effect_cards(records: Sequence[CapturedTraceRecord]) -> list[Card]:
    """What the functions change themselves: not out of date, but not what one may expect either."""
    found: dict[tuple[str, str], list[CapturedTraceRecord]] = {}
    for one in records:
        for effect in one.effects:
            found.setdefault((one.name, effect.path), []).append(one)
    cards = []
    for (name, path), traced in found.items():
        last = next(effect for effect in traced[-1].effects if effect.path == path)
        listed = ", ".join(f"#{one.number}" for one in traced)
        times = f"{len(traced)} times" if len(traced) > 1 else "once"
        text = (
            f"`{path}` was {last.before} before trace #{traced[-1].number}, which made it {last.now}. That is a side "
            f"effect, and no input that is out of date: it happened {times}, with each trace, and calls of the compiled "
            f"program do not repeat it. To see something at every call, use `jaxnb.debug.callback` or `jaxnb.debug.print`."
        )
        cards.append(Card(f"{name} ({listed}) changes `{path}` while it is traced", text=text))
    return cards


def cure_for(function: str, written: str, change: CapturedChange) -> tuple[str, str]:
    """What to do about a value that has changed: (in words, as code).

    Args:
        function: The function's own name.
        written: The variable that the compiled function is in; "" where there is none.
        change: What has changed.
    """
    if change.scope == "function":
        name = function if function.isidentifier() else written
        defined = f"`{name}`" if name else "the function"
        advice = f"Run the cell again that defines {defined}, which calls it"
    elif change.scope in ("self", "static"):
        advice = "Give the attribute to the function as an argument"
    else:
        advice = f"Give `{re.split(r' → ', change.path)[-1]}` to the function as an argument"
    if written:
        return f"{advice}, or make the function forget what was traced:", f"{written}.clear_cache()"
    return (
        f"{advice}, or make it forget what was traced; no variable has the compiled function, so that this is done for all:",
        "import jaxnb\njaxnb.clear_caches()",
    )
