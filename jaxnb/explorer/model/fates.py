"""Why an equation has no instruction of its own in the optimised program.

What lives here: the verdicts and the evidence each one needs. A verdict is given only on evidence: from the StableHLO
graph alone (dead, constant, passed on, computed twice), or from that graph together with what XLA kept (merged,
simplified). Where there is none the verdict is ``unknown``; it is never guessed. What must not: drawing and text spans.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from jaxnb.explorer.capture.protocol import CapturedEquation
from jaxnb.explorer.model.dataflow import Flat
from jaxnb.explorer.model.hlo_parse import HloModule
from jaxnb.explorer.model.optimized import UNNAMED, Reading, carry

_OUTPUT = "output"
_MOST_FOUND = 1000
"""How many equations are remembered beyond one operation."""

_OPCODES = {
    "dot_general": "dot",
    "multiply": "multiply",
    "broadcast_in_dim": "broadcast",
    "exponential": "exponential",
    "exponential_minus_one": "exponential-minus-one",
    "log_plus_one": "log-plus-one",
    "dynamic_slice": "dynamic-slice",
    "dynamic_update_slice": "dynamic-update-slice",
    "reduce_window": "reduce-window",
    "select_and_scatter": "select-and-scatter",
}


class Fate(NamedTuple):
    """What became of an equation.

    Attributes:
        kind: ``linked``, ``merged``, ``folded``, ``simplified``, ``dead``, ``inlined`` or ``unknown``.
        into: The paths of the equations in whose instructions it went on.
        text: A sentence for the reader.
    """

    kind: str
    into: tuple[str, ...]
    text: str


def find_fates(
    equations: Sequence[CapturedEquation],
    flat: Flat,
    module: HloModule,
    reading: Reading,
    parameters: Mapping[int, str],
    name_of: Callable[[str], str],
) -> dict[str, Fate]:
    """The fate of every leaf equation.

    XLA names an instruction after one equation even where it does the work of two: the transpose of a product becomes
    a ``dot`` that is called ``transpose``. Where that can be proven the instruction is linked to both, and ``reading``
    is added to.

    Args:
        equations: The program's equations.
        flat: Its StableHLO as a flat graph.
        module: Its optimised HLO.
        reading: What the optimised program says.
        parameters: For each value id of an argument of main its key (``argument:0``).
        name_of: How to call an equation in a sentence.
    """
    judge = _Judge(flat, module, reading, parameters, name_of)
    leaves = [one for one in equations if one.is_leaf]
    shared = judge.shared_instructions(leaves)
    fates = {}
    for one in leaves:
        where = shared.get(one.path)
        if where is None:
            fates[one.path] = judge.verdict(one)
        else:
            user, place = where
            named = f"named after {name_of(user)}" if user else "gave no name"
            into = (user,) if user else ()
            fates[one.path] = Fate("linked", into, f"done by %{place[1]}, which XLA {named}")
            reading.own[place] = (*reading.own.get(place, ()), one.path)
            reading.carriers.setdefault(one.path, []).append(place)
    if shared:
        carry(module, reading)
    return fates


_Neighbours = Callable[[int], tuple[list[int], set[str]]]


class _Judge:
    def __init__(
        self,
        flat: Flat,
        module: HloModule,
        reading: Reading,
        parameters: Mapping[int, str],
        name_of: Callable[[str], str],
    ) -> None:
        self.flat = flat
        self.module = module
        self.reading = reading
        self.parameters = parameters
        self.name_of = name_of
        self.nodes_of = flat.by_path()
        self.is_live = flat.live()
        self.is_constant = flat.constant()
        self.users = flat.users()
        self.outputs = {flat.producer[value] for value in flat.outputs}
        self.linked = {key for key in reading.carriers if ":" not in key}
        self.beyond: dict[str, dict[int, frozenset[str]]] = {}
        self.known_twins: dict[int, set[str]] = {}
        self.same_number: dict[int, list[int]] = {}
        for index, node in enumerate(flat.nodes):
            for value in node.results:
                self.same_number.setdefault(flat.number[value], []).append(index)

    def verdict(self, equation: CapturedEquation) -> Fate:
        path = equation.path
        if path in self.linked:
            return Fate("linked", (), "")
        nodes = self.nodes_of.get(path)
        if not nodes:
            return self.without_operations(equation)
        if not any(self.is_live[index] for index in nodes):
            return Fate("dead", (), "nothing that the program returns depends on it")
        results = self.results_of(path, nodes)
        if all(self.is_constant[index] for index in nodes):
            return Fate(
                "folded",
                self.linked_after(path, nodes),
                "it depends on no argument: XLA knows its value when it compiles",
            )
        return (
            self.passed_on(path, nodes, results)
            or self.computed_elsewhere(path, results)
            or self.absorbed(path, nodes)
            or Fate("unknown", (), "XLA kept no instruction with its name, and why is not known")
        )

    def without_operations(self, equation: CapturedEquation) -> Fate:
        """The verdict on an equation that lowering made nothing of."""
        if not equation.is_used:
            return Fate("dead", (), "nothing uses its result, and lowering leaves it out")
        if not equation.in_types:
            return Fate("folded", (), "it has no operand: lowering uses a constant that is there already")
        if set(equation.out_types) <= set(equation.in_types):
            text = f"{equation.primitive} lowers to no operation: its result is its operand"
            return Fate("simplified", self.linked_among(equation.parents), text)
        return Fate("unknown", (), "it lowers to no operation, and why is not known")

    def results_of(self, path: str, nodes: list[int]) -> list[int]:
        """The values of the equation that others use or that the program returns."""
        found = []
        outputs = set(self.flat.outputs)
        for index in nodes:
            outside = any(self.flat.nodes[user].path != path for user in self.users[index])
            for value in self.flat.nodes[index].results:
                if outside or value in outputs:
                    found.append(value)
        return found or self.flat.nodes[nodes[-1]].results

    def linked_among(self, paths: Iterable[str]) -> tuple[str, ...]:
        return tuple(path for path in paths if path in self.linked)

    def computed_elsewhere(self, path: str, results: list[int]) -> Fate | None:
        """Merged: every result is also computed by an equation that XLA kept, as its result or on the way to it."""
        into: dict[str, bool] = {}
        for value in results:
            twin = self.twin(path, value)
            if not twin:
                return None
            is_whole = self.flat.number[value] in {
                self.flat.number[one] for one in self.results_of(twin, self.nodes_of[twin])
            }
            if not is_whole and not self.does(twin, self.work_of([self.flat.producer[value]])):
                return None
            into[twin] = is_whole
        names = " and ".join(self.name_of(one) for one in into)
        if all(into.values()):
            return Fate("merged", tuple(into), f"the same computation as {names}: done once")
        return Fate("merged", tuple(into), f"{names} computes the same on its way: done once")

    def twin(self, path: str, value: int) -> str:
        for index in self.same_number[self.flat.number[value]]:
            other = self.flat.nodes[index].path
            if other != path and other in self.linked:
                return other
        return ""

    def does(self, path: str, work: set[str]) -> bool:
        """Whether an instruction of a linked equation does one of these kinds of work."""
        return any(
            self.module.computations[computation].instructions[name].opcode in work
            for computation, name in self.reading.carriers.get(path, ())
        )

    def passed_on(self, path: str, nodes: list[int], results: list[int]) -> Fate | None:
        """Simplified: every result has the elements of an operand, in their order."""
        reasons: dict[str, None] = {}
        for value in results:
            base = self.flat.same_as[value]
            if base == value or self.path_of_value(base) == path:
                return None
            at = value
            while at != base:
                reasons[self.flat.reason[at]] = None
                at = self.step(at)
                if self.path_of_value(at) != path:
                    break
        into = self.linked_after(path, nodes) or self.linked_before(path, nodes)
        return Fate("simplified", into, f"{' and '.join(reasons)}: no instruction is needed")

    def step(self, value: int) -> int:
        """The operand that a value passes on."""
        node = self.flat.nodes[self.flat.producer[value]]
        base = self.flat.same_as[value]
        for operand in node.operands:
            if self.flat.same_as[operand] == base:
                return operand
        return base

    def twins(self, index: int) -> set[str]:
        """The linked equations that compute what the node computes."""
        found = self.known_twins.get(index)
        if found is None:
            found = self.known_twins[index] = {
                self.flat.nodes[other].path
                for value in self.flat.nodes[index].results
                for other in self.same_number[self.flat.number[value]]
                if self.flat.nodes[other].path in self.linked
            }
        return found

    def path_of_value(self, value: int) -> str:
        index = self.flat.producer[value]
        return self.flat.nodes[index].path if index >= 0 else ""

    def shared_instructions(
        self, leaves: Sequence[CapturedEquation]
    ) -> dict[str, tuple[str, tuple[str, str]]]:
        """The equations done by an instruction with no name, or with that of the equation after them.

        The evidence: the instruction does the kind of work that this equation asks for and its namesake does not; the
        namesake uses this equation, directly or through operations that move elements; no other equation has the
        same claim; and the instruction reads what this equation reads.
        """
        claims: dict[tuple[str, str], list[tuple[str, str]]] = {}
        for one in leaves:
            nodes = self.nodes_of.get(one.path)
            if one.path in self.linked or not nodes or not any(self.is_live[index] for index in nodes):
                continue
            if all(self.is_constant[index] for index in nodes):
                continue
            wanted = self.work_of(nodes) & _TELLING
            if not wanted or self.twin(one.path, self.results_of(one.path, nodes)[0]):
                continue
            before = self.around(nodes, self.sources)
            for place, reads in self.reading.unnamed.items():
                if (
                    self.module.computations[place[0]].instructions[place[1]].opcode in wanted
                    and reads & before
                ):
                    claims.setdefault(place, []).append((one.path, ""))
            after = self.linked_after(one.path, nodes)
            if len(after) != 1:
                continue
            user = after[0]
            own = self.work_of(self.nodes_of.get(user, ()))
            for place in self.reading.carriers[user]:
                opcode = self.module.computations[place[0]].instructions[place[1]].opcode
                if opcode in wanted and opcode not in own and self.reading.reads.get(user, set()) & before:
                    claims.setdefault(place, []).append((one.path, user))
        return {made[0][0]: (made[0][1], place) for place, made in claims.items() if len(made) == 1}

    def absorbed(self, path: str, nodes: list[int]) -> Fate | None:
        """Simplified: every equation that used it now reads what it read, or reads a neighbour that does."""
        before = self.around(nodes, self.sources)
        before |= self.beyond_all("twins", nodes, self.sources, lambda index, _: self.twins(index))
        after = self.around(nodes, self.targets)
        if not before or not after:
            return None
        beside = self.beyond_all("beside", nodes, self.targets, self.used_beside) & self.linked
        if self.may_be_unnamed(nodes, before):
            return None
        into: dict[str, None] = {}
        for target in sorted(after):
            reads = self.reads_of(target)
            if reads & before:
                into[target] = None
                continue
            through = [one for one in sorted(reads & beside) if self.reads_of(one) & before]
            if not through:
                return None
            into.update(dict.fromkeys(through))
        paths = tuple(one for one in into if one != _OUTPUT)
        names = " and ".join(self.name_of(one) for one in paths[:3]) or "the result"
        more = f" and {len(paths) - 3} more" if len(paths) > 3 else ""
        return Fate("simplified", paths, f"rewritten away: what it read is now read by {names}{more}")

    def reads_of(self, target: str) -> set[str]:
        """The keys whose values the instructions of an equation, or the program's result, read."""
        found = self.reading.output_reads if target == _OUTPUT else self.reading.reads.get(target, set())
        return found.union(*self.reading.unnamed.values()) if UNNAMED in found else found

    def work_of(self, nodes: Iterable[int]) -> set[str]:
        """The HLO opcodes of operations."""
        return {_opcode(self.flat.nodes[index].name) for index in nodes}

    def may_be_unnamed(self, nodes: list[int], before: set[str]) -> bool:
        """Whether an instruction without a name does the same kind of work on the same values."""
        work = self.work_of(nodes)
        return any(
            reads & before and self.module.computations[place[0]].instructions[place[1]].opcode in work
            for place, reads in self.reading.unnamed.items()
        )

    def used_beside(self, index: int, _: set[str]) -> set[str]:
        """The equations whose results a node uses, if it is not linked itself."""
        if self.flat.nodes[index].path in self.linked:
            return set()
        return {self.flat.nodes[one].path for one in self.sources(index)[0]}

    # -- neighbours ----------------------------------------------------------------------------------------------

    def linked_after(self, path: str, nodes: list[int]) -> tuple[str, ...]:
        return tuple(sorted(self.around(nodes, self.targets) - {_OUTPUT}))

    def linked_before(self, path: str, nodes: list[int]) -> tuple[str, ...]:
        return tuple(sorted(key for key in self.around(nodes, self.sources) if ":" not in key))

    def sources(self, index: int) -> tuple[list[int], set[str]]:
        """The nodes that a node uses, and the keys of arguments it uses."""
        found, keys = [], set()
        node = self.flat.nodes[index]
        for value in (*node.operands, *node.captured, *self.flat.region_results.get(index, ())):
            producer = self.flat.producer[value]
            if producer >= 0:
                found.append(producer)
            elif value in self.parameters:
                keys.add(self.parameters[value])
        return found, keys

    def targets(self, index: int) -> tuple[list[int], set[str]]:
        """The nodes that use a node, and ``output`` if the program returns it."""
        return self.users[index], {_OUTPUT} if index in self.outputs else set()

    def around(self, nodes: list[int], neighbours: _Neighbours) -> set[str]:
        """The nearest linked equations (and arguments or output) in one direction, through unlinked ones."""

        def own(index: int, keys: set[str]) -> set[str]:
            path = self.flat.nodes[index].path
            return {path} if path in self.linked else keys

        found = self.beyond_all(neighbours.__name__, nodes, neighbours, own)
        for index in nodes:
            found |= neighbours(index)[1]
        return found

    def beyond_all(
        self, name: str, nodes: list[int], neighbours: _Neighbours, own: Callable[[int, set[str]], set[str]]
    ) -> set[str]:
        """What is found at the neighbours of an equation's nodes and beyond them, as far as nothing is linked.

        What is beyond a node is worked out once: a thousand equations in a row would each look through all the others.
        """
        known = self.beyond.setdefault(name, {})
        found: set[str] = set()
        for one in {one for index in nodes for one in neighbours(index)[0]}.difference(nodes):
            found |= self.beyond_one(one, known, neighbours, own)
        return found

    def beyond_one(
        self,
        index: int,
        known: dict[int, frozenset[str]],
        neighbours: _Neighbours,
        own: Callable[[int, set[str]], set[str]],
    ) -> frozenset[str]:
        begun: set[int] = set()
        stack = [index]
        while stack:
            at = stack[-1]
            if at in known:
                stack.pop()
                continue
            near, keys = neighbours(at)
            if self.flat.nodes[at].path in self.linked:
                near = []
            if at not in begun:
                begun.add(at)
                stack.extend(one for one in near if one not in known and one not in begun)
                continue
            found = frozenset(own(at, keys))
            for one in near:
                more = known.get(one, frozenset())
                if found <= more:
                    found = more
                elif not more <= found and len(found) < _MOST_FOUND:
                    found |= more
            known[at] = found
            stack.pop()
        return known[index]


_TELLING = frozenset(
    {
        "dot", "convolution", "sort", "reduce-window", "select-and-scatter", "gather", "scatter", "fft", "cholesky",
        "triangular-solve", "custom-call", "rng-bit-generator", "exponential", "exponential-minus-one", "log",
        "log-plus-one", "logistic", "sine", "cosine", "tan", "tanh", "atan2", "erf", "cbrt", "rsqrt",
    }
)  # fmt: skip
# The kinds of work that XLA makes of nothing else; an addition or a product may come from anywhere.


def _opcode(name: str) -> str:
    """The HLO opcode of a StableHLO operation."""
    kind = name.removeprefix("stablehlo.")
    return _OPCODES.get(kind, kind.replace("_", "-"))
