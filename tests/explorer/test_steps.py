"""The four steps of compiling ahead of time, and what became of each argument."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import jsonschema
import numpy as np
import pytest

import jaxnb
import jaxnb.numpy as jnp
from jaxnb.explorer.steps import explore_steps, make_steps_report

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


def test_the_reason_is_not_cut_in_the_text(recwarn):
    made = explore_steps(jaxnb.jit(lambda x: x.sum(), donate_argnums=0), jnp.ones(4))
    made.facts()
    text = " ".join(made.text().split())
    assert "…" not in text
    assert (
        "the donated buffer cannot be used: no result has the type float32[4], and none has 4 elements"
        in text
    )


def test_the_steps_form_a_chain_with_times_and_sizes():
    made = report()
    before = [card.figures for card in made.panels()[0].cards]
    assert before[1:] == [(("", "pending"),)] * 3
    facts = made.facts()
    cards = made.panels()[0].cards
    assert [card.code for card in cards] == [
        'traced = jaxnb.jit(step, static_argnames="n", donate_argnames="params").trace(params, unused, x, n=2)',
        "lowered = traced.lower()",
        "compiled = lowered.compile()",
        "compiled(params, unused, x)",
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


# ---- the code of the cards runs as it is written

SCRIPT = """
import functools
import jaxnb, jaxnb.numpy as jnp, numpy as np
from jaxnb import grad, jit, vmap
x, w, k = jnp.arange(3.0), np.float32(2), 3
batch, options, data = (x, 3), {"p": 3}, [x, w]
def plain(s, p): return s * p
def keyed(s, *, p, q=1.0): return s * p * q
def only(**named): return named["a"] + named["b"]
def variadic(*xs): return xs[0] * len(xs)
upd = jit(plain, static_argnums=1)
named = jit(plain, static_argnames="p")
given = jit(lambda s: s + 1, donate_argnums=0)
part = functools.partial(plain, p=2.0)
@jit
def decorated(s): return s + 1
@functools.partial(jit, static_argnames=("p",), donate_argnums=0)
def both(s, p): return s * p
class Model:
    def __init__(self): self.w = 2.0
    def out(self, s): return s * self.w
    @functools.partial(jit, static_argnums=0)
    def method(self, s): return s * self.w
    def __call__(self, s): return s * self.w
m = Model()
"""
CALLS = [
    ("plain(x, w)", {}), ("plain(x, 3)", {"static_argnames": "p"}), ("plain(x, 3)", {"static_argnums": 1}),
    ("plain(x, p=3)", {"static_argnames": "p"}), ("plain(p=3, s=x)", {"static_argnames": ("p",)}),
    ("plain(x, 3)", {"static_argnums": -1}), ("plain(x + 1, w)", {"donate_argnums": 0}),
    ("plain(x + 1, 3)", {"static_argnames": "p", "donate_argnames": "s", "keep_unused": True}),
    ("plain(*batch)", {"static_argnums": 1}), ("plain(x, **options)", {"static_argnames": "p"}),
    ("plain(*data)", {}), ("plain(x, w)", {"compiler_options": {"xla_cpu_enable_fast_math": True}}),
    ("keyed(x, p=w)", {}), ("keyed(x, p=3, q=w)", {"static_argnames": "p"}), ("only(a=x, b=w)", {}),
    ("variadic(x, x, 1)", {"static_argnums": 2}), ("variadic(x, 1, 2)", {"static_argnums": (1, 2)}),
    ("upd(x, 3)", {}), ("upd(x, 3)", {"static_argnums": 1}), ("named(x, p=3)", {}), ("named(x, 3)", {}),
    ("given(x + 1)", {}), ("part(x)", {}), ("functools.partial(plain, p=2.0)(x)", {}), ("decorated(x)", {}),
    ("both(x + 1, 3)", {}), ("m.out(x)", {}), ("m.method(x)", {}), ("m(x)", {}), ("Model().out(x)", {}),
    ("(lambda s: s + 1)(x)", {}), ("(lambda s, p: s * p)(x, 3)", {"static_argnums": 1}),
    ("jit(plain, static_argnums=1)(x, 3)", {}), ("jaxnb.jit(plain)(x, w)", {}), ("vmap(decorated)(x)", {}),
    ("grad(lambda s: plain(s, s).sum())(x)", {}), ("jnp.sin(x)", {}),
]  # fmt: skip


def run_cards(made, namespace):
    lines = [card.code for card in made.panels()[0].cards]
    exec("\n".join(lines[:-1]), namespace)
    return eval(lines[-1], namespace)


@pytest.mark.parametrize(("call", "options"), CALLS, ids=lambda one: str(one))
def test_the_code_of_the_cards_runs_as_it_is_written(call, options):
    namespace: dict = {}
    exec(SCRIPT, namespace)
    node = ast.parse(call, mode="eval").body
    assert isinstance(node, ast.Call)
    function = eval(ast.unparse(node.func), namespace)
    if options:  # what a magic does with its options
        function = jaxnb.jit(getattr(function, "__wrapped__", function), **options)
    node.func = ast.Name("make", ast.Load())
    source = ast.unparse(node)
    namespace["make"] = lambda *args, **kwargs: make_steps_report(function, args, kwargs, call)
    made = eval(source, namespace)
    expected = eval(source, {**namespace, "make": function})
    np.testing.assert_allclose(run_cards(made, namespace), expected)


def test_static_arguments_stand_in_the_first_card_and_not_in_the_last():
    namespace: dict = {}
    exec(SCRIPT, namespace)

    def cards(call, function, *args):
        return [card.code for card in make_steps_report(function, args, {}, call).panels()[0].cards]

    x, plain = namespace["x"], namespace["plain"]
    first, _, _, last = cards("plain(x, 3)", jaxnb.jit(plain, static_argnames="p"), x, 3)
    assert (first, last) == ('traced = jit(plain, static_argnames="p").trace(x, 3)', "compiled(x)")
    first, _, _, last = cards("upd(x, 3)", namespace["upd"], x, 3)
    assert (first, last) == ("traced = upd.trace(x, 3)", "compiled(x)")


def test_without_a_written_call_the_arguments_go_by_their_names():
    namespace: dict = {"explore_steps": explore_steps}
    exec(SCRIPT, namespace)
    for call in ("plain(x, w)", "decorated(x)", "upd(x, 3)", "part(x)", "m.out(x)", "keyed(x, p=w)"):
        made = eval(f"explore_steps({call.replace('(', ', ', 1)}", namespace)
        code = made.panels()[0].cards[0].code
        assert "…" not in code
        ast.parse(code)
