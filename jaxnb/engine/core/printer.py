"""The printed form of jaxprs: JAX's current text, character for character.

Lives here: jaxprs to documents. Layout and rendering are in ``doc``; data in ``core.jaxpr``.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import BuiltinFunctionType, FunctionType
from typing import Any

import numpy as np

from jaxnb.doc import model
from jaxnb.doc.layout import layout, to_text
from jaxnb.engine.core import jaxpr as core_jaxpr
from jaxnb.engine.core import source
from jaxnb.engine.core.formatted import formatted
from jaxnb.engine.core.jaxpr import Atom, ClosedJaxpr, DropVar, Jaxpr, JaxprEqn, Literal, Var, sub_jaxprs
from jaxnb.engine.core.primitive import Primitive
from jaxnb.engine.core.rules import params_shown

__all__ = [
    "PrintOptions",
    "Printer",
    "full_print_rules",
    "jaxpr_document",
    "jaxpr_text",
    "print_hi_primitive",
    "print_rules",
    "print_without",
]

WIDTH = 80
_LONGEST_INLINE = 10
"""A program of more equations than this is defined before the one that uses it, even where it is used once."""

_NO_PROGRAMS = model.group(model.cat(["(", model.nest(2, model.SOFT_BREAK), model.SOFT_BREAK, ")"]))
"""An empty tuple, which JAX takes for one of programs."""

print_rules: dict[Primitive, Callable[[Any, JaxprEqn], Any]] = {}
"""Primitives printed in a way of their own: ``(printer, eqn) -> document``."""

full_print_rules: dict[Primitive, Callable[[Any, JaxprEqn], Any]] = {}
"""How they are printed with ``custom_pp_eqn_rules=False``, where JAX has other parameters than we have."""


class PrintOptions:
    """What of a jaxpr is printed."""

    __slots__ = (
        "custom_rules", "marks", "name_stack", "print_effects", "print_shapes", "roles", "source_info", "sub_jaxprs",
    )  # fmt: skip

    def __init__(
        self,
        *,
        source_info: bool = False,
        print_shapes: bool = True,
        name_stack: bool = False,
        custom_pp_eqn_rules: bool = True,
        print_effects: bool = False,
        sub_jaxprs: bool = True,
        marks: bool = False,
        roles: bool = False,
    ):
        self.source_info = source_info
        self.print_shapes = print_shapes
        self.name_stack = name_stack
        self.custom_rules = custom_pp_eqn_rules
        self.print_effects = print_effects
        self.sub_jaxprs = sub_jaxprs
        self.marks = marks
        self.roles = roles


def _letters(n: int) -> str:
    """Returns the ``n``-th variable name: a … z, ba, bb … (base 26 with a = 0)."""
    text = ""
    while True:
        n, r = divmod(n, 26)
        text = chr(97 + r) + text
        if not n:
            return text


class Printer:
    """Builds documents; keeps the names that variables and shared programs have been given."""

    def __init__(self, options: PrintOptions):
        self.options = options
        self.names: dict[Var, str] = {}
        self.shared: dict[Jaxpr, str] = {}
        self.shared_names: set[str] = set()
        self.next_name = 0
        self.path: tuple[int, ...] = ()
        self.sources: list[Any] = []
        self._fill = model.group(model.line(" "))
        self._fill_comma = model.group(model.line(" "))

    # -- atoms ---------------------------------------------------------------------------------------------------
    def name(self, atom: Atom) -> str:
        """Returns an atom as an operand is printed."""
        if type(atom) is Literal:
            return core_jaxpr.literal_text(atom)
        if type(atom) is DropVar:
            return "_"
        found = self.names.get(atom)  # pyright: ignore[reportArgumentType]
        if found is None:
            found = _letters(self.next_name)
            while found in self.shared_names:  # a program's name is no variable's
                self.next_name += 1
                found = _letters(self.next_name)
            self.next_name += 1
            self.names[atom] = found  # pyright: ignore[reportArgumentType]
        return found

    def typed(self, var: Atom) -> str:
        """Returns a variable with its type."""
        if not self.options.print_shapes or type(var) is Literal:
            return self.name(var)
        return f"{self.name(var)}:{var.aval.str_short(short_dtypes=True)}"

    def _used(self, atom: Atom) -> Any:
        """Returns an operand as a document."""
        name = self.name(atom)
        if not self.options.roles or type(atom) is Literal or type(atom) is DropVar:
            return name
        return model.text(name, "use", f"v_{name}")

    def _defined(self, var: Var) -> Any:
        """Returns a variable where it is defined, with its type."""
        if not self.options.roles:
            return self.typed(var)
        name = self.name(var)
        parts = [name if type(var) is DropVar else model.text(name, "binder", f"v_{name}")]
        if self.options.print_shapes:
            parts.append(model.text(f":{var.aval.str_short(short_dtypes=True)}", "type"))
        return model.cat(parts)

    def _keyword(self, word: str) -> Any:
        return model.text(word, "keyword") if self.options.roles else word

    def _filled(self, words: Sequence[Any]) -> Any:
        if not words:
            return model.EMPTY
        parts: list[Any] = [words[0]]
        for w in words[1:]:
            if self.options.roles:
                parts.append("")  # here a colour ends
            parts.append(self._fill)
            parts.append(w)
        return model.nest(2, model.cat(parts))

    # -- equations -----------------------------------------------------------------------------------------------
    def equation(self, eqn: JaxprEqn) -> Any:
        """Returns one equation's document."""
        rule = (print_rules if self.options.custom_rules else full_print_rules).get(eqn.primitive)
        doc = rule(self, eqn) if rule is not None else self.plain_equation(eqn)
        if self.options.marks:
            doc = model.tag(doc, "equation", ".".join(map(str, (*self.path, eqn.id))))
        if self.options.roles and eqn.source_info.traceback is not None:
            doc = model.tag(doc, "source", len(self.sources))
            self.sources.append(eqn.source_info.traceback)
        return doc

    def plain_equation(
        self, eqn: JaxprEqn, params: Mapping[str, Any] | None = None, name: str | None = None
    ) -> Any:
        """Returns ``results = name[parameters] operands``; what is not given is the equation's own."""
        if params is None:
            shown = params_shown.get(eqn.primitive) if self.options.custom_rules else None
            params = eqn.params if shown is None else shown(eqn.params)
            params = dict(sorted(params.items()))
        before = self.path
        self.path = (*before, eqn.id)
        lines = source.summarize(eqn.source_info) if self.options.source_info else None
        stack = f"[{eqn.source_info.name_stack}]" if self.options.name_stack else None
        # The results take their names before the programs among the parameters do.
        lhs = self._filled([self._defined(v) for v in eqn.outvars])
        rhs_params = self.key_values(params.items()) if params else None
        self.path = before
        ins = self._filled([self._used(v) for v in eqn.invars])
        parts: list[Any] = []
        if eqn.outvars:
            parts += [lhs, " = " if lines is None else model.text(" = ", annotation=lines)]
        name = name or eqn.primitive.name
        parts.append(name if stack is None else model.text(name, annotation=stack))
        if rhs_params is not None:
            parts.append(rhs_params)
        parts += [" ", ins]
        return model.cat(parts)

    def key_values(self, items: Iterable[tuple[str, Any]]) -> Any:
        """Returns ``[k=v …]``, one line each where they do not fit on one."""
        docs = [self.key_value(k, v) for k, v in items]
        return model.group(
            model.cat(
                [
                    "[",
                    model.nest(2, model.cat([model.SOFT_BREAK, model.join(model.BREAK, docs)])),
                    model.SOFT_BREAK,
                    "]",
                ]
            )
        )

    def key_value(self, key: str, value: Any) -> Any:
        """Returns ``k=v``."""
        kind = type(value)
        if kind is tuple or kind is list:
            if not value and kind is tuple:
                return model.cat([f"{key}=", _NO_PROGRAMS])
            if value and all(type(v) in (Jaxpr, ClosedJaxpr) for v in value):
                docs = [self.param_jaxpr(v) for v in value]
                inner = model.nest(2, model.cat([model.SOFT_BREAK, model.join(model.BREAK, docs)]))
                return model.group(model.cat([f"{key}=(", inner, model.SOFT_BREAK, ")"]))
        elif kind is Jaxpr or kind is ClosedJaxpr:
            return model.cat([f"{key}=", self.param_jaxpr(value)])
        return f"{key}={param_text(value)}"

    def param_jaxpr(self, value: Jaxpr | ClosedJaxpr) -> Any:
        """Returns a program in a parameter's place: its shared name, or its text; its outline where that is enough."""
        if not self.options.sub_jaxprs:
            count = len(value.jaxpr.eqns)
            return f"{{ {count} equation{'s' if count != 1 else ''} }}"
        shared = self.shared.get(value.jaxpr)
        if shared is None:
            return self.program(value.jaxpr)
        return model.text(shared, "use", f"g_{shared}") if self.options.roles else shared

    def unify(self, variables: Sequence[Atom], like: Sequence[Atom]) -> None:
        """Gives the variables the names that their counterparts outside have or get; a name serves one of them."""
        seen: set[Any] = set()
        for inner, outer in zip(variables, like, strict=True):
            if type(outer) is Literal or type(inner) is Literal or type(inner) is DropVar:
                continue
            if inner in self.names or outer in seen:
                continue
            seen.add(outer)
            self.names[inner] = self.name(outer)  # pyright: ignore[reportArgumentType]

    def unify_results(self, variables: Sequence[Atom], like: Sequence[Var]) -> None:
        """Gives inner results the names of the outer ones; a result that nothing uses is ``_`` inside, too."""
        for inner, outer in zip(variables, like, strict=True):
            if type(inner) is Literal or type(inner) is DropVar or inner in self.names:
                continue
            self.names[inner] = self.name(outer)  # pyright: ignore[reportArgumentType]

    # -- programs ------------------------------------------------------------------------------------------------
    def program(self, jaxpr: Jaxpr) -> Any:
        """Returns ``{ lambda … let … in … }``."""
        constvars = self._filled([self._defined(v) for v in jaxpr.constvars])
        invars = self._filled([self._defined(v) for v in jaxpr.invars])
        eqns = [self.equation(e) for e in jaxpr.eqns]
        outs = [self._used(v) for v in jaxpr.outvars]
        parts: list[Any] = []
        for i, o in enumerate(outs):
            if i:
                parts += [",", self._fill_comma]
            parts.append(o)
        out_doc = model.nest(2, model.cat(["(", *parts, ",)" if len(outs) == 1 else ")"]))
        body = model.nest(2, model.cat([model.BREAK, model.join(model.line("; "), eqns)]))
        effects = ""
        if self.options.print_effects:
            effects = f" : {{ {', '.join(sorted(map(str, jaxpr.effects)))} }}"
        return model.group(
            model.cat(
                [
                    model.nest(
                        2,
                        model.cat(
                            [
                                "{ ",
                                self._keyword("lambda "),
                                constvars,
                                "; ",
                                invars,
                                ". ",
                                self._keyword("let"),
                                body,
                                model.BREAK,
                                self._keyword("in "),
                                out_doc,
                                effects,
                            ]
                        ),
                    ),
                    " }",
                ]
            )
        )

    def toplevel(self, jaxpr: Jaxpr) -> Any:
        """Returns a whole program, the programs it uses more than once before it as ``let`` definitions."""
        counts: Counter[Jaxpr] = Counter()
        names: dict[Jaxpr, str] = {}
        queue = [jaxpr] if self.options.sub_jaxprs else []
        for current in queue:
            counts[current] += 1
            if counts[current] > 2:  # what it uses is known by now to be used more than once
                continue
            for eqn in current.eqns:
                if not eqn.params:
                    continue
                for sub in sub_jaxprs(eqn):
                    queue.append(sub)
                    if sub not in names:
                        name = eqn.params.get("name") if eqn.primitive.name == "jit" else None
                        names[sub] = name.strip("<>") if isinstance(name, str) else "jaxpr"
        taken: dict[str, itertools.count] = {}
        shared: list[Jaxpr] = []
        for sub, count in counts.items():
            if count > 1 or (sub is not jaxpr and len(sub.eqns) > _LONGEST_INLINE):
                base = names[sub]
                counter = taken.setdefault(base, itertools.count())
                k = next(counter)
                self.shared[sub] = base if k == 0 else f"{base}{k}"
                self.shared_names.add(self.shared[sub])
                shared.append(sub)
        parts: list[Any] = []
        for sub in shared:
            name = self.shared[sub]
            if self.options.roles:
                name = model.text(name, "binder", f"g_{name}")
            parts += ["let ", name, " = ", self.program(sub), " in", model.HARD_BREAK]
        # Of the whole program, and of no program inside, results that nothing uses are printed as ``_``.
        used: set[Any] = set(jaxpr.outvars)
        for eqn in jaxpr.eqns:
            used.update(eqn.invars)
        self.names.update((v, "_") for eqn in jaxpr.eqns for v in eqn.outvars if v not in used)
        parts.append(self.program(jaxpr))
        return model.cat(parts)


def print_without(primitive: Primitive, *names: str) -> None:
    """Leaves out, in full too, parameters that JAX has not."""

    def in_full(printer: Printer, eqn: JaxprEqn) -> Any:
        kept = {k: v for k, v in sorted(eqn.params.items()) if k not in names}
        return printer.plain_equation(eqn, kept)

    full_print_rules[primitive] = in_full


def print_hi_primitive(
    name: str, shown: Callable[[JaxprEqn], Mapping[str, Any]], primitive: Primitive
) -> None:
    """Prints a primitive as newer JAX does those that it lowers to others: by its own name, or in full as a call.

    Args:
        name: JAX's name of the operation.
        shown: what is printed in brackets.
        primitive: the primitive.
    """

    def in_full(printer: Printer, eqn: JaxprEqn) -> Any:
        words = " ".join(f"{k}={param_text(v)}" for k, v in shown(eqn).items())
        return printer.plain_equation(eqn, {"_prim": f"{name}[{words}]"}, "call_hi_primitive")

    print_rules[primitive] = lambda printer, eqn: printer.plain_equation(eqn, shown(eqn))
    full_print_rules[primitive] = in_full


def param_text(value: Any) -> str:
    """Returns a parameter's value as jaxprs print it."""
    kind = type(value)
    if kind is np.dtype:
        return value.name
    if isinstance(value, np.ndarray):
        return str(value)
    if (
        callable(value)
        and hasattr(value, "__name__")
        and not isinstance(value, type | FunctionType | BuiltinFunctionType)
    ):
        return value.__name__
    text = str(value)
    return _address.sub(" at 0xXXXXXXXXXXXX", text) if " at 0x" in text else text


_address = re.compile(r" at 0x[0-9a-fA-F]+")


def jaxpr_document(jaxpr: Jaxpr, options: PrintOptions) -> Any:
    """Returns the document of a whole program."""
    return Printer(options).toplevel(jaxpr)


_CONTENTS = frozenset(
    (
        "custom_pp_eqn_rules",
        "marks",
        "name_stack",
        "print_effects",
        "print_shapes",
        "source_info",
        "sub_jaxprs",
    )
)
_FORMATS = frozenset(
    ("annotation_prefix", "output_format", "separable_lines", "source_map", "use_color", "width")
)


def jaxpr_text(jaxpr: Jaxpr, **options: Any) -> str:
    """Returns the text of a whole program."""
    given = {k: options.pop(k) for k in [*options] if k not in _CONTENTS}
    if given:
        wrong = [k for k in given if k not in _FORMATS]
        if wrong:
            raise TypeError(f"Doc.format() got an unexpected keyword argument '{wrong[0]}'")
        printer = Printer(PrintOptions(**options, roles=True))
        return formatted(printer.toplevel(jaxpr), printer.sources, **given)
    opts = PrintOptions(**options)
    doc = jaxpr_document(jaxpr, opts)
    if opts.source_info or opts.name_stack:
        return layout(doc, WIDTH).text
    return to_text(doc, WIDTH)


class _Pretty:
    def eqn(self, eqn: JaxprEqn) -> str:
        printer = Printer(PrintOptions())
        return to_text(printer.equation(eqn), WIDTH)

    def jaxpr(self, jaxpr: Jaxpr, **options: Any) -> str:
        return jaxpr_text(jaxpr, **options)


core_jaxpr.pretty_port = _Pretty()
