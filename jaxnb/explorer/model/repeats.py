"""Repeated blocks of a sequence of operations, found by structure alone.

What lives here: the search for periods and its check against the flow of data. What must not: names of any kind; twelve
layers are found because they do the same, not because they are called the same.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

_LONGEST = 6000
# Beyond this many operations the search, which is quadratic, gives way to the chunks of the caller.
_MANY_SINGLES = 40
_DIFFERING = 0.25


@dataclass(frozen=True, slots=True)
class Single:
    """One operation: its position in the sequence."""

    position: int


@dataclass(frozen=True, slots=True)
class Repeat:
    """A block that comes several times in a row.

    Attributes:
        start: Where the first copy begins.
        period: How many operations a copy has.
        times: How many copies there are.
        body: The block's own structure, in positions of the copy in the middle.
        differing: The offsets in the block where the copies are alike in outline only.
    """

    start: int
    period: int
    times: int
    body: tuple[Cell, ...]
    differing: frozenset[int] = frozenset()


Cell = Single | Repeat


def find_repeats(
    signatures: Sequence[Hashable],
    operands: Sequence[Sequence[int]],
    outlines: Sequence[Hashable] | None = None,
) -> tuple[Cell, ...]:
    """The sequence as single operations and repeated blocks, which may hold repeated blocks in turn.

    Args:
        signatures: For each operation what it does; equal signatures, equal work on equal shapes.
        operands: For each operation the positions of the operations it uses.
        outlines: For each operation a coarser signature. Where exact blocks leave much over, copies may also differ
            in a few operations of equal outline (a compiler fuses the first layer a little differently).
    """
    exact = _numbers(signatures)
    if len(exact) > _LONGEST:
        return tuple(Single(position) for position in range(len(exact)))
    search = _Search(exact, exact, operands)
    cells = search.fold(0, len(exact))
    if outlines is None:
        return tuple(cells)
    loose = _Search(_numbers(outlines), exact, operands)
    found: list[Cell] = []
    at = 0
    while at < len(cells):
        end = at
        while end < len(cells) and isinstance(cells[end], Single):
            end += 1
        if end - at >= _MANY_SINGLES:
            found += loose.fold(_start(cells[at]), _start(cells[end - 1]) + 1)
        else:
            found += cells[at:end]
        if end < len(cells):
            found.append(cells[end])
        at = end + 1
    return tuple(found)


def _numbers(signatures: Sequence[Hashable]) -> np.ndarray:
    ids: dict[Hashable, int] = {}
    return np.array([ids.setdefault(one, len(ids)) for one in signatures], dtype=np.int64)


def _start(cell: Cell) -> int:
    return cell.position if isinstance(cell, Single) else cell.start


class _Search:
    """Folds stretches of one sequence.

    ``numbers`` are what copies must agree in; where copies also agree in ``exact`` their flow of data must agree.
    """

    def __init__(self, numbers: np.ndarray, exact: np.ndarray, operands: Sequence[Sequence[int]]) -> None:
        self.numbers = numbers
        self.exact = exact
        self.operands = operands

    def fold(self, start: int, end: int) -> list[Cell]:
        """Folds a stretch: its best repeat, then what is left and right of it."""
        cells: list[Cell] = []
        pending: list[tuple[int, int] | Repeat] = [(start, end)]
        while pending:
            stretch = pending.pop()
            if isinstance(stretch, Repeat):
                cells.append(stretch)
                continue
            low, high = stretch
            best = self.best(low, high)
            if best is None:
                cells += [Single(position) for position in range(low, high)]
                continue
            first, period, times, differing = best
            middle = first + (times // 2) * period
            body = tuple(self.fold(middle, middle + period))
            pending.append((first + period * times, high))
            pending.append(Repeat(first, period, times, body, differing))
            pending.append((low, first))
        return cells

    def best(self, low: int, high: int) -> tuple[int, int, int, frozenset[int]] | None:
        """The repeat that saves most: (start, period, times, offsets that differ); None if none is worth it."""
        candidates: list[tuple[int, int, int, int]] = []
        here = self.numbers[low:high]
        for period in range(1, len(here) // 2 + 1):
            breaks = np.flatnonzero(here[:-period] != here[period:])
            edges = np.concatenate(([-1], breaks, [len(here) - period]))
            lengths = np.diff(edges) - 1
            longest = int(lengths.argmax())
            times = int(lengths[longest]) // period + 1
            if _is_worth(period, times):
                candidates.append((-(times - 1) * period, period, int(edges[longest]) + 1 + low, times))
        candidates.sort()
        for _, period, first, times in candidates[:24]:
            found = self.agreeing(first, period, times)
            if found is not None and _is_worth(period, found[1]):
                return found[0], period, found[1], found[2]
        return None

    def agreeing(self, first: int, period: int, times: int) -> tuple[int, int, frozenset[int]] | None:
        """The longest row of copies that agree: (start, times, offsets in the block that differ)."""
        copies = self.exact[first : first + period * times].reshape(times, period)
        differing = frozenset(int(offset) for offset in np.flatnonzero((copies != copies[0]).any(axis=0)))
        if len(differing) > _DIFFERING * period:
            return None
        flows = [self.flow(first + copy * period, period, differing) for copy in range(times)]
        best = (0, 1)
        at = 0
        while at < times - 1:
            # The first copy of a row may begin differently: what comes before it is not a copy.
            run = 1
            while at + run < times:
                if run == 1 and not _is_beginning(flows[at], flows[at + 1]):
                    break
                if run > 1 and flows[at + run] != flows[at + 1]:
                    break
                run += 1
            if run > best[1]:
                best = (at, run)
            at += max(1, run - 1)
        return (first + best[0] * period, best[1], differing) if best[1] > 1 else None

    def flow(self, begin: int, period: int, differing: frozenset[int]) -> tuple[tuple[int, ...], ...]:
        """For each operation of a copy where its operands are, relative to the copy; far ones all alike."""
        outside = -period - 1
        return tuple(
            ()
            if at - begin in differing
            else tuple(
                source - begin if begin - period <= source < begin + period else outside
                for source in self.operands[at]
            )
            for at in range(begin, begin + period)
        )


def _is_worth(period: int, times: int) -> bool:
    """Whether folding pays: three copies, or two of something long."""
    return (times >= 3 and times * period >= 6) or (times == 2 and period >= 8)


def _is_beginning(beginning: Sequence[Sequence[int]], following: Sequence[Sequence[int]]) -> bool:
    """Whether two copies have the same flow inside; what comes from outside may differ."""
    for one, other in zip(beginning, following, strict=True):
        if [source for source in one if source >= 0] != [source for source in other if source >= 0]:
            return False
    return True
