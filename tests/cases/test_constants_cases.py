"""Public questions about captured arrays (C01, C02): what the engine does, and what the panel of constants says."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import jaxnb
import jaxnb.numpy as jnp
from jaxnb.explorer import explore_constants

table = jnp.asarray(np.random.default_rng(0).normal(size=(256, 256)), jnp.float32)
big = jnp.zeros((2000, 10, 5))


@pytest.fixture
def older_way():
    jaxnb.config.update("jax_use_simplified_jaxpr_constants", False)
    yield
    jaxnb.config.update("jax_use_simplified_jaxpr_constants", True)


def entry_arguments(lowered):
    return lowered.as_text().split("@main(")[1].split(") ->")[0].count("%arg")


def product(v):
    return table @ v


def test_c01_passed_in_the_array_is_no_part_of_the_program():
    passed = jaxnb.jit(lambda t, v: t @ v).trace(table, jnp.ones(256))
    assert len(passed.jaxpr.consts) == 0
    assert len(passed.lower().as_text()) == 427


def test_c01_closed_over_it_is_baked_in(older_way):
    closed = jaxnb.jit(lambda v: table @ v).trace(jnp.ones(256))
    assert len(closed.jaxpr.consts) == 1
    assert len(closed.lower().as_text()) == 524_750
    assert entry_arguments(closed.lower()) == 1


def test_c01_in_the_newer_way_it_is_a_hidden_argument():
    closed = jaxnb.jit(lambda v: table @ v).trace(jnp.ones(256))
    assert len(closed.jaxpr.consts) == 0
    lowered = closed.lower()
    assert (len(lowered.as_text()), entry_arguments(lowered)) == (446, 2)
    assert lowered.compile().memory_analysis().argument_size_in_bytes == 263_168


def test_c01_the_panel_names_the_variable_its_shape_its_bytes_and_the_line():
    report = explore_constants(product, jnp.ones(256))
    [found] = report.facts()["constants"]
    assert found == {
        "name": "table",
        "type": "f32[256,256]",
        "bytes": 262_144,
        "line": product.__code__.co_firstlineno + 1,
        "users": 1,
        "old": "in the program",
        "new": "hidden argument %arg0",
    }
    text = report.text()
    assert "table     f32[256,256]  262 kB" in text
    assert "def product(table, v):" in text


def sum_of_rows():
    return jaxnb.vmap(jaxnb.vmap(jnp.sum))(big)


def test_c02_xla_folds_a_sum_over_a_captured_array(older_way):
    assert " reduce(" not in jaxnb.jit(lambda: sum_of_rows()).lower().compile().as_text()


def test_c02_as_an_argument_it_is_left_to_the_run():
    compiled = jaxnb.jit(lambda b: jaxnb.vmap(jaxnb.vmap(jnp.sum))(b)).lower(big).compile()
    assert " reduce(" in compiled.as_text()
    assert (
        " reduce(" in jaxnb.jit(lambda: sum_of_rows()).lower().compile().as_text()
    )  # a hidden argument is one


def test_c02_the_panel_says_what_was_folded():
    [found] = explore_constants(sum_of_rows).facts()["constants"]
    assert found["name"] == "big"
    assert found["old"] == "in the program, folded away by XLA"
    assert found["new"] == "hidden argument %arg0"


def test_c01_a_limit_warns_of_it():
    jaxnb.config.update("jax_captured_constants_warn_bytes", 1000)
    jaxnb.config.update("jax_captured_constants_report_frames", 1)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            jaxnb.jit(lambda v: product(v)).lower(jnp.ones(256))
    finally:
        jaxnb.config.update("jax_captured_constants_warn_bytes", 2_000_000_000)
        jaxnb.config.update("jax_captured_constants_report_frames", 0)
    [message] = [str(one.message) for one in caught]
    assert "float32[256,256]" in message
    assert f"{__file__}:{product.__code__.co_firstlineno + 1}:11 (product)" in message
