"""The fused graph in the DOT language, and Graphviz's positions where its ``dot`` program is installed.

What lives here: everything that goes through the ``graphviz`` package. What must not: our own layout.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping

import graphviz

from jaxnb.explorer.model.graph import Graph, Group, Node
from jaxnb.explorer.model.layout import Box, Picture, lay_out, node_size

_POINTS = 72.0
_CLUSTERS_UP_TO = 400
_DOT_NODES = 90
_DOT_NODES_IN_ALL = 600
_FILL = {
    "fusion": "#dbe7ff", "dot": "#ffe1cc", "reduce": "#e6dcff", "elementwise": "#e9f5e4", "parameter": "#f2f2f2",
    "constant": "#f2f2f2", "data": "#fdf3c8", "other": "#ffffff",
}  # fmt: skip


def to_dot(graph: Graph, name: str = "program") -> str:
    """The graph in DOT: the root group, and inside its fusions their operations where that stays readable."""
    digraph = graphviz.Digraph(name, graph_attr={"rankdir": "TB", "compound": "true"})
    digraph.attr("node", shape="box", style="filled,rounded", fontname="sans-serif", fontsize="10")
    digraph.attr("edge", fontname="sans-serif", fontsize="8", color="#777777")
    inside = sum(len(group.nodes) for group in graph.groups.values())
    _add_group(digraph, graph, graph.groups[graph.root], with_clusters=inside <= _CLUSTERS_UP_TO)
    return digraph.source


def _add_group(digraph: graphviz.Digraph, graph: Graph, group: Group, *, with_clusters: bool) -> None:
    first: dict[str, str] = {}
    last: dict[str, str] = {}
    for node in group.nodes:
        inner = graph.groups.get(node.group) if node.group is not None else None
        if with_clusters and inner is not None and inner.nodes:
            cluster = graphviz.Digraph(f"cluster_{node.group}")
            cluster.attr(label=_label(node), style="rounded", color="#8899bb", fontsize="10")
            _add_group(cluster, graph, inner, with_clusters=True)
            digraph.subgraph(cluster)
            first[node.id] = inner.nodes[0].id
            last[node.id] = inner.nodes[-1].id
        else:
            digraph.node(node.id, _label(node), fillcolor=_FILL.get(node.kind, "#ffffff"))
    for edge in group.edges:
        source = last.get(edge.source, edge.source)
        target = first.get(edge.target, edge.target)
        digraph.edge(source, target, label=graphviz.escape(edge.label))


def _label(node: Node) -> str:
    return graphviz.escape(node.label) + (r"\n" + graphviz.escape(node.sub) if node.sub else "")


def has_dot() -> bool:
    """Whether Graphviz's ``dot`` program is installed."""
    return shutil.which("dot") is not None


def pictures(graph: Graph) -> dict[str, Picture]:
    """A picture of every group: Graphviz's for small ones where it is installed, else our own."""
    if not has_dot():
        return {name: lay_out(group) for name, group in graph.groups.items()}
    budget = _DOT_NODES_IN_ALL
    small = []
    for name, group in graph.groups.items():
        if 0 < len(group.nodes) <= min(_DOT_NODES, budget):
            budget -= len(group.nodes)
            small.append(name)
    try:
        drawn = _by_graphviz({name: graph.groups[name] for name in small})
    except (graphviz.ExecutableNotFound, subprocess.SubprocessError, ValueError):
        # A broken installation must not cost the picture.
        drawn = {}
    return {name: drawn.get(name) or lay_out(group) for name, group in graph.groups.items()}


def _by_graphviz(groups: Mapping[str, Group]) -> dict[str, Picture]:
    """Positions of several groups from one run of ``dot``."""
    if not groups:
        return {}
    sources = []
    for name, group in groups.items():
        digraph = graphviz.Digraph(
            name, graph_attr={"splines": "polyline", "nodesep": "0.3", "ranksep": "0.6"}
        )
        digraph.attr("node", shape="box", fixedsize="true", label="")
        digraph.attr("edge", arrowhead="none")
        for node in group.nodes:
            width, height = node_size(node)
            digraph.node(node.id, width=f"{width / _POINTS:.4f}", height=f"{height / _POINTS:.4f}")
        for edge in group.edges:
            digraph.edge(edge.source, edge.target)
        sources.append(digraph.source)
    plain = graphviz.pipe_string("dot", "plain", "\n".join(sources), encoding="utf-8")
    found: dict[str, Picture] = {}
    pages = plain.split("\nstop")
    for (name, group), page in zip(groups.items(), pages):
        found[name] = _read_plain(page, group)
    return found


def _read_plain(page: str, group: Group) -> Picture:
    """A picture from Graphviz's ``plain`` output, which counts in inches from the lower left corner."""
    picture = Picture()
    lines: dict[tuple[str, str], list[list[float]]] = {}
    for line in page.split("\n"):
        words = line.split()
        if not words:
            continue
        if words[0] == "graph":
            picture.w = round(float(words[2]) * _POINTS + 24, 1)
            picture.h = round(float(words[3]) * _POINTS + 24, 1)
        elif words[0] == "node":
            x, y, w, h = (float(word) * _POINTS for word in words[2:6])
            box = Box(
                round(x - w / 2 + 12, 1), round(picture.h - 12 - y - h / 2, 1), round(w, 1), round(h, 1)
            )
            picture.boxes[words[1].strip('"')] = box
        elif words[0] == "edge":
            count = int(words[3])
            numbers = [float(word) * _POINTS for word in words[4 : 4 + 2 * count]]
            points = []
            for at in range(0, count, 3):
                points += (round(numbers[2 * at] + 12, 1), round(picture.h - 12 - numbers[2 * at + 1], 1))
            lines.setdefault((words[1].strip('"'), words[2].strip('"')), []).append(points)
    if set(picture.boxes) != {node.id for node in group.nodes}:
        raise ValueError("dot answered for other nodes")
    picture.lines = [lines[edge.source, edge.target].pop(0) for edge in group.edges]
    return picture
