"""Evaluation inside a trace: what can be computed while tracing is computed.

Lives here: the trace behind ``ensure_compile_time_eval``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from jaxnb.engine.core.trace import CustomCall, Trace, Tracer, eval_trace, set_trace, trace_context

__all__ = ["CompileTimeTrace", "compile_time_eval"]


class CompileTimeTrace(Trace):
    """Executes operations on values at once, and hands those on tracers to the trace that was current around it."""

    __slots__ = ("outer",)

    def __init__(self, outer: Trace):
        self.outer = outer

    def _of(self, args: Sequence[Any]) -> Trace:
        return self.outer if any(isinstance(x, Tracer) for x in args) else eval_trace

    def process(self, primitive: Any, args: Sequence[Any], params: dict[str, Any]) -> Any:
        return self._under(args, lambda trace: trace.process(primitive, args, params))

    def custom_jvp(self, call: CustomCall, args: Sequence[Any]) -> list[Any]:
        return self._under(args, lambda trace: trace.custom_jvp(call, args))

    def custom_vjp(self, call: CustomCall, args: Sequence[Any]) -> list[Any]:
        return self._under(args, lambda trace: trace.custom_vjp(call, args))

    def _under(self, args: Sequence[Any], run: Any) -> Any:
        trace = self._of(args)
        before = set_trace(trace)
        try:
            return run(trace)
        finally:
            set_trace(before)


@contextmanager
def compile_time_eval() -> Iterator[None]:
    """Executes inside what depends on no traced value."""
    outer = trace_context.trace
    if outer is eval_trace or isinstance(outer, CompileTimeTrace):
        yield
        return
    before = set_trace(CompileTimeTrace(outer))
    try:
        yield
    finally:
        set_trace(before)
