"""What a function's code mentions beside its arguments: chains of attributes that begin at a variable.

Lives here: reading bytecode, once for each code object. Must not live here: any value; what a name stands for is known only
where the function is.
"""

from __future__ import annotations

import opcode
import sys
import weakref
from types import CodeType
from typing import Any, NamedTuple, TypeAlias

__all__ = ["Chain", "Mentions", "mentions_of"]

Chain: TypeAlias = tuple[str, tuple[str, ...]]
"""A variable, and the attributes that are read one after the other: ``("cfg", ("optimizer", "rate"))``."""


_CHANGING = frozenset({
    "add", "append", "appendleft", "at", "clear", "copyto", "delattr", "difference_update", "discard", "exec",
    "extend", "extendleft", "fill", "heappop", "heappush", "heapreplace", "insert", "intersection_update",
    "itemset", "next", "partition", "place", "pop", "popitem", "popleft", "put", "putmask", "remove", "resize",
    "reverse", "rotate", "setattr", "setdefault", "setflags", "shuffle", "sort", "symmetric_difference_update",
    "update", "vars",
})  # fmt: skip
"""Methods and functions that change what they are given, of lists, dictionaries, sets and arrays."""


class Mentions(NamedTuple):
    """What a code object mentions, with the functions that are written inside it."""

    globals: tuple[Chain, ...]
    cells: tuple[Chain, ...]
    """Of variables that inner functions share; also of those of functions further out."""
    locals: tuple[Chain, ...]
    loose: tuple[str, ...]
    """Attributes that are read of something that has no name, such as the result of a call or an item of a list."""
    modules: tuple[str, ...]
    """What is imported inside."""
    supers: tuple[str, ...]
    """Methods that are called of a base."""
    stores: bool
    """Whether it may change something that outlives it."""
    mark: tuple[Any, ...]
    """Something that differs when the code does."""


_known: dict[int, tuple[weakref.ref[CodeType], Mentions]] = {}


def mentions_of(code: CodeType) -> Mentions:
    """Returns what a code object mentions; functions that are made anew share their code, and the answer."""
    known = _known.get(id(code))
    if known is not None and known[0]() is code:
        return known[1]
    key = id(code)
    reader = _Reader()
    reader.read(code)
    found = reader.result(code)
    _known[key] = weakref.ref(code, lambda gone: _forget(key, gone)), found
    return found


def _forget(key: int, gone: weakref.ref[CodeType]) -> None:
    if key in _known and _known[key][0] is gone:
        del _known[key]


# ---- opcodes: their numbers, and how their arguments are read, change with each Python -----------------------------

_IS_311 = sys.version_info < (3, 12)
_map = opcode.opmap


def _numbers(*names: str) -> frozenset[int]:
    return frozenset(_map[name] for name in names if name in _map)


_GLOBAL = _numbers("LOAD_GLOBAL")
_NAME = _numbers("LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")
_CELL = _numbers("LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF")
_LOCAL = _numbers("LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_FAST_BORROW")
_TWO_LOCALS = _numbers("LOAD_FAST_LOAD_FAST", "LOAD_FAST_BORROW_LOAD_FAST_BORROW")
_STORE_LOAD = _numbers("STORE_FAST_LOAD_FAST")
_ATTRIBUTE = _numbers("LOAD_ATTR", "LOAD_METHOD")
_SUPER = _numbers("LOAD_SUPER_ATTR")
_IMPORT = _numbers("IMPORT_NAME")
_IMPORT_FROM = _numbers("IMPORT_FROM")
_COPY = _numbers("COPY")
_NOTHING = _numbers("CACHE", "NOP", "RESUME", "NOT_TAKEN")
_STORE = _numbers(
    "STORE_GLOBAL", "STORE_NAME", "STORE_ATTR", "STORE_SUBSCR", "STORE_SLICE",
    "DELETE_GLOBAL", "DELETE_ATTR", "DELETE_SUBSCR",
)  # fmt: skip
_STORE_CELL = _numbers("STORE_DEREF", "DELETE_DEREF")
_EXTENDED = _map["EXTENDED_ARG"]


class _Reader:
    """Follows what is on top of the stack. What came by way of a local variable, an item or a call has no name here."""

    def __init__(self) -> None:
        # Dictionaries stand for ordered sets.
        self.globals: dict[Chain, None] = {}
        self.cells: dict[Chain, None] = {}
        self.locals: dict[Chain, None] = {}
        self.loose: dict[str, None] = {}
        self.modules: dict[str, None] = {}
        self.supers: dict[str, None] = {}
        self.stores = False

    def result(self, code: CodeType) -> Mentions:
        return Mentions(
            tuple(self.globals),
            tuple(self.cells),
            tuple(self.locals),
            tuple(self.loose),
            tuple(self.modules),
            tuple(self.supers),
            self.stores,
            _mark(code),
        )

    def read(self, code: CodeType, is_inner: bool = False) -> None:
        names = code.co_names
        own = set(code.co_varnames)
        variables = (*code.co_varnames, *(c for c in code.co_cellvars if c not in own), *code.co_freevars)
        place: dict[Chain, None] | None = (
            None  # where the chain on top of the stack belongs; None: nothing is known
        )
        variable, attributes = "", ()
        raw, extended = code.co_code, 0
        for at in range(0, len(raw), 2):
            op, arg = raw[at], raw[at + 1] | extended
            extended = 0
            if op in _NOTHING or (op in _COPY and arg == 1):
                continue
            if op == _EXTENDED:
                extended = arg << 8
                continue
            if op in _ATTRIBUTE:
                name = names[arg if _IS_311 else arg >> 1]
                if place is None:
                    self.loose[name] = None
                attributes = (*attributes, name)
                continue
            if place is not None:
                place[variable, attributes] = None
                place = None
            attributes = ()
            if op in _GLOBAL:
                place, variable = self.globals, names[arg >> 1]
            elif op in _LOCAL:
                place, variable = self.locals, variables[arg]
            elif op in _CELL:
                place, variable = self.cells, variables[arg]
            elif op in _TWO_LOCALS:
                if not is_inner:
                    self.locals[variables[arg >> 4], ()] = None
                place, variable = self.locals, variables[arg & 15]
            elif op in _STORE_LOAD:
                place, variable = self.locals, variables[arg & 15]
            elif op in _NAME:
                place, variable = self.globals, names[arg]
            elif op in _SUPER:
                self.supers[names[arg >> 2]] = None
            elif op in _IMPORT:
                self.modules[names[arg]] = None
            elif op in _STORE or (op in _STORE_CELL and variables[arg] in code.co_freevars):
                self.stores = True
            elif op in _IMPORT_FROM:
                self.loose[names[arg]] = None
            if is_inner and place is self.locals:
                place = None  # the parameter of an inner function: nobody knows what it is given
        if _IS_311 and "super" in names:
            self.supers.update(self.loose)
        if not _CHANGING.isdisjoint(names):
            self.stores = True
        if "getattr" in names:
            self.loose.update((c, None) for c in code.co_consts if isinstance(c, str) and c.isidentifier())
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                self.read(constant, is_inner=True)


def _mark(code: CodeType) -> tuple[Any, ...]:
    constants = tuple(_mark(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts)
    return "code", code.co_code, code.co_names, constants
