"""What loops and branches say when trees or types differ, in JAX's words.

Lives here: text only. What must be equal is decided where the functions are traced.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from jaxnb.engine.core.avals import AbstractValue, ShapedArray, typematch
from jaxnb.engine.core.jaxpr import DebugInfo
from jaxnb.engine.core.tree_differences import tree_differences
from jaxnb.xla import pytree

__all__ = ["check_branch_structures", "check_branch_types", "check_carry"]


def _listed(sentences: Sequence[str]) -> str:
    """One sentence as it is, several as a list; an empty line before each but the last is JAX's."""
    if len(sentences) == 1:
        return f"{sentences[0][0].upper()}{sentences[0][1:]}."
    items = [f"  * {s}" for s in sentences]
    return ";\n\n".join(items[:-1]) + f";\n{items[-1]}."


def _listed_types(sentences: Sequence[str]) -> str:
    if len(sentences) == 1:
        return f"{sentences[0][0].upper()}{sentences[0][1:]}."
    return ";\n".join(f"  * {s}" for s in sentences) + "."


def _type_difference(a: AbstractValue, b: AbstractValue) -> str:
    if not (isinstance(a, ShapedArray) and isinstance(b, ShapedArray)):
        return ""
    said = []
    if a.dtype != b.dtype:
        said.append("the dtypes do not match")
    if a.shape != b.shape:
        said.append("the shapes do not match")
    return ", so " + ", and ".join(said) if said else ""


# ---- branches --------------------------------------------------------------------------------------------------------


def _branch_names(kind: str, i: int) -> tuple[str, str]:
    return ("true_fun", "false_fun") if kind == "cond" else ("branch 0", f"branch{i}")


def check_branch_structures(kind: str, infos: Sequence[DebugInfo], trees: Sequence[Any]) -> None:
    """Raises TypeError unless all branches return trees of one structure.

    Args:
        kind: ``cond`` or ``switch``.
        infos: what is known of each branch' function.
        trees: the structures of their results.
    """
    for i, tree in enumerate(trees[1:], 1):
        if tree == trees[0]:
            continue
        first, second = _branch_names(kind, i)
        a, b = (pytree.unflatten(t, [_leaf] * t.num_leaves) for t in (trees[0], tree))

        def place(name: str, path: pytree.KeyPath) -> str:
            return f"{name} output at path {pytree.keystr(path)}" if path else f"{name} output"

        said = [
            f"{place(first, d.path)} is a {d.first} but {place(second, d.path)} is a {d.second}, {d.why}"
            for d in tree_differences(a, b)
        ]
        # Here the first word is a name, which keeps its case.
        text = f"{said[0]}." if len(said) == 1 else _listed(said)
        raise TypeError(
            f"{kind} branch outputs must have the same pytree structure, but they differ:\n\n"
            f"{first} is {infos[0].func_src_info}\n{second} is {infos[i].func_src_info}\n\n{text}\n\n"
            f"Revise {first} and/or {second} so that they have the same pytree structure."
        )


_leaf = object()


def check_branch_types(
    kind: str, infos: Sequence[DebugInfo], tree: Any, avals: Sequence[Sequence[AbstractValue]]
) -> None:
    """Raises TypeError unless all branches return values of the same types, weak typing aside.

    Args:
        kind: ``cond`` or ``switch``.
        infos: what is known of each branch' function.
        tree: the structure of their results.
        avals: the types of each branch' results.
    """
    for i, others in enumerate(avals[1:], 1):
        if all(typematch(a, b) for a, b in zip(avals[0], others, strict=True)):
            continue
        first, second = _branch_names(kind, i)
        paths = [p for p, _ in pytree.flatten_with_path(pytree.unflatten(tree, avals[0]))[0]]
        said = [
            f"the output of {first}{f' at path {pytree.keystr(p)}' if p else ''} has type {a.str_short()} but the "
            f"corresponding output of {second} has type {b.str_short()}{_type_difference(a, b)}"
            for p, a, b in zip(paths, avals[0], others, strict=True)
            if not typematch(a, b)
        ]
        raise TypeError(
            f"{kind} branches must have equal output types but they differ.\n\n"
            f"{first} is {infos[0].func_src_info}\n{second} is {infos[i].func_src_info}\n\n{_listed_types(said)}\n\n"
            f"Revise {first} and/or {second} so that all output types match."
        )


# ---- loops -----------------------------------------------------------------------------------------------------------


def _carry_name(fun: Callable[..., Any], debug: DebugInfo) -> str:
    """Returns what the function calls its carry."""
    try:
        return next(iter(inspect.signature(fun).parameters))
    except (ValueError, TypeError, StopIteration):
        return "the input carry"


def check_carry(
    loop: str,
    fun: Callable[..., Any],
    debug: DebugInfo,
    in_tree: Any,
    in_avals: Sequence[AbstractValue],
    out_tree: Any,
    out_avals: Sequence[AbstractValue],
) -> None:
    """Raises TypeError unless a loop's body returns what it was given, in structure and in types.

    Args:
        loop: ``scan`` or ``while_loop``.
        fun: the body.
        debug: what is known of the body.
        in_tree: the structure of the carry.
        in_avals: the types of the carry.
        out_tree: the structure of what the body returned.
        out_avals: their types.
    """
    name = _carry_name(fun, debug)

    def place(path: pytree.KeyPath) -> str:
        return f"the input carry component {name}{pytree.keystr(path)}" if path else f"the input carry {name}"

    head = f"{loop} body function carry input and carry output must"
    if in_tree != out_tree:
        given, returned = pytree.unflatten(in_tree, in_avals), pytree.unflatten(out_tree, out_avals)
        said = [
            f"{place(d.path)} is a {d.first} but the corresponding component of the carry output is a {d.second}, {d.why}"
            for d in tree_differences(given, returned, leaf=lambda x: f"{type(x)}")
        ]
        if returned is None:
            text = f"the input tree structure is:\n{in_tree}\nthe output tree structure is:\n{out_tree}"
        else:
            text = _listed(said)
        raise TypeError(
            f"{head} have the same pytree structure, but they differ:\n\n{text}\n\n"
            "Revise the function so that the carry output has the same pytree structure as the carry input."
        )
    if not all(typematch(a, b) for a, b in zip(in_avals, out_avals, strict=True)):
        paths = [p for p, _ in pytree.flatten_with_path(pytree.unflatten(in_tree, list(in_avals)))[0]]
        said = [
            f"{place(p)} has type {a.str_short()} but the corresponding output carry component has type "
            f"{b.str_short()}{_type_difference(a, b)}"
            for p, a, b in zip(paths, in_avals, out_avals, strict=True)
            if not typematch(a, b)
        ]
        raise TypeError(
            f"{head} have equal types, but they differ:\n\n{_listed(said)}\n\n"
            "Revise the function so that all output types match the corresponding input types."
        )
