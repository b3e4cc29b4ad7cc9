"""Why one tree is not a prefix of another, in JAX's words.

Lives here: the search for the first places where two trees differ, and the text for each. Must not live here: what is
done about it.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from jaxnb.base.lazy import lazy_module
from jaxnb.xla import pytree
from jaxnb.xla.version import JAXLIB_VERSION

if TYPE_CHECKING:
    import difflib
else:
    difflib = lazy_module("difflib")

_KEYS_AS_PATHS = JAXLIB_VERSION >= (0, 12)  # how child keys are shown: a, or ['a']


def raise_prefix_error(
    name: str, prefix: Any, full: Any, is_leaf: Callable[[Any], bool] | None = None
) -> None:
    """Raises the first difference, if there is one, as a `ValueError`."""
    for text in prefix_errors(name, prefix, full, is_leaf):
        raise ValueError(text)


def prefix_errors(
    name: str, prefix: Any, full: Any, is_leaf: Callable[[Any], bool] | None = None
) -> Iterator[str]:
    """The texts of all places where `prefix` is not a prefix of `full`.

    Args:
        name: what the prefix is called, such as `vmap in_axes`.
        prefix: the tree that should be a prefix.
        full: the tree it should be a prefix of.
        is_leaf: says where to stop in the prefix.
    """
    yield from _compare(name, (), prefix, full, is_leaf)


def _compare(
    name: str, path: pytree.KeyPath, prefix: Any, full: Any, is_leaf: Callable[[Any], bool] | None
) -> Iterator[str]:
    above = None if is_leaf is not None and is_leaf(prefix) else pytree.flatten_one_level_with_keys(prefix)
    if above is None:
        return
    place = f"{name}{pytree.keystr(path)}"
    cls = type(prefix)
    if type(full) is not cls:
        yield (
            f"pytree structure error: different types at key path\n    {place}\n"
            f"At that key path, the prefix pytree {name} has a subtree of type\n    {cls}\n"
            f"but at the same key path the full pytree has a subtree of different type\n    {type(full)}."
        )
        return
    if cls in (list, tuple) and len(prefix) != len(full):
        yield (
            f"pytree structure error: different lengths of {cls.__name__} at key path\n    {place}\n"
            f"At that key path, the prefix pytree {name} has a subtree of type {cls.__name__} of length "
            f"{len(prefix)}, but the full pytree has a subtree of the same type but of length {len(full)}."
        )
        return
    below = pytree.flatten_one_level_with_keys(full)
    assert below is not None  # of the same type as `prefix`
    pairs, data = list(above[0]), above[1]
    full_pairs, full_data = list(below[0]), below[1]
    keys, full_keys = [k for k, _ in pairs], [k for k, _ in full_pairs]
    if len(keys) != len(full_keys):
        different = [k for k in keys if k not in full_keys] + [k for k in full_keys if k not in keys]
        yield (
            f"pytree structure error: different numbers of pytree children at key path\n    {place}\n"
            f"At that key path, the prefix pytree {name} has a subtree of type\n    {cls}\n"
            f"with {len(keys)} child keys\n    {_show(keys)}\n"
            "but at the same key path the full pytree has a subtree of the same type but with "
            f"{len(full_keys)} child keys\n    {_show(full_keys)}\n"
            f"so the symmetric difference on key sets is\n    {_show(different)}"
        )
        return
    shown, full_shown = _metadata(cls, keys, data), _metadata(cls, full_keys, full_data)
    if shown != full_shown:
        diff = textwrap.indent("\n".join(difflib.ndiff([str(shown)], [str(full_shown)])), "    ")
        yield (
            f"pytree structure error: different pytree metadata at key path\n    {place}\n"
            f"At that key path, the prefix pytree {name} has a subtree of type\n    {cls}\n"
            f"with metadata\n    {shown}\n"
            "but at the same key path the full pytree has a subtree of the same type but with metadata\n"
            f"    {full_shown}\nso the diff in the metadata at these pytree nodes is\n{diff}"
        )
        return
    for (key, child), (_, full_child) in zip(pairs, full_pairs):
        yield from _compare(name, (*path, key), child, full_child, is_leaf)


def _metadata(cls: type, keys: list[Any], data: Any) -> Any:
    """A dict's keys are its metadata."""
    return tuple(key.key for key in keys) if cls is dict else data


def _show(keys: list[Any]) -> str:
    return " ".join(pytree.keystr((k,), simple=not _KEYS_AS_PATHS) for k in keys)
