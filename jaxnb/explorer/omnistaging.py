"""A function traced without and with omnistaging, side by side.

What lives here: the comparison as a view. What must not: what the two modes do, which the engine knows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from jaxnb.explorer.analysis.executed import executed_panel
from jaxnb.explorer.analysis.migration import Problem, Tried, find_problems, problems_panel
from jaxnb.explorer.analysis.numeric import NumericDifference, compare_results
from jaxnb.explorer.analysis.structural_diff import ADDED, StructuralDiff, diff_programs
from jaxnb.explorer.capture.engine_effects import SideEffects, without_side_effects
from jaxnb.explorer.capture.engine_errors import capture_failure
from jaxnb.explorer.capture.protocol import CapturedTrace
from jaxnb.explorer.exploration import Exploration
from jaxnb.explorer.explore import make_front_end
from jaxnb.explorer.model.assemble import seconds_text
from jaxnb.explorer.model.graph import size_text
from jaxnb.explorer.model.panels import Column, Panel, Row, Table, Waiting
from jaxnb.explorer.report import Report
from jaxnb.explorer.stages import COMPILE, DONE, FAILED, error_text

__all__ = ["OmnistagingComparison", "compare_omnistaging"]

OFF, ON = "omnistaging off", "omnistaging on"

_DIFFS = (
    ("jaxpr", "jaxpr: off | on", "trace"),
    ("stablehlo", "StableHLO: off | on", "lower"),
    ("unoptimized", "HLO before passes: off | on", "lower"),
    ("hlo", "HLO after passes: off | on", "compile"),
)


@dataclass
class _Side:
    """One mode: its exploration, or why there is none."""

    part: Exploration | None = None
    error: Exception | None = None
    effects: SideEffects = field(default_factory=SideEffects)

    @property
    def trace(self) -> CapturedTrace | None:
        return self.part.trace if self.part is not None else None


class OmnistagingComparison(Report):
    """What omnistaging changes for one function; see ``compare_omnistaging``."""

    @property
    def open_panes(self) -> tuple[str, ...]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Which panes are open at first: the problems where there are some."""
        first = ("problems", "summary") if self.problems else ("summary", "executed")
        return (*first, *(() if self.errors else ("diff-jaxpr", "diff-unoptimized")))

    def __init__(self, title: str, sides: Mapping[str, _Side]) -> None:
        super().__init__(
            f"{title}: omnistaging off | on",
            {name: side.part for name, side in sides.items() if side.part is not None},
        )
        self._sides = dict(sides)
        self._diffs: dict[str, StructuralDiff] = {}
        self._numeric: NumericDifference | None = None

    # -- the parts ---------------------------------------------------------------------------------------------------

    @property
    def off(self) -> Exploration | None:
        """The exploration without omnistaging; None where tracing failed."""
        return self._sides[OFF].part

    @property
    def on(self) -> Exploration | None:
        """The exploration with it; None where tracing failed."""
        return self._sides[ON].part

    @property
    def errors(self) -> dict[str, Exception]:
        """What tracing raised, by mode."""
        return {name: side.error for name, side in self._sides.items() if side.error is not None}

    def diff(self, stage: str) -> StructuralDiff:
        """The difference of a stage's programs: ``jaxpr``, ``stablehlo``, ``unoptimized`` or ``hlo``; waits for it.

        Raises:
            Exception: What tracing raised in the mode in which it failed, or what a stage raised.
        """
        for error in self.errors.values():
            raise error
        found = self._diffs.get(stage)
        if found is None:
            assert self.off is not None
            assert self.on is not None
            found = self._diffs[stage] = diff_programs(self.off.program(stage), self.on.program(stage))
        return found

    @property
    def numeric(self) -> NumericDifference | None:
        """How far the results lie apart; None as long as one of them is missing."""
        runs = [part.run for part in (self.off, self.on) if part is not None]
        if self._numeric is None and len(runs) == 2 and None not in runs:
            self._numeric = compare_results(*(run.leaves for run in runs if run is not None))
        return self._numeric

    @property
    def problems(self) -> list[Problem]:
        """Which of the five problems of migrating to omnistaging the function has, as far as is known."""
        staged = self._staged()
        return find_problems(self._tried(OFF), self._tried(ON), self.numeric, staged)

    def _staged(self) -> list[str]:
        """The operations that are in the program only with omnistaging."""
        if self.errors:
            return []
        return self.diff("jaxpr").operations(ADDED)

    def _tried(self, name: str) -> Tried:
        side = self._sides[name]
        compile_error = ""
        if side.part is not None and side.part.status.states[COMPILE] == FAILED:
            compile_error = error_text(side.part.status.errors[COMPILE])
        return Tried(
            side.trace,
            capture_failure(side.error) if side.error is not None else None,
            error_text(side.error) if side.error is not None else "",
            compile_error,
            side.effects.writes,
            side.effects.leaks,
        )

    # -- what is said ------------------------------------------------------------------------------------------------

    def panels(self) -> list[Panel]:
        """Problems, figures, what was executed, and the differences of all stages."""
        panels: list[Panel] = [problems_panel(self.problems), self._summary()]
        off = self._sides[OFF].trace
        if off is not None:
            panels.append(executed_panel(off))
        return panels + self._differences()

    def _differences(self) -> list[Panel]:
        if self.errors:
            return []
        found: list[Panel] = []
        for stage, title, needs in _DIFFS:
            name = f"diff-{stage}"
            if all(self._is_there(part, needs) for part in self.parts.values()):
                note = (
                    "Names do not count; constants stand as they were staged."
                    if stage == "unoptimized"
                    else ""
                )
                found.append(self.diff(stage).panel(name, title, needs, OFF, ON, note))
            else:
                found.append(Waiting(name, title, needs))
        return found

    @staticmethod
    def _is_there(part: Exploration, stage: str) -> bool:
        """Whether a stage's program can be had without waiting."""
        if stage == "lower":
            return part.lowering is not None
        return stage == "trace" or part.is_linked

    def _summary(self) -> Table:
        sides = [self._sides[OFF], self._sides[ON]]
        figures = [_figures(side) for side in sides]
        names = list(dict.fromkeys(name for found in figures for name in found))
        rows = []
        for name in names:
            values = [found.get(name) for found in figures]
            texts = [value[0] if value is not None else "" for value in values]
            rows.append(Row((name, *texts, _change(values))))
        numeric = self.numeric
        if numeric is not None:
            rows.append(Row(("results", "", "", str(numeric)), mark="warn" if numeric.differing else "good"))
        errors = [type(side.error).__name__ if side.error is not None else "" for side in sides]
        if any(errors):
            rows.insert(0, Row(("tracing", *(error or "done" for error in errors), ""), mark="bad"))
        for problem in reversed(self.problems):
            rows.insert(0, Row((f"problem {problem.number}", "", "", problem.title), mark="warn"))
        columns = (
            Column(""),
            Column(OFF, is_number=True),
            Column(ON, is_number=True),
            Column("difference", is_number=True),
        )
        return Table("summary", "Off and on", "trace", columns, tuple(rows))

    def facts(self) -> dict[str, Any]:
        """The figures of both modes, the counts of every difference, and the problems; compiles if that is left to do."""
        self.start()
        self.wait()
        sides = {
            name: side.part.known_facts() if side.part is not None else None
            for name, side in self._sides.items()
        }
        differences = {}
        if not self.errors:
            for stage, _, needs in _DIFFS:
                if all(self._is_there(part, needs) for part in self.parts.values()):
                    differences[stage] = self.diff(stage).counts
        numeric = self.numeric
        off = self._sides[OFF].trace
        return {
            "off": sides[OFF],
            "on": sides[ON],
            "executed": [one.primitive for one in off.executed] if off is not None else None,
            "differences": differences,
            "numeric": numeric._asdict() if numeric is not None else None,
            "problems": [problem.number for problem in self.problems],
        }


def compare_omnistaging(f: Callable[..., Any], /, *args: Any, **kwargs: Any) -> OmnistagingComparison:
    """A comparison of ``f(*args, **kwargs)`` traced without and with omnistaging.

    The function is traced anew in both modes, each time on the same state: what it changes outside of itself is noted and
    put back. An iterator, a generator or a file that it moves on cannot be put back; that is said.

    Args:
        f: A function, jitted or not.
        *args: The arguments to trace and run it with.
        **kwargs: The keyword arguments to trace and run it with.

    Returns:
        The comparison: ``.diff(stage)``, ``.numeric``, ``.problems``, ``.facts()``, ``.show()``, ….

    Raises:
        Exception: What tracing ``f`` raises, where it fails in both modes.
    """
    return make_comparison(f, args, kwargs)


def make_comparison(
    f: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any], title: str | None = None
) -> OmnistagingComparison:
    """The comparison under a title of its own."""
    sides = {OFF: _Side(), ON: _Side()}
    for name, side in sides.items():
        front_end = make_front_end(f, args, kwargs, omnistaging=name == ON, title=title, is_fresh=True)
        with without_side_effects(f, args, kwargs) as side.effects:
            try:
                side.part = Exploration(front_end)
            except Exception as error:
                side.error = error
    known = [side.trace for side in sides.values() if side.trace is not None]
    error = sides[ON].error
    if not known and error is not None:
        raise error
    return OmnistagingComparison(title or known[0].title, sides)


# ---- figures ---------------------------------------------------------------------------------------------------------


def _figures(side: _Side) -> dict[str, tuple[str, float]]:
    """What is known of one mode: by name, the text and the number."""
    part = side.part
    if part is None:
        return {}
    facts = part.known_facts()
    trace, seconds, size = part.trace, facts["seconds"], facts["bytes"]
    found: dict[str, tuple[str, float]] = {}

    def add(name: str, number: float | None, text: Callable[[float], str] = lambda n: f"{n:,.0f}") -> None:
        if number is not None:
            found[name] = (text(number), number)

    add("operations executed at trace time", len(trace.executed))
    add("equations staged", facts["equations"]["total"])
    add("arrays baked in", size["constants"], size_text)
    add("StableHLO [characters]", facts["stablehlo"]["characters"])
    add("trace", seconds["trace"], seconds_text)
    add("lower", seconds["lower"], seconds_text)
    add("compile", seconds["compile"], seconds_text)
    run = part.run
    add("run", run.best_seconds if run is not None else None, seconds_text)
    if part.compilation is not None:
        add("temporary memory", size["temporaries"], size_text)
        add("literals in the optimised program", size["literals"], size_text)
        add("instructions", facts["hlo"]["instructions"])
    if part.status.states[COMPILE] not in (DONE, "pending", "running"):
        found["compile"] = (part.status.states[COMPILE], 0.0)
    return found


def _change(values: list[tuple[str, float] | None]) -> str:
    """How the second number differs from the first, as a factor or a difference."""
    before, now = values
    if before is None or now is None or before[1] == now[1]:
        return ""
    if before[1] > 0 and now[1] > 0:
        factor = now[1] / before[1]
        return f"× {factor:.3g}"
    return f"{now[1] - before[1]:+,.0f}"
