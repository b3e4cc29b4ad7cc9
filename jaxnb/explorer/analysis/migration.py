"""What breaks, or comes to light, when every operation is staged: the five problems, each with its diagnosis.

What lives here: recognising the problems and what to write instead. What must not: tracing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jaxnb.explorer.analysis.diagnosis import Cure, diagnose
from jaxnb.explorer.analysis.executed import place_text
from jaxnb.explorer.analysis.numeric import NumericDifference
from jaxnb.explorer.capture.failure import CapturedFailure, CapturedHolder, CapturedWrite
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
    """

    number: int
    line: str
    why: str
    cures: tuple[Cure, ...]

    @property
    def title(self) -> str:
        """Its name."""
        return PROBLEMS[self.number - 1]


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of tracing and compiling in one mode.

    Attributes:
        trace: What tracing gave, None where it failed.
        failure: Why tracing failed, if that is known.
        error: What tracing raised, in one line; "" where it did not.
        compile_error: What the compiler said; "" where it said nothing.
        writes: The variables outside of the function that it assigned.
        leaks: The traced values it left behind.
    """

    trace: CapturedTrace | None
    failure: CapturedFailure | None = None
    error: str = ""
    compile_error: str = ""
    writes: Sequence[CapturedWrite] = ()
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
    found += _side_effects(off, on)
    if numeric is not None and numeric.differing and not numeric.problem:
        found.append(_numbers(numeric, off, on, staged))
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
    """Problem 2: variables that are assigned while the function is traced."""
    trace = on.trace or off.trace
    writes = {write.name: write for write in (*off.writes, *on.writes)}
    leaked = {holder.path: holder for holder in on.leaks}
    found = []
    for name, write in writes.items():
        traced = any(one.name == name and one.is_traced for one in on.writes)
        leaked.pop(name, None)
        why = (
            f"`{name}` is assigned while the function is traced, and not when the compiled program runs: every call "
            "after the first sees what the first one saw."
        )
        if traced:
            why += f" With omnistaging `{name}` then holds a traced value, and its next use raises UnexpectedTracerError."
        found.append(Problem(2, _place(write.source, trace), why, (_passed(name, trace),)))
    for path, holder in leaked.items():
        why = (
            f"`{path}` keeps a value of type {holder.type} that was made while the function was traced; its next use "
            "raises UnexpectedTracerError. Without omnistaging it was an ordinary array if no argument went into it."
        )
        found.append(Problem(2, _place(holder.source, trace), why, (_passed(path, trace),)))
    return found


def _passed(name: str, trace: CapturedTrace | None) -> Cure:
    function = trace.function if trace is not None else "f"
    arguments = [one.name for one in trace.arguments if one.name.isidentifier()] if trace is not None else []
    variable = name if name.isidentifier() else "kept"
    signature = ", ".join([variable, *arguments])
    return Cure(
        f"Give `{name}` to the function, and take the new one from its result:",
        f"def {function}({signature}):\n    …\n    return result, {variable}\n\n"
        f"result, {name} = {function}({', '.join([name, *arguments])})",
    )


def _numbers(numeric: NumericDifference, off: Tried, on: Tried, staged: Sequence[str]) -> Problem:
    """Problem 3: the same formula, in another order."""
    executed = off.trace.executed if off.trace is not None else ()
    names = list(dict.fromkeys(one.primitive for one in executed)) or list(dict.fromkeys(staged))
    moved = f" ({', '.join(names[:6])}{', …' if len(names) > 6 else ''})" if names else ""
    line = _place(executed[0].source, off.trace) if executed else ""
    why = (
        f"Of the results, {numeric}. What was computed operation by operation{moved} is now part of one program, in "
        "which XLA fuses, reorders and folds. Neither result is more right."
    )
    tolerance = f"{max(numeric.relative * 10, 1e-6):.0e}"
    return Problem(
        3,
        line,
        why,
        (
            Cure(
                "Compare with a tolerance that allows for rounding:",
                f"np.testing.assert_allclose(a, b, rtol={tolerance})",
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
