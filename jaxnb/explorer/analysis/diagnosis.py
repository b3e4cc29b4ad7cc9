"""What an error while tracing means and what to write instead, by its class and by what the failing line does.

What lives here: advice and its panels. What must not: reading exceptions, which a front end does.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from jaxnb.explorer.analysis.executed import place_text
from jaxnb.explorer.capture.failure import CapturedFailure
from jaxnb.explorer.model.panels import Card, Cards, Column, Panel, Row, Table

__all__ = ["Cure", "Diagnosis", "diagnose", "failure_panels"]


@dataclass(frozen=True, slots=True)
class Cure:
    """A way out: when it is the right one, and what to write."""

    when: str
    code: str = ""


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
    return Diagnosis(kind, place_text(failure.place, failure.trace), why, cures)


def failure_panels(failure: CapturedFailure) -> list[Panel]:
    """What is to be said of an error: what it means and what to write, and how the value came about."""
    found = diagnose(failure)
    where = f"at {found.line}" if found.line else ""
    cards = [Card(f"{failure.error} {where}".strip(), text=found.why, mark="bad")]
    cards += [Card(cure.when, code=cure.code, mark="good") for cure in found.cures]
    panels: list[Panel] = [Cards("diagnosis", "What went wrong", "trace", tuple(cards))]
    if failure.steps:
        panels.append(_path_panel(failure))
    if failure.holders:
        panels.append(_holders_panel(failure))
    return panels


_PATH_COLUMNS = (Column("value", is_code=True), Column("type", is_code=True), Column("where", is_code=True))


def _path_panel(failure: CapturedFailure) -> Table:
    begins = failure.steps[0]
    rows = [
        Row(
            (
                step.label,
                step.type,
                "argument" if step.key.startswith("argument:") else place_text(step.source, failure.trace),
            ),
            keys=(step.key,),
        )
        for step in failure.steps
    ]
    last = f"{failure.callee}()" if failure.callee else failure.kind or "here"
    rows.append(Row((last, "", place_text(failure.place, failure.trace)), mark="bad"))
    others = [name for name in failure.depends_on if name != begins.label]
    if others:
        note = f"It depends on {_listed(others)} too."
    elif not begins.key.startswith("argument:"):
        note = "It depends on no argument: every operation in a traced function is staged, those on constants too."
    else:
        note = ""
    title = f"From {begins.label} to the line that failed"
    return Table("path", title, "trace", _PATH_COLUMNS, tuple(rows), note)


_HOLDER_COLUMNS = (
    Column("kept in", is_code=True),
    Column("type", is_code=True),
    Column("made at", is_code=True),
)


def _holders_panel(failure: CapturedFailure) -> Table:
    rows = tuple(
        Row((one.path, one.type, place_text(one.source, failure.trace)), mark="bad")
        for one in failure.holders
    )
    return Table("holders", "Who keeps the traced value", "trace", _HOLDER_COLUMNS, rows)


# ---- classes of errors -----------------------------------------------------------------------------------------------


def _kind_of(failure: CapturedFailure) -> str:
    name = failure.error
    if name == "TracerBoolConversionError":
        return "bool"
    if name == "UnexpectedTracerError" or failure.holders:
        return "leak"
    if name == "NonConcreteBooleanIndexError":
        return "mask"
    if name == "TracerArrayConversionError":
        return "numpy"
    if name == "TracerIntegerConversionError":
        return "index"
    if "hapes must be 1D sequences of concrete" in failure.message or _is_shape_call(failure):
        return "shape"
    if failure.attribute and failure.value_type:
        return "attribute"
    if name == "ConcretizationTypeError":
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


def _listed(names: list[str] | tuple[str, ...]) -> str:
    if len(names) == 1:
        return f"`{names[0]}`"
    return ", ".join(f"`{name}`" for name in names[:-1]) + f" and `{names[-1]}`"


def _origin(failure: CapturedFailure) -> str:
    """On what the value depends, as the end of a sentence."""
    if failure.depends_on:
        plural = "s" if len(failure.depends_on) > 1 else ""
        return f"depends on the argument{plural} {_listed(failure.depends_on)}"
    if failure.steps:
        first = failure.steps[0]
        return f"is the result of `{first.label}`, which is staged like every operation in a traced function"
    return "is traced"


def _static(failure: CapturedFailure) -> tuple[Cure, ...]:
    """Making arguments static, where the value is an argument, or made of few."""
    bases = list(failure.depends_on)
    scalars = {one.name for one in failure.trace.arguments if one.type.rstrip("~").endswith("[]")}
    if not bases or len(bases) > 2 or not scalars.issuperset(bases) or not all(map(str.isidentifier, bases)):
        return ()
    is_one = len(bases) == 1
    names = f'"{bases[0]}"' if is_one else "(" + ", ".join(f'"{b}"' for b in bases) + ")"
    meant = (
        "is meant as a Python value that seldom changes"
        if is_one
        else "are meant as Python values that seldom change"
    )
    return (Cure(f"If {_listed(bases)} {meant}:", f"jit({failure.trace.function}, static_argnames={names})"),)


def _in_numpy(failure: CapturedFailure) -> str:
    """The expression that made the value, written with NumPy; "" if it is not to be had."""
    source = failure.trace.source
    made = failure.steps[-1].source if failure.steps else None
    if source is None or made is None or made.file != source.file or made.line != made.end_line:
        return ""
    lines = source.text.split("\n")
    row = made.line - source.first_line
    if not 0 <= row < len(lines):
        return ""
    written = lines[row].encode()[made.column : made.end_column].decode(errors="replace")
    # a shape is a tuple, which NumPy's functions take as it is
    return re.sub(r"\bjnp\.(?:array|asarray)\(([\w.]+)\)", r"\1", written).replace("jnp.", "np.")


def _bool(failure: CapturedFailure) -> tuple[str, tuple[Cure, ...]]:
    written, parts = failure.statement, failure.parts
    what, asked = {
        "if": ("`if` asks whether", written),
        "while": ("`while` asks, again and again, whether", written),
        "and": ("`and` asks whether", parts[0] if parts else written),
        "or": ("`or` asks whether", parts[0] if parts else written),
        "not": ("`not` asks whether", parts[0] if parts else written),
        "chain": ("A chained comparison is an `and`, which asks whether", _first_comparison(written)),
        "assert": ("`assert` asks whether", written),
        "call": (f"`{failure.callee}` asks whether", ""),
    }.get(failure.kind, ("Python asks whether", written))
    shown = f"`{asked}`" if asked else f"a value of type {failure.value_type}"
    why = f"{what} {shown} is true while the function is traced. Its value is not known yet: it {_origin(failure)}."
    cures: list[Cure] = []
    condition = written or "condition"
    inside = ", ".join(parts)
    if failure.kind == "while":
        cures.append(
            Cure("A loop whose end depends on values:", "lax.while_loop(lambda c: condition, body, start)")
        )
    elif failure.kind in ("and", "or", "not"):
        cures.append(Cure("Write", f"jnp.logical_{failure.kind}({inside})"))
    elif failure.kind == "chain":
        cures.append(Cure("Compare twice and join:", _unchained(written)))
    elif failure.callee in ("min", "max"):
        two = inside if len(parts) == 2 else "a, b"
        cures.append(Cure("Write", f"jnp.{failure.callee}imum({two})"))
    elif failure.callee in ("any", "all"):
        cures.append(Cure("Write", f"jnp.{failure.callee}({inside})"))
    elif failure.kind == "assert":
        cures.append(Cure("Look at the value when the program runs:", f'debug.print("{{}}", {condition})'))
    else:
        cures.append(Cure("To choose between two values:", f"jnp.where({condition}, if_true, if_false)"))
        cures.append(
            Cure("To run one of two computations:", f"lax.cond({condition}, if_true, if_false, operand)")
        )
    return why, (*cures, *_static(failure))


_COMPARISON = re.compile(r"\s*(<=|>=|<|>|==|!=)\s*")


def _first_comparison(written: str) -> str:
    parts = _COMPARISON.split(written)
    return " ".join(parts[:3])


def _unchained(written: str) -> str:
    parts = _COMPARISON.split(written)
    if len(parts) != 5:
        return "(a < b) & (b < c)"
    a, first, b, second, c = parts
    return f"({a} {first} {b}) & ({b} {second} {c})"


def _shape(failure: CapturedFailure) -> tuple[str, tuple[Cure, ...]]:
    why = (
        f"A shape must be known while the function is traced. The one in `{failure.statement}` is not: "
        f"it {_origin(failure)}."
    )
    cures = []
    if not failure.depends_on:
        cures.append(
            Cure(
                "Shapes are known: compute with them in NumPy, at once and on the host:",
                _in_numpy(failure) or "np.prod(x.shape)",
            )
        )
    return why, (*cures, *_static(failure))


def _number(failure: CapturedFailure) -> tuple[str, tuple[Cure, ...]]:
    why = f"`{failure.statement}` needs a number while the function is traced, and the value {_origin(failure)}."
    cures = []
    if failure.callee in ("int", "float", "complex", "bool"):
        cures.append(Cure("To change the type of a traced value:", f"x.astype({failure.callee})"))
    if not failure.depends_on:
        cures.append(
            Cure("What depends on shapes alone is for NumPy:", _in_numpy(failure) or "np.log2(x.shape[0])")
        )
    return why, (*cures, *_static(failure))


def _mask(failure: CapturedFailure) -> tuple[str, tuple[Cure, ...]]:
    why = (
        f"The size of `{failure.statement}` depends on how many elements of a mask are true, and a compiled program "
        "has fixed sizes."
    )
    cures = []
    updated = re.match(r"(.+)\.at\[(.+)\]\.(\w+)$", failure.callee)
    if updated is not None:
        x, mask, method = updated.groups()
        new = failure.parts[0] if failure.parts else "new"
        sign = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/"}.get(method)
        value = f"{x} {sign} {new}" if sign else new
        why = (
            f"`{failure.statement}` must know how many elements of the mask are true, to make an index of it, and while "
            "the function is traced no element is known."
        )
        cures.append(Cure("Choose by element:", f"jnp.where({mask}, {value}, {x})"))
    elif failure.callee:
        inside = ", ".join(failure.parts) or "mask"
        cures.append(
            Cure("Say how large the result may become:", f"{failure.callee}({inside}, size=n, fill_value=0)")
        )
    else:
        x, mask = failure.parts if len(failure.parts) == 2 else ("x", "mask")
        cures.append(
            Cure("Keep the size, and put something where the mask is false:", f"jnp.where({mask}, {x}, 0)")
        )
        cures.append(Cure("Sums, means and the like take the mask:", f"jnp.sum({x}, where={mask})"))
    return why, tuple(cures)


def _numpy(failure: CapturedFailure) -> tuple[str, tuple[Cure, ...]]:
    why = (
        f"`{failure.statement or failure.callee}` hands a traced value to NumPy, which needs its elements; "
        f"the value {_origin(failure)}."
    )
    instead = re.sub(r"\b(np|numpy)\.", "jnp.", failure.statement)
    cures = [Cure("The same function of jnp is staged:", instead)] if instead != failure.statement else []
    return why, (*cures, *_static(failure))


def _index(failure: CapturedFailure) -> tuple[str, tuple[Cure, ...]]:
    why = f"`{failure.statement}` needs a Python integer while the function is traced, and the value {_origin(failure)}."
    if failure.callee == "range":
        cures = [Cure("A loop whose length depends on values:", "lax.fori_loop(0, n, body, start)")]
    else:
        x, i = failure.parts if len(failure.parts) == 2 else ("x", "i")
        cures = [Cure("An array can be indexed by a traced value, a list cannot:", f"jnp.asarray({x})[{i}]")]
    return why, (*cures, *_static(failure))


def _leak(failure: CapturedFailure) -> tuple[str, tuple[Cure, ...]]:
    made = f" It was made while {failure.trace.function} was traced."
    if failure.holders:
        first = failure.holders[0]
        where = place_text(first.source, failure.trace)
        made = f" `{first.path}` keeps it; it was made at {where}." if where else f" `{first.path}` keeps it."
    why = f"A value of type {failure.value_type} outlived the trace it belongs to.{made}"
    name = failure.holders[0].path if failure.holders else "it"
    base = re.match(r"\w+", name)
    return why, (
        Cure(
            f"Return what `{base[0] if base else name}` is to keep, and put it there outside of the function:",
            f"def {failure.trace.function}(…):\n    …\n    return result, kept\n\n"
            f"result, {name} = {failure.trace.function}(…)",
        ),
    )


def _attribute(failure: CapturedFailure) -> tuple[str, tuple[Cure, ...]]:
    name = failure.attribute
    why = (
        f"`{failure.statement}` reads `{name}`, which arrays have and traced values have not: it is no part of the "
        f"public interface. The value {_origin(failure)}."
    )
    cures = [
        Cure("What must be a number while tracing is for NumPy:", _in_numpy(failure) or "np.add(1, 1)"),
        Cure("Shapes and types are there without a value:", "x.shape, x.dtype"),
    ]
    return why, tuple(cures)


def _other(failure: CapturedFailure) -> tuple[str, tuple[Cure, ...]]:
    return failure.message, ()


_EXPLANATIONS: dict[str, Callable[[CapturedFailure], tuple[str, tuple[Cure, ...]]]] = {
    "bool": _bool,
    "shape": _shape,
    "number": _number,
    "mask": _mask,
    "numpy": _numpy,
    "index": _index,
    "leak": _leak,
    "attribute": _attribute,
    "other": _other,
}
