"""Structures of containers as plain data, for exported programs.

Lives here: the types that may be written, by name, and the conversion both ways. Tuples, lists, dicts with string keys, None
and OrderedDict need no registration.
"""

from __future__ import annotations

import base64
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

from jaxnb.xla import pytree

__all__ = [
    "register_namedtuple_serialization",
    "register_pytree_node_serialization",
    "tree_from_data",
    "tree_to_data",
]

T = TypeVar("T", bound=type)


class _Kind(NamedTuple):
    """How a type of container is written and read."""

    cls: type
    name: str
    aux_to_bytes: Callable[[Any], bytes]
    aux_from_bytes: Callable[[bytes], Any]
    from_children: Callable[[Any, Sequence[Any]], Any] | None


_by_type: dict[type, _Kind] = {}
_by_name: dict[str, _Kind] = {}


def register_pytree_node_serialization(
    nodetype: T,
    *,
    serialized_name: str,
    serialize_auxdata: Callable[[Any], bytes],
    deserialize_auxdata: Callable[[bytes], Any],
    from_children: Callable[[Any, Sequence[Any]], Any] | None = None,
) -> T:
    """Makes a registered container type one that exported programs can be written with; returns the type.

    Args:
        nodetype: the type; it must be a container already.
        serialized_name: what it is called in files, for good.
        serialize_auxdata: writes the static data of a value.
        deserialize_auxdata: reads it back.
        from_children: builds a value from ``(static data, children)``; by default as the container's registration does.

    Raises:
        ValueError: where the type or the name is registered already.
    """
    if nodetype in _by_type:
        raise ValueError(
            f"Duplicate serialization registration for type `{nodetype}`. Previous registration was with serialized_name "
            f"`{_by_type[nodetype].name}`."
        )
    if serialized_name in _by_name:
        raise ValueError(
            f"Duplicate serialization registration for serialized_name `{serialized_name}`. Previous registration was for "
            f"type `{_by_name[serialized_name].cls}`."
        )
    kind = _Kind(nodetype, serialized_name, serialize_auxdata, deserialize_auxdata, from_children)
    _by_type[nodetype] = _by_name[serialized_name] = kind
    return nodetype


def register_namedtuple_serialization(nodetype: T, *, serialized_name: str) -> T:
    """Makes a named tuple type one that exported programs can be written with; returns the type.

    Raises:
        ValueError: where it is no named tuple, or the type or the name is registered already.
    """
    if not (issubclass(nodetype, tuple) and hasattr(nodetype, "_fields")):
        raise ValueError(
            "Use `jax.export.register_pytree_node_serialization` for types other than `collections.namedtuple`."
        )
    return register_pytree_node_serialization(
        nodetype,
        serialized_name=serialized_name,
        serialize_auxdata=lambda _: b"",
        deserialize_auxdata=lambda _: None,
        from_children=lambda _, children: nodetype(*children),
    )


register_pytree_node_serialization(
    OrderedDict,
    serialized_name="collections.OrderedDict",
    serialize_auxdata=lambda keys: "\0".join(_string_keys(keys)).encode(),
    deserialize_auxdata=lambda data: tuple(data.decode().split("\0")) if data else (),
    from_children=lambda keys, children: OrderedDict(zip(keys, children, strict=True)),
)


def _string_keys(keys: Sequence[Any]) -> list[str]:
    for k in keys:
        if not isinstance(k, str):
            raise TypeError(
                f"Serialization is supported only for dictionaries with string keys. Found key {k} of type {type(k)}."
            )
    return list(keys)


def tree_to_data(tree: pytree.PyTreeDef) -> Any:
    """Returns a structure as plain data.

    Raises:
        ValueError: where it has a type that is not registered here.
        TypeError: where a dict has keys that are no strings.
    """
    node = tree.node_data()
    if node is None:
        return "*"
    kind, aux = node
    children = [tree_to_data(child) for child in tree.children()]
    if kind is type(None):
        return None
    if kind is tuple or kind is list:
        return {kind.__name__: children}
    if kind is dict:
        return {"dict": list(zip(_string_keys(aux), children, strict=True))}
    known = _by_type.get(kind)
    if known is None:
        raise ValueError(
            f"Cannot serialize PyTreeDef containing an unregistered type `{kind}`. Use "
            "`export.register_pytree_node_serialization` or `export.register_namedtuple_serialization`."
        )
    data = base64.b64encode(known.aux_to_bytes(aux)).decode()
    return {"node": known.name, "aux": data, "children": children}


def tree_from_data(data: Any) -> pytree.PyTreeDef:
    """Returns the structure that :func:`tree_to_data` wrote.

    Raises:
        ValueError: where it has a type that is not registered here.
    """
    if data == "*":
        return pytree.leaf_treedef
    if data is None:
        return pytree.node_treedef(type(None), None, [])
    if "tuple" in data:
        return pytree.treedef_tuple(map(tree_from_data, data["tuple"]))
    if "list" in data:
        return pytree.node_treedef(list, None, map(tree_from_data, data["list"]))
    if "dict" in data:
        keys = [k for k, _ in data["dict"]]
        return pytree.node_treedef(dict, keys, [tree_from_data(x) for _, x in data["dict"]])
    known = _by_name.get(data["node"])
    if known is None:
        raise ValueError(
            f"Cannot deserialize a PyTreeDef containing an unregistered type `{data['node']}`. Use "
            "`export.register_pytree_node_serialization` or `export.register_namedtuple_serialization`."
        )
    aux = known.aux_from_bytes(base64.b64decode(data["aux"]))
    children = [tree_from_data(x) for x in data["children"]]
    if known.from_children is None:
        return pytree.node_treedef(known.cls, aux, children)
    found = pytree.flatten(known.from_children(aux, [object()] * len(children)))[1].node_data()
    assert found is not None
    return pytree.node_treedef(*found, children)  # pyright: ignore[reportCallIssue] - class and data
