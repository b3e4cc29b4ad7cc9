"""Memory that was freed, given back to the system.

The C library keeps what a compiler and a parser have freed, in one heap for each of their threads: in a kernel that has
explored a few programs that is a third of what it holds.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from jaxnb.base.lazy import lazy_module

if TYPE_CHECKING:
    import ctypes
else:
    ctypes = lazy_module("ctypes")

__all__ = ["give_back"]


@cache
def _trim() -> Callable[[int], int] | None:
    """The C library's own function; None where it has none (only GNU's has)."""
    # TypeError: Windows has no name for the program itself
    with contextlib.suppress(OSError, AttributeError, TypeError):
        return ctypes.CDLL(None).malloc_trim
    return None


def give_back() -> bool:
    """Gives freed memory back [half a millisecond after a small program, 40 ms after 100 MB]; whether that can be done here.

    Other Python threads go on meanwhile.
    """
    trim = _trim()
    if trim is None:
        return False
    trim(0)
    return True
