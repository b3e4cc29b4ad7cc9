"""One of two programs that are compared, with the numbers by which its nodes are recognised.

What lives here: who uses what, and hashes: of what a node computes, of what becomes of it, of what is around it. What must
not: pairing.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping

from jaxnb.explorer.capture.program import PARAMETER, RESULT, Program

__all__ = ["Side"]


class Side:
    """A program with what matching asks of it."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.nodes = program.nodes
        self.scope_of = [0] * len(program.nodes)
        self.place = [0] * len(program.nodes)
        for number, scope in enumerate(program.scopes):
            for place, node in enumerate(scope.nodes):
                self.scope_of[node] = number
                self.place[node] = place
        self.up: dict[int, int] = {}
        self.users = self._users()
        self._hash_up()

    def _users(self) -> list[list[tuple[int, int, int]]]:
        """For each node those that use it: (user in the node's own scope, operand number, result number)."""
        users: list[list[tuple[int, int, int]]] = [[] for _ in self.nodes]
        for number, node in enumerate(self.nodes):
            for at, value in enumerate(node.operands):
                if isinstance(value, str):
                    continue
                source, result = value
                user: int | None = number
                if self.scope_of[number] != self.scope_of[source]:
                    # used from inside a region: the operation that the region belongs to is the user
                    user, at = self._ancestor(number, self.scope_of[source]), -1
                if user is not None:
                    users[source].append((user, at, result))
        return users

    def _ancestor(self, node: int, scope: int) -> int | None:
        while self.scope_of[node] != scope:
            node = self.program.scopes[self.scope_of[node]].owner
            if node < 0:
                return None
        return node

    def _hash_up(self) -> None:
        """Numbers nodes by what they compute: equal numbers, equal computations from equal parameters."""
        for scope in range(len(self.program.scopes)):
            for node in self.program.scopes[scope].nodes:
                self._up(node)

    def _up(self, number: int) -> int:
        """The hash of a node; of what it needs first, without recursing along chains."""
        waiting = [number]
        while waiting:
            at = waiting[-1]
            if at in self.up:
                waiting.pop()
                continue
            needed = [source for source in self._needs(at) if source not in self.up]
            if needed and len(waiting) < 2 * len(self.nodes) + 2:
                waiting += needed
                continue
            self.up[at] = self._hash(at)
            waiting.pop()
        return self.up[number]

    def _needs(self, number: int) -> Iterator[int]:
        node = self.nodes[number]
        for value in node.operands:
            if not isinstance(value, str):
                yield value[0]
        for scope in node.scopes:
            yield from self.program.scopes[scope].nodes

    def _hash(self, number: int) -> int:
        node = self.nodes[number]
        if node.kind == PARAMETER:
            return hash((PARAMETER, node.place, node.label))
        operands: list[Hashable] = [
            value if isinstance(value, str) else (self.up.get(value[0], 0), value[1])
            for value in node.operands
        ]
        if node.commutes:
            operands.sort(key=hash)
        return hash((node.label, tuple(operands), tuple(self._body(scope) for scope in node.scopes)))

    def _body(self, scope: int) -> int:
        """The hash of a scope: its result, and what is there for its effect alone."""
        nodes = self.program.scopes[scope].nodes
        ends = [n for n in nodes if self.nodes[n].kind == RESULT]
        effects = [n for n in nodes if not self.users[n] and self.nodes[n].kind not in (PARAMETER, RESULT)]
        return hash(
            (tuple(self.up.get(n, 0) for n in ends), tuple(sorted(self.up.get(n, 0) for n in effects)))
        )

    def down(self, scope: int) -> dict[int, int]:
        """Numbers a scope's nodes by what becomes of them: equal numbers, used alike on the way to the result."""
        found: dict[int, int] = {}
        for number in reversed(self.program.scopes[scope].nodes):
            node = self.nodes[number]
            uses = sorted(
                hash((found.get(user, 0), 0 if self.nodes[user].commutes else at, result))
                for user, at, result in self.users[number]
            )
            found[number] = hash((node.label, tuple(uses)))
        return found

    def surroundings(self, scope: int, marks: Mapping[int, Hashable]) -> dict[int, int]:
        """Numbers a scope's nodes by their own mark and those of what they use and of what uses them."""
        found: dict[int, int] = {}
        for number in self.program.scopes[scope].nodes:
            node = self.nodes[number]
            used = [
                value if isinstance(value, str) else hash((marks.get(value[0]), value[1]))
                for value in node.operands
            ]
            if node.commutes:
                used.sort(key=hash)
            uses = sorted(hash((marks.get(user), at)) for user, at, _ in self.users[number])
            found[number] = hash((marks[number], tuple(used), tuple(uses)))
        return found
