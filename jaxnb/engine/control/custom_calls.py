"""Calls of functions with their own derivative: the primitives they are staged as, and how they are mapped.

The transformations ask a ``CustomCall`` for what they need. The decorators are in ``custom_rules.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from jaxnb.engine.core import printer as core_printer
from jaxnb.engine.core.ad import Zero
from jaxnb.engine.core.avals import AbstractValue
from jaxnb.engine.core.jaxpr import ClosedJaxpr, DebugInfo, Jaxpr, JaxprEqn, close
from jaxnb.engine.core.rules import (
    Undefined,
    batch_port,
    define,
    eager_rules,
    instantiate_zeros,
)
from jaxnb.engine.core.trace import CustomCall, shaped_aval, trace_context
from jaxnb.engine.transforms import batch as batch_module
from jaxnb.engine.transforms import evaluate as evaluate_module
from jaxnb.engine.transforms import jvp as jvp_module
from jaxnb.engine.transforms.batch import axis_size_of, batch_flat, to_dim
from jaxnb.engine.transforms.dce import dce_jaxpr
from jaxnb.engine.transforms.evaluate import eval_jaxpr
from jaxnb.engine.transforms.stage import StageTrace, trace_to_jaxpr

__all__ = ["custom_jvp_call_p", "custom_vjp_call_p"]


# ---- the staged forms ----------------------------------------------------------------------------------------------


def _out_avals(*avals: Any, call_jaxpr: ClosedJaxpr, **_: Any) -> list[AbstractValue]:
    return call_jaxpr.out_avals


def _lower_call_jaxpr(ctx: Any, *values: Any, call_jaxpr: ClosedJaxpr, **_: Any) -> list[Any]:
    return ctx.lower_jaxpr(call_jaxpr, *values)


def _effects(*avals: Any, call_jaxpr: ClosedJaxpr, **_: Any) -> Any:
    return call_jaxpr.effects


def _dce(used: Sequence[bool], eqn: JaxprEqn) -> JaxprEqn | None:
    if not any(used) and not eqn.params["call_jaxpr"].effects:
        return None
    jaxpr = eqn.params["call_jaxpr"].jaxpr
    new, _ = dce_jaxpr(jaxpr, used, True)
    if new is jaxpr:
        return eqn
    params = {**eqn.params, "call_jaxpr": close(new)}
    if all(used):
        return eqn.replace(params=params)
    for key in _rule_keys:
        if key in params:
            thunk = params[key]
            params[key] = _Thunk(thunk.__name__, _with_results(thunk.call, used, jaxpr.out_avals))
    return eqn.replace(outvars=[v for v, u in zip(eqn.outvars, used, strict=True) if u], params=params)


_staged_only = Undefined("a staged call answers through its CustomCall")

custom_jvp_call_p = define(
    "custom_jvp_call",
    abstract=_out_avals,
    lower=_lower_call_jaxpr,
    jvp=_staged_only,
    transpose=Undefined("the function's jvp rule is applied before transposition"),
    batch=_staged_only,
    multiple_results=True,
    dce=_dce,
    effects=_effects,
    hide={"num_consts": ...},
    doc="calls a function that has its own jvp rule",
)
custom_vjp_call_p = define(
    "custom_vjp_call",
    abstract=_out_avals,
    lower=_lower_call_jaxpr,
    jvp=_staged_only,
    transpose=Undefined("the function's backward pass is applied before transposition"),
    batch=_staged_only,
    multiple_results=True,
    dce=_dce,
    effects=_effects,
    hide={"num_consts": ...},
    doc="calls a function that has its own backward pass",
)


def _print_custom(printer: core_printer.Printer, eqn: JaxprEqn) -> Any:
    params = {k: v for k, v in eqn.params.items() if k not in ("name", "num_consts", "custom_call")}
    return printer.plain_equation(eqn, {"name": eqn.params["name"], **dict(sorted(params.items()))})


def _print_in_full(printer: core_printer.Printer, eqn: JaxprEqn) -> Any:
    """With the rules as JAX keeps them: wrapped functions."""
    params = {k: v for k, v in eqn.params.items() if k not in ("name", "custom_call", "jvp", "fwd")}
    wrapped = "Wrapped function:\n{}\nCore: {}\n"
    if eqn.primitive is custom_jvp_call_p:
        params["jvp_jaxpr_fun"] = wrapped.format("", "memoized")
    else:
        params["bwd"] = wrapped.format("0   : _flatten_bwd   <unnamed function>", eqn.params["bwd"].__name__)
        params["fwd_jaxpr_thunk"] = wrapped.format("", "memoized")
        params["out_trees"] = (
            "<function DynamicJaxprTrace.process_custom_vjp_call.<locals>.out_trees_ at 0xXXXXXXXXXXXX>"
        )
    return printer.plain_equation(eqn, dict(sorted(params.items())))


core_printer.full_print_rules[custom_jvp_call_p] = _print_in_full
core_printer.full_print_rules[custom_vjp_call_p] = _print_in_full
core_printer.print_rules[custom_jvp_call_p] = _print_custom
core_printer.print_rules[custom_vjp_call_p] = _print_custom


class _Thunk:
    """The rule of a staged call, as it stands in the equation's parameters."""

    __slots__ = ("__name__", "call")

    def __init__(self, name: str, call: CustomCall):
        self.__name__ = name
        self.call = call

    def __call__(self, *args: Any) -> Any:
        fun = self.call.jvp or self.call.fwd
        assert fun is not None
        return fun(*args)


def _stage_custom(trace: StageTrace, call: CustomCall, args: Sequence[Any]) -> list[Any]:
    avals = [shaped_aval(x) for x in args]
    traced_for = f"{call.primitive.name.removesuffix('_call')} fun"
    says = getattr(call.fun, "says", None)
    debug = says(traced_for) if says else DebugInfo(traced_for, call.name, call.name)
    jaxpr, consts = trace_to_jaxpr(call.fun, avals, debug)
    if consts:
        jaxpr = jaxpr.replace(constvars=[], invars=[*jaxpr.constvars, *jaxpr.invars])
        call = _with_consts(call, len(consts))
    params = {
        "name": call.name,
        "call_jaxpr": close(jaxpr),
        "num_consts": len(consts),
        **{
            k: (_Thunk(v, call) if isinstance(v, str) and k in _rule_keys else v)
            for k, v in call.params.items()
        },
        "symbolic_zeros": call.symbolic_zeros,
    }
    return trace.process(call.primitive, [*consts, *args], params)


_rule_keys = ("jvp", "fwd", "bwd")


def _with_consts(call: CustomCall, n: int) -> CustomCall:
    """Returns the call with ``n`` leading operands that its rules do not see (they hold them by closure)."""
    jvp = call.jvp
    fwd, bwd = call.fwd, call.bwd
    return call._replace(
        jvp=None if jvp is None else (lambda ps, ts: jvp(ps[n:], ts[n:])),
        fwd=None if fwd is None else (lambda *xs: fwd(*xs[n:])),
        bwd=None if bwd is None else (lambda res, cts: [*[None] * n, *bwd(res, cts)]),
    )


def _with_results(call: CustomCall, used: Sequence[bool], avals: Sequence[Any]) -> CustomCall:
    """Returns the call with only the used results; the cotangents of the others are zero."""
    jvp, fwd, bwd = call.jvp, call.fwd, call.bwd

    def chosen(xs: Sequence[Any]) -> list[Any]:
        return [x for x, u in zip(xs, used, strict=True) if u]

    def new_jvp(primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
        assert jvp is not None
        return tuple(map(chosen, jvp(primals, tangents)))

    def new_fwd(*args: Any) -> Any:
        assert fwd is not None
        residuals, out = fwd(*args)
        return residuals, chosen(out)

    def new_bwd(residuals: Sequence[Any], cts: Sequence[Any]) -> list[Any]:
        assert bwd is not None
        given = iter(cts)
        full = [next(given) if u else Zero(a.to_tangent_aval()) for a, u in zip(avals, used, strict=True)]
        return bwd(residuals, full if call.symbolic_zeros else [instantiate_zeros(ct) for ct in full])

    return call._replace(
        fun=lambda *args: chosen(call.fun(*args)),
        jvp=None if jvp is None else new_jvp,
        fwd=None if fwd is None else new_fwd,
        bwd=None if bwd is None else new_bwd,
    )


def _stage_method(kind: str) -> Callable[..., Any]:
    def stage(self: StageTrace, call: CustomCall, args: Sequence[Any]) -> list[Any]:
        return _stage_custom(self, call, args)

    stage.__name__ = kind
    return stage


StageTrace.custom_jvp = _stage_method("custom_jvp")
StageTrace.custom_vjp = _stage_method("custom_vjp")


def _rebind(eqn_params: dict[str, Any]) -> CustomCall:
    """Returns the call that a staged equation stands for."""
    thunk: _Thunk = eqn_params["jvp"] if "jvp" in eqn_params else eqn_params["fwd"]
    jaxpr = eqn_params["call_jaxpr"].jaxpr
    return thunk.call._replace(fun=lambda *xs: eval_jaxpr(jaxpr, (), *xs))


def _rebind_jvp(args: Sequence[Any], params: dict[str, Any]) -> list[Any]:
    return trace_context.trace.custom_jvp(_rebind(params), args)


def _rebind_vjp(args: Sequence[Any], params: dict[str, Any]) -> list[Any]:
    return trace_context.trace.custom_vjp(_rebind(params), args)


evaluate_module.rebind_rules[custom_jvp_call_p] = _rebind_jvp
evaluate_module.rebind_rules[custom_vjp_call_p] = _rebind_vjp


def _eager(*args: Any, call_jaxpr: ClosedJaxpr, **_: Any) -> list[Any]:
    return eval_jaxpr(call_jaxpr.jaxpr, (), *args)


eager_rules[custom_jvp_call_p] = _eager
eager_rules[custom_vjp_call_p] = _eager


# ---- batching of calls ---------------------------------------------------------------------------------------------


def _batch_call(trace: batch_module.BatchTrace, call: CustomCall, dims: Sequence[int | None]) -> Any:
    size = trace.axis_size
    out_dims: list[int | None] = []

    def mapped(
        fun: Callable[..., Any], args: Sequence[Any], in_dims: Sequence[int | None]
    ) -> tuple[list[Any], list[int | None]]:
        axis_name, spmd_axis_name = trace.axis_name, trace.spmd_axis_name
        # The call stands in the scope of the mapping already.
        return batch_flat(fun, args, in_dims, size, axis_name, spmd_axis_name, name_stack=False)

    def fun(*args: Any) -> list[Any]:
        out, d = mapped(call.fun, args, dims)
        out_dims[:] = d
        return out

    def at_zero(xs: Sequence[Any], ds: Sequence[int | None], wanted: Sequence[int | None]) -> list[Any]:
        return [
            x if type(x) is Zero or (w is None and d is None) else to_dim(x, d, size, 0 if w is None else w)
            for x, d, w in zip(xs, ds, wanted, strict=True)
        ]

    def jvp(primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
        assert call.jvp is not None
        n = len(primals)
        n_out: list[int] = []

        def both(*xs: Any) -> list[Any]:
            assert call.jvp is not None
            out, t_out = call.jvp(xs[:n], xs[n:])
            n_out.append(len(out))
            return [*out, *[instantiate_zeros(t) for t in t_out]]

        ts = [instantiate_zeros(t) for t in tangents]
        out, d = mapped(both, [*primals, *ts], [*dims, *dims])
        k = n_out[0]
        joint = [0 if (a is not None or b is not None) else None for a, b in zip(d[:k], d[k:], strict=True)]
        out = at_zero(out, d, [*joint, *joint])
        out_dims[:] = joint
        return out[:k], out[k:]

    def fwd(*args: Any) -> Any:
        assert call.fwd is not None
        n_res: list[int] = []

        def joined(*xs: Any) -> list[Any]:
            assert call.fwd is not None
            res, out = call.fwd(*xs)
            n_res.append(len(res))
            return [*res, *out]

        flat, d = mapped(joined, args, dims)
        k = n_res[0]
        res_dims[:] = d[:k]
        out_dims[:] = d[k:]
        return flat[:k], flat[k:]

    res_dims: list[int | None] = []

    def bwd(res: Sequence[Any], cts: Sequence[Any]) -> list[Any]:
        assert call.bwd is not None
        n = len(res)
        ct_dims = list(out_dims)

        def inner(*xs: Any) -> list[Any]:
            assert call.bwd is not None
            out = call.bwd(xs[:n], xs[n:])
            return [instantiate_zeros(o) if o is not None else None for o in out]  # pyright: ignore[reportReturnType]

        full = [instantiate_zeros(c) for c in cts]
        out, d = mapped(inner, [*res, *full], [*res_dims, *ct_dims])
        done: list[Any] = []
        for o, od, want in zip(out, d, dims, strict=True):
            if o is None:
                done.append(None)
            elif want is None:
                done.append(o if od is None else batch_port.sum(o, od))
            else:
                done.append(to_dim(o, od, size, want))
        return done

    new = call._replace(
        fun=fun,
        jvp=None if call.jvp is None else jvp,
        fwd=None if call.fwd is None else fwd,
        bwd=None if call.bwd is None else bwd,
    )
    return new, lambda: list(out_dims)


batch_module.batch_custom_call = _batch_call


# ---- the linear operation of a custom backward pass ------------------------------------------------------------------


def _linear_abstract(*avals: Any, out_avals: tuple, **_: Any) -> list[Any]:
    return list(out_avals)


def _linear_transpose(
    cts: Any, *operands: Any, call: CustomCall, n_res: int, out_avals: Any, **_: Any
) -> list[Any]:
    res = operands[:n_res]
    assert call.bwd is not None
    given = [instantiate_zeros(c) for c in cts] if not call.symbolic_zeros else list(cts)
    out = call.bwd(res, given)
    return [*[None] * n_res, *out]


def _linear_batch(
    args: Any, dims: Any, *, call: CustomCall, n_res: int, out_avals: tuple
) -> tuple[list[Any], list[Any]]:
    size = axis_size_of(args, dims)
    trace = batch_module.BatchTrace(trace_context.trace, size)
    new, _ = _batch_call(trace, call, dims[n_res:])
    avals = [a.update(shape=(size, *a.shape)) for a in out_avals]
    moved = [to_dim(x, d, size, 0) if d is not None else x for x, d in zip(args, dims, strict=True)]
    old = call.bwd
    assert old is not None

    def bwd(res: Sequence[Any], cts: Sequence[Any]) -> list[Any]:
        def inner(*xs: Any) -> list[Any]:
            return [instantiate_zeros(o) for o in old(xs[:n_res], xs[n_res:])]

        res_dims = [0 if d is not None else None for d in dims[:n_res]]
        full = [instantiate_zeros(c) for c in cts]
        out, d = batch_flat(inner, [*res, *full], [*res_dims, *[0] * len(full)], size)
        return [
            (o if od is None else batch_port.sum(o, od)) if want is None else to_dim(o, od, size, 0)
            for o, od, want in zip(out, d, dims[n_res:], strict=True)
        ]

    out = custom_lin_p.bind(*moved, call=new._replace(bwd=bwd), n_res=n_res, out_avals=tuple(avals))
    return out, [0] * len(out)


custom_lin_p = define(
    "custom_lin",
    abstract=_linear_abstract,
    lower=Undefined("forward-mode differentiation of a custom_vjp function is refused before lowering"),
    jvp=Undefined("it is linear only in reverse mode"),
    transpose=_linear_transpose,
    batch=_linear_batch,
    multiple_results=True,
    doc="stands for a custom backward pass until transposition runs it",
)


def _refuse_forward_mode(*args: Any, **_: Any) -> Any:
    raise TypeError("can't apply forward-mode autodiff (jvp) to a custom_vjp function.")


eager_rules[custom_lin_p] = _refuse_forward_mode


def _vjp_tangents(
    call: CustomCall, residuals: Sequence[Any], tangents: Sequence[Any], out_avals: Sequence[Any]
) -> list[Any]:
    trace = trace_context.trace
    if not isinstance(trace, StageTrace):
        _refuse_forward_mode()
    return custom_lin_p.bind(
        *residuals, *tangents, call=call, n_res=len(residuals), out_avals=tuple(out_avals)
    )


jvp_module.custom_vjp_tangents = _vjp_tangents
