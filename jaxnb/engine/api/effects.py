"""Waiting for effects: ``effects_barrier``."""

from __future__ import annotations

from jaxnb.engine.runtime.executable import runtime_tokens

__all__ = ["effects_barrier"]


def effects_barrier() -> None:
    """Waits until the effects of all programs started so far have happened; a printed text is then on the screen."""
    runtime_tokens.wait()
