"""The cyclic garbage collector, put off while much is made and nothing thrown away.

Python runs it again and again while objects are made; where a hundred thousand are made to stay, it goes through all of
them each time and finds nothing. What must not be run under this: code of a user, whose garbage may be large.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["collection_paused"]

_lock = threading.Lock()
_depth = 0
_was_enabled = False


@contextmanager
def collection_paused() -> Iterator[None]:
    """Puts collections off until the block, and any other such block that has begun meanwhile, has ended."""
    global _depth, _was_enabled
    with _lock:
        if _depth == 0:
            _was_enabled = gc.isenabled()
            gc.disable()
        _depth += 1
    try:
        yield
    finally:
        with _lock:
            _depth -= 1
            if _depth == 0 and _was_enabled:
                gc.enable()
