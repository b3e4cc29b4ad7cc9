"""Where a primitive of one's own gets its rules, under JAX's names: only re-exports."""

from __future__ import annotations

from jaxnb.interpreters import ad, batching, mlir

__all__ = ["ad", "batching", "mlir"]
