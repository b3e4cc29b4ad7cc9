"""What a front end hands over of a function's side effects: plain frozen data.

What lives here: the record. What must not: how they are noticed.
"""

from __future__ import annotations

from dataclasses import dataclass

from jaxnb.explorer.capture.protocol import SourceSpan

__all__ = ["CapturedEffect"]


@dataclass(frozen=True, slots=True)
class CapturedEffect:
    """Something outside of a function that the function changed while it was traced.

    Attributes:
        name: The variable, or the way to what was changed: ``counts['n']``.
        source: The line that did it, where that is known.
        is_traced: Whether it was given a traced value.
        type: That value's short type.
        kind: ``variable``, ``attribute``, ``item``, or ``moved`` for what has a position of its own, such as an iterator.
        is_restored: Whether it was put back.
        is_new: Whether there was nothing under that name before.
    """

    name: str
    source: SourceSpan | None
    is_traced: bool
    type: str = ""
    kind: str = "variable"
    is_restored: bool = True
    is_new: bool = False
