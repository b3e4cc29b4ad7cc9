"""The StableHLO program as one flat graph: calls inlined, values numbered, equal computations with equal numbers.

What lives here: what can be said about a program from its structure alone: which operations reach a result, which
depend on no argument, which two compute the same thing. What must not: what XLA made of them (``fates``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from jaxnb.explorer.model import identities, tags
from jaxnb.explorer.model.stablehlo_parse import Block, Operation, StableHloModule

_VALUE = re.compile(r"%[\w$.\-]+(?:#\d+)?")
_COMMUTATIVE = frozenset(
    {
        "stablehlo.add",
        "stablehlo.multiply",
        "stablehlo.maximum",
        "stablehlo.minimum",
        "stablehlo.and",
        "stablehlo.or",
    }
)
_KEEPS_SPLATS = frozenset({"stablehlo.broadcast_in_dim", "stablehlo.reshape", "stablehlo.transpose"})
_SIDE_EFFECTS = ("custom_call", "send", "recv", "infeed", "outfeed", "rng")


@dataclass(slots=True)
class Node:
    """An operation of the flat graph.

    Attributes:
        name: Such as ``"stablehlo.add"``.
        path: The identity path of its equation, ``""`` for what no equation asked for.
        line: Its line in the StableHLO text.
        text: Its text behind the results; attributes and types stand in it.
        operands: Value ids.
        results: Value ids.
        captured: Value ids that its regions use from outside.
        parent: The index of the node in whose region it stands, -1 outside of regions.
    """

    name: str
    path: str
    line: int
    text: str
    operands: list[int]
    results: list[int]
    captured: list[int] = field(default_factory=list)
    parent: int = -1


@dataclass(slots=True)
class Flat:
    """The flat graph.

    Attributes:
        nodes: Operations, each after those it uses.
        arguments: Value ids of main's arguments.
        outputs: Value ids of main's results.
        same_as: For each value id the value whose elements it passes on, itself if none.
        reason: For each value id why it passes another on.
        producer: For each value id the index of its node, -1 for an argument of main or of a region.
        number: For each value id its value number: equal numbers, equal values.
        region_results: For each node with regions the value ids that those give back.
    """

    nodes: list[Node] = field(default_factory=list)
    arguments: list[int] = field(default_factory=list)
    outputs: list[int] = field(default_factory=list)
    producer: list[int] = field(default_factory=list)
    number: list[int] = field(default_factory=list)
    same_as: list[int] = field(default_factory=list)
    reason: dict[int, str] = field(default_factory=dict)
    region_results: dict[int, list[int]] = field(default_factory=dict)

    def by_path(self) -> dict[str, list[int]]:
        """The nodes of each equation."""
        found: dict[str, list[int]] = {}
        for index, node in enumerate(self.nodes):
            if node.path:
                found.setdefault(node.path, []).append(index)
        return found

    def live(self) -> list[bool]:
        """For each node, whether its value or its effect can be seen from outside."""
        is_live = [False] * len(self.nodes)
        stack = list(self.outputs)
        for index, node in enumerate(self.nodes):
            if has_effect(node.name):
                is_live[index] = True
                stack += node.operands
                stack += node.captured
        while stack:
            index = self.producer[stack.pop()]
            if index < 0 or is_live[index]:
                continue
            is_live[index] = True
            node = self.nodes[index]
            stack += node.operands
            stack += node.captured
            stack += self.region_results.get(index, ())
        return is_live

    def constant(self) -> list[bool]:
        """For each node, whether its value depends on no argument."""
        known: list[bool] = []
        for node in self.nodes:
            inputs = [*node.operands, *node.captured]
            is_constant = not has_effect(node.name)
            for value in inputs:
                index = self.producer[value]
                if index < 0 or not known[index]:
                    is_constant = False
                    break
            # What stands in a region may use the region's arguments, which are producers of -1 above.
            known.append(is_constant)
        return known

    def users(self) -> list[list[int]]:
        """For each node, the nodes that use its results."""
        found: list[list[int]] = [[] for _ in self.nodes]
        for index, node in enumerate(self.nodes):
            for value in (*node.operands, *node.captured):
                producer = self.producer[value]
                if producer >= 0 and (not found[producer] or found[producer][-1] != index):
                    found[producer].append(index)
        return found


def has_effect(name: str) -> bool:
    """Whether an operation does more than compute its results."""
    return any(effect in name for effect in _SIDE_EFFECTS)


def flatten(module: StableHloModule, line_names: Sequence[str], index: tags.PathIndex) -> Flat:
    """The flat graph of a module.

    Args:
        module: The parsed text.
        line_names: The location name of the operation that ends on each line, ``""`` where it has none.
        index: The equations' paths.
    """
    return _Flattener(module, line_names, index).run()


class _Flattener:
    def __init__(self, module: StableHloModule, line_names: Sequence[str], index: tags.PathIndex) -> None:
        self.module = module
        self.line_names = line_names
        self.index = index
        self.flat = Flat()
        self.numbers: dict[tuple[object, ...], int] = {}
        self.next_number = 0
        self.splats: dict[int, float] = {}
        self.shapes: dict[int, identities.Shape] = {}

    def run(self) -> Flat:
        body = self.module.main.body
        environment = {name: self.opaque() for name in body.arguments}
        self.flat.arguments = list(environment.values())
        self.flat.outputs = self.block(body, environment, "", -1)
        return self.flat

    def opaque(self) -> int:
        """A new value that equals no other."""
        return self.value(-1, self.fresh())

    def fresh(self) -> int:
        self.next_number += 1
        return self.next_number

    def value(self, producer: int, number: int) -> int:
        self.flat.producer.append(producer)
        self.flat.number.append(number)
        value = len(self.flat.producer) - 1
        self.flat.same_as.append(value)
        return value

    def path_of(self, operation: Operation, prefix: str) -> str:
        if operation.end_line >= len(self.line_names):
            return ""
        name = self.line_names[operation.end_line] or self.line_names[operation.line]
        if not name:
            return ""
        paths = self.index.find(f"{prefix}/{name}" if prefix else name)
        return paths[0] if paths else ""

    def block(self, block: Block, environment: dict[str, int], prefix: str, parent: int) -> list[int]:
        for operation in block.operations:
            own = self.path_of(operation, prefix)
            if operation.callee and operation.callee in self.module.functions:
                callee = self.module.functions[operation.callee].body
                given = [environment[name] for name in operation.operands]
                inner = dict(zip(callee.arguments, given))
                results = self.block(callee, inner, own or prefix, parent)
            else:
                results = self.operation(operation, environment, prefix, own, parent)
            environment.update(zip(operation.results, results))
        return [environment[name] for name in block.returned if name in environment]

    def operation(
        self, operation: Operation, environment: dict[str, int], prefix: str, path: str, parent: int
    ) -> list[int]:
        operands = [environment[name] for name in operation.operands if name in environment]
        index = len(self.flat.nodes)
        node = Node(operation.name, path, operation.line, operation.text, operands, [], parent=parent)
        self.flat.nodes.append(node)
        returned: list[int] = []
        if operation.regions:
            outside = _captured(operation)
            node.captured = [environment[name] for name in outside if name in environment]
            for region in operation.regions:
                inner = dict(environment)
                inner.update((name, self.opaque()) for name in region.arguments)
                returned += self.block(region, inner, prefix, index)
            self.flat.region_results[index] = returned
        passed = self.passed_on(node)
        if passed is not None:
            return [self.alias(index, node, *passed)]
        key = self.key(operation, node, returned)
        for position in range(len(operation.results)):
            if key is None:
                number = self.fresh()
            else:
                number = self.numbers.setdefault((*key, position), self.next_number + 1)
                self.next_number = max(self.next_number, number)
            node.results.append(self.value(index, number))
        if operation.name == "stablehlo.constant" and node.results:
            literal = identities.splat(operation.text)
            if literal is not None:
                self.splats[node.results[0]] = literal
        elif operation.name in _KEEPS_SPLATS and operands and operands[0] in self.splats and node.results:
            self.splats[node.results[0]] = self.splats[operands[0]]
        return list(node.results)

    def passed_on(self, node: Node) -> identities.Passed | None:
        splats = [self.splats.get(value) for value in node.operands]
        passed = identities.passes_on(node.name, node.text, splats)
        return passed if passed is not None and passed.operand < len(node.operands) else None

    def alias(self, index: int, node: Node, operand: int, reason: str) -> int:
        """A result that has the elements of an operand: the same number if it has its shape as well."""
        source = node.operands[operand]
        base = self.flat.same_as[source]
        ins, outs = identities.signature(node.text)
        self.shapes.setdefault(source, ins[min(operand, len(ins) - 1)])
        if self.shapes[source] == outs[0]:
            number = self.flat.number[source]
        elif self.shapes.get(base) == outs[0]:
            number = self.flat.number[base]
        else:
            key = ("as", outs[0], self.flat.number[base])
            number = self.numbers.setdefault(key, self.next_number + 1)
            self.next_number = max(self.next_number, number)
        result = self.value(index, number)
        node.results.append(result)
        self.shapes[result] = outs[0]
        self.flat.same_as[result] = base
        self.flat.reason[result] = reason
        if source in self.splats:
            self.splats[result] = self.splats[source]
        return result

    def key(self, operation: Operation, node: Node, returned: list[int]) -> tuple[object, ...] | None:
        """What makes two operations the same computation; None if it equals only itself."""
        if has_effect(operation.name):
            return None
        numbers = [self.flat.number[value] for value in node.operands]
        if operation.name in _COMMUTATIVE:
            numbers.sort()
        shape = _VALUE.sub("%", operation.text)
        if not operation.regions:
            return (operation.name, shape, *numbers)
        # The arguments of a region are opaque, so a region equals another only by its text.
        captured = [self.flat.number[value] for value in node.captured]
        regions = tuple(_region_text(region) for region in operation.regions)
        return (operation.name, shape, regions, *numbers, *captured)


def _captured(operation: Operation) -> list[str]:
    """The values that the regions use and do not define, in order."""
    found: list[str] = []

    def visit(block: Block, defined: frozenset[str]) -> None:
        here = set(block.arguments) | set(defined)
        for inner in block.operations:
            for name in inner.operands:
                if name not in here and name not in found:
                    found.append(name)
            for region in inner.regions:
                visit(region, frozenset(here))
            here.update(inner.results)
        for name in block.returned:
            if name not in here and name not in found:
                found.append(name)

    for region in operation.regions:
        visit(region, frozenset())
    return found


def _region_text(block: Block) -> str:
    """The block's text with its own names numbered in order, so that equal blocks have equal texts."""
    names: dict[str, str] = {}

    def rename(match: re.Match[str]) -> str:
        return names.setdefault(match[0], f"%r{len(names)}")

    parts: list[str] = []

    def visit(inner: Block) -> None:
        parts.append(",".join(_VALUE.sub(rename, name) for name in inner.arguments))
        for operation in inner.operations:
            results = ",".join(_VALUE.sub(rename, name) for name in operation.results)
            parts.append(f"{results}={operation.name}{_VALUE.sub(rename, operation.text)}")
            for region in operation.regions:
                visit(region)
        parts.append("return " + ",".join(_VALUE.sub(rename, name) for name in inner.returned))

    visit(block)
    return "\n".join(parts)
