"""Splitting a program by what is known: one program computes what it can, the other the rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from jaxnb.engine.core.jaxpr import Jaxpr
from jaxnb.engine.core.source import provenance
from jaxnb.engine.core.trace import set_current_trace
from jaxnb.engine.transforms.evaluate import eval_jaxpr
from jaxnb.engine.transforms.linearize import SplitTrace, with_residuals
from jaxnb.engine.transforms.stage import StagedTracer, StageTrace

__all__ = ["SplitJaxpr", "split_jaxpr"]


class SplitJaxpr(NamedTuple):
    """The two halves of a program."""

    known: Jaxpr
    """Its results are the known results, then the residuals that are neither a parameter nor a result."""
    residuals: tuple[tuple[str, int], ...]
    """Where each residual is found: ``("in", i)`` among the known parameters, ``("out", i)`` among ``known``'s results."""
    unknown_out: tuple[bool, ...]
    unknown: Jaxpr
    """Its parameters are the residuals, then the unknown parameters."""


def split_jaxpr(jaxpr: Jaxpr, unknown: Sequence[bool]) -> SplitJaxpr:
    """Returns the halves of a program whose flagged parameters are unknown; remembered by program."""
    key = ("split", tuple(unknown))
    found = jaxpr._cache.get(key)
    if found is None:
        found = jaxpr._cache[key] = _split(jaxpr, key[1])
    return found


def _split(jaxpr: Jaxpr, unknown: tuple[bool, ...]) -> SplitJaxpr:
    known = StageTrace(jaxpr.debug_info)
    rest = StageTrace(jaxpr.debug_info)
    trace = SplitTrace(known, rest)
    args = [(rest if u else known).new_arg(v.aval) for v, u in zip(jaxpr.invars, unknown, strict=True)]
    p = provenance
    saved = p.traceback, p.name_stack
    with set_current_trace(trace):
        try:
            out = eval_jaxpr(jaxpr, (), *args)
        finally:
            p.traceback, p.name_stack = saved
    unknown_out = tuple(type(o) is StagedTracer and o._trace is rest for o in out)
    unknown_jaxpr, consts = rest.to_jaxpr([o for o, u in zip(out, unknown_out, strict=True) if u])
    known_outs = [o for o, u in zip(out, unknown_out, strict=True) if not u]
    known_jaxpr, where = with_residuals(known, known_outs, consts)
    unknown_jaxpr = unknown_jaxpr.replace(
        constvars=[], invars=[*unknown_jaxpr.constvars, *unknown_jaxpr.invars]
    )
    return SplitJaxpr(known_jaxpr, where, unknown_out, unknown_jaxpr)
