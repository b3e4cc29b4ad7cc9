"""The C library's heap: how much of it is in use, and memory that was freed, given back to the system.

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

__all__ = ["give_back", "used_bytes"]


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


@cache
def _mallinfo() -> Callable[[], tuple[int, int]] | None:
    """The C library's own account: what is in use in its heaps, and in memory mapped for large pieces; None without one."""

    class Account(ctypes.Structure):
        _fields_ = [  # noqa: RUF012 the form that ctypes wants
            (name, ctypes.c_size_t)
            for name in (
                "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost",
            )
        ]  # fmt: skip

    with contextlib.suppress(OSError, AttributeError, TypeError):
        ask = ctypes.CDLL(None).mallinfo2
        ask.restype = Account

        def read() -> tuple[int, int]:
            account = ask()
            return account.uordblks, account.hblkhd

        return read
    return None


def used_bytes() -> int | None:
    """How much of the C library's heaps is in use, by all threads together; None where it keeps no account."""
    read = _mallinfo()
    return None if read is None else sum(read())
