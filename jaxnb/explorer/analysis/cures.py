"""A cure, and what the cures of several classes of errors share.

What lives here: words on where a value comes from, static arguments, NumPy in the place of ``jnp``. What must not: the
classes of errors.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from jaxnb.explorer.capture.failure import CapturedFailure

__all__ = ["Advice", "Cure", "expression", "in_numpy", "listed", "origin", "static_cures", "wrapped"]


@dataclass(frozen=True, slots=True)
class Cure:
    """A way out: when it is the right one, and what to write."""

    when: str
    code: str = ""


Advice: TypeAlias = tuple[str, Sequence[Cure]]
"""Why something failed, and what to write instead."""


def listed(names: Sequence[str]) -> str:
    """Names in a sentence."""
    if len(names) == 1:
        return f"`{names[0]}`"
    return ", ".join(f"`{name}`" for name in names[:-1]) + f" and `{names[-1]}`"


def origin(failure: CapturedFailure) -> str:
    """On what the value depends, as the end of a sentence."""
    if failure.depends_on:
        plural = "s" if len(failure.depends_on) > 1 else ""
        said = f"depends on the argument{plural} {listed(failure.depends_on)}"
        if failure.around:
            said += f" of `{failure.trace.function}`"
            if failure.roots:
                outermost = failure.around[-1].function
                said += f", and with that on {listed(failure.roots)} of `{outermost}`"
        return said
    if failure.roots:
        plural = "s" if len(failure.roots) > 1 else ""
        return f"depends on the argument{plural} {listed(failure.roots)} of `{failure.around[-1].function}`"
    if failure.steps:
        first = failure.steps[0]
        return f"is the result of `{first.label}`, which is staged like every operation in a traced function"
    return "is traced"


def static_cures(failure: CapturedFailure) -> tuple[Cure, ...]:
    """Making arguments static, where the value is made of few, all of them scalars that ``jit`` alone was given."""
    bases = list(failure.depends_on)
    scalars = {one.name for one in failure.trace.arguments if one.type.rstrip("~").endswith("[]")}
    if not failure.can_be_static or not bases or len(bases) > 2:
        return ()
    if not scalars.issuperset(bases) or not all(map(str.isidentifier, bases)):
        return ()
    is_one = len(bases) == 1
    names = f'"{bases[0]}"' if is_one else "(" + ", ".join(f'"{b}"' for b in bases) + ")"
    meant = (
        "is meant as a Python value that seldom changes"
        if is_one
        else "are meant as Python values that seldom change"
    )
    return (
        Cure(f"If {listed(bases)} {meant}:", f"jaxnb.jit({failure.trace.function}, static_argnames={names})"),
    )


def in_numpy(failure: CapturedFailure) -> str:
    """The expression that made the value, written with NumPy; "" if it is not to be had, or uses a traced value."""
    source = failure.trace.source
    made = failure.steps[-1].source if failure.steps else None
    if failure.depends_on or failure.roots:
        return ""
    if source is None or made is None or made.file != source.file or made.line != made.end_line:
        return ""
    lines = source.text.split("\n")
    row = made.line - source.first_line
    if not 0 <= row < len(lines):
        return ""
    written = lines[row].encode()[made.column : made.end_column].decode(errors="replace")
    if "jnp." not in written:
        return ""
    # a shape is a tuple, which NumPy's functions take as it is
    return re.sub(r"\bjnp\.(?:array|asarray)\(([\w.]+)\)", r"\1", written).replace("jnp.", "np.")


def expression(text: str) -> ast.expr | None:
    """The syntax of an expression; None if the text is none."""
    try:
        return ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        try:
            return ast.parse(f"({text.strip()})", mode="eval").body  # over several lines
        except SyntaxError:
            return None


def wrapped(text: str) -> str:
    """An expression in brackets, where something that follows it would else bind to its last part."""
    node = expression(text)
    simple = (ast.Name, ast.Attribute, ast.Call, ast.Subscript)
    return text if isinstance(node, simple) else f"({text})"
