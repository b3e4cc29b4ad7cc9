"""Looking into running programs, under JAX's names: re-exports only."""

from __future__ import annotations

from jaxnb.engine.control.callbacks import debug_callback as callback
from jaxnb.engine.control.callbacks import debug_print as print

__all__ = ["callback", "print"]
