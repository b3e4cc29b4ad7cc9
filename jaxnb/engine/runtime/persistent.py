"""Compiling with the cache on disk: when it is used, what is said about it, and why an entry was not written.

Lives here: the policy and its settings. How entries are named, written and read is in ``xla/diskcache.py``.
"""

from __future__ import annotations

import logging
import time
import warnings
from collections import deque
from collections.abc import Sequence
from typing import Any, NamedTuple

from jaxnb.base import config, monitoring
from jaxnb.engine.runtime.lower import LoweredModule
from jaxnb.engine.runtime.timing import log_level
from jaxnb.xla import compile as compile_door
from jaxnb.xla import diskcache
from jaxnb.xla.client import Device, backend
from jaxnb.xla.mlir import module_text

__all__ = ["Decision", "compile_or_load", "decisions", "reset"]

_log = logging.getLogger(__name__)


class Decision(NamedTuple):
    """What the cache on disk did for one compilation."""

    name: str
    """The module's name."""
    key: str
    outcome: str
    """``hit``, ``written`` or ``not written``."""
    reason: str
    """Why it was not written, else empty."""
    seconds: float
    """How long compiling, or reading, took."""
    parts: tuple[diskcache.KeyPart, ...]
    """What the key was made from: two programs that ought to share an entry differ in one of these."""


decisions: deque[Decision] = deque(maxlen=500)
"""The newest decisions, oldest first."""


class _Use:
    """Whether the cache was used since the start or the last ``reset``."""

    begun = False


def reset() -> None:
    """Begins anew, as after the settings of the cache were changed."""
    _Use.begun = False
    decisions.clear()


def compile_or_load(
    name: str, module: LoweredModule, devices: Sequence[Device], options: compile_door.CompileOptions
) -> compile_door.Executable:
    """Returns the executable of a module, from the disk where the cache has it.

    Args:
        name: the module's name.
        module: the module.
        devices: where it will run.
        options: how to compile it.

    Raises:
        JaxRuntimeError: where XLA refuses the program or an option.
    """
    client = backend(devices[0].platform)

    def compile_it() -> compile_door.Executable:
        return compile_door.compile_module(client, module.module, devices, options, module.callbacks)

    if not config.enable_compilation_cache.value:
        return compile_it()
    if not _Use.begun:
        _Use.begun = True
        monitoring.record_event("/jax/compilation_cache/tasks_using_cache")
    monitoring.record_event("/jax/compilation_cache/compile_requests_use_cache")
    directory = config.compilation_cache_dir.value
    if not directory or config.compilation_cache_max_size.value == 0:
        return compile_it()
    keep_locations = config.compilation_cache_include_metadata_in_key.value
    text = module_text(module.module, debug_info=keep_locations)
    key, parts = diskcache.cache_key(name, text, options, client)
    start = time.perf_counter()
    entry = None
    try:
        entry = diskcache.read_entry(directory, key)
        _log.debug("Cache %s for key: %r", "miss" if entry is None else "hit", key)
    except OSError as error:  # neither will it be written there
        _trouble("reading", name, error)
        reason = f"{type(error).__name__}: {error}"
        decisions.append(Decision(name, key, "not written", reason, 0.0, tuple(parts)))
        return compile_it()
    except Exception as error:
        _trouble("reading", name, error)
    if entry is not None:
        executable = _load(name, client, entry, devices, options)
        if executable is not None:
            _hit(name, key, entry, time.perf_counter() - start, parts)
            return executable
    _say(f"PERSISTENT COMPILATION CACHE MISS for '{name}' with key {key!r}")
    start = time.perf_counter()
    executable = compile_it()
    seconds = time.perf_counter() - start
    reason = _write(directory, name, key, executable, seconds, bool(module.callbacks))
    decisions.append(
        Decision(name, key, "not written" if reason else "written", reason, seconds, tuple(parts))
    )
    return executable


def _say(text: str) -> None:
    _log.log(logging.WARNING if config.explain_cache_misses.value else logging.DEBUG, text)


def _load(
    name: str,
    client: Any,
    entry: diskcache.Entry,
    devices: Sequence[Device],
    options: compile_door.CompileOptions,
) -> compile_door.Executable | None:
    try:
        return compile_door.load_executable(client, entry.executable, devices, options)
    except Exception as error:
        _trouble("reading", name, error)
        return None


def _trouble(doing: str, name: str, error: Exception) -> None:
    if config.raise_persistent_cache_errors.value:
        raise error
    warnings.warn(
        f"Error {doing} persistent compilation cache entry for '{name}': {type(error).__name__}: {error}",
        stacklevel=2,
    )


def _hit(
    name: str, key: str, entry: diskcache.Entry, seconds: float, parts: Sequence[diskcache.KeyPart]
) -> None:
    _log.log(log_level(), "Persistent compilation cache hit for '%s' with key %r", name, key)
    monitoring.record_event("/jax/compilation_cache/cache_hits")
    saved = entry.compile_seconds - seconds
    monitoring.record_event_duration_secs("/jax/compilation_cache/compile_time_saved_sec", saved)
    monitoring.record_event_duration_secs("/jax/compilation_cache/cache_retrieval_time_sec", seconds)
    decisions.append(Decision(name, key, "hit", "", seconds, tuple(parts)))


def _write(
    directory: str,
    name: str,
    key: str,
    executable: compile_door.Executable,
    seconds: float,
    has_callbacks: bool,
) -> str:
    """Writes an entry and returns an empty text, or returns why it was not written."""
    entry_for = f"Not writing persistent cache entry for '{name}' because it "
    if has_callbacks:
        reason = "uses host callbacks (e.g. from jax.debug.print or breakpoint)"
        _say(entry_for + reason)
        return f"it {reason}"
    least = config.persistent_cache_min_compile_time_secs.value
    if seconds < least:
        reason = f"took < {least:.2f} seconds to compile ({seconds:.2f}s)"
        _say(entry_for + reason)
        return f"it {reason}"
    _log.debug("'%s' took at least %.2f seconds to compile (%.2fs)", name, least, seconds)
    try:
        entry = diskcache.Entry(executable.serialize(), seconds)
        smallest = config.persistent_cache_min_entry_size_bytes.value
        size = diskcache.entry_size(entry) if smallest > 0 else smallest
        if size < smallest:
            reason = f"its size ({size} bytes) is less than threshold ({smallest} bytes)"
            _say(f"Not writing persistent cache entry with key {key!r} since {reason}")
            return reason
        _say(f"Writing {name} to persistent compilation cache with key {key!r}")
        diskcache.write_entry(directory, key, entry, config.compilation_cache_max_size.value)
    except Exception as error:
        _trouble("writing", name, error)
        return f"{type(error).__name__}: {error}"
    monitoring.record_event("/jax/compilation_cache/cache_misses")
    return ""
