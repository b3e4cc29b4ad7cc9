"""The second call of a jitted function runs in C++ alone."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import jaxnb


def python_frames(call) -> list[str]:
    """The names of the Python functions entered while `call` runs, `call` itself excepted."""
    entered: list[str] = []

    def watch(frame, event, arg):
        if event == "call":
            entered.append(frame.f_code.co_name)

    sys.setprofile(watch)
    try:
        call()
    finally:
        sys.setprofile(None)
    return entered[1:]


def arrays(*values):
    identity = jaxnb.jit(lambda *xs: xs)
    return identity(*(np.asarray(v, np.float32) for v in values))


def scalar():
    f, (x,) = jaxnb.jit(lambda x: x + x), arrays(1.0)
    return lambda: f(x)


def tree():
    f = jaxnb.jit(lambda t: jaxnb.tree.map(lambda x: x * x, t))
    leaves = arrays(*range(10))
    argument = {"a": leaves[:3], "b": (leaves[3], {"c": list(leaves[4:8])}), "d": leaves[8:]}
    return lambda: f(argument)


def constant():
    (held, x) = arrays(np.arange(64), 1.0)
    f = jaxnb.jit(lambda x: x + held)
    return lambda: f(x)


def static():
    f, (x,) = jaxnb.jit(lambda x, n: x * n, static_argnums=1), arrays(1.0)
    return lambda: f(x, 3)


def keywords():
    f, (x, y) = jaxnb.jit(lambda x, *, y: x - y), arrays(1.0, 2.0)
    return lambda: f(x, y=y)


def python_number():
    f = jaxnb.jit(lambda x: x * 2)
    return lambda: f(1.5)


def numpy_array():
    f, x = jaxnb.jit(lambda x: x * 2), np.ones(3, np.float32)
    return lambda: f(x)


CASES = [scalar, tree, constant, static, keywords, python_number, numpy_array]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_no_python_frame_on_the_second_call(case):
    call = case()
    call()
    assert python_frames(call) == []


def test_the_first_call_is_seen():
    assert python_frames(scalar()) != []


@pytest.mark.parametrize(
    "name", ["jax_numpy_rank_promotion", "jax_default_matmul_precision", "jax_enable_x64"]
)
def test_a_setting_of_the_key_brings_python_back(name):
    setting = jaxnb.config.setting(name)
    call = scalar()
    call()
    other = True if setting.type is bool else setting.choices[-1]
    with setting(other):
        assert python_frames(call) != []
    assert python_frames(call) == []


def test_a_function_without_weak_references_is_refused_and_ends_nothing():
    # C++ holds a function weakly and does not look; a second ufunc once ended the process.
    for _ in range(3):
        with pytest.raises(TypeError, match=r"cannot create weak reference to 'numpy\.ufunc' object"):
            jaxnb.jit(np.negative)(1.0)
        with pytest.raises(TypeError, match="Error interpreting argument to <ufunc 'negative'>"):
            jaxnb.jit(np.negative)(np.array(["a"]))
