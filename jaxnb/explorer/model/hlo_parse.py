"""HLO text read into computations and instructions.

What lives here: the grammar of printed HLO, nothing about links, graphs or costs. It reads what both supported jaxlib
versions print (names with ``%``, shapes before the opcode, attributes behind the operands) and keeps, for every
instruction, the line it stands on. What must not: knowledge of jaxprs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

_NAME = re.compile(r"%([\w.\-]+)")
_OP_NAME = re.compile(r'op_name="((?:[^"\\]|\\.)*)"')
_CALLED = re.compile(
    r"\b(?:calls|to_apply|condition|body|branch_computations|true_computation|false_computation|"
    r"called_computations|select|scatter|comparator)=(\{[^}]*\}|%[\w.\-]+)"
)
_INSTRUCTION = re.compile(r"\s+(ROOT )?%([\w.\-]+) = ")
_HEADER = re.compile(r"(ENTRY )?%([\w.\-]+) ")
_ELEMENT_BITS = re.compile(r"(pred|token|[a-z]+?(\d+)\w*)\[([\d,<=]*)\]")


class Instruction(NamedTuple):
    """One instruction of a computation.

    Attributes:
        name: Its name without ``%``.
        opcode: Such as ``"add"`` or ``"fusion"``.
        shape: As printed, with layout; a tuple starts with ``(``.
        operands: Names of its operands, in order.
        called: Names of the computations it calls (fusion body, reducer, loop condition and body, branches).
        op_name: The ``op_name`` of its metadata, ``""`` if it has none.
        line: Its line in the text, counted from 0.
        attributes: The rest of the line behind the operands, metadata and backend configuration left out.
        literal: What stands between the parentheses of a parameter or a constant.
        is_root: Whether it is the result of its computation.
    """

    name: str
    opcode: str
    shape: str
    operands: tuple[str, ...]
    called: tuple[str, ...]
    op_name: str
    line: int
    attributes: str
    literal: str
    is_root: bool


@dataclass(frozen=True, slots=True)
class Computation:
    """A computation: its instructions in the order of the text."""

    name: str
    is_entry: bool
    line: int
    end_line: int
    instructions: dict[str, Instruction]

    @property
    def root(self) -> Instruction:
        """The instruction whose value is the computation's value."""
        instructions = list(self.instructions.values())
        for instruction in reversed(instructions):
            if instruction.is_root:
                return instruction
        return instructions[-1]

    @property
    def parameters(self) -> list[Instruction]:
        """The parameters by number."""
        found = [one for one in self.instructions.values() if one.opcode == "parameter"]
        return sorted(found, key=lambda one: int(one.literal))


@dataclass(frozen=True)
class HloModule:
    """A parsed module."""

    name: str
    computations: dict[str, Computation]
    problems: list[str] = field(default_factory=list)

    @cached_property
    def entry(self) -> Computation:
        """The computation where the program begins."""
        for computation in self.computations.values():
            if computation.is_entry:
                return computation
        return list(self.computations.values())[-1]

    @cached_property
    def callers(self) -> dict[str, list[tuple[str, str]]]:
        """For each computation the (computation, instruction) pairs that call it."""
        callers: dict[str, list[tuple[str, str]]] = {}
        for computation in self.computations.values():
            for instruction in computation.instructions.values():
                for called in instruction.called:
                    callers.setdefault(called, []).append((computation.name, instruction.name))
        return callers

    @property
    def instruction_count(self) -> int:
        """How many instructions all computations have together."""
        return sum(len(computation.instructions) for computation in self.computations.values())

    @cached_property
    def fusions(self) -> list[Instruction]:
        """All fusion instructions."""
        return [
            instruction
            for computation in self.computations.values()
            for instruction in computation.instructions.values()
            if instruction.opcode == "fusion"
        ]


def parse_hlo(text: str) -> HloModule:
    """The module printed as ``text``; lines that are no HLO are noted in ``problems`` and passed over."""
    name = ""
    computations: dict[str, Computation] = {}
    problems: list[str] = []
    current: dict[str, Instruction] | None = None
    head: tuple[str, bool, int] = ("", False, 0)
    for number, line in enumerate(text.split("\n")):
        if current is not None:
            if line.startswith("}"):
                computations[head[0]] = Computation(*head, number, current)
                current = None
            elif line and not line.isspace():
                instruction = _parse_instruction(line, number)
                if instruction is None:
                    problems.append(f"line {number + 1}: not an instruction: {line.strip()[:80]}")
                else:
                    current[instruction.name] = instruction
            continue
        if line.startswith("HloModule "):
            name = line[10:].split(",")[0].strip()
        elif line.endswith("{"):
            match = _HEADER.match(line)
            if match is not None:
                head = (match[2], match[1] is not None, number)
                current = {}
    if current is not None:
        problems.append(f"computation {head[0]} has no end")
        computations[head[0]] = Computation(*head, text.count("\n"), current)
    return HloModule(name, computations, problems)


def _parse_instruction(line: str, number: int) -> Instruction | None:
    match = _INSTRUCTION.match(line)
    if match is None:
        return None
    shape_start = match.end()
    shape_end = (
        _closing(line, shape_start) + 1 if line.startswith("(", shape_start) else line.find(" ", shape_start)
    )
    opening = line.find("(", shape_end)
    if shape_end <= 0 or opening < 0:
        return None
    opcode = line[shape_end:opening].strip()
    closing = line.find(")", opening)
    if line.find("(", opening + 1, closing) >= 0 or line.find('"', opening + 1, closing) >= 0:
        closing = _closing(line, opening)
    if closing < 0:
        return None
    inside = line[opening + 1 : closing]
    literal = ""
    operands: tuple[str, ...] = ()
    if opcode in ("parameter", "constant"):
        literal = inside
    elif inside:
        operands = tuple(_NAME.findall(inside))
    tail = line[closing + 1 :]
    op_name = ""
    at = tail.find(", metadata={")
    if at >= 0:
        found = _OP_NAME.search(tail, at)
        if found is not None:
            op_name = found[1]
        tail = tail[:at]
    else:
        at = tail.find(", backend_config=")
        if at >= 0:
            tail = tail[:at]
    called: tuple[str, ...] = ()
    if "=%" in tail or "={%" in tail:
        called = tuple(name for group in _CALLED.findall(tail) for name in _NAME.findall(group))
    shape = line[shape_start:shape_end]
    attributes = tail[2:] if tail.startswith(", ") else tail
    return Instruction(
        match[2], opcode, shape, operands, called, op_name, number, attributes, literal, match[1] is not None
    )


def _closing(line: str, opening: int) -> int:
    """Where the parenthesis at ``opening`` closes; strings are passed over; -1 if it does not."""
    depth = 0
    at = opening
    in_string = False
    while at < len(line):
        character = line[at]
        if in_string:
            if character == "\\":
                at += 1
            elif character == '"':
                in_string = False
        elif character == '"':
            in_string = True
        elif character == "(":
            depth += 1
        elif character == ")":
            depth -= 1
            if depth == 0:
                return at
        at += 1
    return -1


def shape_bytes(shape: str) -> int:
    """The bytes that a value of this printed shape takes, its parts added up for a tuple."""
    total = 0
    for element, bits, dimensions in _ELEMENT_BITS.findall(shape):
        count = 1
        for dimension in dimensions.split(","):
            if dimension:
                count *= int(dimension.lstrip("<="))
        if element == "token":
            continue
        width = int(bits) if bits else 8
        total += (count * width + 7) // 8
    return total


def short_shape(shape: str) -> str:
    """The shape without layouts and index comments: ``f32[8,16]``; a long tuple is abbreviated."""
    plain = re.sub(r"\{[^{}]*\}|/\*[^*]*\*/", "", shape)
    if plain.startswith("(") and len(plain) > 40:
        return f"({plain.count('[')} values)"
    return plain
