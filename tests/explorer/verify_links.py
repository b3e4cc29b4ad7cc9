"""A second reading of the optimised program, written apart from the explorer's: it takes the raw HLO and the equations'
identities, derives the links again, and says where the two differ.

It shares no code with ``jaxnb.explorer.model``: lines are split, not matched, and identities are compared as words.
"""

from __future__ import annotations

from collections.abc import Iterable

APPLYING = ("reduce", "reduce-window", "scatter", "select-and-scatter", "sort", "map", "all-reduce")
DOES = {"dot_general": "dot", "cumsum": "reduce-window", "exp": "exponential", "sin": "sine", "cos": "cosine"}
"""The opcode that an equation's own work has, for links that rest on the work and not on the name."""


class RawInstruction:
    """A line of HLO as words."""

    def __init__(self, computation: str, line: str) -> None:
        self.computation = computation
        left, _, right = line.strip().removeprefix("ROOT ").partition(" = ")
        self.name = left.removeprefix("%")
        depth = 0
        for at, character in enumerate(right):
            depth += character in "([{"
            depth -= character in ")]}"
            if character == " " and depth == 0:
                right = right[at + 1 :]
                break
        self.opcode = right[: right.index("(")]
        _, found, tail = line.partition('op_name="')
        self.op_name = tail[: tail.index('"')] if found else ""
        _, found, tail = line.partition("to_apply=%")
        self.applies = ""
        if found and self.opcode in APPLYING:
            self.applies = tail.replace(",", " ").split()[0]


def read(text: str) -> list[RawInstruction]:
    """The instructions, those left out whose computation is applied to elements: its names are another's."""
    found: list[RawInstruction] = []
    computation = ""
    for line in text.splitlines():
        if line.endswith("{") and not line.startswith(" ") and "%" in line:
            computation = line.removeprefix("ENTRY ").split()[0].removeprefix("%")
        elif computation and line.startswith("  ") and " = " in line:
            found.append(RawInstruction(computation, line))
    applied = {one.applies for one in found if one.applies}
    return [one for one in found if one.computation not in applied]


def words(op_name: str) -> list[list[str]]:
    """The identities in an op name: a list of ids for each of the names that were joined."""
    return [
        [part for part in name.split("/") if part[:1] == "q" and part[1:].isdigit()]
        for name in op_name.split(";")
        if name
    ]


def named(paths: Iterable[str], ids: list[str]) -> list[str]:
    """The equations that a list of ids can mean: an exact one, else those that end alike and hold the ids in order."""
    paths = list(paths)
    if "/".join(ids) in paths:
        return ["/".join(ids)]
    fitting = []
    for path in paths:
        rest = path.split("/")
        if not ids or rest[-1] != ids[-1]:
            continue
        for one in ids:
            if one not in rest:
                break
            rest = rest[rest.index(one) + 1 :]
        else:
            fitting.append(path)
    return fitting


def verify(exploration) -> list[str]:
    """What is wrong with the links of a finished exploration; an empty list if nothing is."""
    problems: list[str] = []
    equations = {one.path: one for one in exploration.trace.equations}
    by_last: dict[str, list[str]] = {}
    for path in equations:
        by_last.setdefault(path.split("/")[-1], []).append(path)
    carriers: dict[str, set[str]] = {}
    instructions = read(exploration._compilation.text)
    work = {one.name: one for one in instructions}
    for one in instructions:
        if one.opcode in ("parameter", "constant", "tuple"):
            continue
        for ids in words(one.op_name):
            candidates: list[str] = []
            while ids and not candidates:
                candidates = named(by_last.get(ids[-1], ()), ids)
                ids = ids[:-1]
            for path in candidates:
                if equations[path].is_leaf:
                    carriers.setdefault(path, set()).add(one.name)
    for link in exploration.links:
        mine = carriers.get(link.path, set())
        theirs = set(link.instructions)
        if link.fate.kind != "linked":
            if mine:
                problems.append(
                    f"{link.path} {link.primitive} is {link.fate.kind}, but %{min(mine)} names it"
                )
            if theirs:
                problems.append(f"{link.path} is {link.fate.kind} and has instructions")
            if link.fate.kind != "unknown" and not link.fate.text:
                problems.append(f"{link.path} is {link.fate.kind} for no reason")
            continue
        if not mine:
            # Linked by its work: the instruction must do what the equation does, and its namesake something else.
            for name in theirs:
                one = work[name]
                if DOES.get(link.primitive, link.primitive) != one.opcode:
                    problems.append(f"{link.path} {link.primitive} is linked to %{name}, a {one.opcode}")
                namesakes = {
                    equations[p].primitive for ids in words(one.op_name) for p in named(equations, ids)
                }
                if link.primitive in namesakes:
                    problems.append(f"%{name} has a namesake that does the same as {link.path}")
            if not theirs:
                problems.append(f"{link.path} is linked to nothing")
        elif mine - theirs or theirs - mine:
            problems.append(f"{link.path} {link.primitive}: {sorted(theirs)} should be {sorted(mine)}")
    for path in carriers:
        if path not in exploration.links.fates:
            problems.append(f"{path} has an instruction and no fate")
    return problems
