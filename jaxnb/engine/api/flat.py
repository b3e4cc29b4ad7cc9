"""From the user's functions of pytrees to flat functions, and the checks their arguments go through.

Lives here: what ``grad``, ``vmap`` and ``make_jaxpr`` share.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from jaxnb.engine.core.avals import get_aval
from jaxnb.engine.core.functions import fun_name, fun_src_info
from jaxnb.engine.core.jaxpr import DebugInfo
from jaxnb.engine.core.trace import Tracer
from jaxnb.xla import pytree

__all__ = ["Flat", "check_arraylike", "check_callable", "debug_of", "is_arraylike", "split_argnums"]


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


def check_arraylike(leaves: Sequence[Any]) -> None:
    """Raises TypeError for a leaf that is no array, in JAX's words."""
    for x in leaves:
        if not is_arraylike(x):
            raise TypeError(f"Argument '{x}' of type {type(x)} is not a valid JAX type.")


def check_callable(fun: Any) -> None:
    """Raises TypeError unless ``fun`` can be called."""
    if not callable(fun):
        raise TypeError(f"Expected a callable value, got {fun}")


def debug_of(fun: Callable[..., Any], traced_for: str) -> DebugInfo:
    """Returns what messages say of a function."""
    return DebugInfo(traced_for, fun_src_info(fun), fun_name(fun))


def split_argnums(
    argnums: int | Sequence[int], args: tuple, kind: str = "differentiating with respect to"
) -> tuple[tuple[int, ...], list[Any], Callable[[Sequence[Any]], list[Any]]]:
    """Returns the chosen positions, their arguments, and how to put new ones in their places.

    Raises:
        TypeError: where an argument does not exist.
    """
    nums = (argnums,) if isinstance(argnums, int) else tuple(argnums)
    n = len(args)
    needed = max((i if i >= 0 else -i - 1 for i in nums), default=-1) + 1
    if needed > n:
        raise TypeError(
            f"{kind} argnums={argnums} requires at least {needed} positional arguments to be passed by the caller, "
            f"but got only {n} positional arguments."
        )
    places = tuple(i % n for i in nums)

    def merge(new: Sequence[Any]) -> list[Any]:
        full = list(args)
        for i, x in zip(places, new, strict=True):
            full[i] = x
        return full

    return places, [args[i] for i in places], merge
