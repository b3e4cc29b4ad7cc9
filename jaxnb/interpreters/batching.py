"""The table of batching rules, under JAX's name: only a re-export.

A rule is ``(operands, dims, **params) -> (out, dim)``; a dim is None where an operand has no mapped axis.
"""

from __future__ import annotations

from jaxnb.engine.core.rules import batch_rules as primitive_batchers

__all__ = ["primitive_batchers"]
