"""What a function read from outside of its arguments when it was traced, so that it can be told when that has changed.

Lives here: the comparison of then and now. Must not live here: which values are looked at (``outside.py``), and what to do
about a change.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MethodType
from typing import TYPE_CHECKING, Any, NamedTuple

from jaxnb.base.lazy import lazy_module
from jaxnb.engine.core.source import is_user_file

if TYPE_CHECKING:
    from jaxnb.engine.runtime import fingerprints, outside
else:
    fingerprints = lazy_module("jaxnb.engine.runtime.fingerprints")
    outside = lazy_module("jaxnb.engine.runtime.outside")

__all__ = ["Change", "Reads", "reads_of"]

_MOST_HASHED_AGAIN = 1 << 10
"""After each trace one looks once more: larger arrays are left out of that, for it would take too long."""


class Change(NamedTuple):
    """A value that is not what it was when the function was traced."""

    path: str
    """The way to it, the variable's name first: ``self.k``, ``helper → scale``."""
    scope: str
    """``global``, ``closure``, ``self``, ``static``, ``default``, ``bound`` or ``function``."""
    before: str
    now: str
    how: str = "contents"
    """``contents``, ``object`` if it is another one of which no more is known, ``code`` or ``gone``."""


class Reads:
    """The values that one function read, as they were at one time."""

    __slots__ = ("_found", "_fun", "_given", "_may_change", "_static_names", "effects", "is_whole")

    def __init__(
        self,
        fun: Callable[..., Any],
        static_names: Sequence[str] = (),
        statics: Iterable[tuple[Any, type, Any]] = (),
        given: Iterable[str] = (),
    ):
        self._fun = _reference(fun)
        self._static_names = static_names
        self._given = given
        walk = outside.Walk(fun, self._by_name(statics), given)
        self._found = walk.found
        self._may_change = walk.may_change
        self.is_whole = not walk.is_cut
        """Whether everything was looked at that can be found."""
        self.effects: tuple[Change, ...] = ()
        """What the function itself changed while it was traced. That is no input: the next trace changes it again."""

    def traced(self, fun: Callable[..., Any], statics: Iterable[tuple[Any, type, Any]] = ()) -> None:
        """Notes what the trace that has just ended changed itself."""
        if not self._may_change:
            return
        found = self._changed(fun, statics, _MOST_HASHED_AGAIN)
        if found:
            self.effects = tuple(found)
            for change in found:
                del self._found[change.path]

    def changes(self, statics: Iterable[tuple[Any, type, Any]] = ()) -> list[Change]:
        """Returns what has changed since; nothing, once the function is gone."""
        fun = self._fun()
        return [] if fun is None else self._changed(fun, statics, fingerprints.MOST_HASHED)

    def __len__(self) -> int:
        return len(self._found)

    @property
    def function(self) -> Any:
        """The function; None once it is gone."""
        return self._fun()

    def _by_name(self, statics: Iterable[tuple[Any, type, Any]]) -> Mapping[str, Any]:
        if not self._static_names:
            return {}
        return {name: value for name, (_, _, value) in zip(self._static_names, statics, strict=False)}

    def _changed(
        self, fun: Callable[..., Any], statics: Iterable[tuple[Any, type, Any]], most: int
    ) -> list[Change]:
        now = outside.Walk(fun, self._by_name(statics), self._given, most).found
        found: list[Change] = []
        gone: list[Change] = []
        for path, before in self._found.items():
            after = now.get(path)
            if after is None:
                gone.append(Change(path, before.scope, before.shown, "gone", "gone"))
            elif how := fingerprints.changed_how(before.mark, after.mark):
                found.append(Change(path, before.scope, before.shown, after.shown, how))
        # What another function or object has no more is no news beside the change of that.
        changed = [change.path for change in (*found, *gone)]
        return found + [c for c in gone if not any(_lies_in(c.path, other) for other in changed)]


def _lies_in(path: str, other: str) -> bool:
    return path.startswith(other) and path[len(other) :].startswith((".", "[", " → "))


def reads_of(
    fun: Callable[..., Any],
    static_names: Sequence[str] = (),
    statics: Iterable[tuple[Any, type, Any]] = (),
    given: Iterable[str] = (),
) -> Reads | None:
    """Returns what a user's function reads now; None for a function of a package's own.

    Args:
        fun: the function.
        static_names: what its static arguments are called.
        statics: these, ``(position or name, type, value)`` each.
        given: the parameters that the call gives something; the others have their defaults.
    """
    inner: Any = fun
    while (wrapped := _under(inner)) is not None:
        inner = wrapped
    code = getattr(inner, "__code__", None)
    if code is None and callable(inner):  # an object
        code = getattr(type(inner).__call__, "__code__", None)
    return (
        Reads(fun, static_names, statics, given)
        if code is not None and is_user_file(code.co_filename)
        else None
    )


def _under(fun: Any) -> Any:
    """Returns the function under a wrapper or a partial application; None where there is none."""
    return fun.func if isinstance(fun, functools.partial) else getattr(fun, "__wrapped__", None)


def _reference(fun: Any) -> Callable[[], Any]:
    if isinstance(fun, MethodType):
        return weakref.WeakMethod(fun)
    try:
        return weakref.ref(fun)
    except TypeError:
        return lambda: None
