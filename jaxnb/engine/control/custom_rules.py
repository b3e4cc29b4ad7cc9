"""Functions with their own derivative: ``custom_jvp``, ``custom_vjp``, ``custom_gradient``.

Lives here: the decorators and the checks of what the user's rules return. How calls are staged is in ``custom_calls.py``.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from jaxnb.engine.control.custom_calls import custom_jvp_call_p, custom_vjp_call_p
from jaxnb.engine.core.ad import Zero
from jaxnb.engine.core.argument_names import argument_names
from jaxnb.engine.core.avals import typematch
from jaxnb.engine.core.boundary import api_boundary
from jaxnb.engine.core.dtypes import float0
from jaxnb.engine.core.functions import fun_name, fun_parameters, fun_src_info
from jaxnb.engine.core.jaxpr import DebugInfo, Jaxpr
from jaxnb.engine.core.rules import add_tangents_port, instantiate_zeros
from jaxnb.engine.core.trace import CustomCall, shaped_aval, trace_context
from jaxnb.engine.transforms.evaluate import eval_jaxpr
from jaxnb.engine.transforms.stage import trace_to_jaxpr
from jaxnb.xla import pytree
from jaxnb.xla.version import JAXLIB_VERSION

__all__ = ["custom_gradient", "custom_jvp", "custom_vjp"]


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


class _Decorated:
    """What both decorators are: a function, and which of its arguments are not differentiated."""

    def __init__(
        self,
        fun: Callable[..., Any],
        nondiff_argnums: Sequence[int] = (),
        nondiff_argnames: Sequence[str] = (),
    ):
        functools.update_wrapper(self, fun)  # pyright: ignore[reportArgumentType]
        self.fun = fun
        self.nondiff_argnums = tuple(nondiff_argnums)
        if nondiff_argnames:
            names = list(inspect.signature(fun).parameters)
            self.nondiff_argnums += tuple(names.index(n) for n in nondiff_argnames)
        self.symbolic_zeros = False

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)  # pyright: ignore[reportArgumentType]


class _FlatCall:
    """One call as a function of its arguments' leaves; it outlives the call, and does not keep them."""

    def __init__(self, decorated: _Decorated, args: Sequence[Any]):
        self.fun = decorated.fun
        self.count = len(args)
        self.static = {i: args[i] for i in decorated.nondiff_argnums}
        self.leading = [self.static[i] for i in sorted(self.static)]
        self.in_tree: Any = None
        self.out_tree: Any = None

    @staticmethod
    def made(decorated: _Decorated, args: tuple, kwargs: dict[str, Any]) -> tuple[_FlatCall, list[Any]]:
        """Returns the call and its arguments' leaves."""
        bound = _bind_arguments(decorated.fun, args, kwargs)
        flat = _FlatCall(decorated, bound)
        leaves, flat.in_tree = pytree.flatten(tuple(a for i, a in enumerate(bound) if i not in flat.static))
        return flat, leaves

    def says(self, traced_for: str) -> DebugInfo:
        """Returns what messages say of the function and of these leaves."""
        places = list(range(self.in_tree.num_leaves))
        args = [None if i in self.static else x for i, x in enumerate(self.merge(places))]
        names = argument_names(fun_parameters(self.fun), args, {})
        return DebugInfo(traced_for, fun_src_info(self.fun), fun_name(self.fun), names)

    def merge(self, leaves: Sequence[Any]) -> list[Any]:
        """Returns all arguments, these leaves in the places of the differentiated ones."""
        it = iter(pytree.unflatten(self.in_tree, leaves))
        return [self.static[i] if i in self.static else next(it) for i in range(self.count)]

    def __call__(self, *leaves: Any) -> list[Any]:
        out, self.out_tree = pytree.flatten(self.fun(*self.merge(leaves)))
        return out


class custom_jvp(_Decorated):
    """A function with its own forward-mode derivative rule.

    ``defjvp(rule)`` takes ``rule(primals, tangents) -> (out, tangent_out)``; ``defjvps`` takes one formula an argument.
    """

    def __init__(self, fun: Callable[..., Any], *args: Any, **kwargs: Any):
        super().__init__(fun, *args, **kwargs)
        self.jvp: Callable[..., Any] | None = None

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

    @api_boundary
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.jvp is None:
            raise AttributeError(f"No JVP defined for custom_jvp function {_name_of(self.fun)} using defjvp.")
        flat, leaves = _FlatCall.made(self, args, kwargs)
        rule = self.jvp

        def flat_jvp(primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
            ps = pytree.unflatten(flat.in_tree, primals)
            ts = pytree.unflatten(flat.in_tree, tangents)
            pair = rule(*flat.leading, ps, ts)
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
            flat.out_tree = tree
            return out, [_zero_if_float0(t) for t in t_out]

        call = CustomCall(
            custom_jvp_call_p,
            _name_of(self.fun),
            flat,
            flat_jvp,
            None,
            None,
            self.symbolic_zeros,
            {"jvp": _name_of(rule)},
        )
        out = trace_context.trace.custom_jvp(call, leaves)
        return pytree.unflatten(flat.out_tree, out)


def _zero_if_float0(t: Any) -> Any:
    if type(t) is Zero:
        return t
    aval = shaped_aval(t)
    return Zero(aval) if getattr(aval, "dtype", None) == float0 else t


def _check_tangents(rule: Any, fun: Any, out: Sequence[Any], t_out: Sequence[Any]) -> None:
    wrong = []
    for o, t in zip(out, t_out, strict=True):
        aval = shaped_aval(o)
        want, got = aval.to_tangent_aval(), t.aval if type(t) is Zero else shaped_aval(t)
        if not typematch(want, got) and getattr(got, "dtype", None) != float0:
            wrong.append((aval.str_short(), got.str_short(), want.str_short()))
    if wrong:
        head = "Custom JVP rule must produce primal and tangent outputs with corresponding shapes and dtypes"
        if len(out) == 1:
            primal, got, want = wrong[0]
            raise TypeError(f"{head}. Expected {want} (tangent type of {primal}) but got {got}.")
        lines = (f"  primal {p} with tangent {got}, expecting tangent {want}" for p, got, want in wrong)
        raise TypeError(f"{head}, but got:\n" + "\n".join(lines))


class custom_vjp(_Decorated):
    """A function with its own backward pass: ``defvjp(fwd, bwd)``.

    ``fwd(*args) -> (out, residuals)``; ``bwd(residuals, ct) -> tuple`` with one cotangent an argument.
    """

    def __init__(self, fun: Callable[..., Any], *args: Any, **kwargs: Any):
        super().__init__(fun, *args, **kwargs)
        self.fwd: Callable[..., Any] | None = None
        self.bwd: Callable[..., Any] | None = None
        self.optimize_remat = False

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

    @api_boundary
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        fwd, bwd = self.fwd, self.bwd
        if fwd is None or bwd is None:
            raise AttributeError(f"No VJP defined for custom_vjp function {_name_of(self.fun)} using defvjp.")
        flat, leaves = _FlatCall.made(self, args, kwargs)
        in_avals = [shaped_aval(x) for x in leaves]
        res_tree: list[Any] = []

        def flat_fwd(*xs: Any) -> Any:
            pair = fwd(*flat.merge(xs))
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
            flat.out_tree = tree
            res_tree[:] = [r_tree]
            return res, out

        def flat_bwd(res: Sequence[Any], cts: Sequence[Any]) -> list[Any]:
            r = pytree.unflatten(res_tree[0], res)
            ct = pytree.unflatten(flat.out_tree, cts)
            got = bwd(*flat.leading, r, ct)
            return _flatten_cotangents(self.fun, got, flat.in_tree, in_avals)

        call = CustomCall(
            custom_vjp_call_p,
            _name_of(self.fun),
            flat,
            None,
            flat_fwd,
            flat_bwd,
            self.symbolic_zeros,
            {"bwd": _name_of(bwd), "fwd": _name_of(fwd)},
        )
        out = trace_context.trace.custom_vjp(call, leaves)
        return pytree.unflatten(flat.out_tree, out)


def _flatten_cotangents(fun: Any, got: Any, in_tree: Any, in_avals: Sequence[Any]) -> list[Any]:
    """Returns a cotangent for each leaf of the arguments; None stands for zeros, one array for all of a tree."""
    got = tuple(got) if isinstance(got, list) else got
    parts = tuple(pytree.unflatten(in_tree, range(len(in_avals))))
    wrong = (
        "Custom VJP bwd rule must produce an output with the same container (pytree) structure as the args tuple of the "
        "primal function, and in particular must produce a tuple of length equal to the number of arguments to the "
        f"primal function, but got bwd output structure {pytree.flatten(got)[1]} for primal input structure "
        f"{pytree.flatten(parts)[1]}."
    )
    if not isinstance(got, tuple) or len(got) != len(parts):
        raise TypeError(wrong)
    out: list[Any] = []
    for k, (part, ct) in enumerate(zip(parts, got, strict=True)):
        leaves, tree = pytree.flatten_with_path(part)
        if ct is None:
            out += [Zero(in_avals[i].to_tangent_aval()) for _, i in leaves]
            continue
        cts, ct_tree = pytree.flatten(ct, is_leaf=lambda x: x is None)
        if ct_tree.num_nodes == 1:
            cts = cts * len(leaves)
        elif ct_tree != tree:
            raise TypeError(wrong)
        out += [
            _cotangent(fun, c, in_avals[i], f"output[{k}]{pytree.keystr(path)}")
            for c, (path, i) in zip(cts, leaves, strict=True)
        ]
    return out


def _cotangent(fun: Any, ct: Any, aval: Any, place: str) -> Any:
    want = aval.to_tangent_aval()
    if ct is None or getattr(want, "dtype", None) == float0 or getattr(ct, "dtype", None) == float0:
        return Zero(want)
    got: Any = shaped_aval(ct)
    if getattr(got, "shape", None) == getattr(want, "shape", None):
        return ct
    types = "the dtypes do not match, and " if got.dtype != want.dtype else ""
    rule = f"rule attached to {fun_src_info(fun)}" if JAXLIB_VERSION >= (0, 12) else "rule"
    raise ValueError(
        f"Custom VJP bwd {rule} must produce an output with the same type as the args tuple of the primal function, but "
        f"at {place} the bwd rule produced an output of type {got.str_short()} corresponding to an input of type "
        f"{want.str_short()}, so {types}the shapes do not match"
    )


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
