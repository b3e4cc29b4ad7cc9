"""Constants that a program captured: which are hoisted to parameters, and in which order."""

from __future__ import annotations

from typing import Any

from jaxnb.base import config
from jaxnb.engine.core.jaxpr import Jaxpr, Literal, sub_jaxprs
from jaxnb.engine.runtime.shapes import refuse_as_value

__all__ = ["is_hoistable", "jaxpr_const_args"]


def is_hoistable(value: Any) -> bool:
    """Returns whether a literal's value becomes a parameter: an array larger than the embedding limit."""
    refuse_as_value(value)
    if hasattr(value, "_base_array"):  # keys
        return False
    if not config.use_simplified_jaxpr_constants.value:
        return False
    if getattr(value, "ndim", 0) == 0:
        return False
    return value.nbytes > config.embedded_constants_max_bytes.value


def jaxpr_const_args(jaxpr: Jaxpr) -> list[Any]:
    """Returns the constants that are hoisted, each once, in order of first appearance; remembered by program."""
    limit = config.embedded_constants_max_bytes.value
    key = ("const_args", limit, config.use_simplified_jaxpr_constants.value)
    found = jaxpr._cache.get(key)
    if found is None:
        # JAX counts a constant of the program itself and the same constant of an inner program as two.
        collected: dict[tuple[bool, int], Any] = {}
        for atom in jaxpr.outvars:
            if type(atom) is Literal and is_hoistable(atom.val):
                collected[False, id(atom.val)] = atom.val
        for eqn in jaxpr.eqns:
            for atom in eqn.invars:
                if type(atom) is Literal and is_hoistable(atom.val):
                    collected[False, id(atom.val)] = atom.val
            if eqn.params:
                for sub in sub_jaxprs(eqn):
                    collected.update(((True, id(c)), c) for c in jaxpr_const_args(sub))
        found = jaxpr._cache[key] = list(collected.values())
    return found
