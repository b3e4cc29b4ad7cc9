"""What is known of one traced value, as plain data: how far its trace has abstracted from it, and what that allows.

What lives here: the records. What must not: tracers, or anything else that would outlive its trace.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CapturedAttempt", "CapturedLayer", "CapturedLevels", "CapturedNeighbour"]


@dataclass(frozen=True, slots=True)
class CapturedLayer:
    """One of the stand-ins that stand for a value, or the value itself at the end of them.

    Attributes:
        name: What it calls itself, such as ``JitTracer``.
        made_by: ``jit``, ``make_jaxpr``, ``vmap``, ``grad``, …; ``""`` for a plain value.
        type: Its short type, ``~`` in front where it is weak.
        holds: What it has in place of the value, in words.
        program: The jaxpr so far with the value as its result, where it is a variable of one.
    """

    name: str
    made_by: str
    type: str
    holds: str
    program: str = ""


@dataclass(frozen=True, slots=True)
class CapturedAttempt:
    """Something that Python may try with the value, and how it fared.

    Attributes:
        code: What is tried, with the value as ``x``.
        asks: ``type``, ``value``, or ``program`` for an operation that becomes an equation.
        with_value: What came of it where the value is known, ``""`` where it is not.
        with_type: What came of it with the type alone; the name of the error where it was refused.
        is_refused: Whether it was refused with the type alone.
        with_size: What JAX gives where the first size is known by name only, or ``refused``; ``""`` where there is no size.
    """

    code: str
    asks: str
    with_value: str
    with_type: str
    is_refused: bool
    with_size: str


@dataclass(frozen=True, slots=True)
class CapturedNeighbour:
    """Another argument, and on which levels the program made for the value serves it, too."""

    what: str
    type: str
    on_value: bool
    on_type: bool
    on_size: bool


@dataclass(frozen=True, slots=True)
class CapturedLevels:
    """A value between knowing everything and knowing next to nothing.

    Attributes:
        type: Its short type, ``~`` in front where it is weak.
        dtype: The element type's name.
        is_weak: Whether the type is weak.
        shape: Its sizes.
        sized_type: Its type with the first size as ``n``, ``""`` where there is no size to be forgotten.
        value: The value, where it is known; ``""`` where it is not.
        layers: The stand-ins from the one that Python holds to the last one.
        attempts: What Python may try.
        neighbours: Which other arguments one program serves.
    """

    type: str
    dtype: str
    is_weak: bool
    shape: tuple[int, ...]
    sized_type: str
    value: str
    layers: tuple[CapturedLayer, ...]
    attempts: tuple[CapturedAttempt, ...]
    neighbours: tuple[CapturedNeighbour, ...]

    @property
    def is_known(self) -> bool:
        """Whether Python can have the value."""
        return bool(self.value)

    @property
    def refused(self) -> list[str]:
        """What Python may not do with it where it stands."""
        if self.is_known:
            return [one.code for one in self.attempts if one.with_value.endswith("Error")]
        return [one.code for one in self.attempts if one.is_refused]
