"""How a primitive of one's own is lowered, under JAX's names: only re-exports.

A rule is ``(ctx, *values, **params) -> sequence of values``, or ``lower_fun`` of a traceable function.
"""

from __future__ import annotations

from jaxnb.engine.core.rules import lower_fun, register_lowering

__all__ = ["lower_fun", "register_lowering"]
