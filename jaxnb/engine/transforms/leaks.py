"""``check_tracer_leaks``: a traced value that outlives its trace is told at once, with who keeps it.

Lives here: the search for values that are left and for their holders. It is slow, and done while the setting is on.
"""

from __future__ import annotations

import gc
import inspect
import sys
from collections.abc import Iterator
from types import CellType, FunctionType, ModuleType
from typing import Any

from jaxnb.base import config
from jaxnb.engine.core.source import is_user_file
from jaxnb.engine.core.trace import Trace, Tracer
from jaxnb.xla.version import JAXLIB_VERSION

__all__ = ["check_leaks", "is_leak_found"]

_MOST_LOOKED_AT = 300
_NAMES_LOCALS = JAXLIB_VERSION >= (0, 12)


def check_leaks(trace: Trace, kind: str) -> None:
    """Raises an error where a tracer of a trace that has ended is still alive and the setting is on.

    Args:
        trace: the trace.
        kind: what JAX calls its class.
    """
    if not config.check_tracer_leaks.value:
        return
    if _left(trace):
        gc.collect()  # what only hangs together in a cycle is no leak
    left = _left(trace)
    if left:
        chains = [_holders(x, left) for x in left]
        texts = [_entry(x, [*chain, *_places(x)]) for x, chain in zip(left, chains, strict=True)]
        texts += _operands(left, chains)
        error = Exception(f"Leaked trace {kind}. Leaked tracer(s):\n\n" + "\n\n".join(texts) + "\n")
        error.__dict__["tracer"] = left[0]
        raise error


def is_leak_found(error: BaseException) -> bool:
    """Returns whether an error is one that ``check_leaks`` raised."""
    return type(error) is Exception and str(error).startswith("Leaked trace ")


def _left(trace: Trace) -> list[Tracer]:
    return [x for x in gc.get_referrers(trace) if isinstance(x, Tracer) and x._trace is trace]


def _entry(x: Tracer, lines: list[str]) -> str:
    return "\n".join([f"{x!r}{x._origin_msg()}", *lines])


def _holders(x: Tracer, apart: list[Any]) -> list[str]:
    return [f"{_named(value)} is referred to by {holder}" for value, holder in _chain(x, apart)]


def _places(x: Tracer) -> list[str]:
    return [f"{_named(x)} is referred to by {place}" for place in _locals_with(x)] if _NAMES_LOCALS else []


def _named(value: Any, kind: str = "") -> str:
    return f"<{kind or type(value).__name__} {id(value)}>"


def _item(holder: Any, places: list[int], kind: str = "") -> str:
    """Returns the words for a sequence that holds a value at these places."""
    if len(places) == 1:
        return f"{_named(holder, kind)}[{places[0]}]"
    return f"{_named(holder, kind)} at indices {', '.join(map(str, places))}"


def _operands(left: list[Any], chains: list[list[str]]) -> list[str]:
    """Returns the entries of what values that are left were computed from.

    In JAX a staged value keeps the operation that made it, and that its operands, level by level. Here the trace keeps its
    operations, and their operands are variables, but the story is the same.
    """
    trace = left[0]._trace
    made = {v: eqn for eqn in getattr(trace, "eqns", ()) for v in eqn.outvars}
    if not made:
        return []
    kind = type(left[0])
    texts: list[str] = []
    seen = {id(x.atom) for x in left}
    level = [(x.atom, _named(x), chain) for x, chain in zip(left, chains, strict=True)]
    while level:
        below = []
        for atom, name, chain in level:
            eqn = made.get(atom) if type(atom).__hash__ is not None else None
            if eqn is None:
                continue
            operation = _named(eqn, "TracingEqn")
            for operand in reversed(eqn.invars):
                if id(operand) in seen:
                    continue
                seen.add(id(operand))
                of_call = "tuple" if eqn.primitive.name == "jit" else "list"
                places = [i for i, a in enumerate(eqn.invars) if a is operand]
                own = _named(operand, kind.__name__)
                lines = [
                    f"{own} is referred to by {_item(eqn.invars, places, of_call)}",
                    f"{_named(eqn.invars, of_call)} is referred to by {operation}",
                    f"{operation} is referred to by {name}",
                    *chain,
                ]
                texts.append(_entry(kind(trace, operand, operand.aval, None), lines))
                below.append((operand, own, lines))
        level = below
    return texts


def _chain(x: Tracer, apart: list[Any]) -> list[tuple[Any, str]]:
    """Returns the shortest way from a value to a module's variable, or as far as it leads: (value, who refers to it)."""
    ways: list[tuple[Any, list[tuple[Any, str]]]] = [(x, [])]
    seen = {id(x), id(apart), id(ways)}
    longest: list[tuple[Any, str]] = []
    at = 0
    while at < len(ways) and at < _MOST_LOOKED_AT:
        value, way = ways[at]
        at += 1
        for holder in gc.get_referrers(value):
            if id(holder) in seen or inspect.isframe(holder) or _is_ours(holder, way, ways):
                continue
            if type(holder).__module__.startswith("jaxnb.") and not isinstance(holder, Tracer):
                continue
            seen.add(id(holder))
            for owner, text in _references(holder, value):
                step = [*way, (value, text)]
                if isinstance(owner, ModuleType):
                    return step
                if len(step) > len(longest):
                    longest = step
                seen.add(id(owner))
                ways.append((owner, step))
    return longest


def _is_ours(holder: Any, way: Any, ways: list[Any]) -> bool:
    """Whether a reference is that of this search itself."""
    return holder is way or any(holder is pair or holder is pair[1] for pair in ways)


def _references(holder: Any, value: Any) -> Iterator[tuple[Any, str]]:
    """Yields who holds a value, each with the words for it."""
    if isinstance(holder, dict):
        module = sys.modules.get(holder.get("__name__", ""))
        key = next((k for k, item in list(holder.items()) if item is value), None)
        if module is not None and module.__dict__ is holder:
            yield module, f"{module.__name__}.{key}"
            return
        owner = _owner_of(holder)
        if owner is None:
            yield holder, f"{_named(holder)}[{key!r}]"
        else:
            yield owner, f"{_named(owner)}.{key}"
    elif isinstance(holder, list | tuple):
        yield holder, _item(holder, [i for i, item in enumerate(holder) if item is value])
    elif isinstance(holder, CellType):
        for function in _functions_with(holder):
            code = function.__code__
            name = next(
                n for n, c in zip(code.co_freevars, function.__closure__ or (), strict=True) if c is holder
            )
            yield function, f"{_named(function)} ({function.__name__}) closed-over variable {name}"
    elif hasattr(holder, "__dict__") and any(item is value for item in vars(holder).values()):
        key = next(k for k, item in vars(holder).items() if item is value)
        yield holder, f"{_named(holder)}.{key}"
    else:
        yield holder, _named(holder)


def _functions_with(cell: CellType) -> Iterator[FunctionType]:
    for closure in gc.get_referrers(cell):
        if isinstance(closure, tuple):
            for function in gc.get_referrers(closure):
                if isinstance(function, FunctionType) and function.__closure__ is closure:
                    yield function


def _owner_of(attributes: dict[Any, Any]) -> Any:
    """Returns the object whose attributes these are."""
    return next((o for o in gc.get_referrers(attributes) if getattr(o, "__dict__", None) is attributes), None)


def _locals_with(x: Tracer) -> Iterator[str]:
    """Yields the user's local variables that hold a value, in the words of newer JAX."""
    frame = sys._getframe()
    while frame is not None:
        if is_user_file(frame.f_code.co_filename):
            place = f"of the frame {frame.f_code.co_qualname} ({frame.f_code.co_filename}:{frame.f_lineno})"
            for name, value in list(frame.f_locals.items()):
                if value is x:
                    yield f"the local variable {name!r} {place}"
                elif _contains(value, x, 0):
                    yield f"the local variable {name!r}, a {type(value).__name__} containing it, {place}"
        frame = frame.f_back


def _contains(value: Any, x: Tracer, depth: int) -> bool:
    if value is x:
        return True
    if depth > 4:
        return False
    if isinstance(value, dict):
        return any(_contains(item, x, depth + 1) for item in list(value.values()))
    if isinstance(value, list | tuple | set | frozenset):
        return any(_contains(item, x, depth + 1) for item in list(value))
    return False
