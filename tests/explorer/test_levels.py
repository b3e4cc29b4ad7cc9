"""How much is known of a value while it is traced: what is said is held against what then happens."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import weakref
from pathlib import Path

import jsonschema
import numpy as np
import pytest

import jaxnb
import jaxnb.numpy as jnp
from jaxnb import lax, random
from jaxnb.explorer import explore_levels
from tests.requirements import find_oracle

SCHEMA = json.loads(
    (Path(__file__).resolve().parents[2] / "labextension/schema/exploration.schema.json").read_text()
)


def seen_by(transform, *args):
    """The levels of the argument, as a function sees them that is called through a transformation."""
    found = []

    def look(x):
        found.append(explore_levels(x))
        return x

    transform(look)(*args)
    return found[-1]


def row_of(levels, code):
    [row] = [one for one in levels.captured.attempts if one.code == code]
    return row


@pytest.mark.parametrize(
    ("transform", "argument", "level", "value", "layers"),
    [
        (lambda f: f, 3.0, "value", "3.0", [("a plain value", "")]),
        (lambda f: f, np.arange(3), "value", "[0 1 2]", [("a plain value", "")]),
        (jaxnb.jit, jnp.ones(3), "shape and type", None, [("JitTracer", "jit")]),
        (jaxnb.make_jaxpr, 3, "shape and type", None, [("JitTracer", "jit")]),
        (jaxnb.grad, 3.0, "value", "3.0", [("GradTracer", "grad"), ("a plain value", "")]),
        (
            jaxnb.vmap,
            jnp.arange(3.0),
            "shape and type",
            None,
            [("VmapTracer", "vmap"), ("a plain value", "")],
        ),
        (
            lambda f: jaxnb.jit(jaxnb.vmap(jaxnb.grad(f))),
            jnp.arange(3.0),
            "shape and type",
            None,
            [("GradTracer", "grad"), ("VmapTracer", "vmap"), ("JitTracer", "jit")],
        ),
        (
            lambda f: lambda x: jaxnb.jvp(f, (x,), (x,)),
            2.0,
            "value",
            "2.0",
            [("JVPTracer", "jvp"), ("a plain value", "")],
        ),
        (
            lambda f: lambda x: lax.scan(lambda c, y: (f(c), y), x, jnp.ones(2)),
            jnp.float32(1),
            "shape and type",
            None,
            [("JitTracer", "scan")],
        ),
    ],
)
def test_who_traces_decides_how_much_is_known(transform, argument, level, value, layers):
    facts = seen_by(transform, argument).facts()
    assert facts["level"] == level
    assert facts["value"] == value
    assert [(name, made_by) for name, made_by, _ in facts["layers"]] == layers


def test_the_ladder_has_the_four_levels_and_says_what_each_keeps_and_forgets():
    rows = seen_by(jaxnb.jit, jnp.ones((4, 3))).facts()["levels"]
    assert [(r["once"], r["now"], r["known"], r["forgotten"], r["here"], r["serves"]) for r in rows] == [
        ("ConcreteArray", "gone", "unknown", "nothing", "unknown", "this value"),
        ("ShapedArray", "the same", "f32[4,3]", "value", "kept", "every f32[4,3]"),
        ("BoundedInt", "bounded n", "f32[n,3], n <= 8", "value, exact size", "not in jaxnb", "every n <= 8"),
        ("DBIdx", "n", "f32[n,3]", "value, size", "not in jaxnb", "every n"),
    ]  # fmt: skip


def test_a_weak_type_is_marked():
    assert seen_by(jaxnb.jit, 3.0).facts()["type"] == "~f32[]"
    assert seen_by(jaxnb.jit, np.float32(3)).facts()["type"] == "f32[]"


def test_what_has_no_size_has_no_size_to_forget():
    for argument in (3.0, jnp.ones(0)):
        assert len(seen_by(jaxnb.jit, argument).facts()["levels"]) == 2


CASES = [
    jnp.ones((2, 3)),
    jnp.ones(3, jnp.bfloat16),
    jnp.arange(5),
    jnp.zeros(0),
    3,
    3.0,
    1j,
    True,
    np.uint8(7),
    np.float32(2),
    random.key(0),
    random.split(random.key(0)),
]


@pytest.mark.parametrize("argument", CASES, ids=lambda x: str(jaxnb.typeof(x)))
def test_what_is_said_to_be_refused_is_refused_and_the_rest_is_not(argument):
    """Each line is run again as Python code, in a trace by the user's own means and on the value."""
    levels = seen_by(jaxnb.make_jaxpr, argument)
    known = explore_levels(argument)
    assert [one.code for one in known.captured.attempts] == [one.code for one in levels.captured.attempts]
    for traced, concrete in zip(levels.captured.attempts, known.captured.attempts, strict=True):
        code = traced.code.removesuffix(": …").removeprefix("if ").removeprefix("for _ in ")
        code = f"bool({code})" if traced.code.startswith("if ") else code
        names = {"jnp": jnp, "np": np}
        errors = []

        def look(x, code=code, names=names, errors=errors):
            try:
                eval(code, {**names, "x": x})
            except Exception as error:
                errors.append(type(error).__name__)
            return 0

        jaxnb.make_jaxpr(look)(argument)
        assert errors == ([traced.with_type] if traced.is_refused else []), code
        assert traced.with_value == ""
        assert concrete.with_value
        if hasattr(argument, "shape") and not (argument.size == 0 and "[0]" in code):
            eval(code, {**names, "x": argument})  # with a value, Python may do all of them


def test_what_python_gets_is_shown():
    levels = seen_by(jaxnb.grad, 3.0)
    assert row_of(levels, "if x > 0: …").with_value == "True"
    assert row_of(levels, "float(x)").with_value == "3.0"
    assert row_of(levels, "float(x)").with_type == "ConcretizationTypeError"
    levels = seen_by(jaxnb.jit, jnp.ones((2, 3)))
    assert row_of(levels, "2 * x.shape[0]").with_type == "4"
    assert row_of(levels, "x[0]").with_type == "traced f32[3]"
    assert row_of(levels, "[row for row in x]").with_type == "2 traced values"
    assert row_of(explore_levels(7), "[10, 20][x % 2]").with_value == "20"
    assert row_of(explore_levels(7), "x.shape").with_value == "AttributeError"  # a Python number has none


def test_what_is_refused_depends_on_who_traces():
    asks = ["if x > 0: …", "float(x)", "np.asarray(x)"]
    assert seen_by(jaxnb.grad, 3.0).facts()["refused"] == []
    facts = seen_by(jaxnb.jit, 3.0).facts()
    assert facts["refused"] == asks
    assert "x + 1" in facts["allowed"]
    assert explore_levels(3.0).facts()["refused"] == ["x.dtype", "x.ndim", "x.shape"]  # a Python number


@pytest.mark.parametrize(
    ("argument", "others"),
    [
        (
            jnp.ones(3),
            {
                "the same value": jnp.ones(3),
                "another value of this type": jnp.zeros(3),
                "another size": jnp.ones(4),
                "one axis more": jnp.ones((2, 3)),
                "another dtype": jnp.ones(3, jnp.int32),
            },
        ),
        (
            np.float32(1),
            {
                "the same value": np.float32(1),
                "another value of this type": np.float32(2),
                "one axis more": np.ones(2, np.float32),
                "a Python number": 1.0,
                "another dtype": np.int32(1),
            },
        ),
        (
            1.0,
            {
                "the same value": 1.0,
                "another value of this type": 2.0,
                "one axis more": jnp.full((2,), 1.0),
                "one of a dtype that was asked for": np.float32(1),
                "another dtype": 1,
            },
        ),
    ],
    ids=["array", "NumPy", "Python"],
)
def test_one_program_serves_the_calls_that_are_said_to_be_served(argument, others):
    said = seen_by(jaxnb.jit, argument).facts()["serves"]
    assert said.keys() == others.keys()
    for what, other in others.items():
        f = jaxnb.jit(lambda x: x + x)
        f(argument)
        f(other)
        assert (f._cache_size() == 1) == said[what], what


def test_looking_changes_nothing_in_the_program():
    def f(x, look):
        y = jnp.sin(x) * 2.0
        if look:
            explore_levels(y).text()
        return y.sum()

    printed = [str(jaxnb.make_jaxpr(f, static_argnums=1)(jnp.ones((2, 3)), look)) for look in (True, False)]
    assert printed[0] == printed[1]


def test_the_program_so_far_has_the_value_as_its_result():
    found = []

    @jaxnb.jit
    def f(x):
        y = jnp.sin(x)
        z = y * 2.0
        found.append(explore_levels(y))
        return z

    f(jnp.ones(3))
    [layer] = found[0].captured.layers
    assert layer.holds == "a variable of the jaxpr: the result of sin"
    assert layer.program == (
        "{ lambda ; a:f32[3]. let b:f32[3] = sin a; _:f32[3] = mul b 2.0:f32[] in (b,) }"
    )


def test_a_long_program_is_cut():
    def f(x):
        for _ in range(100):
            x = jnp.sin(x)
        return x

    found = seen_by(lambda look: jaxnb.jit(lambda x: look(f(x))), 1.0)
    assert found.captured.layers[0].program.count("\n") < 15
    assert "more lines" in found.text()


def test_the_view_keeps_no_tracer_alive():
    kept, refs = [], []

    def f(x):
        refs.append(weakref.ref(x))
        kept.append(explore_levels(x))
        return x + 1

    with jaxnb.checking_leaks():
        jaxnb.jit(f)(1.0)
    gc.collect()
    assert refs[0]() is None
    assert "JitTracer" in kept[0].text()


def test_it_is_shown_like_any_other_view():
    for levels in (seen_by(jaxnb.jit, jnp.ones((2, 3))), seen_by(jaxnb.grad, 2.0), explore_levels(3)):
        model = levels.model()
        jsonschema.validate(model, SCHEMA)
        assert model["open"] == ["levels", "attempts", "serves", "layers"]
        assert "text/html" in levels._repr_mimebundle_()
        assert all(len(line) <= 112 for line in levels.text().split("\n"))


def test_without_omnistaging_values_are_traced_and_known_all_the_same():
    with jaxnb.omnistaging(False):
        levels = seen_by(jaxnb.jit, jnp.ones(3))
        assert levels.facts()["level"] == "shape and type"
        assert row_of(levels, "x + 1").with_type == "traced f32[3]"


@pytest.mark.parametrize("thing", [{}, "a", None, [1.0]])
def test_what_is_no_value_is_refused(thing):
    with pytest.raises(
        TypeError, match="explore_levels takes one array, number or traced value, and was given"
    ):
        explore_levels(thing)


@pytest.mark.oracle
def test_what_a_size_by_name_allows_is_what_jax_allows():
    levels = seen_by(jaxnb.jit, jnp.ones(3))
    rows = [
        (one.code, one.with_size)
        for one in levels.captured.attempts
        if not one.code.startswith(("if", "for"))
    ]
    program = """
import json, sys
import jax, numpy as np, jax.numpy as jnp
from jax import export

found = []

def look(x):
    for code in json.loads(sys.argv[1]):
        try:
            result = eval(code, {"jnp": jnp, "np": np, "x": x})
            traced = isinstance(result, jax.core.Tracer)
            found.append("traced " + result.aval.str_short(True) if traced else str(result))
        except Exception:
            found.append("refused")
    return x

(n,) = export.symbolic_shape("n")
export.export(jax.jit(look))(jax.ShapeDtypeStruct((n,), np.float32))
print(json.dumps(found))
"""
    oracle = find_oracle()
    assert oracle is not None
    done = subprocess.run(
        [oracle, "-c", program, json.dumps([code for code, _ in rows])],
        env={**os.environ, "JAX_PLATFORMS": "cpu"},
        capture_output=True,
        check=True,
    )
    assert json.loads(done.stdout.decode().splitlines()[-1]) == [said for _, said in rows]
