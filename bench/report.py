"""What the samples say: a low percentile of each side, their ratio, and the bound it must keep."""

from __future__ import annotations

import json
import os
import pathlib
import platform
from dataclasses import asdict, dataclass
from typing import Any

from bench.measure import ROOT, Samples

OUT = ROOT / "bench" / "out"

BOUNDS = {
    "dispatch.scalar": 1.10,
    "dispatch.tree": 1.10,
    "dispatch.constant": 1.10,
    "make_jaxpr.c": 0.7,
    "lower.c": 0.9,
    "import": 0.5,
}
"""The largest ratio to jax of the same jaxlib that is accepted; what is not listed is only reported."""


@dataclass(frozen=True)
class Line:
    """One measure: seconds of each side, the ratio, and what it may be."""

    measure: str
    jaxnb_s: float
    jax_s: float
    ratio: float
    bound: float | None
    samples: int

    @property
    def holds(self) -> bool:
        """Whether the bound, if there is one, is kept."""
        return self.bound is None or self.ratio <= self.bound


def low_percentile(samples: list[float]) -> float:
    """The 1st percentile of many samples, the smallest of few: what the program costs when nothing disturbs it."""
    ordered = sorted(samples)
    return ordered[len(ordered) // 100]


def lines(samples: Samples) -> list[Line]:
    """A line for each measure, in the order measured."""
    found = []
    for measure, sides in samples.items():
        ours, theirs = low_percentile(sides["jaxnb"]), low_percentile(sides["jax"])
        count = min(len(sides["jaxnb"]), len(sides["jax"]))
        found.append(Line(measure, ours, theirs, ours / theirs, BOUNDS.get(measure), count))
    return found


def table(found: list[Line]) -> str:
    """The lines as text."""
    rows = [f"{'measure':<20}{'jaxnb':>12}{'jax':>12}{'ratio':>8}{'bound':>8}   samples"]
    for line in found:
        bound = f"{line.bound:.2f}" if line.bound is not None else "-"
        mark = "" if line.holds else "  BROKEN"
        rows.append(
            f"{line.measure:<20}{seconds(line.jaxnb_s):>12}{seconds(line.jax_s):>12}{line.ratio:>8.2f}{bound:>8}"
            f"   {line.samples}{mark}"
        )
    return "\n".join(rows)


def seconds(value: float) -> str:
    """A time in the unit that suits it."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"


def write(found: list[Line], samples: Samples, facts: dict[str, Any]) -> pathlib.Path:
    """Writes everything as JSON and returns where."""
    OUT.mkdir(parents=True, exist_ok=True)
    path = OUT / f"bench-{facts.get('jaxlib', 'unknown')}.json"
    machine = {"python": platform.python_version(), "cores": os.cpu_count(), "load": os.getloadavg()}
    kept = {"machine": machine, "facts": facts, "lines": [asdict(line) for line in found], "samples": samples}
    path.write_text(json.dumps(kept, indent=1) + "\n")
    return path
