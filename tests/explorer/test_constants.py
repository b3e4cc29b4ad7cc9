"""Captured arrays: their names, sizes and places in both modes, and the function rewritten to take them."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import jsonschema
import numpy as np
import pytest

import jaxnb
import jaxnb.numpy as jnp
from jaxnb.base import config
from jaxnb.explorer.analysis.calls import base_names
from jaxnb.explorer.constants import explore_constants

SCHEMA = json.loads(
    (Path(__file__).resolve().parents[2] / "labextension/schema/exploration.schema.json").read_text()
)
table = jnp.asarray(np.random.default_rng(0).normal(size=(256, 256)), jnp.float32)
params = {"b": np.ones(4, np.float32)}


def product(v):
    y = table @ v
    return y.sum() + (params["b"] * y[:4]).sum()


@pytest.fixture(scope="module")
def report():
    made = explore_constants(product, jnp.ones(256))
    made.facts()
    return made


def test_each_array_is_named_the_largest_first(report):
    line = product.__code__.co_firstlineno
    found = [(c["name"], c["type"], c["bytes"], c["line"], c["users"]) for c in report.facts()["constants"]]
    assert found == [
        ("table", "f32[256,256]", 262144, line + 1, 1),
        ("params['b']", "f32[4]", 16, line + 2, 1),
    ]


def test_it_is_said_where_each_mode_keeps_it(report):
    assert [(c["old"], c["new"]) for c in report.facts()["constants"]] == [
        ("in the program", "hidden argument %arg0"),
        ("in the program", "in the program: small"),
    ]


def test_both_modes_have_their_figures(report):
    old, new = report.facts()["old"], report.facts()["new"]
    assert old["StableHLO [characters]"] > 500_000 > 5_000 > new["StableHLO [characters]"]
    assert (old["arguments of main"], new["arguments of main"]) == (1, 2)
    assert new["argument memory"] - old["argument memory"] == 262144
    assert {"compile", "temporary memory"} <= old.keys() & new.keys()
    assert report.facts()["numeric"]["differing"] == 0


def test_host_memory_is_measured_in_both_modes():
    square = jnp.asarray(np.random.default_rng(1).normal(size=(512, 512)), jnp.float32)
    explore_constants(
        lambda v: square[:2] @ v, np.ones(512, np.float32)
    ).facts()  # what is made once is there now
    made = explore_constants(lambda v: square @ v, np.ones(512, np.float32))
    old, new = made.facts()["old"], made.facts()["new"]
    name = "host memory kept by lowering"
    # a copy in the module and one in its bytecode, beside the array itself
    assert 2 * square.nbytes <= old[name] < 4 * square.nbytes
    assert new[name] < square.nbytes / 4
    assert old["executable, serialised"] - new["executable, serialised"] > square.nbytes / 2
    assert name in made.text()


def test_a_constant_that_xla_folds_is_said_to_be_folded():
    big = np.arange(64, dtype=np.float32)
    made = explore_constants(lambda x: x + jnp.sum(big), np.float32(1))
    [constant] = made.facts()["constants"]
    assert constant["name"] == "big"
    assert constant["old"] == "in the program, folded away by XLA"
    assert constant["new"] == "hidden argument %arg0"


def test_the_rewriting_computes_the_same(report):
    written, _, call = report.rewrite.rpartition("\n\n")
    assert call == "product(table, params, v)"
    namespace = {"jnp": jnp}
    exec(written, namespace)
    rewritten = namespace["product"](table, params, jnp.ones(256))
    assert float(rewritten) == pytest.approx(float(product(jnp.ones(256))), rel=1e-5)


def test_the_variable_of_a_path():
    assert base_names(["w['a']", "w", "float32[3]", "self.k"]) == ["w", "self"]


def test_the_view_follows_the_schema(report):
    model = report.model()
    jsonschema.validate(model, SCHEMA)
    rows = next(panel for panel in model["panels"] if panel["id"] == "constants")["rows"]
    linked = [model["pivots"]["label"][at] for at in model["sets"][rows[0]["set"]]]
    assert sorted(linked) == ["dot_general", "table"], "the array, and the equation that uses it"
    assert "262 kB" in report.text()


def test_a_function_that_captures_nothing_says_so():
    assert "The function captured no array." in explore_constants(lambda x: x + 1, np.float32(1)).text()


# ---- the warning, in the words of JAX


def warned(function, *args, **settings):
    before = {name: config.config.values[name] for name in settings}
    try:
        for name, value in settings.items():
            config.update(name, value)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            jaxnb.jit(function).lower(*args)
    finally:
        for name, value in before.items():
            config.update(name, value)
    return [str(one.message) for one in caught]


def test_a_use_of_a_large_array_is_warned_of():
    line = product.__code__.co_firstlineno
    [message] = warned(
        lambda v: product(v),
        jnp.ones(256),
        jax_captured_constants_warn_bytes=1000,
        jax_captured_constants_report_frames=1,
    )
    assert message.startswith(
        "Closed-over constant <class 'jaxlib._jax.ArrayImpl'>: float32[256,256] in <lambda> at "
    )
    assert message.endswith(f" used at:\n    {__file__}:{line + 1}:8 (product)\n\n")


def test_in_the_old_mode_one_warning_lists_the_largest():
    [message] = warned(
        lambda v: product(v),
        jnp.ones(256),
        jax_use_simplified_jaxpr_constants=False,
        jax_captured_constants_warn_bytes=1000,
        jax_captured_constants_report_frames=0,
    )
    assert message == (
        "A large amount of constants were captured during lowering (262.16KB total). If this is intentional, disable this "
        "warning by setting JAX_CAPTURED_CONSTANTS_WARN_BYTES=-1. To obtain a report of where these constants were "
        "encountered, set JAX_CAPTURED_CONSTANTS_REPORT_FRAMES=-1."
    )


def test_nothing_is_said_below_the_limit_or_where_it_is_off():
    assert warned(lambda v: product(v), jnp.ones(256)) == []
    assert warned(lambda v: product(v), jnp.ones(256), jax_captured_constants_warn_bytes=-1) == []


def test_a_captured_key_is_listed_with_its_type_and_bytes():
    key, many = jaxnb.random.key(0), jaxnb.random.split(jaxnb.random.key(1), 9)

    def noisy(x):
        return x + jaxnb.random.normal(key, (5,)) + jaxnb.random.normal(many[2], (5,))

    made = explore_constants(noisy, np.ones(5, np.float32))
    found = [(c["name"], c["type"], c["bytes"], c["users"]) for c in made.facts()["constants"]]
    assert found == [("many", "key<fry>[9]", 72, 1), ("key", "key<fry>[]", 8, 1)]
    assert [(one.place, one.holder) for one in made.constants] == [
        ("inlined", "Array"),
        ("embedded", "Array"),
    ]
    line = noisy.__code__.co_firstlineno + 1
    assert f"key       key<fry>[]    8 B  line {line}" in made.text()
