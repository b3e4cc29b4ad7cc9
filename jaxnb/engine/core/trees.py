"""Functions of trees of containers, under JAX's names: map, reduce, transpose, broadcast, and registering types.

Lives here: what is built from flattening and unflattening. Must not live here: the registry and C++ flattening (the
door has them), or anything that knows what a leaf is.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, TypeVar

from jaxnb.engine.core.prefixes import raise_prefix_error
from jaxnb.xla import pytree

C = TypeVar("C", bound=type)
IsLeaf = Callable[[Any], bool] | None
_MISSING: Any = object()


def tree_flatten(tree: Any, is_leaf: IsLeaf = None) -> tuple[list[Any], pytree.PyTreeDef]:
    """The leaves, left to right, and the structure."""
    return pytree.flatten(tree, is_leaf)


def tree_unflatten(treedef: pytree.PyTreeDef, leaves: Iterable[Any]) -> Any:
    """The tree of a structure with these leaves."""
    return treedef.unflatten(leaves)


def tree_leaves(tree: Any, is_leaf: IsLeaf = None) -> list[Any]:
    """The leaves, left to right."""
    return pytree.flatten(tree, is_leaf)[0]


def tree_structure(tree: Any, is_leaf: IsLeaf = None) -> pytree.PyTreeDef:
    """The structure."""
    return pytree.flatten(tree, is_leaf)[1]


def tree_flatten_with_path(
    tree: Any, is_leaf: Callable[..., bool] | None = None, is_leaf_takes_path: bool = False
) -> tuple[list[tuple[pytree.KeyPath, Any]], pytree.PyTreeDef]:
    """The `(path, leaf)` pairs, left to right, and the structure."""
    return pytree.flatten_with_path(tree, is_leaf, is_leaf_takes_path)


def tree_leaves_with_path(
    tree: Any, is_leaf: Callable[..., bool] | None = None, is_leaf_takes_path: bool = False
) -> list[tuple[pytree.KeyPath, Any]]:
    """The `(path, leaf)` pairs, left to right."""
    return pytree.flatten_with_path(tree, is_leaf, is_leaf_takes_path)[0]


def tree_map(f: Callable[..., Any], tree: Any, *rest: Any, is_leaf: IsLeaf = None) -> Any:
    """The tree of `f(leaf, *subtrees)`; each of `rest` has `tree` as a prefix.

    Raises:
        ValueError: one of `rest` is built differently; the text names the place.
    """
    leaves, treedef = pytree.flatten(tree, is_leaf)
    if not rest:
        return treedef.unflatten(map(f, leaves))
    return treedef.unflatten(map(f, leaves, *_flatten_like(treedef, tree, rest, is_leaf)))


def tree_map_with_path(
    f: Callable[..., Any],
    tree: Any,
    *rest: Any,
    is_leaf: Callable[..., bool] | None = None,
    is_leaf_takes_path: bool = False,
) -> Any:
    """The tree of `f(path, leaf, *subtrees)`."""
    pairs, treedef = pytree.flatten_with_path(tree, is_leaf, is_leaf_takes_path)
    paths, leaves = zip(*pairs) if pairs else ((), ())
    return treedef.unflatten(map(f, paths, leaves, *(treedef.flatten_up_to(r) for r in rest)))


def _flatten_like(
    treedef: pytree.PyTreeDef, tree: Any, rest: Sequence[Any], is_leaf: IsLeaf
) -> list[list[Any]]:
    flat = []
    for other in rest:
        try:
            flat.append(treedef.flatten_up_to(other))
        except ValueError:
            raise_prefix_error("tree_map tree", tree, other, is_leaf)
            raise
    return flat


def tree_reduce(
    function: Callable[[Any, Any], Any], tree: Any, initializer: Any = _MISSING, is_leaf: IsLeaf = None
) -> Any:
    """The leaves combined from left to right."""
    leaves = tree_leaves(tree, is_leaf)
    if initializer is _MISSING:
        return functools.reduce(function, leaves)
    return functools.reduce(function, leaves, initializer)


def tree_reduce_associative(
    operation: Callable[[Any, Any], Any], tree: Any, *, identity: Any = _MISSING, is_leaf: IsLeaf = None
) -> Any:
    """The leaves combined pairwise in a balanced tree; `identity` is the result for no leaves."""
    leaves = tree_leaves(tree, is_leaf)
    if leaves:
        return _combine(operation, leaves)
    if identity is _MISSING:
        raise TypeError("Must specify identity for parallel reduction of empty sequence.")
    return identity


def _combine(operation: Callable[[Any, Any], Any], values: list[Any]) -> Any:
    if len(values) == 1:
        return values[0]
    half = len(values) // 2
    return operation(_combine(operation, values[:half]), _combine(operation, values[half:]))


def tree_all(tree: Any, *, is_leaf: IsLeaf = None) -> bool:
    """Whether every leaf is true."""
    return all(tree_leaves(tree, is_leaf))


def tree_transpose(
    outer_treedef: pytree.PyTreeDef, inner_treedef: pytree.PyTreeDef | None, pytree_to_transpose: Any
) -> Any:
    """The tree turned inside out: `inner` of `outer` where `outer` of `inner` was given."""
    leaves, treedef = pytree.flatten(pytree_to_transpose)
    inner: Any = inner_treedef
    if inner is None:
        inner = tree_structure(outer_treedef.flatten_up_to(pytree_to_transpose)[0])
    expected = outer_treedef.compose(inner)
    if treedef != expected:
        raise TypeError(f"Mismatch\n{treedef}\n != \n{expected}")
    size = inner.num_leaves
    rows = [leaves[i : i + size] for i in range(0, len(leaves), size or 1)]
    return inner.unflatten(map(outer_treedef.unflatten, zip(*rows)))


def tree_broadcast(prefix_tree: Any, full_tree: Any, is_leaf: IsLeaf = None) -> Any:
    """The tree like `full_tree` in which every leaf is that of `prefix_tree` above it."""
    return tree_unflatten(
        tree_structure(full_tree, is_leaf), broadcast_prefix(prefix_tree, full_tree, is_leaf=is_leaf)
    )


def broadcast_prefix(prefix_tree: Any, full_tree: Any, is_leaf: IsLeaf = None) -> list[Any]:
    """For each leaf of `full_tree`, the leaf of `prefix_tree` above it.

    Raises:
        ValueError: `prefix_tree` is not a prefix; the text names the place.
    """
    leaves, treedef = pytree.flatten(prefix_tree, is_leaf)
    try:
        subtrees = treedef.flatten_up_to(full_tree)
    except ValueError:
        raise_prefix_error("broadcast_prefix prefix_tree", prefix_tree, full_tree, is_leaf)
        raise
    return [leaf for leaf, tree in zip(leaves, subtrees) for _ in tree_leaves(tree, is_leaf)]


# ---- structures


def treedef_children(treedef: pytree.PyTreeDef) -> list[pytree.PyTreeDef]:
    """The structures of the direct children."""
    return treedef.children()


def treedef_is_leaf(treedef: pytree.PyTreeDef) -> bool:
    """Whether a structure has one node: a leaf, or an empty container."""
    return treedef.num_nodes == 1


def treedef_tuple(treedefs: Iterable[pytree.PyTreeDef]) -> pytree.PyTreeDef:
    """The structure of the tuple of trees of these structures."""
    return pytree.treedef_tuple(treedefs)


def all_leaves(iterable: Iterable[Any], is_leaf: IsLeaf = None) -> bool:
    """Whether none of these values is a container."""
    return pytree.all_leaves(iterable, is_leaf)


def is_tree_node(typ: type) -> bool:
    """Whether values of this type are containers."""
    return pytree.is_node_type(typ)


def flatten_one_level(tree: Any) -> tuple[Iterable[Any], Hashable]:
    """The children and the static data of a container."""
    return _one_level(tree, pytree.flatten_one_level)


def flatten_one_level_with_keys(tree: Any) -> tuple[Iterable[tuple[Any, Any]], Hashable]:
    """The `(key, child)` pairs and the static data of a container."""
    return _one_level(tree, pytree.flatten_one_level_with_keys)


def _one_level(tree: Any, flatten: Callable[[Any], Any]) -> Any:
    found = flatten(tree)
    if found is None:
        raise ValueError(f"can't tree-flatten type: {type(tree)}")
    return found


def keystr(keys: pytree.KeyPath, *, simple: bool = False, separator: str = "") -> str:
    """A path as text: `['w'][0].bias`."""
    return pytree.keystr(keys, simple=simple, separator=separator)


# ---- types of containers


def register_pytree_node(
    nodetype: type,
    flatten_func: Callable[[Any], tuple[Iterable[Any], Hashable]],
    unflatten_func: Callable[[Any, Any], Any],
    flatten_with_keys_func: Callable[[Any], tuple[Iterable[tuple[Any, Any]], Hashable]] | None = None,
) -> None:
    """Makes a type a container."""
    pytree.register_node(nodetype, flatten_func, unflatten_func, flatten_with_keys_func)


def register_pytree_with_keys(
    nodetype: type,
    flatten_with_keys: Callable[[Any], tuple[Iterable[tuple[Any, Any]], Hashable]],
    unflatten_func: Callable[[Any, Any], Any],
    flatten_func: Callable[[Any], tuple[Iterable[Any], Hashable]] | None = None,
) -> None:
    """Makes a type a container whose children have keys."""
    pytree.register_node_with_keys(nodetype, flatten_with_keys, unflatten_func, flatten_func)


def register_pytree_node_class(cls: C) -> C:
    """Makes a class with `tree_flatten` and `tree_unflatten` a container; a decorator."""
    pytree.register_node(cls, lambda node: node.tree_flatten(), cls.tree_unflatten)  # pyright: ignore
    return cls


def register_pytree_with_keys_class(cls: C) -> C:
    """Makes a class with `tree_flatten_with_keys` and `tree_unflatten` a container; a decorator."""
    flatten = (lambda node: node.tree_flatten()) if hasattr(cls, "tree_flatten") else None
    pytree.register_node_with_keys(
        cls,
        lambda node: node.tree_flatten_with_keys(),
        cls.tree_unflatten,  # pyright: ignore
        flatten,
    )
    return cls


def register_static(cls: C) -> C:
    """Makes a hashable class a container without children: its values are static data; a decorator."""
    pytree.register_node(cls, lambda node: ((), node), lambda node, _: node)
    return cls


def register_dataclass(
    nodetype: C,
    data_fields: Sequence[str] | None = None,
    meta_fields: Sequence[str] | None = None,
    drop_fields: Sequence[str] = (),
) -> C:
    """Makes a dataclass a container; fields marked `tree.static()`, or named in `meta_fields`, are static data."""
    if data_fields is None and meta_fields is None:
        data_fields, meta_fields = _declared_fields(nodetype)
    if data_fields is None or meta_fields is None:
        raise TypeError(
            "register_dataclass: data_fields and meta_fields must both be specified when either is specified. "
            f"Got data_fields={data_fields!r} meta_fields={meta_fields!r}."
        )
    if dataclasses.is_dataclass(nodetype):
        _check_fields(nodetype, {*data_fields, *meta_fields}, set(drop_fields))
    if both := {*data_fields} & {*meta_fields}:
        raise ValueError(f"data_fields and meta_fields must not overlap. Overlapping fields: {both}.")
    pytree.register_dataclass_node(nodetype, data_fields, meta_fields)
    return nodetype  # pyright: ignore[reportReturnType] - narrowed by is_dataclass


def _declared_fields(nodetype: type) -> tuple[list[str], list[str]]:
    if not dataclasses.is_dataclass(nodetype):
        raise TypeError(
            "register_dataclass: data_fields and meta_fields are required when nodetype is not a dataclass. "
            f"Got nodetype={nodetype}."
        )
    fields = [f for f in dataclasses.fields(nodetype) if f.init]
    static = [f.name for f in fields if f.metadata.get("static", False)]
    return [f.name for f in fields if f.name not in static], static


def _check_fields(nodetype: Any, named: set[str], dropped: set[str]) -> None:
    expected = {f.name for f in dataclasses.fields(nodetype) if f.init} - dropped
    if named == expected:
        return
    text = "data_fields and meta_fields must include all dataclass fields with ``init=True`` and only them."
    if missing := expected - named:
        text += f" Missing fields: {missing}. Add them to drop_fields to suppress this error."
    if unexpected := named - expected:
        text += f" Unexpected fields: {unexpected}."
    raise ValueError(text)


def static(**kwargs: Any) -> Any:
    """A dataclass field whose value is static data."""
    metadata = {**(kwargs.pop("metadata", None) or {}), "static": True}
    return dataclasses.field(metadata=metadata, **kwargs)


# ---- functions as containers


class Partial(functools.partial):
    """`functools.partial` as a container: arguments are its children, the function its static data."""

    def __new__(cls, func: Callable[..., Any], *args: Any, **kw: Any) -> Partial:
        """A container of the arguments; a partial inside stays one function, so its arguments are no children."""
        if isinstance(func, functools.partial):
            func = _OneFunction(func)
        return super().__new__(cls, func, *args, **kw)


class _OneFunction:
    """A partial as a function that compares by what it was made from."""

    def __init__(self, func: functools.partial[Any]):
        self.func = func
        functools.update_wrapper(self, func)

    def __call__(self, *args: Any, **kw: Any) -> Any:
        return self.func(*args, **kw)

    def __hash__(self) -> int:
        return hash(self.func.func)

    def __eq__(self, other: object) -> bool:
        return self.func == other.func if isinstance(other, _OneFunction) else self.func == other

    def __repr__(self) -> str:
        return f"_HashableCallableShim({self.func!r})"


Partial.__module__ = "jaxnb.tree_util"
pytree.register_node(
    Partial,
    lambda partial: ((partial.args, partial.keywords), partial.func),
    lambda func, children: Partial(func, *children[0], **children[1]),
)
