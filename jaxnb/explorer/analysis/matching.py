"""Which node of one program corresponds to which of another, by what they compute and what they are connected to.

What lives here: the pairing alone. What must not: names, texts, or the order of lines; they do not count.

Source: own. The order of the steps is that of tree and graph differencing: what is computed alike from the parameters
on, what is used alike on the way to the result, then from each pair to its neighbours.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator

from jaxnb.explorer.capture.program import PARAMETER, RESULT, Node, Program

__all__ = ["Matching", "match_programs"]


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


class Matching:
    """The pairs, both ways.

    Attributes:
        right_of: From a node of the first program to its counterpart.
        left_of: The other way.
    """

    def __init__(self, left: Program, right: Program) -> None:
        self.left = Side(left)
        self.right = Side(right)
        self.right_of: dict[int, int] = {}
        self.left_of: dict[int, int] = {}
        self._done_left: set[int] = set()
        self._done_right: set[int] = set()
        self._match_all()

    def is_same(self, left: int, right: int) -> bool:
        """Whether a pair does the same with the same: equal labels, operands that correspond."""
        if self.left.up[left] == self.right.up[right]:
            return True
        one, other = self.left.nodes[left], self.right.nodes[right]
        if one.label != other.label or len(one.operands) != len(other.operands):
            return False
        return not self.differing_operands(left, right)

    def differing_operands(self, left: int, right: int) -> list[int]:
        """The numbers of the operands that do not correspond."""
        one, other = self.left.nodes[left], self.right.nodes[right]
        differing = [
            at
            for at, pair in enumerate(zip(one.operands, other.operands, strict=False))
            if not self._agree(*pair)
        ]
        if differing and one.commutes and other.commutes:
            exchanged = (other.operands[1], other.operands[0])
            if all(self._agree(*pair) for pair in zip(one.operands, exchanged, strict=True)):
                return []
        return differing

    def _agree(self, left: tuple[int, int] | str, right: tuple[int, int] | str) -> bool:
        if isinstance(left, str) or isinstance(right, str):
            return left == right
        if left[1] != right[1]:
            return False
        return self.right_of.get(left[0]) == right[0] or self.left.up[left[0]] == self.right.up[right[0]]

    # -- scopes ----------------------------------------------------------------------------------------------------

    def _match_all(self) -> None:
        pending = deque([(self.left.program.root, self.right.program.root, -1, -1)])
        while pending:
            left, right, left_owner, right_owner = pending.popleft()
            if left in self._done_left or right in self._done_right:
                continue
            self._done_left.add(left)
            self._done_right.add(right)
            pairs = _ScopePairs(self, left, right, left_owner, right_owner).found
            for one, other in sorted(pairs):
                inner = zip(self.left.nodes[one].scopes, self.right.nodes[other].scopes, strict=False)
                pending += [(a, b, one, other) for a, b in inner]


class _ScopePairs:
    """The pairing of two scopes' nodes."""

    def __init__(self, matching: Matching, left: int, right: int, left_owner: int, right_owner: int) -> None:
        self.m = matching
        self.left, self.right = matching.left, matching.right
        self.left_scope, self.right_scope = left, right
        self.left_nodes = self.left.program.scopes[left].nodes
        self.right_nodes = self.right.program.scopes[right].nodes
        self.found: list[tuple[int, int]] = []
        self.fresh: deque[tuple[int, int]] = deque()
        self.pair_ends(left_owner, right_owner)
        self.pair_by(self.left.up.__getitem__, self.right.up.__getitem__)
        self.pair_by(self.left.down(left).__getitem__, self.right.down(right).__getitem__)
        label = _label
        self.spread(label)
        self.pair_by(lambda n: label(self.left.nodes[n]), lambda n: label(self.right.nodes[n]))
        self.spread(label)
        self.pair_replaced()
        self.fresh.extend(self.found)
        self.spread(_kind)

    def pair(self, left: int, right: int) -> None:
        self.m.right_of[left] = right
        self.m.left_of[right] = left
        self.found.append((left, right))
        self.fresh.append((left, right))

    def is_free(self, left: int, right: int) -> bool:
        return left not in self.m.right_of and right not in self.m.left_of

    def pair_ends(self, left_owner: int, right_owner: int) -> None:
        """Pairs results, and parameters: by what is passed for them where that is known, else by key, else by place."""
        one, other = (
            [n for n in nodes if side.nodes[n].kind == RESULT]
            for side, nodes in ((self.left, self.left_nodes), (self.right, self.right_nodes))
        )
        for a, b in zip(one, other, strict=False):
            self.pair(a, b)
        ours = self.left_nodes[: self.left.program.scopes[self.left_scope].parameters]
        theirs = self.right_nodes[: self.right.program.scopes[self.right_scope].parameters]
        if left_owner >= 0 and right_owner >= 0:
            passed = self.left.nodes[left_owner].operands
            taken = self.right.nodes[right_owner].operands
            if len(passed) == len(ours) and len(taken) == len(theirs):
                self.pair_passed(ours, passed, theirs, taken)
                return
        self.pair_some(ours, theirs, lambda n, side: side.nodes[n].place)

    def pair_passed(self, ours: list[int], passed: tuple, theirs: list[int], taken: tuple) -> None:
        for a, value in zip(ours, passed, strict=True):
            for b, other in zip(theirs, taken, strict=True):
                if self.is_free(a, b) and self.m._agree(value, other):
                    self.pair(a, b)
                    break
        rest = [n for n in theirs if n not in self.m.left_of]
        for a, b in zip([n for n in ours if n not in self.m.right_of], rest, strict=False):
            self.pair(a, b)

    def pair_some(
        self, ours: Iterable[int], theirs: Iterable[int], key: Callable[[int, Side], Hashable]
    ) -> None:
        waiting: dict[Hashable, deque[int]] = {}
        for b in theirs:
            if b not in self.m.left_of:
                waiting.setdefault(key(b, self.right), deque()).append(b)
        for a in ours:
            if a not in self.m.right_of:
                group = waiting.get(key(a, self.left))
                if group:
                    self.pair(a, group.popleft())

    def pair_by(self, left_key: Callable[[int], Hashable], right_key: Callable[[int], Hashable]) -> None:
        """Pairs what is free and has equal keys, the first with the first."""
        self.pair_some(
            self.left_nodes,
            self.right_nodes,
            lambda n, side: left_key(n) if side is self.left else right_key(n),
        )

    def spread(self, alike: Callable[[Node], Hashable]) -> None:
        """Goes from each new pair to what it uses and to what uses it, and pairs what is alike there."""
        while self.fresh:
            a, b = self.fresh.popleft()
            self.spread_to_operands(a, b, alike)
            self.spread_to_users(a, b, alike)

    def spread_to_operands(self, a: int, b: int, alike: Callable[[Node], Hashable]) -> None:
        one, other = self.left.nodes[a], self.right.nodes[b]
        pairs = list(zip(one.operands, other.operands, strict=False))
        if one.commutes and other.commutes:
            pairs += [(one.operands[0], other.operands[1]), (one.operands[1], other.operands[0])]
        for value, counterpart in pairs:
            if isinstance(value, str) or isinstance(counterpart, str) or value[1] != counterpart[1]:
                continue
            x, y = value[0], counterpart[0]
            if self.left.scope_of[x] == self.left_scope and self.right.scope_of[y] == self.right_scope:
                self.pair_if(x, y, alike)

    def spread_to_users(self, a: int, b: int, alike: Callable[[Node], Hashable]) -> None:
        waiting: dict[Hashable, deque[int]] = {}
        for user, at, result in self.right.users[b]:
            node = self.right.nodes[user]
            if user not in self.m.left_of and node.kind not in (PARAMETER, RESULT):
                waiting.setdefault((alike(node), 0 if node.commutes else at, result), deque()).append(user)
        if not waiting:
            return
        for user, at, result in self.left.users[a]:
            node = self.left.nodes[user]
            group = waiting.get((alike(node), 0 if node.commutes else at, result))
            while group:
                candidate = group.popleft()
                if self.is_free(user, candidate):
                    self.pair(user, candidate)
                    break

    def pair_replaced(self) -> None:
        """Pairs operations of different kinds where one has taken the other's place: same operands, same use."""
        for a in self.left_nodes:
            if a in self.m.right_of:
                continue
            for user, at, result in self.left.users[a]:
                other_user = self.m.right_of.get(user)
                if other_user is None or at < 0:
                    continue
                b = self.operand_of(other_user, at, result)
                if b is None and self.left.nodes[user].commutes:
                    b = self.operand_of(other_user, 1 - at, result)
                if b is not None and self.takes_place(a, b):
                    self.pair(a, b)
                    break

    def operand_of(self, user: int, at: int, result: int) -> int | None:
        """The free node that an operand is a result of."""
        operands = self.right.nodes[user].operands
        value = operands[at] if at < len(operands) else ""
        if isinstance(value, str) or value[1] != result or value[0] in self.m.left_of:
            return None
        return value[0] if self.right.scope_of[value[0]] == self.right_scope else None

    def takes_place(self, a: int, b: int) -> bool:
        one, other = self.left.nodes[a], self.right.nodes[b]
        if not self.is_free(a, b) or bool(one.operands) != bool(other.operands):
            return False
        pairs = zip(one.operands, other.operands, strict=False)
        return not one.operands or any(self.m._agree(*pair) for pair in pairs)

    def pair_if(self, a: int, b: int, alike: Callable[[Node], Hashable]) -> None:
        one, other = self.left.nodes[a], self.right.nodes[b]
        ends = (PARAMETER, RESULT)
        if one.kind in ends or other.kind in ends or not self.is_free(a, b):
            return
        if alike(one) == alike(other):
            self.pair(a, b)


def _label(node: Node) -> str:
    return node.label


def _kind(node: Node) -> str:
    return node.kind


def match_programs(left: Program, right: Program) -> Matching:
    """The matching of two programs."""
    return Matching(left, right)
