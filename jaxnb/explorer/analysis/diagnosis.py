"""What an error while tracing means, by its class and by what the failing line does, and how it is shown.

What lives here: telling the classes of errors apart, and the panels. What must not: what to write instead, which
``cures_of_values``, ``cures_of_shapes`` and ``cures_of_functions`` know; reading exceptions, which a front end does.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from jaxnb.explorer.analysis import cures_of_functions, cures_of_shapes, cures_of_values
from jaxnb.explorer.analysis.cures import Advice, Cure, listed
from jaxnb.explorer.analysis.executed import place_text
from jaxnb.explorer.capture.failure import CapturedFailure, CapturedStep
from jaxnb.explorer.model.panels import Card, Cards, Column, Panel, Row, Table

__all__ = ["Cure", "Diagnosis", "diagnose", "failure_panels"]


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What an error means.

    Attributes:
        kind: A short name for the class of error: ``bool``, ``shape``, ``mask``, ``leak``, ….
        line: The line that failed, in a few words.
        why: Why it failed.
        cures: What to write instead, the likeliest first.
    """

    kind: str
    line: str
    why: str
    cures: tuple[Cure, ...]


def diagnose(failure: CapturedFailure) -> Diagnosis:
    """The diagnosis of an error while tracing."""
    kind = _kind_of(failure)
    why, cures = _EXPLANATIONS[kind](failure)
    return Diagnosis(kind, place_text(failure.place, failure.trace), why, tuple(cures))


def failure_panels(failure: CapturedFailure) -> list[Panel]:
    """What is to be said of an error: what it means and what to write, and how the value came about."""
    found = diagnose(failure)
    where = f"at {found.line}" if found.line else ""
    cards = [Card(f"{failure.error} {where}".strip(), text=found.why, mark="bad")]
    cards += [Card(cure.when, code=cure.code, mark="good") for cure in found.cures]
    panels: list[Panel] = [Cards("diagnosis", "What went wrong", "trace", tuple(cards))]
    if failure.holders:
        panels.append(_holders_panel(failure))
    if failure.steps:
        panels.append(_path_panel(failure))
    if failure.around:
        panels.append(_around_panel(failure))
    return panels


_SHORT = 40
_PATH_COLUMNS = (Column("value", is_code=True), Column("type", is_code=True), Column("where", is_code=True))


def _is_argument(step: CapturedStep) -> bool:
    return step.source is None and (step.key.startswith("argument:") or not step.key)


def _path_panel(failure: CapturedFailure) -> Table:
    rows = [
        Row(
            (
                step.label,
                step.type,
                f"argument of {step.function}" if _is_argument(step) and step.function
                else "argument" if _is_argument(step)
                else place_text(step.source, failure.trace),
            ),
            keys=(step.key,) if step.key else (),
        )
        for step in failure.steps
    ]  # fmt: skip
    written = failure.statement
    is_short = 0 < len(written) <= _SHORT and "\n" not in written and not failure.code.context
    last = written if is_short else f"{failure.callee}()" if failure.callee else failure.kind or "here"
    given = ", ".join(one.type for one in failure.operands) if len(failure.operands) > 1 else ""
    rows.append(Row((last, given, place_text(failure.place, failure.trace)), mark="bad"))
    begins = [step.label for step in failure.steps if _is_argument(step)]
    shown = set(begins)
    others = [name for name in failure.depends_on if name not in shown]
    note = ""
    if others:
        note = f"It depends on {listed(others)} too."
    elif not begins:
        note = "It depends on no argument: every operation in a traced function is staged, those on constants too."
    title = f"From {_titled(begins or [failure.steps[0].label])} to the line that failed"
    return Table("path", title, "trace", _PATH_COLUMNS, tuple(rows), note)


def _titled(names: list[str]) -> str:
    names = list(dict.fromkeys(names))
    if len(names) > 4:
        return f"{', '.join(names[:3])} and {len(names) - 3} more"
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + f" and {names[-1]}"


def _around_panel(failure: CapturedFailure) -> Cards:
    cards = []
    inside = failure.trace.function
    for one in failure.around:
        what = f", traced for {one.traced_for}," if one.traced_for else ""
        cards.append(
            Card(
                f"{one.function}{what} as far as it came when {inside} was traced",
                code=one.jaxpr,
                language="jaxpr",
            )
        )
        inside = one.function
    return Cards("around", "The program around it", "trace", tuple(cards))


_HOLDER_COLUMNS = (
    Column("kept in", is_code=True),
    Column("type", is_code=True),
    Column("made at", is_code=True),
)


def _holders_panel(failure: CapturedFailure) -> Table:
    rows = []
    for one in failure.holders:
        rows.append(Row((one.path, one.type, place_text(one.source, failure.trace)), mark="bad"))
        rows += [Row((f"  {path}", what, "")) for path, what in one.chain]
    return Table("holders", "Who keeps the traced value", "trace", _HOLDER_COLUMNS, tuple(rows))


# ---- classes of errors -----------------------------------------------------------------------------------------------

_BY_NAME = {
    "TracerBoolConversionError": "bool",
    "UnexpectedTracerError": "leak",
    "NonConcreteBooleanIndexError": "mask",
    "TracerArrayConversionError": "numpy",
    "TracerIntegerConversionError": "index",
}
_BY_TEXT = (
    (r"carry input and carry output must", "carry"),
    (r"branches must have equal output types|branch outputs must have the same", "branches"),
    (r"as an abstract array\. The problematic value", "argument"),
    (r"Gradient only defined for scalar|requires real- or complex-valued inputs", "gradient"),
    (r"vmap got inconsistent sizes", "axes"),
    (r"[Ii]ncompatible shapes for broadcasting", "mismatch"),
    (r"requires contracting dimensions to have the same shape", "product"),
    (r"^Cannot concatenate arrays", "join"),
    (r"^cannot reshape array", "reshape"),
    (r"Slice entries must be static|must have static start/stop/step", "slice"),
    (r"unsupported format string passed to", "text"),
    (r"^unhashable type: '\w*Tracer'", "hash"),
    (r"do not support in-place item assignment|does not support item assignment", "assignment"),
    (r"truth value of an array with more than one element", "bool"),
    (r"hapes must be 1D sequences of concrete", "shape"),
)


def _kind_of(failure: CapturedFailure) -> str:
    if failure.error in _BY_NAME:
        return _BY_NAME[failure.error]
    if failure.holders:
        return "leak"
    for text, kind in _BY_TEXT:
        if re.search(text, failure.detail):
            return kind
    if _is_shape_call(failure):
        return "shape"
    if failure.attribute and failure.value_type:
        return "attribute"
    if failure.error == "ConcretizationTypeError":
        return "mask" if _is_mask_call(failure) else "number"
    return "other"


_SHAPED = re.compile(
    r"\b(reshape|zeros|ones|full|empty|arange|linspace|eye|tile|repeat|broadcast_to|split|range|iota|pad)$"
)
_MASKING = re.compile(r"\b(nonzero|where|argwhere|flatnonzero|unique|compress|extract|setdiff1d|union1d)$")


def _is_shape_call(failure: CapturedFailure) -> bool:
    return failure.error in ("ConcretizationTypeError", "TypeError") and bool(_SHAPED.search(failure.callee))


def _is_mask_call(failure: CapturedFailure) -> bool:
    return bool(_MASKING.search(failure.callee))


def _other(failure: CapturedFailure) -> Advice:
    return failure.message, ()


_EXPLANATIONS: dict[str, Callable[[CapturedFailure], Advice]] = {
    "argument": cures_of_functions.argued,
    "assignment": cures_of_values.assigned,
    "attribute": cures_of_values.attribute,
    "axes": cures_of_functions.axes,
    "bool": cures_of_values.asked,
    "branches": cures_of_functions.branched,
    "carry": cures_of_functions.carried,
    "gradient": cures_of_functions.differentiated,
    "hash": cures_of_values.hashed,
    "index": cures_of_values.indexed,
    "join": cures_of_shapes.joined,
    "leak": cures_of_functions.leaked,
    "mask": cures_of_values.masked,
    "mismatch": cures_of_shapes.mismatched,
    "number": cures_of_values.number,
    "numpy": cures_of_values.numpy,
    "other": _other,
    "product": cures_of_shapes.multiplied,
    "reshape": cures_of_shapes.reshaped,
    "shape": cures_of_values.sized,
    "slice": cures_of_shapes.sliced,
    "text": cures_of_values.formatted,
}
