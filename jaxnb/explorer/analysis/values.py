"""Numbers for the values of two programs whose nodes have been paired: equal numbers, corresponding values.

What lives here: value numbering over a pairing. What must not: pairing.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

from jaxnb.explorer.analysis.sides import Side
from jaxnb.explorer.capture.program import ARRAY, PARAMETER

__all__ = ["Values"]


class Values:
    """Numbers the values of both programs: equal numbers, corresponding values.

    A value of one program may correspond to several of the other that are computed alike; a pair that was changed has a
    number of its own, so that what follows from it is not changed with it.
    """

    def __init__(
        self, left: Side, right: Side, right_of: Mapping[int, int], left_of: Mapping[int, int]
    ) -> None:
        self.left, self.right = left, right
        self.right_of, self.left_of = right_of, left_of
        self.interned: dict[Hashable, int] = {}
        self.of_left: dict[int, int] = {}
        self.of_right: dict[int, int] = {}
        for node in range(len(right.nodes)):
            self.number(node)
        for node in range(len(left.nodes)):
            if node not in self.of_left:
                self.of_left[node] = self.intern(self.key(left, node, self.of_left))

    def number(self, right: int) -> None:
        """Numbers a node of the second program and its counterpart, what they need first."""
        waiting: list[tuple[bool, int]] = [(False, right)]
        while waiting:
            is_left, node = waiting[-1]
            done = self.of_left if is_left else self.of_right
            if node in done:
                waiting.pop()
                continue
            partner = (self.right_of if is_left else self.left_of).get(node)
            needed = [
                (is_left, v[0]) for v in self.side(is_left).nodes[node].operands if not isinstance(v, str)
            ]
            if partner is not None:
                other = self.side(not is_left).nodes[partner]
                needed += [(not is_left, v[0]) for v in other.operands if not isinstance(v, str)]
            needed = [one for one in needed if one[1] not in (self.of_left if one[0] else self.of_right)]
            if needed and len(waiting) < 2 * (len(self.left.nodes) + len(self.right.nodes)):
                waiting += needed
                continue
            self.settle(node if is_left else partner, partner if is_left else node)
            waiting.pop()

    def side(self, is_left: bool) -> Side:
        return self.left if is_left else self.right

    def settle(self, left: int | None, right: int | None) -> None:
        if left is None or right is None:
            side, done = (self.right, self.of_right) if left is None else (self.left, self.of_left)
            node = right if left is None else left
            assert node is not None
            done[node] = self.intern(self.key(side, node, done))
            return
        has_scopes = bool(self.left.nodes[left].scopes)
        key = self.key(self.left, left, self.of_left)
        same = not has_scopes and key == self.key(self.right, right, self.of_right)
        number = self.intern(key if same else ("pair", left))
        self.of_left[left] = self.of_right[right] = number

    def intern(self, key: Hashable) -> int:
        return self.interned.setdefault(key, len(self.interned))

    def key(self, side: Side, node: int, done: Mapping[int, int]) -> Hashable:
        one = side.nodes[node]
        if one.kind == PARAMETER:
            return (PARAMETER, one.place, one.label, node if side.scope_of[node] != side.program.root else -1)
        operands: list[Hashable] = [v if isinstance(v, str) else (done.get(v[0]), v[1]) for v in one.operands]
        if one.commutes:
            operands.sort(key=hash)
        return (
            one.label,
            tuple(operands),
            tuple(side.up[n] for s in one.scopes for n in side.program.scopes[s].nodes),
        )

    def agree(self, left: Any, right: Any) -> bool:
        if isinstance(left, str) or isinstance(right, str):
            return left == right
        return left[1] == right[1] and self.of_left.get(left[0]) == self.of_right.get(right[0])

    def is_same(self, left: int, right: int) -> bool:
        one, other = self.left.nodes[left], self.right.nodes[right]
        if one.label != other.label or len(one.operands) != len(other.operands):
            return False
        if one.place != other.place and one.place.startswith(ARRAY):
            return False
        return not self.differing_operands(left, right)

    def differing_operands(self, left: int, right: int) -> list[int]:
        one, other = self.left.nodes[left], self.right.nodes[right]
        pairs = enumerate(zip(one.operands, other.operands, strict=False))
        differing = [at for at, pair in pairs if not self.agree(*pair)]
        if differing and one.commutes and other.commutes:
            exchanged = zip(one.operands, reversed(other.operands), strict=True)
            if all(self.agree(*pair) for pair in exchanged):
                return []
        return differing
