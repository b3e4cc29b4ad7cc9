"""The jit primitive: a call of a program of its own.

Lives here: ``jit_p`` with all its rules. Tracing a function for it and dispatching calls are elsewhere (``runtime``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jaxnb.base.errors import InternalFloatingPointError
from jaxnb.engine.control.inlining import Inline
from jaxnb.engine.control.scopes import scoped
from jaxnb.engine.core import printer as core_printer
from jaxnb.engine.core.ad import UndefinedPrimal, Zero
from jaxnb.engine.core.jaxpr import ClosedJaxpr, Jaxpr, JaxprEqn, Literal, close
from jaxnb.engine.core.rules import define
from jaxnb.engine.core.trace import set_current_trace
from jaxnb.engine.transforms.batch import axis_size_of, batch_jaxpr
from jaxnb.engine.transforms.dce import dce_jaxpr
from jaxnb.engine.transforms.evaluate import eval_jaxpr
from jaxnb.engine.transforms.jvp import jvp_jaxpr
from jaxnb.engine.transforms.linearize import LinearizeTrace, SplitTrace, linearize_jaxpr
from jaxnb.engine.transforms.split import split_jaxpr
from jaxnb.engine.transforms.stage import StageTrace
from jaxnb.engine.transforms.transpose import backward_pass, transpose_jaxpr
from jaxnb.xla.version import JAXLIB_VERSION

__all__ = ["jit_p", "jit_params"]


def jit_params(
    jaxpr: Jaxpr,
    name: str,
    *,
    donated: Sequence[bool] | None = None,
    keep_unused: bool = False,
    inline: Inline = Inline.AUTO,
    compiler_options: tuple[tuple[str, Any], ...] = (),
) -> dict[str, Any]:
    """Returns the parameters of a jit equation."""
    return {
        "name": name,
        "jaxpr": close(jaxpr),
        "donated_invars": tuple(donated) if donated is not None else (False,) * len(jaxpr.invars),
        "keep_unused": keep_unused,
        "inline": inline,
        "compiler_options_kvs": compiler_options,
    }


def _with(params: dict[str, Any], jaxpr: Jaxpr) -> dict[str, Any]:
    kept = {k: v for k, v in params.items() if k not in ("in_shardings", "out_shardings")}
    return {**kept, "jaxpr": close(jaxpr), "donated_invars": (False,) * len(jaxpr.invars)}


def _abstract(*avals: Any, jaxpr: ClosedJaxpr, **_: Any) -> list[Any]:
    return jaxpr.out_avals


def _lower(ctx: Any, *values: Any, jaxpr: ClosedJaxpr, name: str, inline: Inline, **_: Any) -> list[Any]:
    if inline in (Inline.JAX_LATE, Inline.JAX_EARLY):
        inside = ctx if JAXLIB_VERSION < (0, 12) else scoped(ctx, f"jit({name})")
        return inside.lower_jaxpr(jaxpr, *values)
    mark = inline.value if inline in (Inline.XLA_EARLY, Inline.XLA_LATE) else None
    return ctx.module.lower_call(ctx, name, jaxpr.jaxpr, values, inlineable=mark)


def _jvp(primals: Any, tangents: Any, **params: Any) -> tuple[list[Any], list[Any]]:
    jaxpr = params["jaxpr"].jaxpr
    nonzeros = [type(t) is not Zero for t in tangents]
    new, nz_out = jvp_jaxpr(jaxpr, nonzeros)
    out = jit_p.bind(*primals, *[t for t in tangents if type(t) is not Zero], **_with(params, new))
    n = len(jaxpr.outvars)
    ts = iter(out[n:])
    return out[:n], [
        next(ts) if nz else Zero(v.aval.to_tangent_aval())
        for nz, v in zip(nz_out, jaxpr.outvars, strict=True)
    ]


def _linearize(trace: LinearizeTrace, primals: Any, tangents: Any, params: dict[str, Any]) -> Any:
    jaxpr = params["jaxpr"].jaxpr
    lin = linearize_jaxpr(jaxpr, [type(t) is not Zero for t in tangents])
    computed, passed_on = _without_forwarded(lin.primal)
    results = iter(trace.parent.process(jit_p, primals, _with(params, computed)))
    out = [next(results) if i is None else primals[i] for i in passed_on]
    residuals = [_found(kind, i, primals, out) for kind, i in lin.residuals]
    nz = [t for t in tangents if type(t) is not Zero]
    t_out = iter(
        trace.linear.process(jit_p, [*residuals, *nz], _with(params, lin.tangent))
        if any(lin.nonzeros_out)
        else ()
    )
    n = len(jaxpr.outvars)
    return out[:n], [
        next(t_out) if nz_ else Zero(v.aval.to_tangent_aval())
        for nz_, v in zip(lin.nonzeros_out, jaxpr.outvars, strict=True)
    ]


def _without_forwarded(jaxpr: Jaxpr) -> tuple[Jaxpr, list[int | None]]:
    """Returns a program without the results that are its arguments, and for each result the argument that it is."""
    found = jaxpr._cache.get("without forwarded")
    if found is None:
        place = {v: i for i, v in enumerate(jaxpr.invars)}
        passed_on = [None if isinstance(v, Literal) else place.get(v) for v in jaxpr.outvars]
        kept = [v for v, i in zip(jaxpr.outvars, passed_on, strict=True) if i is None]
        new = jaxpr if len(kept) == len(passed_on) else jaxpr.replace(outvars=kept)
        found = jaxpr._cache["without forwarded"] = new, passed_on
    return found


def _found(kind: str, where: Any, args: Sequence[Any], out: Sequence[Any]) -> Any:
    """Returns a residual: an argument, a result, or a captured array itself."""
    return args[where] if kind == "in" else out[where] if kind == "out" else where


def _split(trace: SplitTrace, args: Sequence[Any], params: dict[str, Any]) -> list[Any]:
    """A jitted function called inside a jvp rule: what no tangent reaches is computed now."""
    jaxpr = params["jaxpr"].jaxpr
    unknown = [trace._is_linear(x) for x in args]
    parts = split_jaxpr(jaxpr, unknown)
    known_args = [x for x, u in zip(args, unknown, strict=True) if not u]
    known_out = (
        trace.parent.process(jit_p, known_args, _with(params, parts.known)) if parts.known.outvars else []
    )
    residuals = [_found(kind, i, known_args, known_out) for kind, i in parts.residuals]
    linear_args = [x for x, u in zip(args, unknown, strict=True) if u]
    linear_out: Any = iter(())
    if any(parts.unknown_out):
        linear_args = [*residuals, *linear_args]
        if params["inline"] is Inline.JAX_EARLY:
            with set_current_trace(trace.linear):
                linear_out = iter(eval_jaxpr(parts.unknown, (), *linear_args, propagate_source_info=False))
        else:
            linear_out = iter(trace.linear.process(jit_p, linear_args, _with(params, parts.unknown)))
    known_iter = iter(known_out)
    return [next(linear_out) if u else next(known_iter) for u in parts.unknown_out]


def _transpose(cts: Any, *operands: Any, **params: Any) -> list[Any]:
    jaxpr = params["jaxpr"].jaxpr
    linear = [type(x) is UndefinedPrimal for x in operands]
    nz = [type(c) is not Zero for c in cts]
    new, nz_out = transpose_jaxpr(jaxpr, linear, nz)
    known = [x for x, lin in zip(operands, linear, strict=True) if not lin]
    try:
        out = iter(jit_p.bind(*known, *[c for c in cts if type(c) is not Zero], **_with(params, new)))
    except InternalFloatingPointError as error:
        print(
            "Invalid nan value encountered in the backward pass of a jax.jit function. "
            "Calling the de-optimized backward pass."
        )
        try:
            backward_pass(jaxpr, (), operands, cts, False)
        except (FloatingPointError, ZeroDivisionError) as found:
            raise found from None
        raise error.not_found() from None
    flags = iter(nz_out)
    return [
        (next(out) if next(flags) else Zero(x.aval.to_tangent_aval())) if lin else None
        for x, lin in zip(operands, linear, strict=True)
    ]


def _batch(args: Any, dims: Any, **params: Any) -> tuple[list[Any], list[Any]]:
    new, out_dims = batch_jaxpr(params["jaxpr"].jaxpr, axis_size_of(args, dims), dims)
    return jit_p.bind(*args, **_with(params, new)), list(out_dims)


def _dce(used: Sequence[bool], eqn: JaxprEqn) -> JaxprEqn | None:
    jaxpr = eqn.params["jaxpr"].jaxpr
    if not any(used) and not jaxpr.effects:
        return None
    keep = eqn.params["keep_unused"]
    new, used_in = dce_jaxpr(jaxpr, used, keep)
    if new is jaxpr:
        return eqn
    donated = tuple(d for d, u in zip(eqn.params["donated_invars"], used_in, strict=True) if u)
    return eqn.replace(
        invars=[a for a, u in zip(eqn.invars, used_in, strict=True) if u],
        outvars=[v for v, u in zip(eqn.outvars, used, strict=True) if u],
        params={**eqn.params, "jaxpr": close(new), "donated_invars": donated},
    )


def _stage(trace: StageTrace, args: Sequence[Any], params: dict[str, Any]) -> Any:
    """The body in place of a call that a jaxpr is not to show; newer JAX keeps it in a linear program, transposed whole."""
    if params["inline"] is not Inline.JAX_EARLY or (trace.keeps_calls and JAXLIB_VERSION >= (0, 12)):
        return NotImplemented
    body = params["jaxpr"]
    with set_current_trace(trace):
        return eval_jaxpr(body.jaxpr, body.consts, *args, propagate_source_info=False)


def _print(printer: core_printer.Printer, eqn: JaxprEqn) -> Any:
    params = eqn.params
    jaxpr = params["jaxpr"].jaxpr
    if jaxpr not in printer.shared:
        printer.unify(jaxpr.invars, eqn.invars)
        printer.unify_results(jaxpr.outvars, eqn.outvars)
    shown = {"name": params["name"]}
    if params["compiler_options_kvs"]:
        shown["compiler_options_kvs"] = params["compiler_options_kvs"]
    if any(params["donated_invars"]):
        shown["donated_invars"] = params["donated_invars"]
    if "in_shardings" in params:
        shown["in_shardings"] = params["in_shardings"]
    shown["jaxpr"] = params["jaxpr"]
    if params["keep_unused"]:
        shown["keep_unused"] = True
    if "out_shardings" in params:
        shown["out_shardings"] = params["out_shardings"]
    return printer.plain_equation(eqn, shown)


def _effects(*avals: Any, jaxpr: ClosedJaxpr, **_: Any) -> Any:
    return jaxpr.effects


class _Word:
    """A value that is only printed."""

    __slots__ = ("text",)

    def __init__(self, text: str):
        self.text = text

    def __repr__(self) -> str:
        return self.text


_UNSPECIFIED = _Word("UnspecifiedValue")


def _print_in_full(printer: core_printer.Printer, eqn: JaxprEqn) -> Any:
    """With those of JAX's parameters that we have none of: a program runs on one device, in the usual layout."""
    params = eqn.params
    n_in, n_out = len(eqn.invars), len(eqn.outvars)
    shown = {
        "ctx_mesh": _Word("Mesh()"),
        "in_layouts": (None,) * n_in,
        "in_shardings": (_UNSPECIFIED,) * n_in,
        "out_layouts": (None,) * n_out,
        "out_shardings": (_UNSPECIFIED,) * n_out,
        **params,
    }
    if JAXLIB_VERSION < (0, 12):
        shown["inline"] = params["inline"] is Inline.JAX_EARLY
    return printer.plain_equation(eqn, dict(sorted(shown.items())))


jit_p = define(
    "jit",
    abstract=_abstract,
    lower=_lower,
    jvp=_jvp,
    transpose=_transpose,
    batch=_batch,
    multiple_results=True,
    linearize=_linearize,
    dce=_dce,
    split=_split,
    effects=_effects,
    doc="calls a program of its own",
)
core_printer.print_rules[jit_p] = _print
core_printer.full_print_rules[jit_p] = _print_in_full
jit_p.staging = _stage
