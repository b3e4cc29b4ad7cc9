"""``jit``: the user's verb for compilation.

Lives here: the options as users give them, checked and normalised. What a call does is in ``runtime/dispatch.py``.
"""

from __future__ import annotations

import functools
import inspect
import operator
import warnings
from collections.abc import Iterable, Sequence
from inspect import Parameter as Kinds
from typing import Any

from jaxnb.engine.api import stages
from jaxnb.engine.control.inlining import inline_option
from jaxnb.engine.core.boundary import api_boundary
from jaxnb.engine.core.functions import NamedParameter, fun_name, fun_parameters
from jaxnb.engine.core.source import is_own
from jaxnb.engine.runtime.call_devices import check_shardings
from jaxnb.engine.runtime.dispatch import forget_calls_of, make_jitted
from jaxnb.engine.runtime.signature import UNSPECIFIED, CallCache, JitInfo
from jaxnb.xla.dispatch import PjitFunction, install_methods
from jaxnb.xla.version import JAXLIB_VERSION

__all__ = ["info_of", "jit", "jit_info"]


class _NotSpecified:
    def __repr__(self) -> str:
        return "<not-specified>"


_not_specified: Any = _NotSpecified()


def jit(
    fun: Any = _not_specified,
    /,
    *,
    in_shardings: Any = UNSPECIFIED,
    out_shardings: Any = UNSPECIFIED,
    static_argnums: int | Sequence[int] | None = None,
    static_argnames: str | Iterable[str] | None = None,
    donate_argnums: int | Sequence[int] | None = None,
    donate_argnames: str | Iterable[str] | None = None,
    keep_unused: bool = False,
    device: Any = None,
    backend: str | None = None,
    inline: Any = False,
    compiler_options: dict[str, Any] | None = None,
) -> Any:
    """Returns a function that is traced and compiled once for each signature, then runs in C++.

    Without ``fun`` it returns a decorator.

    Args:
        fun: a function of arrays and pytrees of arrays; it is held weakly by the caches.
        in_shardings: where arguments are to be: one sharding, or a tree of shardings that is a prefix of the arguments.
        out_shardings: the same for the results.
        static_argnums: positions of arguments that are compiled in by value; they must be hashable.
        static_argnames: their names; each of the two is inferred from the other.
        donate_argnums: positions of arguments whose buffers may be reused for results.
        donate_argnames: their names.
        keep_unused: whether parameters that the program does not use stay in it.
        device: where to run (deprecated: put the arguments there).
        backend: the platform to run on (deprecated).
        inline: whether, and since jaxlib 0.12 when, a call inside another traced function is replaced by its body.
        compiler_options: XLA's options by name.

    Raises:
        TypeError: where ``fun`` is not callable, or a sharding is none.
        ValueError: where an argument number or name does not exist, or two options contradict each other.
    """
    options: dict[str, Any] = {
        "in_shardings": in_shardings,
        "out_shardings": out_shardings,
        "static_argnums": static_argnums,
        "static_argnames": static_argnames,
        "donate_argnums": donate_argnums,
        "donate_argnames": donate_argnames,
        "keep_unused": keep_unused,
        "device": device,
        "backend": backend,
        "inline": inline,
        "compiler_options": compiler_options,
    }
    if fun is _not_specified:
        return lambda fun: jit(fun, **options)
    info = jit_info(fun, **options)
    jitted = make_jitted(info)
    functools.update_wrapper(jitted, fun, assigned=("__module__", "__doc__", "__annotations__"))
    jitted.__name__ = info.name
    jitted.__qualname__ = getattr(fun, "__qualname__", info.name)
    jitted._jit_info = info
    return jitted


@api_boundary
def jit_trace(jit_func: Any, *args: Any, **kwargs: Any) -> stages.Traced:
    """Returns a jitted function traced for arguments of these types; objects with a shape and a dtype will do."""
    return stages.trace(jit_func._jit_info, *args, **kwargs)


@api_boundary
def jit_lower(jit_func: Any, *args: Any, **kwargs: Any) -> stages.Lowered:
    """Returns a jitted function traced and lowered for arguments of these types."""
    return jit_trace(jit_func, *args, **kwargs).lower()


@api_boundary
def jit_eval_shape(jit_func: Any, *args: Any, **kwargs: Any) -> Any:
    """Returns the shapes and dtypes of a jitted function's results; computes nothing."""
    return jit_trace(jit_func, *args, **kwargs).out_info


def clear_cache(self: Any) -> None:
    """Forgets what a jitted function was traced and compiled for."""
    forget_calls_of(self, self._jit_info)


install_methods(
    {"trace": jit_trace, "lower": jit_lower, "eval_shape": jit_eval_shape, "clear_cache": clear_cache}
)


def info_of(jitted: Any) -> JitInfo | None:
    """Returns the options of a jitted function, or None for anything else."""
    return getattr(jitted, "_jit_info", None) if isinstance(jitted, PjitFunction) else None


def jit_info(
    fun: Any,
    *,
    static_argnums: Any = None,
    static_argnames: Any = None,
    donate_argnums: Any = None,
    donate_argnames: Any = None,
    keep_unused: bool = False,
    device: Any = None,
    backend: str | None = None,
    inline: Any = False,
    compiler_options: dict[str, Any] | None = None,
    in_shardings: Any = UNSPECIFIED,
    out_shardings: Any = UNSPECIFIED,
) -> JitInfo:
    """Returns normalised options; they are those of ``jit``.

    Raises:
        TypeError: where ``fun`` is not callable or is a generator function.
        ValueError: where an argument number or name does not exist, or two options contradict each other.
    """
    if backend is not None or device is not None:
        warnings.warn(
            "backend and device argument on jit is deprecated. You can use `jax.device_put(..., "
            'jax.local_devices(backend="cpu")[0])` on the inputs to the jitted function to get the same behavior.',
            DeprecationWarning,
            stacklevel=3,
        )
        if device is not None and backend is not None:
            raise ValueError(
                f"can't specify both a device and a backend for jit, got device={device!r} and backend={backend!r}"
            )
        for name, given in (("in_shardings", in_shardings), ("out_shardings", out_shardings)):
            if given is not UNSPECIFIED and given is not None:
                raise ValueError(
                    f"If backend or device is specified on jit, then {name} should not be specified."
                )
    if not callable(fun):
        raise TypeError(f"Expected a callable value, got {fun}")
    if inspect.isgeneratorfunction(fun):
        raise TypeError(f"Expected a function, got a generator function: {fun}")
    parameters = fun_parameters(fun)
    static_nums, static_names = _resolve(fun, parameters, static_argnums, static_argnames, "static")
    donate_nums, donate_names = _resolve(fun, parameters, donate_argnums, donate_argnames, "donate")
    clash = set(static_names) & set(donate_names)
    if clash:
        raise ValueError(
            "static_argnames and donate_argnames cannot intersect. Argument names "
            f"{clash} appear in both static_argnames and donate_argnames"
        )
    if JAXLIB_VERSION < (0, 12) and static_nums:
        donate_nums = tuple(i for i in donate_nums if i >= 0)
    return JitInfo(
        fun=fun,
        name=fun_name(fun),
        is_primitive=False,
        parameters=parameters,
        static_argnums=static_nums,
        static_argnames=static_names,
        donate_argnums=donate_nums,
        donate_argnames=donate_names,
        keep_unused=bool(keep_unused),
        inline=inline_option(inline, is_own=is_own(fun)),
        device=device,
        backend=backend,
        compiler_options=tuple((compiler_options or {}).items()),
        in_shardings=check_shardings("in_shardings", in_shardings),
        out_shardings=check_shardings("out_shardings", out_shardings),
        calls=CallCache(),
    )


def _numbers(given: Any) -> tuple[int, ...]:
    try:
        return (operator.index(given),)
    except TypeError:
        return tuple(operator.index(i) for i in given)


def _names(given: Any) -> tuple[str, ...]:
    names = (given,) if isinstance(given, str) else tuple(given)
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"argument is not a string: {name}")
    return names


def _resolve(
    fun: Any, parameters: tuple[NamedParameter, ...] | None, numbers: Any, names: Any, kind: str
) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Returns argument numbers and names; where only one of the two is given, the other is inferred from it.

    Raises:
        ValueError: where the function has no such argument.
    """
    given_numbers = None if numbers is None else _numbers(numbers)
    given_names = None if names is None else _names(names)
    if parameters is None:
        if kind == "donate" and given_names is not None:
            raise ValueError(
                f"Getting the signature of function {fun} failed. Pass donate_argnums instead of donate_argnames."
            )
        return given_numbers or (), given_names or ()
    if given_numbers is not None:
        _check_numbers(parameters, given_numbers, kind)
    if given_names is not None:
        _check_names(parameters, given_names, kind)
    if given_numbers is None and given_names is None:
        return (), ()
    if given_numbers is None:
        assert given_names is not None
        given_numbers = tuple(
            i
            for i, p in enumerate(parameters)
            if p.kind is Kinds.POSITIONAL_OR_KEYWORD and p.name in given_names
        )
    elif given_names is None:
        given_names = _names_of(parameters, given_numbers)
    return given_numbers, given_names or ()


def _names_of(parameters: Sequence[NamedParameter], numbers: tuple[int, ...]) -> tuple[str, ...]:
    """Returns the names at these positions. Older JAX gives negative ones none, newer JAX counts all parameters."""
    if JAXLIB_VERSION >= (0, 12):
        numbers = tuple(i if i >= 0 else i + len(parameters) for i in numbers)
    return tuple(
        p.name for i, p in enumerate(parameters) if i in numbers and p.kind is Kinds.POSITIONAL_OR_KEYWORD
    )


def _check_numbers(parameters: Sequence[NamedParameter], numbers: tuple[int, ...], kind: str) -> None:
    if any(p.kind is Kinds.VAR_POSITIONAL for p in parameters):
        return
    n = sum(p.is_positional for p in parameters)
    if any(not -n <= i < n for i in numbers):
        raise ValueError(
            f"Jitted function has {kind}_argnums={numbers}, but only accepts {n} positional arguments."
        )


def _check_names(parameters: Sequence[NamedParameter], names: tuple[str, ...], kind: str) -> None:
    positional_only = {p.name for p in parameters if p.kind is Kinds.POSITIONAL_ONLY}
    wrong = set(names) & positional_only
    if wrong:
        raise ValueError(
            f"Jitted function has invalid argnames {wrong} in {kind}_argnames. These are positional-only"
        )
    if any(p.kind is Kinds.VAR_KEYWORD for p in parameters):
        return
    wrong = set(names) - {
        p.name for p in parameters if p.kind in (Kinds.POSITIONAL_OR_KEYWORD, Kinds.KEYWORD_ONLY)
    }
    if wrong:
        raise ValueError(
            f"Jitted function has invalid argnames {wrong} in {kind}_argnames. Function does not take these args."
        )
