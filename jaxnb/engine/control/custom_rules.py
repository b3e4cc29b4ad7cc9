"""Functions with their own derivative: ``custom_jvp`` and ``custom_vjp``.

Lives here: the two primitives they are staged as, and the calls. The transformations ask a ``CustomCall`` for what they need.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from jaxnb.engine.core import printer as core_printer
from jaxnb.engine.core.ad import Zero
from jaxnb.engine.core.avals import AbstractValue, typematch
from jaxnb.engine.core.dtypes import float0
from jaxnb.engine.core.jaxpr import ClosedJaxpr, DebugInfo, Jaxpr, JaxprEqn, close
from jaxnb.engine.core.rules import (
    Undefined,
    add_tangents_port,
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
from jaxnb.xla import pytree

__all__ = ["custom_gradient", "custom_jvp", "custom_jvp_call_p", "custom_vjp", "custom_vjp_call_p"]


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
    new, _ = dce_jaxpr(jaxpr, [True] * len(jaxpr.outvars), True)
    return eqn if new is jaxpr else eqn.replace(params={**eqn.params, "call_jaxpr": close(new)})


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
    debug = DebugInfo(call.primitive.name, call.name, call.name)
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


def _stage_method(kind: str) -> Callable[..., Any]:
    def stage(self: StageTrace, call: CustomCall, args: Sequence[Any]) -> list[Any]:
        return _stage_custom(self, call, args)

    stage.__name__ = kind
    return stage


StageTrace.custom_jvp = _stage_method("custom_jvp")  # pyright: ignore[reportAttributeAccessIssue]
StageTrace.custom_vjp = _stage_method("custom_vjp")  # pyright: ignore[reportAttributeAccessIssue]


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
        return batch_flat(fun, args, in_dims, size, trace.axis_name, trace.spmd_axis_name)

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
        ct_dims = [d for d in out_dims]

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


# ---- the decorators ------------------------------------------------------------------------------------------------


def _bind_arguments(fun: Callable[..., Any], args: tuple, kwargs: dict[str, Any]) -> tuple:
    """Returns all arguments by position, defaults filled in."""
    if not kwargs:
        try:
            signature = inspect.signature(fun)
        except (ValueError, TypeError):
            return args
        if len(args) == len(signature.parameters):
            return args
    else:
        signature = inspect.signature(fun)
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    if bound.kwargs:
        raise TypeError(f"keyword arguments could not be resolved to positions: {', '.join(bound.kwargs)}")
    return bound.args


def _name_of(fun: Callable[..., Any]) -> str:
    return getattr(fun, "__name__", type(fun).__name__)


class custom_jvp:
    """A function with its own forward-mode derivative rule.

    ``defjvp(rule)`` takes ``rule(primals, tangents) -> (out, tangent_out)``; ``defjvps`` takes one formula an argument.
    """

    def __init__(
        self,
        fun: Callable[..., Any],
        nondiff_argnums: Sequence[int] = (),
        nondiff_argnames: Sequence[str] = (),
    ):
        functools.update_wrapper(self, fun)
        self.fun = fun
        self.nondiff_argnums = tuple(nondiff_argnums)
        if nondiff_argnames:
            names = list(inspect.signature(fun).parameters)
            self.nondiff_argnums += tuple(names.index(n) for n in nondiff_argnames)
        self.jvp: Callable[..., Any] | None = None
        self.symbolic_zeros = False

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def defjvp(self, jvp: Callable[..., Any], symbolic_zeros: bool = False) -> Callable[..., Any]:
        """Gives the function its rule and returns the rule."""
        self.jvp = jvp
        self.symbolic_zeros = symbolic_zeros
        return jvp

    def defjvps(self, *jvps: Callable[..., Any] | None) -> None:
        """Gives one formula an argument: ``rule(t, ans, *primals) -> tangent``."""
        if self.nondiff_argnums:
            raise TypeError("Can't use ``defjvps`` with ``nondiff_argnums``.")

        def jvp(primals: Any, tangents: Any) -> Any:
            out = self(*primals)
            terms = [rule(t, out, *primals) for rule, t in zip(jvps, tangents, strict=True) if rule]
            if not terms:
                leaves, tree = pytree.flatten(out)
                return out, pytree.unflatten(
                    tree, [instantiate_zeros(Zero.from_primal_value(x)) for x in leaves]
                )
            total = terms[0]
            for term in terms[1:]:
                a, tree = pytree.flatten(total)
                total = pytree.unflatten(
                    tree,
                    [add_tangents_port.add(x, y) for x, y in zip(a, pytree.flatten(term)[0], strict=True)],
                )
            return out, total

        self.defjvp(jvp)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.jvp is None:
            raise AttributeError(f"No JVP defined for custom_jvp function {_name_of(self.fun)} using defjvp.")
        args = _bind_arguments(self.fun, args, kwargs)
        rule = self.jvp
        static = {i: args[i] for i in self.nondiff_argnums}
        dynamic = [a for i, a in enumerate(args) if i not in static]
        leaves, in_tree = pytree.flatten(tuple(dynamic))
        out_tree: list[Any] = []

        def merge(xs: Sequence[Any]) -> list[Any]:
            it = iter(pytree.unflatten(in_tree, xs))
            return [static[i] if i in static else next(it) for i in range(len(args))]

        def flat_fun(*xs: Any) -> list[Any]:
            out, tree = pytree.flatten(self.fun(*merge(xs)))
            out_tree[:] = [tree]
            return out

        def flat_jvp(primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
            ps = pytree.unflatten(in_tree, primals)
            ts = pytree.unflatten(in_tree, tangents)
            pair = rule(*[static[i] for i in sorted(static)], ps, ts) if static else rule(ps, ts)
            if not isinstance(pair, list | tuple) or len(pair) != 2:
                raise TypeError(
                    f"Custom JVP rule {_name_of(rule)} for function {_name_of(self.fun)} must produce a pair (list or "
                    f"tuple of length two) representing primal and tangent outputs, but got {pair}."
                )
            out, tree = pytree.flatten(pair[0])
            t_out, t_tree = pytree.flatten(pair[1], is_leaf=lambda x: type(x) is Zero)
            if tree != t_tree:
                raise TypeError(
                    f"Custom JVP rule {_name_of(rule)} for function {_name_of(self.fun)} must produce primal and tangent "
                    f"outputs with equal container (pytree) structures, but got {tree} and {t_tree} respectively."
                )
            _check_tangents(rule, self.fun, out, t_out)
            out_tree[:] = [tree]
            return out, t_out

        call = CustomCall(
            custom_jvp_call_p,
            _name_of(self.fun),
            flat_fun,
            flat_jvp,
            None,
            None,
            self.symbolic_zeros,
            {"jvp": _name_of(rule)},
        )
        out = trace_context.trace.custom_jvp(call, leaves)
        return pytree.unflatten(out_tree[0], out)


def _check_tangents(rule: Any, fun: Any, out: Sequence[Any], t_out: Sequence[Any]) -> None:
    for o, t in zip(out, t_out, strict=True):
        want, got = shaped_aval(o).to_tangent_aval(), t.aval if type(t) is Zero else shaped_aval(t)
        if not typematch(want, got) and getattr(got, "dtype", None) != float0:
            raise TypeError(
                f"Custom JVP rule {_name_of(rule)} for function {_name_of(fun)} must produce primal and tangent outputs "
                "with corresponding shapes and dtypes. Expected "
                f"{shaped_aval(o).to_tangent_aval().str_short()} (tangent type of {shaped_aval(o).str_short()}) but got {got.str_short()}."
            )


class custom_vjp:
    """A function with its own backward pass: ``defvjp(fwd, bwd)``.

    ``fwd(*args) -> (out, residuals)``; ``bwd(residuals, ct) -> tuple`` with one cotangent an argument.
    """

    def __init__(
        self,
        fun: Callable[..., Any],
        nondiff_argnums: Sequence[int] = (),
        nondiff_argnames: Sequence[str] = (),
    ):
        functools.update_wrapper(self, fun)
        self.fun = fun
        self.nondiff_argnums = tuple(nondiff_argnums)
        if nondiff_argnames:
            names = list(inspect.signature(fun).parameters)
            self.nondiff_argnums += tuple(names.index(n) for n in nondiff_argnames)
        self.fwd: Callable[..., Any] | None = None
        self.bwd: Callable[..., Any] | None = None
        self.symbolic_zeros = False
        self.optimize_remat = False

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def defvjp(
        self,
        fwd: Callable[..., Any],
        bwd: Callable[..., Any],
        symbolic_zeros: bool = False,
        optimize_remat: bool = False,
    ) -> None:
        """Gives the function its forward and backward passes."""
        self.fwd, self.bwd, self.symbolic_zeros = fwd, bwd, symbolic_zeros
        self.optimize_remat = optimize_remat

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        fwd, bwd = self.fwd, self.bwd
        if fwd is None or bwd is None:
            raise AttributeError(f"No VJP defined for custom_vjp function {_name_of(self.fun)} using defvjp.")
        args = _bind_arguments(self.fun, args, kwargs)
        static = {i: args[i] for i in self.nondiff_argnums}
        dynamic = [a for i, a in enumerate(args) if i not in static]
        leaves, in_tree = pytree.flatten(tuple(dynamic))
        in_avals = [shaped_aval(x) for x in leaves]
        out_tree: list[Any] = []
        res_tree: list[Any] = []

        def merge(xs: Sequence[Any]) -> list[Any]:
            it = iter(pytree.unflatten(in_tree, xs))
            return [static[i] if i in static else next(it) for i in range(len(args))]

        def flat_fun(*xs: Any) -> list[Any]:
            out, tree = pytree.flatten(self.fun(*merge(xs)))
            out_tree[:] = [tree]
            return out

        def flat_fwd(*xs: Any) -> Any:
            pair = fwd(*merge(xs))
            if not isinstance(pair, list | tuple) or len(pair) != 2:
                raise TypeError(
                    f"Custom VJP fwd rule {_name_of(fwd)} for function {_name_of(self.fun)} must produce a pair (list or "
                    "tuple of length two) where the first element represents the primal output (equal to those of the "
                    f"custom_vjp-decorated function {_name_of(self.fun)}) and the second element represents residuals "
                    f"(i.e. values stored from the forward pass for use on the backward pass), but instead of a pair the "
                    f"fwd rule {_name_of(fwd)} produced {pair}."
                )
            out, tree = pytree.flatten(pair[0])
            res, r_tree = pytree.flatten(pair[1])
            out_tree[:] = [tree]
            res_tree[:] = [r_tree]
            return res, out

        def flat_bwd(res: Sequence[Any], cts: Sequence[Any]) -> list[Any]:
            r = pytree.unflatten(res_tree[0], res)
            ct = pytree.unflatten(out_tree[0], cts)
            got = bwd(*[static[i] for i in sorted(static)], r, ct)
            return _flatten_cotangents(bwd, got, in_tree, in_avals)

        call = CustomCall(
            custom_vjp_call_p,
            _name_of(self.fun),
            flat_fun,
            None,
            flat_fwd,
            flat_bwd,
            self.symbolic_zeros,
            {"bwd": _name_of(bwd), "fwd": _name_of(fwd)},
        )
        out = trace_context.trace.custom_vjp(call, leaves)
        return pytree.unflatten(out_tree[0], out)


def _flatten_cotangents(bwd: Any, got: Any, in_tree: Any, in_avals: Sequence[Any]) -> list[Any]:
    if isinstance(got, list):
        got = tuple(got)
    n = len(pytree.unflatten(in_tree, [None] * len(in_avals)))
    if not isinstance(got, tuple) or len(got) != n:
        raise TypeError(
            f"Custom VJP bwd rule {_name_of(bwd)} must produce a tuple of length equal to the number of primal inputs "
            f"({n}), but got {got}"
        )
    out: list[Any] = []
    position = 0
    for part, ct in zip(pytree.unflatten(in_tree, range(len(in_avals))), got, strict=True):
        leaves, tree = pytree.flatten(part)
        if ct is None:
            out += [Zero(in_avals[i].to_tangent_aval()) for i in range(position, position + len(leaves))]
        else:
            ct_leaves, ct_tree = pytree.flatten(ct)
            if ct_tree != tree:
                raise TypeError(
                    "Custom VJP bwd rule must produce an output with the same container (pytree) structure as the args "
                    f"tuple of the primal function, and in particular must produce a tuple of length equal to the number "
                    f"of arguments to the primal function, but got bwd output structure {ct_tree} for primal input structure {tree}."
                )
            for i, c in enumerate(ct_leaves):
                aval = in_avals[position + i].to_tangent_aval()
                if getattr(aval, "dtype", None) == float0 or getattr(c, "dtype", None) == float0:
                    out.append(Zero(aval))
                else:
                    out.append(c)
        position += len(leaves)
    return out


def custom_gradient(fun: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function whose gradient the function itself returns: ``fun(*args) -> (out, vjp)``."""

    @functools.wraps(fun)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        box: list[Any] = []

        def primal(*a: Any) -> Any:
            return fun(*a, **kwargs)[0]

        def fwd(*a: Any) -> Any:
            out, rule = fun(*a, **kwargs)
            leaves, tree = pytree.flatten(out)
            avals = [shaped_aval(x) for x in leaves]

            def flat_rule(*cts: Any) -> list[Any]:
                got = rule(pytree.unflatten(tree, cts))
                got = got if isinstance(got, tuple) else (got,)
                flat, t = pytree.flatten(got)
                box[:] = [t]
                return flat

            jaxpr, consts = trace_to_jaxpr(flat_rule, [x.to_tangent_aval() for x in avals])
            program[:] = [jaxpr]
            return out, consts

        program: list[Jaxpr] = []

        def bwd(consts: Any, ct: Any) -> Any:
            cts = pytree.flatten(ct)[0]
            return pytree.unflatten(box[0], eval_jaxpr(program[0], consts, *cts))

        f = custom_vjp(primal)
        f.defvjp(fwd, bwd)
        return f(*args)

    return wrapped
