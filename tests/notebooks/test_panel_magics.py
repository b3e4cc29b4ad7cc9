"""Magics whose views are panels, and the explanation below a traced cell that failed."""

from __future__ import annotations

import re

import pytest

from tests.notebooks.conftest import model_of

TOY = ["import jaxnb.numpy as jnp", "def f(x):", "    y = jnp.add(1, 1)", "    return x * y"]
BRANCH = ["@jaxnb.jit", "def g(x):", "    if x > 0:", "        return x", "    return -x"]


def panel(model, name):
    return next(one for one in model["panels"] if one["id"] == name)


def test_omnistaging_prints_a_comparison_in_a_terminal(session):
    session.run(*TOY)
    ran = session.run("%omnistaging f(3)")
    assert ran.value.facts()["differences"]["jaxpr"] == {"kept": 0, "changed": 1, "added": 1, "removed": 0}
    assert "f(3): omnistaging off | on" in ran.text
    assert "~ b:i32[] = mul a 2:i32[]" in ran.text


def test_omnistaging_is_brought_up_to_date_in_a_notebook(rich):
    rich.run(*TOY)
    ran = rich.run("%omnistaging -o c f(3)")
    comparison = rich["c"]
    comparison.wait()
    rich.wait_for(lambda: model_of(rich.publisher.outputs[-1]["data"])["status"]["run"] == "done")
    first, last = (model_of(ran.outputs[0]["data"]), model_of(rich.publisher.outputs[-1]["data"]))
    assert panel(first, "diff-jaxpr")["counts"] == {"kept": 0, "changed": 1, "added": 1, "removed": 0}
    assert panel(last, "diff-hlo")["kind"] == "diff"
    assert first["open"][:1] == ["summary"]
    assert {one["transient"]["display_id"] for one in rich.publisher.outputs[-2:]} == {
        ran.outputs[0]["transient"]["display_id"]
    }


def test_a_cell_may_define_what_is_compared(session):
    ran = session.run("%%omnistaging f(3)", *TOY)
    assert "Executed at trace time" in ran.text
    assert type(session["f"]).__name__ == "function"


def test_without_a_call_the_first_call_is_compared(session):
    session.run("%%omnistaging", *TOY)
    ran = session.run("y = f(3)")
    assert "omnistaging off | on" in ran.text
    assert int(session["y"]) == 6


def test_help_and_completion_know_it(session):
    assert "structural" in session.run("%omnistaging -h").text
    assert "omnistaging" in session.shell.magics_manager.magics["line"]


def test_an_error_in_a_traced_cell_is_explained_below_it(session):
    session.run(*BRANCH)
    ran = session.run("g(1.)")
    assert type(ran.error).__name__ == "TracerBoolConversionError"
    assert "jnp.where(x > 0, if_true, if_false)" in ran.text
    assert ran.text.index("Attempted boolean conversion") < ran.text.index("What went wrong")


@pytest.mark.parametrize("line", ["g(1.)", "%jaxpr g(1.)", "%omnistaging g(1.)"])
def test_in_a_notebook_the_explanation_is_a_view(rich, line):
    rich.run(*BRANCH)
    ran = rich.run(line)
    assert ran.error is not None
    model = model_of(ran.outputs[-1]["data"])
    assert model["title"] == "g: TracerBoolConversionError"
    assert [row["cells"][0] for row in panel(model, "path")["rows"]] == ["x", "gt", "if"]
    assert model["open"] == ["diagnosis", "path", "source", "jaxpr"]


def test_other_errors_are_left_alone(rich):
    assert rich.run("1 / 0").outputs == []
    assert rich.run("lax.add(1., x)").error is None or rich.run("raise ValueError(1)").outputs == []


def test_constants_lists_what_was_captured(session):
    session.run("table = np.ones((8, 8), np.float32)", "def h(v):", "    return lax.dot(table, v)")
    ran = session.run("%constants h(np.ones(8, np.float32))")
    assert [one["name"] for one in ran.value.facts()["constants"]] == ["table"]
    assert "def h(table, v):" in ran.text


def test_aot_shows_steps_and_signature(session):
    session.run("def p(x, unused, n):", "    return lax.mul(x, x)")
    ran = session.run("%aot --static-argnames n p(x, 1.0, n=2)")
    assert [(one.path, one.kind, one.parameter) for one in ran.value.signature] == [
        ("x", "argument", 0),
        ("unused", "argument", -1),
        ("n", "static", -1),
    ]
    assert "1. trace → Traced: a jaxpr" in ran.text


def test_retrace_takes_a_function_and_counts_what_a_cell_calls(session):
    session.run("@jaxnb.jit", "def r(x):", "    return lax.sin(x)")
    session.run("r(1.0); r(x)")
    ran = session.run("%retrace r")
    assert len(ran.value.records) == 2
    assert "not counted" in ran.text
    ran = session.run("%%retrace r", "for _ in range(3):", "    r(x)")
    assert [one.hits for one in ran.value.records] == [0, 3]


def test_retrace_carries_out_the_call_of_a_compiled_function_and_counts_it(session):
    session.run("@jaxnb.jit", "def counted(x, n=1):", "    return lax.cos(x) * n")
    ran = session.run("%retrace counted(x, n=2)")
    assert [(one.signature, one.hits) for one in ran.value.records] == [("x: f32[6], n: ~i32[]", 1)]
    assert ran.value.title == "counted: traces"
    session.run("%retrace -qo t counted(x, n=2);")
    assert [one.hits for one in session["t"].records] == [2]
    ran = session.run("%%retrace counted(x, n=y)", "y = 4", "counted(x, n=3)")
    assert [one.hits for one in ran.value.records] == [4]
    session.run("calls = []", "def plain(x):", "    calls.append(x)", "    return x")
    ran = session.run("%retrace plain(3)")
    assert "`plain(3)` is no function; write `%retrace f`, or the call of a compiled one." in str(ran.error)
    assert session["calls"] == [3]


def test_retrace_takes_any_expression_that_gives_a_function(session):
    session.run("def g(x):", "    return lax.tan(x)", "jg = jaxnb.jit(g)", "jg(x)", "kept = [jg]")
    for line in ("g", "kept[0]", "jaxnb.jit(g)", "(lambda: jg)()"):
        ran = session.run(f"%retrace {line}")
        assert [one.name for one in ran.value.records] == ["g"], line
    assert "no function `nothing`" in str(session.run("%retrace nothing(3)").error)


def test_the_help_of_retrace_says_what_it_takes(session):
    shown = session.run("%retrace -h").text
    assert shown.startswith("%retrace [options] [function]\n%%retrace [options] [function]\n")
    assert "The call of a compiled\nfunction may stand in its place: it is carried out and counted" in shown
    assert "explored when it is first called" not in shown


@pytest.mark.parametrize(
    ("line", "said"), [("%retrace nothing", "no function `nothing`"), ("%retrace x", "is no function")]
)
def test_retrace_of_something_else_is_a_usage_error(session, line, said):
    ran = session.run(line)
    assert type(ran.error).__name__ == "UsageError"
    assert said in str(ran.error)


def test_a_live_table_counts_until_it_is_closed(rich):
    rich.run("@jaxnb.jit", "def r(x):", "    return lax.cos(x)", "r(1.0)")
    rich.run(
        "from jaxnb.notebook import ExplorationWidget", "from jaxnb.explorer.retraces import explore_retraces"
    )
    rich.run("t = explore_retraces(r)", "w = ExplorationWidget(t)")
    rich.run("r(1.0)", "r(1.0)")
    assert rich["t"].is_counting
    assert [one.hits for one in rich["t"].records] == [2]
    rich["w"].close()
    assert not rich["t"].is_counting


def test_places_in_cells_are_said_by_the_number_of_the_cell(rich):
    rich.run("@jaxnb.jit", "def c(x):", "    return lax.cos(x)")
    rich.run("c(1.0)")
    rich.run("%retrace -o t c")
    rows = panel(rich["t"].model(), "retraces")["rows"]
    assert re.match(r"c at cell \d+, line 1: 1 trace", rows[0]["cells"][0])
    assert re.match(r"cell \d+, line 1 \(<module>\)", rows[1]["cells"][2])


def test_a_cell_with_a_magic_in_it_is_still_read(rich):
    rich.run("%%jaxpr -q g(1.)", "%time 1", *BRANCH[1:])
    model = model_of(rich.publisher.outputs[-1]["data"])
    assert panel(model, "path")["rows"][-1]["cells"][0] == "if"
    assert panel(model, "diagnosis")["cards"][1]["code"] == "jnp.where(x > 0, if_true, if_false)"
    rich.run("table = np.ones((8, 8), np.float32)")
    rich.run("%%constants -o r h(np.ones(8, np.float32))", "def h(v):", "    return lax.dot(table, v)")
    assert "def h(table, v):\n    return lax.dot(table, v)" in rich["r"].rewrite


def test_arrays_of_a_callable_object_and_of_a_partial_have_names(rich):
    rich.run("import functools", "table = np.ones((8, 8), np.float32)")
    rich.run(
        "class Model:",
        "    def __init__(self):",
        "        self.w = table",
        "    def __call__(self, v):",
        "        return lax.dot(self.w, v)",
        "model = Model()",
    )
    rich.run("%constants -o r model(np.ones(8, np.float32))")
    assert [one["name"] for one in rich["r"].facts()["constants"]] == ["table"]
    rich.run("%constants -o r functools.partial(lambda w, v: lax.dot(w, v), table)(np.ones(8, np.float32))")
    assert [one["name"] for one in rich["r"].facts()["constants"]] == ["table"]


def test_an_error_without_a_line_of_the_users_is_at_the_magics(session):
    ran = session.run("%jaxpr sorted([3, 1])")
    assert type(ran.error).__name__ == "TracerBoolConversionError"
    assert "TracerBoolConversionError at the %jaxpr line" in ran.text
    assert "<%" not in ran.text


def test_aot_writes_the_steps_of_any_call(session):
    text = session.run("%aot (lambda y: lax.sin(y))(x)").text
    assert "traced = jaxnb.jit(lambda y: lax.sin(y)).trace(x)\n" in text
    assert "compiled(x)\n" in text
    text = session.run("%aot jaxnb.vmap(lax.sin)(x)").text
    assert "traced = jaxnb.jit(jaxnb.vmap(lax.sin)).trace(x)\n" in text
