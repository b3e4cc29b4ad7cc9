"""The magics: their names, what each shows, and how far it has to go for that.

Lives here: one table, and a request as it is handed on. Must not live here: how a request is carried out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jaxnb.notebook.arguments import Arguments
from jaxnb.notebook.calls import ParsedCall

__all__ = ["MAGICS", "Magic", "Request"]


@dataclass(frozen=True)
class Magic:
    """One magic, for lines and for cells.

    Attributes:
        name: Its name without percent signs.
        summary: What it does.
        panes: What its view has open; empty for all.
        until: The last stage it needs: ``trace``, ``lower`` or ``run``.
        report: Which report it shows; none for an exploration.
        takes_function: Whether it is given a function, or nothing, in place of a call.
    """

    name: str
    summary: str
    panes: tuple[str, ...]
    until: str
    report: str = ""
    takes_function: bool = False


MAGICS = (
    Magic(
        "jit",
        "Compiles a function, runs it, and shows source, jaxpr, StableHLO, optimised HLO and fused graph side by side, "
        "linked. As a cell magic it also defines the function, compiled: it is what @jit would make of it.",
        (),
        "run",
    ),
    Magic("jaxpr", "Traces a function and shows its source and its jaxpr, linked.", ("source", "jaxpr"), "trace"),
    Magic(
        "stablehlo",
        "Lowers a function and shows its source and its StableHLO module, linked.",
        ("source", "stablehlo"),
        "lower",
    ),
    Magic("hlo", "Compiles a function and shows its source and the optimised HLO, linked.", ("source", "hlo"), "run"),
    Magic(
        "fusion", "Compiles a function and shows its source and the graph of what was fused, linked.",
        ("source", "graph"), "run",
    ),
)  # fmt: skip
"""All magics."""


@dataclass(frozen=True)
class Request:
    """A magic as it was written, taken apart.

    Attributes:
        magic: Which one.
        written: Its name with percent signs.
        line: The whole line.
        arguments: The options.
        call: The call, None if there is none.
        cell: The cell below the line, None for a line magic.
        scope: The variables of the function that the magic stands in, None outside functions.
    """

    magic: Magic
    written: str
    line: str
    arguments: Arguments
    call: ParsedCall | None
    cell: str | None
    scope: Mapping[str, Any] | None = None
