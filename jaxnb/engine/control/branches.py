"""Choosing between programs: ``cond_p`` with all its rules.

The functions users call are in ``conditionals.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from jaxnb.engine.control.scopes import scoped
from jaxnb.engine.core.ad import UndefinedPrimal, Zero
from jaxnb.engine.core.avals import ShapedArray
from jaxnb.engine.core.effects import ordered
from jaxnb.engine.core.jaxpr import ClosedJaxpr, Jaxpr, JaxprEqn, close
from jaxnb.engine.core.rules import Undefined, define, instantiate_zeros
from jaxnb.engine.core.trace import shaped_aval
from jaxnb.engine.ops.comparison import eq
from jaxnb.engine.ops.identity import stop_gradient
from jaxnb.engine.ops.lowering import LoweringContext, constant, ir_types
from jaxnb.engine.ops.selection import select_n
from jaxnb.engine.ops.shape import broadcast_in_dim
from jaxnb.engine.ops.unset import unset
from jaxnb.engine.transforms.batch import axis_size_of, batch_jaxpr, to_dim
from jaxnb.engine.transforms.dce import dce_jaxpr
from jaxnb.engine.transforms.evaluate import eval_jaxpr
from jaxnb.engine.transforms.jvp import jvp_jaxpr
from jaxnb.engine.transforms.linearize import LinearizedJaxpr, LinearizeTrace, linearize_jaxpr
from jaxnb.engine.transforms.stage import trace_to_jaxpr
from jaxnb.engine.transforms.transpose import backward_pass
from jaxnb.xla.mlir import hlo, ir
from jaxnb.xla.version import JAXLIB_VERSION

__all__ = ["cond_p", "platform_index_p"]

_RESIDUALS_FORWARDED = JAXLIB_VERSION >= (0, 12)
"""Whether a residual that is an operand is handed on without passing through the branches."""

Branches = tuple[ClosedJaxpr, ...]


def _closed(branches: Sequence[Jaxpr]) -> Branches:
    return tuple(close(b) for b in branches)


def _abstract(index: Any, *operands: Any, branches: Branches, **_: Any) -> list[Any]:
    return branches[0].out_avals


def _effects(*avals: Any, branches: Branches, **_: Any) -> frozenset:
    return frozenset().union(*(b.effects for b in branches))


def _lower(
    ctx: LoweringContext,
    index: ir.Value,
    *operands: ir.Value,
    branches: Branches,
    branches_platforms: Sequence[Any] | None = None,
) -> list[ir.Value]:
    kept = list(range(len(branches)))
    if branches_platforms is not None:
        wanted = _platform_positions(ctx, branches_platforms)
        kept = list(dict.fromkeys(wanted))
        index = _chosen(index, [kept.index(i) if i in kept else 0 for i in range(len(branches))])

    effects, tokens = ordered(frozenset().union(*(b.effects for b in branches))), ctx.module.tokens
    before = {e: tokens[e] for e in effects}

    def lower(i: int) -> list[ir.Value]:
        tokens.update(before)
        out = scoped(ctx, "cond", f"branch_{i}_fun").lower_jaxpr(branches[i], *operands)
        return [*(tokens[e] for e in effects), *out]

    types = [*[hlo.TokenType.get()] * len(effects), *ir_types(ctx.avals_out)]
    results = _case(types, index, [partial(lower, i) for i in kept])
    tokens.update(zip(effects, results, strict=False))
    return results[len(effects) :]


def _case(
    types: Sequence[ir.Type], index: ir.Value, branches: Sequence[Callable[[], list[ir.Value]]]
) -> list[ir.Value]:
    """Returns the results of a choice; each branch emits its operations and returns their values."""
    case = hlo.CaseOp(types, index=index, num_branches=len(branches))
    for region, branch in zip(case.regions, branches, strict=True):
        with ir.InsertionPoint(region.blocks.append()):
            hlo.return_(branch())
    return list(case.results)


# ---- derivatives -----------------------------------------------------------------------------------------------------


def _any(flags: Sequence[Sequence[bool]]) -> list[bool]:
    return [any(column) for column in zip(*flags, strict=True)]


def _jvp(primals: Any, tangents: Any, *, branches: Branches, **params: Any) -> tuple[list[Any], list[Any]]:
    """The same choice between the branches' derivatives."""
    index, *operands = primals
    nonzero = [type(t) is not Zero for t in tangents[1:]]
    nonzero_out = _any([jvp_jaxpr(b.jaxpr, nonzero)[1] for b in branches])
    new = [jvp_jaxpr(b.jaxpr, nonzero, nonzero_out)[0] for b in branches]
    ts = [t for t in tangents[1:] if type(t) is not Zero]
    out = cond_p.bind(index, *operands, *ts, branches=_closed(new), **params)
    return _split_tangents(out, nonzero_out, branches)


def _split_tangents(out: Sequence[Any], nonzero: Sequence[bool], branches: Branches) -> Any:
    avals = branches[0].out_avals
    ts = iter(out[len(avals) :])
    return out[: len(avals)], [
        next(ts) if nz else Zero(a.to_tangent_aval()) for nz, a in zip(nonzero, avals, strict=True)
    ]


class _Slots:
    """The residuals of all branches: those of one type share a place among the results."""

    def __init__(self, per_branch: Sequence[Sequence[Any]]):
        self.avals: list[Any] = []
        self.places: list[list[int]] = []
        for avals in per_branch:
            free = list(range(len(self.avals)))
            places = []
            for aval in avals:
                i = next((i for i in free if self.avals[i] == aval), None)
                if i is None:
                    i = len(self.avals)
                    self.avals.append(aval)
                else:
                    free.remove(i)
                places.append(i)
            self.places.append(places)


def _linearize(trace: LinearizeTrace, primals: Any, tangents: Any, params: dict[str, Any]) -> Any:
    """A choice that also returns residuals, and a choice between the linear programs."""
    branches: Branches = params["branches"]
    index, *operands = primals
    nonzero = [type(t) is not Zero for t in tangents[1:]]
    nonzero_out = _any([linearize_jaxpr(b.jaxpr, nonzero).nonzeros_out for b in branches])
    parts = [linearize_jaxpr(b.jaxpr, nonzero, nonzero_out) for b in branches]
    forwarded: list[int] = []
    if _RESIDUALS_FORWARDED:
        forwarded = list(dict.fromkeys(i for part in parts for kind, i in part.residuals if kind == "in"))
    carried = [
        [r for r in part.residuals if r[0] == "out" or (r[0] == "in" and not _RESIDUALS_FORWARDED)]
        for part in parts
    ]
    slots = _Slots([[_atom_of(part, r).aval for r in c] for part, c in zip(parts, carried, strict=True)])
    known = [
        _with_slots(part, c, places, slots)
        for part, c, places in zip(parts, carried, slots.places, strict=True)
    ]
    linear = [
        _linear_with_slots(part, c, places, slots, forwarded)
        for part, c, places in zip(parts, carried, slots.places, strict=True)
    ]
    rest = {k: v for k, v in params.items() if k != "branches"}
    out = trace.parent.process(cond_p, [index, *operands], {"branches": _closed(known), **rest})
    n = len(branches[0].out_avals)
    residuals = [*out[n:], *(operands[i] for i in forwarded)]
    ts = [t for t in tangents[1:] if type(t) is not Zero]
    t_out = (
        trace.linear.process(cond_p, [index, *residuals, *ts], {"branches": _closed(linear), **rest})
        if any(nonzero_out)
        else []
    )
    return _split_tangents([*out[:n], *t_out], nonzero_out, branches)


def _atom_of(part: LinearizedJaxpr, residual: tuple[str, int]) -> Any:
    kind, i = residual
    return part.primal.invars[i] if kind == "in" else part.primal.outvars[i]


def _with_slots(part: LinearizedJaxpr, carried: Any, places: Sequence[int], slots: _Slots) -> Jaxpr:
    """The branch with all residuals as results; those of other branches are unset."""
    primal = part.primal
    n = len(part.nonzeros_out)

    def fun(*args: Any) -> list[Any]:
        out = eval_jaxpr(primal, (), *args)
        values: list[Any] = [unset(aval) for aval in slots.avals]
        for (kind, i), place in zip(carried, places, strict=True):
            values[place] = args[i] if kind == "in" else out[i]
        return [*out[:n], *values]

    new, consts = trace_to_jaxpr(fun, primal.in_avals, primal.debug_info, stage_all=True)
    assert not consts
    return new


def _linear_with_slots(
    part: LinearizedJaxpr, carried: Any, places: Sequence[int], slots: _Slots, forwarded: Sequence[int]
) -> Jaxpr:
    """The branch' linear program with all residuals as parameters."""
    tangent = part.tangent
    n = len(part.residuals)
    in_avals = [part.primal.invars[i].aval for i in forwarded]
    place_of = dict(zip(carried, places, strict=True))

    def fun(*args: Any) -> list[Any]:
        given = args[: len(slots.avals)]
        handed_on = dict(zip(forwarded, args[len(slots.avals) :], strict=False))
        residuals = [
            r[1] if r[0] == "value" else given[place_of[r]] if r in place_of else handed_on[r[1]]
            for r in part.residuals
        ]
        return eval_jaxpr(tangent, (), *residuals, *args[len(slots.avals) + len(forwarded) :])

    new, consts = trace_to_jaxpr(
        fun,
        [*slots.avals, *in_avals, *(v.aval for v in tangent.invars[n:])],
        tangent.debug_info,
        stage_all=True,
    )
    assert not consts
    return new


def _transpose(cts: Any, index: Any, *operands: Any, branches: Branches, **params: Any) -> list[Any]:
    """The same choice between the transposed branches."""
    linear = tuple(type(x) is UndefinedPrimal for x in operands)
    known = [x for x, lin in zip(operands, linear, strict=True) if not lin]
    new = [_transposed_branch(b.jaxpr, linear) for b in branches]
    out = iter(cond_p.bind(index, *known, *map(instantiate_zeros, cts), branches=_closed(new), **params))
    return [None, *(next(out) if lin else None for lin in linear)]


def _transposed_branch(jaxpr: Jaxpr, linear: tuple[bool, ...]) -> Jaxpr:
    key = ("transposed branch", linear)
    found = jaxpr._cache.get(key)
    if found is None:
        n_known = sum(not lin for lin in linear)

        def fun(*flat: Any) -> list[Any]:
            known = iter(flat[:n_known])
            args = [
                UndefinedPrimal(v.aval) if lin else next(known)
                for v, lin in zip(jaxpr.invars, linear, strict=True)
            ]
            cts = backward_pass(jaxpr, (), args, flat[n_known:], False)
            return [instantiate_zeros(c) for c, lin in zip(cts, linear, strict=True) if lin]

        avals = [v.aval for v, lin in zip(jaxpr.invars, linear, strict=True) if not lin]
        avals += [a.to_tangent_aval() for a in jaxpr.out_avals]
        found, consts = trace_to_jaxpr(fun, avals, jaxpr.debug_info, stage_all=True)
        assert not consts
        jaxpr._cache[key] = found
    return found


# ---- mapping ---------------------------------------------------------------------------------------------------------


def _batch(args: Any, dims: Any, *, branches: Branches, **params: Any) -> tuple[list[Any], list[Any]]:
    """Every branch mapped; where the choice itself is mapped, all are computed and one is selected."""
    size = axis_size_of(args, dims)
    index, *operands = args
    index_dim, *op_dims = dims
    if index_dim is not None:
        return _select_mapped(to_dim(index, index_dim, size, 0), operands, op_dims, size, branches)
    moved = [x if d is None else to_dim(x, d, size, 0) for x, d in zip(operands, op_dims, strict=True)]
    in_dims = [None if d is None else 0 for d in op_dims]
    found = [batch_jaxpr(b.jaxpr, size, in_dims)[1] for b in branches]
    mapped = _any([[d is not None for d in dims_out] for dims_out in found])
    wanted = [0 if m else None for m in mapped]
    new = [batch_jaxpr(b.jaxpr, size, in_dims, wanted)[0] for b in branches]
    return cond_p.bind(index, *moved, branches=_closed(new), **params), wanted


def _select_mapped(
    index: Any, operands: Sequence[Any], dims: Sequence[Any], size: int, branches: Branches
) -> tuple[list[Any], list[Any]]:
    moved = [to_dim(x, d, size, 0) for x, d in zip(operands, dims, strict=True)]
    results = []
    for i, branch in enumerate(branches):
        chosen = eq(index, np.int32(i))
        # No derivative flows where the branch was not chosen: there its value may be anything.
        masked = [_select(chosen, stop_gradient(x), x) for x in moved]
        n = len(moved)
        new, _ = batch_jaxpr(branch.jaxpr, size, [0] * n, [0] * len(branch.out_avals))
        results.append(eval_jaxpr(new, (), *masked))
    out = [_select(index, *cases) for cases in zip(*results, strict=True)]
    return out, [0] * len(out)


def _select(which: Any, *cases: Any) -> Any:
    """A selection by rows."""
    shape = shaped_aval(cases[0]).shape  # pyright: ignore[reportAttributeAccessIssue]
    if len(shape) > 1:
        which = broadcast_in_dim(which, shape, (0,))
    return select_n(which, *cases)


def _dce(used: Sequence[bool], eqn: JaxprEqn) -> JaxprEqn | None:
    branches: Branches = eqn.params["branches"]
    if not any(used) and not eqn.effects:
        return None
    n = len(eqn.invars) - 1
    kept = _any([dce_jaxpr(b.jaxpr, used)[1] for b in branches]) if n else []
    new = [dce_jaxpr(b.jaxpr, used, kept)[0] for b in branches]
    if all(a is b.jaxpr for a, b in zip(new, branches, strict=True)):
        return eqn
    return eqn.replace(
        invars=[eqn.invars[0], *(a for a, k in zip(eqn.invars[1:], kept, strict=True) if k)],
        outvars=[v for v, u in zip(eqn.outvars, used, strict=True) if u],
        params={**eqn.params, "branches": _closed(new)},
    )


cond_p = define(
    "cond",
    abstract=_abstract,
    lower=_lower,
    jvp=_jvp,
    transpose=_transpose,
    batch=_batch,
    multiple_results=True,
    linearize=_linearize,
    dce=_dce,
    effects=_effects,
    doc="the results of the branch with the given number",
)


# ---- the platform ----------------------------------------------------------------------------------------------------


def _platform_positions(ctx: LoweringContext, branches: Sequence[tuple[str, ...] | None]) -> list[int]:
    """Returns the number of the branch for each of the module's platforms."""
    platforms = ctx.module.platforms
    found = [
        next((i for i, names in enumerate(branches) if names is None or p in names), None) for p in platforms
    ]
    without = [p for p, i in zip(platforms, found, strict=True) if i is None]
    if without:
        where = f"platform {without[0]}" if len(platforms) == 1 else f"platforms {without}"
        raise NotImplementedError(
            f"MLIR translation rule for primitive 'platform_index(platforms={tuple(branches)!r})' not found for {where}"
        )
    return [i for i in found if i is not None]


def _chosen(index: ir.Value, numbers: Sequence[int]) -> ir.Value:
    """Returns the number at an index that is known when the program runs."""
    cases = [lambda n=n: [constant(np.int32(n))] for n in numbers]
    return _case(ir_types([_index_aval]), index, cases)[0]


def _lower_platform_index(ctx: LoweringContext, *, platforms: Sequence[tuple[str, ...] | None]) -> ir.Value:
    """The number of the branch: known, or, for several platforms, looked up by that which the program runs on."""
    positions = _platform_positions(ctx, platforms)
    rules = sorted(set(positions))
    if len(rules) == 1:
        return constant(np.int32(rules[0]))
    return _chosen(_chosen(ctx.module.platform_index, [rules.index(i) for i in positions]), rules)


_no_operands = Undefined("it has no operands")
_index_aval = ShapedArray((), np.dtype("int32"))

platform_index_p = define(
    "platform_index",
    abstract=lambda *, platforms: _index_aval,
    lower=_lower_platform_index,
    jvp=_no_operands,
    transpose=_no_operands,
    batch=_no_operands,
    doc="the number of the branch for the platform that the program is lowered for",
)
