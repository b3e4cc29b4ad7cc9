"""Traces and tracers: who handles a primitive, and the values that stand in for arrays meanwhile.

Lives here: the thread's current trace, the two base classes, and evaluation (the trace that is current when none is).
The traces of the transformations are in ``engine/transforms``.
"""

from __future__ import annotations

import functools
import importlib
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from jaxnb.base.errors import (
    ConcretizationTypeError,
    TracerArrayConversionError,
    TracerBoolConversionError,
    TracerIntegerConversionError,
    UnexpectedTracerError,
    leaked_tracer_text,
)
from jaxnb.engine.core import dtypes
from jaxnb.engine.core.avals import AbstractValue, check_not_masked, get_aval
from jaxnb.xla.state import staging_state

__all__ = [
    "CustomCall",
    "EvalTrace",
    "Trace",
    "Tracer",
    "concrete_value",
    "current_trace_is_eval",
    "eager_port",
    "eval_trace",
    "set_current_trace",
    "set_trace",
    "trace_context",
]


class Trace:
    """What happens to a primitive applied while this trace is current."""

    __slots__ = ()

    stages = False
    """Whether operations are recorded for later; the jit dispatch asks."""
    finished: Any = False
    """Whether the trace has ended, so that a tracer of it has leaked."""
    checks_operands = False
    """Whether a leaked tracer is told of as soon as an operation that is recorded uses it; else where that is run."""

    def process(self, primitive: Any, args: Sequence[Any], params: dict[str, Any]) -> Any:
        """Handles one application of a primitive."""
        raise AssertionError(f"{type(self).__name__} does not handle {primitive}")

    def custom_jvp(self, call: CustomCall, args: Sequence[Any]) -> list[Any]:
        """Handles a call of a function with its own jvp rule; by default the function alone is called."""
        return call.fun(*args)

    def custom_vjp(self, call: CustomCall, args: Sequence[Any]) -> list[Any]:
        """Handles a call of a function with its own vjp rule; by default the function alone is called."""
        return call.fun(*args)


class _EagerPort:
    """How a primitive is executed on values. The runtime stands above; it is loaded when the first one is."""

    __slots__ = ("fn",)

    def __init__(self) -> None:
        self.fn: Callable[[Any, Sequence[Any], dict[str, Any]], Any] = self._load

    def _load(self, primitive: Any, args: Sequence[Any], params: dict[str, Any]) -> Any:
        importlib.import_module("jaxnb.engine.runtime.dispatch")  # fills ``fn``
        return self.fn(primitive, args, params)


eager_port = _EagerPort()


class CustomCall(NamedTuple):
    """A call of a function that brings its own derivative; functions take and return flat lists."""

    primitive: Any
    name: str
    fun: Callable[..., list[Any]]
    jvp: Callable[..., Any] | None
    """``(primals, tangents) -> (outs, tangents_out)``."""
    fwd: Callable[..., Any] | None
    """``(*args) -> (residual leaves, outs)``."""
    bwd: Callable[..., Any] | None
    """``(residual leaves, cotangents) -> cotangents of the arguments``."""
    symbolic_zeros: bool
    params: dict[str, Any]


class EvalTrace(Trace):
    """No trace: primitives are executed."""

    __slots__ = ()

    def process(self, primitive: Any, args: Sequence[Any], params: dict[str, Any]) -> Any:
        for a in args:
            if isinstance(a, Tracer):
                a = a.full_lower()
                if isinstance(a, Tracer):
                    raise a._leaked_error()
            elif type(a) is not np.ndarray and isinstance(a, np.ndarray):
                check_not_masked(a)  # C++ serves it like any other of its dtype and shape
        if trace_context.trace is self:
            return eager_port.fn(primitive, args, params)
        # A transformation hands on what it knows: C++ may serve that, and checks its result, only outside of any trace.
        before = set_trace(self)
        try:
            return eager_port.fn(primitive, args, params)
        finally:
            set_trace(before)


eval_trace = EvalTrace()


class _TraceContext(threading.local):
    """The thread's current trace, and the named axes that are in scope."""

    def __init__(self) -> None:
        self.trace: Trace = eval_trace
        self.staging = False
        self.axis_env: dict[Any, int] = {}


trace_context = _TraceContext()


def set_trace(trace: Trace) -> Trace:
    """Makes ``trace`` current and returns the one before."""
    ctx = trace_context
    before = ctx.trace
    ctx.trace = trace
    staging = trace is not eval_trace
    if staging is not ctx.staging:
        # C++ dispatch must not serve a cached call while operations are to be recorded or transformed.
        ctx.staging = staging
        staging_state.set_local(staging)
    return before


@contextmanager
def set_current_trace(trace: Trace) -> Iterator[None]:
    """Makes ``trace`` current inside."""
    before = set_trace(trace)
    try:
        yield
    finally:
        set_trace(before)


def current_trace_is_eval() -> bool:
    """Returns whether operations are executed at once."""
    return trace_context.trace is eval_trace


_METHODS_OF_VALUES = frozenset(
    {"__dlpack__", "addressable_data", "delete", "devices", "is_deleted", "on_device_size_in_bytes",
     "unsafe_buffer_pointer"}
)  # fmt: skip
_PROPERTIES_OF_VALUES = frozenset(
    {"global_shards", "is_fully_addressable", "is_fully_replicated", "traceback"}
)


class Tracer:
    """A value that is being traced. Array methods and operators are put on this class by ``core.operators``."""

    __slots__ = ("__weakref__", "_trace", "aval")
    __array_priority__ = 1000
    __hash__ = None  # pyright: ignore[reportAssignmentType]

    aval: Any
    _trace: Trace

    def concrete(self) -> Any:
        """Returns the value where it is known, else None."""
        return None

    def full_lower(self) -> Any:
        """Returns a simpler value where this tracer carries nothing of its trace."""
        return self

    def _error_repr(self) -> str:
        return f"traced array with shape {self.aval.str_short()}"

    def _origin_msg(self) -> str:
        return ""

    def _leaked_error(self) -> Exception:
        error = UnexpectedTracerError(leaked_tracer_text(self.aval.str_short(), type(self).__name__))
        error.tracer = self
        return error

    @property
    def shape(self) -> tuple[int, ...]:
        """The dimensions."""
        return self.aval.shape

    @property
    def dtype(self) -> Any:
        """The element type."""
        return self.aval.dtype

    @property
    def ndim(self) -> int:
        """How many dimensions there are."""
        return len(self.aval.shape)

    @property
    def size(self) -> int:
        """How many elements there are."""
        return self.aval.size

    @property
    def weak_type(self) -> bool:
        """Whether the dtype yields to other operands' dtypes."""
        return self.aval.weak_type

    def __len__(self) -> int:
        return len(self.aval)

    def __bool__(self) -> bool:
        value = self.concrete()
        if value is not None:
            return bool(value)
        if self.aval.shape and self.aval.size != 1:
            raise ValueError(
                "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()"
            )
        raise TracerBoolConversionError(self)

    def _scalar(self, fun: Any, name: str) -> Any:
        if self.ndim:
            raise TypeError(
                f"Only scalar arrays can be converted to Python scalars; got arr.ndim={self.ndim}"
            )
        value = (
            self.concrete() if fun is int else None
        )  # the others are refused even where the value is known
        if value is not None:
            return fun(value)
        raise ConcretizationTypeError(
            self,
            f"The problem arose with the `{name}` function. If trying to convert the data type of a value, "
            f"try using `x.astype({name})` or `jnp.array(x, {name})` instead.",
        )

    def __int__(self) -> int:
        return self._scalar(int, "int")

    def __float__(self) -> float:
        return self._scalar(float, "float")

    def __complex__(self) -> complex:
        return self._scalar(complex, "complex")

    def __index__(self) -> int:
        if self.ndim or not dtypes.issubdtype(self.dtype, np.integer):
            raise TypeError("Only integer scalar arrays can be converted to a scalar index.")
        value = self.concrete()
        if value is not None:
            return value.__index__()
        raise TracerIntegerConversionError(self)

    def __array__(self, *args: Any, **kwargs: Any) -> np.ndarray:
        raise TracerArrayConversionError(self)

    def tolist(self) -> Any:
        """Raises: a traced value has no elements yet."""
        raise ConcretizationTypeError(
            self, f"The tolist() method was called on {self._error_repr()}.{self._origin_msg()}"
        )

    def item(self, *args: Any) -> Any:
        """Returns the element where it is known; raises ConcretizationTypeError where it is not."""
        value = self.concrete()
        if value is not None:
            return np.asarray(value).item(*args)
        raise ConcretizationTypeError(self, "This occurred in the item() method of jax.Array")

    def __getattr__(self, name: str) -> Any:
        """Says of what only a value has that a traced one has it not; the rest is asked of its type."""
        if name in _METHODS_OF_VALUES:
            return functools.partial(self._refuse, f"The {name}() method was called on")
        if name in _PROPERTIES_OF_VALUES:
            self._refuse(f"The {name} property was called on")
        if name in ("committed", "addressable_shards"):
            self._refuse(f"The '{name}' attribute is not available on")
        if name in ("block_until_ready", "copy_to_host_async"):
            raise AttributeError(
                f"The '{name}' method is not available on {self._error_repr()}.{self._origin_msg()}"
            )
        if name == "sharding":
            raise AttributeError(
                f"The 'sharding' attribute is not available on {self._error_repr()}. "
                "To query sharding information on tracers, use `jax.typeof(x)`."
            )
        if name in ("str_short", "strip_weak_type", "update"):
            return getattr(self.aval, name)
        raise AttributeError(f"{type(self).__name__} has no attribute {name}")

    def _refuse(self, text: str, *_: Any) -> None:
        raise ConcretizationTypeError(self, f"{text} {self._error_repr()}.{self._origin_msg()}")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.aval})"


def concrete_value(x: Any) -> Any:
    """Returns ``x`` where it is a value, the value a tracer knows, or None."""
    return x.concrete() if isinstance(x, Tracer) else x


def shaped_aval(x: Any) -> Any:
    """Returns the abstract value of a tracer or a value."""
    return x.aval if isinstance(x, Tracer) else get_aval(x)
