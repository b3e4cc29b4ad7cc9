"""The links of an exploration: what each equation became, in every stage.

What lives here: the analysis that puts stages side by side, and the object a user asks. What must not: documents and
drawing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from jaxnb.explorer.capture.protocol import CapturedEquation, CapturedLowering, CapturedTrace
from jaxnb.explorer.model.dataflow import Flat, flatten
from jaxnb.explorer.model.fates import Fate, find_fates
from jaxnb.explorer.model.hlo_parse import HloModule, parse_hlo
from jaxnb.explorer.model.optimized import Reading, read_optimized
from jaxnb.explorer.model.pivots import PivotTable, make_pivots
from jaxnb.explorer.model.stablehlo_parse import Block, StableHloModule, parse_stablehlo
from jaxnb.explorer.model.tags import PathIndex


@dataclass(frozen=True, slots=True)
class Link:
    """An equation and its counterparts.

    Attributes:
        path: Its identity path.
        primitive: What it does.
        source_line: The line of the user's source, 0 if not known.
        stablehlo_lines: Lines of the StableHLO text, counted from 1.
        instructions: Names of the optimised instructions that carry it, without ``%``.
        fate: What became of it.
    """

    path: str
    primitive: str
    source_line: int
    stablehlo_lines: tuple[int, ...]
    instructions: tuple[str, ...]
    fate: Fate


class Links:
    """All links of one compiled program; iterate over it, or ask for one equation by path."""

    def __init__(self, trace: CapturedTrace, lowering: CapturedLowering, hlo_text: str) -> None:
        self.trace = trace
        self.lowering = lowering
        self.index = path_index(trace)
        self.stablehlo = parse_stablehlo(lowering.text)
        self.hlo: HloModule = parse_hlo(hlo_text)
        self.reading: Reading = read_optimized(self.hlo, self.index, lowering.parameters)
        self.flat: Flat = flatten(self.stablehlo, lowering.line_names, self.index)
        parameters = {
            value: key for value, key in zip(self.flat.arguments, lowering.parameters, strict=False) if key
        }
        self.fates: dict[str, Fate] = find_fates(
            trace.equations, self.flat, self.hlo, self.reading, parameters, self.name_of
        )

    @cached_property
    def pivots(self) -> PivotTable:
        """The pivots of the program."""
        return make_pivots(self.trace)

    @cached_property
    def _equations(self) -> dict[str, CapturedEquation]:
        return {equation.path: equation for equation in self.trace.equations}

    @cached_property
    def _stablehlo_lines(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for operation, name in named_operations(self.stablehlo, self.lowering):
            for path in self.index.find(name):
                found.setdefault(path, []).append(operation + 1)
        return found

    @cached_property
    def _jaxpr_lines(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for line, _, _, paths in self.trace.jaxpr_spans:
            for path in paths:
                found.setdefault(path, line + 1)
        return found

    def name_of(self, path: str) -> str:
        """How to call an equation in a sentence: ``mul (line 3)``."""
        equation = self._equations.get(path)
        if equation is None:
            return path
        line = self._jaxpr_lines.get(path)
        return f"{equation.primitive} (jaxpr line {line})" if line is not None else equation.primitive

    def __getitem__(self, path: str) -> Link:
        equation = self._equations[path]
        return Link(
            path,
            equation.primitive,
            equation.source.line if equation.source is not None else 0,
            tuple(self._stablehlo_lines.get(path, ())),
            tuple(name for _, name in self.reading.carriers.get(path, ())),
            self.fates[path],
        )

    def __iter__(self) -> Iterator[Link]:
        return (self[path] for path in self.fates)

    def __len__(self) -> int:
        return len(self.fates)

    def counts(self) -> dict[str, int]:
        """How many equations have each fate."""
        found: dict[str, int] = {}
        for fate in self.fates.values():
            found[fate.kind] = found.get(fate.kind, 0) + 1
        return found

    def __repr__(self) -> str:
        parts = ", ".join(f"{count} {kind}" for kind, count in sorted(self.counts().items()))
        return f"<links of {len(self)} equations: {parts}>"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self))
        for link in self:
            where = ", ".join(f"%{name}" for name in link.instructions[:4])
            printer.text(f"\n{link.path:>12}  {link.primitive:<20} {where or link.fate.text}")


def path_index(trace: CapturedTrace) -> PathIndex:
    """The identity paths of a traced function."""
    return PathIndex(equation.path for equation in trace.equations)


def named_operations(module: StableHloModule, lowering: CapturedLowering) -> Iterator[tuple[int, str]]:
    """The line and location name of every operation that has one."""
    names = lowering.line_names

    def visit(block: Block) -> Iterator[tuple[int, str]]:
        for operation in block.operations:
            name = names[operation.end_line] or names[operation.line]
            if name:
                yield operation.line, name
            for region in operation.regions:
                yield from visit(region)

    for function in module.functions.values():
        yield from visit(function.body)
