"""Both modes of tracing side by side: the programs of the migration guide, and its five problems with their diagnoses."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import jsonschema
import numpy as np
import pytest

import jaxnb
import jaxnb.numpy as jnp
from jaxnb import lax, random
from jaxnb.explorer.explore import explore
from jaxnb.explorer.model.hlo_parse import parse_hlo, short_shape
from jaxnb.explorer.omnistaging import compare_omnistaging
from jaxnb.xla.unfolded import unfolded_text

SCHEMA = json.loads(
    (Path(__file__).resolve().parents[2] / "labextension/schema/exploration.schema.json").read_text()
)
GRID = np.arange(12, dtype=np.int32).reshape(3, 4)


def f(x):
    y = jnp.add(1, 1)
    return x * y


def select_tril(x):
    mask = jnp.arange(x.shape[0])[:, None] > jnp.arange(x.shape[1])
    return lax.select(mask, x, jnp.zeros_like(x))


def spelled(text: str) -> Counter:
    """The operations of an HLO program with their shapes, spelled as XLA did when the guide was written.

    A broadcast that leaves the shape as it is, which XLA writes today, is left out; a reshape that puts in an axis of
    size 1 is a broadcast there.
    """
    entry = parse_hlo(text).entry
    found = []
    for one in entry.instructions.values():
        shape = short_shape(one.shape)
        before = short_shape(entry.instructions[one.operands[0]].shape) if one.operands else ""
        if one.opcode == "broadcast" and before == shape:
            continue
        is_wider = one.opcode == "reshape" and shape.count(",") > before.count(",")
        found.append(("broadcast" if is_wider else one.opcode, shape))
    return Counter(found)


def hlo_of(function, x, omnistaging):
    with jaxnb.omnistaging(omnistaging):
        return spelled(unfolded_text(jaxnb.jit(function).lower(x).as_text()))


# The lists of the guide, without the unused pred[] and the tuple of the result.
TOY_BEFORE = [("parameter", "s32[]"), ("constant", "s32[]"), ("multiply", "s32[]")]
TOY_AFTER = [
    ("parameter", "s32[]"), ("constant", "s32[]"), ("constant", "s32[]"), ("add", "s32[]"), ("multiply", "s32[]"),
]  # fmt: skip
MASK_BEFORE = [
    ("constant", "pred[3,4]"), ("parameter", "s32[3,4]"), ("constant", "s32[]"), ("broadcast", "s32[3,4]"),
    ("select", "s32[3,4]"),
]  # fmt: skip
MASK_AFTER = [
    ("iota", "s32[3]"), ("broadcast", "s32[3,1]"), ("reshape", "s32[3]"), ("broadcast", "s32[3,4]"),
    ("iota", "s32[4]"), ("broadcast", "s32[1,4]"), ("reshape", "s32[4]"), ("broadcast", "s32[3,4]"),
    ("compare", "pred[3,4]"), ("parameter", "s32[3,4]"), ("constant", "s32[]"), ("broadcast", "s32[3,4]"),
    ("select", "s32[3,4]"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("function", "x", "before", "after"),
    [(f, 3, TOY_BEFORE, TOY_AFTER), (select_tril, GRID, MASK_BEFORE, MASK_AFTER)],
)
def test_the_programs_of_the_guide_have_the_operations_it_lists(function, x, before, after):
    assert hlo_of(function, x, False) == Counter(before)
    assert hlo_of(function, x, True) == Counter(after)


def primitives(exploration):
    return [equation.primitive for equation in exploration.trace.equations]


def test_the_jaxprs_have_these_operations_too():
    toy, mask = compare_omnistaging(f, 3), compare_omnistaging(select_tril, GRID)
    assert (primitives(toy.off), primitives(toy.on)) == (["mul"], ["add", "mul"])
    assert primitives(mask.off) == ["broadcast_in_dim", "select_n"]
    staged = ["iota", "broadcast_in_dim", "iota", "broadcast_in_dim", "gt", "broadcast_in_dim", "select_n"]
    assert primitives(mask.on) == staged


def test_what_was_executed_is_listed_with_type_and_line():
    comparison = compare_omnistaging(select_tril, GRID)
    rows = comparison.off.trace.executed
    assert [(one.primitive, one.out_types, one.nbytes) for one in rows] == [
        ("iota", ("i32[3]",), 12),
        ("broadcast_in_dim", ("i32[3,1]",), 12),
        ("iota", ("i32[4]",), 16),
        ("broadcast_in_dim", ("i32[1,4]",), 16),
        ("gt", ("bool[3,4]",), 12),
    ]
    assert {one.source.line for one in rows} == {select_tril.__code__.co_firstlineno + 1}
    # the zero is repeated by the program, as the guide says
    assert comparison.off.trace.repeats == 1
    [panel] = [panel for panel in comparison.panels() if panel.id == "executed"]
    assert panel.note.startswith("5 operations ran while the function was traced, and gave 68 B.")
    assert "1 more `broadcast_in_dim` made one number repeated: that is staged" in panel.note
    assert comparison.on.trace.executed == ()


def test_the_comparison_has_every_figure_of_both_modes():
    comparison = compare_omnistaging(select_tril, GRID)
    facts = comparison.facts()
    assert facts["executed"] == [
        "iota",
        "broadcast_in_dim",
        "iota",
        "broadcast_in_dim",
        "gt",
    ]
    assert (facts["off"]["bytes"]["constants"], facts["on"]["bytes"]["constants"]) == (12, 0)
    assert facts["differences"]["jaxpr"] == {"kept": 1, "changed": 1, "added": 5, "removed": 1}
    assert set(facts["differences"]) == {"jaxpr", "stablehlo", "unoptimized", "hlo"}
    assert facts["numeric"]["differing"] == 0
    assert facts["problems"] == []
    for mode in ("off", "on"):
        assert all(facts[mode]["seconds"][stage] > 0 for stage in ("trace", "lower", "compile", "run"))
        assert facts[mode]["bytes"]["temporaries"] is not None
        assert facts[mode]["stablehlo"]["characters"] > 0
    assert comparison.result.tolist() == np.tril(GRID, -1).tolist()


def test_names_and_order_do_not_count():
    comparison = compare_omnistaging(lambda x: lax.sin(x) * x, np.float32(2))
    assert {
        stage: comparison.diff(stage).changes for stage in ("jaxpr", "stablehlo", "unoptimized", "hlo")
    } == {
        "jaxpr": 0,
        "stablehlo": 0,
        "unoptimized": 0,
        "hlo": 0,
    }


def test_the_model_and_the_text_say_the_same_before_and_after_compiling():
    comparison = compare_omnistaging(f, 3)
    early = comparison.model()
    jsonschema.validate(early, SCHEMA)
    assert [panel["kind"] for panel in early["panels"]][-2:] == ["waiting", "waiting"]
    comparison.facts()
    model = comparison.model()
    jsonschema.validate(model, SCHEMA)
    assert [panel["id"] for panel in model["panels"]] == [panel["id"] for panel in early["panels"]]
    diff = next(panel for panel in model["panels"] if panel["id"] == "diff-jaxpr")
    changed = next(row for row in diff["rows"] if row[0] == 1)
    assert changed[2:4] == ["b:i32[] = mul a 2:i32[]", "c:i32[] = mul a b"]
    assert [model["pivots"]["label"][pivot] for pivot in model["sets"][changed[4]]] == ["mul"]
    text = comparison.text()
    assert "~ b:i32[] = mul a 2:i32[]" in text
    assert "operand 2 was 2:i32[], now add" in text
    assert "equal, bit for bit" in text


def test_an_exploration_without_omnistaging_lists_what_was_executed(tmp_path):
    exploration = explore(select_tril, GRID, omnistaging=False)
    assert [panel.id for panel in exploration.panels()] == ["executed"]
    assert "Executed at trace time" in exploration.text()
    jsonschema.validate(exploration.model(), SCHEMA)
    assert exploration.save(tmp_path / "page.html").exists()
    assert explore(select_tril, GRID).panels() == []


# ---- the five problems


def flat_size(x):
    size = jnp.prod(jnp.array(x.shape))
    return x.reshape((size,))


def test_problem_1_shapes_computed_with_jnp():
    comparison = compare_omnistaging(flat_size, np.ones((3, 4), np.float32))
    [problem] = comparison.problems
    assert (problem.number, problem.line) == (
        1,
        f"line {flat_size.__code__.co_firstlineno + 1}: size = jnp.prod(jnp.array(x.shape))",
    )
    assert "`x.reshape((size,))`" in problem.why
    assert "it is the result of `reduce_prod`" in problem.why
    assert [cure.code for cure in problem.cures] == ["np.prod(x.shape)"]
    assert comparison.on is None
    assert comparison.facts()["off"]["equations"]["total"] == 1
    with pytest.raises(TypeError, match="Shapes must be 1D sequences of concrete values"):
        comparison.diff("jaxpr")
    jsonschema.validate(comparison.model(), SCHEMA)
    assert "TypeError" in comparison.text()


state = jnp.array([1.0, 2.0])
kept: list = []


def next_number():
    global state
    state = jnp.sin(state)
    return state.sum()


def keeping(x):
    kept.append(jnp.exp(jnp.float32(1)))
    return x


def test_problem_2_a_global_that_is_assigned():
    before = state
    [problem] = compare_omnistaging(next_number).problems
    assert (problem.number, problem.line) == (
        2,
        f"line {next_number.__code__.co_firstlineno + 2}: state = jnp.sin(state)",
    )
    assert "every call after the first sees what the first one saw" in problem.why
    assert "`state` then holds a traced value" in problem.why
    assert problem.cures[0].code.startswith("def next_number(state):")
    assert state is before  # it was taken back


key = random.key(0)


def draw():
    global key
    key, subkey = random.split(key)
    return random.normal(subkey)


def test_problem_2_a_random_key():
    comparison = compare_omnistaging(draw)
    assert comparison.errors == {}
    assert comparison.facts()["problems"] == [2]
    assert "[...]:key<fry>[]" in comparison.on.jaxpr


def test_problem_2_a_container_that_keeps_a_traced_value():
    [problem] = compare_omnistaging(keeping, np.float32(1)).problems
    assert problem.number == 2
    assert problem.why.startswith("`kept[0]` is changed while the function is traced")
    assert "`kept[0]` then holds a traced value of type f32[]" in problem.why
    assert problem.cures[0].code.endswith("result, value = keeping(x)\nkept.append(value)")
    assert kept == []  # it was taken back


def rounding(x):
    a = jnp.sin(jnp.arange(1000.0) * 0.37) / 3.0 * 3.0
    return (a * jnp.exp(a) - a) + x


def test_problem_3_numbers_in_the_last_places():
    comparison = compare_omnistaging(rounding, np.float32(1))
    facts = comparison.facts()
    assert 0 < facts["numeric"]["ulps"] < 64
    [problem] = comparison.problems
    assert problem.number == 3
    assert problem.line.startswith(f"line {rounding.__code__.co_firstlineno + 1}: a = jnp.sin")
    assert "assert_allclose" in problem.cures[0].code


def internal(x):
    y = jnp.add(1, 1)
    return x * y._value


def test_problem_4_internals():
    [problem] = compare_omnistaging(internal, np.int32(1)).problems
    assert problem.number == 4
    assert problem.line == f"line {internal.__code__.co_firstlineno + 1}: y = jnp.add(1, 1)"
    assert "`y._value` reads `_value`" in problem.why
    assert problem.cures[0].code == "np.add(1, 1)"


def refused_by_xla(x):
    w = jnp.ones((2, 2), jnp.int4)
    try:
        table = lax.dot_general(w, w, (((1,), (0,)), ((), ())), preferred_element_type=jnp.int32)
    except Exception:
        table = np.full((2, 2), 2, np.int32)
    return x * table


def test_problem_5_xla_refuses_the_larger_program():
    comparison = compare_omnistaging(refused_by_xla, np.int32(2))
    facts = comparison.facts()
    assert facts["problems"] == [5]
    [problem] = comparison.problems
    assert "broadcast_in_dim, dot_general" in problem.why
    assert 'op_name="q' not in problem.why  # no tag of an equation is ever shown
    assert comparison.off.result.tolist() == [[4, 4], [4, 4]]
    jsonschema.validate(comparison.model(), SCHEMA)


def test_an_error_in_both_modes_is_the_users_own():
    with pytest.raises(TypeError, match="incompatible shapes"):
        compare_omnistaging(lambda x: x + np.ones(3, np.float32), np.ones(2, np.float32))
