"""Dead code elimination: a program without the equations that its used results do not need."""

from __future__ import annotations

from collections.abc import Sequence

from jaxnb.engine.core.jaxpr import DropVar, Jaxpr, JaxprEqn, Literal
from jaxnb.engine.core.rules import dce_rules
from jaxnb.xla.version import JAXLIB_VERSION

__all__ = ["dce_jaxpr"]

_NEEDLESS_IS_IDENTITY = JAXLIB_VERSION >= (0, 12)
"""Whether a program that has no dead code is returned itself."""


def dce_jaxpr(
    jaxpr: Jaxpr, used_outputs: Sequence[bool], instantiate: bool | Sequence[bool] = False
) -> tuple[Jaxpr, list[bool]]:
    """Returns the program with only the used results, and which parameters are still used.

    The same program and the same choice give the same object, so that what is cached by identity stays shared. In older
    JAX it is never the given program itself: a function that is called both in a loop, whose body is left as it is,
    and outside of it is lowered twice.

    Args:
        jaxpr: the program.
        used_outputs: one flag a result.
        instantiate: parameters to keep although they are unused (True keeps all).
    """
    keep = tuple(instantiate) if not isinstance(instantiate, bool) else (instantiate,) * len(jaxpr.invars)
    key = ("dce", tuple(used_outputs), keep)
    found = jaxpr._cache.get(key)
    if found is None:
        found = jaxpr._cache[key] = _dce(jaxpr, key[1], keep)
    return found[0], list(found[1])


def _dce(jaxpr: Jaxpr, used_outputs: tuple[bool, ...], keep: tuple[bool, ...]) -> tuple[Jaxpr, list[bool]]:
    live = {v for v, u in zip(jaxpr.outvars, used_outputs, strict=True) if u and type(v) is not Literal}
    kept: list[JaxprEqn] = []
    for eqn in reversed(jaxpr.eqns):
        outvars = eqn.outvars
        if len(outvars) == 1 and eqn.primitive not in dce_rules:
            if outvars[0] in live or eqn.effects:
                for a in eqn.invars:
                    if type(a) is not Literal:
                        live.add(a)
                kept.append(eqn)
            continue
        used = [v in live for v in outvars]
        if not any(used) and not eqn.effects:
            continue
        rule = dce_rules.get(eqn.primitive)
        new = eqn
        if rule is not None:
            new = rule(used, eqn)
            if new is None:
                continue
        if new is eqn and not all(used):
            new = eqn.replace(
                outvars=[v if u else DropVar(v.aval) for v, u in zip(eqn.outvars, used, strict=True)]
            )
        live.update(a for a in new.invars if type(a) is not Literal)
        kept.append(new)
    kept.reverse()
    if _NEEDLESS_IS_IDENTITY and all(used_outputs) and len(kept) == len(jaxpr.eqns):
        same = all(new is eqn for new, eqn in zip(kept, jaxpr.eqns, strict=True))
        if same and all(v in live or k for v, k in zip(jaxpr.invars, keep, strict=True)):
            return jaxpr, [True] * len(jaxpr.invars)
    used_inputs = [v in live or k for v, k in zip(jaxpr.invars, keep, strict=True)]
    out = jaxpr.replace(
        invars=[v for v, u in zip(jaxpr.invars, used_inputs, strict=True) if u],
        outvars=[v for v, u in zip(jaxpr.outvars, used_outputs, strict=True) if u],
        eqns=kept,
    )
    if jaxpr.debug_info is not None and jaxpr.debug_info.arg_names:
        names = [n for n, u in zip(jaxpr.debug_info.arg_names, used_inputs, strict=False) if u]
        out.debug_info = jaxpr.debug_info._replace(arg_names=tuple(names))
    return out, used_inputs
