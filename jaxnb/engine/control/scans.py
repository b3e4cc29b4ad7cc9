"""Steps over rows with a carry: ``scan_p`` with all its rules.

The functions users call are in ``repetition.py``; how a scan becomes a loop is in ``scan_lowering.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jaxnb.engine.control.loops import grow
from jaxnb.engine.control.scan_lowering import scan_as_loop
from jaxnb.engine.control.scan_structure import (
    derivative_structure,
    known_structure,
    linear_structure,
    scan_structure,
    stacking_structure,
    transposed_structure,
    used_structure,
)
from jaxnb.engine.core.ad import UndefinedPrimal, Zero
from jaxnb.engine.core.avals import ShapedArray
from jaxnb.engine.core.jaxpr import ClosedJaxpr, DropVar, Jaxpr, JaxprEqn, Literal, close
from jaxnb.engine.core.printer import print_without
from jaxnb.engine.core.rules import add_tangents_port, composite, define, instantiate_zeros, known_rules
from jaxnb.engine.core.trace import set_current_trace, shaped_aval
from jaxnb.engine.transforms.batch import axis_size_of, batch_jaxpr, to_dim
from jaxnb.engine.transforms.dce import dce_jaxpr
from jaxnb.engine.transforms.evaluate import eval_jaxpr
from jaxnb.engine.transforms.jvp import jvp_jaxpr
from jaxnb.engine.transforms.linearize import LinearizeTrace, SplitTrace, linearize_jaxpr
from jaxnb.engine.transforms.stage import trace_to_jaxpr
from jaxnb.engine.transforms.transpose import backward_pass
from jaxnb.xla.version import JAXLIB_VERSION

__all__ = ["scan_p"]

_RESULTS_ARE_RESIDUALS = JAXLIB_VERSION >= (0, 12)
"""Whether a stacked result that the linear scan needs, too, is stacked once."""


def _split_args(values: Sequence[Any], num_consts: int, num_carry: int) -> tuple[Any, Any, Any]:
    """Returns the constants, the carry and the rows."""
    a, b = num_consts, num_consts + num_carry
    return list(values[:a]), list(values[a:b]), list(values[b:])


def _rows(aval: ShapedArray, length: int) -> ShapedArray:
    return aval.update(shape=(length, *aval.shape))


def _abstract(*avals: Any, jaxpr: ClosedJaxpr, length: int, num_carry: int, **_: Any) -> list[Any]:
    out = jaxpr.out_avals
    return [*out[:num_carry], *(_rows(a, length) for a in out[num_carry:])]  # pyright: ignore[reportArgumentType]


def _effects(*avals: Any, jaxpr: ClosedJaxpr, **_: Any) -> frozenset:
    return jaxpr.effects


def _permuted(jaxpr: Jaxpr, ins: Sequence[int], outs: Sequence[int]) -> Jaxpr:
    """Returns the program with parameters and results in another order; remembered."""
    key = ("permuted", tuple(ins), tuple(outs))
    found = jaxpr._cache.get(key)
    if found is None:
        found = jaxpr._cache[key] = jaxpr.replace(
            invars=[jaxpr.invars[i] for i in ins], outvars=[jaxpr.outvars[i] for i in outs]
        )
    return found


# ---- derivatives -----------------------------------------------------------------------------------------------------


def _nonzero(values: Sequence[Any]) -> list[bool]:
    return [type(t) is not Zero for t in values]


def _jvp(primals: Any, tangents: Any, **params: Any) -> tuple[list[Any], list[Any]]:
    """The scan of values and tangents."""
    k, n = params["num_consts"], params["num_carry"]
    jaxpr = params["jaxpr"].jaxpr
    consts, init, xs = _split_args(primals, k, n)
    consts_t, init_t, xs_t = _split_args(tangents, k, n)
    nz_consts, nz_xs = _nonzero(consts_t), _nonzero(xs_t)
    n_ys = len(jaxpr.outvars) - n
    no_ys = [False] * n_ys
    nz = grow(_nonzero(init_t), lambda c: jvp_jaxpr(jaxpr, [*nz_consts, *c, *nz_xs], [*c, *no_ys])[1][:n])
    new, nz_out = jvp_jaxpr(jaxpr, [*nz_consts, *nz, *nz_xs], [*nz, *no_ys])
    # From (values, tangents) to constants, carry, rows, each with its tangents.
    m = len(jaxpr.invars)
    kt, nt = sum(nz_consts), sum(nz)
    of_tangents = range(m, len(new.invars))
    ins = [
        *range(k), *of_tangents[:kt],
        *range(k, k + n), *of_tangents[kt : kt + nt],
        *range(k + n, m), *of_tangents[kt + nt :],
    ]  # fmt: skip
    total = len(jaxpr.outvars)
    outs = [*range(n), *range(total, total + nt), *range(n, total), *range(total + nt, len(new.outvars))]
    new = _permuted(new, ins, outs)
    ts = [instantiate_zeros(t) for t, z in zip(init_t, nz, strict=True) if z]
    given = [
        *consts, *_without_zeros(consts_t), *init, *ts, *xs, *_without_zeros(xs_t),
    ]  # fmt: skip
    changed = {
        "jaxpr": close(new),
        "num_consts": k + kt,
        "num_carry": n + nt,
        **derivative_structure(params, nz_consts, nz, nz_xs, nz_out[n:]),
    }
    out = scan_p.bind(*given, **{**params, **changed})
    values = [*out[:n], *out[n + nt : n + nt + n_ys]]
    found = iter([*out[n : n + nt], *out[n + nt + n_ys :]])
    return values, _tangents_out(values, nz_out, found)


def _without_zeros(tangents: Sequence[Any]) -> list[Any]:
    return [t for t in tangents if type(t) is not Zero]


def _tangents_out(values: Sequence[Any], nonzero: Sequence[bool], found: Any) -> list[Any]:
    return [
        next(found) if z else Zero(shaped_aval(v).to_tangent_aval())
        for v, z in zip(values, nonzero, strict=True)
    ]


def _linearize(trace: LinearizeTrace, primals: Any, tangents: Any, params: dict[str, Any]) -> Any:
    """The scan of values, which stacks what the linear scan needs of every step, and the linear scan.

    What no step changes is computed once, before the loop.
    """
    k, n = params["num_consts"], params["num_carry"]
    jaxpr = params["jaxpr"].jaxpr
    consts, init, xs = _split_args(primals, k, n)
    consts_t, init_t, xs_t = _split_args(tangents, k, n)
    nz_consts, nz_xs = _nonzero(consts_t), _nonzero(xs_t)
    no_ys = [False] * (len(jaxpr.outvars) - n)
    nz = grow(
        _nonzero(init_t),
        lambda c: linearize_jaxpr(jaxpr, [*nz_consts, *c, *nz_xs], [*c, *no_ys]).nonzeros_out[:n],
    )
    lin = linearize_jaxpr(jaxpr, [*nz_consts, *nz, *nz_xs], [*nz, *no_ys])
    split = _hoist(lin.primal, lin.residuals, k, n, len(jaxpr.outvars))
    with set_current_trace(trace.parent):
        hoisted = eval_jaxpr(split.once, (), *consts)
    n_loop = len(split.loop.invars) - n - len(xs)
    out = trace.parent.process(
        scan_p,
        [*hoisted[:n_loop], *init, *xs],
        {
            **params,
            "jaxpr": close(split.loop),
            "num_consts": n_loop,
            **stacking_structure(params, n_loop, len(split.loop.outvars) - len(jaxpr.outvars)),
        },
    )
    total = len(jaxpr.outvars)
    values = out[:total]
    if not any(lin.nonzeros_out):
        return values, _tangents_out(values, lin.nonzeros_out, iter(()))

    once: list[Any] = []
    each: list[Any] = []
    places: list[tuple[str, int]] = []
    fixed, stacked = iter(hoisted[n_loop:]), iter(out[total:])
    for (kind, where), residual in zip(split.kinds, lin.residuals, strict=True):
        if kind == "once":
            places.append(("once", len(once)))
            once.append(residual[1] if residual[0] == "value" else next(fixed))
        else:
            places.append(("each", len(each)))
            each.append(xs[where] if kind == "xs" else values[where] if kind == "ys" else next(stacked))
    kt, nt, xt = sum(nz_consts), sum(nz), sum(nz_xs)
    r = len(places)
    # The linear program's parameters: residuals, then tangents of constants, carry and rows.
    ins = [
        *(i for i, (kind, _) in enumerate(places) if kind == "once"), *range(r, r + kt),
        *range(r + kt, r + kt + nt),
        *range(r + kt + nt, r + kt + nt + xt), *(i for i, (kind, _) in enumerate(places) if kind == "each"),
    ]  # fmt: skip
    linear = _permuted(lin.tangent, ins, range(len(lin.tangent.outvars)))
    with set_current_trace(trace.linear):
        start = [instantiate_zeros(t) for t, z in zip(init_t, nz, strict=True) if z]
    t_out = trace.linear.process(
        scan_p,
        [*once, *_without_zeros(consts_t), *start, *_without_zeros(xs_t), *each],
        {
            **params,
            "jaxpr": close(linear),
            "num_consts": len(once) + kt,
            "num_carry": nt,
            **linear_structure(params, nz_consts, nz, nz_xs, lin.nonzeros_out[n:], len(once), len(each)),
        },
    )
    return values, _tangents_out(values, lin.nonzeros_out, iter(t_out))


class _Hoisted:
    """A body in two: what depends on constants alone is computed once, before the loop."""

    __slots__ = ("kinds", "loop", "once")

    def __init__(self, once: Jaxpr, loop: Jaxpr, kinds: list[tuple[str, int]]):
        self.once = once
        """From the constants to what the loop needs of them, then the residuals that no step changes."""
        self.loop = loop
        """Its results are the body's, then the residuals to stack."""
        self.kinds = kinds
        """For each residual ``once``, ``xs`` or ``ys`` with the rows that it is anyway, or ``stacked``."""


def _hoist(primal: Jaxpr, residuals: Sequence[Any], num_consts: int, num_carry: int, total: int) -> _Hoisted:
    consts = primal.invars[:num_consts]
    rows = {v: i for i, v in enumerate(primal.invars[num_consts + num_carry :])}
    results = {
        v: i for i, v in enumerate(primal.outvars[:total]) if i >= num_carry and type(v) is not Literal
    }
    fixed: set[Any] = set(consts)
    once: list[JaxprEqn] = []
    loop: list[JaxprEqn] = []
    for eqn in primal.eqns:
        if not eqn.effects and all(type(a) is Literal or a in fixed for a in eqn.invars):
            once.append(eqn)
            fixed.update(eqn.outvars)
        else:
            loop.append(eqn)
    kinds: list[tuple[str, int]] = []
    fixed_residuals: list[Any] = []
    stacked: list[Any] = []
    for kind, i in residuals:
        atom = None if kind == "value" else primal.invars[i] if kind == "in" else primal.outvars[i]
        if atom is None:
            kinds.append(("once", -1))
        elif type(atom) is Literal or atom in fixed:
            kinds.append(("once", len(fixed_residuals)))
            fixed_residuals.append(atom)
        elif atom in rows:
            kinds.append(("xs", rows[atom]))  # pyright: ignore[reportArgumentType]
        elif _RESULTS_ARE_RESIDUALS and atom in results:
            kinds.append(("ys", results[atom]))  # pyright: ignore[reportArgumentType]
        else:
            kinds.append(("stacked", len(stacked)))
            stacked.append(atom)
    loop = _told(loop, fixed)
    outvars = [*primal.outvars[:total], *stacked]
    used = _fixed_in_order(loop, outvars, fixed)
    loop_jaxpr = primal.replace(invars=[*used, *primal.invars[num_consts:]], outvars=outvars, eqns=loop)
    once_jaxpr = primal.replace(invars=consts, outvars=[*used, *fixed_residuals], eqns=once)
    return _Hoisted(once_jaxpr, loop_jaxpr, kinds)


def _known(trace: SplitTrace, args: Sequence[Any], params: dict[str, Any]) -> list[Any]:
    """The scan after what no step changes, which is computed once."""
    k, n = params["num_consts"], params["num_carry"]
    jaxpr = params["jaxpr"].jaxpr
    consts, init, xs = _split_args(args, k, n)
    split = jaxpr._cache.get("known")
    if split is None:
        split = jaxpr._cache["known"] = _hoist(jaxpr, (), k, n, len(jaxpr.outvars))
    with set_current_trace(trace.parent):
        hoisted = eval_jaxpr(split.once, (), *consts)
    changed = {
        "jaxpr": close(split.loop),
        "num_consts": len(hoisted),
        **known_structure(params, len(hoisted)),
    }
    return trace.parent.process(scan_p, [*hoisted, *init, *xs], {**params, **changed})


def _told(eqns: Sequence[JaxprEqn], known: set[Any]) -> list[JaxprEqn]:
    """Returns the equations that were split off what is known: each scan among them tells which operands that was."""
    known = set(known)
    out: list[JaxprEqn] = []
    for eqn in eqns:
        flags = [type(a) is not Literal and a not in known for a in eqn.invars]
        if not eqn.effects and not any(flags):
            known.update(eqn.outvars)
        out.append(_scan_told(eqn, flags) if eqn.primitive is scan_p else eqn)
    return out


def _scan_told(eqn: JaxprEqn, unknown: Sequence[bool]) -> JaxprEqn:
    """Returns the scan with known constants before the others, and known rows behind them."""
    p = eqn.params
    k, n = p["num_consts"], p["num_carry"]
    consts, xs = range(k), range(k + n, len(eqn.invars))
    each = [i for i in xs if not unknown[i]]
    once = [i for i in consts if not unknown[i]]
    ins = [*once, *(i for i in consts if unknown[i]), *range(k, k + n), *(i for i in xs if unknown[i]), *each]
    body = p["jaxpr"].jaxpr
    key = ("told", tuple(unknown))
    told = body._cache.get(key)
    if told is None:
        known = {v for i, v in enumerate(body.invars) if not unknown[i] and (i < k or i >= k + n)}
        told = body._cache[key] = body.replace(
            invars=[body.invars[i] for i in ins], eqns=_told(body.eqns, known)
        )
    flags = [True] * n, [True] * (len(body.outvars) - n)
    structure = linear_structure(
        p, [unknown[i] for i in consts], flags[0], [unknown[i] for i in xs], flags[1], len(once), len(each)
    )
    return eqn.replace(invars=[eqn.invars[i] for i in ins], params={**p, "jaxpr": close(told), **structure})


def _fixed_in_order(eqns: Sequence[JaxprEqn], outvars: Sequence[Any], fixed: set[Any]) -> list[Any]:
    """Returns what a loop needs of the fixed values, in the order in which a walk from its results meets them."""
    made = {v: e for e in eqns for v in e.outvars}
    found: dict[Any, None] = {}
    seen: set[Any] = set()
    stack: list[Any] = list(reversed(outvars))
    while stack:
        atom = stack.pop()
        if type(atom) is Literal or atom in seen:
            continue
        seen.add(atom)
        if atom in fixed:
            found[atom] = None
        elif atom in made:
            stack.extend(reversed(made[atom].invars))
    for eqn in eqns:
        for atom in eqn.invars:
            if type(atom) is not Literal and atom in fixed:
                found.setdefault(atom, None)
    return list(found)


def _transpose(cts: Any, *operands: Any, jaxpr: ClosedJaxpr, num_consts: int, num_carry: int, **params: Any):
    """The scan the other way round: cotangents of the constants add up in its carry."""
    body = jaxpr.jaxpr
    consts, init, xs = _split_args(operands, num_consts, num_carry)
    # A carry that starts from a known value starts from zero: the carry as a whole is linear.
    lin_consts, lin_xs = ([type(x) is UndefinedPrimal for x in v] for v in (consts, xs))
    lin_init = [True] * num_carry
    ct_carry, ct_ys = cts[:num_carry], cts[num_carry:]
    linear = (*lin_consts, *lin_init, *lin_xs)
    transposed = _transposed_body(body, linear, num_consts, num_carry)
    ct_consts = [
        add_tangents_port.zeros(x.aval.to_tangent_aval())
        for x, lin in zip(consts, lin_consts, strict=True)
        if lin
    ]
    once = sum(not lin for lin in lin_consts)
    out = scan_p.bind(
        *(x for x, lin in zip(consts, lin_consts, strict=True) if not lin),
        *ct_consts,
        *map(instantiate_zeros, ct_carry),
        *map(instantiate_zeros, ct_ys),
        *(x for x, lin in zip(xs, lin_xs, strict=True) if not lin),
        **{
            **params,
            "reverse": not params["reverse"],
            "jaxpr": close(transposed),
            "num_consts": once,
            "num_carry": len(ct_consts) + num_carry,
            **transposed_structure(
                once, len(ct_consts), num_carry, len(ct_ys), sum(not lin for lin in lin_xs), sum(lin_xs)
            ),
        },
    )
    found = iter(out)
    first = [next(found) if lin else None for lin in lin_consts]
    return [
        *first,
        *(c if type(x) is UndefinedPrimal else None for x, c in zip(init, found)),
        *(next(found) if lin else None for lin in lin_xs),
    ]


def _transposed_body(jaxpr: Jaxpr, linear: tuple[bool, ...], num_consts: int, num_carry: int) -> Jaxpr:
    """Returns the body of the transposed scan.

    Its parameters: known constants; cotangents of the linear constants and of the carry; cotangents of the results,
    known rows. Its results: the cotangents of linear constants and carry, then those of the linear rows.
    """
    key = ("transposed scan", linear, num_consts, num_carry)
    found = jaxpr._cache.get(key)
    if found is not None:
        return found
    lin_consts, _, lin_xs = _split_args(linear, num_consts, num_carry)
    in_consts, _, in_xs = _split_args(jaxpr.in_avals, num_consts, num_carry)
    known_consts = [a for a, lin in zip(in_consts, lin_consts, strict=True) if not lin]
    known_xs = [a for a, lin in zip(in_xs, lin_xs, strict=True) if not lin]
    ct_consts = [a.to_tangent_aval() for a, lin in zip(in_consts, lin_consts, strict=True) if lin]
    ct_out = [a.to_tangent_aval() for a in jaxpr.out_avals]
    # The sums so far are cotangents of the constants themselves, to which each use adds its own.
    in_vars = jaxpr.invars[:num_consts]
    summed = jaxpr.replace(
        outvars=[*(v for v, lin in zip(in_vars, lin_consts, strict=True) if lin), *jaxpr.outvars]
    )

    def fun(*flat: Any) -> list[Any]:
        rest = iter(flat)
        res_consts = [next(rest) for _ in known_consts]
        sums = [next(rest) for _ in ct_consts]
        given = [next(rest) for _ in ct_out]
        known = iter([*res_consts, *rest])
        args = [
            UndefinedPrimal(v.aval) if lin else next(known)
            for v, lin in zip(jaxpr.invars, linear, strict=True)
        ]
        back = backward_pass(summed, (), args, [*sums, *given], False)
        back_consts, back_carry, back_xs = _split_args(back, num_consts, num_carry)
        return [
            *(c for c, lin in zip(back_consts, lin_consts, strict=True) if lin),
            *map(instantiate_zeros, back_carry),
            *(instantiate_zeros(c) for c, lin in zip(back_xs, lin_xs, strict=True) if lin),
        ]

    avals = [*known_consts, *ct_consts, *ct_out, *known_xs]
    found, consts = trace_to_jaxpr(fun, avals, jaxpr.debug_info, stage_all=True)
    assert not consts
    jaxpr._cache[key] = found
    return found


# ---- mapping, dead code ----------------------------------------------------------------------------------------------


def _batch(args: Any, dims: Any, **params: Any) -> tuple[list[Any], list[Any]]:
    """The scan of mapped values: rows keep their own axis first and the mapped one second."""
    k, n = params["num_consts"], params["num_carry"]
    jaxpr = params["jaxpr"].jaxpr
    size = axis_size_of(args, dims)
    c_dims, i_dims, x_dims = _split_args(dims, k, n)

    def at_front(flags: Sequence[bool]) -> list[int | None]:
        return [0 if f else None for f in flags]

    c_in = at_front([d is not None for d in c_dims])
    x_in = at_front([d is not None for d in x_dims])
    carry = grow(
        [d is not None for d in i_dims],
        lambda c: [d is not None for d in batch_jaxpr(jaxpr, size, [*c_in, *at_front(c), *x_in])[1][:n]],
    )
    in_dims = [*c_in, *at_front(carry), *x_in]
    found = batch_jaxpr(jaxpr, size, in_dims)[1]
    wanted = [*at_front(carry), *at_front([d is not None for d in found[n:]])]
    new, _ = batch_jaxpr(jaxpr, size, in_dims, wanted)
    targets = [*c_in, *at_front(carry), *(None if d is None else 1 for d in x_in)]
    moved = [a if t is None else to_dim(a, d, size, t) for a, d, t in zip(args, dims, targets, strict=True)]
    out = scan_p.bind(*moved, **{**params, "jaxpr": close(new)})
    return out, [*wanted[:n], *(None if d is None else 1 for d in wanted[n:])]


def _dce(used: Sequence[bool], eqn: JaxprEqn) -> JaxprEqn | None:
    """The scan without the parts of its carry that no used result depends on."""
    p = eqn.params
    jaxpr = p["jaxpr"].jaxpr
    if not any(used) and not eqn.effects:
        return None
    k, n = p["num_consts"], p["num_carry"]
    ys = list(used[n:])
    carry = grow(list(used[:n]), lambda c: dce_jaxpr(jaxpr, [*c, *ys])[1][k : k + n])
    instantiate = [False] * k + carry + [False] * (len(jaxpr.invars) - k - n)
    new, used_in = dce_jaxpr(jaxpr, [*carry, *ys], instantiate)
    if new is jaxpr:
        return eqn
    kept = [*carry, *ys]
    return eqn.replace(
        invars=[a for a, u in zip(eqn.invars, used_in, strict=True) if u],
        outvars=[v if u else DropVar(v.aval) for v, u, m in zip(eqn.outvars, used, kept, strict=True) if m],
        params={
            **p,
            "jaxpr": close(new),
            "num_consts": sum(used_in[:k]),
            "num_carry": sum(carry),
            **used_structure(p, used_in[:k], carry, used_in[k + n :], ys),
        },
    )


scan_p = define(
    "scan",
    abstract=_abstract,
    lower=composite(scan_as_loop, multiple_results=True),
    jvp=_jvp,
    transpose=_transpose,
    batch=_batch,
    multiple_results=True,
    linearize=_linearize,
    dce=_dce,
    effects=_effects,
    hide={"num_consts": ..., "num_carry": ...} if scan_structure(0, 0, 0, ()) else None,
    doc="the last carry and the stacked results of a body applied to row after row",
)
known_rules[scan_p] = _known
if scan_structure(0, 0, 0, ()):
    print_without(scan_p, "num_consts", "num_carry")
