"""Operations that change no element: which operand a StableHLO operation merely passes on, and why.

What lives here: algebra of single operations, from their printed types and from constants whose elements are all equal.
What must not: what any compiler does about it.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Sequence
from typing import NamedTuple

_TENSOR = re.compile(r"tensor<([^<>]*(?:<[^<>]*>)?[^<>]*)>")
_DENSE = re.compile(r"dense<([^<>\[\]\"]+)>")
_LIST = re.compile(r"dims = \[([\d, ]*)\]")
_APPLIES = re.compile(r"applies stablehlo\.(\w+)")
_SLICE = re.compile(r"\[([\d:, ]*)\]")

_NEUTRAL: dict[str, tuple[float, bool]] = {
    # operation: (the neutral element, whether it may also stand on the left)
    "add": (0.0, True),
    "subtract": (0.0, False),
    "multiply": (1.0, True),
    "divide": (1.0, False),
    "power": (1.0, False),
    "maximum": (-math.inf, True),
    "minimum": (math.inf, True),
    "or": (0.0, True),
    "and": (1.0, True),
}
_BOOLEAN = frozenset({"or", "and"})


class Shape(NamedTuple):
    """A tensor type: its sizes and the name of its element type."""

    sizes: tuple[str, ...]
    dtype: str

    @property
    def squeezed(self) -> tuple[str, ...]:
        """The sizes other than 1."""
        return tuple(size for size in self.sizes if size != "1")


class Passed(NamedTuple):
    """The operand that an operation passes on, and the reason in words."""

    operand: int
    reason: str


def signature(text: str) -> tuple[list[Shape], list[Shape]]:
    """The operand and result types of an operation's text; one type alone holds for all of them."""
    tail = text[text.rfind(" : ") + 3 :] if " : " in text else ""
    left, arrow, right = tail.rpartition(" -> ")
    if arrow:
        return _shapes(left), _shapes(right)
    both = _shapes(tail)
    return both, both[-1:]


def _shapes(text: str) -> list[Shape]:
    found = []
    for inner in _TENSOR.findall(text):
        parts = inner.split(",")[0].split("x")
        at = 0
        while at < len(parts) - 1 and (parts[at].isdigit() or parts[at] == "?"):
            at += 1
        found.append(Shape(tuple(parts[:at]), "x".join(parts[at:])))
    return found


def splat(text: str) -> float | None:
    """The value of a constant whose elements are all equal, None for others."""
    match = _DENSE.search(text)
    if match is None:
        return None
    literal = match[1].strip()
    if literal in ("true", "false"):
        return 1.0 if literal == "true" else 0.0
    if literal.startswith("0x"):
        bits = int(literal, 16)
        if len(literal) == 10:
            return struct.unpack("<f", struct.pack("<I", bits))[0]
        if len(literal) == 18:
            return struct.unpack("<d", struct.pack("<Q", bits))[0]
        if len(literal) == 6 and text.rstrip().endswith("bf16>"):
            return struct.unpack("<f", struct.pack("<I", bits << 16))[0]
        return None
    try:
        return float(literal)
    except ValueError:
        return None


def passes_on(name: str, text: str, splats: Sequence[float | None]) -> Passed | None:
    """The operand whose elements, in the same order, are the operation's result; None if there is none.

    Args:
        name: The operation, ``stablehlo.reshape``.
        text: Its text behind the results.
        splats: For each operand the value that all its elements have, None if it is not known.
    """
    kind = name.removeprefix("stablehlo.")
    ins, outs = signature(text)
    if not ins or not outs:
        return None
    source, result = ins[0], outs[0]
    if kind == "reshape":
        return Passed(0, "a reshape moves no element")
    if kind == "broadcast_in_dim":
        if source.squeezed == result.squeezed and _is_increasing(text):
            if source == result:
                return Passed(0, "it broadcasts to the shape that is there")
            return Passed(0, "it only adds axes of size 1")
    elif kind == "transpose":
        match = _LIST.search(text)
        if match is not None:
            order = [int(part) for part in match[1].split(",") if part.strip()]
            moved = [axis for axis in order if axis < len(source.sizes) and source.sizes[axis] != "1"]
            if moved == sorted(moved):
                return Passed(0, "it moves only axes of size 1")
    elif kind == "convert":
        if source == result:
            return Passed(0, "it converts to the type that is there")
    elif kind == "reduce":
        return _reduction(text, source, result, splats)
    elif kind == "concatenate":
        if len(ins) == 1:
            return Passed(0, "it joins a single array")
    elif kind in ("slice", "dynamic_slice", "pad"):
        if source == result and not _has_negative_padding(text):
            return Passed(0, f"the {kind} keeps everything")
    elif kind in _NEUTRAL and len(splats) == 2:
        neutral, also_left = _NEUTRAL[kind]
        if kind in _BOOLEAN and result.dtype != "i1":
            return None
        if splats[1] == neutral:
            return Passed(0, _said(kind, neutral))
        if also_left and splats[0] == neutral:
            return Passed(1, _said(kind, neutral))
    return None


def _said(kind: str, neutral: float) -> str:
    value = f"{neutral:g}" if kind not in _BOOLEAN else ("true" if neutral else "false")
    return f"{kind} with {value} changes nothing"


def _is_increasing(text: str) -> bool:
    match = _LIST.search(text)
    if match is None:
        return False
    axes = [int(part) for part in match[1].split(",") if part.strip()]
    return axes == sorted(axes)


def _has_negative_padding(text: str) -> bool:
    return "-" in text.partition(" : ")[0].replace("->", "")


def _reduction(text: str, source: Shape, result: Shape, splats: Sequence[float | None]) -> Passed | None:
    match = _APPLIES.search(text)
    if match is None or len(splats) != 2 or source.squeezed != result.squeezed:
        return None
    neutral = _NEUTRAL.get(match[1])
    if neutral is not None and splats[1] == neutral[0]:
        return Passed(0, "it reduces axes of size 1")
    return None
