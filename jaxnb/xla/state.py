"""Process- and thread-local settings that jaxlib's C++ reads, and the keys it builds from them.

A C++ setting has a global value and a per-thread override. One that is in the *jit key* makes a cached call
miss when it changes; one that is in the *trace context* is part of :func:`trace_context`. What must not live
here: the users' names of the settings, their environment variables, their documentation.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from jaxlib import _jax

from jaxnb.base.config import config
from jaxnb.xla import coexist

__all__ = [
    "State",
    "current_trace",
    "disable_jit_state",
    "enable_x64_state",
    "make_state",
    "post_hook_state",
    "staging_state",
    "trace_context",
    "trace_context_names",
    "unset",
    "watching_state",
]

# Everything below writes into process-wide C++ slots: with jax in this process it would change
# jax's own settings.
coexist.start()

State: TypeAlias = _jax.config.Config
"""A setting: ``value``, and ``get_global``, ``set_global``, ``get_local``, ``set_local``, ``swap_local``."""

unset: Any = _jax.config.unset
"""The value of an absent per-thread override: ``state.set_local(unset)`` returns to the global value."""


def make_state(name: str, default: Any, in_jit_key: bool, in_trace_context: bool) -> State:
    """Returns a new C++ setting.

    Args:
      name: the name under which :func:`trace_context_names` lists it.
      default: the global value; it must be hashable if the setting is in a key.
      in_jit_key: whether a change makes a cached jitted call miss.
      in_trace_context: whether it is part of :func:`trace_context`.
    """
    return _jax.config.Config(
        name, default, include_in_jit_key=in_jit_key, include_in_trace_context=in_trace_context
    )


def trace_context() -> tuple[Any, ...]:
    """Returns the values of all settings that are in the trace context, for use as a cache key."""
    return _jax.config.trace_context()


def trace_context_names() -> tuple[str, ...]:
    """Returns the names of the settings behind :func:`trace_context`, in the same order."""
    return tuple(_jax.config.trace_context_names())


# C++ dispatch refuses to run until these three exist; they are process-wide, so they are made once, here.
enable_x64_state: State = make_state("jax_enable_x64", False, in_jit_key=True, in_trace_context=True)
disable_jit_state: State = make_state("jax_disable_jit", False, in_jit_key=False, in_trace_context=True)
post_hook_state: State = make_state("post_hook", None, in_jit_key=False, in_trace_context=False)
_jax.jax_jit.set_enable_x64_state(enable_x64_state)
_jax.jax_jit.set_disable_jit_state(disable_jit_state)
_jax.jax_jit.set_post_hook_state(post_hook_state)

# From here on every setting that is in a key keeps its value where C++ reads it.
_shared = {"jax_enable_x64": enable_x64_state, "jax_disable_jit": disable_jit_state}
for _setting in config:
    if _setting.in_jit_key or _setting.in_trace_context:
        _state = _shared.get(_setting.name) or make_state(
            _setting.name, _setting.value, _setting.in_jit_key, _setting.in_trace_context
        )
        _setting.bind(_state)

current_trace: State = make_state("current_trace", None, in_jit_key=False, in_trace_context=False)
"""The thread's current trace. In no key, because a key would keep traces, and what they hold, alive."""

staging_state: State = make_state("staging", False, in_jit_key=True, in_trace_context=False)
"""True while the current trace stages everything out.

It is in the jit key, so that a jitted function called on concrete arrays inside such a trace does not take
the C++ fast path of its eager calls; being only a flag, it keeps nothing alive.
"""

watching_state: State = make_state("watching", False, in_jit_key=True, in_trace_context=False)
"""True while calls are counted: C++ then asks for every call, and is given nothing to remember."""
