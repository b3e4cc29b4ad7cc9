"""What tracing changes outside of the function: both modes begin on the same state, it is put back, and it is named."""

from __future__ import annotations

import ast
import collections
import functools
import itertools
import random as python_random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import jaxnb
import jaxnb.numpy as jnp
from jaxnb import random
from jaxnb.explorer.analysis.numeric import compare_results
from jaxnb.explorer.capture.reachable import Reachable
from jaxnb.explorer.omnistaging import compare_omnistaging

counts = {"n": 0}
buffer = np.zeros(2)
total = 0


class Model:
    made = 0
    __slots__ = ("__dict__", "slot")

    def __init__(self):
        self.slot = 1
        self.key = random.key(0)
        self.acts = []
        self.ordered = collections.OrderedDict(a=1, b=2)

    def draw(self, x):
        self.key, sub = random.split(self.key)
        return random.bits(sub, (3,)) + x

    def keep(self, x):
        self.acts.append(jnp.tanh(x))
        return x

    def count(self, x):
        Model.made += 1
        self.slot += 1
        self.ordered.move_to_end("a")
        self._count()
        return x * Model.made

    def _count(self):
        global total
        total += 1


model = Model()
state = SimpleNamespace(n=jnp.arange(2.0))


def counted(x):
    counts["n"] += 1
    return x * counts["n"]


def written(x):
    buffer[0] += 1
    return x * buffer[0]


def moved(x):
    state.n = state.n + jnp.ones(2)
    return state.n + x


def of(function, *args):
    comparison = compare_omnistaging(function, *args)
    facts = comparison.facts()
    for problem in comparison.problems:
        for cure in problem.cures:
            ast.parse(cure.code)
    return comparison, facts


def line(function, after):
    return f"line {function.__code__.co_firstlineno + after}: "


def test_a_counter_in_a_dictionary():
    comparison, facts = of(counted, 1.0)
    [problem] = comparison.problems
    assert (problem.number, problem.line) == (2, line(counted, 1) + 'counts["n"] += 1')
    assert problem.why.startswith("`counts['n']` is changed while the function is traced")
    assert problem.cures[0].code.startswith("def counted(n, x):")
    assert problem.cures[0].code.endswith("result, counts['n'] = counted(counts['n'], x)")
    assert (counts, facts["numeric"]["differing"]) == ({"n": 0}, 0)


def test_an_array_of_numpy_that_is_written_to():
    comparison, facts = of(written, 1.0)
    [problem] = comparison.problems
    assert (problem.number, problem.line) == (2, line(written, 1) + "buffer[0] += 1")
    assert problem.why.startswith("`buffer[0]` is changed")
    assert (buffer.tolist(), facts["numeric"]["differing"]) == ([0.0, 0.0], 0)


def test_a_key_that_an_object_keeps_is_put_back_and_no_rounding_is_claimed():
    key = model.key
    comparison, facts = of(model.draw, np.uint32(1))
    [problem] = comparison.problems
    assert (problem.number, problem.line) == (
        2,
        line(Model.draw, 1) + "self.key, sub = random.split(self.key)",
    )
    assert "`self.key` then holds a traced value of type key<fry>[]" in problem.why
    assert problem.cures[0].code.startswith("def draw(self, key, x):")
    assert model.key is key
    assert facts["numeric"]["differing"] == 0


def test_both_modes_begin_on_the_same_state():
    before = state.n
    comparison, facts = of(moved, 1.0)
    assert facts["problems"] == [2]
    assert (facts["off"]["bytes"]["constants"], facts["on"]["bytes"]["constants"]) == (8, 8)
    assert facts["numeric"]["differing"] == 0
    assert state.n is before
    assert comparison.on is not None
    assert comparison.on.result.tolist() == [2.0, 3.0]


def test_a_list_keeps_no_traced_value():
    comparison, _ = of(model.keep, 1.0)
    [problem] = comparison.problems
    assert problem.why.startswith("`self.acts[0]` is changed")
    assert problem.cures[0].code == (
        "def keep(self, x):\n    ...\n    return result, value\n\nresult, value = self.keep(x)\nself.acts.append(value)"
    )
    assert model.acts == []


def test_classes_slots_and_what_methods_reach():
    comparison, _ = of(model.count, 2.0)
    named = [problem.why.partition(" ")[0] for problem in comparison.problems]
    assert set(named) == {"`Model.made`", "`self.slot`", "`total`"}
    assert (Model.made, model.slot, total, list(model.ordered)) == (0, 1, 0, ["a", "b"])


def test_a_lambda_has_a_cure_that_is_python():
    kept: list = []
    comparison, _ = of(lambda x: (kept.append(x), x)[1], 1.0)
    [problem] = comparison.problems
    assert problem.cures[0].code.startswith("def f(x):")
    assert kept == []


def test_jitted_decorated_and_partial_functions_are_seen_through():
    seen: list = []

    def noting(tag, x):
        seen.append(tag)
        return x

    for function in (
        functools.partial(noting, "a"),
        jaxnb.jit(functools.partial(noting, "a")),
        jaxnb.jit(lambda x: noting("a", x)),
        jaxnb.grad(lambda x: noting("a", x)),
    ):
        comparison, _ = of(function, 1.0)
        assert [problem.number for problem in comparison.problems] == [2]
        assert seen == []


def test_random_numbers_of_others_are_drawn_twice_alike():
    rng, seeded = np.random.default_rng(3), python_random.Random(3)
    before = rng.bit_generator.state

    def drawing(x):
        return x * rng.normal() + seeded.random() + np.random.rand() + python_random.random()

    comparison, facts = of(drawing, 1.0)
    named = {problem.why.partition(" ")[0] for problem in comparison.problems}
    assert named == {"`rng`", "`seeded`", "`np.random`", "`python_random`"}
    assert {problem.number for problem in comparison.problems} == {2}
    assert facts["numeric"]["differing"] == 0
    assert rng.bit_generator.state == before


def test_an_iterator_that_moves_on_is_said_to_stay_there():
    numbers = itertools.count(1)
    comparison, facts = of(lambda x: x * next(numbers), 1.0)
    problem = comparison.problems[0]
    assert problem.why.startswith("`numbers` moves on")
    assert "It could not be put back" in problem.why
    assert "rtol" not in "".join(cure.code for one in comparison.problems for cure in one.cures)
    assert set(facts["problems"]) == {2}
    assert "more than rounding" in comparison.problems[1].title


def test_a_value_that_is_computed_once_on_purpose_is_no_problem():
    class Tables:
        @functools.cached_property
        def table(self):
            return np.arange(3.0)

    tables = Tables()
    comparison, _ = of(lambda x: x * tables.table, 1.0)
    assert comparison.problems == []


def test_an_assignment_of_the_same_value_is_no_problem():
    config = SimpleNamespace(training=True, rate=0.5)

    def setting(x):
        config.training, config.rate = True, 0.25 * 2
        return x

    assert of(setting, 1.0)[0].problems == []


def test_what_raises_is_put_back_too():
    def failing(x):
        counts["n"] += 1
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        compare_omnistaging(failing, 1.0)
    assert counts == {"n": 0}


def test_containers_are_the_same_objects_with_what_was_in_them():
    inner = [1]
    default = collections.defaultdict(list, a=inner)
    queue, members, raw = collections.deque([1, 2], maxlen=2), {1, 2}, bytearray(b"ab")
    objects = np.array([inner, None], dtype=object)

    def function():
        return default, queue, members, raw, objects

    remembered = Reachable(function, {}, lambda file: True)
    default["b"].append(3)
    del default["a"]
    inner.append(2)
    queue.append(3)
    members.discard(1)
    raw += b"c"
    objects[1] = 5
    assert len(remembered.changes()) == 8
    remembered.restore()
    assert remembered.changes() == []
    assert (dict(default), inner, list(queue), queue.maxlen) == ({"a": [1]}, [1], [1, 2], 2)
    assert default["a"] is inner
    assert (members, raw, objects[1]) == ({1, 2}, b"ab", None)


def test_depth_and_size_are_bounded():
    deep: list = []
    for _ in range(1000):
        deep = [deep]
    wide = {n: [n] for n in range(50_000)}
    large = np.zeros(1 << 27, np.int8)

    def function():
        return deep, wide, large

    remembered = Reachable(function, {}, lambda file: True)
    assert len(remembered.records) < 3000
    assert all(getattr(record, "value", None) is not large for record in remembered.records)


def test_a_tolerance_is_only_for_rounding():
    def tolerance(a, b) -> Any:
        return compare_results([np.asarray(a)], [np.asarray(b)]).tolerance

    assert tolerance(np.float32(1), np.float32(2)) is None
    assert tolerance(3, 4) is None, "whole numbers are not rounded"
    assert tolerance(np.float32(1), np.float32(1.5)) is None
    relative, absolute = tolerance(np.float32(1), np.float32(1 + 1e-6))
    assert (relative < 1e-4, absolute) == (True, 0.0)
    relative, absolute = tolerance(np.array([1e4, 1e-3], np.float32), np.array([1e4, 2e-3], np.float32))
    assert (relative, round(absolute, 3)) == (1e-6, 0.01)
