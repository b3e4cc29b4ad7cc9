"""Why a call was traced: which part of its signature differs from those seen before.

Lives here: the comparison of a signature with earlier ones and its text, which is JAX's own, and the place a call was made
from. Must not live here: what is remembered of traces (``history.py``).
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable, Sequence
from types import CodeType
from typing import Any, NamedTuple

from jaxnb.engine.core import source
from jaxnb.engine.core.avals import AbstractValue, ShapedArray
from jaxnb.engine.core.tree_differences import structure_differences
from jaxnb.engine.runtime.signature import Static, with_statics
from jaxnb.xla import pytree
from jaxnb.xla import traceback as tb_door
from jaxnb.xla.state import trace_context_names
from jaxnb.xla.version import JAXLIB_VERSION

__all__ = ["CallKey", "CallSite", "Explanation", "call_site", "closest", "log_miss", "nearest"]

_log = logging.getLogger(__name__)

_WEAK_TYPES = (
    "https://docs.jax.dev/en/latest/101/type_promotion.html#weak-types"
    if JAXLIB_VERSION >= (0, 12)
    else "https://docs.jax.dev/en/latest/type_promotion.html#weak-types"
)


class CallKey(NamedTuple):
    """What one trace is remembered by, beside the function itself."""

    in_tree: pytree.PyTreeDef
    avals: tuple[AbstractValue, ...]
    statics: tuple[tuple[Any, type, Any], ...]
    """``(position or name, type, value)`` of each static argument."""
    context: tuple[Any, ...]
    """The values of all settings that change what a trace gives."""
    axes: tuple[tuple[Any, int], ...]

    def structure(self) -> pytree.PyTreeDef:
        """Returns the structure of all arguments, static ones in their places."""
        if not self.statics:
            return self.in_tree
        args, kwargs = pytree.unflatten(self.in_tree, [0] * self.in_tree.num_leaves)
        full = with_statics(args, kwargs, [(where, value) for where, _, value in self.statics], Static)
        return pytree.flatten(full)[1]


class Explanation(NamedTuple):
    """What differs between a signature and an earlier one."""

    rank: int
    """0 for settings, 1 for the structure of the arguments, 2 for their types."""
    headline: str
    details: tuple[str, ...]
    earlier: CallKey


_HEADLINES = (
    "Tracing context doesn't match, e.g. due to config or context manager.",
    "different input pytree:",
    "different input types:",
)


def difference(new: CallKey, old: CallKey, names: Sequence[str]) -> Explanation:
    """Returns what differs between two signatures: settings if any do, else the structure, else the types.

    Args:
        new: the signature that was not found.
        old: an earlier one.
        names: what the leaves of the new call's arguments are called.
    """
    details = [
        f"{name} differs: now {now} and before {before}"
        for name, now, before in zip(trace_context_names(), new.context, old.context, strict=False)
        if now != before
    ]
    if new.axes != old.axes:
        details.append(f"named axes differ: now {new.axes} and before {old.axes}")
    if details:
        return Explanation(0, _HEADLINES[0], tuple(details), old)
    if new.in_tree != old.in_tree or new.statics != old.statics:
        details = [
            f"at input path {pytree.keystr(d.path)}, now {d.first} and before {d.second}, {d.why}"
            for d in structure_differences(new.structure(), old.structure())
        ]
        return Explanation(1, _HEADLINES[1], tuple(details), old)
    for name, now, before in zip(names, new.avals, old.avals, strict=False):
        if now != before:
            a, b = _compared(now, before)
            details.append(f"at {name}, now {a} and before {b}")
    return Explanation(2, _HEADLINES[2], tuple(details), old)


def _compared(now: AbstractValue, before: AbstractValue) -> tuple[str, str]:
    """Returns two types as texts that show what differs, ranks and weak typing included."""
    if not (isinstance(now, ShapedArray) and isinstance(before, ShapedArray)):
        return str(now), str(before)
    texts = [now.str_short(True), before.str_short(True)]
    if now.ndim != before.ndim:
        texts = [f"{t}({{}})" for t in texts]
    if now.weak_type != before.weak_type:
        texts = [f"{t}{{weak_type={a.weak_type}}}" for t, a in zip(texts, (now, before), strict=True)]
    return texts[0], texts[1]


def closest(new: CallKey, earlier: Iterable[CallKey], names: Sequence[str]) -> Explanation | None:
    """Returns the comparison with the earlier signature that differs least, or None where there is none."""
    found = [difference(new, old, names) for old in earlier]
    return min(found, key=lambda e: (e.rank, len(e.details), e.details), default=None)


def nearest(new: CallKey, earlier: Iterable[CallKey], names: Sequence[str]) -> Explanation | None:
    """Returns the comparison with the earlier signature that has most in common with this one.

    ``closest`` chooses as JAX's log does, where another setting comes before another structure, and that before other
    types. To a reader the one whose types alone differ is the nearest, and of several the one with the most similar.
    """
    found = [difference(new, old, names) for old in earlier]
    return min(found, key=lambda e: (-e.rank, len(e.details), _distance(new, e.earlier)), default=None)


def _distance(new: CallKey, old: CallKey) -> int:
    """Returns in how many properties the types of two signatures differ; a shape weighs most, a weak type least."""
    return sum(
        4 * (getattr(a, "shape", None) != getattr(b, "shape", None))
        + 2 * (getattr(a, "dtype", None) != getattr(b, "dtype", None))
        + (getattr(a, "weak_type", None) != getattr(b, "weak_type", None))
        for a, b in zip(new.avals, old.avals, strict=False)
    )


# ---- where a call was made -------------------------------------------------------------------------------------------


class CallSite(NamedTuple):
    """A place in the user's code: an instruction of a code object, or nothing."""

    code: CodeType | None
    lasti: int

    def __str__(self) -> str:
        if self.code is None:
            return ""
        f = tb_door.resolve(self.code, self.lasti)
        column = f":{f.col_start}" if f.col_start else ""
        return f"{f.file}:{f.line}{column} ({f.function})"


_boundary: list[CodeType] = []


def call_site() -> CallSite:
    """Returns the user's innermost frame; inside a function that is being traced, only frames of that function count."""
    frame = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        if code in _boundary:
            break
        if source.is_user_file(code.co_filename):
            return CallSite(code, frame.f_lasti)
        frame = frame.f_back
    return CallSite(None, 0)


def stop_at(function: Any) -> None:
    """Makes ``call_site`` look no further out than frames of this function, which calls the user's."""
    _boundary.append(function.__code__)


# ---- the log ---------------------------------------------------------------------------------------------------------


_new_functions_at: set[str] = set()
"""The places that called a function which had never been seen."""


def log_miss(
    src_info: str,
    fun_id: int,
    new: CallKey,
    earlier: Sequence[CallKey],
    names: Sequence[str],
) -> None:
    """Logs why a call is traced.

    Args:
        src_info: what messages call the function.
        fun_id: the identity of the function.
        new: the call's signature.
        earlier: the signatures that the function was traced for before.
        names: what the leaves of the arguments are called.
    """
    name, _, where = src_info.partition(" at ")
    defined = f" defined at {where}" if where else ""
    place = str(call_site())
    lines = [f"TRACING CACHE MISS at {place}:"]
    found = closest(new, earlier, names)
    if found is None:
        lines += ["  never seen function:", f"    {name} id={fun_id}{defined}"]
        if place in _new_functions_at:
            lines += [
                "  but seen another function defined on the same line; maybe the function is",
                "  being re-defined repeatedly, preventing caching?",
            ]
        _new_functions_at.add(place)
    else:
        lines += [
            f"  for {name}{defined}",
            "  all previously seen cache keys differ. For the closest previous key:",
            f"  {found.headline}",
            *(f"  * {d}" for d in found.details),
        ]
        if found.rank == 2 and any("{weak_type=" in d for d in found.details):
            lines[-1] += _WEAK_TYPES
    _log.warning("\n".join(lines))
