"""Comparison of long texts: the first differing lines, not the whole."""

from __future__ import annotations

import difflib
import re

KINDS = re.compile(r"(?<=are subtypes of )\w+(?:, \w+)+(?=\.)")


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


def settled(said):
    """What was said, with the kinds of dtypes in a fixed order: JAX writes a set of classes, in another order each time."""
    if isinstance(said, str):
        return KINDS.sub(lambda found: ", ".join(sorted(found[0].split(", "))), said)
    if isinstance(said, list):
        return [settled(one) for one in said]
    return {key: settled(value) for key, value in said.items()} if isinstance(said, dict) else said
