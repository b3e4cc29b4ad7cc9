"""The magics whose views are panels: comparisons, tables and cards beside the texts of an exploration.

Lives here: their names and what each shows. Must not live here: how a report is made (``reports.py``), and anything of
the engine: this is imported when the extension is loaded.
"""

from __future__ import annotations

from jaxnb.notebook.magics import MAGICS, Magic

__all__ = ["ALL_MAGICS", "PANEL_MAGICS"]

PANEL_MAGICS = (
    Magic(
        "omnistaging",
        "Traces a function without and with omnistaging and shows what differs: jaxpr, StableHLO and HLO as structural "
        "differences in which names do not count, the operations executed at trace time, sizes, times, memory and "
        "results.",
        (),
        "run",
        report="omnistaging",
    ),
    Magic(
        "constants",
        "Lists the arrays that a function captured, with name, size, line of first use and where the program keeps them, "
        "shows both ways of keeping them side by side, and writes the function with the arrays as arguments.",
        (),
        "run",
        report="constants",
    ),
    Magic(
        "aot",
        "Shows the four steps of compiling ahead of time with what each produced, its time and size, and the signature: "
        "which argument is static, donated, dropped, written over, and which parameter it is.",
        (),
        "run",
        report="aot",
    ),
    Magic(
        "retrace",
        "Lists what a function was traced for: signatures, call lines, times, calls served, what differed each time, and "
        "results that are out of date.",
        (),
        "trace",
        takes_function=True,
    ),
)
"""These magics."""

ALL_MAGICS = (*MAGICS, *PANEL_MAGICS)
"""All magics of the extension."""
