"""Fills the slot that batching leaves open for operations: moving, making and summing over mapped axes.

Imported once by the runtime; nothing else belongs here.
"""

from __future__ import annotations

from jaxnb.engine.core.rules import batch_port
from jaxnb.engine.ops.elementwise import broadcast_axis
from jaxnb.engine.ops.reductions import reduce_sum
from jaxnb.engine.ops.shape import moveaxis

__all__: list[str] = []

batch_port.move = moveaxis
batch_port.broadcast = broadcast_axis
batch_port.sum = lambda x, dim: reduce_sum(x, (dim,))
