"""Trees of containers: flattening, unflattening, and the registry of container types.

The registry is the project's own (not jaxlib's default one, which belongs to whoever else is in the process).
It knows None, tuple, named tuple, list and dict from C++, and OrderedDict and defaultdict from here. What
must not live here: mapping functions over trees and everything else that is built from these operations.
"""

from __future__ import annotations

import operator
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, TypeAlias

from jaxlib import _jax

__all__ = [
    "DictKey",
    "FlattenedIndexKey",
    "GetAttrKey",
    "KeyEntry",
    "KeyPath",
    "PyTreeDef",
    "PyTreeRegistry",
    "SequenceKey",
    "all_leaves",
    "flatten",
    "flatten_one_level",
    "flatten_one_level_with_keys",
    "flatten_with_path",
    "is_node_type",
    "keystr",
    "leaf_treedef",
    "node_treedef",
    "none_leaf_registry",
    "register_dataclass_node",
    "register_node",
    "register_node_with_keys",
    "registry",
    "treedef_tuple",
    "unflatten",
]

PyTreeDef: TypeAlias = _jax.pytree.PyTreeDef
PyTreeRegistry: TypeAlias = _jax.pytree.PyTreeRegistry
DictKey: TypeAlias = _jax.pytree.DictKey
SequenceKey: TypeAlias = _jax.pytree.SequenceKey
GetAttrKey: TypeAlias = _jax.pytree.GetAttrKey
FlattenedIndexKey: TypeAlias = _jax.pytree.FlattenedIndexKey
KeyEntry: TypeAlias = Any
KeyPath: TypeAlias = tuple[KeyEntry, ...]

registry: PyTreeRegistry = PyTreeRegistry()
"""The registry that every function here uses."""

none_leaf_registry: PyTreeRegistry = PyTreeRegistry(enable_none=False)
"""The same container types, but with None as a leaf."""

# What holds a registry (a jitted function, a structure) is copied with a reference to it, by these names.
for _name, _registry in (("registry", registry), ("none_leaf_registry", none_leaf_registry)):
    _registry.__module__, _registry.__name__ = __name__, _name

leaf_treedef: PyTreeDef = registry.flatten(0)[1]
"""The tree that is one leaf; it prints as ``PyTreeDef(*)``."""


def flatten(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> tuple[list[Any], PyTreeDef]:
    """Returns the leaves of ``tree``, left to right, and its structure."""
    return registry.flatten(tree, is_leaf)


def unflatten(treedef: PyTreeDef, leaves: Iterable[Any]) -> Any:
    """Returns the tree of structure ``treedef`` with the given leaves."""
    return treedef.unflatten(leaves)


def flatten_with_path(
    tree: Any,
    is_leaf: Callable[[Any], bool] | None = None,
    is_leaf_takes_path: bool = False,
) -> tuple[list[tuple[KeyPath, Any]], PyTreeDef]:
    """Returns ``(path, leaf)`` pairs and the structure.

    Args:
      tree: the tree.
      is_leaf: says where to stop.
      is_leaf_takes_path: whether ``is_leaf`` wants ``(path, subtree)`` and not just ``subtree``.
    """
    predicate: Callable[[Any, Any], bool] | None = None
    if is_leaf is not None:
        inner: Callable[..., bool] = is_leaf
        predicate = inner if is_leaf_takes_path else lambda _, node: inner(node)
    return registry.flatten_with_path(tree, predicate)


def flatten_one_level(tree: Any) -> tuple[Iterable[Any], Any] | None:
    """Returns the children and the static data of the top container, or None for a leaf."""
    return registry.flatten_one_level(tree)


def flatten_one_level_with_keys(tree: Any) -> tuple[Iterable[tuple[KeyEntry, Any]], Any] | None:
    """Returns the ``(key, child)`` pairs and the static data of the top container, or None for a leaf."""
    return registry.flatten_one_level_with_keys(tree)


def is_node_type(cls: type) -> bool:
    """Returns whether values of ``cls`` are containers."""
    return registry.is_node(cls)


def all_leaves(values: Iterable[Any], is_leaf: Callable[[Any], bool] | None = None) -> bool:
    """Returns whether none of ``values`` is a container."""
    if is_leaf is None:
        return _jax.pytree.all_leaves(registry, values)
    items = list(values)
    return all(map(operator.is_, flatten(items, is_leaf)[0], items))


def treedef_tuple(treedefs: Iterable[PyTreeDef]) -> PyTreeDef:
    """Returns the structure of the tuple of trees that have the given structures."""
    return _jax.pytree.treedef_tuple(registry, list(treedefs))


def node_treedef(cls: type, static: Any, children: Iterable[PyTreeDef]) -> PyTreeDef:
    """Returns the structure of a container of type ``cls`` with its static data and children of these structures."""
    return PyTreeDef.from_node_data_and_children(registry, (cls, static), list(children))


def register_node(
    cls: type,
    to_iterable: Callable[[Any], tuple[Iterable[Any], Hashable]],
    from_iterable: Callable[[Any, Any], Any],
    to_iterable_with_keys: Callable[[Any], tuple[Iterable[tuple[KeyEntry, Any]], Hashable]] | None = None,
) -> None:
    """Makes ``cls`` a container.

    Args:
      cls: the type.
      to_iterable: returns the children and the static data of a value.
      from_iterable: builds a value from ``(static data, children)``.
      to_iterable_with_keys: like ``to_iterable``, with ``(key, child)`` pairs; without it, paths have
        indices.

    Raises:
      ValueError: ``cls`` is registered already.
    """
    registry.register_node(cls, to_iterable, from_iterable, to_iterable_with_keys)
    none_leaf_registry.register_node(cls, to_iterable, from_iterable, to_iterable_with_keys)


def register_node_with_keys(
    cls: type,
    to_iterable_with_keys: Callable[[Any], tuple[Iterable[tuple[KeyEntry, Any]], Hashable]],
    from_iterable: Callable[[Any, Any], Any],
    to_iterable: Callable[[Any], tuple[Iterable[Any], Hashable]] | None = None,
) -> None:
    """Makes ``cls`` a container whose children have keys; ``to_iterable`` is derived if it is not given."""

    def without_keys(node: Any) -> tuple[Iterable[Any], Hashable]:
        pairs, static = to_iterable_with_keys(node)
        return [child for _, child in pairs], static

    register_node(cls, to_iterable or without_keys, from_iterable, to_iterable_with_keys)


def register_dataclass_node(cls: type, data_fields: Sequence[str], meta_fields: Sequence[str]) -> None:
    """Makes a class a container of its attributes ``data_fields``, with ``meta_fields`` as static data."""
    registry.register_dataclass_node(cls, list(data_fields), list(meta_fields))
    none_leaf_registry.register_dataclass_node(cls, list(data_fields), list(meta_fields))


def keystr(path: KeyPath, *, simple: bool = False, separator: str = "") -> str:
    """Returns a path as text: ``['w'][0].bias``, or, with ``simple``, ``w0bias`` joined by ``separator``."""
    parts = (_simple_key(key) for key in path) if simple else (str(key) for key in path)
    return separator.join(parts)


def _simple_key(key: KeyEntry) -> str:
    """Returns a key without its punctuation."""
    if isinstance(key, SequenceKey):
        return str(key.idx)
    if isinstance(key, GetAttrKey):
        return str(key.name)
    if isinstance(key, DictKey | FlattenedIndexKey):
        return str(key.key)
    return str(key)


def _ordered_dict_children(node: Any) -> tuple[Iterable[tuple[KeyEntry, Any]], Hashable]:
    return [(DictKey(k), v) for k, v in node.items()], tuple(node)


def _default_dict_children(node: Any) -> tuple[Iterable[tuple[KeyEntry, Any]], Hashable]:
    keys = tuple(sorted(node))
    return [(DictKey(k), node[k]) for k in keys], (node.default_factory, keys)


register_node_with_keys(
    OrderedDict,
    _ordered_dict_children,
    lambda keys, children: OrderedDict(zip(keys, children, strict=True)),
    lambda node: (tuple(node.values()), tuple(node)),
)
register_node_with_keys(
    defaultdict,
    _default_dict_children,
    lambda static, children: defaultdict(static[0], zip(static[1], children, strict=True)),
)
