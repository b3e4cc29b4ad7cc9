"""Host values on their way in: what can be an operand, and how one becomes an array."""

from __future__ import annotations

from typing import Any

from jaxnb.engine.core.avals import ShapedArray, get_aval
from jaxnb.engine.core.rules import Undefined, define


def is_array(x: Any) -> bool:
    """Whether ``x`` is already an array of ours or a tracer, not a NumPy array or a Python scalar."""
    return hasattr(x, "aval")


def as_operand(x: Any) -> Any:
    """``x``, once it is known to be something that can be an operand.

    Raises:
        TypeError: it is not.
    """
    try:
        get_aval(x)
    except TypeError:
        raise TypeError(f"asarray: expected ArrayLike, got {x} of type {type(x)}.") from None
    return x


def _stage_abstract(x: ShapedArray) -> ShapedArray:
    return x


_not_traced = Undefined("its operand is a host value, which no transformation traces")

stage_p = define(
    "stage",
    abstract=_stage_abstract,
    lower=lambda ctx, x: x,
    jvp=_not_traced,
    transpose=_not_traced,
    batch=_not_traced,
)
"""A host value becomes an array: placed on a device, or a literal of the program being traced."""


def stage(x, /):
    """The value as an array of ours; a traced program has it as a literal."""
    return x if is_array(x) else stage_p.bind(as_operand(x))
