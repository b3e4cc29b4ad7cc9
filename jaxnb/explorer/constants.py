"""The arrays that a function captured, and the two ways a program can keep them, side by side.

What lives here: the report. What must not: how constants are kept, which the engine knows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from jaxnb.explorer.analysis.calls import base_names
from jaxnb.explorer.analysis.executed import place_text
from jaxnb.explorer.analysis.numeric import NumericDifference, compare_results
from jaxnb.explorer.analysis.rewriting import Rewriting, Subject, rewrite
from jaxnb.explorer.analysis.structural_diff import StructuralDiff, diff_programs
from jaxnb.explorer.capture.engine_callables import jitted_again, read_callee
from jaxnb.explorer.capture.engine_constants import is_same_array
from jaxnb.explorer.capture.protocol import CapturedConstant, CapturedTrace
from jaxnb.explorer.exploration import Exploration
from jaxnb.explorer.explore import make_front_end
from jaxnb.explorer.model.assemble import seconds_text
from jaxnb.explorer.model.graph import size_text
from jaxnb.explorer.model.panels import Card, Cards, Column, Panel, Row, Table, Waiting
from jaxnb.explorer.report import Report
from jaxnb.explorer.stages import LOWER, PENDING

__all__ = ["ConstantsReport", "explore_constants"]

OLD, NEW = "old mode", "new mode"

_PLACES = {
    "argument": "hidden argument",
    "embedded": "in the program: small",
    "inlined": "in the program",
}
_MOST_USERS = 4


class ConstantsReport(Report):
    """What a function captured; see ``explore_constants``."""

    open_panes = ("constants", "modes", "rewrite", "source", "jaxpr")

    def __init__(self, title: str, old: Exploration, new: Exploration, subject: Subject) -> None:
        super().__init__(f"{title}: captured arrays", {OLD: old, NEW: new})
        self.old, self.new = old, new
        self._rewritten = rewrite(subject) if new.constants else Rewriting()
        self._diff: StructuralDiff | None = None
        self._numeric: NumericDifference | None = None

    @property
    def constants(self) -> list[CapturedConstant]:
        """The arrays, the largest first."""
        return sorted(self.new.constants, key=lambda one: -one.nbytes)

    @property
    def numeric(self) -> NumericDifference | None:
        """How far the results of the two modes lie apart; None as long as one of them is missing."""
        one, other = self.old.run, self.new.run
        if self._numeric is None and one is not None and other is not None:
            self._numeric = compare_results(one.leaves, other.leaves)
        return self._numeric

    def diff(self) -> StructuralDiff:
        """The difference of the StableHLO modules of both modes; waits for them."""
        if self._diff is None:
            self._diff = diff_programs(self.old.program("stablehlo"), self.new.program("stablehlo"))
        return self._diff

    def start(self) -> ConstantsReport:
        """Begins what is left to do; both modes are lowered before either is compiled, so that memory can be measured."""
        for part in self.parts.values():
            if part.status.states[LOWER] == PENDING:
                with suppress(Exception):  # it is kept in the status, where every view shows it
                    _ = part.stablehlo
        super().start()
        return self

    # -- what is said ------------------------------------------------------------------------------------------------

    def panels(self) -> list[Panel]:
        """The arrays, both modes, the rewriting, and the difference of the modules."""
        lowered = self.old.lowering is not None and self.new.lowering is not None
        difference: Panel = Waiting("diff-stablehlo", "StableHLO: old | new", "lower")
        if lowered:
            difference = self.diff().panel("diff-stablehlo", "StableHLO: old | new", "lower", OLD, NEW)
        return [self._arrays(), self._modes(), self._rewriting(), difference]

    def _arrays(self) -> Table:
        columns = (
            Column("variable", is_code=True),
            Column("type", is_code=True),
            Column("size", is_number=True),
            Column("first used"),
            Column(OLD),
            Column(NEW),
        )
        rows = []
        for one in self.constants:
            number = self._number(self.new, one)
            where, _, line = place_text(one.source, self.new.trace).partition(": ")
            rows.append(
                Row(
                    (
                        one.name if base_names([one.name]) else "(unnamed)",
                        one.type,
                        size_text(one.nbytes),
                        where,
                        self._place(self.old, one),
                        self._place(self.new, one),
                    ),
                    keys=(f"constant:{number}", *one.users),
                    detail=f"{f'`{line}`; ' if line else ''}used by {self._users(one)}; held as {one.holder}",
                )
            )
        total = sum(one.nbytes for one in self.new.constants)
        note = (
            f"{len(rows)} array{'s' if len(rows) != 1 else ''}, {size_text(total)} together." if rows else ""
        )
        return Table(
            "constants",
            "Captured arrays",
            "trace",
            columns,
            tuple(rows),
            note,
            "The function captured no array.",
        )

    def _users(self, one: CapturedConstant) -> str:
        names = {equation.path: equation.primitive for equation in self.new.trace.equations}
        users = [names[path] for path in one.users if path in names]
        more = f" and {len(users) - _MOST_USERS} more" if len(users) > _MOST_USERS else ""
        return ", ".join(users[:_MOST_USERS]) + more or "the result"

    def _number(self, part: Exploration, one: CapturedConstant) -> int:
        """Which of a mode's constants an array is; -1 if none. The modes find the arrays in different orders."""

        def same(constants: Sequence[CapturedConstant]) -> list[int]:
            return [i for i, c in enumerate(constants) if (c.name, c.type) == (one.name, one.type)]

        there = same(part.constants)
        at = next(k for k, i in enumerate(same(self.new.constants)) if self.new.constants[i] is one)
        return there[at] if at < len(there) else -1

    def _place(self, part: Exploration, array: CapturedConstant) -> str:
        """Where one mode keeps an array, and whether XLA left anything of it."""
        number = self._number(part, array)
        if number < 0:
            return ""
        one = part.constants[number]
        text = _PLACES[one.place]
        lowering = part.lowering
        if one.place == "argument" and lowering is not None and f"constant:{number}" in lowering.parameters:
            text += f" %arg{lowering.parameters.index(f'constant:{number}')}"
        if part.is_linked and one.users and one.place != "argument":
            fates = [part.links.fates[path].kind for path in one.users if path in part.links.fates]
            literals = part.known_facts()["bytes"]["literals"]
            is_gone = one.place == "inlined" and literals is not None and literals < one.nbytes
            if is_gone or (fates and all(kind == "folded" for kind in fates)):
                text += ", folded away by XLA"
        return text

    def _modes(self) -> Table:
        figures = [_figures(part) for part in (self.old, self.new)]
        rows = [
            Row((name, *(found[name][0] if name in found else "" for found in figures)))
            for name in dict.fromkeys(name for found in figures for name in found)
        ]
        if self.numeric is not None:
            rows.append(
                Row(("results", "", str(self.numeric)), mark="warn" if self.numeric.differing else "good")
            )
        columns = (Column(""), Column(OLD, is_number=True), Column(NEW, is_number=True))
        note = (
            "Old mode: arrays are written into the module. New mode: they are hidden arguments of the program, and only "
            "small ones are written into it. Host memory is by how much the C library's heap grew in lowering: the "
            "module, its bytecode, and in the old mode copies of each array, beside the array itself."
        )
        return Table("modes", "Old and new mode", "trace", columns, tuple(rows), note)

    def _rewriting(self) -> Cards:
        found = self._rewritten
        cards: list[Card] = []
        if found.code:
            listed = ", ".join(f"`{text}`" for text in found.passed)
            cards.append(
                Card(
                    f"{listed} as argument{'s' if len(found.passed) > 1 else ''}",
                    text="An argument is no part of the program: a new value needs no new trace, and nothing is written "
                    "into it.",
                    code=found.code,
                    mark="good",
                )
            )
        cards += [Card("By hand", text=note, mark="warn") for note in found.notes]
        note = "" if cards else "There is nothing to pass."
        return Cards("rewrite", "Pass it as an argument", "trace", tuple(cards), note)

    @property
    def rewrite(self) -> str:
        """The functions with the arrays as arguments, and the call; "" where there are none, or where it is not possible."""
        return self._rewritten.code

    @property
    def by_hand(self) -> tuple[str, ...]:
        """What is to be done by hand, because no code can be written for it."""
        return self._rewritten.notes

    def facts(self) -> dict[str, Any]:
        """The arrays and the figures of both modes; compiles if that is left to do."""
        self.start()
        self.wait()
        return {
            "constants": [
                {
                    "name": one.name,
                    "type": one.type,
                    "bytes": one.nbytes,
                    "line": one.source.line if one.source is not None else None,
                    "users": len(one.users),
                    "old": self._place(self.old, one),
                    "new": self._place(self.new, one),
                }
                for one in self.constants
            ],
            "old": {name: number for name, (_, number) in _figures(self.old).items()},
            "new": {name: number for name, (_, number) in _figures(self.new).items()},
            "numeric": self.numeric._asdict() if self.numeric is not None else None,
        }


def _figures(part: Exploration) -> dict[str, tuple[str, float]]:
    facts = part.known_facts()
    found: dict[str, tuple[str, float]] = {}

    def add(name: str, number: float | None, text: Callable[[float], str] = lambda n: f"{n:,.0f}") -> None:
        if number is not None:
            found[name] = (text(number), number)

    add("StableHLO [characters]", facts["stablehlo"]["characters"])
    lowering = part.lowering
    add("module", len(lowering.module) if lowering is not None else None, size_text)
    add("host memory kept by lowering", lowering.host_bytes if lowering is not None else None, size_text)
    add("arguments of main", len(lowering.parameters) if lowering is not None else None)
    for stage in ("trace", "lower", "compile"):
        add(stage, facts["seconds"][stage], seconds_text)
    add("run", part.run.best_seconds if part.run is not None else None, seconds_text)
    if part.compilation is not None:
        executable = part.compilation.executable
        add("executable, serialised", len(executable) if executable is not None else None, size_text)
        for name, key in (("argument memory", "arguments"), ("temporary memory", "temporaries")):
            add(name, facts["bytes"][key], size_text)
        add("literals in the optimised program", facts["bytes"]["literals"], size_text)
    return found


def explore_constants(f: Callable[..., Any], /, *args: Any, **kwargs: Any) -> ConstantsReport:
    """A report on the arrays that ``f(*args, **kwargs)`` captures, in both ways of keeping them.

    Raises:
        Exception: What tracing ``f`` raises.
    """
    return make_constants_report(f, args, kwargs)


def make_constants_report(
    f: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any], title: str | None = None
) -> ConstantsReport:
    """The report under a title of its own."""
    front_ends = [
        make_front_end(f, args, kwargs, simplified_constants=mode, title=title, is_fresh=True)
        for mode in (False, True)
    ]
    parts = [Exploration(one) for one in front_ends]
    new = parts[1].trace
    subject = _subject(f, title or new.function, new, front_ends[1].constant_values())
    return ConstantsReport(title or new.title, parts[0], parts[1], subject)


def _subject(f: Callable[..., Any], call: str, trace: CapturedTrace, values: Sequence[Any]) -> Subject:
    callee = read_callee(f)
    places = []
    for one in trace.constants:
        where = place_text(one.source, trace)
        places.append(f"of type {one.type}" + (f", first used in {where}," if where else ""))
    return Subject(
        callee.function, callee.owner, callee.layers, callee.around, bool(callee.options), jitted_again, callee.functions,
        (*callee.given, *callee.keywords.values()), call, base_names([one.name for one in trace.arguments]), values,
        places, [one.source.line if one.source is not None else 0 for one in trace.constants], is_same_array,
    )  # fmt: skip
