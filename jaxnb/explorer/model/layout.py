"""Positions for a graph's groups: our own layered layout, or Graphviz's where a ``dot`` program is found.

What lives here: a pure function from nodes and edges to positions; the same input gives the same picture. Each group is
laid out on its own, before display. What must not: drawing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from jaxnb.explorer.model.graph import Edge, Graph, Group, Node

_CHARACTER = 6.6
_PADDING = 22.0
_LINE = 15.0
_NARROWEST = 48.0
_WIDEST = 280.0
_GAP_X = 22.0
_GAP_Y = 46.0
_MARGIN = 16.0
_SWEEPS = 8
_DUMMY_WIDTH = 6.0
_WIDEST_ROW = 2600.0


@dataclass(slots=True)
class Box:
    """A node's place: its upper left corner and its size."""

    x: float
    y: float
    w: float
    h: float


@dataclass(slots=True)
class Picture:
    """A laid-out group: its size, its boxes by node id, and a line of points for each edge."""

    w: float = 0.0
    h: float = 0.0
    boxes: dict[str, Box] = field(default_factory=dict)
    lines: list[list[float]] = field(default_factory=list)


def node_size(node: Node) -> tuple[float, float]:
    """The width and height that a node's two lines need."""
    characters = max(len(node.label), len(node.sub) * 0.92)
    width = min(_WIDEST, max(_NARROWEST, characters * _CHARACTER + _PADDING))
    return width, _LINE * (2 if node.sub else 1) + 12


def lay_out_graph(graph: Graph) -> dict[str, Picture]:
    """A picture of every group."""
    return {name: lay_out(group) for name, group in graph.groups.items()}


def lay_out(group: Group) -> Picture:
    """The group in layers: what makes data above what uses it."""
    if not group.nodes:
        return Picture(_MARGIN * 2, _MARGIN * 2)
    return _Layering(group.nodes, group.edges).run()


class _Layering:
    """Longest path for the layers, barycentre sweeps for their order, neighbours' average for positions.

    Vertices are numbers: the nodes first, then a dummy for every layer that an edge crosses.
    """

    def __init__(self, nodes: Sequence[Node], edges: Sequence[Edge]) -> None:
        self.nodes = nodes
        self.number = {node.id: index for index, node in enumerate(nodes)}
        self.edges = [(self.number[edge.source], self.number[edge.target]) for edge in edges]
        self.sizes = [node_size(node) for node in nodes]
        self.above: list[list[int]] = [[] for _ in nodes]
        self.below: list[list[int]] = [[] for _ in nodes]
        self.layer: list[int] = []
        self.chains: list[list[int]] = []
        self.rows: list[list[int]] = []
        self.x: list[float] = []

    def run(self) -> Picture:
        forward = self.without_cycles()
        self.assign_layers(forward)
        self.add_dummies(forward)
        self.order_rows()
        self.place()
        return self.picture(forward)

    def without_cycles(self) -> list[tuple[int, int]]:
        """The edges, those that close a cycle turned round."""
        after: list[list[int]] = [[] for _ in self.nodes]
        for source, target in self.edges:
            after[source].append(target)
        state = [0] * len(self.nodes)
        turned: set[tuple[int, int]] = set()
        for root in range(len(self.nodes)):
            if state[root]:
                continue
            state[root] = 1
            stack = [(root, iter(after[root]))]
            while stack:
                vertex, following = stack[-1]
                step = next(following, None)
                if step is None:
                    state[vertex] = 2
                    stack.pop()
                elif state[step] == 1:
                    turned.add((vertex, step))
                elif state[step] == 0:
                    state[step] = 1
                    stack.append((step, iter(after[step])))
        return [
            (target, source) if (source, target) in turned else (source, target)
            for source, target in self.edges
        ]

    def assign_layers(self, edges: Sequence[tuple[int, int]]) -> None:
        """Each vertex one layer below the lowest it uses; what nothing feeds stands just above its first user."""
        count = len(self.nodes)
        after: list[list[int]] = [[] for _ in range(count)]
        waiting = [0] * count
        for source, target in edges:
            after[source].append(target)
            waiting[target] += 1
        is_source = [number == 0 for number in waiting]
        layer = [0] * count
        ready = [vertex for vertex in range(count) if not waiting[vertex]]
        order = []
        for vertex in ready:
            order.append(vertex)
            for target in after[vertex]:
                layer[target] = max(layer[target], layer[vertex] + 1)
                waiting[target] -= 1
                if not waiting[target]:
                    ready.append(target)
        for vertex in reversed(order):
            if is_source[vertex] and after[vertex]:
                layer[vertex] = min(layer[target] for target in after[vertex]) - 1
        self.layer = layer

    def add_dummies(self, edges: Sequence[tuple[int, int]]) -> None:
        for source, target in edges:
            chain = [source]
            for level in range(self.layer[source] + 1, self.layer[target]):
                vertex = len(self.layer)
                self.layer.append(level)
                self.sizes.append((_DUMMY_WIDTH, 0.0))
                self.above.append([])
                self.below.append([])
                chain.append(vertex)
            chain.append(target)
            self.chains.append(chain)
            for upper, lower in pairwise(chain):
                self.below[upper].append(lower)
                self.above[lower].append(upper)
        self.rows = [[] for _ in range(max(self.layer) + 1)]
        for vertex, level in enumerate(self.layer):
            self.rows[level].append(vertex)

    def order_rows(self) -> None:
        place = [0.0] * len(self.layer)
        for row in self.rows:
            for index, vertex in enumerate(row):
                place[vertex] = index

        def sweep(rows: Sequence[list[int]], neighbours: Sequence[Sequence[int]]) -> None:
            for row in rows:
                wanted = {
                    vertex: sum(place[near] for near in neighbours[vertex]) / len(neighbours[vertex])
                    if neighbours[vertex]
                    else place[vertex]
                    for vertex in row
                }
                row.sort(key=lambda vertex: (wanted[vertex], place[vertex]))
                for index, vertex in enumerate(row):
                    place[vertex] = index

        for turn in range(_SWEEPS):
            if turn % 2:
                sweep(self.rows[::-1], self.below)
            else:
                sweep(self.rows, self.above)

    def place(self) -> None:
        """Rows packed from the left, then each vertex drawn to its neighbours as far as the row allows."""
        self.x = [0.0] * len(self.layer)
        for row in self.rows:
            at = 0.0
            for vertex in row:
                self.x[vertex] = at + self.sizes[vertex][0] / 2
                at += self.sizes[vertex][0] + _GAP_X
        widest = max(self.x[row[-1]] + self.sizes[row[-1]][0] / 2 for row in self.rows if row)
        for row in self.rows:
            shift = (widest - self.x[row[-1]] - self.sizes[row[-1]][0] / 2) / 2
            for vertex in row:
                self.x[vertex] += shift
        for turn in range(6):
            rows = self.rows if turn % 2 == 0 else self.rows[::-1]
            near = self.above if turn % 2 == 0 else self.below
            for row in rows:
                self.align(row, near)

    def align(self, row: Sequence[int], neighbours: Sequence[Sequence[int]]) -> None:
        wanted = [
            sum(self.x[near] for near in neighbours[vertex]) / len(neighbours[vertex])
            if neighbours[vertex]
            else self.x[vertex]
            for vertex in row
        ]
        # Blocks of vertices that would overlap move together, to the average of what they want.
        blocks: list[list[float]] = []  # offset of the block's first vertex, sum of wishes, vertices, width
        for vertex, wish in zip(row, wanted):
            half = self.sizes[vertex][0] / 2
            blocks.append([wish - half, wish - half, 1.0, half * 2 + _GAP_X])
            while len(blocks) > 1 and blocks[-2][0] + blocks[-2][3] > blocks[-1][0]:
                _, wishes, members, width = blocks.pop()
                _, before, earlier, taken = blocks[-1]
                total = before + wishes - taken * members
                blocks[-1] = [total / (earlier + members), total, earlier + members, taken + width]
        index = 0
        for start, _, members, _ in blocks:
            at = start
            for vertex in row[index : index + int(members)]:
                width = self.sizes[vertex][0]
                self.x[vertex] = at + width / 2
                at += width + _GAP_X
            index += int(members)

    def picture(self, edges: Sequence[tuple[int, int]]) -> Picture:
        left = min(self.x[vertex] - self.sizes[vertex][0] / 2 for vertex in range(len(self.x)))
        tops: list[float] = []
        heights: list[float] = []
        at = _MARGIN
        for row in self.rows:
            height = max((self.sizes[vertex][1] for vertex in row), default=0.0)
            tops.append(at)
            heights.append(height)
            at += height + _GAP_Y
        picture = Picture(h=round(at - _GAP_Y + _MARGIN, 1))
        for vertex, node in enumerate(self.nodes):
            width, height = self.sizes[vertex]
            x = self.x[vertex] - width / 2 - left + _MARGIN
            y = tops[self.layer[vertex]] + (heights[self.layer[vertex]] - height) / 2
            picture.boxes[node.id] = Box(round(x, 1), round(y, 1), round(width, 1), height)
            picture.w = max(picture.w, round(x + width + _MARGIN, 1))
        for (source, target), chain, edge in zip(self.edges, self.chains, edges):
            points: list[float] = []
            for position, vertex in enumerate(chain):
                x = self.x[vertex] - left + _MARGIN
                top = tops[self.layer[vertex]]
                height = heights[self.layer[vertex]]
                own = self.sizes[vertex][1]
                if position == 0:
                    points += (x, top + (height + own) / 2)
                elif position == len(chain) - 1:
                    points += (x, top + (height - own) / 2)
                else:
                    points += (x, top, x, top + height)
                picture.w = max(picture.w, round(x + _MARGIN, 1))
            if edge != (source, target):
                points = [value for at in range(len(points) - 2, -1, -2) for value in points[at : at + 2]]
            picture.lines.append([round(value, 1) for value in points])
        return picture
