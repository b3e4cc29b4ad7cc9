"""Which earlier trace a later one is compared with, and that all that differs from it is said."""

from __future__ import annotations

import numpy as np

import jaxnb
import jaxnb.numpy as jnp
from jaxnb.explorer.retraces import explore_retraces


def last(function):
    record = explore_retraces(function).records[-1]
    return record.kinds, record.differences


def test_a_setting_alone_is_nearer_than_a_static_argument():
    f = jaxnb.jit(lambda x, n: x * n, static_argnames="n")
    x = np.float32(1)
    f(x, n=2)
    f(x, n=3)
    assert last(f) == (("static value",), ("static n, now 3 and before 2",))
    with jaxnb.enable_x64(True):
        f(x, n=3)
    assert last(f) == (("settings",), ("jax_enable_x64 differs: now True and before False",))
    with jaxnb.enable_x64(True):
        f(1.0, n=4)
    assert last(f) == (
        ("static value", "type"),
        ("static n, now 4 and before 3", "at x, now f64[]{weak_type=True} and before f32[]{weak_type=False}"),
    )


def test_of_structures_the_one_that_lacks_the_fewest_leaves_is_nearest():
    f = jaxnb.jit(lambda p: 1.0)
    f({})
    f({"hi": 2})
    f({"lo": 2, "hi": 1})
    kinds, [difference] = last(f)
    assert kinds == ("structure",)
    assert difference.endswith("symmetric difference of key sets: {'lo'}")
    f({"lo": 2.0, "hi": 1, "far": 3})
    kinds, differences = last(f)
    assert kinds == ("structure", "type")
    assert differences[0].endswith("symmetric difference of key sets: {'far'}")
    assert differences[1:] == ("at input path [0][0]['lo'], now f32[] and before i32[]",)


def test_containers_without_leaves_are_told_apart():
    f = jaxnb.jit(lambda p: 1.0)
    f([1.0, 2.0])
    f((1.0, 2.0))
    kinds, [difference] = last(f)
    assert kinds == ("structure",)
    assert "so their Python types differ" in difference


def test_of_types_the_same_rank_is_nearest_then_the_same_dtype_then_the_latest():
    f = jaxnb.jit(lambda x: x * 2)
    f(jnp.float32(1))
    f(jnp.ones(3))
    f(jnp.ones(4))
    assert last(f)[1] == ("at x, now f32[4] and before f32[3]",)
    f(jnp.ones(4, jnp.int32))
    assert last(f)[1] == ("at x, now i32[4] and before f32[4]",)
    f(jnp.ones(4, jnp.bfloat16))
    assert last(f)[1] == ("at x, now bf16[4] and before f32[4]",)
    f(jnp.ones(5))
    assert last(f)[1] == ("at x, now f32[5] and before f32[4]",)  # f32[3] is as near, and older
