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

import numpy as np

from jaxnb.engine.core import source
from jaxnb.engine.core.avals import AbstractValue, ShapedArray, shown
from jaxnb.engine.core.dtypes import issubdtype
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
    kinds: tuple[str, ...] = ()
    """Of what was compared with the nearest signature: ``settings``, ``static value``, ``structure``, ``type``."""


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


def nearest(
    new: CallKey, earlier: Sequence[CallKey], names: Sequence[str], static_names: Sequence[str] = ()
) -> Explanation | None:
    """Returns the comparison with the earlier signature that has most in common with this one, or None where there is none.

    ``closest`` chooses as JAX's log does, where another setting comes before another structure, and that before other
    types. To a reader the nearest is the one that the fewest things differ from: leaves, static arguments, settings. Of
    several it is the one with the most similar types, and of those the latest. All that differs is said.

    Args:
        new: the signature.
        earlier: those before, oldest first.
        names: what the leaves of the new call's arguments are called.
        static_names: what its static arguments are called.
    """
    paths: dict[pytree.PyTreeDef, list[str]] = {}
    old = min(
        reversed(earlier), key=lambda one: _distance(new, one, paths), default=None
    )  # of equal ones, the first that is met
    return None if old is None else _all_differences(new, old, names, static_names)


def _all_differences(
    new: CallKey, old: CallKey, names: Sequence[str], static_names: Sequence[str]
) -> Explanation:
    found = difference(new, old, names)
    details = list(found.details) if found.rank == 0 else []
    rank, kinds = found.rank, ["settings"] if found.rank == 0 else []
    statics = _changed_statics(new, old, static_names)
    if statics:
        kinds.append("static value")
        details += statics
    if new.in_tree != old.in_tree or (new.statics != old.statics and not statics):
        kinds.append("structure")
        plain = old._replace(
            context=new.context, axes=new.axes, statics=new.statics if statics else old.statics
        )
        details += difference(new, plain, names).details
        types = _changed_types(new, old)
        kinds += ["type"] * bool(types)
        details += types
    elif new.avals != old.avals:
        plain = old._replace(context=new.context, axes=new.axes, statics=new.statics)
        kinds.append("type")
        details += difference(new, plain, names).details
    return Explanation(rank, _HEADLINES[rank], tuple(details), old, tuple(kinds))


def _changed_types(new: CallKey, old: CallKey) -> list[str]:
    """Returns in words which leaves that two structures share have another type."""
    paths: dict[pytree.PyTreeDef, list[str]] = {}
    before = dict(zip(_leaf_paths(old.in_tree, paths), old.avals, strict=True))
    after = zip(_leaf_paths(new.in_tree, paths), new.avals, strict=True)
    changed = [(path, *_compared(a, before[path])) for path, a in after if before.get(path, a) != a]
    return [f"at input path {path}, now {a} and before {b}" for path, a, b in changed]


def _changed_statics(new: CallKey, old: CallKey, names: Sequence[str]) -> list[str]:
    """Returns in words which static arguments have another value; none where other arguments are static."""
    before = {where: (kind, value) for where, kind, value in old.statics}
    if before.keys() != {where for where, _, _ in new.statics}:
        return []
    return [
        f"static {name}, now {shown(value)} and before {shown(before[where][1])}"
        for name, (where, kind, value) in zip(names, new.statics, strict=False)
        if before[where] != (kind, value)
    ]


def _distance(new: CallKey, old: CallKey, paths: dict[pytree.PyTreeDef, list[str]]) -> tuple[int, int]:
    """Returns how far two signatures lie apart: in how many things they differ, then how unlike the types are."""
    differing = sum(a != b for a, b in zip(new.context, old.context, strict=False))
    differing += new.axes != old.axes
    statics = {where: (kind, value) for where, kind, value in old.statics}
    differing += sum(statics.pop(where, None) != (kind, value) for where, kind, value in new.statics)
    differing += len(statics)
    missing = 0
    if new.in_tree == old.in_tree:
        pairs = list(zip(new.avals, old.avals, strict=True))
    else:
        before = dict(zip(_leaf_paths(old.in_tree, paths), old.avals, strict=True))
        after = dict(zip(_leaf_paths(new.in_tree, paths), new.avals, strict=True))
        missing = len(before.keys() ^ after.keys())
        differing += max(1, missing)
        pairs = [(aval, before[path]) for path, aval in after.items() if path in before]
    unlike = [_unlikeness(a, b) for a, b in pairs if a != b]
    return differing + len(unlike), sum(unlike) + _UNLIKE * missing


def _leaf_paths(tree: pytree.PyTreeDef, known: dict[pytree.PyTreeDef, list[str]]) -> list[str]:
    if tree not in known:
        leaves = pytree.flatten_with_path(pytree.unflatten(tree, [0] * tree.num_leaves))[0]
        known[tree] = [pytree.keystr(path) for path, _ in leaves]
    return known[tree]


_UNLIKE = 32
"""Of a leaf that the other signature lacks; more than of any two types."""


_KINDS = (np.integer, np.floating, np.complexfloating)


def _unlikeness(a: AbstractValue, b: AbstractValue) -> int:
    """Returns how unlike two types are: a rank weighs most, then a shape, a kind of dtype, a dtype, a weak type."""
    if not (isinstance(a, ShapedArray) and isinstance(b, ShapedArray)):
        return _UNLIKE
    unlike = 16 if a.ndim != b.ndim else 8 if a.shape != b.shape else 0
    if a.dtype != b.dtype:
        unlike += 2 if any(issubdtype(a.dtype, k) and issubdtype(b.dtype, k) for k in _KINDS) else 4
    return unlike + (a.weak_type != b.weak_type)


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
