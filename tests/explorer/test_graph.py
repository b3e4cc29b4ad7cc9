"""The graph opens level by level: fusions, branches, calls; repeats are folded and say how often they come."""

from __future__ import annotations

import numpy as np

from jaxnb import lax
from jaxnb.explorer.explore import explore
from jaxnb.explorer.model.graph import make_graph
from jaxnb.explorer.model.hlo_parse import parse_hlo
from jaxnb.explorer.model.optimized import Reading

X = np.linspace(0, 1, 16, dtype=np.float32).reshape(4, 4)


def test_a_fusion_opens_into_its_operations_with_the_callers_names():
    graph = explore(lambda x: lax.mul(lax.exp(x), lax.tanh(x)), X).graph
    root = graph.groups[graph.root]
    assert [(node.label, node.kind) for node in root.nodes] == [
        ("x", "parameter"),
        ("exponential tanh multiply", "fusion"),
    ]
    inside = graph.groups[root.nodes[1].group or ""]
    assert [node.label for node in inside.nodes] == ["x", "exponential", "tanh", "multiply"]
    assert {(edge.source, edge.target) for edge in inside.edges} == {
        (inside.nodes[0].id, inside.nodes[1].id),
        (inside.nodes[0].id, inside.nodes[2].id),
        (inside.nodes[1].id, inside.nodes[3].id),
        (inside.nodes[2].id, inside.nodes[3].id),
    }


def test_scalars_stand_in_the_operations_that_use_them():
    graph = explore(lambda x: lax.exp(lax.mul(x, np.float32(2.5))), X).graph
    labels = [f"{node.label} {node.sub}" for group in graph.groups.values() for node in group.nodes]
    assert any(label.startswith("multiply") and "2.5" in label for label in labels)
    assert not any(label.startswith("constant") for label in labels)


def test_a_branching_shows_all_its_branches():
    def choose(x):
        return lax.cond(lax.gt(lax.reduce_max(x, axes=(0, 1)), np.float32(0)), lax.sin, lax.cos, x)

    graph = explore(choose, X).graph
    branching = next(
        group for group in graph.groups.values() if group.nodes and group.nodes[0].label == "branch 0"
    )
    assert [node.label for node in branching.nodes] == ["branch 0", "branch 1"]
    assert all(node.group in graph.groups for node in branching.nodes)


def layers(count: int):
    def run(x, *weights):
        for weight in weights:
            x = lax.add(lax.tanh(lax.dot(x, weight)), x)
            x = lax.sub(x, lax.broadcast_in_dim(lax.reduce_sum(x, axes=(1,)), (4, 4), (0,)))
        return x

    return run, [X, *([X] * count)]


def test_repeated_layers_are_folded_without_names():
    function, arguments = layers(24)
    exploration = explore(function, *arguments)
    graph = exploration.graph
    assert graph.visible_nodes <= 20
    repeats = [fold for fold in graph.folds if fold["kind"] == "repeat"]
    assert max(int(fold["times"]) for fold in repeats) >= 22
    root = graph.groups[graph.root]
    folded = next(node for node in root.nodes if "×" in node.label)
    assert len(folded.keys) >= 22 * 4, "the folded node stands for all copies"
    assert exploration.facts()["graph"]["folds"] == len(graph.folds)


def test_many_unlike_operations_are_cut_into_parts_and_said():
    sizes = np.random.RandomState(0).permutation(np.arange(2, 702))
    lines = [f"  %sort.{n} = f32[{n}]{{0}} sort(%p), dimensions={{0}}" for n in sizes]
    module = parse_hlo(
        "\n".join(["ENTRY %main (p: f32[8]) -> f32[8] {", "  %p = f32[8]{0} parameter(0)", *lines, "}"])
    )
    graph = make_graph(module, Reading(), {})
    assert all(len(group.nodes) <= 301 for group in graph.groups.values())
    assert graph.folds[-1]["kind"] == "parts"
    assert any(node.label.startswith("part 1 of ") for node in graph.groups[graph.root].nodes)
    assert sum(node.label == "sort" for group in graph.groups.values() for node in group.nodes) == 700


def test_the_dot_text_is_dot():
    text = explore(lambda x: lax.exp(lax.neg(x)), X).dot
    assert text.startswith("digraph ")
    assert "->" in text
