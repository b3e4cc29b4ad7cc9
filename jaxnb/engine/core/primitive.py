"""Primitives: the operations that programs are made of.

Lives here: the class, and the table of how each is executed. Our own primitives get their rules by ``rules.define``; a
user's gets them one by one, in the way of JAX, and until then says which is missing.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from jaxnb.engine.core.avals import get_aval
from jaxnb.engine.core.trace import Tracer, trace_context

__all__ = ["Primitive", "eager_rules"]


class Primitive:
    """An operation with a name; applying it asks the current trace what to do.

    A new one has no rules: ``def_impl`` says how it is executed, ``def_abstract_eval`` what its results' types are, and the
    tables in ``jaxnb.interpreters`` take the rest. A primitive with a list of results sets ``multiple_results``.
    """

    __slots__ = (
        "__weakref__",
        "abstract",
        "abstract_cache",
        "doc",
        "effects",
        "multiple_results",
        "name",
        "staging",
    )

    def __init__(self, name: str):
        self.name = name
        self.multiple_results = False
        self.abstract: Callable[..., Any] = functools.partial(_missing, "Abstract evaluation", name)
        self.effects: Callable[..., Any] | None = None
        self.doc: str | None = None
        self.staging: Callable[..., Any] | None = None  # how it is staged; may give NotImplemented
        self.abstract_cache: dict[Any, Any] = {}
        eager_rules[self] = functools.partial(_missing, "Evaluation rule", name)

    def def_impl(self, impl: Callable[..., Any]) -> Callable[..., Any]:
        """Sets how the primitive is executed on values, ``(*values, **params) -> value``; returns ``impl``."""
        eager_rules[self] = impl
        return impl

    def def_abstract_eval(self, abstract_eval: Callable[..., Any]) -> Callable[..., Any]:
        """Sets the typing rule, ``(*avals, **params) -> aval``, a list of avals with ``multiple_results``; returns it."""
        self.abstract = abstract_eval
        self.abstract_cache.clear()
        return abstract_eval

    def bind(self, *args: Any, **params: Any) -> Any:
        """Applies the primitive to values or tracers and returns its result (a list with ``multiple_results``)."""
        try:
            return trace_context.trace.process(self, args, params)
        except TypeError:
            self._check_operands(args)
            raise

    def _check_operands(self, args: tuple) -> None:
        """Raises JAX's TypeError for the first operand that is no array."""
        for position, x in enumerate(args):
            try:
                get_aval(x)
            except TypeError:
                raise TypeError(
                    f"Error interpreting argument to {self.name} as a JAX value. The problematic value is of type "
                    f"{type(x)} and was passed to {self.name} at position {position}.\n"
                ) from None

    def _check_params(self, params: dict[str, Any]) -> None:
        """Raises JAX's TypeError for the first parameter that is, or holds, a traced value."""
        for name, value in params.items():
            if _holds_tracer(value):
                raise TypeError(
                    "As of JAX v0.7, parameters to jaxpr equations must have __hash__ and __eq__ methods. In a call "
                    f"to primitive {self.name}, the value of parameter {name} was not hashable: {value}"
                )

    def abstract_eval(self, avals: tuple, params: dict[str, Any]) -> Any:
        """Returns the result's type (or list of types), remembered for equal types and parameters."""
        cache = self.abstract_cache
        try:
            # Names too, because callers give them in different orders; and types, because 0 is 0.0, which may be an error.
            key = (avals, *params, *params.values(), *map(type, params.values()))
            found = cache.get(key)
        except TypeError:  # a parameter that cannot be hashed
            self._check_params(params)
            return self.abstract(*avals, **params)
        if found is None:
            found = self.abstract(*avals, **params)
            if self.multiple_results:
                found = tuple(found)
            if len(cache) >= 4096:
                cache.clear()
            cache[key] = found
        return found

    def __repr__(self) -> str:
        return self.name


eager_rules: dict[Primitive, Callable[..., Any]] = {}
"""How a primitive is executed outside any trace; one that stands not here is compiled alone."""


def _missing(what: str, name: str, *_: Any, **__: Any) -> Any:
    raise NotImplementedError(f"{what} for '{name}' not implemented")


def _holds_tracer(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return any(map(_holds_tracer, value))
    return isinstance(value, Tracer)
