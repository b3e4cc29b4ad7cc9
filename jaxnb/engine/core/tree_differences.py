"""Where two trees differ, place by place, in JAX's words.

Lives here: the comparison of two structures. What is done about a difference is decided where the trees come from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from jaxnb.xla import pytree

__all__ = ["TreeDifference", "structure_differences", "tree_differences"]


class TreeDifference(NamedTuple):
    """One place where two trees differ, what stands there in each, and why they differ."""

    path: pytree.KeyPath
    first: str
    second: str
    why: str


def structure_differences(first: Any, second: Any, leaf: str = "pytree leaf") -> list[TreeDifference]:
    """Returns the places where two structures differ; ``leaf`` is what a leaf is called."""
    a, b = (pytree.unflatten(t, [_leaf] * t.num_leaves) for t in (first, second))
    return list(tree_differences(a, b, leaf=lambda _: leaf))


_leaf = object()


def tree_differences(
    first: Any, second: Any, path: pytree.KeyPath = (), leaf: Callable[[Any], str] = lambda _: "pytree leaf"
) -> Iterator[TreeDifference]:
    """Yields the places where two trees differ in structure; below such a place nothing more is said.

    Args:
        first: a tree.
        second: another one.
        path: where the two stand in larger trees.
        leaf: returns what a leaf is called.
    """
    a, b = pytree.flatten_one_level_with_keys(first), pytree.flatten_one_level_with_keys(second)
    if a is None and b is None:
        return
    if type(first) is not type(second) or a is None or b is None:
        one, other = (leaf(x) if level is None else f"{type(x)}" for x, level in ((first, a), (second, b)))
        yield TreeDifference(path, one, other, "so their Python types differ")
        return
    (pairs, data), (other_pairs, other_data) = ((list(level[0]), level[1]) for level in (a, b))
    n, m = len(pairs), len(other_pairs)
    kind = type(first)
    if kind in (tuple, list) and n != m:
        yield TreeDifference(
            path,
            f"{kind.__name__} of length {n}",
            f"{kind.__name__} of length {m}",
            "so the lengths do not match",
        )
        return
    if kind is dict:
        data, other_data = (tuple(k.key for k, _ in p) for p in (pairs, other_pairs))
    if n != m:
        more = ""
        if kind is dict:
            extra = [k for k in data if k not in other_data] + [k for k in other_data if k not in data]
            more = f", with the symmetric difference of key sets: {{{' '.join(map(repr, extra))}}}"
        yield TreeDifference(
            path,
            f"{kind} with {n} child{'ren' if n > 1 else ''}",
            f"{kind} with {m} child{'ren' if m > 1 else ''}",
            f"so the numbers of children do not match{more}",
        )
        return
    if data != other_data:
        yield TreeDifference(
            path,
            f"{kind} with pytree metadata {data}",
            f"{kind} with pytree metadata {other_data}",
            "so the pytree node metadata does not match",
        )
        return
    for (key, child), (_, other) in zip(pairs, other_pairs, strict=True):
        yield from tree_differences(child, other, (*path, key), leaf)
