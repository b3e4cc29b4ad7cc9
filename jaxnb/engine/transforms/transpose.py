"""Transposition: running a linear program backwards, from cotangents of its results to cotangents of its parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jaxnb.engine.core.ad import UndefinedPrimal, Zero
from jaxnb.engine.core.jaxpr import Jaxpr, Literal
from jaxnb.engine.core.rules import Undefined, add_tangents_port, transpose_rules
from jaxnb.engine.core.source import NameStack, provenance
from jaxnb.engine.core.trace import trace_context
from jaxnb.engine.transforms.stage import trace_to_jaxpr

__all__ = ["backward_pass", "transpose_jaxpr"]

_transposed: dict[tuple[NameStack, NameStack], NameStack] = {}


def backward_pass(
    jaxpr: Jaxpr, consts: Sequence[Any], args: Sequence[Any], cts: Sequence[Any], name_transform: bool = True
) -> list[Any]:
    """Returns the cotangents of the linear parameters (``Zero`` where nothing arrives, None for the other parameters).

    Args:
        jaxpr: the program, linear in the parameters given as ``UndefinedPrimal``.
        consts: the values of its constants' variables.
        args: one value or ``UndefinedPrimal`` a parameter.
        cts: one cotangent (or ``Zero``) a result.
        name_transform: whether equations made here say ``transpose`` in their name stack.
    """
    values: dict[Any, Any] = dict(zip(jaxpr.constvars, consts, strict=True))
    linear: set[Any] = set()
    for v, a in zip(jaxpr.invars, args, strict=True):
        if type(a) is UndefinedPrimal:
            linear.add(v)
        else:
            values[v] = a

    def read(atom: Any) -> Any:
        return atom.val if type(atom) is Literal else values[atom]

    p = provenance
    saved = p.traceback, p.name_stack
    base = p.name_stack
    linear_eqns = []
    try:
        for eqn in jaxpr.eqns:
            if any(type(a) is not Literal and a in linear for a in eqn.invars):
                linear.update(eqn.outvars)
                linear_eqns.append(eqn)
                continue
            p.traceback = eqn.source_info.traceback
            p.name_stack = base + eqn.source_info.name_stack
            out = trace_context.trace.process(eqn.primitive, [read(a) for a in eqn.invars], eqn.params)
            if eqn.primitive.multiple_results:
                values.update(zip(eqn.outvars, out, strict=True))
            else:
                values[eqn.outvars[0]] = out

        ct_env: dict[Any, Any] = {}
        add = add_tangents_port.add

        def accumulate(atom: Any, ct: Any) -> None:
            if ct is None or type(ct) is Zero or type(atom) is Literal:
                return
            old = ct_env.get(atom)
            ct_env[atom] = ct if old is None else add(old, ct)

        for v, ct in zip(jaxpr.outvars, cts, strict=True):
            if type(v) is not Literal and v in linear:
                accumulate(v, ct)
        for eqn in reversed(linear_eqns):
            outvars = eqn.outvars
            if eqn.primitive.multiple_results:
                found = [ct_env.pop(v, None) for v in outvars]
                if all(c is None for c in found):
                    continue
                ct: Any = [
                    Zero(v.aval.to_tangent_aval()) if c is None else c
                    for v, c in zip(outvars, found, strict=True)
                ]
            else:
                ct = ct_env.pop(outvars[0], None)
                if ct is None:
                    continue
            rule = transpose_rules.get(eqn.primitive)
            if rule is None or isinstance(rule, Undefined):
                raise NotImplementedError(
                    f"Transpose rule (for reverse-mode differentiation) for '{eqn.primitive}' not implemented"
                )
            info = eqn.source_info
            p.traceback = info.traceback
            if name_transform:
                key = (base, info.name_stack)
                stack = _transposed.get(key)
                if stack is None:
                    stack = _transposed[key] = base.transform("transpose") + info.name_stack
                p.name_stack = stack
            else:
                p.name_stack = base + info.name_stack
            operands = [
                UndefinedPrimal(a.aval) if type(a) is not Literal and a in linear else read(a)
                for a in eqn.invars
            ]
            out = rule(ct, *operands, **eqn.params)
            if type(out) is Zero:
                continue
            for a, c in zip(eqn.invars, out, strict=True):
                if c is not None:
                    accumulate(a, c)
    finally:
        p.traceback, p.name_stack = saved
    return [ct_env.get(v, Zero(v.aval.to_tangent_aval())) if v in linear else None for v in jaxpr.invars]


def transpose_jaxpr(
    jaxpr: Jaxpr, linear: Sequence[bool], ct_nonzeros: Sequence[bool]
) -> tuple[Jaxpr, list[bool]]:
    """Returns the transposed program, and which linear parameters get a cotangent; remembered by program.

    Its parameters are the values of the parameters that are not linear, then the nonzero cotangents; its results
    are the nonzero cotangents of the linear parameters.
    """
    key = ("transpose", tuple(linear), tuple(ct_nonzeros))
    found = jaxpr._cache.get(key)
    if found is None:
        nonzero_out: list[bool] = []
        n_known = sum(not lin for lin in key[1])

        def fun(*flat: Any) -> list[Any]:
            known, given = iter(flat[:n_known]), iter(flat[n_known:])
            args = [
                UndefinedPrimal(v.aval) if lin else next(known)
                for v, lin in zip(jaxpr.invars, key[1], strict=True)
            ]
            cts = [
                next(given) if nz else Zero(v.aval.to_tangent_aval())
                for v, nz in zip(jaxpr.outvars, key[2], strict=True)
            ]
            out = [
                c for c, lin in zip(backward_pass(jaxpr, (), args, cts, False), key[1], strict=True) if lin
            ]
            nonzero_out[:] = [type(c) is not Zero for c in out]
            return [c for c in out if type(c) is not Zero]

        avals = [v.aval for v, lin in zip(jaxpr.invars, key[1], strict=True) if not lin]
        avals += [v.aval.to_tangent_aval() for v, nz in zip(jaxpr.outvars, key[2], strict=True) if nz]
        new, consts = trace_to_jaxpr(fun, avals, jaxpr.debug_info, stage_all=True)
        assert not consts
        found = jaxpr._cache[key] = (new, nonzero_out)
    return found
