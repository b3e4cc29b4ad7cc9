"""A function's source with captured arrays as arguments: what to write in place of a closure.

What lives here: which functions take which arrays, and what is to be done by hand. What must not: finding the arrays.
"""

from __future__ import annotations

import ast
import functools
import inspect
import keyword
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import FunctionType, MethodType
from typing import Any

from jaxnb.explorer.analysis.calls import base_names, call_of, innermost, passes_all, plain_function, verb_of
from jaxnb.explorer.analysis.sources import (
    Definition,
    chain_text,
    definition_of,
    evaluate_chain,
    free_chains,
    namespace_of,
    with_parameters,
)

__all__ = ["Rewriting", "Subject", "rewrite"]

_VERBS = frozenset({"jit", "pjit", "checkpoint", "remat"})
"""Decorators that hand further keywords on."""

_PASSING = frozenset({"grad", "value_and_grad", "jacfwd", "jacrev", "hessian", "checkpoint", "remat"})
"""Functions of functions that do so."""

_MOST_LEAVES = 1000


@dataclass(frozen=True, slots=True)
class Subject:
    """What is to be rewritten.

    Attributes:
        function: The user's function; None where there is none.
        owner: What it is bound to, or the object that is called.
        layers: What is around it, the outermost first: ``jit``, ``partial``, ``method``, ``object`` or ``other``.
        around: The names of the functions of functions among these.
        has_options: Whether the outermost ``jit`` was given options.
        jitted: What makes a jitted function again that was made without a decorator, by the function's object.
        functions: All functions of the user that it can reach.
        given: The arrays that partials hold.
        call: The call as it was written, or a name.
        arguments: The names of its arguments, for a call that nobody wrote.
        arrays: The captured arrays.
        places: For each of them its type and where it is first used.
        lines: For each of them the number of that line; 0 where it is not known.
        is_same: Whether a variable's value is one of them.
    """

    function: Any
    owner: Any
    layers: Sequence[str]
    around: Sequence[str]
    has_options: bool
    jitted: Callable[[Any, str], str | None]
    functions: Sequence[Any]
    given: Sequence[Any]
    call: str
    arguments: Sequence[str]
    arrays: Sequence[Any]
    places: Sequence[str]
    lines: Sequence[int]
    is_same: Callable[[Any, Any], bool]


@dataclass(frozen=True, slots=True)
class Rewriting:
    """What to write.

    Attributes:
        code: The functions with their new parameters, and after an empty line the call; "" where there is nothing to write.
        passed: What is passed, as it is written.
        notes: What is to be done by hand.
    """

    code: str = ""
    passed: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass
class _Function:
    """A function that is looked at: its definition, and what it reads."""

    fun: Any
    definition: Definition
    space: dict[str, Any]
    needs: dict[str, str] = field(default_factory=dict)
    read_at: set[int] = field(default_factory=set)


def rewrite(subject: Subject) -> Rewriting:
    """The functions that read captured arrays, with parameters in their place."""
    return _Rewriter(subject).result()


class _Rewriter:
    def __init__(self, subject: Subject) -> None:
        self.s = subject
        self.left = set(range(len(subject.arrays)))
        self.notes: list[str] = []
        self.passed: dict[str, str] = {}  # parameter: what is passed for it
        self.names: dict[Any, str] = {}
        self.keywords: dict[str, str] = {}  # of the call alone
        self.known: dict[Any, _Function] = {}

    # -- the whole ---------------------------------------------------------------------------------------------------

    def result(self) -> Rewriting:
        s = self.s
        self.is_held = any(self._matches(value) for value in s.given)
        for value in s.given:
            self.left -= self._matches(value)
        for fun in dict.fromkeys((*((s.function,) if s.function is not None else ()), *s.functions)):
            self._look_at(fun)
        target = self.known.get(s.function) if s.function is not None else None
        if target is None:
            if not self.is_held:
                self.notes.append(
                    f"The source of `{s.function.__name__ if s.function is not None else s.call}` is not to be had: give "
                    "it a parameter for each array, and use that in place of the variable."
                )
                self.left.clear()
        else:
            self._follow(target)
            self._defaults(target)
            for one in self.known.values():
                self._reads(one)
            # what NumPy made of an array that is passed now, in the same line, is made of the argument
            self.left -= {
                at for at in self.left if any(self.s.lines[at] in one.read_at for one in self.known.values())
            }
            self._derived(target)
            self._callers()
            self._check(target)
        for at in sorted(self.left):
            self.notes.append(
                f"An array {s.places[at]} is made while the function is traced, or comes there on a way that cannot be "
                "followed here: make it outside of the function, and give it to all functions on the way."
            )
        if self.notes and not (self.passed or self.keywords or self.is_held):
            return Rewriting(notes=tuple(self.notes))
        if any(note.startswith("!") for note in self.notes):
            return Rewriting(
                passed=tuple(self.passed.values()), notes=tuple(n.removeprefix("!") for n in self.notes)
            )
        parts = self._definitions(target) if target is not None else []
        call = self._call(target)
        shown = (
            *self.passed.values(),
            *self.keywords.values(),
            *(["what the partial holds"] if self.is_held else []),
        )
        return Rewriting("\n\n".join([*parts, call]), shown, tuple(self.notes))

    def _matches(self, value: Any) -> set[int]:
        """Which captured arrays a value is, or holds, if it holds nothing but arrays and numbers."""
        found: set[int] = set()
        leaves: list[Any] = [value]
        seen = 0
        while leaves:
            one = leaves.pop()
            seen += 1
            if seen > _MOST_LEAVES:
                return set()
            if isinstance(one, dict):
                leaves += one.values()
            elif type(one) in (list, tuple) or hasattr(one, "_fields"):
                leaves += one
            elif hasattr(one, "shape") and hasattr(one, "dtype"):
                found |= {at for at, array in enumerate(self.s.arrays) if self.s.is_same(array, one)}
            elif type(one) not in (int, float, complex, bool, type(None)):
                return set()
        return found

    def _follow(self, target: _Function) -> None:
        """Leaves out the functions that the target does not come to by names."""
        found = {target.fun: target}
        queue = [target]
        while queue:
            one = queue.pop()
            for chain in free_chains(one.definition.node, one.space):
                inner = self._called(chain[-1], one)
                if inner is not None and inner.fun not in found:
                    found[inner.fun] = inner
                    queue.append(inner)
        self.known = found

    # -- what is read ------------------------------------------------------------------------------------------------

    def _look_at(self, fun: Any) -> None:
        definition = (self._of_call() if fun is self.s.function else None) or definition_of(
            fun, self._called_name()
        )
        if definition is not None:
            owner = self.s.owner if self._is_of_owner(fun) else None
            self.known[fun] = _Function(fun, definition, namespace_of(fun, owner))

    def _of_call(self) -> Definition | None:
        """The lambda that is written in the call itself."""
        node = call_of(self.s.call)
        if node is None or self.s.function is None or self.s.function.__name__ != "<lambda>":
            return None
        found = [one for one in ast.walk(node) if isinstance(one, ast.Lambda)]
        names = self.s.function.__code__.co_varnames
        fitting = [
            one for one in found if names[: len(one.args.args)] == tuple(arg.arg for arg in one.args.args)
        ]
        return Definition(fitting[0], node, self.s.call) if fitting else None

    def _is_of_owner(self, fun: Any) -> bool:
        owner = self.s.owner
        return owner is not None and any(
            plain_function(one) is fun for cls in type(owner).__mro__ for one in vars(cls).values()
        )

    def _reads(self, one: _Function) -> None:
        for chain in free_chains(one.definition.node, one.space):
            for node in chain:
                value = evaluate_chain(node, one.space)
                found = self._matches(value)
                if found:
                    name = self._parameter(one, node, value)
                    one.needs[name] = chain_text(node)
                    one.read_at.add(node.lineno)
                    if chain_text(node) != name:
                        one.definition.replace(node, name)
                    self.left -= found
                    break

    def _parameter(self, one: _Function, node: ast.expr, value: Any) -> str:
        """The name of the parameter for a value, the same in all functions."""
        name = self.names.get(id(value))
        if name is None:
            text = chain_text(node)
            name = self._free_name(re.findall(r"[A-Za-z_]\w*", text)[-1], text)
            self.names[id(value)] = name
            self.passed[name] = self._outside(one, text)
        return name

    def _free_name(self, name: str, text: str) -> str:
        taken = {*self.passed, *(n for one in self.known.values() for n in one.fun.__code__.co_varnames)}
        if text != name:
            taken |= {
                n
                for one in self.known.values()
                for n in (*one.fun.__code__.co_names, *one.space)
                if "." not in n
            }
            taken.discard(name if not any(name in one.space for one in self.known.values()) else "")
        while name in taken or keyword.iskeyword(name):
            name += "_"
        return name

    def _outside(self, one: _Function, text: str) -> str:
        """What a value is called where the call is made."""
        root = text.partition(".")[0].partition("[")[0]
        code = one.fun.__code__
        if self.s.owner is not None and code.co_argcount and root == code.co_varnames[0]:
            return self._owner_text() + text.removeprefix(root)
        if root in code.co_freevars:
            self.notes.append(
                f"`{root}` is a variable of the function in which `{one.fun.__name__}` is defined: the call must stand "
                "where that can be seen, or be given it."
            )
        target = self.s.function
        if (
            target is not None
            and one.fun.__globals__ is not target.__globals__
            and root not in target.__globals__
        ):
            self.notes.append(
                f"`{root}` is a variable of the module `{one.fun.__module__}`: import it where the call is made."
            )
        return text

    def _owner_text(self) -> str:
        node = call_of(self.s.call)
        if node is not None:
            inner = node.func
            while isinstance(inner, ast.Call) and inner.args:
                inner = inner.args[0]
            return ast.unparse(
                inner.value if isinstance(inner, ast.Attribute) and "method" in self.s.layers else inner
            )
        space = self.s.function.__globals__ if self.s.function is not None else {}
        return next((name for name, value in list(space.items()) if value is self.s.owner), "self")

    def _defaults(self, target: _Function) -> None:
        """Arrays that are defaults of parameters: they are passed for these."""
        arguments = target.definition.node.args
        plain = [*arguments.posonlyargs, *arguments.args]
        values = target.fun.__defaults__ or ()
        pairs = list(zip(plain[len(plain) - len(values) :], arguments.defaults, values, strict=False))
        keyword_values = target.fun.__kwdefaults__ or {}
        pairs += [
            (arg, node, keyword_values[arg.arg])
            for arg, node in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
            if node is not None and arg.arg in keyword_values
        ]
        for arg, node, value in pairs:
            found = self._matches(value)
            if found:
                self.keywords[arg.arg] = ast.unparse(node)
                self.left -= found

    def _derived(self, target: _Function) -> None:
        """Arrays that NumPy makes of variables and numbers inside of the function: the whole expression is passed."""
        if not self.left:
            return
        definition = target.definition
        replaced = {start for start, _, _ in definition.edits}
        found: list[ast.expr] = []

        def visit(node: ast.AST) -> None:
            if (
                isinstance(node, ast.expr)
                and not isinstance(node, ast.Lambda)
                and self._is_closed(node, target)
            ):
                inside = {(one.lineno, one.col_offset) for one in ast.walk(node) if isinstance(one, ast.expr)}
                names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
                has_work = any(
                    isinstance(one, ast.Call | ast.Subscript | ast.BinOp) for one in ast.walk(node)
                )
                if has_work and not inside & replaced and not names & target.needs.keys():
                    found.append(node)
                return
            for child in ast.iter_child_nodes(node):
                visit(child)

        body = definition.node.body
        for part in body if isinstance(body, list) else [body]:
            visit(part)
        if len({ast.unparse(node) for node in found}) < len(self.left):
            return
        for node in found:
            text = ast.unparse(node)
            name = self.names.get(text)
            if name is None:
                roots = [n for n in base_names([text]) if not hasattr(target.space.get(n), "__spec__")]
                name = self.names[text] = self._free_name(f"{roots[0]}_" if roots else "array", text)
                self.passed[name] = text
            target.needs[name] = text
            definition.replace(node, name)
        self.left.clear()

    @staticmethod
    def _is_closed(node: ast.expr, target: _Function) -> bool:
        """Whether an expression reads nothing that the function itself made or was given."""
        names = [one.id for one in ast.walk(node) if isinstance(one, ast.Name)]
        is_plain = not any(
            isinstance(one, ast.NamedExpr | ast.Await | ast.Yield | ast.comprehension)
            for one in ast.walk(node)
        )
        return bool(names) and is_plain and all(name in target.space for name in names)

    # -- who passes it on --------------------------------------------------------------------------------------------

    def _callers(self) -> None:
        """Gives every function that calls one with new parameters the same ones, and passes them on."""
        changed = True
        passed_on: set[tuple[int, int]] = set()
        while changed:
            changed = False
            for one in self.known.values():
                for node in ast.walk(one.definition.node):
                    inner = self._called(node.func, one) if isinstance(node, ast.Call) else None
                    if inner is None or not inner.needs or inner is one or passes_all(node, one.fun):
                        continue
                    missing = {name: text for name, text in inner.needs.items() if name not in one.needs}
                    one.needs.update(missing)
                    changed = changed or bool(missing)
        for one in self.known.values():
            for node in ast.walk(one.definition.node):
                inner = self._called(node.func, one) if isinstance(node, ast.Call) else None
                if inner is not None and inner.needs and isinstance(node, ast.Call):
                    passed_on.add((node.func.lineno, node.func.col_offset))
                    if passes_all(node, one.fun):
                        continue
                    one.definition.add_keywords(node, ", ".join(f"{name}={name}" for name in inner.needs))
            for chain in free_chains(one.definition.node, one.space):
                node = chain[-1]
                inner = self._called(node, one)
                if inner is not None and inner.needs and (node.lineno, node.col_offset) not in passed_on:
                    listed = ", ".join(f"`{text}`" for text in inner.needs.values())
                    self.notes.append(
                        f"!`{one.fun.__name__}` hands `{chain_text(node)}` to another function (line {node.lineno}), and "
                        f"that reads {listed}: give it a parameter for it, and hand on `functools.partial` of it with the "
                        "argument."
                    )

    def _called(self, node: ast.expr, one: _Function) -> _Function | None:
        value = evaluate_chain(node, one.space)
        plain = plain_function(value)
        return self.known.get(plain) if isinstance(plain, FunctionType) else None

    def _check(self, target: _Function) -> None:
        """What makes new parameters impossible."""
        for one in self.known.values():
            if not one.needs:
                continue
            name = one.fun.__name__
            if one is not target and not set(one.needs) <= set(target.needs) and not self.notes:
                listed = ", ".join(f"`{text}`" for text in one.needs.values())
                self.notes.append(
                    f"!{listed} is read in `{name}` (line {one.definition.node.lineno}), which `{target.fun.__name__}` "
                    "does not call by its name: give it a parameter there, and pass it on to there."
                )
            for decorator in one.definition.decorators:
                verb = verb_of(decorator)
                wrapper = one.space.get(ast.unparse(decorator).partition("(")[0])
                if verb not in _VERBS and not self._hands_on(wrapper):
                    self.notes.append(
                        f"!`{name}` is decorated with `@{ast.unparse(decorator)}`, which may not hand a further argument "
                        "on: give the function the parameters by hand, and the rules or wrappers that go with it."
                    )
        for around in self.s.around:
            if around not in _PASSING and target.needs:
                listed = ", ".join(self.passed.values())
                self.notes.append(
                    f"!`{around}` treats every argument alike: give `{target.fun.__name__}` a parameter for {listed} by "
                    "hand, and say with `in_axes=None`, or what it has for that, that it is not mapped over."
                )

    @staticmethod
    def _hands_on(wrapper: Any) -> bool:
        """Whether the user's own decorator makes functions that take any keyword."""
        code = getattr(wrapper, "__code__", None)
        inner = [c for c in getattr(code, "co_consts", ()) if hasattr(c, "co_flags")]
        return bool(inner) and all(c.co_flags & inspect.CO_VARKEYWORDS for c in inner)

    # -- code --------------------------------------------------------------------------------------------------------

    def _is_first(self, target: _Function) -> bool:
        """Whether the arrays can come before the other arguments: no number of an argument is written anywhere."""
        s = self.s
        bare = all(isinstance(one, ast.Name | ast.Attribute) for one in target.definition.decorators)
        return set(s.layers) <= {"jit"} and not s.has_options and bare and not self.keywords

    def _definitions(self, target: _Function) -> list[str]:
        parts: list[str] = []
        after: list[str] = []
        for one in [*(o for o in self.known.values() if o is not target), target]:
            if not one.needs:
                continue
            is_first = one is target and self._is_first(target)
            node = one.definition.node
            one.definition.add_parameters(with_parameters(node.args, list(one.needs), is_first))
            if isinstance(one.definition.statement, ast.Call):
                continue  # it is part of the call
            text = one.definition.text()
            if isinstance(one.definition.statement, ast.Lambda):
                text = f"{self._name_of_lambda()} = {text}"
            parts.append(text)
            after += self._bindings(one)
        return [*parts, *(["\n".join(dict.fromkeys(after))] if after else [])]

    def _name_of_lambda(self) -> str:
        return self._called_name() or "f"

    def _called_name(self) -> str:
        """The variable that is called; "" where that is something else."""
        node = call_of(self.s.call)
        return node.func.id if node is not None and isinstance(node.func, ast.Name) else ""

    def _bindings(self, one: _Function) -> list[str]:
        """The lines after which classes and variables hold the new function."""
        name = one.fun.__name__
        owner = self.s.owner
        if owner is not None and self._is_of_owner(one.fun):
            cls = next(
                c for c in type(owner).__mro__ if any(plain_function(v) is one.fun for v in vars(c).values())
            )
            return [f"{cls.__name__}.{name} = {name}"]
        found = []
        names = {
            n.id
            for other in self.known.values()
            for n in ast.walk(other.definition.node)
            if isinstance(n, ast.Name)
        }
        call = call_of(self.s.call)
        names |= (
            {n.id for n in ast.walk(call) if isinstance(n, ast.Name)} if call is not None else {self.s.call}
        )
        for variable in sorted(names):
            value = one.fun.__globals__.get(variable)
            if value is None or value is one.fun or innermost(value) is not one.fun:
                continue
            if name == "<lambda>" or (one.definition.decorators and self.s.jitted(value, name) is not None):
                continue  # what is shown assigns it
            written = one.definition.assignment_of(variable, name)
            if written is None and isinstance(value, functools.partial) and value.func is one.fun:
                written = f"{variable} = type({variable})({name}, *{variable}.args, **{variable}.keywords)"
            if written is None and (again := self.s.jitted(value, name)) is not None:
                written = f"{variable} = {again}"
            if written is None and not one.definition.decorators:
                self.notes.append(f"Make `{variable}` again after this: it was made of `{name}`.")
            found += [written] if written is not None else []
        return found

    def _call(self, target: _Function | None) -> str:
        """The call, with what is to be passed."""
        s = self.s
        is_first = target is not None and self._is_first(target)
        first = [ast.parse(text, mode="eval").body for text in self.passed.values()] if is_first else []
        later = {**({} if is_first else self.passed), **self.keywords}
        added = [ast.keyword(name, ast.parse(text, mode="eval").body) for name, text in later.items()]
        node = call_of(s.call)
        if node is None:
            function = s.call if s.call.isidentifier() else "f"
            statement = target.definition.statement if target is not None else None
            if not s.call.isidentifier() and isinstance(statement, ast.Assign):
                function = ast.unparse(statement.targets[0])
            if s.owner is not None and "method" in s.layers:
                function = f"{self._owner_text()}.{function}"
            node = ast.Call(ast.Name(function), [ast.Name(name) for name in s.arguments], [])
        elif target is not None and isinstance(target.definition.statement, ast.Call) and target.needs:
            node = call_of(target.definition.text()) or node
        func, args, keywords = node.func, list(node.args), list(node.keywords)
        if self.is_held:
            func, args, keywords = self._unfolded(func, args, keywords)
        return ast.unparse(ast.fix_missing_locations(ast.Call(func, [*first, *args], [*keywords, *added])))

    @staticmethod
    def _unfolded(
        func: ast.expr, args: list[ast.expr], keywords: list[ast.keyword]
    ) -> tuple[ast.expr, list[ast.expr], list[ast.keyword]]:
        """A call of a partial as one of the function in it."""
        holder: ast.Call | None = None
        inner = func
        while isinstance(inner, ast.Call):
            if ast.unparse(inner.func).rpartition(".")[2] == "partial":
                plain = inner.args[0]
                if holder is None:
                    func = plain
                else:
                    holder.args[0] = plain
                return func, [*inner.args[1:], *args], [*inner.keywords, *keywords]
            holder, inner = inner, inner.args[0]
        text = ast.unparse(inner)
        plain = ast.parse(f"{text}.func", mode="eval").body
        if holder is None:
            func = plain
        else:
            holder.args[0] = plain
        held = ast.Starred(ast.parse(f"{text}.args", mode="eval").body)
        return (
            func,
            [held, *args],
            [ast.keyword(None, ast.parse(f"{text}.keywords", mode="eval").body), *keywords],
        )
