"""What a jitted function is, and what one call of it looks like before tracing.

Lives here: the normalised options of ``jit``, the split into static and traced arguments, the arguments' names, types
and donation, and the errors of arguments that are no arrays. Must not live here: tracing.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from jaxnb.engine.core import dtypes
from jaxnb.engine.core.argument_names import argument_names, place_text
from jaxnb.engine.core.avals import AbstractValue, ShapedArray, get_aval
from jaxnb.engine.core.functions import NamedParameter, fun_src_info
from jaxnb.engine.core.jaxpr import DebugInfo
from jaxnb.engine.runtime.shapes import ShapeDtypeStruct
from jaxnb.xla import pytree
from jaxnb.xla.version import JAXLIB_VERSION

__all__ = [
    "UNSPECIFIED",
    "CallCache",
    "JitInfo",
    "Static",
    "abstract_from_duck",
    "check_arguments",
    "debug_info_for",
    "donated_leaves",
    "forget_calls",
    "names_of_leaves",
    "result_paths",
    "split_static",
    "type_of_argument",
    "with_statics",
]


class _Unspecified:
    """The sharding of an argument or result that none was asked for."""

    def __repr__(self) -> str:
        return "UnspecifiedValue"


UNSPECIFIED: Any = _Unspecified()


class Static:
    """A static argument in its place among the others; a container without children."""

    __slots__ = ("val",)

    def __init__(self, val: Any):
        self.val = val

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Static) and type(self.val) is type(other.val) and self.val == other.val

    def __hash__(self) -> int:
        return hash((type(self.val), self.val))

    def __repr__(self) -> str:
        return f"Static(val={self.val!r})"


pytree.register_node(Static, lambda x: ((), x), lambda x, _: x)


class CallCache(dict):
    """What one jitted function remembers of its calls: from a signature to what was traced for it."""

    __slots__ = ("__weakref__",)

    def __init__(self) -> None:
        _call_caches.add(self)

    __hash__ = object.__hash__  # pyright: ignore[reportAssignmentType]
    __eq__ = object.__eq__


_call_caches: weakref.WeakSet[CallCache] = weakref.WeakSet()


def forget_calls() -> None:
    """Empties what all jitted functions remember of their calls."""
    for cache in list(_call_caches):
        cache.clear()


class JitInfo(NamedTuple):
    """A jitted function's options, normalised."""

    fun: Callable[..., Any]
    name: str
    is_primitive: bool
    """Whether the function stands for one primitive executed outside any trace."""
    parameters: tuple[NamedParameter, ...] | None
    """None where Python cannot tell."""
    static_argnums: tuple[int, ...]
    static_argnames: tuple[str, ...]
    donate_argnums: tuple[int, ...]
    donate_argnames: tuple[str, ...]
    keep_unused: bool
    inline: Any
    """An ``Inline``, or ``CALLED``."""
    device: Any
    backend: str | None
    compiler_options: tuple[tuple[str, Any], ...]
    in_shardings: Any
    out_shardings: Any
    calls: CallCache

    def __deepcopy__(self, memo: Any) -> JitInfo:
        return self

    @property
    def has_shardings(self) -> bool:
        """Whether the user said where arguments or results are to be."""
        return self.in_shardings is not UNSPECIFIED or self.out_shardings is not UNSPECIFIED


# ---- static arguments ------------------------------------------------------------------------------------------------


def _hashable(x: Any) -> None:
    try:
        hash(x)
    except TypeError as e:
        raise ValueError(
            "Non-hashable static arguments are not supported. An error occurred while trying to hash an object of "
            f"type {type(x)}, {x}. The error was:\n{type(e).__name__}: {e}\n"
        ) from e


def split_static(
    info: JitInfo, args: tuple, kwargs: dict[str, Any]
) -> tuple[tuple, dict[str, Any], tuple[tuple[Any, Any], ...]]:
    """Returns the traced arguments, the traced keyword arguments, and the static ones as ``(place, value)``.

    Raises:
        ValueError: where a static argument cannot be hashed.
    """
    n = len(args)
    positions = {i if i >= 0 else n + i for i in info.static_argnums}
    if JAXLIB_VERSION < (0, 12) and any(i < 0 for i in positions):
        raise ValueError(
            "Positional argument indices, e.g. for `static_argnums`, must have value greater than or equal to -len(args) "
            f"and less than len(args), but got value {min(info.static_argnums)} for len(args) == {n}."
        )
    statics: list[tuple[Any, Any]] = []
    traced = []
    for i, a in enumerate(args):
        if i in positions:
            _hashable(a)
            statics.append((i, a))
        else:
            traced.append(a)
    traced_kwargs = {}
    for k, v in kwargs.items():
        if k in info.static_argnames:
            _hashable(v)
            statics.append((k, v))
        else:
            traced_kwargs[k] = v
    return tuple(traced), traced_kwargs, tuple(statics)


def with_statics(
    args: Sequence[Any],
    kwargs: dict[str, Any],
    statics: Sequence[tuple[Any, Any]],
    wrap: Callable[[Any], Any] | None = None,
) -> tuple[tuple, dict[str, Any]]:
    """Returns the arguments as the user gave them, the static ones (each ``wrap``-ped) back in their places."""
    full, full_kwargs = list(args), dict(kwargs)
    for where, value in statics:
        value = value if wrap is None else wrap(value)
        if isinstance(where, str):
            full_kwargs[where] = value
        else:
            full.insert(where, value)
    return tuple(full), full_kwargs


# ---- types and donation ----------------------------------------------------------------------------------------------


def type_of_argument(
    info: JitInfo, x: Any, args: Any, kwargs: Any, statics: Any, ahead: bool
) -> AbstractValue:
    """Returns the type of an argument's leaf.

    Args:
        info: the jitted function.
        x: the leaf.
        args: the traced arguments, for the name of the leaf in an error.
        kwargs: the traced keyword arguments.
        statics: the static arguments.
        ahead: whether nothing will be computed: then an object with a shape and a dtype will do.

    Raises:
        TypeError: where ``x`` is nothing that can be traced; the text says which argument it is.
    """
    if isinstance(x, ShapeDtypeStruct):
        if ahead:
            return get_aval(x)
        what = f"'{_name_of(info, x, args, kwargs, statics)}' of shape {get_aval(x).str_short()}"
        raise TypeError(f"Argument {what} of type {type(x)} is not a valid JAX type.")
    try:
        return get_aval(x)
    except TypeError:
        if hasattr(x, "shape") and hasattr(x, "dtype") and not isinstance(x, np.ndarray):
            if ahead:
                return abstract_from_duck(x)
            raise TypeError(f"Argument '{x}' of type {type(x)} is not a valid JAX type.") from None
    except OverflowError:
        if info.is_primitive:
            raise
        raise OverflowError(
            "An overflow was encountered while parsing an argument to a jitted computation, whose argument path is "
            f"{_name_of(info, x, args, kwargs, statics)}. Got {type(x)} with value {x}"
        ) from None
    raise TypeError(
        f"Error interpreting argument to {info.fun} as an abstract array. The problematic value is of type {type(x)} "
        f"and was passed to the function at path {_name_of(info, x, args, kwargs, statics)}.\nThis typically means that a "
        "jit-wrapped function was called with a non-array argument, and this argument was not marked as static using the "
        "static_argnums or static_argnames parameters of jax.jit."
    ) from None


def check_arguments(info: JitInfo, args: tuple, kwargs: dict[str, Any]) -> None:
    """Raises TypeError where an argument is nothing that can be traced; tracers are."""
    traced, traced_kwargs, statics = split_static(info, args, kwargs)
    for x in pytree.flatten((traced, traced_kwargs))[0]:
        if not hasattr(x, "aval"):
            type_of_argument(info, x, traced, traced_kwargs, statics, ahead=False)


def _name_of(info: JitInfo, x: Any, args: Any, kwargs: Any, statics: Any) -> str | None:
    names = names_of_leaves(info, args, kwargs, statics)
    leaves = pytree.flatten((args, kwargs))[0]
    return next((n for leaf, n in zip(leaves, names, strict=False) if leaf is x), None)


def abstract_from_duck(x: Any) -> AbstractValue:
    """Returns the type of an object that only has a shape and a dtype; ``ShapeDtypeStruct`` is one."""
    dtype = x.dtype if dtypes.is_extended(x.dtype) else dtypes.canonicalize_dtype(x.dtype)
    return ShapedArray(tuple(x.shape), dtype, bool(getattr(x, "weak_type", False)))


def donated_leaves(info: JitInfo, args: tuple, traced_kwargs: dict[str, Any]) -> tuple[bool, ...]:
    """Returns for each leaf of the traced arguments whether its buffer may be reused.

    Args:
        info: the options.
        args: the positional arguments as the user gave them, static ones included.
        traced_kwargs: the keyword arguments that are not static.
    """
    n = len(args)
    static = {i if i >= 0 else n + i for i in info.static_argnums}
    donate = {i if i >= 0 else n + i for i in info.donate_argnums}
    flags: list[bool] = []
    for i, a in enumerate(args):
        if i not in static:
            flags += [i in donate] * len(pytree.flatten(a)[0])
    for k in sorted(traced_kwargs):
        flags += [k in info.donate_argnames] * len(pytree.flatten(traced_kwargs[k])[0])
    return tuple(flags)


# ---- names -----------------------------------------------------------------------------------------------------------


def names_of_leaves(
    info: JitInfo, args: Sequence[Any], kwargs: dict[str, Any], statics: Sequence[tuple[Any, Any]]
) -> tuple[str, ...]:
    """Returns what each leaf of the traced arguments is called, ``x['w'][0]`` for example."""
    return argument_names(info.parameters, *with_statics(args, kwargs, statics, Static))


def debug_info_for(
    info: JitInfo, traced_for: str, args: Any, kwargs: Any, statics: Sequence[tuple[Any, Any]]
) -> DebugInfo:
    """Returns what messages say of a function and its arguments' leaves."""
    try:
        names = names_of_leaves(info, args, kwargs, statics)
    except (TypeError, ValueError):  # containers whose paths cannot be told
        names = ()
    return DebugInfo(traced_for, fun_src_info(info.fun), info.name, names)


def result_paths(tree: Any) -> tuple[str, ...]:
    """Returns where in a function's result each output stands, ``result[0]['w']`` for example."""
    leaves = pytree.unflatten(tree, range(tree.num_leaves))
    return tuple(f"result{place_text(path)}" for path, _ in pytree.flatten_with_path(leaves)[0])
