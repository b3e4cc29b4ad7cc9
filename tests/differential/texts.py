"""Comparison of long texts: the first differing lines, not the whole."""

from __future__ import annotations

import difflib


def assert_same_text(ours: str, theirs: str, shown: int = 40) -> None:
    """Fails, with the first differences, unless the texts are equal."""
    if ours == theirs:
        return
    a, b = theirs.splitlines(), ours.splitlines()
    first = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    window = slice(max(first - 3, 0), first + 400)  # a diff of everything would take minutes
    diff = list(difflib.unified_diff(a[window], b[window], "jax", "jaxnb", n=3, lineterm=""))
    raise AssertionError(
        f"texts differ from line {first + 1} on ({len(a)} and {len(b)} lines)\n" + "\n".join(diff[:shown])
    )
