"""Donated arguments: which result takes the buffer of which, and why some buffers cannot be used.

Lives here: the matching and its warning. What a donated array says afterwards is jaxlib's.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import NamedTuple

from jaxnb.engine.core.avals import AbstractValue
from jaxnb.xla.version import JAXLIB_VERSION

__all__ = ["Donation", "Unusable", "match_donated", "on_several_devices", "warn_of_unusable"]

_PAGE = (
    "https://docs.jax.dev/en/latest/201/jit.html#jax-201-buffer-donation"
    if JAXLIB_VERSION >= (0, 12)
    else "https://docs.jax.dev/en/latest/faq.html#buffer-donation"
)


class Unusable(NamedTuple):
    """A donated parameter whose buffer no result can take."""

    parameter: int
    """Its position among the parameters that the program keeps."""
    aval: AbstractValue
    reason: str


class Donation(NamedTuple):
    """What becomes of each parameter's buffer; lists have one entry for each parameter."""

    aliases: list[int | None]
    """The result that is written into the buffer, or None."""
    donors: list[bool]
    """Whether XLA may take the buffer for whatever it likes: a result has as many elements, in another type."""
    unusable: list[Unusable]


def match_donated(
    in_avals: Sequence[AbstractValue], out_avals: Sequence[AbstractValue], donated: Sequence[bool]
) -> Donation:
    """Returns which result takes which donated buffer.

    A result takes the first donated parameter of its own shape and dtype. A parameter that is left is a donor where a
    result that took none has as many elements.
    """
    waiting: dict[AbstractValue, list[int]] = {}
    for i, (aval, given) in enumerate(zip(in_avals, donated, strict=True)):
        if given:
            waiting.setdefault(aval.strip_weak_type(), []).append(i)
    aliases: list[int | None] = [None] * len(in_avals)
    left: dict[int, int] = {}
    for j, aval in enumerate(out_avals):
        fitting = waiting.get(aval.strip_weak_type())
        if fitting:
            aliases[fitting.pop(0)] = j
        else:
            size = getattr(aval, "size", 0)
            left[size] = left.get(size, 0) + 1
    donors = [False] * len(in_avals)
    unusable = []
    for i in sorted(i for rest in waiting.values() for i in rest):
        size = getattr(in_avals[i], "size", 0)
        if left.get(size, 0):
            left[size] -= 1
            donors[i] = True
        else:
            unusable.append(Unusable(i, in_avals[i], _reason(in_avals[i], out_avals)))
    return Donation(aliases, donors, unusable)


def on_several_devices(donation: Donation) -> Donation:
    """Returns what becomes of the buffers where the compiler decides how results are divided: it decides this too."""
    donors = [d or a is not None for a, d in zip(donation.aliases, donation.donors, strict=True)]
    return Donation([None] * len(donors), donors, donation.unusable)


def _reason(aval: AbstractValue, out_avals: Sequence[AbstractValue]) -> str:
    same = sum(a.strip_weak_type() == aval.strip_weak_type() for a in out_avals)
    if same:
        results = "the only result" if same == 1 else f"each of the {same} results"
        return f"{results} of type {aval.str_short()} already takes another donated buffer"
    size = getattr(aval, "size", 0)
    if any(getattr(a, "size", 0) == size for a in out_avals):
        return f"every result of {size} elements already takes another donated buffer"
    return f"no result has the type {aval.str_short()}, and none has {size} elements"


def warn_of_unusable(unusable: Sequence[Unusable]) -> None:
    """Warns of donated buffers that no result can take."""
    if unusable:
        shapes = ", ".join(u.aval.str_short() for u in unusable)
        warnings.warn(
            f"Some donated buffers were not usable: {shapes}.\nSee an explanation at {_PAGE}.", stacklevel=2
        )
