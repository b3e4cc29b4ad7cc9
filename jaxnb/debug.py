"""Looking into running programs, under JAX's names: re-exports only."""

from __future__ import annotations

from jaxnb.engine.api.pictures import visualize_array_sharding, visualize_sharding
from jaxnb.engine.control.callbacks import debug_callback as callback
from jaxnb.engine.control.callbacks import debug_log as log
from jaxnb.engine.control.callbacks import debug_print as print
from jaxnb.engine.control.inspecting import inspect_array_sharding
from jaxnb.engine.core.effects import DebugEffect, OrderedDebugEffect

__all__ = [
    "DebugEffect",
    "OrderedDebugEffect",
    "callback",
    "inspect_array_sharding",
    "log",
    "print",
    "visualize_array_sharding",
    "visualize_sharding",
]
