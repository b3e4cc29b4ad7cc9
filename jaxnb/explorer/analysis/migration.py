"""What breaks, or comes to light, when every operation is staged: the five problems, each with its diagnosis.

What lives here: recognising the problems and what to write instead. What must not: tracing.
"""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from jaxnb.explorer.analysis.calls import base_names
from jaxnb.explorer.analysis.diagnosis import Cure, diagnose
from jaxnb.explorer.analysis.executed import place_text
from jaxnb.explorer.analysis.numeric import NumericDifference
from jaxnb.explorer.capture.effects import CapturedEffect
from jaxnb.explorer.capture.failure import CapturedFailure, CapturedHolder
from jaxnb.explorer.capture.protocol import CapturedTrace
from jaxnb.explorer.model.panels import Card, Cards

__all__ = ["PROBLEMS", "Problem", "Tried", "find_problems", "problems_panel"]

PROBLEMS = (
    "jax.numpy is used for shapes",
    "a side effect",
    "numbers differ in the last places",
    "internals are used",
    "XLA cannot compile the larger program",
)
"""What the migration guide for omnistaging names, in its order."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem that was found.

    Attributes:
        number: Which of the five, from 1.
        line: The line it lies in, in a few words; "" where it lies in none.
        why: What happens, and why.
        cures: What to write instead.
        name: What it is called where the guide's words do not fit.
    """

    number: int
    line: str
    why: str
    cures: tuple[Cure, ...]
    name: str = ""

    @property
    def title(self) -> str:
        """Its name."""
        return self.name or PROBLEMS[self.number - 1]


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of tracing and compiling in one mode.

    Attributes:
        trace: What tracing gave, None where it failed.
        failure: Why tracing failed, if that is known.
        error: What tracing raised, in one line; "" where it did not.
        compile_error: What the compiler said; "" where it said nothing.
        writes: What it changed outside of itself.
        leaks: The traced values that it left inside of that.
    """

    trace: CapturedTrace | None
    failure: CapturedFailure | None = None
    error: str = ""
    compile_error: str = ""
    writes: Sequence[CapturedEffect] = ()
    leaks: Sequence[CapturedHolder] = ()


def find_problems(
    off: Tried, on: Tried, numeric: NumericDifference | None, staged: Sequence[str]
) -> list[Problem]:
    """The problems that a function has with omnistaging.

    Args:
        off: What came of it without.
        on: What came of it with it.
        numeric: How far the results lie apart; None where one is missing.
        staged: The operations that are in the program only with omnistaging.
    """
    found: list[Problem] = []
    if on.failure is not None and not off.error:
        found.append(_failed(on.failure))
    effects = _side_effects(off, on)
    found += effects
    if numeric is not None and numeric.differing and not numeric.problem:
        found.append(_numbers(numeric, off, staged, bool(effects)))
    if on.compile_error and not off.compile_error and not off.error:
        found.append(_compiler(on.compile_error, on, staged))
    return sorted(found, key=lambda problem: problem.number)


def problems_panel(problems: Sequence[Problem]) -> Cards:
    """The problems as cards, each with what to write instead."""
    cards = []
    for problem in problems:
        where = f" at {problem.line}" if problem.line else ""
        cards.append(Card(f"Problem {problem.number}: {problem.title}{where}", text=problem.why, mark="warn"))
        cards += [Card(cure.when, code=cure.code, mark="good") for cure in problem.cures]
    note = "" if cards else "None of the five problems was found: the function does the same in both modes."
    return Cards("problems", "Migration", "trace", tuple(cards), note)


def _failed(failure: CapturedFailure) -> Problem:
    """Problem 1 or 4: tracing fails, because something that was a number is not one any more."""
    diagnosis = diagnose(failure)
    number = 4 if diagnosis.kind == "attribute" else 1
    before = (
        " Without omnistaging it was computed while the function was traced, operation by operation, and its result was "
        "an ordinary array."
        if not failure.depends_on
        else ""
    )
    made = failure.steps[-1].source if failure.steps and not failure.depends_on else None
    line = place_text(made, failure.trace) if made is not None else diagnosis.line
    return Problem(number, line, diagnosis.why + before, diagnosis.cures)


def _side_effects(off: Tried, on: Tried) -> list[Problem]:
    """Problem 2: what is changed while the function is traced."""
    trace = on.trace or off.trace
    writes = {write.name: write for write in (*off.writes, *on.writes)}
    leaked = {holder.path: holder for holder in on.leaks}
    found = []
    for name, write in writes.items():
        traced = next((one for one in on.writes if one.name == name and one.is_traced), None)
        holder = f"something in `{name}`" if any(path.startswith(name) for path in leaked) else f"`{name}`"
        leaked = {path: one for path, one in leaked.items() if not path.startswith(name)}
        why = (
            f"`{name}` {_CHANGES[write.kind]} while the function is traced, and not when the compiled program runs: "
            "every call after the first sees what the first one saw."
        )
        if traced is not None:
            why += (
                f" With omnistaging {holder} then holds a traced value of type {traced.type}, and its next use raises "
                "UnexpectedTracerError."
            )
        if not write.is_restored:
            why += " It could not be put back: the second tracing began where the first one had left it."
        if write.kind == "moved":
            cure = _drawn(name, trace)
        elif write.is_new:
            cure = _returned(name, trace)
        else:
            cure = _passed(name, trace)
        found.append(Problem(2, _place(write.source, trace), why, (cure,)))
    for path, holder in leaked.items():
        why = (
            f"`{path}` keeps a value of type {holder.type} that was made while the function was traced; its next use "
            "raises UnexpectedTracerError. Without omnistaging it was an ordinary array if no argument went into it."
        )
        found.append(Problem(2, _place(holder.source, trace), why, (_passed(path, trace),)))
    return found


_CHANGES = {
    "variable": "is assigned",
    "attribute": "is assigned",
    "item": "is changed",
    "moved": "moves on",
}


def _passed(name: str, trace: CapturedTrace | None) -> Cure:
    function, called, arguments = _signature(trace, name)
    variable = _variable(name, arguments)
    outside, first = _from_outside(name, called)
    return Cure(
        f"Give `{name}` to the function, and take the new one from its result:",
        f"def {function}({', '.join([*first, variable, *arguments])}):\n    ...\n    return result, {variable}\n\n"
        f"result, {outside} = {called}({', '.join([outside, *arguments])})",
    )


def _returned(name: str, trace: CapturedTrace | None) -> Cure:
    """What to write where something is put into a place that was empty before."""
    function, called, arguments = _signature(trace, name)
    outside, first = _from_outside(name, called)
    holder, _, place = outside.rpartition("[")
    is_appended = place[:-1].isdecimal()
    variable = _variable("value" if is_appended else name, [*arguments, "result"])
    keep = f"\n{holder}.append({variable})" if is_appended else f"\n{outside} = {variable}"
    keep = keep if outside != variable else ""
    return Cure(
        f"Return what is to be kept in `{name}`, and keep it outside of the function:",
        f"def {function}({', '.join([*first, *arguments])}):\n    ...\n    return result, {variable}\n\n"
        f"result, {variable} = {called}({', '.join(arguments)}){keep}",
    )


def _from_outside(name: str, called: str) -> tuple[str, list[str]]:
    """What something of ``self`` is called outside of the method, and the parameters that come first."""
    if not name.startswith(("self.", "self[")):
        return name, ["self"] if "." in called else []
    return called.rpartition(".")[0] + name.removeprefix("self"), ["self"]


def _drawn(name: str, trace: CapturedTrace | None) -> Cure:
    function, called, arguments = _signature(trace, name)
    first = ["self"] if "." in called else []
    variable = "value" if "value" not in arguments else "drawn"
    return Cure(
        f"Take from `{name}` outside of the function, and give it what came; or draw with jax.random from a key:",
        f"def {function}({', '.join([*first, variable, *arguments])}):\n    ...\n\n"
        f"{variable} = ...  # taken from {name}\n{called}({', '.join([variable, *arguments])})",
    )


def _signature(trace: CapturedTrace | None, name: str) -> tuple[str, str, list[str]]:
    """A function's name, what it is called as, and the names of its arguments: all fit to be written in code."""
    if trace is None:
        return "f", "f", []
    function = trace.function if trace.function.isidentifier() else "f"
    called = f"self.{function}" if name.startswith(("self.", "self[")) else function
    with suppress(SyntaxError):
        node = ast.parse(trace.title, mode="eval").body
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == function:
            called = ast.unparse(node.func)
    return function, called, base_names([one.name for one in trace.arguments])


def _variable(path: str, taken: Sequence[str]) -> str:
    """A name for what a path leads to: its last attribute or key, or else its variable."""
    words = [w for w in re.findall(r"[A-Za-z_]\w*", path) if w != "self" and not keyword.iskeyword(w)]
    name = words[-1] if words else "value"
    return name if name not in taken else f"kept_{name}"


def _numbers(numeric: NumericDifference, off: Tried, staged: Sequence[str], has_effects: bool) -> Problem:
    """Problem 3: the same formula, in another order."""
    executed = off.trace.executed if off.trace is not None else ()
    names = list(dict.fromkeys(one.primitive for one in executed)) or list(dict.fromkeys(staged))
    moved = f" ({', '.join(names[:6])}{', …' if len(names) > 6 else ''})" if names else ""
    line = _place(executed[0].source, off.trace) if executed else ""
    tolerance = numeric.tolerance
    if tolerance is None:
        cause = (
            "The side effect that was found is the likeliest reason."
            if has_effects
            else "Either the function reads something that was another one at the second tracing (the clock, a file, "
            "what a callback returns), or it makes a small difference large, as a long iteration does."
        )
        return Problem(
            2 if has_effects else 3,
            line,
            f"Of the results, {numeric}. That is more than rounding explains, and no tolerance is right for it. {cause}",
            (),
            "the results differ by more than rounding",
        )
    relative, absolute = tolerance
    more = f", atol={absolute:.0e}" if absolute else ""
    return Problem(
        3,
        line,
        f"Of the results, {numeric}. What was computed operation by operation{moved} is now part of one program, in "
        "which XLA fuses, reorders and folds. Neither result is more right.",
        (
            Cure(
                "Compare with a tolerance that allows for rounding:",
                f"np.testing.assert_allclose(a, b, rtol={relative:.0e}{more})",
            ),
        ),
    )


def _compiler(message: str, on: Tried, staged: Sequence[str]) -> Problem:
    """Problem 5: XLA is given more to compile, and fails at it."""
    names = list(dict.fromkeys(staged))
    more = f" With omnistaging the program also has {', '.join(names[:8])}." if names else ""
    first = message.partition("\n")[0]
    span = (
        next((e.source for e in on.trace.equations if e.primitive in names and e.source is not None), None)
        if on.trace
        else None
    )
    return Problem(
        5,
        _place(span, on.trace),
        f"XLA refuses the whole program: {first}{more} An error that Python could catch at one operation is now one of "
        "compiling, and comes from a bug or a gap in XLA.",
        (
            Cure(
                "Report it to XLA with the StableHLO module; until then, compute what depends on no argument in NumPy:",
                "np.dot(w, w)",
            ),
        ),
    )


def _place(span: object, trace: CapturedTrace | None) -> str:
    return place_text(span, trace) if trace is not None else ""  # pyright: ignore[reportArgumentType]
