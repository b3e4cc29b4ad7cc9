"""One model, many renderers: the exploration as the schema's JSON, from whatever stages there are.

What lives here: the schema's field names (described in ``docs/schema.md``). What must not: compression, HTML.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from jaxnb.explorer.capture.protocol import CapturedLowering, CapturedTrace
from jaxnb.explorer.model.documents import (
    Document,
    hlo_document,
    jaxpr_document,
    source_document,
    stablehlo_document,
)
from jaxnb.explorer.model.fates import Fate
from jaxnb.explorer.model.graph import Graph, size_text
from jaxnb.explorer.model.layout import Picture
from jaxnb.explorer.model.links import Links, path_index
from jaxnb.explorer.model.panels import Panel, panel_data
from jaxnb.explorer.model.pivots import PivotTable, SetPool, make_pivots
from jaxnb.explorer.model.stablehlo_parse import StableHloModule

SCHEMA_VERSION = 1
MIME_TYPE = "application/vnd.jaxnb.exploration+json"

_SHAPES_SHOWN = 3


def assemble(
    *,
    trace: CapturedTrace,
    lowering: CapturedLowering | None,
    stablehlo: StableHloModule | None,
    hlo_text: str | None,
    links: Links | None,
    graph: Graph | None,
    pictures: Mapping[str, Picture] | None,
    dot: str,
    facts: Mapping[str, Any],
    status: Mapping[str, Any],
    panels: Sequence[Panel] = (),
) -> dict[str, Any]:
    """The model of an exploration."""
    pivots = links.pivots if links is not None else make_pivots(trace)
    pool = SetPool(pivots)
    documents: list[Document] = []
    source = source_document(trace, pool)
    if source is not None:
        documents.append(source)
    documents.append(jaxpr_document(trace, pool))
    if lowering is not None and stablehlo is not None:
        index = links.index if links is not None else path_index(trace)
        documents.append(stablehlo_document(lowering, stablehlo, index, pool))
    if links is not None and hlo_text is not None:
        documents.append(hlo_document(hlo_text, links.hlo, links.reading, pool))
    elif hlo_text is not None:
        documents.append(Document("hlo", "Optimised HLO", "hlo", hlo_text, 1, []))
    fates = links.fates if links is not None else {}
    model: dict[str, Any] = {
        "schema": SCHEMA_VERSION,
        "title": trace.title,
        "function": trace.function,
        "cell": trace.source.cell if trace.source is not None else None,
        "header": make_header(trace, facts),
        "status": dict(status),
        "facts": dict(facts),
        "pivots": {
            "kind": pivots.kinds,
            "label": pivots.labels,
            "type": pivots.types,
            "fate": [fates[key].kind if key in fates else None for key in pivots.keys],
        },
        "documents": [document.to_data() for document in documents],
        "graph": graph_data(graph, pictures, dot, pool)
        if graph is not None and pictures is not None
        else None,
        "fates": fates_data(fates, pivots),
        "overlays": {},
        "sets": pool.sets,
    }
    if panels:
        model["panels"] = panel_data(panels, pool)
    return model


def make_header(trace: CapturedTrace, facts: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The header's entries in order; what is not known yet is left out."""
    entries: list[dict[str, Any]] = []

    def add(key: str, value: str, number: float | None = None) -> None:
        entry: dict[str, Any] = {"k": key, "v": value}
        if number is not None:
            entry["n"] = number
        entries.append(entry)

    if trace.device:
        add("device", trace.device)
    for name, version in trace.versions.items():
        add(name, version)
    add("arguments", shapes_text([f"{one.name}: {one.type}" for one in trace.arguments]))
    add("result", shapes_text(list(trace.output_types)))
    for stage in ("trace", "lower", "compile", "run"):
        seconds = facts["seconds"][stage]
        if seconds is not None:
            add(stage, seconds_text(seconds), seconds)
    equations = facts["equations"]
    add("equations", str(equations["total"]), equations["total"])
    if equations["linked"] is not None:
        add("linked", f"{equations['linked']} of {equations['total']}", equations["linked"])
    for key, name in (("instructions", "instructions"), ("fusions", "fusions")):
        if facts["hlo"][key] is not None:
            add(name, str(facts["hlo"][key]), facts["hlo"][key])
    for key in ("arguments", "outputs", "temporaries", "constants"):
        size = facts["bytes"][key]
        if size:
            add(f"{key} size", size_text(size), size)
    return entries


def shapes_text(shapes: Sequence[str]) -> str:
    """The first shapes, and how many more there are."""
    if not shapes:
        return "none"
    shown = ", ".join(shapes[:_SHAPES_SHOWN])
    return shown if len(shapes) <= _SHAPES_SHOWN else f"{shown} and {len(shapes) - _SHAPES_SHOWN} more"


def seconds_text(seconds: float) -> str:
    """Seconds in the unit that reads best."""
    if seconds < 1e-3:
        return f"{seconds * 1e6:.0f} µs"
    if seconds < 1:
        return f"{seconds * 1e3:.3g} ms"
    return f"{seconds:.3g} s"


def graph_data(graph: Graph, pictures: Mapping[str, Picture], dot: str, pool: SetPool) -> dict[str, Any]:
    """The graph as the schema has it: groups with positions."""
    groups: dict[str, Any] = {}
    for name, group in graph.groups.items():
        picture = pictures[name]
        nodes = []
        for node in group.nodes:
            box = picture.boxes[node.id]
            number = pool.of(node.keys)
            nodes.append(
                {
                    "id": node.id,
                    "label": node.label,
                    "sub": node.sub,
                    "kind": node.kind,
                    "x": box.x,
                    "y": box.y,
                    "w": box.w,
                    "h": box.h,
                    "set": number if number >= 0 else None,
                    "group": node.group,
                }
            )
        edges = [
            {"from": edge.source, "to": edge.target, "points": line, "label": edge.label}
            for edge, line in zip(group.edges, picture.lines)
        ]
        groups[name] = {
            "label": group.label,
            "kind": group.kind,
            "w": picture.w,
            "h": picture.h,
            "nodes": nodes,
            "edges": edges,
        }
    return {"root": graph.root, "groups": groups, "dot": dot}


def fates_data(fates: Mapping[str, Fate], pivots: PivotTable) -> dict[str, Any]:
    """The fates by pivot number; a plain link has none."""
    found: dict[str, Any] = {}
    for path, fate in fates.items():
        if fate.kind == "linked" and not fate.text:
            continue
        entry: dict[str, Any] = {"kind": fate.kind, "text": fate.text}
        if fate.into:
            entry["into"] = pivots.numbers(fate.into)
        found[str(pivots.number[path])] = entry
    return found
