"""The two ways a program holds the arrays it captured: literals in operands' places, or variables with values beside them.

Inside the engine an array is always a literal; the older way, in which a closed program carries ``consts``, is made from it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from jaxnb.engine.core.jaxpr import Atom, ClosedJaxpr, Jaxpr, Literal, Var

__all__ = ["is_captured_array", "with_constvars"]


def is_captured_array(value: Any) -> bool:
    """Returns whether the older way keeps a value as a constant's variable: an array, of any rank."""
    return not isinstance(value, np.generic | bool | int | float | complex) and hasattr(value, "dtype")


def with_constvars(jaxpr: Jaxpr) -> ClosedJaxpr:
    """Returns the closed program in the older way: array literals as constants' variables, here and in what it calls."""
    found = jaxpr._cache.get("with_constvars")
    if found is None:
        found = jaxpr._cache["with_constvars"] = _with_constvars(jaxpr)
    return found


def _with_constvars(jaxpr: Jaxpr) -> ClosedJaxpr:
    variables: dict[int, Var] = {}
    consts: list[Any] = []

    def take(atom: Atom) -> Atom:
        if type(atom) is not Literal or not is_captured_array(atom.val):
            return atom
        v = variables.get(id(atom.val))
        if v is None:
            v = variables[id(atom.val)] = Var(atom.aval)
            consts.append(atom.val)
        return v

    eqns = []
    for eqn in jaxpr.eqns:
        changes: dict[str, Any] = {"invars": [take(a) for a in eqn.invars]}
        inner = eqn.params.get("jaxpr")
        if eqn.primitive.name == "jit" and isinstance(inner, ClosedJaxpr):
            changes["params"] = {**eqn.params, "jaxpr": with_constvars(inner.jaxpr)}
        eqns.append(eqn.replace(**changes))
    outvars = [take(a) for a in jaxpr.outvars]
    new = jaxpr.replace(constvars=[*variables.values(), *jaxpr.constvars], eqns=eqns, outvars=outvars)
    return ClosedJaxpr(new, consts)
