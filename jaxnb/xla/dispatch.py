"""The C++ fast path of a jitted function, and the C++ caches beside it.

A function made by :func:`make_pjit` calls ``cache_miss(*args, **kwargs)`` when it has no entry for a
signature; ``cache_miss`` returns ``(result, FastpathData or None, False)``. With data, later calls of that
signature run without any Python. What must not live here: tracing, lowering, or what goes into a
``FastpathData``.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from jaxlib import _jax
from jaxlib import weakref_lru_cache as _caches

from jaxnb.xla import pytree, state

__all__ = [
    "FastpathData",
    "PjitFunction",
    "PjitFunctionCache",
    "install_methods",
    "make_pjit",
    "set_tracer_class",
    "weakref_lru_cache",
]

PjitFunction: TypeAlias = _jax.PjitFunction
PjitFunctionCache: TypeAlias = _jax.PjitFunctionCache

set_tracer_class: Callable[[type], None] = _jax.set_tracer_class
"""Makes arguments of a class (and its subclasses) go to ``cache_miss`` always."""


class FastpathData(NamedTuple):
    """What C++ needs to run a signature by itself; it reads the fields by name.

    ``in_shardings``, ``kept_var_bitvec`` and ``in_device_local_layouts`` cover the constants, then the leaves
    of the arguments; ``out_*`` cover the leaves of the result.
    """

    xla_executable: Any
    out_pytree_def: pytree.PyTreeDef
    in_shardings: Sequence[Any]
    out_shardings: Sequence[Any]
    out_avals: Sequence[Any]
    out_committed: Sequence[bool]
    kept_var_bitvec: Sequence[bool]
    in_device_local_layouts: Sequence[Any]
    const_args: Sequence[Any]


def _refuse_argument(x: Any, *_: Any) -> Any:
    raise TypeError(f"a value of type {type(x).__name__} cannot be placed by this function")


def install_methods(methods: Mapping[str, Any]) -> None:
    """Sets methods on the class of jitted functions."""
    for name, method in methods.items():
        setattr(_jax.PjitFunction, name, method)


def make_pjit(
    name: str,
    fun: Callable[..., Any] | None,
    cache_miss: Callable[..., tuple[Any, FastpathData | None, bool]],
    static_argnums: Sequence[int] = (),
    static_argnames: Sequence[str] = (),
    key: Hashable = None,
    registry: pytree.PyTreeRegistry = pytree.registry,
    shard_arg_fallback: Callable[..., Any] = _refuse_argument,
    cache: PjitFunctionCache | None = None,
) -> PjitFunction:
    """Returns a jitted function.

    Args:
      name: its name in profiles.
      fun: what is called instead while ``disable_jit`` is on.
      cache_miss: called with the arguments as the user gave them, static ones included.
      static_argnums: positions of the arguments that are compared by value.
      static_argnames: names of those.
      key: two functions with equal ``fun`` and ``key`` share entries of ``cache``; None is equal to nothing.
      registry: how arguments are flattened.
      shard_arg_fallback: called with ``(x, sharding, layout, copy_semantics)`` for an argument that C++
        cannot place.
      cache: where entries live; by default a cache of its own.
    """
    if fun is not None and not type(fun).__weakrefoffset__:
        # C++ holds the function weakly and does not look whether that worked: a ufunc would end the process.
        fun = functools.partial(fun)
    return _jax.pjit(
        name,
        fun,
        cache_miss,
        list(static_argnums),
        list(static_argnames),
        object() if key is None else key,
        registry,
        shard_arg_fallback,
        PjitFunctionCache(capacity=4096) if cache is None else cache,
    )


def weakref_lru_cache(
    fn: Callable[..., Any],
    maxsize: int = 2048,
    context: Callable[[], Hashable] = state.trace_context,
    explain: Callable[..., Any] | None = None,
) -> Any:
    """Returns ``fn`` cached on its arguments and on a context, with its first argument held weakly.

    The result has ``cache_info()``, ``cache_clear()`` and ``evict_weakref(obj)``.

    Args:
      fn: the function; its first argument must take weak references.
      maxsize: the number of entries.
      context: what else the result depends on; the trace context by default.
      explain: called on a miss, to say why.
    """
    return _caches.weakref_lru_cache(context, fn, maxsize, explain)
