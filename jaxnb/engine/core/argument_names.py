"""What the leaves of a function's arguments are called: ``x``, ``params['w'][0]``, ``args[1]``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import Parameter as Kinds
from typing import Any

from jaxnb.engine.core.functions import NamedParameter
from jaxnb.xla import pytree

__all__ = ["argument_names", "place_text"]


def argument_names(
    parameters: Sequence[NamedParameter] | None, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[str, ...]:
    """Returns what each leaf of the arguments is called.

    Args:
        parameters: the function's; None where Python cannot tell.
        args: the positional arguments.
        kwargs: the keyword arguments; their leaves follow in the order of the names.
    """
    bound: list[str] = []
    rest = extra = None
    known: set[str] = set()
    for p in parameters or ():
        if p.kind is Kinds.VAR_POSITIONAL:
            rest = p.name
        elif p.kind is Kinds.VAR_KEYWORD:
            extra = p.name
        elif p.is_positional:
            bound.append(p.name)
        if p.kind is not Kinds.POSITIONAL_ONLY:
            known.add(p.name)
    names: list[str] = []
    for i, value in enumerate(args):
        base = bound[i] if i < len(bound) else f"{rest or 'args'}[{i - len(bound)}]"
        names += [base + place_text(path) for path, _ in pytree.flatten_with_path(value)[0]]
    for k in sorted(kwargs):
        base = k if extra is None or k in known else f"{extra}[{k!r}]"
        names += [base + place_text(path) for path, _ in pytree.flatten_with_path(kwargs[k])[0]]
    return tuple(names)


def place_text(path: pytree.KeyPath) -> str:
    """Returns a path as a program's parameter carries it: children without names are counted."""
    return "".join(f"[{k.key}]" if isinstance(k, pytree.FlattenedIndexKey) else str(k) for k in path)
