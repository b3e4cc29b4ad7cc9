"""The steps of compilation ahead of time as a pipeline, and what became of each argument.

What lives here: the report. What must not: the steps, which the engine takes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from jaxnb.explorer.analysis.callbacks import callbacks_panels
from jaxnb.explorer.capture.engine_callables import WrittenCall, written_call
from jaxnb.explorer.capture.signature import CapturedParameter
from jaxnb.explorer.exploration import Exploration
from jaxnb.explorer.explore import make_front_end
from jaxnb.explorer.model.assemble import seconds_text, shapes_text
from jaxnb.explorer.model.graph import size_text
from jaxnb.explorer.model.panels import Card, Cards, Column, Figure, Panel, Row, Table, Waiting
from jaxnb.explorer.report import Report
from jaxnb.explorer.stages import DONE, FAILED, STAGES, error_text

__all__ = ["StepsReport", "explore_steps"]

_TITLES = {
    "trace": "trace → Traced: a jaxpr",
    "lower": "lower → Lowered: a StableHLO module",
    "compile": "compile → Compiled: an executable",
    "run": "call → the results",
}


class StepsReport(Report):
    """The four steps of one function; see ``explore_steps``."""

    open_panes = ("steps", "signature", "stablehlo")

    def __init__(self, title: str, part: Exploration, call: WrittenCall) -> None:
        super().__init__(f"{title}: ahead of time", {"": part})
        self._call = call

    @property
    def signature(self) -> tuple[CapturedParameter, ...]:
        """What became of each argument; lowers if that has not been done.

        Raises:
            Exception: What lowering raised.
        """
        return self.main.signature

    def panels(self) -> list[Panel]:
        """The steps and the signature."""
        return [self._steps(), self._signature(), *callbacks_panels(self.main.trace)]

    def _steps(self) -> Cards:
        status = self.main.status
        cards = []
        for stage in STAGES:
            state = status.states[stage]
            error = status.errors.get(stage)
            cards.append(
                Card(
                    _TITLES[stage],
                    tuple(self._figures(stage)) if state == DONE else (("", state),),
                    text=error_text(error) if error is not None else "",
                    code=self._code(stage),
                    mark="bad" if state == FAILED else "good" if state == DONE else "",
                )
            )
        return Cards("steps", "The four steps", "trace", tuple(cards), is_chain=True)

    def _code(self, stage: str) -> str:
        return {
            "trace": f"traced = {self._call.jitted}.trace({self._call.arguments})",
            "lower": "lowered = traced.lower()",
            "compile": "compiled = lowered.compile()",
            "run": f"compiled({self._call.dynamic})",
        }[stage]

    def _figures(self, stage: str) -> list[Figure]:
        part = self.main
        facts = part.known_facts()
        seconds = facts["seconds"][stage]
        found: list[Figure] = [("took", seconds_text(seconds))] if seconds is not None else []
        if stage == "trace":
            found += [
                ("equations", str(facts["equations"]["total"])),
                ("captured arrays", str(len(part.constants))),
                ("size", f"{len(part.jaxpr):,} characters"),
                ("results", shapes_text(list(part.trace.output_types))),
            ]
        elif stage == "lower" and part.lowering is not None:
            found += [
                ("operations", str(facts["stablehlo"]["ops"])),
                ("size", f"{len(part.lowering.text):,} characters"),
                ("bytecode", size_text(len(part.lowering.module))),
                ("parameters", str(len(part.lowering.parameters))),
                *self._flops(part.lowered_cost, "before XLA's passes"),
            ]
        elif stage == "compile" and part.compilation is not None:
            executable = part.compilation.executable
            if facts["hlo"]["instructions"] is not None:
                found += [
                    ("instructions", str(facts["hlo"]["instructions"])),
                    ("fusions", str(facts["hlo"]["fusions"])),
                ]
            if executable is not None:
                found.append(("executable", size_text(len(executable))))
            for key in ("arguments", "outputs", "temporaries"):
                if facts["bytes"][key] is not None:
                    found.append((key, size_text(facts["bytes"][key])))
            found += self._flops(part.compilation.cost, "after them")
        elif stage == "run" and part.run is not None:
            found += [
                ("fastest run", seconds_text(part.run.best_seconds)),
                ("output", size_text(part.trace.output_bytes)),
            ]
        return found

    def _flops(self, cost: Mapping[str, float], when: str) -> list[Figure]:
        """XLA's estimate, with what it holds for: it differs between stages, devices and versions."""
        if "flops" not in cost:
            return []
        trace = self.main.trace
        version = ", ".join(f"{name} {number}" for name, number in trace.versions.items())
        number = cost["flops"]  # negative where XLA cannot know: a call out of the program
        return [(f"flops {when} ({trace.device}, {version})", f"{number:,.0f}" if number >= 0 else "unknown")]

    def _signature(self) -> Table | Waiting:
        if self.main.lowering is None:
            return Waiting("signature", "Signature", "lower")
        columns = (
            Column("argument", is_code=True),
            Column("type or value", is_code=True),
            Column("kind"),
            Column("parameter", is_number=True),
            Column("donated"),
            Column("written over by", is_code=True),
            Column("remark"),
        )
        rows = []
        for one in self.main.signature:
            mark = "warn" if one.is_dropped or one.remark.startswith("the donated") else ""
            rows.append(
                Row(
                    (
                        one.path,
                        one.type,
                        "hidden constant"
                        if one.kind == "constant"
                        else "dropped"
                        if one.is_dropped
                        else one.kind,
                        str(one.parameter) if one.parameter >= 0 else "",
                        "yes" if one.is_donated else "",
                        one.aliased_to,
                        one.remark,
                    ),
                    keys=(one.key,) if one.key else (),
                    mark=mark,
                )
            )
        note = "The number is that of the parameter in StableHLO (`%arg0`) and in HLO (`parameter(0)`)."
        return Table(
            "signature", "Signature", "lower", columns, tuple(rows), note, "The function has no arguments."
        )

    def facts(self) -> dict[str, Any]:
        """The figures of all steps and the signature; compiles if that is left to do."""
        facts = self.main.facts()
        return {
            **facts,
            "signature": [
                {name: getattr(one, name) for name in CapturedParameter.__dataclass_fields__}
                for one in (self.main.signature if self.main.lowering is not None else ())
            ],
        }


def explore_steps(f: Callable[..., Any], /, *args: Any, **kwargs: Any) -> StepsReport:
    """A report on the steps from ``f(*args, **kwargs)`` to a running program.

    Raises:
        Exception: What tracing ``f`` raises.
    """
    return make_steps_report(f, args, kwargs)


def make_steps_report(
    f: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any], title: str | None = None
) -> StepsReport:
    """The report under a title of its own."""
    part = Exploration(make_front_end(f, args, kwargs, title=title))
    title = title or part.trace.title
    return StepsReport(title, part, written_call(f, args, kwargs, title))
