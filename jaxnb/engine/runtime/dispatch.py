"""Dispatch: what happens when a jitted function, or a primitive, is called.

Lives here: the choice between staging, inlining and running, and the hand-over to C++. Tracing is in ``traces.py``, what is
compiled in ``programs.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from jaxnb.base import config
from jaxnb.base.errors import InternalFloatingPointError
from jaxnb.engine.control.inlining import CALLED, Inline
from jaxnb.engine.control.jit_call import jit_p, jit_params
from jaxnb.engine.core import trace as core_trace
from jaxnb.engine.core.avals import get_aval
from jaxnb.engine.core.boundary import api_boundary
from jaxnb.engine.core.jaxpr import ClosedJaxpr
from jaxnb.engine.core.primitive import Primitive
from jaxnb.engine.core.rules import eager_rules
from jaxnb.engine.core.trace import Tracer, eval_trace, trace_context
from jaxnb.engine.ops import ports as ports
from jaxnb.engine.ops.staging import stage_p
from jaxnb.engine.runtime.arrays import default_device, device_of, put_on_device
from jaxnb.engine.runtime.call_devices import marks_of_parameters, place_call
from jaxnb.engine.runtime.constants import jaxpr_const_args
from jaxnb.engine.runtime.explain import call_site
from jaxnb.engine.runtime.history import is_watching
from jaxnb.engine.runtime.lower import forget_composites
from jaxnb.engine.runtime.named_shardings import NamedSharding, devices_of
from jaxnb.engine.runtime.nan_checks import call_step_by_step, check_result
from jaxnb.engine.runtime.placement import put, sharding_of
from jaxnb.engine.runtime.programs import adopt_program, compiled_call, compiled_program, program_key
from jaxnb.engine.runtime.signature import UNSPECIFIED, CallCache, JitInfo, check_arguments
from jaxnb.engine.runtime.traces import TracedCall, TracedFunction, forget_function, trace_call
from jaxnb.engine.runtime.traces import clear_traces as _clear_traces
from jaxnb.engine.transforms.evaluate import eval_jaxpr
from jaxnb.engine.transforms.linearize import LinearizeTrace
from jaxnb.xla import pytree
from jaxnb.xla.dispatch import PjitFunctionCache, make_pjit, set_tracer_class
from jaxnb.xla.state import post_hook_state
from jaxnb.xla.version import JAXLIB_VERSION

__all__ = [
    "JitInfo",
    "TracedCall",
    "TracedFunction",
    "adopt_program",
    "clear_traces",
    "forget_calls_of",
    "make_checked",
    "make_jitted",
    "trace_call",
]

set_tracer_class(Tracer)
cpp_cache = PjitFunctionCache(capacity=8192)


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
        info.backend,
        info.compiler_options,
    )

    # A function, not a partial: copying a jitted function must not copy what is behind it.
    @api_boundary
    def cache_miss(*args: Any, **kwargs: Any) -> tuple[Any, Any, bool]:
        return _cache_miss(info, args, kwargs)

    return make_pjit(
        info.name,
        info.fun,
        cache_miss,
        info.static_argnums,
        info.static_argnames,
        None if info.has_shardings else key,
        pytree.registry,
        _place_argument,
        cpp_cache,
    )


def make_checked(
    name: str,
    run: Callable[[tuple, dict[str, Any]], tuple[Any, Any]],
    without_jit: Callable[..., Any],
) -> Any:
    """Returns the C++ object that calls one compiled program; it asks Python about each new kind of arguments only.

    Args:
        name: the function's name.
        run: checks and runs it; returns the result and what C++ needs to do so alone.
        without_jit: what is called instead while ``disable_jit`` is on.
    """

    def cache_miss(*args: Any, **kwargs: Any) -> tuple[Any, Any, bool]:
        out, fastpath = run(args, kwargs)
        if post_hook_state.value is not None:
            check_result(None, name, args, kwargs, out)
        return out, fastpath, False

    return make_pjit(
        name, without_jit, cache_miss, registry=pytree.registry, shard_arg_fallback=_place_argument
    )


def _cache_miss(info: JitInfo, args: tuple, kwargs: dict[str, Any]) -> tuple[Any, Any, bool]:
    """Answers a call that C++ cannot: ``(result, what it needs to answer the next one or None, False)``."""
    if info.inline is CALLED and trace_context.trace is not eval_trace and not _stays_together():
        for x in args:
            if type(x) is int and not -0x8000_0000 <= x < 0x8000_0000:
                check_arguments(info, args, kwargs)  # which tells of too large a number
        try:
            return info.fun(*args, **kwargs), None, False
        except (TypeError, ValueError):
            check_arguments(info, args, kwargs)  # what is no array is named as where the function is traced
            raise
    call = trace_call(info, args, kwargs)
    if (
        trace_context.trace is not eval_trace
        or call.traced.consts
        or any(isinstance(x, Tracer) for x in call.leaves)
    ):
        try:
            return _bind(info, call), None, False
        except InternalFloatingPointError as error:
            call_step_by_step(info, args, kwargs, error)
    done = _run(info, call)
    if post_hook_state.value is not None:  # C++ calls the hook after the calls that it answers itself
        check_result(info, info.name, args, kwargs, done[0])
    return done


def _stays_together() -> bool:
    """Whether the package's own functions are linearised as a whole: newer JAX transposes them so.

    While results are looked at they are whole, too: what is said of a bad one speaks of each of them.
    """
    if post_hook_state.value is not None and not trace_context.trace.stages:
        return True
    return JAXLIB_VERSION >= (0, 12) and type(trace_context.trace) is LinearizeTrace


def _place_argument(x: Any, sharding: Any, layout: Any, *copy_semantics: Any) -> Any:
    return put(x, get_aval(x), sharding, device_of(x) is not None)


def _bind(info: JitInfo, call: TracedCall) -> Any:
    """Hands a call to the current trace, or to that of an argument: as one equation, or inlined."""
    traced = call.traced
    if info.compiler_options and trace_context.trace.stages:
        raise ValueError(
            "`compiler_options` can only be passed to top-level `jax.jit`. Got "
            f"compiler_options={dict(info.compiler_options)} specified on a nested jit with name: {info.name} and source "
            f"info: {call_site()}"
        )
    if info.inline is Inline.JAX_EARLY:
        # What is staged meanwhile comes from the place of the call.
        out = eval_jaxpr(traced.jaxpr, (), *traced.consts, *call.leaves, propagate_source_info=False)
        return pytree.unflatten(traced.out_tree, out)
    params = jit_params(
        traced.jaxpr,
        info.name,
        donated=(False,) * len(traced.consts) + call.donated,
        keep_unused=info.keep_unused,
        inline=Inline.JAX_EARLY if info.inline is CALLED else info.inline,
        compiler_options=info.compiler_options,
    )
    if info.has_shardings:
        place = place_call(info, call)
        if place.given_in:
            hidden = (UNSPECIFIED,) * len(traced.consts)
            params["in_shardings"] = hidden + place.given_in
        if place.given_out:
            params["out_shardings"] = place.given_out
    out = jit_p.bind(*traced.consts, *call.leaves, **params)
    return pytree.unflatten(traced.out_tree, out)


def _run(info: JitInfo, call: TracedCall) -> tuple[Any, Any, bool]:
    place = place_call(info, call)
    program = compiled_call(info, call, place)
    out = pytree.unflatten(call.traced.out_tree, program.call(call.leaves, place.committed))
    if is_watching():
        if call.traced.record is not None:
            call.traced.record.hits += 1
        return out, None, False
    return out, program.fastpath(call.traced.out_tree, place.committed), False


def forget_calls_of(jitted: Any, info: JitInfo) -> None:
    """Forgets what a jitted function was traced and compiled for."""
    jitted._clear_cache()
    forget_function(info)


def clear_traces() -> None:
    """Forgets every traced and compiled function."""
    _clear_traces()
    cpp_cache.clear()
    _primitive_functions.clear()
    forget_composites()


# ---- primitives outside any trace ----------------------------------------------------------------------------------

_primitive_functions: dict[Any, tuple[Any, JitInfo]] = {}


def _apply_primitive(primitive: Primitive, args: Sequence[Any], params: dict[str, Any]) -> Any:
    rule = eager_rules.get(primitive)
    if rule is not None:
        return rule(*args, **params)
    try:
        key = (primitive, *params.items())
        found = _primitive_functions.get(key)
    except TypeError:  # a parameter that cannot be hashed: nothing is remembered
        found = _primitive_function(primitive, params)
    else:
        if found is None:
            found = _primitive_functions[key] = _primitive_function(primitive, params)
    if config.disable_jit.value:  # C++ would call the primitive itself, which would end here again
        out = _run(found[1], trace_call(found[1], tuple(args), {}))[0]
        if post_hook_state.value is not None:
            check_result(found[1], primitive.name, tuple(args), {}, out)
        return out
    return found[0](*args)


def _primitive_function(primitive: Primitive, params: dict[str, Any]) -> tuple[Any, JitInfo]:
    def apply(*args: Any) -> Any:
        return primitive.bind(*args, **params)

    apply.__name__ = primitive.name
    info = primitive_info(apply, primitive.name)
    jitted = make_jitted(info)
    jitted._jit_info = info  # the check of results names the primitive
    return jitted, info


def primitive_info(apply: Callable[..., Any], name: str) -> JitInfo:
    """Returns the options of a function that stands for one primitive."""
    nothing: tuple[Any, Any, Any, Any] = ((), (), (), ())
    return JitInfo(
        apply,
        name,
        True,
        None,
        *nothing,
        False,
        Inline.AUTO,
        None,
        None,
        (),
        UNSPECIFIED,
        UNSPECIFIED,
        CallCache(),
    )


core_trace.eager_port.fn = _apply_primitive


def _run_jit_call(*args: Any, jaxpr: ClosedJaxpr, name: str, **params: Any) -> list[Any]:
    """Runs a jit equation outside any trace."""
    if config.disable_jit.value:
        return eval_jaxpr(jaxpr.jaxpr, (), *args)
    shardings = [sharding_of(x) for x in args]
    known = (s for s in (*shardings, *map(sharding_of, jaxpr_const_args(jaxpr.jaxpr))) if s is not None)
    where = next(known, None)
    devices = (default_device(),) if where is None else devices_of(where)
    is_named = any(isinstance(s, NamedSharding) for s in shardings)
    marks = ((), ())
    if is_named or len(devices) > 1:
        marks = (marks_of_parameters(shardings, jaxpr.in_avals, len(devices)), ())
    key = program_key(name, params["donated_invars"], params["keep_unused"], devices, marks)
    program = compiled_program(jaxpr.jaxpr, key, params["compiler_options_kvs"])
    out = program.call(args, where is not None)
    if post_hook_state.value is not None:
        check_result(None, name, args, {}, out)
    return out


eager_rules[jit_p] = _run_jit_call
eager_rules[stage_p] = lambda x: put_on_device(x, get_aval(x), default_device())
