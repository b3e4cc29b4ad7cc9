"""Which node of one program corresponds to which of another, by what they compute and what they are connected to.

What lives here: the pairing alone. What must not: names, texts, or the order of lines; they do not count.

Source: own. The order of the steps is that of tree and graph differencing: what is computed alike from the parameters
on, what is used alike on the way to the result, then from each pair to its neighbours.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any

from jaxnb.explorer.analysis.sides import Side
from jaxnb.explorer.analysis.values import Values
from jaxnb.explorer.capture.program import PARAMETER, RESULT, Node, Program

__all__ = ["Matching", "match_programs"]


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
        self._values = Values(self.left, self.right, self.right_of, self.left_of)

    def is_same(self, left: int, right: int) -> bool:
        """Whether a pair does the same with the same: equal labels, operands that correspond."""
        return self._values.is_same(left, right)

    def differing_operands(self, left: int, right: int) -> list[int]:
        """The numbers of the operands that do not correspond."""
        return self._values.differing_operands(left, right)

    def agree(self, left: tuple[int, int] | str, right: tuple[int, int] | str) -> bool:
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
        self.pair_by(self.left.up, self.right.up)
        down = self.left.down(left), self.right.down(right)
        labels = self._labels(self.left), self._labels(self.right)
        # What has one candidate is certain; from there its surroundings are reached, which settles most of the rest.
        for keys in (down, labels):
            self.pair_by(*keys, only_unique=True)
            self.spread(_label)
        near = self.left.surroundings(left, labels[0]), self.right.surroundings(right, labels[1])
        wide = self.left.surroundings(left, near[0]), self.right.surroundings(right, near[1])
        for keys in (down, wide, near, labels):
            self.settle(*keys)
        self.pair_replaced()
        for alike in (_label, _kind):
            self.fresh.extend(self.found)
            self.spread(alike, is_strict=False)

    def settle(self, left_keys: Mapping[int, Hashable], right_keys: Mapping[int, Hashable]) -> None:
        """Pairs what is free one by one, each with the candidate that fits best, and what follows from it at once."""
        waiting: dict[Hashable, list[int]] = {}
        for b in self.right_nodes:
            if b not in self.m.left_of:
                waiting.setdefault(right_keys[b], []).append(b)
        for a in self.left_nodes:
            if a in self.m.right_of:
                continue
            free = [b for b in waiting.get(left_keys[a], ()) if b not in self.m.left_of]
            if free:
                self.pair(a, min(free, key=lambda b, a=a: self.fit(a, b)))
                self.spread(_label)

    def _labels(self, side: Side) -> dict[int, str]:
        nodes = self.left_nodes if side is self.left else self.right_nodes
        return {n: side.nodes[n].label for n in nodes}

    def pair(self, left: int, right: int, is_certain: bool = True) -> None:
        """Pairs two nodes; only from a certain pair conclusions are drawn for its surroundings."""
        self.m.right_of[left] = right
        self.m.left_of[right] = left
        self.found.append((left, right))
        if is_certain:
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
                if self.is_free(a, b) and self.m.agree(value, other):
                    self.pair(a, b)
                    break
        rest = [n for n in theirs if n not in self.m.left_of]
        for a, b in zip([n for n in ours if n not in self.m.right_of], rest, strict=False):
            self.pair(a, b)

    def pair_some(
        self,
        ours: Iterable[int],
        theirs: Iterable[int],
        key: Callable[[int, Side], Hashable],
        only_unique: bool = False,
    ) -> None:
        waiting: dict[Hashable, deque[int]] = {}
        for b in theirs:
            if b not in self.m.left_of:
                waiting.setdefault(key(b, self.right), deque()).append(b)
        asking: dict[Hashable, list[int]] = {}
        for a in ours:
            if a not in self.m.right_of:
                asking.setdefault(key(a, self.left), []).append(a)
        for name, group in asking.items():
            candidates = waiting.get(name)
            if not candidates:
                continue
            is_unique = len(group) == len(candidates) == 1
            if is_unique or not only_unique:
                for a, b in zip(group, candidates, strict=False):
                    self.pair(a, b, is_unique)

    def pair_by(
        self, left_keys: Mapping[int, Hashable], right_keys: Mapping[int, Hashable], only_unique: bool = False
    ) -> None:
        """Pairs what is free and has equal keys, the first with the first; or only what has a key to itself."""
        self.pair_some(
            self.left_nodes,
            self.right_nodes,
            lambda n, side: left_keys[n] if side is self.left else right_keys[n],
            only_unique,
        )

    def spread(self, alike: Callable[[Node], Hashable], is_strict: bool = True) -> None:
        """Goes from each new pair to what it uses and to what uses it, and pairs what is alike there.

        Args:
            alike: What two nodes must have in common.
            is_strict: Whether nodes are left apart that use what is known not to correspond, or have several candidates
                that fit equally well.
        """
        while self.fresh:
            a, b = self.fresh.popleft()
            self.spread_to_operands(a, b, alike, is_strict)
            self.spread_to_users(a, b, alike, is_strict)

    def fit(self, a: int, b: int) -> tuple[int, int]:
        """How many operands of two nodes are known not to correspond, and minus how many are known to."""
        one, other = self.left.nodes[a], self.right.nodes[b]
        pairs = list(zip(one.operands, other.operands, strict=False))
        if one.commutes and other.commutes:
            exchanged = [(one.operands[0], other.operands[1]), (one.operands[1], other.operands[0])]
            return min(self._fit(pairs), self._fit(exchanged))
        return self._fit(pairs)

    def _fit(self, pairs: Iterable[tuple[Any, Any]]) -> tuple[int, int]:
        wrong = right = 0
        for value, other in pairs:
            if self.m.agree(value, other):
                right += 1
            elif (
                isinstance(value, str)
                or isinstance(other, str)
                or value[0] in self.m.right_of
                or other[0] in self.m.left_of
            ):
                wrong += 1
        return wrong, -right

    def spread_to_operands(self, a: int, b: int, alike: Callable[[Node], Hashable], is_strict: bool) -> None:
        one, other = self.left.nodes[a], self.right.nodes[b]
        if not (one.commutes and other.commutes):
            for value, counterpart in zip(one.operands, other.operands, strict=False):
                self.pair_values(value, counterpart, alike, is_strict)
            return
        straight = list(zip(one.operands, other.operands, strict=True))
        crossed = list(zip(one.operands, reversed(other.operands), strict=True))
        fits = [
            sum(self.could_pair(*pair, alike, is_strict) for pair in pairs) for pairs in (straight, crossed)
        ]
        agreeing = [sum(self.m.agree(*pair) for pair in pairs) for pairs in (straight, crossed)]
        if is_strict and fits[0] == fits[1] and agreeing[0] == agreeing[1]:
            return
        for value, counterpart in straight if (agreeing[0], fits[0]) >= (agreeing[1], fits[1]) else crossed:
            self.pair_values(value, counterpart, alike, is_strict)

    def could_pair(
        self, value: Any, counterpart: Any, alike: Callable[[Node], Hashable], is_strict: bool
    ) -> bool:
        """Whether two operands are results of nodes that may be paired."""
        if isinstance(value, str) or isinstance(counterpart, str) or value[1] != counterpart[1]:
            return False
        x, y = value[0], counterpart[0]
        if self.left.scope_of[x] != self.left_scope or self.right.scope_of[y] != self.right_scope:
            return False
        one, other = self.left.nodes[x], self.right.nodes[y]
        ends = (PARAMETER, RESULT)
        if one.kind in ends or other.kind in ends or not self.is_free(x, y) or alike(one) != alike(other):
            return False
        return not (is_strict and self.fit(x, y)[0])

    def pair_values(
        self, value: Any, counterpart: Any, alike: Callable[[Node], Hashable], is_strict: bool
    ) -> None:
        if self.could_pair(value, counterpart, alike, is_strict):
            self.pair(value[0], counterpart[0])

    def spread_to_users(self, a: int, b: int, alike: Callable[[Node], Hashable], is_strict: bool) -> None:
        waiting: dict[Hashable, list[int]] = {}
        for user, at, result in self.right.users[b]:
            node = self.right.nodes[user]
            if user not in self.m.left_of and node.kind not in (PARAMETER, RESULT):
                waiting.setdefault((alike(node), 0 if node.commutes else at, result), []).append(user)
        if not waiting:
            return
        for user, at, result in self.left.users[a]:
            node = self.left.nodes[user]
            group = waiting.get((alike(node), 0 if node.commutes else at, result), ())
            free = [candidate for candidate in group if self.is_free(user, candidate)]
            if not free:
                continue
            fits = sorted((self.fit(user, candidate), candidate) for candidate in free)
            is_doubtful = fits[0][0][0] > 0 or (len(fits) > 1 and fits[0][0] == fits[1][0])
            if not (is_strict and is_doubtful):
                self.pair(user, fits[0][1])

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
        return not one.operands or any(self.m.agree(*pair) for pair in pairs)


def _label(node: Node) -> str:
    return node.label


def _kind(node: Node) -> str:
    return node.kind


def match_programs(left: Program, right: Program) -> Matching:
    """The matching of two programs."""
    return Matching(left, right)
