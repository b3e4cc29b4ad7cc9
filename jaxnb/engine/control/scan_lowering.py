"""Scans as loops: the program that ``scan_p`` is lowered as."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from jaxnb.engine.control.calls import call_named, closed_call_p, eval_jaxpr_p
from jaxnb.engine.control.loops import while_p
from jaxnb.engine.core import dtypes
from jaxnb.engine.core.avals import ShapedArray
from jaxnb.engine.core.jaxpr import ClosedJaxpr, close
from jaxnb.engine.core.trace import shaped_aval
from jaxnb.engine.ops.arithmetic import add, sub
from jaxnb.engine.ops.comparison import lt
from jaxnb.engine.ops.dynamic_slicing import dynamic_slice, dynamic_update_slice
from jaxnb.engine.ops.joining import concatenate
from jaxnb.engine.ops.shape import expand_dims, reshape, squeeze
from jaxnb.engine.ops.slicing import index_in_dim, slice_in_dim
from jaxnb.engine.ops.unset import unset
from jaxnb.engine.transforms.stage import trace_to_jaxpr
from jaxnb.xla.version import JAXLIB_VERSION

__all__ = ["scan_as_loop"]

_BODY_IS_CALLED = JAXLIB_VERSION < (0, 12)
"""Whether the body is a function of its own in the module, or stands inside the loop."""


def _shape(x: Any) -> tuple[int, ...]:
    return shaped_aval(x).shape  # pyright: ignore[reportAttributeAccessIssue]


def _number(n: int) -> Any:
    """Returns a number of the type that counts steps: the widest integer type in use."""
    return dtypes.canonicalize_dtype(np.int64).type(n)


def _dynamic_index_in_dim(x: Any, i: Any) -> list[Any]:
    shape = _shape(x)
    starts = [i, *(_number(0),) * (len(shape) - 1)]
    piece = dynamic_slice(x, starts, (1, *shape[1:]), allow_negative_indices=False)
    return [squeeze(piece, (0,))]


def _dynamic_update_index_in_dim(x: Any, update: Any, i: Any) -> list[Any]:
    starts = [i, *(_number(0),) * (len(_shape(x)) - 1)]
    return [dynamic_update_slice(x, expand_dims(update, (0,)), starts, allow_negative_indices=False)]


def scan_as_loop(
    *args: Any,
    jaxpr: ClosedJaxpr,
    length: int,
    reverse: bool,
    unroll: int,
    num_consts: int,
    num_carry: int,
    **_: Any,
) -> list[Any]:
    """Returns a scan's results, computed by a loop over blocks of ``unroll`` steps and the steps that are left."""
    consts = list(args[:num_consts])
    carry = list(args[num_consts : num_consts + num_carry])
    xs = list(args[num_consts + num_carry :])
    unroll = max(unroll, 1)
    trips, rest = divmod(length, unroll)
    if unroll != 1 and trips == 1 and not rest:
        trips, rest = 0, length
    in_blocks = trips * unroll
    rest_xs: list[Any] = []
    if rest:
        at = rest if reverse else in_blocks
        parts = [(slice_in_dim(x, 0, at), slice_in_dim(x, at, rest + in_blocks)) for x in xs]
        xs, rest_xs = (
            ([p[1] for p in parts], [p[0] for p in parts])
            if reverse
            else (
                [p[0] for p in parts],
                [p[1] for p in parts],
            )
        )
    block = () if unroll == 1 else (unroll,)
    if block and trips:
        xs = [reshape(x, (trips, unroll, *_shape(x)[1:])) for x in xs]

    def step(current: Sequence[Any], x: Sequence[Any]) -> list[Any]:
        operands = [*consts, *current, *x]
        return (closed_call_p if _BODY_IS_CALLED else eval_jaxpr_p).bind(*operands, call_jaxpr=jaxpr)

    def steps(current: list[Any], x: Sequence[Any], n: int) -> tuple[list[Any], list[Any]]:
        """Several steps over the rows of ``x``; their results are stacked."""
        rows: list[list[Any]] = []
        for i in reversed(range(n)) if reverse else range(n):
            out = step(current, [index_in_dim(v, i, keepdims=False) for v in x])
            current = out[:num_carry]
            rows.append(out[num_carry:])
        if reverse:
            rows.reverse()
        return current, [_stack(column) for column in zip(*rows, strict=True)]

    avals = jaxpr.out_avals[num_carry:]
    # Where no blocks are computed, the results of none are as long as no step.
    lead = (trips, *block) if trips else (0,)
    ys = [_unset((*lead, *a.shape), a) for a in avals]  # pyright: ignore[reportAttributeAccessIssue]
    if trips:
        carry, ys = _loop(
            trips,
            consts,
            carry,
            xs,
            ys,
            reverse,
            lambda c, x: _split_out(step(c, x), num_carry) if not block else steps(c, x, unroll),
        )
    if block and trips:
        ys = [reshape(y, (in_blocks, *_shape(y)[2:])) for y in ys]
    if rest:
        carry, rest_ys = steps(carry, rest_xs, rest)
        ys = [concatenate([r, y] if reverse else [y, r], 0) for y, r in zip(ys, rest_ys, strict=True)]
    return [*carry, *ys]


def _unset(shape: tuple[int, ...], aval: Any) -> Any:
    return unset(ShapedArray(shape, aval.dtype))


def _split_out(out: Sequence[Any], num_carry: int) -> tuple[list[Any], list[Any]]:
    return list(out[:num_carry]), list(out[num_carry:])


def _stack(rows: Sequence[Any]) -> Any:
    return concatenate([expand_dims(r, (0,)) for r in rows], 0)


def _loop(
    trips: int,
    fixed: Sequence[Any],
    carry: list[Any],
    xs: Sequence[Any],
    ys: Sequence[Any],
    reverse: bool,
    block: Any,
) -> tuple[list[Any], list[Any]]:
    """Returns the carry and the results after ``trips`` blocks."""
    n = len(carry)

    def cond(i: Any, *_: Any) -> list[Any]:
        return [lt(i, _number(trips))]

    def body(i: Any, *state: Any) -> list[Any]:
        at = sub(sub(_number(trips), i), _number(1)) if reverse else i
        x = [call_named("dynamic_index_in_dim", _dynamic_index_in_dim, v, at)[0] for v in xs]
        new, y = block(list(state[:n]), x)
        updated = [
            call_named("dynamic_update_index_in_dim", _dynamic_update_index_in_dim, old, v, at)[0]
            for old, v in zip(state[n:], y, strict=True)
        ]
        return [add(i, _number(1)), *new, *updated]

    start = [_number(0), *carry, *ys]
    avals = [shaped_aval(x) for x in start]
    cond_jaxpr, _ = trace_to_jaxpr(cond, avals)
    body_jaxpr, consts = trace_to_jaxpr(body, avals)
    # after the rows come the scan's constants in their order, not in that of their first use
    place = {id(c): i for i, c in enumerate(fixed)}
    order = sorted(range(len(consts)), key=lambda i: place.get(id(consts[i]), -1))
    constvars, consts = ([column[i] for i in order] for column in (body_jaxpr.constvars, consts))
    body_jaxpr = body_jaxpr.replace(constvars=[], invars=[*constvars, *body_jaxpr.invars])
    out = while_p.bind(
        *consts,
        *start,
        cond_nconsts=0,
        cond_jaxpr=close(cond_jaxpr),
        body_nconsts=len(consts),
        body_jaxpr=close(body_jaxpr),
    )
    return out[1 : 1 + n], out[1 + n :]
