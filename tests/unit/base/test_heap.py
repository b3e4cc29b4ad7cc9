"""What was freed goes back to the system."""

from __future__ import annotations

import platform

import psutil
import pytest

from jaxnb.base.heap import give_back

HAS_TRIM = platform.libc_ver()[0] == "glibc"


def test_it_says_whether_it_can():
    assert give_back() == HAS_TRIM


@pytest.mark.skipif(not HAS_TRIM, reason="only GNU's C library gives memory back when told")
def test_freed_memory_under_what_is_kept_goes_back():
    size, pieces = 4096, 10_000
    # too large for Python's own pools, too small for a mapping each
    many = [bytearray(size) for _ in range(pieces)]
    held = psutil.Process().memory_info().rss
    many[:-1] = []  # the last one lies above the others, so that the heap does not shrink by itself
    give_back()
    assert held - psutil.Process().memory_info().rss > 0.8 * size * pieces
