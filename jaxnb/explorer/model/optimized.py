"""What the optimised program says about equations: which instructions carry an equation, and who reads whom.

What lives here: pivots on instructions and the flow of data between them. What must not: fates, text spans, layout.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from jaxnb.explorer.model.hlo_parse import Computation, HloModule, Instruction
from jaxnb.explorer.model.tags import PathIndex

_APPLIED = frozenset(
    {
        "reduce",
        "reduce-window",
        "select-and-scatter",
        "scatter",
        "sort",
        "map",
        "all-reduce",
        "reduce-scatter",
    }
)
# The computations that these apply to elements are shared between instructions, so that the names inside say nothing.

Key = str
"""An equation's path, or ``argument:i`` / ``constant:i`` for what a parameter of the program is."""


@dataclass(slots=True)
class Reading:
    """What was found.

    Attributes:
        carried: For each (computation, instruction) the keys it carries: its own names, and for an instruction that
            stands for a computation of its own (a fusion) everything inside.
        own: The same without what is inside: the keys that the instruction's own name says.
        carriers: For each key the instructions that carry it by their own name, as (computation, instruction).
        reads: For each path the keys whose values its instructions read, directly or through unnamed instructions.
        output_reads: The same for the program's result.
        unnamed: For each instruction that computes and has no name, what it reads.
    """

    carried: dict[tuple[str, str], tuple[Key, ...]] = field(default_factory=dict)
    own: dict[tuple[str, str], tuple[Key, ...]] = field(default_factory=dict)
    carriers: dict[Key, list[tuple[str, str]]] = field(default_factory=dict)
    reads: dict[str, set[Key]] = field(default_factory=dict)
    output_reads: set[Key] = field(default_factory=set)
    unnamed: dict[tuple[str, str], frozenset[Key]] = field(default_factory=dict)


def applied_computations(module: HloModule) -> set[str]:
    """The computations that are applied to elements, and those they call."""
    found: set[str] = set()
    stack = [
        called
        for computation in module.computations.values()
        for instruction in computation.instructions.values()
        if instruction.opcode in _APPLIED
        for called in instruction.called
    ]
    while stack:
        name = stack.pop()
        if name in found or name not in module.computations:
            continue
        found.add(name)
        for instruction in module.computations[name].instructions.values():
            stack += instruction.called
    return found


def read_optimized(module: HloModule, index: PathIndex, parameters: Sequence[Key]) -> Reading:
    """What the optimised module says about the equations of ``index``.

    Args:
        module: The parsed module.
        index: The equations' paths.
        parameters: For each parameter of the entry computation its key, ``""`` for none.
    """
    reading = Reading()
    applied = applied_computations(module)
    own = reading.own
    for computation in module.computations.values():
        if computation.name in applied:
            continue
        for instruction in computation.instructions.values():
            keys = _own_keys(computation, instruction, index, parameters)
            if keys:
                own[computation.name, instruction.name] = keys
                for key in keys:
                    reading.carriers.setdefault(key, []).append((computation.name, instruction.name))
    carry(module, reading)
    _Flow(module, own, applied, reading).run(module.entry, [])
    return reading


UNNAMED: Key = "unnamed:"
"""What an instruction without a name makes of whatever it reads."""

_SILENT = frozenset(
    {
        "parameter", "constant", "tuple", "get-tuple-element", "bitcast", "copy", "broadcast", "reshape",
        "transpose", "while", "call", "conditional", "copy-start", "copy-done",
    }
)  # fmt: skip


def _own_keys(
    computation: Computation, instruction: Instruction, index: PathIndex, parameters: Sequence[Key]
) -> tuple[Key, ...]:
    if instruction.opcode == "parameter":
        if computation.is_entry and instruction.literal.isdigit():
            number = int(instruction.literal)
            if number < len(parameters) and parameters[number]:
                return (parameters[number],)
        return ()
    if not instruction.op_name or instruction.opcode in ("constant", "tuple"):
        return ()
    return index.find(instruction.op_name)


def carry(module: HloModule, reading: Reading) -> None:
    """Gives every instruction the keys of the computations it stands for, callees before their callers.

    To be called again when ``reading.own`` has been added to.
    """
    applied = applied_computations(module)
    own = reading.own
    reading.carried.clear()
    inside: dict[str, tuple[Key, ...]] = {}
    for computation in _callees_first(module):
        if computation.name in applied:
            inside[computation.name] = ()
            continue
        everything: dict[Key, None] = {}
        for instruction in computation.instructions.values():
            keys = own.get((computation.name, instruction.name), ())
            if instruction.called and instruction.opcode not in _APPLIED:
                merged = dict.fromkeys(keys)
                for called in instruction.called:
                    merged.update(dict.fromkeys(inside.get(called, ())))
                keys = tuple(merged)
            if keys:
                reading.carried[computation.name, instruction.name] = keys
                everything.update(dict.fromkeys(keys))
        inside[computation.name] = tuple(everything)
    # What is applied to elements stands for the instructions that apply it.
    for name in applied:
        users: dict[Key, None] = {}
        for caller in module.callers.get(name, ()):
            users.update(dict.fromkeys(reading.carried.get(caller, ())))
        if users:
            for instruction in module.computations[name].instructions:
                reading.carried[name, instruction] = tuple(users)


def _callees_first(module: HloModule) -> Iterable[Computation]:
    order: dict[str, None] = {}
    for root in module.computations:
        stack = [(root, False)]
        while stack:
            name, is_done = stack.pop()
            if name in order or name not in module.computations:
                continue
            if is_done:
                order[name] = None
                continue
            stack.append((name, True))
            for instruction in module.computations[name].instructions.values():
                stack.extend((called, False) for called in instruction.called)
    return [module.computations[name] for name in order]


class _Flow:
    """Goes through the program from its entry and notes what every named instruction reads."""

    def __init__(
        self,
        module: HloModule,
        own: dict[tuple[str, str], tuple[Key, ...]],
        applied: set[str],
        reading: Reading,
    ) -> None:
        self.module = module
        self.own = own
        self.applied = applied
        self.reading = reading

    def run(self, computation: Computation, given: Sequence[frozenset[Key]]) -> frozenset[Key]:
        """The keys whose values the computation's result is, given those of its parameters."""
        sources: dict[str, frozenset[Key]] = {}
        nothing: frozenset[Key] = frozenset()
        root = nothing
        for name, instruction in computation.instructions.items():
            keys = self.own.get((computation.name, name), ())
            operands = [sources.get(operand, nothing) for operand in instruction.operands]
            if instruction.opcode == "parameter":
                number = int(instruction.literal) if instruction.literal.isdigit() else -1
                passed = given[number] if 0 <= number < len(given) else nothing
                result = frozenset(keys) or passed
            else:
                result = self.result_of(computation, instruction, keys, operands)
            sources[name] = result
            if instruction.is_root:
                root = result
        if computation.is_entry:
            self.reading.output_reads |= root
        return root

    def result_of(
        self,
        computation: Computation,
        instruction: Instruction,
        keys: tuple[Key, ...],
        operands: list[frozenset[Key]],
    ) -> frozenset[Key]:
        read = _union(operands)
        inner: frozenset[Key] = frozenset()
        for called in instruction.called:
            if called in self.applied or called not in self.module.computations:
                continue
            body = self.module.computations[called]
            # A loop or a branch sees the whole state; a fusion's parameters are its operands.
            given = operands if instruction.opcode in ("fusion", "call") else [read] * 8
            inner |= self.run(body, given)
        if keys:
            for key in keys:
                reads = self.reading.reads.setdefault(key, set())
                if not instruction.called or instruction.opcode != "fusion":
                    reads |= read
                reads.discard(key)
            if instruction.opcode == "fusion":
                return inner | frozenset(keys)
            return frozenset(keys)
        if instruction.opcode in ("fusion", "call"):
            return inner
        if instruction.opcode in _SILENT:
            return read | inner
        # It computes something that nobody knows the name of: what it reads does not go through it unchanged.
        where = (computation.name, instruction.name)
        self.reading.unnamed[where] = self.reading.unnamed.get(where, frozenset()) | read
        return frozenset({UNNAMED})


def _union(sets: Iterable[frozenset[Key]]) -> frozenset[Key]:
    every = [one for one in sets if one]
    if not every:
        return frozenset()
    if len(every) == 1:
        return every[0]
    return frozenset().union(*every)
