"""The two ways a program holds the arrays it captured: literals in operands' places, or variables with values beside them.

Inside the engine an array is always a literal; the older way, in which a closed program carries ``consts``, is made from it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from jaxnb.engine.core.jaxpr import Atom, ClosedJaxpr, Jaxpr, Literal, Var, close
from jaxnb.engine.core.trace import Tracer

__all__ = ["is_captured_array", "is_key_array", "with_constvars", "with_key_constvars"]


def is_captured_array(value: Any) -> bool:
    """Returns whether the older way keeps a value as a constant's variable: an array, of any rank."""
    return not isinstance(value, np.generic | bool | int | float | complex | Tracer) and hasattr(
        value, "dtype"
    )


def with_constvars(jaxpr: Jaxpr) -> ClosedJaxpr:
    """Returns the closed program in the older way: array literals as constants' variables, here and in what it calls."""
    return _with_constvars(jaxpr, is_captured_array)


def with_key_constvars(jaxpr: Jaxpr) -> ClosedJaxpr:
    """Returns the closed program with captured keys as constants' variables: keys are shown so in either way."""
    return _with_constvars(jaxpr, is_key_array)


def is_key_array(value: Any) -> bool:
    """Returns whether a value is an array of random keys."""
    return hasattr(value, "_base_array")


def _with_constvars(jaxpr: Jaxpr, wanted: Callable[[Any], bool]) -> ClosedJaxpr:
    found = jaxpr._cache.get(wanted)
    if found is None:
        found = jaxpr._cache[wanted] = _make_constvars(jaxpr, wanted)
    return found


def _make_constvars(jaxpr: Jaxpr, wanted: Callable[[Any], bool]) -> ClosedJaxpr:
    variables: dict[int, Var] = {}
    consts: list[Any] = []

    def take(atom: Atom) -> Atom:
        if type(atom) is not Literal or not wanted(atom.val):
            return atom
        v = variables.get(id(atom.val))
        if v is None:
            v = variables[id(atom.val)] = Var(atom.aval)
            consts.append(atom.val)
        return v

    eqns = []
    for eqn in jaxpr.eqns:
        invars = [take(a) for a in eqn.invars]
        inner = new_inner = eqn.params.get("jaxpr")
        if eqn.primitive.name == "jit" and isinstance(inner, ClosedJaxpr):
            new_inner = _with_constvars(inner.jaxpr, wanted)
        if new_inner is not inner:
            eqn = eqn.replace(invars=invars, params={**eqn.params, "jaxpr": new_inner})
        elif any(new is not old for new, old in zip(invars, eqn.invars, strict=True)):
            eqn = eqn.replace(invars=invars)
        eqns.append(eqn)
    outvars = [take(a) for a in jaxpr.outvars]
    if not consts and all(new is old for new, old in zip(eqns, jaxpr.eqns, strict=True)):
        return close(jaxpr)
    new = jaxpr.replace(constvars=[*variables.values(), *jaxpr.constvars], eqns=eqns, outvars=outvars)
    return ClosedJaxpr(new, consts)
