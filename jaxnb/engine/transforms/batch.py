"""Batching: every value may carry one more axis, over which the function is mapped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from jaxnb.base import config
from jaxnb.engine.core.avals import ShapedArray, aval_makers
from jaxnb.engine.core.jaxpr import Jaxpr
from jaxnb.engine.core.rules import Undefined, batch_port, batch_rules
from jaxnb.engine.core.source import current_source, summarize, transform_name_stack
from jaxnb.engine.core.trace import (
    CustomCall,
    Trace,
    Tracer,
    set_current_trace,
    set_trace,
    shaped_aval,
    trace_context,
)
from jaxnb.engine.transforms.evaluate import eval_jaxpr
from jaxnb.engine.transforms.leaks import check_leaks
from jaxnb.engine.transforms.stage import trace_to_jaxpr
from jaxnb.xla.version import JAXLIB_VERSION

__all__ = ["BatchTrace", "BatchTracer", "axis_size_of", "batch_flat", "batch_jaxpr", "to_dim"]


_NAME = "VmapTracer" if JAXLIB_VERSION >= (0, 12) else "BatchTracer"  # as messages call it


class BatchTracer(Tracer):
    """A value with one more axis than the function sees."""

    __slots__ = ("dim", "made", "value")

    def __init__(self, trace: BatchTrace, value: Any, dim: int):
        self._trace = trace
        self.value = value
        self.dim = dim
        self.made = current_source()
        aval = shaped_aval(value)
        assert isinstance(aval, ShapedArray)
        self.aval = aval.update(shape=(*aval.shape[:dim], *aval.shape[dim + 1 :]))

    def full_lower(self) -> Any:
        return self

    def _origin_msg(self) -> str:
        return f"\nThis {_NAME} with object id {id(self)} was created on line:\n  {summarize(self.made)}"

    def __repr__(self) -> str:
        batched = shaped_aval(self.value)
        return f"VmapTracer(aval={self.aval.str_short()}, batched={batched.str_short()})"


aval_makers[BatchTracer] = lambda x: x.aval


def to_dim(x: Any, dim: int | None, size: int, target: int) -> Any:
    """Returns ``x`` with its mapped axis at ``target``; a value that is not mapped is repeated ``size`` times."""
    if dim is None:
        return batch_port.broadcast(x, size, target)
    return x if dim == target else batch_port.move(x, dim, target)


def axis_size_of(args: Sequence[Any], dims: Sequence[int | None]) -> int:
    """Returns the size of the mapped axis."""
    return next(shaped_aval(x).shape[d] for x, d in zip(args, dims, strict=True) if d is not None)


class BatchTrace(Trace):
    """Applies batching rules; what the rules do is handled by the trace around."""

    __slots__ = ("axis_name", "axis_size", "finished", "parent", "spmd_axis_name")

    checks_operands = True

    def __init__(self, parent: Trace, axis_size: int, axis_name: Any = None, spmd_axis_name: Any = None):
        self.parent = parent
        self.axis_size = axis_size
        self.axis_name = axis_name
        self.spmd_axis_name = spmd_axis_name
        self.finished = False

    def pair(self, x: Any) -> tuple[Any, int | None]:
        """Returns a value and the position of its mapped axis."""
        if type(x) is BatchTracer and x._trace is self:
            return x.value, x.dim
        return x, None

    def wrap(self, value: Any, dim: int | None) -> Any:
        """Returns the tracer of a value with a mapped axis, or the bare value."""
        return value if dim is None else BatchTracer(self, value, dim)

    def process(self, primitive: Any, args: Sequence[Any], params: dict[str, Any]) -> Any:
        values, dims = zip(*map(self.pair, args), strict=True) if args else ((), ())
        if all(d is None for d in dims):
            return self.parent.process(primitive, values, params)
        rule = batch_rules.get(primitive)
        if rule is None or isinstance(rule, Undefined):
            raise NotImplementedError(f"Batching rule for '{primitive}' not implemented")
        before = set_trace(self.parent)
        try:
            out, out_dims = rule(values, dims, **params)
        finally:
            set_trace(before)
        if primitive.multiple_results:
            return [self.wrap(o, d) for o, d in zip(out, out_dims, strict=True)]
        return self.wrap(out, out_dims)

    def custom_jvp(self, call: CustomCall, args: Sequence[Any]) -> list[Any]:
        values, dims = zip(*map(self.pair, args), strict=True) if args else ((), ())
        if all(d is None for d in dims):
            with set_current_trace(self.parent):
                return self.parent.custom_jvp(call, values)
        new, out_dims = batch_custom_call(self, call, dims)
        with set_current_trace(self.parent):
            out = self.parent.custom_jvp(new, values)
        return [self.wrap(o, d) for o, d in zip(out, out_dims(), strict=True)]

    def custom_vjp(self, call: CustomCall, args: Sequence[Any]) -> list[Any]:
        values, dims = zip(*map(self.pair, args), strict=True) if args else ((), ())
        if all(d is None for d in dims):
            with set_current_trace(self.parent):
                return self.parent.custom_vjp(call, values)
        new, out_dims = batch_custom_call(self, call, dims)
        with set_current_trace(self.parent):
            out = self.parent.custom_vjp(new, values)
        return [self.wrap(o, d) for o, d in zip(out, out_dims(), strict=True)]


batch_custom_call: Any = None
"""Set by ``control.custom_rules``: a call whose functions are mapped."""


def batch_flat(
    fun: Callable[..., Sequence[Any]],
    args: Sequence[Any],
    dims: Sequence[int | None],
    axis_size: int,
    axis_name: Any = None,
    spmd_axis_name: Any = None,
    name_stack: bool = True,
) -> tuple[list[Any], list[int | None]]:
    """Returns a mapped flat function's results and where each has its mapped axis."""
    ctx = trace_context
    trace = BatchTrace(ctx.trace, axis_size, axis_name, spmd_axis_name)
    ins = [trace.wrap(x, d) for x, d in zip(args, dims, strict=True)]
    env = ctx.axis_env
    if axis_name is not None:
        ctx.axis_env = {**env, axis_name: axis_size}
    try:
        with set_current_trace(trace):
            if name_stack:
                with transform_name_stack("vmap"):
                    out = fun(*ins)
            else:
                out = fun(*ins)
    finally:
        ctx.axis_env = env
    trace.finished = True
    pairs = [trace.pair(o) for o in out]
    if config.check_tracer_leaks.value:
        del ins, out
        check_leaks(trace, "BatchTrace")
    return [v for v, _ in pairs], [d for _, d in pairs]


def batch_jaxpr(
    jaxpr: Jaxpr,
    axis_size: int,
    in_dims: Sequence[int | None],
    out_dims: Sequence[int | None] | None = None,
) -> tuple[Jaxpr, list[int | None]]:
    """Returns the mapped program and where its results have the mapped axis; remembered by program.

    Args:
        jaxpr: the program.
        axis_size: the mapped axis' size.
        in_dims: where each parameter has the mapped axis.
        out_dims: where each result must have it (None: where it falls).
    """
    key = ("batch", axis_size, tuple(in_dims), None if out_dims is None else tuple(out_dims))
    found = jaxpr._cache.get(key)
    if found is None:
        dims_out: list[int | None] = []

        def fun(*args: Any) -> list[Any]:
            out, dims = batch_flat(
                lambda *xs: eval_jaxpr(jaxpr, (), *xs), args, in_dims, axis_size, name_stack=False
            )
            if out_dims is not None:
                out = [
                    o
                    if want is None and d is None
                    else to_dim(o, d, axis_size, want if want is not None else 0)
                    for o, d, want in zip(out, dims, out_dims, strict=True)
                ]
                dims = [
                    want if want is not None else (None if d is None else 0)
                    for want, d in zip(out_dims, dims, strict=True)
                ]
            dims_out[:] = dims
            return out

        avals = []
        for v, d in zip(jaxpr.invars, in_dims, strict=True):
            if d is None:
                avals.append(v.aval)
            else:
                shape = list(v.aval.shape)
                shape.insert(d, axis_size)
                avals.append(v.aval.update(shape=tuple(shape)))
        new, consts = trace_to_jaxpr(fun, avals, jaxpr.debug_info, stage_all=True)
        assert not consts
        found = jaxpr._cache[key] = (new, dims_out)
    return found
