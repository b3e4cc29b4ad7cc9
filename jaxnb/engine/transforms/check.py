"""Checking a jaxpr: every variable is defined before use, every type is what the primitive's rule says."""

from __future__ import annotations

from jaxnb.base.errors import JaxprTypeError
from jaxnb.engine.core.avals import typematch
from jaxnb.engine.core.jaxpr import Atom, ClosedJaxpr, DropVar, Jaxpr, JaxprEqn, Literal, sub_jaxprs

__all__ = ["check_jaxpr"]


def check_jaxpr(jaxpr: Jaxpr | ClosedJaxpr) -> None:
    """Checks a program and the programs inside it.

    Raises:
        JaxprTypeError: the first mistake: an undefined or twice defined variable, a type that the primitive's rule does
            not give, an effect that is not declared.
    """
    program = jaxpr.jaxpr
    defined: set[Atom] = set()

    def define(v: Atom, where: str) -> None:
        if type(v) is DropVar:
            return
        if v in defined:
            raise JaxprTypeError(f"Variable {v!r} is defined twice, in {where}")
        defined.add(v)

    def use(a: Atom, where: str) -> None:
        if type(a) is not Literal and a not in defined:
            raise JaxprTypeError(f"Variable '{a!r}' not defined, used in {where}")

    for v in [*program.constvars, *program.invars]:
        define(v, "the parameters")
    for eqn in program.eqns:
        where = f"equation '{eqn!r}'"
        for a in eqn.invars:
            use(a, where)
        _check_types(eqn, where)
        for sub in sub_jaxprs(eqn):
            check_jaxpr(sub)
        missing = eqn.effects - program.effects
        if missing:
            raise JaxprTypeError(f"Equation effect not in jaxpr effects: {set(missing)} in {where}")
        for v in eqn.outvars:
            define(v, where)
    for a in program.outvars:
        use(a, "the results")


def _check_types(eqn: JaxprEqn, where: str) -> None:
    prim = eqn.primitive
    out = prim.abstract_eval(tuple(a.aval for a in eqn.invars), eqn.params)
    avals = list(out) if prim.multiple_results else [out]
    if len(avals) != len(eqn.outvars):
        raise JaxprTypeError(f"{where} has {len(eqn.outvars)} results, its rule gives {len(avals)}")
    for v, aval in zip(eqn.outvars, avals, strict=True):
        if not typematch(v.aval, aval):
            raise JaxprTypeError(
                f"Value for variable '{v!r}' inferred to be {aval.str_short()}, but its type is "
                f"{v.aval.str_short()}, in {where}"
            )
