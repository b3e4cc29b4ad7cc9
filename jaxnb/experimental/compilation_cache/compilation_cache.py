"""Where the cache on disk is, and beginning it anew: re-exports only."""

from __future__ import annotations

from jaxnb.engine.api.modes import reset_cache, set_cache_dir

__all__ = ["reset_cache", "set_cache_dir"]
