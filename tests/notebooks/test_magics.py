"""The magics in a shell: what they define, return, print and display."""

from __future__ import annotations

import re

import numpy as np
import pytest
from IPython.core.completer import provisionalcompleter

from tests.notebooks.conftest import model_of

SQUARE = ["def square(x, n=1):", "    return lax.mul(x, x)"]


def pages(ran):
    """The models that a cell displayed, each with the id it was displayed under."""
    return [(model_of(one["data"]), one["transient"]["display_id"], one.get("update", False)) for one in ran]


# ---- %%jit


def test_the_cell_defines_its_function_compiled(session):
    exploration = session.run("%%jit square(x)", *SQUARE).value
    assert repr(session["square"]).startswith("<PjitFunction of <function square")
    assert exploration.result.tolist() == session["square"](session["x"]).tolist() == [0, 1, 4, 9, 16, 25]
    assert session["_"] is exploration


def test_the_call_is_evaluated_after_the_body(session):
    session.run("%%jit square(y + 1)", *SQUARE, "y = x + 1").value
    assert session["_"].result.tolist() == [4, 9, 16, 25, 36, 49]


def test_the_rest_of_the_cell_sees_the_compiled_function(session):
    session.run("%%jit square(x)", *SQUARE, "kind = type(square).__name__", "y = square(x)").value
    assert session["kind"] == "PjitFunction"
    assert session["y"].tolist() == [0, 1, 4, 9, 16, 25]


def test_the_called_function_is_wrapped_and_no_other(session):
    session.run("%%jit square(x)", *SQUARE, "def other(x):", "    return x").value
    assert type(session["square"]).__name__ == "PjitFunction"
    assert type(session["other"]).__name__ == "function"


def test_a_function_of_a_function_may_be_called(session):
    body = ["def total(x):", "    return lax.reduce_sum(lax.mul(x, x), (0,))"]
    exploration = session.run("%%jit jaxnb.grad(total)(x)", *body).value
    assert exploration.result.tolist() == [0, 2, 4, 6, 8, 10]
    assert type(session["total"]).__name__ == "PjitFunction"


def test_a_function_of_an_earlier_cell_may_be_called(session):
    session.run(*SQUARE)
    assert session.run("%%jit square(y)", "y = x[:2]").value.result.tolist() == [0, 1]
    assert session.run("%jit square(x)").value.result.tolist() == [0, 1, 4, 9, 16, 25]


def test_without_a_call_the_last_function_is_explored_when_it_is_first_called(session):
    ran = session.run("%%jit", "def first(x):", "    return x", *SQUARE)
    assert (ran.value, ran.text) == (None, "")
    assert "explored at its first call" in repr(session["square"])
    assert session["square"].__name__ == "square"
    ran = session.run("y = square(x)")
    assert "square · cpu:0" in ran.text
    assert session["y"].tolist() == [0, 1, 4, 9, 16, 25]
    assert type(session["square"]).__name__ == "PjitFunction"
    assert session.run("y = square(x)").text == ""


def test_the_first_call_may_stand_in_the_same_cell(session):
    ran = session.run("%%jit", *SQUARE, "y = square(x)")
    assert "square · cpu:0" in ran.text
    assert session["y"].tolist() == [0, 1, 4, 9, 16, 25]


def test_a_call_inside_another_trace_is_not_the_first_call(session):
    session.run("%%jit", *SQUARE)
    assert session.run("y = jaxnb.jit(lambda x: square(x))(x)").text == ""
    assert "square · cpu:0" in session.run("square(x);").text


def test_options_of_jit_reach_jit(session):
    body = ["def power(x, n):", "    for _ in range(n):", "        x = lax.mul(x, x)", "    return x"]
    exploration = session.run("%%jit --static-argnames n power(x, 2)", *body).value
    assert exploration.jaxpr.count("mul") == 2
    assert session["power"](session["x"], 1).tolist() == [0, 1, 4, 9, 16, 25]
    assert session.run("%jaxpr --static-argnums 1 power.__wrapped__(x, 3)").value.jaxpr.count("mul") == 3


def test_a_decorated_function_is_wrapped_as_decorated(session):
    session.run("def twice(f):", "    return lambda x: f(f(x))")
    ran = session.run("%%jit square(x)", "@twice", *SQUARE)
    assert ran.value.result.tolist() == [0, 1, 16, 81, 256, 625]


# ---- options that all have


def test_the_exploration_is_kept_under_a_name(session):
    ran = session.run("%%jit -o kept square(x)", *SQUARE)
    assert session["kept"] is ran.value
    assert session.run("e = %jaxpr square(x)").value is None
    assert session["e"].jaxpr == session["kept"].jaxpr


def test_quiet_shows_nothing_and_does_everything(session, request):
    ran = session.run("%%jit -q -o kept square(x)", *SQUARE)
    assert re.sub(r"Out\[\d+\]: <exploration of square\(x\).*>\s*", "", ran.text) == ""
    assert session["kept"].result.tolist() == [0, 1, 4, 9, 16, 25]


@pytest.mark.parametrize("name", ["jit", "jaxpr", "stablehlo", "hlo", "fusion"])
def test_help_is_printed_and_nothing_done(session, name):
    ran = session.run(f"%{name} -h")
    assert ran.value is None
    assert ran.text.startswith(f"%{name} [options] call\n")
    assert session.run(f"%%{name} -h", "y = 1").value is None
    assert "y" not in session.shell.user_ns


def test_questions_to_the_shell_are_answered(session):
    assert "%%jit [options] [call]" in session.shell.find_line_magic("jit").__doc__


# ---- one stage


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("jaxpr", "{ lambda ; a:f32[6]. let b:f32[6] = mul a a in (b,) }"),
        ("stablehlo", "stablehlo.multiply %arg0, %arg0 : tensor<6xf32>"),
        ("hlo", "f32[6]{0} multiply("),
        ("fusion", "mul"),
    ],
)
def test_a_stage_is_shown_by_line_and_by_cell(session, name, shown):
    session.run(*SQUARE)
    by_line = session.run(f"%{name} square(x)")
    by_cell = session.run(f"%%{name} square(x)", *SQUARE)
    assert shown in by_line.text
    assert shown in by_cell.text
    assert type(session["square"]).__name__ == "function"


def test_the_jaxpr_needs_neither_lowering_nor_compiling(session):
    session.run(*SQUARE)
    assert session.run("%jaxpr square(x)").value.status.states["lower"] == "pending"
    assert session.run("%stablehlo square(x)").value.status.states["compile"] == "pending"


def test_several_lines_of_a_cell_all_show(session):
    session.run(*SQUARE)
    ran = session.run("%jaxpr square(x)", "%stablehlo square(x)", "1")
    assert "mul a a" in ran.text
    assert "stablehlo.multiply" in ran.text


def test_without_a_call_a_stage_is_shown_at_the_first_call(session):
    assert session.run("%%jaxpr", *SQUARE).text == ""
    ran = session.run("y = square(x)")
    assert "mul a a" in ran.text
    assert type(session["square"]).__name__ == "function"
    assert np.asarray(session["y"]).tolist() == [0, 1, 4, 9, 16, 25]


def test_braces_and_dollars_in_the_call_are_pythons(session):
    session.run("def pick(d, name='$x'):", "    return d['a']")
    assert session.run("%jaxpr pick({'a': x})").value.jaxpr.startswith("{ lambda ; a:f32[6]. let")


# ---- where the source is from


def test_a_semicolon_and_a_comment_are_no_part_of_the_call(session):
    ran = session.run("%jaxpr lax.sin(x);")
    assert ran.error is None
    assert "sin a" in ran.text
    assert "Out[" not in ran.text
    assert "<exploration of lax.sin(x): trace" in session.run("%jaxpr lax.sin(x)  # why").text


def test_a_line_in_a_function_sees_the_functions_variables(session):
    ran = session.run(
        "def look(y, n):",
        "    %jaxpr -o seen (lambda z: lax.mul(z, n))(y)",
        "    return n",
        "look(np.ones(3, np.float32), np.float32(7))",
    )
    assert ran.error is None, ran.text
    assert "mul a 7.0:f32[]" in ran.text
    assert session["seen"].trace.arguments[0].type == "f32[3]"
    assert "y" not in session.shell.user_ns


def test_the_source_is_the_cell_with_its_lines(session):
    exploration = session.run("", "%%jit -q square(x)", "# a remark", *SQUARE).value
    source = exploration.trace.source
    assert source.label == f"cell {session.shell.execution_count - 1}"
    assert source.text.startswith("\n%%jit -q square(x)\n# a remark\ndef square")
    [equation] = exploration.trace.equations
    assert (equation.source.line, equation.source.column) == (5, 11)
    assert source.text.split("\n")[equation.source.line - 1].strip() == "return lax.mul(x, x)"


def test_a_plain_cells_magics_are_shown_as_they_were_written(session):
    session.run(*SQUARE, "%jaxpr -q -o seen square(x)")
    text = session.shell.user_ns["seen"].trace.source.text
    assert text.endswith("\n%jaxpr -q -o seen square(x)")
    assert "get_ipython" not in text


def test_a_lambda_of_a_line_has_that_line_as_its_source(session):
    exploration = session.run("y = 1", "%jaxpr (lambda v: lax.sin(v))(x)").value
    [equation] = exploration.trace.equations
    line = exploration.trace.source.text
    assert line == "%jaxpr (lambda v: lax.sin(v))(x)"
    assert line[equation.source.column : equation.source.end_column] == "lax.sin(v)"


# ---- in a notebook


def settled(rich, ran):
    """Waits until the last update of a cell's exploration has been sent, and returns its outputs."""
    exploration = rich["_"]
    assert exploration.wait(60)
    rich.wait_for(lambda: finished(rich.publisher.outputs[-1]))
    return [one for one in rich.publisher.outputs if one in ran.outputs or one.get("update")]


def finished(output):
    return (
        model_of(output["data"])["status"]["run"] == "done" and model_of(output["data"])["graph"] is not None
    )


def test_the_first_view_has_source_and_jaxpr_and_the_last_has_everything(rich):
    ran = rich.run("%%jit square(x)", *SQUARE)
    shown = pages(settled(rich, ran))
    first, last = shown[0], shown[-1]
    assert {one["id"] for one in first[0]["documents"]} == {"source", "jaxpr"}
    assert {one["id"] for one in last[0]["documents"]} == {"source", "jaxpr", "stablehlo", "hlo"}
    assert last[0]["graph"] is not None
    assert [update for _, _, update in shown] == [False] + [True] * (len(shown) - 1)
    assert len({id for _, id, _ in shown}) == 1
    assert first[0]["title"] == "square(x)"


def test_updates_say_what_comes_and_end_with_the_state_that_is_saved(rich):
    ran = rich.run("%%jit square(x)", *SQUARE)
    last = settled(rich, ran)[-1]
    assert last["data"] == last["data"] | {"text/plain": rich["_"].text()}
    assert set(last["data"]) == {"text/plain", "text/html", "application/vnd.jaxnb.exploration+json"}


def test_a_stage_opens_its_panes(rich):
    rich.run(*SQUARE)
    [(model, _, _)] = pages(rich.run("%jaxpr square(x)").outputs)
    assert model["open"] == ["source", "jaxpr"]
    outputs = rich.run("%stablehlo square(x)").outputs
    assert [one.get("update", False) for one in outputs] == [False, True]
    assert "stablehlo.multiply" in outputs[-1]["data"]["text/plain"]


def test_a_cell_that_ends_with_an_exploration_shows_it_once(rich):
    ran = rich.run("%%jit square(x)", *SQUARE)
    assert [one for one in ran.outputs if not one.get("update")] == ran.outputs[:1]
    again = rich.run("_")
    assert not again.outputs[0].get("update")


def test_a_plain_exploration_is_shown_live_too(rich):
    ran = rich.run("from jaxnb.explorer.explore import explore", *SQUARE, "explore(square, x)")
    assert pages(ran.outputs)[0][0]["title"] == "square"
    ran = rich.run("_.show()")
    assert pages(ran.outputs)[0][0]["title"] == "square"


def test_quiet_displays_nothing(rich):
    assert rich.run("%%jit -q square(x)", *SQUARE).outputs == []


def test_a_program_that_runs_notebooks_gets_one_finished_view(batch):
    ran = batch.run("%%jit square(x)", *SQUARE)
    assert len(ran.outputs) == 1
    assert finished(ran.outputs[0])


def test_waiting_can_be_asked_for(rich):
    ran = rich.run("%%jit --wait square(x)", *SQUARE)
    assert finished(ran.outputs[-1])


def test_a_panel_is_a_widget_and_no_static_form(rich):
    [output] = rich.run("%%jit -w square(x)", *SQUARE).outputs
    assert "application/vnd.jupyter.widget-view+json" in output["data"]
    assert output["data"]["text/plain"].startswith("square(x) · cpu:0")
    assert "text/html" not in output["data"]


# ---- completion through the shell


def test_the_shell_completes_options_and_names(session):
    session.run(*SQUARE)
    for line, wanted in {"%jaxpr --static": "--static-argnames", "%jaxpr squ": "square"}.items():
        with provisionalcompleter():
            assert wanted in {one.text for one in session.shell.Completer.completions(line, len(line))}
