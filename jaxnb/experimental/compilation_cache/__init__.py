"""The cache of compiled programs on disk, under JAX's names: re-exports only."""

from __future__ import annotations
