"""Repetition while a condition holds: ``while_p`` with all its rules.

The functions users call are in ``repetition.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from jaxnb.engine.control.scopes import scoped
from jaxnb.engine.core import dtypes
from jaxnb.engine.core.ad import UndefinedPrimal, Zero
from jaxnb.engine.core.avals import ShapedArray
from jaxnb.engine.core.effects import ordered
from jaxnb.engine.core.jaxpr import ClosedJaxpr, DropVar, Jaxpr, JaxprEqn, close
from jaxnb.engine.core.rules import define, instantiate_zeros
from jaxnb.engine.ops.lowering import LoweringContext, constant, dense_ints, ir_type, ir_types, open_block
from jaxnb.engine.transforms.batch import axis_size_of, batch_jaxpr, to_dim
from jaxnb.engine.transforms.dce import dce_jaxpr
from jaxnb.engine.transforms.evaluate import eval_jaxpr
from jaxnb.engine.transforms.jvp import jvp_jaxpr
from jaxnb.engine.transforms.linearize import LinearizeTrace
from jaxnb.engine.transforms.split import split_jaxpr
from jaxnb.engine.transforms.stage import trace_to_jaxpr
from jaxnb.xla.mlir import hlo, ir
from jaxnb.xla.version import JAXLIB_VERSION

__all__ = ["grow", "while_p"]

_LOSES_DEAD_CODE = JAXLIB_VERSION >= (0, 12)
"""Whether parts of the carry that nothing needs are dropped when a program is lowered."""


def _split_args(values: Sequence[Any], cond_nconsts: int, body_nconsts: int) -> tuple[Any, Any, Any]:
    """Returns the condition's constants, the body's constants and the carry."""
    a, b = cond_nconsts, cond_nconsts + body_nconsts
    return list(values[:a]), list(values[a:b]), list(values[b:])


def _abstract(*avals: Any, body_jaxpr: ClosedJaxpr, **_: Any) -> list[Any]:
    return body_jaxpr.out_avals


def _effects(*avals: Any, cond_jaxpr: ClosedJaxpr, body_jaxpr: ClosedJaxpr, **_: Any) -> frozenset:
    return cond_jaxpr.effects | body_jaxpr.effects


# ---- lowering --------------------------------------------------------------------------------------------------------


def _lower(
    ctx: LoweringContext,
    *values: ir.Value,
    cond_nconsts: int,
    cond_jaxpr: ClosedJaxpr,
    body_nconsts: int,
    body_jaxpr: ClosedJaxpr,
) -> list[ir.Value]:
    # The tokens of ordered effects go through the loop before everything else.
    effects, tokens = ordered(body_jaxpr.effects), ctx.module.tokens
    k = len(effects)
    types = [*[hlo.TokenType.get()] * k, *ir_types(ctx.avals_in)]
    op = hlo.WhileOp(types, [*(tokens[e] for e in effects), *values])
    (pred_aval,) = cond_jaxpr.out_avals
    mapped = bool(pred_aval.shape)  # pyright: ignore[reportAttributeAccessIssue]
    block = open_block(op.regions[0], *types)
    with ir.InsertionPoint(block):
        x, _, z = _split_args(list(block.arguments)[k:], cond_nconsts, body_nconsts)
        (pred,) = scoped(ctx, "while", "cond").lower_jaxpr(cond_jaxpr, *x, *z)
        if mapped:
            pred = _any(pred, pred_aval)  # pyright: ignore[reportArgumentType]
        hlo.return_([pred])
    block = open_block(op.regions[1], *types)
    with ir.InsertionPoint(block):
        x, y, z = _split_args(list(block.arguments)[k:], cond_nconsts, body_nconsts)
        tokens.update(zip(effects, block.arguments, strict=False))
        new = scoped(ctx, "while", "body").lower_jaxpr(body_jaxpr, *y, *z)
        if mapped:
            # Rows whose condition no longer holds keep their values.
            (pred,) = scoped(ctx, "while", "body_pred").lower_jaxpr(cond_jaxpr, *x, *z)
            new = [
                _keep_where(pred, pred_aval, n, old, aval)  # pyright: ignore[reportArgumentType]
                for n, old, aval in zip(new, z, body_jaxpr.out_avals, strict=True)
            ]
        hlo.return_([*(tokens[e] for e in effects), *x, *y, *new])
    tokens.update(zip(effects, op.results, strict=False))
    return list(op.results)[k + cond_nconsts + body_nconsts :]  # pyright: ignore[reportReturnType]


def _any(pred: ir.Value, aval: ShapedArray) -> ir.Value:
    """Emits the disjunction of all elements."""
    scalar = ir_type(ShapedArray((), aval.dtype))
    op = hlo.ReduceOp([scalar], [pred], [constant(np.False_)], dense_ints(range(aval.ndim)))
    block = open_block(op.regions[0], scalar, scalar)
    with ir.InsertionPoint(block):
        hlo.return_([hlo.or_(*block.arguments)])
    return op.result


def _keep_where(
    pred: ir.Value, pred_aval: ShapedArray, new: ir.Value, old: ir.Value, aval: ShapedArray
) -> ir.Value:
    shape = aval.shape
    if dtypes.is_extended(aval.dtype):
        shape = (*shape, *dtypes.physical_aval(aval.dtype)[0])
    wide = ir_type(ShapedArray(shape, pred_aval.dtype))
    return hlo.select(hlo.broadcast_in_dim(wide, pred, dense_ints(range(pred_aval.ndim))), new, old)


# ---- derivatives -----------------------------------------------------------------------------------------------------


def grow(flags: Sequence[bool], step: Any) -> list[bool]:
    """Returns the smallest growth of ``flags`` that ``step`` leaves as it is."""
    current = list(flags)
    while True:
        grown = [a or b for a, b in zip(current, step(current), strict=True)]
        if grown == current:
            return current
        current = grown


def _with_unused(jaxpr: Jaxpr, avals: Sequence[Any]) -> Jaxpr:
    """Returns the program with parameters after its own that it does not use."""
    if not avals:
        return jaxpr
    key = ("with_unused", tuple(avals))
    found = jaxpr._cache.get(key)
    if found is None:
        n = len(jaxpr.invars)
        found, _ = trace_to_jaxpr(
            lambda *xs: eval_jaxpr(jaxpr, (), *xs[:n]),
            [*jaxpr.in_avals, *avals],
            jaxpr.debug_info,
            stage_all=True,
        )
        jaxpr._cache[key] = found
    return found


def _derivative(
    primals: Any, tangents: Any, *, cond_nconsts: int, cond_jaxpr: Any, body_nconsts: int, body_jaxpr: Any
) -> tuple[list[Any], dict[str, Any], list[bool]]:
    """Returns operands and parameters of the loop of values and tangents, and which of the carry have a tangent."""
    body = body_jaxpr.jaxpr
    n = len(body.outvars)
    x, y, z = _split_args(primals, cond_nconsts, body_nconsts)
    _, y_dot, z_dot = _split_args(tangents, cond_nconsts, body_nconsts)
    nz_consts = [type(t) is not Zero for t in y_dot]
    nz = grow([type(t) is not Zero for t in z_dot], lambda c: jvp_jaxpr(body, [*nz_consts, *c], c)[1])
    new_body, _ = jvp_jaxpr(body, [*nz_consts, *nz], nz)
    new_body = _reordered(new_body, len(y), n, sum(nz_consts))
    y_ts = [t for t in y_dot if type(t) is not Zero]
    z_ts = [instantiate_zeros(t) for t, m in zip(z_dot, nz, strict=True) if m]
    tangent_avals = [a.to_tangent_aval() for a, m in zip(body.out_avals, nz, strict=True) if m]
    params = {
        "cond_nconsts": cond_nconsts,
        "cond_jaxpr": close(_with_unused(cond_jaxpr.jaxpr, tangent_avals)),
        "body_nconsts": body_nconsts + len(y_ts),
        "body_jaxpr": close(new_body),
    }
    return [*x, *y, *y_ts, *z, *z_ts], params, nz


def _reordered(jaxpr: Jaxpr, n_consts: int, n_carry: int, n_const_tangents: int) -> Jaxpr:
    """Returns the program with the constants' tangents right after the constants."""
    if not n_const_tangents:
        return jaxpr
    key = ("reordered", n_consts, n_carry, n_const_tangents)
    found = jaxpr._cache.get(key)
    if found is None:
        v = jaxpr.invars
        a, b = n_consts, n_consts + n_carry
        c = b + n_const_tangents
        found = jaxpr._cache[key] = jaxpr.replace(invars=[*v[:a], *v[b:c], *v[a:b], *v[c:]])
    return found


def _jvp(primals: Any, tangents: Any, **params: Any) -> tuple[list[Any], list[Any]]:
    """The loop of values and tangents."""
    operands, new, nz = _derivative(primals, tangents, **params)
    out = while_p.bind(*operands, **new)
    avals = params["body_jaxpr"].out_avals
    ts = iter(out[len(avals) :])
    return out[: len(avals)], [
        next(ts) if m else Zero(a.to_tangent_aval()) for m, a in zip(nz, avals, strict=True)
    ]


def _linearize(trace: LinearizeTrace, primals: Any, tangents: Any, params: dict[str, Any]) -> Any:
    """The values' loop now; the loop of values and tangents once more among the linear operations."""
    operands, new, nz = _derivative(primals, tangents, **params)
    body = new["body_jaxpr"].jaxpr
    n = len(nz)
    n_ts = sum(nz)
    tangent_consts = new["body_nconsts"] - params["body_nconsts"]
    unknown = [False] * params["body_nconsts"] + [True] * tangent_consts + [False] * n + [True] * n_ts
    known = split_jaxpr(body, unknown).known
    known = known.replace(outvars=known.outvars[:n])
    out = trace.parent.process(while_p, primals, {**params, "body_jaxpr": close(known)})
    linear = trace.linear.process(while_p, operands, new)
    ts = iter(linear[n:])
    return out, [
        next(ts) if m else Zero(a.to_tangent_aval())
        for m, a in zip(nz, params["body_jaxpr"].out_avals, strict=True)
    ]


def _transpose(cts: Any, *operands: Any, **_: Any) -> Any:
    if not any(type(x) is UndefinedPrimal for x in operands):
        return [None] * len(operands)
    raise ValueError(
        "Reverse-mode differentiation does not work for lax.while_loop or lax.fori_loop with dynamic start/stop "
        "values. Try using lax.scan, or using fori_loop with static start/stop."
    )


# ---- mapping ---------------------------------------------------------------------------------------------------------


def _batch(
    args: Any, dims: Any, *, cond_nconsts: int, cond_jaxpr: Any, body_nconsts: int, body_jaxpr: Any
) -> tuple[list[Any], list[Any]]:
    """The loop over mapped values; where the condition is mapped, it runs until it holds nowhere."""
    size = axis_size_of(args, dims)
    x_dims, y_dims, z_dims = _split_args(dims, cond_nconsts, body_nconsts)
    x_in = [None if d is None else 0 for d in x_dims]
    y_in = [None if d is None else 0 for d in y_dims]

    def at_front(flags: Sequence[bool]) -> list[int | None]:
        return [0 if f else None for f in flags]

    def step(carry: Sequence[bool]) -> list[bool]:
        (pred,) = batch_jaxpr(cond_jaxpr.jaxpr, size, [*x_in, *at_front(carry)])[1]
        if pred is not None:
            return [True] * len(carry)
        return [d is not None for d in batch_jaxpr(body_jaxpr.jaxpr, size, [*y_in, *at_front(carry)])[1]]

    carry = at_front(grow([d is not None for d in z_dims], step))
    new_cond, (pred_dim,) = batch_jaxpr(cond_jaxpr.jaxpr, size, [*x_in, *carry])
    if pred_dim not in (None, 0):
        new_cond, _ = batch_jaxpr(cond_jaxpr.jaxpr, size, [*x_in, *carry], [0])
    new_body, _ = batch_jaxpr(body_jaxpr.jaxpr, size, [*y_in, *carry], carry)
    wanted = [*x_in, *y_in, *carry]
    moved = [a if w is None else to_dim(a, d, size, 0) for a, d, w in zip(args, dims, wanted, strict=True)]
    out = while_p.bind(
        *moved,
        cond_nconsts=cond_nconsts,
        cond_jaxpr=close(new_cond),
        body_nconsts=body_nconsts,
        body_jaxpr=close(new_body),
    )
    return out, list(carry)


# ---- dead code -------------------------------------------------------------------------------------------------------


def _dce(used: Sequence[bool], eqn: JaxprEqn) -> JaxprEqn | None:
    """The loop without the parts of its carry that neither the condition nor a used result depends on."""
    if not any(used) and not eqn.effects:
        return None
    if not _LOSES_DEAD_CODE:
        return eqn
    p = eqn.params
    cond, body = p["cond_jaxpr"].jaxpr, p["body_jaxpr"].jaxpr
    a, b = p["cond_nconsts"], p["body_nconsts"]
    _, cond_used = dce_jaxpr(cond, [True], [True] * a + [False] * len(used))
    needed = grow(
        [u or c for u, c in zip(used, cond_used[a:], strict=True)], lambda c: dce_jaxpr(body, c)[1][b:]
    )
    new_body, body_used = dce_jaxpr(body, needed, [*[False] * b, *needed])
    new_cond, _ = dce_jaxpr(cond, [True], [True] * a + needed)
    if new_body is body and new_cond is cond:
        return eqn
    x, y, z = _split_args(eqn.invars, a, b)
    y = [v for v, u in zip(y, body_used, strict=False) if u]
    z = [v for v, u in zip(z, needed, strict=True) if u]
    outvars = zip(eqn.outvars, used, needed, strict=True)
    return eqn.replace(
        invars=[*x, *y, *z],
        outvars=[v if u else DropVar(v.aval) for v, u, m in outvars if m],
        params={
            **p,
            "body_nconsts": len(y),
            "body_jaxpr": close(new_body),
            "cond_jaxpr": close(new_cond),
        },
    )


while_p = define(
    "while",
    abstract=_abstract,
    lower=_lower,
    jvp=_jvp,
    transpose=_transpose,
    batch=_batch,
    multiple_results=True,
    linearize=_linearize,
    dce=_dce,
    effects=_effects,
    doc="the carry after the last iteration for which the condition held",
)
