"""Repeated blocks are found by what they do, and irregular sequences are left alone."""

from __future__ import annotations

import random
import time

from jaxnb.explorer.model.repeats import Repeat, Single, find_repeats


def chain(length: int) -> list[list[int]]:
    """Each operation uses the one before it."""
    return [[position - 1] for position in range(length)]


def test_a_chain_of_equal_layers_is_one_repeat():
    signatures = ["embed", *(["norm", "dot", "add", "dot"] * 12), "head"]
    cells = find_repeats(signatures, chain(len(signatures)))
    assert [type(cell) for cell in cells] == [Single, Repeat, Single]
    layer = cells[1]
    assert isinstance(layer, Repeat)
    assert (layer.start, layer.period, layer.times) == (1, 4, 12)
    assert len(layer.body) == 4


def test_repeats_nest():
    layer = ["norm", *["dot", "add", "tanh"] * 3, "gate"]
    cells = find_repeats(layer * 5, chain(len(layer) * 5))
    (outer,) = cells
    assert isinstance(outer, Repeat)
    assert (outer.period, outer.times) == (11, 5)
    assert [cell.times for cell in outer.body if isinstance(cell, Repeat)] == [3]


def test_copies_wired_differently_are_not_one_repeat():
    signatures = ["a", "b", "c"] * 8
    operands = chain(24)
    assert len(find_repeats(signatures, operands)) == 1
    for copy in range(0, 8, 2):
        operands[copy * 3 + 2] = [copy * 3]
    (cell,) = find_repeats(signatures, operands)
    assert isinstance(cell, Repeat)
    assert (cell.period, cell.times) == (6, 4), "two wirings in turn make a block of both"
    operands[2], operands[14] = [1], [12]
    assert all(getattr(cell, "times", 0) < 4 for cell in find_repeats(signatures, operands))


def test_irregular_sequences_are_not_folded():
    source = random.Random(3)
    signatures = [source.randrange(1000) for _ in range(400)]
    assert all(isinstance(cell, Single) for cell in find_repeats(signatures, chain(400)))


def test_a_repeat_may_differ_in_outline_only_where_it_says_so():
    block = ["norm", "dot", "add", "tanh", "dot", "mul", "exp", "log"]
    exact = [f"{name}{copy if name == 'add' else ''}" for copy in range(12) for name in block]
    (cell,) = find_repeats(exact, chain(96), [name.rstrip("0123456789") for name in exact])
    assert isinstance(cell, Repeat)
    assert (cell.period, cell.times, cell.differing) == (8, 12, {2})


def test_every_operation_stands_in_exactly_one_cell():
    source = random.Random(5)
    for _ in range(50):
        block = [source.randrange(4) for _ in range(source.randint(1, 9))]
        signatures = [source.randrange(4) for _ in range(9)] + block * source.randint(1, 6) + block[:2]
        covered: list[int] = []
        for cell in find_repeats(signatures, chain(len(signatures))):
            if isinstance(cell, Single):
                covered.append(cell.position)
            else:
                covered += range(cell.start, cell.start + cell.period * cell.times)
        assert covered == list(range(len(signatures)))


def test_two_thousand_operations_are_folded_within_two_seconds():
    layer = list(range(120))
    begin = time.process_time()
    cells = find_repeats(layer * 16, chain(120 * 16))
    assert time.process_time() - begin < 2
    assert len(cells) == 1
