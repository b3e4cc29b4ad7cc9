"""Groups are laid out without overlaps, downwards, and the same way each time."""

from __future__ import annotations

import random
import stat
from itertools import combinations

import graphviz
import pytest

from jaxnb.explorer.model import dot
from jaxnb.explorer.model.graph import Edge, Graph, Group, Node
from jaxnb.explorer.model.layout import lay_out


def group_of(count: int, edges: list[tuple[int, int]], label: str = "node") -> Group:
    nodes = [Node(f"n{index}", f"{label} {index}", "f32[8]", "elementwise", ()) for index in range(count)]
    return Group("g", "entry", nodes, [Edge(f"n{one}", f"n{other}") for one, other in edges])


def random_group(seed: int, count: int) -> Group:
    source = random.Random(seed)
    edges = {
        (source.randrange(max(0, target - 6), target), target)
        for target in range(1, count)
        for _ in range(source.randint(1, 2))
    }
    return group_of(count, sorted(edges))


@pytest.mark.parametrize("seed", range(5))
def test_boxes_never_overlap_and_lie_inside(seed):
    group = random_group(seed, 60)
    picture = lay_out(group)
    boxes = list(picture.boxes.values())
    for one, other in combinations(boxes, 2):
        apart_x = one.x + one.w <= other.x or other.x + other.w <= one.x
        assert apart_x or one.y + one.h <= other.y or other.y + other.h <= one.y
    assert all(box.x >= 0 and box.y >= 0 for box in boxes)
    assert all(box.x + box.w <= picture.w and box.y + box.h <= picture.h for box in boxes)


def test_data_flows_downwards_and_lines_begin_and_end_at_their_boxes():
    group = random_group(9, 40)
    picture = lay_out(group)
    for edge, line in zip(group.edges, picture.lines, strict=True):
        source, target = picture.boxes[edge.source], picture.boxes[edge.target]
        assert source.y + source.h < target.y
        assert line[:2] == pytest.approx([source.x + source.w / 2, source.y + source.h], abs=0.11)
        assert line[-2:] == pytest.approx([target.x + target.w / 2, target.y], abs=0.11)
        assert all(upper <= lower for upper, lower in zip(line[1::2], line[3::2], strict=False))


def test_the_same_group_gives_the_same_picture():
    assert lay_out(random_group(4, 50)) == lay_out(random_group(4, 50))


def test_cycles_and_lonely_nodes_do_no_harm():
    picture = lay_out(group_of(4, [(0, 1), (1, 2), (2, 0)]))
    assert set(picture.boxes) == {"n0", "n1", "n2", "n3"}
    assert len(picture.lines) == 3
    assert lay_out(Group("empty", "entry")).boxes == {}


def test_dot_text_escapes_labels_and_draws_groups_inside():
    inner = group_of(2, [(0, 1)], 'say "hi" \\n <b>')
    outer = Group("g", "entry", [Node("top", "fusion", "", "fusion", (), "g1")], [])
    source = dot.to_dot(Graph("g0", {"g0": outer, "g1": inner}))
    assert "subgraph cluster_g1" in source
    assert r"say \"hi\" \\n <b> 0\nf32[8]" in source
    assert "n0 -> n1" in source


def test_without_the_dot_program_our_own_layout_draws(monkeypatch):
    monkeypatch.setenv("PATH", "")
    graph = Graph("g0", {"g0": group_of(3, [(0, 1), (0, 2)])})
    assert dot.pictures(graph)["g0"] == lay_out(graph.groups["g0"])


PLAIN = """\
graph 1 3 2
node n0 1.5 1.75 0.8 0.4 "" solid box black lightgrey
node n1 0.5 0.25 0.8 0.4 "" solid box black lightgrey
node n2 2.5 0.25 0.8 0.4 "" solid box black lightgrey
edge n0 n1 4 1.5 1.55 1.5 1.55 0.5 0.45 0.5 0.45 solid black
edge n0 n2 4 1.5 1.55 1.5 1.55 2.5 0.45 2.5 0.45 solid black
stop
"""


def test_where_the_dot_program_is_found_its_positions_are_used(monkeypatch, tmp_path):
    program = tmp_path / "dot"
    program.write_text(f"#!/bin/sh\ncat > /dev/null\ncat <<'END'\n{PLAIN}END\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    graph = Graph("g0", {"g0": group_of(3, [(0, 1), (0, 2)])})
    picture = dot.pictures(graph)["g0"]
    assert (picture.w, picture.h) == (3 * 72 + 24, 2 * 72 + 24)
    assert picture.boxes["n0"].y < picture.boxes["n1"].y
    assert len(picture.lines) == 2


def test_a_dot_program_that_fails_costs_nothing(monkeypatch, tmp_path):
    program = tmp_path / "dot"
    program.write_text("#!/bin/sh\ncat > /dev/null\nexit 3\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    graph = Graph("g0", {"g0": group_of(3, [(0, 1), (0, 2)])})
    assert dot.pictures(graph)["g0"] == lay_out(graph.groups["g0"])
    assert graphviz.__version__
