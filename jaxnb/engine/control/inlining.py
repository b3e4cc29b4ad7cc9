"""When the body of a jitted function takes the place of its call."""

from __future__ import annotations

import enum
from typing import Any

from jaxnb.xla.version import JAXLIB_VERSION

__all__ = ["CALLED", "Inline", "inline_option"]


class Inline(enum.Enum):
    """When a call of a jitted function inside another is replaced by its body."""

    JAX_EARLY = "jax_early"
    """While tracing: the jaxpr has no call."""
    JAX_LATE = "jax_late"
    """While lowering: the jaxpr has a call, the module has none."""
    XLA_EARLY = "xla_early"
    """By XLA, before it optimises."""
    XLA_LATE = "xla_late"
    """By XLA, late."""
    AUTO = "auto"
    """As XLA sees fit."""


CALLED: Any = object()
"""The function itself is called while something is traced: nothing is remembered, and nothing is to be seen of it."""


def inline_option(given: Any, is_own: bool = False) -> Any:
    """Returns what ``jit(inline=given)`` means in the JAX of this jaxlib.

    Args:
        given: the argument.
        is_own: whether the function is the package's own: known to be pure, it need not be traced on its own.

    Raises:
        ValueError: where it means nothing.
    """
    if is_own and given is True:
        return CALLED
    if JAXLIB_VERSION < (0, 12):
        return Inline.JAX_EARLY if given else Inline.AUTO
    if isinstance(given, Inline):
        return given
    if given is True or given is False:
        return Inline.JAX_LATE if given else Inline.AUTO
    raise ValueError(f"Invalid inline option: {given!r}")
