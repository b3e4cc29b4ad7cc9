"""What JAX keeps under ``jax.experimental``: re-exports only."""

from __future__ import annotations

from jaxnb.engine.control.callbacks import io_callback

__all__ = ["io_callback"]
