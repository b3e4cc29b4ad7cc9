"""``jit`` and its relatives: the user's verbs for compilation."""

from __future__ import annotations

import functools
import inspect
import weakref
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from jaxnb.engine.api import stages
from jaxnb.engine.core.functions import fun_name, fun_source
from jaxnb.engine.runtime import nan_checks as nan_checks
from jaxnb.engine.runtime.dispatch import JitInfo, make_jitted
from jaxnb.xla.dispatch import PjitFunction

__all__ = ["info_of", "jit"]

_missing: Any = object()


def jit(
    fun: Any = _missing,
    /,
    *,
    in_shardings: Any = None,
    out_shardings: Any = None,
    static_argnums: int | Sequence[int] | None = None,
    static_argnames: str | Iterable[str] | None = None,
    donate_argnums: int | Sequence[int] | None = None,
    donate_argnames: str | Iterable[str] | None = None,
    keep_unused: bool = False,
    device: Any = None,
    backend: str | None = None,
    inline: bool = False,
    compiler_options: dict[str, Any] | None = None,
) -> Any:
    """Returns a function that is traced and compiled once for each signature, then runs in C++.

    Without ``fun`` it returns a decorator.

    Args:
        fun: a function of arrays and pytrees of arrays.
        in_shardings: one device, or None: arguments stay where they are.
        out_shardings: likewise for results.
        static_argnums: positions of arguments that are compiled in by value; they must be hashable.
        static_argnames: their names; each of the two is inferred from the other.
        donate_argnums: positions of arguments whose buffers may be reused for results.
        donate_argnames: their names.
        keep_unused: whether parameters that the program does not use stay in it.
        device: where to run.
        backend: the platform to run on.
        inline: whether a call inside another traced function leaves no call in its jaxpr.
        compiler_options: XLA's options by name.

    Raises:
        TypeError: where ``fun`` is not callable.
        ValueError: where an argument number or name does not exist.
    """
    options = dict(
        in_shardings=in_shardings,
        out_shardings=out_shardings,
        static_argnums=static_argnums,
        static_argnames=static_argnames,
        donate_argnums=donate_argnums,
        donate_argnames=donate_argnames,
        keep_unused=keep_unused,
        device=device,
        backend=backend,
        inline=inline,
        compiler_options=compiler_options,
    )
    if fun is _missing:
        return functools.partial(jit, **options)
    info = jit_info(fun, **options)
    jitted = make_jitted(info)
    jitted.__wrapped__ = fun
    for name in ("__name__", "__qualname__", "__doc__", "__module__", "__annotations__"):
        try:
            setattr(jitted, name, getattr(fun, name))
        except (AttributeError, TypeError):
            continue
    if not hasattr(jitted, "__name__"):
        jitted.__name__ = info.name
    jitted._jit_info = info
    jitted.trace = functools.partial(stages.trace, info)
    jitted.lower = functools.partial(_lower, info)
    jitted.eval_shape = functools.partial(stages.eval_shape_of, info)
    jitted.clear_cache = functools.partial(_clear_cache, weakref.ref(jitted))
    return jitted


def _clear_cache(jitted: weakref.ref[Any]) -> None:
    """Forgets the compiled signatures; a bound method in its own object's attributes would never be collected."""
    found = jitted()
    if found is not None:
        found._clear_cache()


def _lower(info: JitInfo, *args: Any, **kwargs: Any) -> Any:
    return stages.trace(info, *args, **kwargs).lower()


def info_of(jitted: Any) -> JitInfo | None:
    """Returns the options of a jitted function, or None for anything else."""
    return getattr(jitted, "_jit_info", None) if isinstance(jitted, PjitFunction) else None


def jit_info(fun: Any, **options: Any) -> JitInfo:
    """Returns normalised options.

    Raises:
        TypeError: where ``fun`` is not callable or is a coroutine function.
        ValueError: where an argument number or name does not exist, or two options contradict each other.
    """
    if not callable(fun):
        raise TypeError(f"Expected a callable value, got {fun}")
    if inspect.isgeneratorfunction(fun):
        raise TypeError(f"Expected a function, got a generator function: {fun}")
    try:
        signature = inspect.signature(fun)
    except (ValueError, TypeError):
        signature = None
    static_nums, static_names = _resolve(
        signature, options["static_argnums"], options["static_argnames"], "static", fun
    )
    donate_nums, donate_names = _resolve(
        signature, options["donate_argnums"], options["donate_argnames"], "donate", fun
    )
    donate_nums = (
        tuple(i for i in donate_nums if i not in static_nums)
        if options["donate_argnums"] is None
        else donate_nums
    )
    clash = set(static_nums) & set(donate_nums)
    if (
        clash
        and options["static_argnums"] is not None
        and options["donate_argnums"] is not None
        and signature is None
    ):
        raise ValueError(
            "static_argnums and donate_argnums cannot intersect. Argument indices "
            f"{clash} appear in both static_argnums and donate_argnums"
        )
    names_clash = set(static_names) & set(donate_names)
    if names_clash:
        raise ValueError(
            "static_argnames and donate_argnames cannot intersect. Argument names "
            f"{names_clash} appear in both static_argnames and donate_argnames"
        )
    device = options["device"]
    return JitInfo(
        fun,
        fun_name(fun),
        fun_source(fun),
        signature,
        static_nums,
        static_names,
        donate_nums,
        donate_names,
        bool(options["keep_unused"]),
        bool(options["inline"]),
        device,
        tuple(sorted((options["compiler_options"] or {}).items())),
    )


def _resolve(
    signature: inspect.Signature | None, nums: Any, names: Any, kind: str, fun: Any
) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Returns argument numbers and names, each inferred from the other where only one is given."""
    given_nums = None if nums is None else ((nums,) if isinstance(nums, int) else tuple(int(n) for n in nums))
    given_names = None if names is None else ((names,) if isinstance(names, str) else tuple(names))
    if signature is None:
        return given_nums or (), given_names or ()
    parameters = list(signature.parameters.values())
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    var_positional = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    var_keyword = any(p.kind is p.VAR_KEYWORD for p in parameters)
    if given_nums is not None and not var_positional:
        n = len(positional)
        bad = [i for i in given_nums if i >= n or i < -n]
        if bad:
            raise ValueError(
                f"Jitted function has {kind}_argnums={given_nums}, but only accepts {n} positional arguments."
            )
        given_nums = tuple(i % n for i in given_nums)
    if given_names is not None and not var_keyword:
        known = {p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
        bad_names = set(given_names) - known
        if bad_names:
            raise ValueError(
                f"Jitted function has invalid argnames {bad_names} in {kind}_argnames. Function does not take these args."
            )
    if given_nums is None and given_names is None:
        return (), ()
    if given_nums is None:
        assert given_names is not None
        by_name = {p.name: i for i, p in enumerate(positional)}
        given_nums = tuple(sorted(by_name[n] for n in given_names if n in by_name))
    elif given_names is None:
        given_names = tuple(
            positional[i].name
            for i in given_nums
            if 0 <= i < len(positional) and positional[i].kind is positional[i].POSITIONAL_OR_KEYWORD
        )
    return given_nums, given_names or ()
