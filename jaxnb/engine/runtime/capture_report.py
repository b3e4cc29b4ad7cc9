"""The warning about large arrays that a program captured: which, how large, and where they are used.

Lives here: the two forms of the warning, one for each way of keeping constants, in JAX's words. Must not live here: how
constants are lowered (``constants.py``).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from jaxnb.base import config
from jaxnb.engine.core.jaxpr import Jaxpr, JaxprEqn, Literal, sub_jaxprs
from jaxnb.engine.core.source import user_frames
from jaxnb.engine.runtime.constants import is_hoistable
from jaxnb.engine.transforms.constants import is_captured_array

__all__ = ["warn_of_captured"]

_MOST_LISTED = 5


def warn_of_captured(jaxpr: Jaxpr) -> None:
    """Warns of the arrays in a program that reach ``jax_captured_constants_warn_bytes``.

    Where constants are arguments, each use of an array that is large enough is one warning; where they are written into
    the module, each function whose arrays are large enough together is one.
    """
    limit = config.captured_constants_warn_bytes.value
    if limit < 0:
        return
    if config.use_simplified_jaxpr_constants.value:
        _warn_of_each(jaxpr, limit, {id(jaxpr)})
    else:
        _warn_of_all(jaxpr, limit, {id(jaxpr)})


def _warn_of_each(jaxpr: Jaxpr, limit: int, seen: set[int]) -> None:
    for eqn in jaxpr.eqns:
        for atom in eqn.invars:
            if type(atom) is Literal and is_hoistable(atom.val) and atom.val.nbytes >= limit:
                debug = jaxpr.debug_info
                where = debug.func_src_info if debug is not None else "<unknown>"
                frames = config.captured_constants_report_frames.value
                used = f" used at:\n{_place(eqn, frames)}\n\n" if frames else ""
                kind = type(atom.val)
                warnings.warn(
                    f"Closed-over constant {kind}: {atom.aval.str_short()} in {where}{used}", stacklevel=2
                )
        for sub in sub_jaxprs(eqn) if eqn.params else ():
            if id(sub) not in seen:
                seen.add(id(sub))
                _warn_of_each(sub, limit, seen)


def _warn_of_all(jaxpr: Jaxpr, limit: int, seen: set[int]) -> None:
    uses: dict[int, tuple[Literal, list[JaxprEqn]]] = {}
    for eqn, atom in _uses(jaxpr, {}):
        users = uses.setdefault(id(atom.val), (atom, []))[1]
        if eqn is not None and eqn not in users:
            users.append(eqn)
    total = sum(atom.val.nbytes for atom, _ in uses.values())
    if total >= limit:
        warnings.warn(_report(list(uses.values()), total), stacklevel=2)
    for eqn in _all_equations(jaxpr):
        if eqn.primitive.name == "jit":
            for sub in sub_jaxprs(eqn):
                if id(sub) not in seen:
                    seen.add(id(sub))
                    _warn_of_all(sub, limit, seen)


def _all_equations(jaxpr: Jaxpr) -> Iterator[JaxprEqn]:
    """Yields the equations that are lowered into a program's own function: those of loops and branches too."""
    for eqn in jaxpr.eqns:
        yield eqn
        if eqn.params and eqn.primitive.name != "jit":
            for sub in sub_jaxprs(eqn):
                yield from _all_equations(sub)


def _uses(jaxpr: Jaxpr, given: Mapping[Any, Literal]) -> Iterator[tuple[JaxprEqn | None, Literal]]:
    """Yields each captured array with an equation that uses it: one of a branch or body, where it is handed in there.

    Args:
        jaxpr: the program.
        given: the parameters that stand for captured arrays.
    """

    def captured(atom: Any) -> Literal | None:
        found = atom if type(atom) is Literal else given.get(atom)
        return found if found is not None and is_captured_array(found.val) else None

    for eqn in jaxpr.eqns:
        inner = _handed_in(eqn)
        followed = {i for _, places in inner for i in places}
        for i, atom in enumerate(eqn.invars):
            found = captured(atom)
            if found is not None:
                yield (None if i in followed else eqn), found
        for sub, places in inner:
            bound = {v: captured(eqn.invars[i]) for i, v in zip(places, sub.invars, strict=False)}
            yield from _uses(sub, {v: found for v, found in bound.items() if found is not None})
    for atom in jaxpr.outvars:
        found = captured(atom)
        if found is not None:
            yield None, found


def _handed_in(eqn: JaxprEqn) -> list[tuple[Jaxpr, Sequence[int]]]:
    """Returns the programs that are lowered into the caller's function, each with the operands its first parameters get.

    What a loop starts from is no such operand: it is used by the loop itself.
    """
    kind, params = eqn.primitive.name, eqn.params
    if not params or kind == "jit":
        return []
    if kind == "cond":
        return [(sub, range(1, len(eqn.invars))) for sub in sub_jaxprs(eqn)]
    if kind == "scan":
        return [(sub, range(params["num_consts"])) for sub in sub_jaxprs(eqn)]
    if kind == "while":
        a, b = params["cond_nconsts"], params["body_nconsts"]
        return [(params["cond_jaxpr"].jaxpr, range(a)), (params["body_jaxpr"].jaxpr, range(a, a + b))]
    return [(sub, range(len(eqn.invars))) for sub in sub_jaxprs(eqn)]


def _report(constants: list[tuple[Literal, list[JaxprEqn]]], total: int) -> str:
    text = (
        f"A large amount of constants were captured during lowering ({_size(total)} total). If this is intentional, "
        "disable this warning by setting JAX_CAPTURED_CONSTANTS_WARN_BYTES=-1. "
    )
    frames = config.captured_constants_report_frames.value
    if not frames:
        return text + (
            "To obtain a report of where these constants were encountered, set "
            "JAX_CAPTURED_CONSTANTS_REPORT_FRAMES=-1."
        )
    shown = min(frames, len(constants)) if frames > 0 else len(constants)
    text += (
        "The subsequent report may be disabled by setting JAX_CAPTURED_CONSTANTS_REPORT_FRAMES=0.\n\n"
        f"Largest {shown} allocation(s):\n"
    )
    for atom, users in sorted(constants, key=lambda one: -one[0].val.nbytes)[:_MOST_LISTED]:
        value = atom.val
        text += f"  Constant {type(value)}, {atom.aval.str_short()}, {_size(value.nbytes)} captured at:\n"
        text += "".join(f"{_place(eqn, frames)}\n\n" for eqn in users)
    return text


def _place(eqn: JaxprEqn, frames: int) -> str:
    """Returns the innermost of the traced function's frames where an equation was made, the last one last."""
    found = user_frames(eqn.source_info.traceback)
    shown = found if frames < 0 else found[:frames]
    return "\n".join(f"    {f.file}:{f.line}:{f.col_start} ({f.function})" for f in reversed(shown)) or "    "


def _size(size_bytes: float) -> str:
    for unit in ("B", "KB", "MB", "GB"):
        if size_bytes < 1000:
            return f"{size_bytes:.2f}{unit}"
        size_bytes /= 1000
    return f"{size_bytes:.2f}TB"
