"""Why a function was traced: signatures, what differed, calls counted while someone looks, and results out of date."""

from __future__ import annotations

import json
import time
from pathlib import Path

import jsonschema
import numpy as np

import jaxnb
import jaxnb.numpy as jnp
from jaxnb.explorer.retraces import explore_retraces

SCHEMA = json.loads(
    (Path(__file__).resolve().parents[2] / "labextension/schema/exploration.schema.json").read_text()
)
scale = 3.0
settings = {"a": 1.0}


def table_of(function):
    return explore_retraces(function).panels()[0]


def test_each_trace_has_its_signature_its_call_and_what_differed():
    f = jaxnb.jit(lambda x, y: x + y["hi"])
    f(1.0, {"hi": jnp.ones(3)})
    f(1.0, {"hi": jnp.ones(4)})
    f(jnp.float32(1), {"hi": jnp.ones(4)})
    first, second, third = explore_retraces(f).records
    assert first.signature == "x: ~f32[], y['hi']: f32[3]"
    assert (
        third.signature == "x: f32[], y['hi']: f32[4]"
    )  # the mark of a weak type is all that differs from the second
    assert second.signature == "x: ~f32[], y['hi']: f32[4]"
    assert (first.kinds, second.kinds) == ((), ("type",))
    assert second.differences == ("at y['hi'], now f32[4] and before f32[3]",)
    assert "weak_type=False" in third.differences[0]
    assert all("test_retraces.py" in one.call for one in (first, second, third))
    assert all(one.trace_s > 0 and one.lower_s > 0 and one.compile_s > 0 for one in (first, second, third))


def test_a_function_that_is_defined_again_is_one_group():
    for _ in range(3):
        f = jaxnb.jit(lambda x: x * 2)
        f(1.0)
    table = table_of(f)
    heads = [row.cells[0] for row in table.rows if row.mark == "head"]
    assert len(heads) == 1
    assert "same source, new object: defined" in heads[0]
    assert "same source, new object" in [row.cells[-1] for row in table.rows if row.mark == "warn"]


def test_functions_that_are_gone_are_not_taken_for_one_another():
    for _ in range(3):
        jaxnb.jit(lambda x: x * 7)(1.0)  # the next may get the identity of this one
    table = explore_retraces(None).panels()[0]
    whys = [row.cells[-1] for row in table.rows if row.cells[1] == "x: ~f32[]" and "gone" in row.cells[6]]
    assert whys[-3:] == ["first trace", "same source, new object", "same source, new object"]


def test_the_nearest_earlier_signature_is_the_one_of_the_most_similar_types():
    f = jaxnb.jit(lambda x: x * 9)
    f(jnp.ones(3))
    f(1.0)
    f(jnp.float32(1))
    assert explore_retraces(f).records[-1].differences == (
        "at x, now f32[]{weak_type=False} and before f32[]{weak_type=True}",
    )


def test_other_types_are_nearer_than_another_structure():
    f = jaxnb.jit(lambda x, k=1: x * k)
    f(jnp.ones(8))
    f(jnp.ones(8), k=2.0)
    f(jnp.ones(3))
    assert explore_retraces(f).records[-1].differences == ("at x, now f32[3] and before f32[8]",)


def test_static_arguments_are_called_by_their_names():
    f = jaxnb.jit(lambda x, n: x * n, static_argnums=1)
    f(1.0, 2)
    f(1.0, 3)
    records = explore_retraces(f).records
    assert [one.signature for one in records] == ["x: ~f32[], n=2", "x: ~f32[], n=3"]
    assert records[1].differences == ("static n, now 3 and before 2",)


def test_calls_are_counted_while_the_table_is_open_and_not_otherwise():
    f = jaxnb.jit(lambda x: x - 2)
    f(1.0)
    f(1.0)
    table = explore_retraces(f)
    assert table.panels()[0].rows[1].cells[6] == "not counted"
    table.opened()
    try:
        assert table.is_counting
        for _ in range(4):
            f(1.0)
        assert [one.hits for one in table.records] == [4]
    finally:
        table.closed()
    f(1.0)
    assert [one.hits for one in table.records] == [4]
    assert not table.is_counting


def test_an_open_table_tells_when_there_is_something_new():
    f = jaxnb.jit(lambda x: x - 3)
    table = explore_retraces(f)
    told = []
    table.on_update(told.append)
    table.opened()
    try:
        f(1.0)
        deadline = time.monotonic() + 10
        while not told and time.monotonic() < deadline:
            time.sleep(0.05)
    finally:
        table.closed()
    assert told
    assert len(table.records) == 1


class Net:
    """An object with an attribute that a method reads."""

    def __init__(self, k):
        self.k = k

    def out(self, x):
        return self.k * x


def test_an_attribute_that_has_changed_makes_results_out_of_date():
    net = Net(2.0)
    f = jaxnb.jit(net.out)
    f(1.0)
    assert explore_retraces(f).facts()["stale"] == []
    net.k = 5.0
    table = explore_retraces(f)
    [(_, path)] = table.facts()["stale"]
    assert path == "self.k"
    assert float(f(1.0)) == 2.0  # as the table says
    [card] = table.panels()[1].cards
    assert "`self.k` was 2.0 when the function was traced, and is 5.0 now." in card.text
    assert card.code == "import jaxnb\njaxnb.clear_caches()"  # no global variable has the compiled function
    f.clear_cache()
    assert float(f(1.0)) == 5.0
    assert [one.changes for one in explore_retraces(f).records if one.is_alive] == [()]


def helper(x):
    return x * scale


def test_globals_are_followed_through_helpers_and_into_containers():
    global scale
    f = jaxnb.jit(lambda x: helper(x) + settings["a"])
    f(1.0)
    scale, settings["a"] = 4.0, 2.0
    try:
        assert {path for _, path in explore_retraces(f).facts()["stale"]} == {"helper → scale", "settings"}
    finally:
        scale, settings["a"] = 3.0, 1.0
    assert explore_retraces(f).facts()["stale"] == []


def test_a_captured_array_that_was_written_to_is_noticed_and_not_kept_alive():
    weights = np.ones(3, np.float32)
    f = jaxnb.jit(lambda x: x + weights.sum())
    f(1.0)
    weights[0] = 9
    assert [path for _, path in explore_retraces(f).facts()["stale"]] == ["weights"]


def test_what_the_trace_itself_changes_is_a_side_effect_and_not_out_of_date():
    log, offsets, seen = [], [1.0], np.zeros(2)
    counts = {"n": 0}

    def f(x):
        log.append("traced")
        counts["n"] += 1
        seen[0] += 1
        return x + offsets[0]

    f = jaxnb.jit(f)
    f(1.0)
    f(jnp.ones(7))
    f(2.0)
    table = explore_retraces(f)
    first, second = [one.number for one in table.records]
    assert table.facts()["stale"] == []
    paths = ["counts", "log", "seen"]
    assert sorted(table.facts()["side_effects"]) == [(n, path) for n in (first, second) for path in paths]
    card = next(card for card in table.panels()[1].cards if "`log`" in card.title)
    assert card.title == f"f (#{first}, #{second}) changes `log` while it is traced"
    assert card.mark == ""
    assert f"`log` was ['traced'] before trace #{second}, which made it ['traced', 'traced']." in card.text
    assert "it happened 2 times" in card.text
    offsets[0] = 5.0  # this is an input
    assert [path for _, path in explore_retraces(f).facts()["stale"]] == ["offsets", "offsets"]
    jsonschema.validate(explore_retraces(f).model(), SCHEMA)


def test_a_global_that_the_trace_itself_counts_is_a_side_effect():
    names = {"jaxnb": jaxnb}
    # From another file, so that it is a function of the user's with globals of its own.
    exec(
        compile("n = 0\ndef f(x):\n    global n\n    n += 1\n    return x * n", "counting.py", "exec"), names
    )
    f = jaxnb.jit(names["f"])
    f(1.0)
    facts = explore_retraces(f).facts()
    assert facts["stale"] == []
    assert [path for _, path in facts["side_effects"]] == ["n"]
    assert not any("out of date" in row.cells[-1] for row in explore_retraces(f).panels()[0].rows)


def test_the_view_follows_the_schema_and_reads_well():
    f = jaxnb.jit(lambda x: x + 5)
    f(1.0)
    table = explore_retraces(f)
    jsonschema.validate(table.model(), SCHEMA)
    text = table.text()
    assert "calls served" in text
    assert "first trace" in text
    jsonschema.validate(explore_retraces().model(), SCHEMA)
