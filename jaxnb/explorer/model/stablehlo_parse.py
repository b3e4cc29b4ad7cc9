"""StableHLO text read into functions, blocks and operations.

What lives here: the shape of printed MLIR as far as a dataflow graph needs it: names, operands, regions, lines. Types
and attributes stay text. What must not: knowledge of jaxprs or of what an operation computes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_VALUE = re.compile(r"%[\w$.\-]+(?:#\d+)?")
_OPERATION = re.compile(r'(?:(%[\w$.\-]+)(?::(\d+))? = )?"?([\w.]+)"?')
_FUNCTION = re.compile(r"func\.func (?:public |private )?@(?:\"([^\"]*)\"|([\w$.\-]+))\(")
_CALLEE = re.compile(r"\bcall @(?:\"([^\"]*)\"|([\w$.\-]+))")
_DECLARED = re.compile(r"(%[\w$.\-]+)\s*:")
_ITERATED = re.compile(r"(%[\w$.\-]+) = (%[\w$.\-]+(?:#\d+)?)")


@dataclass(slots=True)
class Block:
    """A region's only block: its arguments, its operations, and the values it gives back."""

    arguments: list[str] = field(default_factory=list)
    operations: list[Operation] = field(default_factory=list)
    returned: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Operation:
    """One operation.

    Attributes:
        name: Such as ``"stablehlo.add"`` or ``"call"``.
        results: The names it defines, ``%0`` or ``%0#0``, ``%0#1``.
        operands: The names it uses outside of its regions, in order.
        text: Its first line behind the result, names of values included.
        line: Its first line, counted from 0.
        end_line: Its last line.
        regions: Its regions' blocks.
        callee: The function it calls, if it is a call.
    """

    name: str
    results: list[str]
    operands: list[str]
    text: str
    line: int
    end_line: int
    regions: list[Block] = field(default_factory=list)
    callee: str = ""


@dataclass(slots=True)
class Function:
    """A function of the module."""

    name: str
    line: int
    end_line: int
    body: Block


@dataclass(slots=True)
class StableHloModule:
    """A parsed module."""

    functions: dict[str, Function]

    @property
    def main(self) -> Function:
        """The function where the program begins."""
        return self.functions["main"] if "main" in self.functions else next(iter(self.functions.values()))

    @property
    def operation_count(self) -> int:
        """How many operations stand in the text, those inside regions included, returns not."""
        return sum(_count(function.body) for function in self.functions.values())


def parse_stablehlo(text: str) -> StableHloModule:
    """The module printed as ``text`` without locations."""
    reader = _Reader(text.split("\n"))
    return StableHloModule(reader.functions())


def _count(block: Block) -> int:
    return sum(1 + sum(_count(region) for region in operation.regions) for operation in block.operations)


class _Reader:
    """Goes down the lines once; a region's lines belong to the operation before or around it."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.at = 0

    def functions(self) -> dict[str, Function]:
        found: dict[str, Function] = {}
        while self.at < len(self.lines):
            line = self.lines[self.at]
            match = _FUNCTION.search(line)
            if match is None or not line.endswith("{"):
                self.at += 1
                continue
            start = self.at
            block = Block(arguments=_DECLARED.findall(line))
            self.at += 1
            self.read_block(block)
            name = match[1] or match[2]
            found[name] = Function(name, start, self.at, block)
            self.at += 1
        return found

    def read_block(self, block: Block) -> None:
        """Reads operations up to the line that closes the block, and stays on that line."""
        while self.at < len(self.lines):
            line = self.lines[self.at].strip()
            if line.startswith("}"):
                return
            if line.startswith("^"):
                block.arguments += _DECLARED.findall(line)
                self.at += 1
                continue
            if not line:
                self.at += 1
                continue
            if line.startswith(("return", "stablehlo.return", "func.return", "sdy.return")):
                block.returned = _VALUE.findall(line)
                self.at += 1
                continue
            is_continuation = line.endswith("{") and line.startswith(("cond", "do", "reducer"))
            if is_continuation and block.operations:
                self.read_regions(block.operations[-1], line)
                continue
            self.read_operation(block, line)

    def read_operation(self, block: Block, line: str) -> None:
        match = _OPERATION.match(line)
        if match is None:
            self.at += 1
            return
        results: list[str] = []
        if match[1] is not None:
            results = [f"{match[1]}#{index}" for index in range(int(match[2]))] if match[2] else [match[1]]
        body = line[match.end() :]
        operation = Operation(match[3], results, _VALUE.findall(body), body, self.at, self.at)
        if operation.name in ("call", "func.call"):
            callee = _CALLEE.search(line)
            if callee is not None:
                operation.callee = callee[1] or callee[2]
        block.operations.append(operation)
        if line.endswith("{"):
            self.read_regions(operation, line)
        else:
            self.at += 1

    def read_regions(self, operation: Operation, opening: str) -> None:
        """Reads the regions that begin on this line, the last closing line included."""
        while True:
            region = Block()
            if operation.name == "stablehlo.while":
                pairs = _ITERATED.findall(operation.text)
                region.arguments = [name for name, _ in pairs]
                operation.operands = [value for _, value in pairs]
            elif opening.startswith("reducer"):
                region.arguments = _DECLARED.findall(opening)
            self.at += 1
            self.read_block(region)
            operation.regions.append(region)
            operation.end_line = self.at
            if self.at >= len(self.lines):
                return
            opening = self.lines[self.at].strip()
            if not opening.endswith("{"):
                if operation.name != "stablehlo.while" and ":" in opening:
                    operation.text += opening.lstrip("} )")
                self.at += 1
                return
