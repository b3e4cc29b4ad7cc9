"""The four steps of compiling ahead of time, and what became of each argument."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import numpy as np

import jaxnb
import jaxnb.numpy as jnp
from jaxnb.explorer.steps import explore_steps

SCHEMA = json.loads(
    (Path(__file__).resolve().parents[2] / "labextension/schema/exploration.schema.json").read_text()
)
table = jnp.ones(20)


def step(params, unused, x, n):
    return {"w": params["w"] + x.sum() * n, "y": x * table}


def report():
    function = jaxnb.jit(step, static_argnames="n", donate_argnames="params")
    return explore_steps(function, {"w": jnp.ones(3)}, jnp.ones(5), jnp.ones(20), n=2)


def test_each_argument_is_followed_to_its_parameter():
    rows = {
        one.path: (one.kind, one.parameter, one.is_donated, one.is_dropped, one.aliased_to)
        for one in report().signature
    }
    assert rows == {
        "table": ("constant", 0, False, False, ""),
        "params['w']": ("argument", 1, True, False, "result['w']"),
        "unused": ("argument", -1, False, True, ""),
        "x": ("argument", 2, False, False, ""),
        "n": ("static", -1, False, False, ""),
    }


def test_a_donated_buffer_that_cannot_be_used_says_why(recwarn):
    made = explore_steps(jaxnb.jit(lambda x: x.sum(), donate_argnums=0), jnp.ones(4))
    [row] = made.signature
    assert row.is_donated
    assert row.remark.startswith("the donated buffer cannot be used: no result has the type float32[4]")


def test_the_steps_form_a_chain_with_times_and_sizes():
    made = report()
    before = [card.figures for card in made.panels()[0].cards]
    assert before[1:] == [(("", "pending"),)] * 3
    facts = made.facts()
    cards = made.panels()[0].cards
    assert [card.code for card in cards] == [
        "traced = jit(step).trace(…)",
        "lowered = traced.lower()",
        "compiled = lowered.compile()",
        "compiled(…)",
    ]
    assert all(dict(card.figures).get("took") for card in cards)
    assert {"operations", "size", "parameters"} <= dict(cards[1].figures).keys()
    assert {"instructions", "executable", "temporaries"} <= dict(cards[2].figures).keys()
    assert len(facts["signature"]) == 5
    model = made.model()
    jsonschema.validate(model, SCHEMA)
    assert "written over by" in made.text()


def test_a_step_that_fails_leaves_those_before_it():
    made = explore_steps(
        jaxnb.jit(lambda x: x + 1, compiler_options={"xla_no_such_option": 1}), np.float32(1)
    )
    made.facts()
    assert [card.mark for card in made.panels()[0].cards][:3] == ["good", "good", "bad"]
    jsonschema.validate(made.model(), SCHEMA)


def test_estimates_are_there_under_settings_of_an_exploration_too():
    e = jaxnb.explore(lambda x: jnp.sin(x) + 1, jnp.ones(3), omnistaging=False)
    assert e.lowered_cost["transcendentals"] == 3
