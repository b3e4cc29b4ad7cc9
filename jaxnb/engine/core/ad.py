"""Symbolic zeros and undefined primals: the two words differentiation rules share.

Lives here: data only. The transformations are in ``engine/transforms``.
"""

from __future__ import annotations

from typing import Any

from jaxnb.engine.core.avals import AbstractValue, get_aval

__all__ = ["UndefinedPrimal", "Zero", "is_undefined_primal", "is_zero", "zero_like"]


class Zero:
    """A tangent or cotangent known to be zero, of type ``aval``."""

    __slots__ = ("aval",)

    aval: Any

    def __init__(self, aval: AbstractValue):
        self.aval = aval

    @staticmethod
    def from_primal_value(x: Any) -> Zero:
        """Returns the zero tangent of a value."""
        return Zero(get_aval(x).to_tangent_aval())

    def __repr__(self) -> str:
        return f"Zero({self.aval})"


class UndefinedPrimal:
    """A linear operand in a transpose rule: it has a type and no value."""

    __slots__ = ("aval",)

    aval: Any

    def __init__(self, aval: AbstractValue):
        self.aval = aval

    def __repr__(self) -> str:
        return f"UndefinedPrimal({self.aval})"


def is_zero(x: Any) -> bool:
    """Returns whether ``x`` is a symbolic zero."""
    return type(x) is Zero


def is_undefined_primal(x: Any) -> bool:
    """Returns whether ``x`` is a linear operand without a value."""
    return type(x) is UndefinedPrimal


def zero_like(x: Any) -> Zero:
    """Returns the symbolic zero tangent of ``x``."""
    return Zero.from_primal_value(x)
