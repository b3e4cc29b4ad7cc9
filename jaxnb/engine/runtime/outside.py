"""The walk from a function to what it reads from outside of its arguments: variables, attributes, the functions it calls.

Lives here: which values are looked at, and what the way to each is called. It runs none of the user's code: a property is
followed, not asked. Must not live here: what is remembered of a value (``fingerprints.py``), reading bytecode
(``mentions.py``).
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable, Mapping
from types import CodeType, FunctionType, MemberDescriptorType, MethodType, ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from jaxnb.engine.core.source import is_user_file
from jaxnb.engine.core.trace import Tracer
from jaxnb.engine.runtime.arrays import ArrayImpl
from jaxnb.engine.runtime.fingerprints import (
    MOST_HASHED,
    PLAIN,
    Fingerprint,
    mark_of,
    plain_fingerprint,
    shown,
)
from jaxnb.engine.runtime.mentions import Mentions, mentions_of

__all__ = ["Walk", "followed_code"]

_DEEPEST = 8
"""So far calls and attributes are followed."""
_MOST_VALUES = 2000
"""So many values are remembered of one function."""
_MOST_MEMBERS = 64
"""In so many items of a container, and so deep, objects and functions are looked for."""
_DEEPEST_MEMBER = 3

_PLAIN = frozenset(PLAIN)
_ARRAYS = (np.ndarray, ArrayImpl, Tracer, np.generic)
_CONTAINERS = (list, tuple, dict, set, frozenset)
_NOTHING: Any = object()


class _Property(NamedTuple):
    """An attribute that a function computes."""

    fun: Any


class _Object:
    """An object whose attributes are read under names that no chain leads to."""

    __slots__ = ("depth", "done", "path", "scope", "value")

    def __init__(self, value: Any, path: str, scope: str, depth: int):
        self.value = value
        self.path = path
        self.scope = scope
        self.depth = depth
        self.done: set[str] = set()


Bound = dict[str, tuple[Any, str, str]]
"""What parameters are known to be: the value, its path and its scope by name."""


class Walk:
    """What one function reads now.

    Attributes:
        found: the fingerprints by their paths.
        is_cut: whether something was left out, because it lies too deep or is too much.
        may_change: whether a trace of the function may change something of it.
    """

    def __init__(
        self,
        fun: Callable[..., Any],
        statics: Mapping[str, Any],
        given: Iterable[str],
        most: int = MOST_HASHED,
    ):
        self.found: dict[str, Fingerprint] = {}
        self.is_cut = False
        self.may_change = False
        self._most = most
        self._loose: dict[str, None] = {}
        self._objects: list[_Object] = []
        self._known_objects: dict[int, str] = {}
        self._known_functions: dict[tuple[int, int], str] = {}
        bound: Bound | None = None
        if statics:
            bound = {n: (value, n, "static") for n, value in statics.items() if type(value) not in _PLAIN}
        self._callable(fun, "", 0, "self", bound, frozenset(given))
        if self._objects:
            self._settle()

    # ---- functions

    def _callable(
        self,
        value: Any,
        path: str,
        depth: int,
        owner_path: str = "",
        bound: Bound | None = None,
        given: frozenset[str] = frozenset(),
    ) -> bool:
        """Follows what can be called; returns whether it is a function, perhaps wrapped or partially applied."""
        for _ in range(_MOST_MEMBERS):
            kind = type(value)
            if kind is FunctionType:
                if followed_code(value.__code__):
                    self._function(value, None, path, depth, bound or {}, given)
                    return True
                inner = value.__dict__.get("__wrapped__")
                if inner is None:
                    return True
            elif kind is MethodType:
                owner, fun = value.__self__, value.__func__
                at = owner_path or (f"{path} → self" if path else "self")
                if type(fun) is FunctionType and followed_code(fun.__code__):
                    code = fun.__code__
                    bound = dict(bound or {})
                    if code.co_argcount:
                        bound[code.co_varnames[0]] = owner, at, "self"
                    self._function(fun, owner, path, depth, bound, given)
                    return True
                inner = getattr(fun, "__wrapped__", None)
                if inner is None:
                    return True
                inner = MethodType(inner, owner)
            elif isinstance(value, functools.partial):
                bound = {**_bound_by(value, path), **(bound or {})}
                inner = value.func
            else:
                if _is_users(kind):
                    call = _in_class(kind, "__call__")
                    if type(call) is not FunctionType:
                        return False
                    if path:
                        return False  # an object like any other, which can be called too
                    inner = MethodType(call, value)
                else:
                    inner = getattr(value, "__wrapped__", None) if callable(value) else None
                    if inner is None:
                        return False
                    is_function = self._callable(inner, path, depth, owner_path, bound, given)
                    self._rules(value, inner, path, depth)
                    return is_function
            value = inner
        return True

    def _rules(self, value: Any, inner: Any, path: str, depth: int) -> None:
        """Follows the functions that a wrapper keeps beside the one it wraps, such as the rule of its derivative."""
        for name, rule in list(_own(value).items()):
            if type(rule) is FunctionType and rule is not inner and followed_code(rule.__code__):
                self._callable(rule, f"{path}.{name}" if path else name, depth + 1)

    def _function(
        self, fun: FunctionType, owner: Any, path: str, depth: int, bound: Bound, given: frozenset[str]
    ) -> None:
        code = fun.__code__
        mentions = mentions_of(code)
        key = id(fun), id(owner)
        before = self._known_functions.get(key)
        if path:
            alias = () if before is None else (before,)
            self.found[path] = Fingerprint(
                "function", f"function {fun.__name__}", ("code", mentions.mark, alias)
            )
        if before is not None and not bound.keys() - code.co_varnames[:1]:
            return
        self._known_functions[key] = path
        if depth > _DEEPEST or len(self.found) > _MOST_VALUES:
            self.is_cut = True
            return
        if mentions.stores:
            self.may_change = True
        if mentions.supers and owner is not None and code.co_argcount:
            self._supers(fun, owner, mentions.supers, bound[code.co_varnames[0]][1], depth)
        prefix = f"{path} → " if path else ""
        if fun.__defaults__ or fun.__kwdefaults__:
            bound = {**_defaults(fun, prefix, given), **bound}
        for name in mentions.loose:
            self._loose[name] = None
        outer = fun.__globals__
        for name, attributes in mentions.globals:
            value = outer.get(name, _NOTHING)
            if value is not _NOTHING:
                self._chain(value, attributes, prefix + name, "global", depth)
        if mentions.cells:
            self._cells(fun, mentions, prefix, depth, bound)
        for name, attributes in mentions.locals:
            if name in bound:
                value, at, scope = bound[name]
                self._chain(value, attributes, at, scope, depth)
            else:
                for attribute in attributes:
                    self._loose[attribute] = None
        for name in mentions.modules:
            module = sys.modules.get(name)
            if module is not None and not _is_library(module):
                self._object(module, prefix + name, "global", depth)

    def _supers(
        self, fun: FunctionType, owner: Any, names: tuple[str, ...], owner_path: str, depth: int
    ) -> None:
        """Follows the methods of the bases that a method calls."""
        for kind in type(owner).__mro__:
            for name in names if _is_users(kind) else ():
                base = kind.__dict__.get(name)
                if type(base) is FunctionType and base is not fun:
                    self._callable(MethodType(base, owner), f"{kind.__name__}.{name}", depth + 1, owner_path)

    def _cells(self, fun: FunctionType, mentions: Mentions, prefix: str, depth: int, bound: Bound) -> None:
        cells = dict(zip(fun.__code__.co_freevars, fun.__closure__ or (), strict=False))
        for name, attributes in mentions.cells:
            if name in cells:
                try:
                    value = cells[name].cell_contents
                except ValueError:  # an empty cell
                    continue
                self._chain(value, attributes, prefix + name, "closure", depth)
            elif name in bound:
                value, at, scope = bound[name]
                self._chain(value, attributes, at, scope, depth)
            else:
                for attribute in attributes:
                    self._loose[attribute] = None

    # ---- values

    def _chain(self, value: Any, attributes: tuple[str, ...], path: str, scope: str, depth: int) -> None:
        owner_path = ""
        for i, name in enumerate(attributes):
            if isinstance(value, ModuleType) and _is_library(value):
                return
            inner = _attribute(value, name)
            if inner is _NOTHING:
                break
            if type(inner) is _Property:
                self._method(inner.fun, value, path, name, depth)
                for later in attributes[i + 1 :]:
                    self._loose[later] = None
                return
            owner_path, value, path = path, inner, f"{path}.{name}"
        self._value(value, path, scope, depth, owner_path)

    def _method(self, fun: Any, owner: Any, path: str, name: str, depth: int) -> None:
        self._callable(MethodType(fun, owner), f"{path}.{name}", depth + 1, path)

    def _value(self, value: Any, path: str, scope: str, depth: int, owner_path: str = "") -> None:
        kind = type(value)
        if kind in _PLAIN:
            self.found[path] = plain_fingerprint(scope, value)
            return
        if len(self.found) > _MOST_VALUES:
            self.is_cut = True
            return
        if isinstance(value, ModuleType):
            if not _is_library(value):
                self._object(value, path, scope, depth)
        elif isinstance(value, _ARRAYS):
            self.found[path] = Fingerprint(scope, shown(value), mark_of(value, self._most))
        elif isinstance(value, type):
            if _is_users(value):
                self._object(value, path, scope, depth)
                made = _in_class(value, "__init__")
                if type(made) is FunctionType:
                    self._callable(made, f"{path}.__init__", depth + 1)
        elif self._callable(value, path, depth + 1, owner_path):
            pass
        elif isinstance(value, _CONTAINERS):
            self.found[path] = Fingerprint(scope, shown(value), mark_of(value, self._most))
            self._members(value, path, scope, depth, 0)
            if _is_users(kind):
                self._object(value, path, scope, depth, is_marked=True)
        elif _is_users(kind) or isinstance(value, SimpleNamespace):
            self._object(value, path, scope, depth)
            call = _in_class(kind, "__call__")
            if type(call) is FunctionType:
                self._method(call, value, path, "__call__", depth)
        else:
            self.found[path] = Fingerprint(scope, shown(value), mark_of(value, self._most))
            if _own(value):
                self._object(value, path, scope, depth, is_marked=True)

    def _members(self, value: Any, path: str, scope: str, depth: int, level: int) -> None:
        """Looks for objects and functions in a container, whose plain items are in its mark."""
        if level >= _DEEPEST_MEMBER:
            self.is_cut = True
            return
        if isinstance(value, dict):
            items = list(value.items())[:_MOST_MEMBERS]
        else:
            items = list(enumerate(value if isinstance(value, list | tuple) else list(value)))[:_MOST_MEMBERS]
        if len(items) < len(value) and type(items[-1][1]) not in _PLAIN:
            self.is_cut = True
        for key, item in items:
            if type(item) in _PLAIN or isinstance(item, _ARRAYS):
                continue
            at = f"{path}[{key!r}]" if type(key) in _PLAIN else f"{path}[…]"
            if isinstance(item, _CONTAINERS):
                self._members(item, at, scope, depth, level + 1)
            elif callable(item) or _is_users(type(item)):
                self._value(item, at, scope, depth + 1)

    # ---- objects

    def _object(self, value: Any, path: str, scope: str, depth: int, is_marked: bool = False) -> None:
        """Notes an object that is handed on: whatever attribute is read of something without a name may be its."""
        before = self._known_objects.get(id(value), "")
        if not is_marked:
            name = value.__name__ if isinstance(value, ModuleType | type) else type(value).__name__
            self.found[path] = Fingerprint(scope, name, ("is", type(value).__qualname__, before))
        if before:
            return
        if depth > _DEEPEST:
            self.is_cut = True
            return
        self._known_objects[id(value)] = path
        self._objects.append(_Object(value, path, scope, depth))

    def _settle(self) -> None:
        """Reads loose attributes of the objects that are handed on, until nothing new is met."""
        while True:
            before = len(self._objects), len(self._loose)
            for one in list(self._objects):
                for name in sorted((self._loose.keys() & _names_of(one.value)) - one.done):
                    one.done.add(name)
                    inner = _attribute(one.value, name)
                    if type(inner) is _Property:
                        self._method(inner.fun, one.value, one.path, name, one.depth)
                    elif inner is not _NOTHING:
                        self._value(inner, f"{one.path}.{name}", one.scope, one.depth + 1, one.path)
            if before == (len(self._objects), len(self._loose)):
                return


# ---- parameters that are known -----------------------------------------------------------------------------------------


def _bound_by(value: functools.partial[Any], path: str) -> Bound:
    """Returns what a partial application gives to parameters."""
    prefix = f"{path} → " if path else ""
    inner: Any = value.func
    code = getattr(inner, "__code__", None) or getattr(getattr(inner, "__wrapped__", None), "__code__", None)
    found: Bound = {name: (item, prefix + name, "bound") for name, item in value.keywords.items()}
    if code is not None:
        skipped = 1 if isinstance(inner, MethodType) else 0
        names = code.co_varnames[skipped : code.co_argcount]
        found.update({n: (item, prefix + n, "bound") for n, item in zip(names, value.args, strict=False)})
    return found


def _defaults(fun: FunctionType, prefix: str, given: frozenset[str]) -> Bound:
    """Returns the default values that can be changed in place, of parameters that are not given."""
    code = fun.__code__
    values = fun.__defaults__ or ()
    named = dict(
        zip(code.co_varnames[code.co_argcount - len(values) : code.co_argcount], values, strict=True)
    )
    named.update(fun.__kwdefaults__ or {})
    return {
        name: (value, prefix + name, "default")
        for name, value in named.items()
        if name not in given and type(value) not in _PLAIN
    }


# ---- attributes, without running the user's code -------------------------------------------------------------------


def _attribute(value: Any, name: str) -> Any:
    """Returns an attribute as reading it would, a ``_Property`` for one that is computed; ``_NOTHING`` if it is not ours."""
    if isinstance(value, ModuleType):
        return value.__dict__.get(name, _NOTHING)
    kind = type(value)
    if kind in _PLAIN or isinstance(value, _ARRAYS):
        return _NOTHING
    if isinstance(value, type):
        raw = _in_class(value, name)
        if isinstance(raw, staticmethod):
            return raw.__func__
        return MethodType(raw.__func__, value) if isinstance(raw, classmethod) else raw
    raw = _in_class(kind, name)
    own = _own(value)
    if isinstance(raw, property):
        return _Property(raw.fget) if type(raw.fget) is FunctionType else _NOTHING
    if isinstance(raw, functools.cached_property):  # what it keeps was made of what its function reads
        return _Property(raw.func) if type(raw.func) is FunctionType else _NOTHING
    if isinstance(raw, MemberDescriptorType) or (
        isinstance(value, tuple) and type(raw).__name__ == "_tuplegetter"
    ):
        try:
            return raw.__get__(value, kind)
        except AttributeError:
            return _NOTHING
    if name in own:
        return own[name]
    if raw is _NOTHING:
        return raw
    if type(raw) is FunctionType:
        return MethodType(raw, value)
    if isinstance(raw, staticmethod):
        return raw.__func__
    if isinstance(raw, classmethod):
        return MethodType(raw.__func__, kind)
    if hasattr(type(raw), "__get__"):
        inner = getattr(raw, "__wrapped__", None)  # a method that is compiled
        return MethodType(inner, value) if type(inner) is FunctionType else _NOTHING
    return raw


def _in_class(kind: type, name: str) -> Any:
    """Returns what a class of the user's has under a name, its bases included as far as they are the user's."""
    for one in kind.__mro__:
        if name in one.__dict__:
            return one.__dict__[name] if _is_users(one) else _NOTHING
    return _NOTHING


def _own(value: Any) -> Mapping[str, Any]:
    try:
        own = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return {}
    return own if isinstance(own, dict) else {}


def _names_of(value: Any) -> set[str]:
    """Returns the attributes that an object may have."""
    names = set(_own(value))
    if not isinstance(value, ModuleType):
        for one in (value if isinstance(value, type) else type(value)).__mro__:
            if _is_users(one):
                names.update(one.__dict__)
    return names


# ---- whose it is -------------------------------------------------------------------------------------------------------

_followed: dict[str, bool] = {}
_users_modules: dict[str, bool] = {"builtins": False, "__main__": True}


def _is_followed(file: str) -> bool:
    """Returns whether what a file defines is looked into: the user's, and no installed package."""
    found = _followed.get(file)
    if found is None:
        found = is_user_file(file) and "site-packages" not in file and "dist-packages" not in file
        _followed[file] = found
    return found


def followed_code(code: CodeType) -> bool:
    """Returns whether a function's code is looked into."""
    return _is_followed(code.co_filename)


def _is_library(module: ModuleType) -> bool:
    named = module.__dict__
    file = named.get("__file__")
    if file is not None:
        return not _is_followed(file)
    return getattr(named.get("__spec__"), "origin", None) in ("built-in", "frozen")


def _is_users(kind: type) -> bool:
    name = kind.__module__
    found = _users_modules.get(name)
    if found is None:
        module = sys.modules.get(name)
        found = _users_modules[name] = module is None or not _is_library(module)
    return found
