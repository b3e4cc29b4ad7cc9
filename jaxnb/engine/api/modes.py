"""Switches around tracing and compiling: neither, evaluation while tracing, and forgetting what was compiled."""

from __future__ import annotations

from contextlib import AbstractContextManager

from jaxnb.base import config
from jaxnb.engine.control.bodies import forget_bodies
from jaxnb.engine.runtime import persistent
from jaxnb.engine.runtime.dispatch import clear_traces
from jaxnb.engine.transforms.eager import compile_time_eval

__all__ = [
    "checking_leaks",
    "clear_caches",
    "disable_jit",
    "ensure_compile_time_eval",
    "reset_cache",
    "set_cache_dir",
]


def disable_jit(disable: bool = True) -> AbstractContextManager[None]:
    """Runs jitted functions inside operation by operation, so that they can be debugged like other Python.

    Args:
        disable: False lets ``jit`` work again inside a block that switched it off.
    """
    return config.disable_jit(disable)


def checking_leaks() -> AbstractContextManager[None]:
    """Raises inside where a traced value outlives its trace, as the setting ``jax_check_tracer_leaks`` does."""
    return config.check_tracer_leaks(True)


def ensure_compile_time_eval() -> AbstractContextManager[None]:
    """Executes inside, while a function is traced, every operation that depends on none of its arguments.

    Operations on traced values are still traced.
    """
    return compile_time_eval()


def clear_caches() -> None:
    """Forgets all traces and all compiled programs of this process; the cache on disk stays."""
    clear_traces()
    forget_bodies()


def set_cache_dir(path: str) -> None:
    """Sets the directory of the cache of compiled programs on disk, as the setting ``jax_compilation_cache_dir`` does."""
    config.update("jax_compilation_cache_dir", path)


def reset_cache() -> None:
    """Begins the cache on disk anew after its settings were changed; its files stay."""
    persistent.reset()
