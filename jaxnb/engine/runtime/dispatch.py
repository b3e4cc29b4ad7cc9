"""Dispatch: what happens when a jitted function, or a primitive, is called.

Lives here: tracing with its cache, the choice between staging and running, the hand-over to C++.
"""

from __future__ import annotations

import inspect
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from jaxnb.base import config
from jaxnb.engine.control.jit_call import jit_p, jit_params
from jaxnb.engine.core import dtypes
from jaxnb.engine.core import trace as core_trace
from jaxnb.engine.core.avals import AbstractValue, ShapedArray, get_aval
from jaxnb.engine.core.jaxpr import ClosedJaxpr, DebugInfo, Jaxpr
from jaxnb.engine.core.primitive import Primitive
from jaxnb.engine.core.rules import eager_rules
from jaxnb.engine.core.trace import Tracer, eval_trace, trace_context
from jaxnb.engine.ops import ports as ports
from jaxnb.engine.ops.staging import stage_p
from jaxnb.engine.runtime.arrays import ArrayImpl, default_device, device_of, put_on_device
from jaxnb.engine.runtime.executable import CompiledProgram, compile_jaxpr, lower_jaxpr
from jaxnb.engine.transforms.evaluate import eval_jaxpr
from jaxnb.engine.transforms.stage import trace_to_jaxpr
from jaxnb.xla import pytree
from jaxnb.xla.dispatch import PjitFunctionCache, make_pjit, set_tracer_class
from jaxnb.xla.state import post_hook_state
from jaxnb.xla.state import trace_context as settings_context

__all__ = [
    "JitInfo",
    "adopt_program",
    "TracedCall",
    "TracedFunction",
    "debug_info_for",
    "make_jitted",
    "trace_call",
]

set_tracer_class(Tracer)

PRIMITIVE = "primitive"
"""The source of a function that stands for one primitive."""


class JitInfo(NamedTuple):
    """A jitted function's options, normalised."""

    fun: Callable[..., Any]
    name: str
    source: str
    signature: inspect.Signature | None
    static_argnums: tuple[int, ...]
    static_argnames: tuple[str, ...]
    donate_argnums: tuple[int, ...]
    donate_argnames: tuple[str, ...]
    keep_unused: bool
    inline: bool
    device: Any
    compiler_options: tuple[tuple[str, Any], ...]


class TracedFunction(NamedTuple):
    """A function traced for one signature."""

    jaxpr: Jaxpr
    consts: list[Any]
    out_tree: Any
    debug_info: DebugInfo


class TracedCall(NamedTuple):
    """One call of a jitted function after tracing."""

    traced: TracedFunction
    leaves: list[Any]
    in_tree: Any
    avals: tuple
    donated: tuple[bool, ...]


_traces: weakref.WeakKeyDictionary[Any, dict[Any, TracedFunction]] = weakref.WeakKeyDictionary()
_lock = threading.Lock()
cpp_cache = PjitFunctionCache(capacity=8192)


class _Called:
    """Stands for a jitted function where only its options are asked for."""

    __slots__ = ("_jit_info",)

    def __init__(self, info: JitInfo):
        self._jit_info = info


def make_jitted(info: JitInfo) -> Any:
    """Returns the C++ object that is the jitted function."""
    key = (
        info.static_argnums,
        info.static_argnames,
        info.donate_argnums,
        info.donate_argnames,
        info.keep_unused,
        info.inline,
        info.device,
        info.compiler_options,
    )

    called = _Called(info)  # not the jitted function itself: the cycle through C++ would never be collected

    def cache_miss(*args: Any, **kwargs: Any) -> tuple[Any, Any, bool]:
        if info.inline and trace_context.trace is not eval_trace:
            return info.fun(*args, **kwargs), None, False
        call = trace_call(info, args, kwargs)
        if trace_context.trace is not eval_trace or any(isinstance(x, Tracer) for x in call.leaves):
            return _bind(info, call), None, False
        done = _run(info, call)
        hook = post_hook_state.value
        if hook is not None:  # C++ calls it after cached calls only
            hook(called, args, kwargs, done[0])
        return done

    jitted = make_pjit(
        info.name,
        info.fun,
        cache_miss,
        info.static_argnums,
        info.static_argnames,
        key,
        pytree.registry,
        _place_argument,
        cpp_cache,
    )
    jitted._jit_info = info
    return jitted


def _place_argument(x: Any, sharding: Any, layout: Any, *copy_semantics: Any) -> Any:
    return put_on_device(x, get_aval(x), next(iter(sharding._internal_device_list)), device_of(x) is not None)  # pyright: ignore[reportArgumentType]


def _bind(info: JitInfo, call: TracedCall) -> Any:
    traced = call.traced
    jaxpr = traced.jaxpr
    donated = (False,) * len(traced.consts) + call.donated
    params = jit_params(
        jaxpr,
        info.name,
        donated=donated,
        keep_unused=info.keep_unused,
        inline=info.inline,
        compiler_options=info.compiler_options,
    )
    out = jit_p.bind(*traced.consts, *call.leaves, **params)
    return pytree.unflatten(traced.out_tree, out)


def _run(info: JitInfo, call: TracedCall) -> tuple[Any, Any, bool]:
    committed_to = _common_device(info, call.leaves)
    program = compiled_for(
        call.traced.jaxpr,
        info.name,
        call.donated,
        info.keep_unused,
        info.compiler_options,
        committed_to or info.device,
    )
    committed = committed_to is not None or info.device is not None
    out = program.call(call.leaves, committed)
    fast = program.fastpath(call.traced.out_tree, committed)
    return pytree.unflatten(call.traced.out_tree, out), fast, False


def _common_device(info: JitInfo, leaves: Sequence[Any]) -> Any:
    found: Any = None
    for x in leaves:
        device = device_of(x)
        if device is None:
            continue
        if found is not None and device != found:
            raise ValueError(
                f"Received incompatible devices for jitted computation. Got argument x of {info.name} with shape "
                f"{x.aval.str_short()} and device ids [{device.id}] on platform {device.platform.upper()}"
            )
        found = device
    return found


def compiled_for(
    jaxpr: Jaxpr,
    name: str,
    donated: tuple[bool, ...],
    keep_unused: bool,
    compiler_options: tuple[tuple[str, Any], ...],
    device: Any,
) -> CompiledProgram:
    """Returns a program's executable; remembered by program, options and settings."""
    device = default_device() if device is None else device
    key = _compiled_key(name, donated, keep_unused, compiler_options, device)
    found = jaxpr._cache.get(key)
    if found is None:
        lowered = lower_jaxpr(name, jaxpr, donated=donated, keep_unused=keep_unused, device=device)
        found = jaxpr._cache.setdefault(key, compile_jaxpr(lowered, compiler_options))
    return found


def _compiled_key(name: str, donated: Any, keep_unused: bool, compiler_options: Any, device: Any) -> tuple:
    return ("compiled", name, donated, keep_unused, compiler_options, device, settings_context())


def adopt_program(info: JitInfo, call: TracedCall, program: CompiledProgram) -> CompiledProgram:
    """Makes an executable that was compiled elsewhere the one that later calls of the function run.

    One that is there already stays.
    """
    key = _compiled_key(
        info.name, call.donated, info.keep_unused, info.compiler_options, program.lowered.device
    )
    return call.traced.jaxpr._cache.setdefault(key, program)


# ---- tracing -----------------------------------------------------------------------------------------------------


def _hashable(x: Any) -> None:
    try:
        hash(x)
    except TypeError as e:
        raise ValueError(
            "Non-hashable static arguments are not supported. An error occurred while trying to hash an object of "
            f"type {type(x)}, {x}. The error was:\n{type(e).__name__}: {e}\n"
        ) from e


def split_static(info: JitInfo, args: tuple, kwargs: dict[str, Any]) -> tuple[Any, Any, tuple]:
    """Returns the dynamic arguments (static places holding None-like gaps removed) and the static ones.

    Raises:
        ValueError: where a static argument cannot be hashed.
    """
    if not info.static_argnums and not info.static_argnames:
        return args, kwargs, ()
    n = len(args)
    positions = {i if i >= 0 else n + i for i in info.static_argnums}
    statics: list[Any] = []
    dyn_args = []
    for i, a in enumerate(args):
        if i in positions:
            _hashable(a)
            statics.append((i, a))
        else:
            dyn_args.append(a)
    dyn_kwargs = {}
    for k, v in kwargs.items():
        if k in info.static_argnames:
            _hashable(v)
            statics.append((k, v))
        else:
            dyn_kwargs[k] = v
    return tuple(dyn_args), dyn_kwargs, tuple(statics)


def trace_call(info: JitInfo, args: tuple, kwargs: dict[str, Any]) -> TracedCall:
    """Returns a call traced, from the cache where its signature is known.

    Raises:
        TypeError: where an argument is no array, or a result is none.
        ValueError: where a static argument cannot be hashed.
    """
    dyn_args, dyn_kwargs, statics = split_static(info, args, kwargs)
    leaves, in_tree = pytree.flatten((dyn_args, dyn_kwargs))
    avals = []
    for x in leaves:
        aval = x.aval if isinstance(x, Tracer | ArrayImpl) else None
        if aval is None:
            aval = _aval_of_argument(info, x, dyn_args, dyn_kwargs)
        avals.append(aval)
    avals = tuple(avals)
    static_key = tuple((k, type(v), v) for k, v in statics)
    key = (
        in_tree,
        avals,
        static_key,
        info.static_argnums,
        info.static_argnames,
        settings_context(),
        tuple(trace_context.axis_env.items()) if trace_context.axis_env else (),
    )
    per_fun = _traces.get(info.fun)
    if per_fun is None:
        with _lock:
            per_fun = _traces.setdefault(info.fun, {})
    traced = per_fun.get(key)
    if traced is None:
        traced = _trace(info, dyn_args, dyn_kwargs, statics, len(args), in_tree, avals)
        if not traced.consts:
            traced = per_fun.setdefault(key, traced)
    donated = (
        _donated(info, args, kwargs, dyn_args, dyn_kwargs)
        if info.donate_argnums or info.donate_argnames
        else (False,) * len(leaves)
    )
    return TracedCall(traced, leaves, in_tree, avals, donated)


def clear_traces() -> None:
    """Forgets every traced and compiled function."""
    _traces.clear()
    cpp_cache.clear()
    _primitive_functions.clear()


def _aval_of_argument(info: JitInfo, x: Any, args: Any, kwargs: Any) -> AbstractValue:
    try:
        return get_aval(x)
    except TypeError:
        pass
    if hasattr(x, "shape") and hasattr(x, "dtype"):
        return abstract_from_duck(x)
    path = ""
    paths = debug_info_for(info, "jit", args, kwargs, ()).arg_names
    for (_, leaf), name in zip(pytree.flatten_with_path((args, kwargs))[0], paths, strict=False):
        if leaf is x:
            path = name or ""
    raise TypeError(
        f"Error interpreting argument to {info.fun} as an abstract array. The problematic value is of type {type(x)} "
        f"and was passed to the function at path {path}.\nThis typically means that a jit-wrapped function was called "
        "with a non-array argument, and this argument was not marked as static using the static_argnums or "
        "static_argnames parameters of jax.jit."
    )


def abstract_from_duck(x: Any) -> AbstractValue:
    """Returns the type of an object that only has a shape and a dtype; ``ShapeDtypeStruct`` is one."""
    dtype = x.dtype if dtypes.is_extended(x.dtype) else dtypes.canonicalize_dtype(x.dtype)
    return ShapedArray(tuple(x.shape), dtype, bool(getattr(x, "weak_type", False)))


def _donated(info: JitInfo, args: Any, kwargs: Any, dyn_args: Any, dyn_kwargs: Any) -> tuple[bool, ...]:
    static = {i if i >= 0 else len(args) + i for i in info.static_argnums}
    donate = {i if i >= 0 else len(args) + i for i in info.donate_argnums}
    flags: list[bool] = []
    for i, a in enumerate(args):
        if i not in static:
            flags += [i in donate] * len(pytree.flatten(a)[0])
    for k in sorted(dyn_kwargs):
        flags += [k in info.donate_argnames] * len(pytree.flatten(dyn_kwargs[k])[0])
    return tuple(flags)


def debug_info_for(
    info: JitInfo, traced_for: str, args: Any, kwargs: Any, statics: Sequence[tuple[Any, Any]]
) -> DebugInfo:
    """Returns what messages say of a function and its arguments' leaves."""
    names: list[str | None] = []
    try:
        positional = [
            p.name if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) else None
            for p in (info.signature.parameters.values() if info.signature is not None else ())
            if p.kind is not p.KEYWORD_ONLY and p.kind is not p.VAR_KEYWORD
        ]
        rest = next(
            (
                p.name
                for p in (info.signature.parameters.values() if info.signature is not None else ())
                if p.kind is p.VAR_POSITIONAL
            ),
            None,
        )
        static_positions = {k for k, _ in statics if isinstance(k, int)}
        position = 0
        for a in args:
            while position in static_positions:
                position += 1
            if position < len(positional) and positional[position] is not None:
                base = positional[position]
            elif rest is not None:
                base = f"{rest}[{position - len([p for p in positional if p is not None])}]"
            else:
                base = f"args[{position}]"
            names += [f"{base}{pytree.keystr(path)}" for path, _ in pytree.flatten_with_path(a)[0]]
            position += 1
        for k in sorted(kwargs):
            names += [f"{k}{pytree.keystr(path)}" for path, _ in pytree.flatten_with_path(kwargs[k])[0]]
    except Exception:
        names = []
    return DebugInfo(traced_for, f"{info.name} at {info.source}", info.name, tuple(names))


def _trace(
    info: JitInfo,
    args: Any,
    kwargs: Any,
    statics: Sequence[tuple[Any, Any]],
    n_args: int,
    in_tree: Any,
    avals: tuple,
) -> TracedFunction:
    debug = debug_info_for(info, "jit", args, kwargs, statics)
    out_tree: list[Any] = []

    def flat(*leaves: Any) -> list[Any]:
        a, k = pytree.unflatten(in_tree, leaves)
        if statics:
            a, k = list(a), dict(k)
            for where, v in statics:
                if isinstance(where, str):
                    k[where] = v
                else:
                    a.insert(where, v)
        out = info.fun(*a, **k)
        out_leaves, tree = pytree.flatten(out)
        out_tree.append(tree)
        for i, o in enumerate(out_leaves):
            if not isinstance(o, Tracer):
                try:
                    get_aval(o)
                except TypeError:
                    where = ""
                    paths = pytree.flatten_with_path(out)[0]
                    if paths[i][0]:
                        where = f" at output component {pytree.keystr(paths[i][0])}"
                    raise TypeError(
                        f"function {debug.func_src_info} traced for jit returned a value of type {type(o)}{where}, "
                        "which is not a valid JAX type"
                    ) from None
        return out_leaves

    jaxpr, consts = trace_to_jaxpr(flat, avals, debug, stage_all=info.source == PRIMITIVE)
    if consts:
        jaxpr = jaxpr.replace(constvars=[], invars=[*jaxpr.constvars, *jaxpr.invars])
    return TracedFunction(jaxpr, consts, out_tree[0], debug)


# ---- primitives outside any trace ----------------------------------------------------------------------------------

_primitive_functions: dict[Any, Any] = {}


def _apply_primitive(primitive: Primitive, args: Sequence[Any], params: dict[str, Any]) -> Any:
    rule = eager_rules.get(primitive)
    if rule is not None:
        return rule(*args, **params)
    try:
        key = (primitive, *params.items())
        fun = _primitive_functions.get(key)
        if fun is None:
            fun = _primitive_functions[key] = _primitive_function(primitive, params)
    except TypeError:  # a parameter that cannot be hashed: nothing is remembered
        fun = _primitive_function(primitive, params)
    if config.disable_jit.value:
        # It is the user's functions that run operation by operation; an operation itself is compiled.
        with config.disable_jit(False):
            return fun(*args)
    return fun(*args)


def _primitive_function(primitive: Primitive, params: dict[str, Any]) -> Any:
    def apply(*args: Any) -> Any:
        return primitive.bind(*args, **params)

    apply.__name__ = primitive.name
    return make_jitted(
        JitInfo(apply, primitive.name, PRIMITIVE, None, (), (), (), (), False, False, None, ())
    )


core_trace.eager_port.fn = _apply_primitive


def _run_jit_call(*args: Any, jaxpr: ClosedJaxpr, name: str, **params: Any) -> list[Any]:
    """Runs a jit equation outside any trace."""
    if config.disable_jit.value:
        return eval_jaxpr(jaxpr.jaxpr, (), *args)
    device = next((d for d in map(device_of, args) if d is not None), None)
    program = compiled_for(
        jaxpr.jaxpr,
        name,
        params["donated_invars"],
        params["keep_unused"],
        params["compiler_options_kvs"],
        device,
    )
    return program.call(args, device is not None)


eager_rules[jit_p] = _run_jit_call
eager_rules[stage_p] = lambda x: put_on_device(x, get_aval(x), default_device())
