"""How long tracing, lowering and compiling take: told to whoever listens, and logged.

Lives here: the three events under JAX's names and the log lines that go with them. The numbers of one signature are kept
in ``history.py``.
"""

from __future__ import annotations

import logging
import time
from typing import Any

from jaxnb.base import config, logs, monitoring

__all__ = ["COMPILE", "LOWER", "TRACE", "log_level", "timed"]

TRACE = ("/jax/core/compile/jaxpr_trace_duration", "Finished tracing {} for jit in {:.9f} sec")
LOWER = (
    "/jax/core/compile/jaxpr_to_mlir_module_duration",
    "Finished jaxpr to MLIR module conversion {} in {:.9f} sec",
)
COMPILE = ("/jax/core/compile/backend_compile_duration", "Finished XLA compilation of {} in {:.9f} sec")

_log = logging.getLogger(__name__)
assert logs.ROOT


def log_level() -> int:
    """Returns the level at which work is logged: a warning where the user asked for it."""
    return logging.WARNING if config.log_compiles.value else logging.DEBUG


class timed:
    """Measures what happens inside a ``with``, tells the listeners and logs it; ``seconds`` holds the result."""

    __slots__ = ("_began", "_start", "_step", "name", "seconds")

    def __init__(self, step: tuple[str, str], name: str):
        self._step = step
        self.name = name
        self.seconds = 0.0

    def __enter__(self) -> timed:
        self._began = time.time()
        monitoring.record_scalar(self._step[0], self._began, fun_name=self.name)
        self._start = time.perf_counter()
        return self

    def __exit__(self, *exc: Any) -> None:
        seconds = self.seconds = time.perf_counter() - self._start
        event, text = self._step
        level = log_level()
        if _log.isEnabledFor(level):
            _log.log(level, text.format(self.name, seconds))
        monitoring.record_event_duration_secs(event, seconds, fun_name=self.name)
        monitoring.record_event_time_span(event, self._began, self._began + seconds, fun_name=self.name)
