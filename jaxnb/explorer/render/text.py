"""An exploration as plain text: what a terminal, a saved notebook on a code host, or a search finds.

What lives here: sentences and columns. What must not: colours, HTML.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from jaxnb.explorer.capture.protocol import CapturedTrace
from jaxnb.explorer.model.assemble import seconds_text, shapes_text
from jaxnb.explorer.model.graph import size_text
from jaxnb.explorer.model.hlo_parse import short_shape
from jaxnb.explorer.model.links import Links
from jaxnb.explorer.stages import STAGES, Status, error_text

_MOST_LINES = 60
_MOST_FUSIONS = 20
_MOST_FATES = 8


def make_text(trace: CapturedTrace, links: Links | None, facts: Mapping[str, Any], status: Status) -> str:
    """The exploration as far as it has come, readable without any viewer."""
    parts = [_header(trace, facts, status)]
    if trace.source is not None:
        rows = trace.source.text.rstrip("\n").split("\n")
        width = len(str(trace.source.first_line + len(rows)))
        numbered = [f"{trace.source.first_line + row:>{width}}  {line}" for row, line in enumerate(rows)]
        parts.append(_section(f"Source ({trace.source.label})", numbered))
    parts.append(_section("Jaxpr", trace.jaxpr.split("\n")))
    if links is not None:
        parts.append(_section("Fused", _fusions(links)))
        gone = _fates(links)
        if gone:
            parts.append(_section("No instruction of their own", gone))
    return "\n\n".join(parts)


def _section(title: str, lines: Sequence[str]) -> str:
    shown = list(lines[:_MOST_LINES])
    if len(lines) > _MOST_LINES:
        shown.append(f"… {len(lines) - _MOST_LINES} more lines")
    return "\n".join([title, *(f"  {line}".rstrip() for line in shown)])


def _header(trace: CapturedTrace, facts: Mapping[str, Any], status: Status) -> str:
    first = [trace.title, trace.device, *(f"{name} {version}" for name, version in trace.versions.items())]
    lines = [" · ".join(part for part in first if part)]
    arguments = shapes_text([f"{one.name}: {one.type}" for one in trace.arguments])
    lines.append(f"{arguments} → {shapes_text(list(trace.output_types))}")
    seconds = [(stage, facts["seconds"][stage]) for stage in STAGES]
    lines.append(
        " · ".join(f"{stage} {seconds_text(value)}" for stage, value in seconds if value is not None)
    )
    lines.append(" · ".join(_counts(facts)))
    for stage in STAGES:
        error = status.errors.get(stage)
        if error is not None:
            lines.append(f"{stage} failed: {error_text(error)}")
        elif status.states[stage] in ("running", "cancelled"):
            lines.append(f"{stage}: {status.states[stage]}")
    if status.message:
        lines.append(status.message)
    return "\n".join(lines)


def _counts(facts: Mapping[str, Any]) -> list[str]:
    equations, hlo, size = facts["equations"], facts["hlo"], facts["bytes"]
    found = [f"{equations['total']} equations"]
    if equations["linked"] is not None:
        found[0] += f", {equations['linked']} linked"
        if equations["explained"]:
            found[0] += f", {equations['explained']} explained"
        if equations["unknown"]:
            found[0] += f", {equations['unknown']} unknown"
    if facts["stablehlo"]["ops"] is not None:
        found.append(f"{facts['stablehlo']['ops']} StableHLO operations")
    if hlo["instructions"] is not None:
        plural = "" if hlo["fusions"] == 1 else "s"
        found.append(f"{hlo['instructions']} instructions, {hlo['fusions']} fusion{plural}")
    for key in ("arguments", "outputs", "temporaries", "constants"):
        if size[key]:
            found.append(f"{key} {size_text(size[key])}")
    return found


def _fusions(links: Links) -> list[str]:
    """One line for each fusion: what it computes, by the equations' names."""
    names = {equation.path: equation.primitive for equation in links.trace.equations}
    order = {path: place for place, path in enumerate(names)}
    lines = []
    for computation in links.hlo.computations.values():
        for one in computation.instructions.values():
            if one.opcode != "fusion":
                continue
            keys = links.reading.carried.get((computation.name, one.name), ())
            inside = sorted((key for key in keys if key in order), key=order.__getitem__)
            primitives = [names[key] for key in inside]
            shown = ", ".join(primitives[:12]) or "no equation of its own"
            more = f" and {len(primitives) - 12} more" if len(primitives) > 12 else ""
            lines.append(f"%{one.name} {short_shape(one.shape)}: {shown}{more}")
    if not lines:
        return ["nothing was fused"]
    if len(lines) > _MOST_FUSIONS:
        return [*lines[:_MOST_FUSIONS], f"… {len(lines) - _MOST_FUSIONS} more fusions"]
    return lines


def _fates(links: Links) -> list[str]:
    """Why equations have no instruction, the reasons grouped."""
    groups: dict[tuple[str, str], list[str]] = {}
    for path, fate in links.fates.items():
        if fate.kind != "linked":
            groups.setdefault((fate.kind, fate.text), []).append(links.name_of(path))
    lines = []
    for (kind, text), names in sorted(groups.items(), key=lambda item: -len(item[1])):
        shown = ", ".join(names[:4])
        more = f" and {len(names) - 4} more" if len(names) > 4 else ""
        lines.append(f"{kind}: {shown}{more}: {text}")
    if len(lines) > _MOST_FATES:
        rest = sum(len(names) for names in groups.values())
        return [
            *lines[:_MOST_FATES],
            f"… {len(lines) - _MOST_FATES} more reasons, for {rest} equations in all",
        ]
    return lines
