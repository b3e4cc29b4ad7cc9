"""Jaxprs of our engine as programs of the form that the structural difference compares.

What lives here: which part of an equation counts. What must not: comparing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from jaxnb.doc import to_text
from jaxnb.engine.core.jaxpr import Atom, ClosedJaxpr, Jaxpr, JaxprEqn, Literal, Var, literal_text, sub_jaxprs
from jaxnb.engine.core.printer import Printer, PrintOptions, param_text
from jaxnb.engine.core.rules import params_shown
from jaxnb.explorer.capture.program import ARRAY, Program, ProgramBuilder, Value

__all__ = ["jaxpr_program"]

_WIDTH = 4000
_LONGEST = 400
_MOST_HASHED = 1 << 26
_UNCOUNTED = frozenset({"name", "debug_info"})
"""Parameters that are names."""


def jaxpr_program(program: Jaxpr | ClosedJaxpr, constants: Mapping[int, str] | None = None) -> Program:
    """A jaxpr as a program; arrays that it holds, as literals or beside it, are parameters known by their contents.

    Args:
        program: The jaxpr.
        constants: By the identity of an array the pivot that it is.
    """
    return _Reader(program, constants or {}).program


class _Reader:
    def __init__(self, closed: Jaxpr | ClosedJaxpr, constants: Mapping[int, str]) -> None:
        self.builder = ProgramBuilder("jaxpr")
        self.printer = Printer(PrintOptions())
        self.constants = constants
        self.arrays: dict[int, int] = {}
        self.values: dict[Any, Value] = {}
        jaxpr = closed.jaxpr
        consts = closed.consts if isinstance(closed, ClosedJaxpr) else ()
        self.root = self.builder.program.root = self.builder.scope()
        for var, value in zip(jaxpr.constvars, consts, strict=False):
            self.values[var] = (self.array(value, self.printer.typed(var)), 0)
        self.collect(jaxpr)
        self.body(jaxpr, self.root, "")

    @property
    def program(self) -> Program:
        return self.builder.program

    def collect(self, jaxpr: Jaxpr) -> None:
        """Makes parameters of the arrays in the program, inner programs included: parameters come first."""
        for atom in (*(a for eqn in jaxpr.eqns for a in eqn.invars), *jaxpr.outvars):
            if type(atom) is Literal and getattr(atom.val, "ndim", 0) > 0 and id(atom.val) not in self.arrays:
                self.array(atom.val, literal_text(atom))
        for eqn in jaxpr.eqns:
            for sub in sub_jaxprs(eqn):
                self.collect(sub)

    def array(self, value: Any, text: str) -> int:
        known = self.arrays.get(id(value))
        if known is None:
            type_ = f"{value.dtype}[{','.join(map(str, value.shape))}]"
            key = self.constants.get(id(value))
            keys = (key,) if key is not None else ()
            known = self.builder.parameter(self.root, f"{ARRAY}{_digest(value)}", type_, text, keys=keys)
            self.arrays[id(value)] = known
        return known

    def body(self, jaxpr: Jaxpr, scope: int, prefix: str) -> None:
        for place, var in enumerate(jaxpr.invars):
            type_ = var.aval.str_short(True)
            keys = (f"argument:{place}",) if scope == self.root else ()
            number = self.builder.parameter(scope, str(place), type_, self.printer.typed(var), keys=keys)
            self.values[var] = (number, 0)
        if scope != self.root:
            for place, var in enumerate(jaxpr.constvars):
                number = self.builder.parameter(
                    scope, f"constant {place}", var.aval.str_short(True), self.printer.typed(var)
                )
                self.values[var] = (number, 0)
        for eqn in jaxpr.eqns:
            self.equation(eqn, scope, prefix)
        shown = ", ".join(self.printer.name(v) for v in jaxpr.outvars)
        self.builder.result(scope, [self.value(v) for v in jaxpr.outvars], f"in ({shown})")

    def equation(self, eqn: JaxprEqn, scope: int, prefix: str) -> None:
        path = f"{prefix}q{eqn.id}"
        # The results take their names first, as in the printed program.
        results = " ".join(self.printer.typed(v) for v in eqn.outvars)
        operands = [self.value(a) for a in eqn.invars]
        scopes = []
        for sub in sub_jaxprs(eqn):
            inner = self.builder.scope()
            self.body(sub, inner, f"{path}/")
            scopes.append(inner)
        shown_params = params_shown.get(eqn.primitive)
        params = dict(sorted((eqn.params if shown_params is None else shown_params(eqn.params)).items()))
        name = eqn.primitive.name
        if scopes:
            inside = " ".join(
                f"{k}={param_text(v)}" for k, v in params.items() if not _is_program(v) and not callable(v)
            )
            names = " ".join(self.printer.name(a) for a in eqn.invars)
            text = f"{results} = {name}[{inside}] {names}"
        else:
            text = " ".join(to_text(self.printer.equation(eqn), _WIDTH).split())
        counted = " ".join(
            f"{k}={param_text(v)}"
            for k, v in sorted(eqn.params.items())
            if k not in _UNCOUNTED and not _is_program(v) and not callable(v)
        )
        types = " ".join(v.aval.str_short(True) for v in eqn.outvars)
        number = self.builder.operation(
            scope,
            name,
            f"{name}[{counted}] {types}",
            operands,
            text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…",
            scopes=scopes,
            keys=(path,),
        )
        for place, var in enumerate(eqn.outvars):
            self.values[var] = (number, place)

    def value(self, atom: Atom) -> Value:
        if type(atom) is Literal:
            known = self.arrays.get(id(atom.val))
            return literal_text(atom) if known is None else (known, 0)
        return self.values.get(atom, "_") if isinstance(atom, Var) else "_"


def _is_program(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return bool(value) and all(_is_program(v) for v in value)
    return isinstance(value, Jaxpr | ClosedJaxpr)


def _digest(value: Any) -> str:
    """A few letters that say what an array holds; of one too large to be read, what it is."""
    if value.nbytes > _MOST_HASHED:
        return f"at {id(value):x}"
    host = np.ascontiguousarray(np.asarray(value))
    return hashlib.blake2b(host.tobytes() + str((host.shape, host.dtype)).encode(), digest_size=4).hexdigest()
