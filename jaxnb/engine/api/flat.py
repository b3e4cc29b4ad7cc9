"""From the user's functions of pytrees to flat functions, and the checks their arguments go through.

Lives here: what ``grad``, ``vmap`` and ``make_jaxpr`` share.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from jaxnb.engine.core.avals import get_aval
from jaxnb.engine.core.functions import fun_name, fun_src_info
from jaxnb.engine.core.jaxpr import DebugInfo
from jaxnb.engine.core.trace import Tracer
from jaxnb.xla import pytree

__all__ = [
    "Flat",
    "check_argnums",
    "check_arraylike",
    "check_callable",
    "debug_of",
    "is_arraylike",
    "split_argnums",
    "to_argnums",
]


class Flat:
    """A function of flat leaves; remembers the structure of the results of its last call."""

    def __init__(
        self,
        fun: Callable[..., Any],
        in_tree: Any,
        kwargs: dict[str, Any] | None = None,
        has_aux: bool = False,
        what: str = "Argument '{}' of",
    ):
        self.what = what
        """How an error begins that is about a result that is no array."""
        self.fun = fun
        self.in_tree = in_tree
        self.kwargs = kwargs or {}
        self.has_aux = has_aux
        self.out_tree: Any = None
        self.aux_tree: Any = None
        self.aux: list[Any] = []

    def __call__(self, *leaves: Any) -> list[Any]:
        out = self.fun(*pytree.unflatten(self.in_tree, leaves), **self.kwargs)
        if self.has_aux:
            if not isinstance(out, tuple | list) or len(out) != 2:
                raise TypeError(
                    "expected function with aux output to return a two-element tuple, but got type "
                    f"{type(out)} with value {out!r}"
                )
            out, aux = out
            self.aux, self.aux_tree = pytree.flatten(aux)
        flat, self.out_tree = pytree.flatten(out)
        for x in flat:
            if not isinstance(x, Tracer) and not is_arraylike(x):
                raise TypeError(f"{self.what.format(x)} type {type(x)} is not a valid JAX type")
        return flat


def is_arraylike(x: Any) -> bool:
    """Returns whether ``x`` is something that JAX programs compute with."""
    if isinstance(x, Tracer):
        return True
    try:
        get_aval(x)
    except TypeError:
        return False
    return True


def check_arraylike(leaves: Sequence[Any], stop: str = "", kind: type[TypeError] = TypeError) -> None:
    """Raises TypeError for a leaf that is no array, in JAX's words, which end in a full stop here and there."""
    for x in leaves:
        if not is_arraylike(x):
            raise kind(f"Argument '{x}' of type {type(x)} is not a valid JAX type{stop}")


def check_callable(fun: Any) -> None:
    """Raises TypeError unless ``fun`` can be called."""
    if not callable(fun):
        raise TypeError(f"Expected a callable value, got {fun}")


def debug_of(fun: Callable[..., Any], traced_for: str) -> DebugInfo:
    """Returns what messages say of a function."""
    return DebugInfo(traced_for, fun_src_info(fun), fun_name(fun))


def to_argnums(argnums: Any) -> int | tuple[int, ...]:
    """Returns a position, or several, as integers; raises TypeError where it is none."""
    try:
        return operator.index(argnums)
    except TypeError:
        return tuple(map(operator.index, argnums))


def check_argnums(argnums: int | tuple[int, ...], args: tuple) -> None:
    """Raises TypeError where there are too few arguments to differentiate by these."""
    last = argnums if isinstance(argnums, int) else max(argnums)
    if last >= len(args):
        raise TypeError(
            f"differentiating with respect to argnums={argnums} requires at least {last + 1} positional arguments to be "
            f"passed by the caller, but got only {len(args)} positional arguments."
        )


def split_argnums(
    argnums: int | tuple[int, ...], args: tuple
) -> tuple[tuple[int, ...], list[Any], Callable[[Sequence[Any]], list[Any]]]:
    """Returns the chosen positions, their arguments, and how to put new ones in their places.

    Raises:
        ValueError: where an argument does not exist.
    """
    nums = (argnums,) if isinstance(argnums, int) else argnums
    n = len(args)
    for i in nums:
        if not -n <= i < n:
            raise ValueError(
                "Positional argument indices, e.g. for `static_argnums`, must have value greater than or equal to "
                f"-len(args) and less than len(args), but got value {i} for len(args) == {n}."
            )
    places = tuple(i % n for i in nums)
    # As in JAX, an argument is there once: of one that is chosen twice the second is None.
    chosen = [args[i] if i not in places[:k] else None for k, i in enumerate(places)]

    def merge(new: Sequence[Any]) -> list[Any]:
        full = list(args)
        for i, x in zip(places, new, strict=True):
            full[i] = x
        return full

    return places, chosen, merge
