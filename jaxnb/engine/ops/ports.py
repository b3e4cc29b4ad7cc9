"""Fills the slot that batching leaves open for operations: moving, making and summing over mapped axes.

Imported once by the runtime; nothing else belongs here.
"""

from __future__ import annotations

from typing import Any

from jaxnb.engine.core.rules import batch_port
from jaxnb.engine.core.trace import shaped_aval
from jaxnb.engine.ops.reductions import reduce_sum
from jaxnb.engine.ops.shape import broadcast_in_dim, moveaxis

__all__: list[str] = []


def _broadcast(x: Any, size: int, dim: int) -> Any:
    """Returns ``x`` repeated along a new axis."""
    shape = list(shaped_aval(x).shape)  # pyright: ignore[reportAttributeAccessIssue]
    kept = tuple(i for i in range(len(shape) + 1) if i != dim)
    shape.insert(dim, size)
    return broadcast_in_dim(x, tuple(shape), kept)


batch_port.move = moveaxis
batch_port.broadcast = _broadcast
batch_port.sum = lambda x, dim: reduce_sum(x, (dim,))
