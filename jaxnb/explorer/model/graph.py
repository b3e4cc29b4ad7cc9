"""The fused graph: groups of nodes that open into groups, from the optimised HLO.

What lives here: which instructions are nodes, what is folded, and what is said about it. What must not: positions
(``layout``), DOT (``dot``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from jaxnb.explorer.model.hlo_parse import Computation, HloModule, Instruction, shape_bytes, short_shape
from jaxnb.explorer.model.optimized import Reading
from jaxnb.explorer.model.repeats import Cell, Repeat, Single, find_repeats

MOST_NODES = 300
"""No group draws more nodes than this."""

_FOLD_ABOVE = 24
_CHUNK = 60
_MANY_PARAMETERS = 12
_NAMES_SHOWN = 3

_PASSING = frozenset({"get-tuple-element", "bitcast", "tuple", "opt-barrier", "after-all", "add-dependency"})
_KINDS = {
    "fusion": "fusion", "dot": "dot", "convolution": "dot", "parameter": "parameter", "constant": "constant",
    "reduce": "reduce", "reduce-window": "reduce", "all-reduce": "reduce", "sort": "reduce", "scatter": "data",
    "gather": "data", "copy": "data", "transpose": "data", "broadcast": "data", "reshape": "data", "slice": "data",
    "dynamic-slice": "data", "dynamic-update-slice": "data", "concatenate": "data", "pad": "data", "iota": "data",
    "reverse": "data", "convert": "elementwise", "while": "other", "call": "other", "conditional": "other",
    "custom-call": "other", "rng-bit-generator": "other", "all-gather": "data", "all-to-all": "data",
    "collective-permute": "data",
}  # fmt: skip
_GROUP_KINDS = {"fusion": "fusion", "call": "call", "while": "loop", "conditional": "call"}


@dataclass(slots=True)
class Node:
    """A node: an instruction, or several that are drawn as one.

    Attributes:
        id: Unique in the graph.
        label: Its first line.
        sub: Its second line.
        kind: Its colour: ``fusion``, ``dot``, ``reduce``, ``elementwise``, ``parameter``, ``data``, ….
        keys: The pivots' keys it stands for.
        group: The group it opens into.
    """

    id: str
    label: str
    sub: str
    kind: str
    keys: tuple[str, ...]
    group: str | None = None


@dataclass(slots=True)
class Edge:
    """Data that one node makes and another uses."""

    source: str
    target: str
    label: str = ""


@dataclass(slots=True)
class Group:
    """What is seen at once."""

    label: str
    kind: str
    nodes: list[Node] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)


@dataclass(slots=True)
class Graph:
    """All groups; ``folds`` says what was folded."""

    root: str
    groups: dict[str, Group]
    folds: list[dict[str, int | str]] = field(default_factory=list)

    @property
    def visible_nodes(self) -> int:
        """How many nodes the root group shows."""
        return len(self.groups[self.root].nodes)


def make_graph(
    module: HloModule, reading: Reading, order: Mapping[str, int], names: Mapping[str, str] | None = None
) -> Graph:
    """The graph of an optimised module.

    Args:
        module: The parsed module.
        reading: What its instructions carry.
        order: The place of each equation in the jaxpr, by path; repeats are sought in that order.
        names: Names of parameters by key.
    """
    return _Builder(module, reading, order, names or {}).run()


class _Builder:
    def __init__(
        self, module: HloModule, reading: Reading, order: Mapping[str, int], names: Mapping[str, str]
    ) -> None:
        self.module = module
        self.reading = reading
        self.order = order
        self.names = names
        self.groups: dict[str, Group] = {}
        self.folds: list[dict[str, int | str]] = []
        self.of_computation: dict[str, str] = {}
        self.fingerprints: dict[str, int] = {}
        self.next_node = 0

    def run(self) -> Graph:
        root = self.computation_group(self.module.entry, self.module.name, "entry")
        return Graph(root, self.groups, self.folds)

    # -- groups --------------------------------------------------------------------------------------------------

    def new_group(self, label: str, kind: str) -> str:
        name = f"g{len(self.groups)}"
        self.groups[name] = Group(label, kind)
        return name

    def computation_group(
        self,
        computation: Computation,
        label: str,
        kind: str,
        given: Sequence[tuple[str, tuple[str, ...]]] = (),
    ) -> str:
        """The group of a computation; ``given`` are the names and keys of what its caller passes."""
        found = self.of_computation.get(computation.name)
        if found is not None:
            return found
        name = self.of_computation[computation.name] = self.new_group(label, kind)
        view = _View(computation)
        operations = view.operations
        if len(operations) > _FOLD_ABOVE:
            operations, cells = self.folded(view)
        else:
            cells = tuple(Single(position) for position in range(len(operations)))
        self.fill(name, view, operations, cells, ends=given)
        return name

    def folded(self, view: _View) -> tuple[list[Instruction], tuple[Cell, ...]]:
        """The operations in the order in which folding leaves least, and what it leaves."""
        best: tuple[list[Instruction], tuple[Cell, ...]] | None = None
        for operations in (
            view.operations,
            self.in_program_order(view, max),
            self.in_program_order(view, min),
        ):
            places = {one.name: position for position, one in enumerate(operations)}
            operands = [
                [places.get(source, -(1 << 30)) for source in view.sources(one)] for one in operations
            ]
            signatures = [self.signature(one) for one in operations]
            outlines = [(one.opcode, short_shape(one.shape)) for one in operations]
            cells = find_repeats(signatures, operands, outlines)
            if best is None or len(cells) < len(best[1]):
                best = operations, cells
        assert best is not None
        return best

    def in_program_order(self, view: _View, choose: Callable[[list[int]], int]) -> list[Instruction]:
        def place(one: Instruction) -> int:
            keys = self.reading.carried.get((view.computation.name, one.name), ())
            places = [self.order[key] for key in keys if key in self.order]
            return choose(places) if places else -1

        return sorted(view.operations, key=place)

    def signature(self, instruction: Instruction) -> tuple[object, ...]:
        called = tuple(self.fingerprint(name) for name in instruction.called)
        attributes = "" if "=%" in instruction.attributes else instruction.attributes
        return (instruction.opcode, short_shape(instruction.shape), called, attributes)

    def fingerprint(self, name: str) -> int:
        """A number that computations of equal structure share."""
        found = self.fingerprints.get(name)
        if found is None:
            computation = self.module.computations.get(name)
            if computation is None:
                return 0
            place = {one: position for position, one in enumerate(computation.instructions)}
            found = self.fingerprints[name] = hash(
                tuple(
                    (
                        one.opcode,
                        short_shape(one.shape),
                        tuple(place[operand] for operand in one.operands),
                        one.literal,
                        tuple(self.fingerprint(called) for called in one.called),
                    )
                    for one in computation.instructions.values()
                )
            )
        return found

    # -- nodes ---------------------------------------------------------------------------------------------------

    def fill(
        self,
        name: str,
        view: _View,
        operations: Sequence[Instruction],
        cells: Sequence[Cell],
        *,
        ends: Sequence[tuple[str, tuple[str, ...]]] | None = None,
        also: Mapping[int, tuple[int, ...]] | None = None,
    ) -> None:
        """Puts nodes for the cells, and for parameters and the result, into a group.

        Args:
            name: The group.
            view: The computation.
            operations: The operations that the cells' positions mean.
            cells: What to draw.
            ends: Names and keys of the parameters; None if parameters and the result are not drawn.
            also: For each position the further positions that its node stands for.
        """
        group = self.groups[name]
        owner: dict[str, str] = {}
        if len(cells) > MOST_NODES:
            self.fill_with_parts(name, view, operations, cells, owner, also or {})
        else:
            for cell in cells:
                node = self.cell_node(view, operations, cell, also or {})
                group.nodes.append(node)
                for position in _positions(cell):
                    owner[operations[position].name] = node.id
        if ends is not None:
            self.add_ends(group, view, owner, ends)
        self.connect(group, view, owner, operations)

    def fill_with_parts(
        self,
        name: str,
        view: _View,
        operations: Sequence[Instruction],
        cells: Sequence[Cell],
        owner: dict[str, str],
        also: Mapping[int, tuple[int, ...]],
    ) -> None:
        size = max(_CHUNK, -(-len(cells) // MOST_NODES))
        parts = [cells[at : at + size] for at in range(0, len(cells), size)]
        for number, part in enumerate(parts, 1):
            label = f"part {number} of {len(parts)}"
            inner = self.new_group(label, "scope")
            self.fill(inner, view, operations, part, also=also)
            positions = [position for cell in part for position in _positions(cell)]
            keys = self.keys_of(view, (operations[position] for position in positions))
            node = self.node(label, f"{len(positions)} operations", "other", keys, inner)
            self.groups[name].nodes.append(node)
            for position in positions:
                owner[operations[position].name] = node.id
        self.folds.append({"kind": "parts", "times": len(parts), "operations": size})

    def cell_node(
        self,
        view: _View,
        operations: Sequence[Instruction],
        cell: Cell,
        also: Mapping[int, tuple[int, ...]],
    ) -> Node:
        if isinstance(cell, Single):
            copies = [operations[cell.position]]
            copies += [operations[position] for position in also.get(cell.position, ())]
            return self.instruction_node(view, copies)
        inner = self.new_group(f"one of {cell.times} copies", "repeat")
        middle = cell.start + (cell.times // 2) * cell.period
        spread = {
            middle + offset: tuple(
                other
                for copy in range(cell.times)
                for base in (cell.start + copy * cell.period + offset,)
                for other in (base, *also.get(base, ()))
                if other != middle + offset
            )
            for offset in range(cell.period)
        }
        self.fill(inner, view, operations, cell.body, also=spread)
        positions = [*_positions(cell)]
        positions += [other for position in positions for other in also.get(position, ())]
        keys = self.keys_of(view, (operations[position] for position in positions))
        what = operations[middle].opcode if cell.period == 1 else f"block of {cell.period}"
        sub = (
            short_shape(operations[middle].shape)
            if cell.period == 1
            else f"{cell.period} operations, {cell.times} times"
        )
        if cell.differing:
            sub += f", {len(cell.differing)} of them not quite alike"
        fold: dict[str, int | str] = {"kind": "repeat", "times": cell.times, "operations": cell.period}
        if cell.differing:
            fold["differing"] = len(cell.differing)
        self.folds.append(fold)
        return self.node(f"{what} ×{cell.times}", sub, "fusion", keys, inner)

    def instruction_node(self, view: _View, copies: Sequence[Instruction]) -> Node:
        one = copies[0]
        keys = self.keys_of(view, copies)
        sub = short_shape(one.shape)
        scalars = view.scalars(one)
        if scalars:
            sub += " · " + ", ".join(scalars[:2])
        group = None
        inner = [name for name in one.called if name in self.module.computations]
        kind = _KINDS.get(one.opcode, "elementwise")
        label = one.opcode
        if one.opcode in ("while", "conditional") and len(inner) > 1:
            group = self.choice_group(one, inner)
            label = one.name
        elif one.opcode in _GROUP_KINDS and inner:
            body = self.module.computations[inner[0]]
            given = []
            if one.opcode in ("fusion", "call"):
                operands = [view.computation.instructions[name] for name in one.operands]
                given = [self.parameter_name(view, operand) for operand in operands]
            group = self.computation_group(body, one.name, _GROUP_KINDS[one.opcode], given)
            label = _fusion_label(one, body) if one.opcode == "fusion" else one.name
        elif one.opcode == "custom-call":
            label = _between(one.attributes, 'custom_call_target="', '"') or one.opcode
        return self.node(label, sub, kind, keys, group)

    def choice_group(self, one: Instruction, inner: Sequence[str]) -> str:
        """The group of a loop or a branching: a node for each computation it may run."""
        name = self.new_group(one.name, _GROUP_KINDS[one.opcode])
        condition = one.attributes.partition("body=")[0] if one.opcode == "while" else None
        for number, called in enumerate(inner):
            computation = self.module.computations[called]
            if condition is not None:
                label = "condition" if f"%{called}" in condition else "body"
            else:
                label = f"branch {number}"
            view = _View(computation)
            keys = self.keys_of(view, computation.instructions.values())
            count = len(view.operations)
            sub = f"{count} operation{'' if count == 1 else 's'}"
            opened = self.computation_group(computation, label, _GROUP_KINDS[one.opcode])
            self.groups[name].nodes.append(self.node(label, sub, "other", keys, opened))
        return name

    def add_ends(
        self,
        group: Group,
        view: _View,
        owner: dict[str, str],
        given: Sequence[tuple[str, tuple[str, ...]]],
    ) -> None:
        computation = view.computation
        parameters = computation.parameters
        if len(parameters) > _MANY_PARAMETERS:
            size = sum(shape_bytes(one.shape) for one in parameters)
            keys = self.keys_of(view, parameters)
            label = f"{len(parameters)} parameters"
            group.nodes.insert(0, self.node(label, f"{size_text(size)}, edges left out", "parameter", keys))
        else:
            nodes = []
            for number, one in enumerate(parameters):
                label, keys = given[number] if number < len(given) else self.parameter_name(view, one)
                nodes.append(self.node(label, short_shape(one.shape), "parameter", keys))
                owner[one.name] = nodes[-1].id
            group.nodes[:0] = nodes
        root = computation.root
        if root.opcode in _PASSING or not view.operations:
            if len(root.operands) > 1 or root.opcode == "tuple":
                size = shape_bytes(root.shape)
                node = self.node(f"{len(root.operands)} results", size_text(size), "data", ())
                group.nodes.append(node)
                owner[root.name] = node.id

    def parameter_name(self, view: _View, one: Instruction) -> tuple[str, tuple[str, ...]]:
        """What a reader calls an instruction, and its keys if it is a parameter of the program."""
        keys = self.keys_of(view, [one]) if one.opcode == "parameter" else ()
        return (self.names.get(keys[0], one.name) if keys else one.name), keys

    def node(self, label: str, sub: str, kind: str, keys: tuple[str, ...], group: str | None = None) -> Node:
        self.next_node += 1
        return Node(f"n{self.next_node}", label, sub, kind, keys, group)

    def keys_of(self, view: _View, instructions: Iterable[Instruction]) -> tuple[str, ...]:
        found: dict[str, None] = {}
        for one in instructions:
            found.update(dict.fromkeys(self.reading.carried.get((view.computation.name, one.name), ())))
        return tuple(found)

    def connect(
        self, group: Group, view: _View, owner: Mapping[str, str], operations: Sequence[Instruction]
    ) -> None:
        drawn = {node.id for node in group.nodes}
        seen: dict[tuple[str, str], Edge] = {}
        targets = [view.computation.instructions[name] for name in owner]
        for one in targets:
            target = owner[one.name]
            for source in view.sources(one):
                start = owner.get(source)
                if start is None or start == target or start not in drawn:
                    continue
                shape = view.computation.instructions[source].shape
                label = f"{short_shape(shape)} {size_text(shape_bytes(shape))}"
                edge = seen.get((start, target))
                if edge is None:
                    edge = seen[start, target] = Edge(start, target, label)
                    group.edges.append(edge)
                elif edge.label != label:
                    edge.label = ""


class _View:
    """A computation as it is drawn: operations, with what only passes data on looked through."""

    def __init__(self, computation: Computation) -> None:
        self.computation = computation
        self.operations = [
            one
            for one in computation.instructions.values()
            if one.opcode not in _PASSING and one.opcode != "parameter" and not self.is_scalar(one)
        ]
        self._sources: dict[str, tuple[str, ...]] = {}

    def is_scalar(self, one: Instruction) -> bool:
        """Whether an instruction is a constant of one element, or such a constant broadcast."""
        if one.opcode == "constant":
            return not one.literal.lstrip().startswith("{")
        if one.opcode == "broadcast" and one.operands:
            source = self.computation.instructions.get(one.operands[0])
            return source is not None and source.opcode == "constant" and self.is_scalar(source)
        return False

    def scalars(self, one: Instruction) -> list[str]:
        """The scalar constants among an instruction's operands, as they are printed."""
        found = []
        for operand in one.operands:
            source = self.computation.instructions.get(operand)
            if source is None or not self.is_scalar(source):
                continue
            if source.opcode == "broadcast":
                source = self.computation.instructions[source.operands[0]]
            found.append(source.literal)
        return found

    def sources(self, one: Instruction) -> tuple[str, ...]:
        """The drawn instructions and parameters that an instruction uses."""
        found = self._sources.get(one.name)
        if found is None:
            names: dict[str, None] = {}
            stack = list(reversed(one.operands))
            seen = set(stack)
            while stack:
                source = self.computation.instructions.get(stack.pop())
                if source is None or self.is_scalar(source):
                    continue
                if source.opcode in _PASSING:
                    for operand in reversed(source.operands):
                        if operand not in seen:
                            seen.add(operand)
                            stack.append(operand)
                else:
                    names[source.name] = None
            found = self._sources[one.name] = tuple(names)
        return found


def _positions(cell: Cell) -> range:
    if isinstance(cell, Single):
        return range(cell.position, cell.position + 1)
    return range(cell.start, cell.start + cell.period * cell.times)


def _fusion_label(instruction: Instruction, body: Computation) -> str:
    """What a fusion computes: its own name where XLA made one, else the operations inside."""
    counts: dict[str, int] = {}
    for one in body.instructions.values():
        if one.opcode not in _PASSING and one.opcode not in ("parameter", "constant", "broadcast"):
            counts[one.opcode] = counts.get(one.opcode, 0) + 1
    if not counts:
        return instruction.name
    shown = [name if count == 1 else f"{name}×{count}" for name, count in list(counts.items())[:_NAMES_SHOWN]]
    more = " …" if len(counts) > _NAMES_SHOWN else ""
    return f"{' '.join(shown)}{more}"


def _between(text: str, before: str, after: str) -> str:
    at = text.find(before)
    if at < 0:
        return ""
    at += len(before)
    end = text.find(after, at)
    return text[at:end] if end >= 0 else ""


def size_text(size: float) -> str:
    """Bytes in the unit that leaves one to three digits before the point."""
    if size < 1000:
        return f"{size:.0f} B"
    for unit in ("kB", "MB", "GB"):
        size /= 1000
        if size < 1000:
            return f"{size:.3g} {unit}"
    return f"{size / 1000:.3g} TB"
