"""How arrays lie in memory: re-exports only."""

from __future__ import annotations

from jaxnb.engine.runtime.layouts import Format, Layout

__all__ = ["Format", "Layout"]
