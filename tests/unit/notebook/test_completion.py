"""What may stand at the cursor behind a magic."""

from __future__ import annotations

import pytest
from IPython.core.completer import CompletionContext

from jaxnb.notebook.completion import make_matcher

CELL = "def selu(x, alpha=1.67):\n    return x\nscale = 3\n"


class Model:
    def apply(self, params, x):
        return x


def loss(params, batch):
    return params


NAMESPACE = {"loss": loss, "x": 1.0, "xs": [1.0], "model": Model(), "_hidden": 1}


def completions(text, body=""):
    """The completions at the end of a first line, with a cell's body below it."""
    token = text.rsplit(" ")[-1]
    for delimiter in "=,(":
        token = token.rsplit(delimiter)[-1]
    context = CompletionContext(
        token=token,
        full_text=f"{text}\n{body}" if body else text,
        cursor_position=len(text),
        cursor_line=0,
        limit=None,
    )
    result = make_matcher(["jit", "jaxpr"], NAMESPACE)(context)
    return [one.text for one in result["completions"]]


def test_options_complete():
    assert completions("%jaxpr --stat") == ["--static-argnums", "--static-argnames"]
    assert "-o" in completions("%%jit -", CELL)


def test_the_values_of_argnames_are_the_functions_own():
    assert completions("%%jit --static-argnames ", CELL) == ["x", "alpha"]
    assert completions("%%jit --static-argnames x,al", CELL) == ["alpha"]
    assert completions("%%jit --static-argnames=al", CELL) == ["alpha"]
    assert completions("%jaxpr --static-argnames pa") == ["params"]


def test_a_name_for_the_output_cannot_be_foreseen():
    assert completions("%jaxpr -o l") == []


def test_functions_come_before_other_names():
    assert completions("%%jit -q ", CELL)[:2] == ["selu", "loss"]
    assert completions("%jaxpr l") == ["loss"]


def test_names_and_keywords_complete_inside_the_call():
    assert completions("%%jit selu(", CELL)[:2] == ["x=", "alpha="]
    assert completions("%%jit selu(x, al", CELL) == ["alpha="]
    assert completions("%jaxpr loss(x") == ["x", "xs"]
    assert completions("%jaxpr loss((1, x), ba") == ["batch="]


def test_attributes_complete():
    assert completions("%jaxpr model.a") == ["model.apply"]
    assert completions("%jaxpr nothing.a") == []


def test_an_assignment_may_stand_before_a_line_magic():
    assert completions("e = %jaxpr lo") == ["loss"]


@pytest.mark.parametrize("text", ["selu(", "%time lo", "%jaxp", "%jaxpr", "1 % jit lo"])
def test_other_lines_are_left_to_others(text):
    assert completions(text) == []


def test_the_body_of_a_cell_is_left_to_others():
    context = CompletionContext(
        token="re", full_text="%%jit selu(x)\n%jit re", cursor_position=7, cursor_line=1, limit=None
    )
    other = make_matcher(["jit"], NAMESPACE)(context)
    assert other["completions"] == []
