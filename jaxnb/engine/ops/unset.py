"""Values that are never read: what a branch returns in place of residuals that only another branch has."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

from jaxnb.engine.core import dtypes
from jaxnb.engine.core.avals import ShapedArray
from jaxnb.engine.core.rules import Undefined, define
from jaxnb.engine.ops.lowering import constant
from jaxnb.engine.ops.shape import broadcast

__all__ = ["MemorySpace", "empty2_p", "unset"]

_no_operands = Undefined("it has no operands")


class MemorySpace(enum.Enum):
    """Which memory of a device a value is in."""

    Device = enum.auto()
    Host = enum.auto()
    Any = enum.auto()


empty2_p = define(
    "empty2",
    abstract=lambda *, dtype, memory_space: ShapedArray((), dtype),
    lower=lambda ctx, **_: constant(np.zeros((), ctx.avals_out[0].dtype), ctx.avals_out[0]),
    jvp=_no_operands,
    transpose=_no_operands,
    batch=_no_operands,
    doc="a scalar of no particular value",
)


def unset(aval: ShapedArray) -> Any:
    """An array of this type with elements of no particular value."""
    if dtypes.is_extended(aval.dtype):
        return aval.dtype.unset(aval.shape)
    return broadcast(empty2_p.bind(dtype=aval.dtype, memory_space=MemorySpace.Device), aval.shape)
