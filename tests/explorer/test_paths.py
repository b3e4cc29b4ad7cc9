"""The way from the arguments to the line that failed, and the programs around it."""

from __future__ import annotations

import jsonschema
import pytest

import jaxnb
import jaxnb.numpy as jnp
from jaxnb import lax
from jaxnb.explorer import explain_error
from tests.explorer.test_diagnosis import SCHEMA


def explained(call):
    with pytest.raises(Exception) as raised:
        call()
    failure = explain_error(raised.value)
    assert failure is not None
    jsonschema.validate(failure.model(), SCHEMA)
    return failure


def path_of(failure):
    [table] = [panel for panel in failure.panels() if panel.id == "path"]
    return table


def steps(failure):
    return [(step.label, step.type) for step in failure.captured.steps]


def plus(x):
    z = jnp.zeros(3)
    return z + x


def test_both_operands_are_shown_with_their_shapes():
    failure = explained(lambda: jaxnb.jit(plus)(jnp.ones(4)))
    assert steps(failure) == [("x", "f32[4]"), ("broadcast_in_dim", "f32[3]")]
    table = path_of(failure)
    assert table.title == "From x to the line that failed"
    assert table.rows[-1].cells[:2] == ("z + x", "f32[3], f32[4]")
    assert table.note == ""
    assert "`z` is [3] and `x` is [4]" in failure.diagnosis.why
    assert failure.captured.depends_on == ("x",)


def test_every_argument_of_an_operand_is_shown():
    failure = explained(lambda: jaxnb.jit(lambda a, b, c: jnp.ones((3, 4)) @ (a + b))(jnp.ones(3), 1.0, 2.0))
    assert [label for label, _ in steps(failure)] == [
        "a",
        "b",
        "broadcast_in_dim",
        "convert_element_type",
        "add",
    ]
    table = path_of(failure)
    assert table.title == "From a and b to the line that failed"
    assert table.rows[-1].cells[1] == "f32[3,4], f32[3]"


def step(c, x):
    return {"pos": c["pos"] + x, "n": c["n"] + 1.0}, None


@pytest.mark.parametrize("is_jitted", [True, False])
def test_of_a_carry_the_way_goes_through_the_body(is_jitted):
    def looping(n):
        return lax.scan(step, {"pos": 0.0, "n": n}, jnp.ones(3))

    failure = explained(lambda: (jaxnb.jit(looping) if is_jitted else looping)(jnp.int32(0)))
    assert failure.diagnosis.kind == "carry"
    assert steps(failure)[int(is_jitted) :] == [
        ("c['n']", "i32[]"),
        ("convert_element_type", "f32[]"),
        ("add", "f32[]"),
    ]
    assert [step.function for step in failure.captured.steps][: int(is_jitted)] == ["looping"] * is_jitted
    assert failure.captured.trace.function == "step"
    assert "convert_element_type" in failure.jaxpr
    assert [one.function for one in failure.captured.around] == ["looping"] * is_jitted
    [cure, _] = failure.diagnosis.cures
    assert "jnp.asarray(n, jnp.float32)" in cure.code


def outer(x, n):
    def body(c, _):
        if c > n:
            c = c - 1
        return c, None

    y = jnp.sin(x)
    return lax.scan(body, y, None, length=3)[0]


def test_inside_of_a_loop_the_way_begins_at_the_outermost_arguments():
    failure = explained(lambda: jaxnb.jit(outer)(1.0, 2.0))
    assert [(step.label, step.function) for step in failure.captured.steps] == [
        ("x", "outer"),
        ("n", "outer"),
        ("sin", "outer"),
        ("c", "body"),
        ("gt", ""),
    ]
    table = path_of(failure)
    assert table.title == "From x, n and c to the line that failed"
    assert [row.cells[2] for row in table.rows[:2]] == ["argument of outer", "argument of outer"]
    [around] = [panel for panel in failure.panels() if panel.id == "around"]
    assert "sin a" in around.cards[0].code
    assert "gt" in failure.jaxpr
    assert "The program around it" in failure.text()
    assert not any("static_argnames" in cure.code for cure in failure.diagnosis.cures)


def while_body(c):
    return c if c[0] > 1 else -c


@pytest.mark.parametrize(
    "loop",
    [
        lambda x: lax.fori_loop(0, 3, lambda i, c: while_body(c), x * 2),
        lambda x: lax.while_loop(lambda c: c[0] < 3, while_body, x * 2),
        lambda x: lax.cond(x[0] > 0, while_body, lambda c: c, x * 2),
        lambda x: lax.switch(0, [while_body], x * 2),
        lambda x: lax.map(while_body, (x * 2)[None]),
        lambda x: jaxnb.jit(while_body)(x * 2),
    ],
    ids=["fori_loop", "while_loop", "cond", "switch", "map", "jit"],
)
def test_other_functions_of_functions_lead_outwards_too(loop):
    failure = explained(lambda: jaxnb.jit(loop)(jnp.ones(2)))
    labels = [step.label for step in failure.captured.steps]
    assert labels[0] == "x"
    assert "mul" in labels
    assert labels[-1] == "gt"
    assert failure.captured.roots in (("x",), ())


def mapped(x, y):
    z = jnp.sin(x)
    return z if z > y else y


def test_under_vmap_the_way_begins_at_the_argument():
    for call in (lambda: jaxnb.jit(jaxnb.vmap(mapped))(jnp.ones(3), jnp.ones(3)),
                 lambda: jaxnb.vmap(mapped)(jnp.ones(3), jnp.ones(3))):  # fmt: skip
        failure = explained(call)
        assert [label for label, _ in steps(failure)] == ["x", "y", "sin", "gt"]
        assert failure.captured.value_type == "bool[]"
        assert "depends on the arguments `x` and `y`" in failure.diagnosis.why
        assert "sin" in failure.jaxpr


calls: list = []


def noisy(x):
    calls.append(x.shape)
    print("once")
    return x if x > 0 else -x


def test_what_is_traced_again_for_the_explanation_leaves_nothing_behind(capsys):
    calls.clear()
    failure = explained(lambda: jaxnb.vmap(noisy)(jnp.arange(3.0)))
    assert "gt" in failure.jaxpr
    assert calls == [()]
    assert capsys.readouterr().out == "once\n"


def test_a_function_that_takes_another_way_when_it_is_traced_is_not_shown_as_if_it_had_not():
    def by_value(x):
        return x + jnp.ones(4) if x[0] > 0 else x.foo

    failure = explained(lambda: jaxnb.grad(lambda x: by_value(x).sum())(jnp.ones(3)))
    assert failure.diagnosis.kind == "mismatch"
    assert failure.jaxpr == ""
    assert "Jaxpr so far" not in failure.text()
    assert "jaxpr" not in failure.model()["open"]


def test_a_gradient_of_an_array_has_the_functions_program():
    failure = explained(lambda: jaxnb.grad(lambda x: jnp.sin(x) * 2)(jnp.ones(3)))
    assert [label for label, _ in steps(failure)] == ["x", "sin", "mul"]
    assert "sin a" in failure.jaxpr


def test_an_operation_outside_of_any_function_has_its_cures_and_no_program():
    failure = explained(lambda: jnp.ones(3) + jnp.ones(4))
    assert failure.jaxpr == ""
    assert failure.diagnosis.kind == "mismatch"
    assert failure.diagnosis.cures
