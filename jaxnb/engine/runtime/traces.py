"""Tracing a jitted function for a call, and remembering it: by function, held weakly, and by signature.

Lives here: the two caches (one for each jitted object, one for each function) and what happens on a miss. What is done with
a traced call is in ``dispatch.py`` and ``api/stages.py``.
"""

from __future__ import annotations

import contextlib
import threading
import time
import weakref
from collections.abc import Collection, Sequence
from types import FunctionType
from typing import Any

from jaxnb.base import config
from jaxnb.engine.core import operators
from jaxnb.engine.core.avals import get_aval, shown
from jaxnb.engine.core.jaxpr import DebugInfo, Jaxpr
from jaxnb.engine.core.source import is_user_file
from jaxnb.engine.core.trace import Tracer, eval_trace, trace_context
from jaxnb.engine.runtime import history
from jaxnb.engine.runtime.arrays import ArrayImpl
from jaxnb.engine.runtime.explain import CallKey, call_site, log_miss, stop_at
from jaxnb.engine.runtime.reads import reads_of
from jaxnb.engine.runtime.signature import (
    JitInfo,
    debug_info_for,
    donated_leaves,
    forget_calls,
    result_paths,
    split_static,
    type_of_argument,
    with_statics,
)
from jaxnb.engine.runtime.timing import TRACE, timed
from jaxnb.engine.transforms.stage import trace_to_jaxpr
from jaxnb.xla import pytree
from jaxnb.xla.state import trace_context as settings_context

__all__ = ["TracedCall", "TracedFunction", "clear_traces", "forget_function", "trace_call"]


class TracedFunction:
    """A function traced for one signature."""

    __slots__ = ("__weakref__", "consts", "debug_info", "jaxpr", "key", "out_tree", "record")

    def __init__(
        self, jaxpr: Jaxpr, consts: list[Any], out_tree: pytree.PyTreeDef, debug_info: DebugInfo, key: CallKey
    ):
        self.jaxpr = jaxpr
        self.consts = consts
        self.out_tree = out_tree
        self.debug_info = debug_info
        self.key = key
        self.record: history.TraceRecord | None = None


class TracedCall:
    """One call of a jitted function after tracing."""

    __slots__ = ("avals", "donated", "in_tree", "leaves", "traced")

    def __init__(
        self,
        traced: TracedFunction,
        leaves: list[Any],
        in_tree: pytree.PyTreeDef,
        avals: tuple,
        donated: tuple[bool, ...],
    ):
        self.traced = traced
        self.leaves = leaves
        self.in_tree = in_tree
        self.avals = avals
        self.donated = donated


_traces: weakref.WeakKeyDictionary[Any, dict[CallKey, TracedFunction]] = weakref.WeakKeyDictionary()
_lock = threading.Lock()
_TYPED = (Tracer, ArrayImpl)


def trace_call(info: JitInfo, args: tuple, kwargs: dict[str, Any], ahead: bool = False) -> TracedCall:
    """Returns a call traced, from the cache where its signature is known.

    Args:
        info: the jitted function.
        args: its arguments as the user gave them.
        kwargs: its keyword arguments.
        ahead: whether nothing will be run: then objects that only have a shape and a dtype will do.

    Raises:
        TypeError: where an argument is no array, or a result is none.
        ValueError: where a static argument cannot be hashed.
    """
    if info.static_argnums or info.static_argnames:
        traced_args, traced_kwargs, statics = split_static(info, args, kwargs)
        static_key = tuple([(where, type(v), v) for where, v in statics])
    else:
        traced_args, traced_kwargs, statics, static_key = args, kwargs, (), ()
    leaves, in_tree = pytree.flatten((traced_args, traced_kwargs))
    avals = []
    for x in leaves:
        if isinstance(x, _TYPED):
            avals.append(x.aval)
        else:
            avals.append(type_of_argument(info, x, traced_args, traced_kwargs, statics, ahead))
    axes = trace_context.axis_env
    key = CallKey(in_tree, tuple(avals), static_key, settings_context(), tuple(axes.items()) if axes else ())
    traced = info.calls.get(key)
    if traced is None:
        operators.ensure_filled()
        if trace_context.trace is eval_trace:
            with timed(TRACE, info.name):
                traced = _find_or_trace(info, traced_args, traced_kwargs, statics, key, ahead)
        else:
            traced = _find_or_trace(info, traced_args, traced_kwargs, statics, key, ahead)
    # What is looked for a NaN may have to be called again.
    if (info.donate_argnums or info.donate_argnames) and not config.debug_nans.value:
        donated = donated_leaves(info, args, traced_kwargs)
        if traced.record is not None:
            traced.record.note_donated(donated)
    else:
        donated = (False,) * len(leaves)
    return TracedCall(traced, leaves, in_tree, key.avals, donated)


def _find_or_trace(
    info: JitInfo,
    args: tuple,
    kwargs: dict[str, Any],
    statics: Sequence[tuple[Any, Any]],
    key: CallKey,
    ahead: bool,
) -> TracedFunction:
    known = _traces.get(info.fun)
    if known is None:
        with _lock:
            known = _traces.setdefault(info.fun, {})
    traced = known.get(key)
    if traced is None:
        traced = _trace(info, args, kwargs, statics, key, known, ahead)
        if traced.consts:  # it closes over a tracer of now: not to be met again
            return traced
        traced = known.setdefault(key, traced)
    info.calls[key] = traced
    return traced


def _trace(
    info: JitInfo,
    args: tuple,
    kwargs: dict[str, Any],
    statics: Sequence[tuple[Any, Any]],
    key: CallKey,
    known: dict[CallKey, TracedFunction],
    ahead: bool,
) -> TracedFunction:
    debug = debug_info_for(info, "jit", args, kwargs, statics)
    if config.no_tracing.value:
        what = info.fun if ahead else debug.func_src_info
        raise RuntimeError(f"re-tracing function {what} for `jit`, but 'no_tracing' is set")
    if info.is_primitive:
        jaxpr, consts, out_tree = _run_traced(info, statics, key, debug)
        return TracedFunction(jaxpr, consts, out_tree, debug, key)
    site = call_site()
    if config.explain_cache_misses.value and _is_of_user(debug.func_src_info):
        log_miss(debug.func_src_info, id(info.fun), key, list(known), [n or "" for n in debug.arg_names])
    named = _named(info, key.statics)
    static_names = [name for name, _ in named] if named else ()
    reads = reads_of(info.fun, static_names, key.statics, _given(info, args, kwargs, key.statics))
    start = time.perf_counter()
    jaxpr, consts, out_tree = _run_traced(info, statics, key, debug)
    seconds = time.perf_counter() - start
    if reads is not None:
        reads.traced(info.fun, key.statics)
    debug = debug._replace(result_paths=result_paths(out_tree))
    jaxpr.debug_info = debug
    traced = TracedFunction(jaxpr, consts, out_tree, debug, key)
    traced.record = history.TraceRecord(
        info.name,
        debug.func_src_info,
        history.function_number(info.fun),
        debug.arg_names,
        key.avals,
        named,
        site,
        seconds,
        traced,
    )
    traced.record.reads = reads
    history.add(traced.record)
    jaxpr._cache["record"] = traced.record
    return traced


_LONGEST_VALUE = 60


def _named(info: JitInfo, statics: Sequence[tuple[Any, type, Any]]) -> tuple[tuple[str, str], ...]:
    """Returns static arguments by name, their values as short texts."""
    names = [p.name for p in info.parameters or ()]
    found = []
    for where, _, value in statics:
        name = names[where] if isinstance(where, int) and where < len(names) else str(where)
        text = shown(value)
        found.append((name, text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 1] + "…"))
    return tuple(found)


def _given(
    info: JitInfo, args: tuple, kwargs: dict[str, Any], statics: Sequence[tuple[Any, type, Any]]
) -> Collection[str]:
    """Returns the names of the parameters that a call gives something, where some have a default."""
    if type(info.fun) is FunctionType and not (info.fun.__defaults__ or info.fun.__kwdefaults__):
        return ()
    by_position = len(args) + sum(isinstance(where, int) for where, _, _ in statics)
    names = {p.name for p in (info.parameters or ())[:by_position]}
    return names.union(kwargs, [where for where, _, _ in statics if isinstance(where, str)])


def _is_of_user(src_info: str) -> bool:
    return is_user_file(src_info.partition(" at ")[2].rpartition(":")[0])


def _run_traced(
    info: JitInfo, statics: Sequence[tuple[Any, Any]], key: CallKey, debug: DebugInfo
) -> tuple[Jaxpr, list[Any], pytree.PyTreeDef]:
    found: list[pytree.PyTreeDef] = []

    def flat(*leaves: Any) -> list[Any]:
        args, kwargs = pytree.unflatten(key.in_tree, leaves)
        if statics:
            args, kwargs = with_statics(args, kwargs, statics)
        out = _call_user(info.fun, args, kwargs)
        out_leaves, tree = pytree.flatten(out)
        found.append(tree)
        for i, x in enumerate(out_leaves):
            if not isinstance(x, Tracer):
                _check_result(x, i, out, debug)
        return out_leaves

    jaxpr, consts = trace_to_jaxpr(flat, key.avals, debug, stage_all=info.is_primitive)
    if consts:
        jaxpr = jaxpr.replace(constvars=[], invars=[*jaxpr.constvars, *jaxpr.invars])
    return jaxpr, consts, found[0]


def _call_user(fun: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    return fun(*args, **kwargs)


stop_at(_call_user)


def _check_result(x: Any, i: int, out: Any, debug: DebugInfo) -> None:
    try:
        get_aval(x)
    except TypeError:
        path = pytree.flatten_with_path(out)[0][i][0]
        where = f" at output component {''.join(map(_component, path))}" if path else ""
        raise TypeError(
            f"function {debug.func_src_info} traced for {debug.traced_for} returned a value of type {type(x)}{where}, "
            "which is not a valid JAX type"
        ) from None


def _component(key: pytree.KeyEntry) -> str:
    return f"[{key.key}]" if isinstance(key, pytree.FlattenedIndexKey) else str(key)


def forget_function(info: JitInfo) -> None:
    """Forgets what a function was traced for."""
    info.calls.clear()
    with contextlib.suppress(TypeError):  # it cannot be weakly referenced
        _traces.pop(info.fun, None)


def clear_traces() -> None:
    """Forgets what all functions were traced for."""
    _traces.clear()
    forget_calls()
