"""An error while tracing: the line, the way from the argument to it, the program so far, and what to write instead."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import numpy as np
import pytest

import jaxnb
import jaxnb.numpy as jnp
from jaxnb import lax
from jaxnb.explorer.failure import explain_error

SCHEMA = json.loads(
    (Path(__file__).resolve().parents[2] / "labextension/schema/exploration.schema.json").read_text()
)
X = np.arange(6, dtype=np.float32)


def explained(function, *args):
    with pytest.raises(Exception) as raised:
        jaxnb.jit(function)(*args)
    failure = explain_error(raised.value)
    assert failure is not None
    jsonschema.validate(failure.model(), SCHEMA)
    assert failure.text()
    return failure


def branching(x, n):
    y = jnp.sin(x)
    if y > n:
        return y
    return -y


def test_the_way_from_the_argument_to_the_line():
    failure = explained(branching, 1.0, 2.0)
    line = branching.__code__.co_firstlineno + 2
    assert [(step.label, step.type) for step in failure.captured.steps] == [
        ("x", "f32[]"),
        ("n", "f32[]"),
        ("sin", "f32[]"),
        ("gt", "bool[]"),
    ]
    assert failure.captured.depends_on == ("x", "n")
    assert failure.diagnosis.line == f"line {line}: if y > n:"
    assert (
        failure.jaxpr.split()
        == "{ lambda ; a:f32[] b:f32[]. let c:f32[] = sin a; d:bool[] = gt c b in (d,) }".split()
    )
    text = failure.text()
    assert "`if` asks whether `y > n` is true while the function is traced." in text
    assert "From x and n to the line that failed" in text


def test_its_parts_light_each_other():
    model = explained(branching, 1.0, 2.0).model()
    path = next(panel for panel in model["panels"] if panel["id"] == "path")
    labels = [
        [model["pivots"]["label"][p] for p in model["sets"][row["set"]]]
        for row in path["rows"]
        if "set" in row
    ]
    assert labels == [["x"], ["n"], ["sin"], ["gt"]]
    assert model["open"] == ["diagnosis", "path", "source", "jaxpr"]
    assert model["status"]["trace"] == "failed"


def cures(function, *args):
    return [cure.code for cure in explained(function, *args).diagnosis.cures]


def looping(n):
    for _ in range(n):
        pass


def shape_of_product(x):
    size = jnp.prod(jnp.array(x.shape))
    return x.reshape((size,))


def masked_update(x):
    return x.at[x > 2].set(0)


@pytest.mark.parametrize(
    ("kind", "function", "args", "code"),
    [
        ("bool", branching, (1.0, 2.0), "jnp.where(y > n, if_true, if_false)"),
        ("bool", lambda a, b: min(a, b), (1.0, 2.0), "jnp.minimum(a, b)"),
        ("bool", lambda a: a or 3.0, (1.0,), "jnp.logical_or(a, 3.0)"),
        ("bool", lambda a: 0.0 < a < 1.0, (0.5,), "(0.0 < a) & (a < 1.0)"),
        ("bool", lambda a: not a, (0.5,), "jnp.logical_not(a)"),
        ("shape", lambda n: jnp.arange(n), (4,), 'jaxnb.jit(<lambda>, static_argnames="n")'),
        ("shape", lambda x: jnp.ones(jnp.add(x.size, 1)), (X,), "np.add(x.size, 1)"),
        ("shape", shape_of_product, (X,), "np.prod(x.shape)"),
        ("mask", lambda x: x[x > 2], (X,), "jnp.where(x > 2, x, 0)"),
        ("mask", masked_update, (X,), "jnp.where(x > 2, 0, x)"),
        ("mask", lambda x: jnp.nonzero(x > 2)[0], (X,), "jnp.nonzero(x > 2, size=n, fill_value=0)"),
        ("numpy", lambda x: np.sin(x), (1.0,), "jnp.sin(x)"),
        ("index", lambda x, i: [1, 2, 3][i] * x, (1.0, 1), "jnp.asarray([1, 2, 3])[i]"),
        ("index", looping, (3,), "lax.fori_loop(0, n, body, start)"),
        ("number", lambda x: int(x) + 1, (1.0,), "x.astype(int)"),
        ("attribute", lambda x: x._value, (1.0,), "x.shape, x.dtype"),
    ],
)
def test_what_to_write_instead(kind, function, args, code):
    failure = explained(function, *args)
    assert failure.diagnosis.kind == kind
    assert code in [cure.code for cure in failure.diagnosis.cures]


def test_an_array_is_not_proposed_as_a_static_argument():
    assert not any("static" in code for code in cures(lambda x: np.sin(x), X))
    assert any("static_argnames" in code for code in cures(lambda x: np.sin(x), 1.0))


def test_inside_of_a_loop_it_is_the_body_that_is_shown():
    def body(c, _):
        return (c if c > 0 else -c), None

    failure = explained(lambda x: lax.scan(body, x, None, length=3), 1.0)
    assert failure.diagnosis.line.endswith("return (c if c > 0 else -c), None")
    assert failure.captured.trace.function.endswith("body")


@pytest.mark.parametrize(
    "name", ["unsafe_buffer_pointer()", "addressable_shards", "is_fully_replicated", "_value"]
)
def test_what_only_arrays_have_is_told_from_a_number_that_is_wanted(name):
    failure = explained(eval(f"lambda x: (x * 2).{name}"), 1.0)
    assert failure.diagnosis.kind == "attribute"
    assert f"reads `{name.rstrip('()')}`" in failure.diagnosis.why


keep: dict = {"acts": []}


class Net:
    """An object that remembers."""


net = Net()


def leaking(x):
    keep["acts"].append(jnp.tanh(x))
    net.hidden = jnp.cos(x)
    return x.sum()


@pytest.mark.parametrize(
    ("use", "path"),
    [(lambda: keep["acts"][0] + 1, "keep['acts'][0]"), (lambda: net.hidden * 2, "net.hidden")],
)
def test_a_leaked_value_is_named_by_the_variable_that_keeps_it(use, path):
    keep["acts"].clear()
    jaxnb.jit(leaking)(X)
    with pytest.raises(jaxnb.errors.UnexpectedTracerError) as raised:
        use()
    failure = explain_error(raised.value)
    assert failure is not None
    assert [holder.path for holder in failure.captured.holders] == [path]
    assert failure.diagnosis.why.startswith("A value of type f32[6] outlived the trace it belongs to.")
    assert f"`{path}` keeps it; it was made at line" in failure.diagnosis.why
    keep["acts"].clear()


def test_other_errors_are_left_alone():
    assert explain_error(ValueError("no")) is None
    with pytest.raises(ZeroDivisionError) as raised:
        1 / 0
    assert explain_error(raised.value) is None


def test_an_error_of_the_users_own_shows_the_program_so_far():
    def failing(x):
        jnp.sin(x)
        raise KeyError("w")

    failure = explained(failing, 1.0)
    assert "sin a" in failure.jaxpr
    assert failure.diagnosis.kind == "other"
