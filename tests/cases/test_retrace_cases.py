"""Public questions about traces and compilations that nobody asked for: C03-C07, C33, C34, C45, C48, C49.

Each holds what the engine does, and what the table of traces says about it.
"""

from __future__ import annotations

import dataclasses
import functools
import io
import logging
import os
import time

import numpy as np
import pytest

import jaxnb
import jaxnb.numpy as jnp
from jaxnb.experimental.compilation_cache import compilation_cache
from jaxnb.explorer import explain_error, explore_retraces

log: list = []


@pytest.fixture(autouse=True)
def _fresh():
    jaxnb.clear_caches()
    log.clear()


def reasons(function):
    """Why each trace was made, as the last column of the table has it."""
    return [row.cells[-1] for row in explore_retraces(function).panels()[0].rows if row.mark != "head"]


# ---- C03, C04: a function made anew


def step(x):
    log.append("step")
    return x + 1


def test_c03_a_lambda_in_a_loop_is_traced_every_time():
    for _ in range(3):
        jaxnb.jit(step)(0.0)
    assert len(log) == 1
    log.clear()
    for _ in range(3):
        f = jaxnb.jit(lambda x: step(x))
        f(0.0)
    assert len(log) == 3
    # what it keeps in a list has changed since, which the table says too
    assert [one.partition(", out of date")[0] for one in reasons(f)[-3:]] == [
        "first trace",
        "same source, new object",
        "same source, new object",
    ]
    assert "defined 3 times, and traced anew each time" in explore_retraces(f).text()


def scale(k, x):
    log.append(k)
    return k * x


def test_c04_so_is_a_partial_function():
    for _ in range(3):
        f = jaxnb.jit(functools.partial(scale, 2.0))
        f(1.0)
    assert len(log) == 3
    assert reasons(f)[-2:] == ["same source, new object"] * 2
    log.clear()
    once = jaxnb.jit(functools.partial(scale, 2.0))
    for _ in range(3):
        once(1.0)
    assert len(log) == 1


# ---- C05: weak types


def test_c05_a_python_number_and_an_array_are_two_signatures():
    @jaxnb.jit
    def f(x):
        log.append(str(jaxnb.typeof(x)))
        return x * 2

    f(1.0)
    f(jnp.float32(1.0))
    f(jnp.asarray(1.0))
    f(2.0)
    assert log == ["~float32[]", "float32[]"]
    y = f(1.0)
    f(y)
    assert y.weak_type
    assert len(log) == 2
    assert [one.signature for one in explore_retraces(f).records] == ["x: ~f32[]", "x: f32[]"]
    assert explore_retraces(f).records[1].differences[0].startswith("at x, now f32[]{weak_type=False}")


# ---- C06, C07: static arguments


@dataclasses.dataclass
class Plain:
    width: int


@dataclasses.dataclass(frozen=True)
class Frozen:
    width: int


@pytest.mark.parametrize("value", [[1, 2], np.arange(2), Plain(3)], ids=["list", "ndarray", "dataclass"])
def test_c06_a_static_argument_that_cannot_be_hashed_is_refused(value):
    f = jaxnb.jit(lambda x, c: x + 1, static_argnums=1)
    with pytest.raises(ValueError, match=r"^Non-hashable static arguments are not supported"):
        f(0.0, value)
    assert explore_retraces(f).records == []


def test_c06_a_frozen_one_can():
    f = jaxnb.jit(lambda x, c: x + c.width, static_argnums=1)
    assert float(f(0.0, Frozen(3))) == 3.0
    assert explore_retraces(f).records[0].signature == "x: ~f32[], c=Frozen(width=3)"


def test_c07_each_static_value_and_each_shape_is_an_entry():
    f = jaxnb.jit(lambda x, n: (log.append((x.shape, n)), x * n)[1], static_argnums=1)
    for n in range(4):
        f(jnp.ones(3), n)
    for m in range(1, 5):
        f(jnp.ones(m), 0)
    assert log == [((3,), 0), ((3,), 1), ((3,), 2), ((3,), 3), ((1,), 0), ((2,), 0), ((4,), 0)]
    assert f._cache_size() == 7
    records = explore_retraces(f).records
    assert [one.signature for one in records][:2] == ["x: f32[3], n=0", "x: f32[3], n=1"]
    assert records[1].differences == ("static n, now 1 and before 0",)
    assert explore_retraces(f).facts()["traces"] == 7


# ---- C33: an attribute that was read


class Net:
    def __init__(self, k):
        self.k = k

    def out(self, x):
        return self.k * x


def test_c33_a_bound_method_computes_with_the_attribute_that_it_read():
    net = Net(2.0)
    f = jaxnb.jit(net.out)
    assert float(f(1.0)) == 2.0
    net.k = 5.0
    assert (float(f(1.0)), float(net.out(1.0)), float(jaxnb.jit(net.out)(1.0))) == (2.0, 5.0, 2.0)
    [card] = explore_retraces(f).panels()[1].cards
    assert "`self.k` was 2.0 when the function was traced, and is 5.0 now." in card.text


def test_c33_the_object_itself_is_no_array():
    with pytest.raises(TypeError, match=r"was passed to the function at path self\."):
        jaxnb.jit(Net.out)(Net(2.0), 1.0)


# ---- C34: the cache on disk


@pytest.fixture
def cache_dir(tmp_path):
    names = ("jax_compilation_cache_dir", "jax_persistent_cache_min_compile_time_secs")
    before = {name: jaxnb.config.values[name] for name in names}
    jaxnb.config.update("jax_compilation_cache_dir", str(tmp_path))
    yield tmp_path
    for name, value in before.items():
        jaxnb.config.update(name, value)
    compilation_cache.reset_cache()


def test_c34_a_fast_compilation_is_not_kept_and_a_cell_may_move(cache_dir):
    jaxnb.jit(lambda x: jnp.sin(x) + 3)(jnp.ones(5))
    assert jaxnb.config.jax_persistent_cache_min_compile_time_secs == 1.0
    assert os.listdir(cache_dir) == []
    jaxnb.config.update("jax_persistent_cache_min_compile_time_secs", 0)
    compilation_cache.reset_cache()

    def kept(source, cell):
        namespace = {"jnp": jnp}
        exec(compile(source, cell, "exec"), namespace)
        jaxnb.jit(namespace["g"])(jnp.ones(7))
        return sum(name.startswith("jit_g") and name.endswith("-cache") for name in os.listdir(cache_dir))

    assert kept("def g(x): return jnp.cos(x) * 2", "<ipython-input-3>") == 1
    assert kept("\n\n\ndef g(x): return jnp.cos(x) * 2", "<ipython-input-9>") == 1
    assert kept("def g(x): return jnp.cos(x) * 4", "<ipython-input-10>") == 2


# ---- C45: why a call was traced


def test_c45_the_log_says_what_differed_and_the_table_keeps_it_with_its_cost():
    f = jaxnb.jit(lambda x, y: x + y["hi"])
    calls = [
        (1.0, {"hi": jnp.ones(3)}),
        (1.0, {"hi": jnp.ones(4)}),
        (jnp.float32(1), {"hi": jnp.ones(4)}),
        (1, {"hi": jnp.ones(4)}),
    ]
    f(*calls[0])
    buffer = io.StringIO()
    handler = logging.StreamHandler(buffer)
    logging.getLogger("jaxnb").addHandler(handler)
    try:
        with jaxnb.explain_cache_misses(True):
            for args in calls[1:]:
                f(*args)
    finally:
        logging.getLogger("jaxnb").removeHandler(handler)
    text = buffer.getvalue()
    assert text.count("TRACING CACHE MISS at ") == 3
    for said in (
        "* at y['hi'], now f32[4] and before f32[3]",
        "* at x, now f32[]{weak_type=False} and before f32[]{weak_type=True}",
        "* at x, now i32[]",
    ):
        assert said in text
    table = explore_retraces(f)
    assert [len(one.differences) for one in table.records] == [0, 1, 1, 1]
    assert table.facts()["traces"] == 4
    assert table.facts()["seconds"] >= sum(one.trace_s for one in table.records) > 0
    assert {os.path.basename(__file__) in one.call for one in table.records} == {True}


# ---- C48, C49: what a call costs


def test_c48_a_call_returns_before_the_work_is_done():
    def ninth_power(a):
        b = a @ a
        c = b @ b
        return c @ c @ a

    f = jaxnb.jit(ninth_power)
    x = jnp.ones((1200, 1200)) * 1e-4
    f(x).block_until_ready()
    best = 1.0
    for _ in range(5):  # the machine may be busy with something else
        begin = time.perf_counter()
        y = f(x)
        dispatched = time.perf_counter() - begin
        y.block_until_ready()
        best = min(best, dispatched / (time.perf_counter() - begin))
    assert best < 0.2


def test_c49_a_cell_that_is_run_again_compiles_again():
    compiled = []

    def count(event, seconds, **_):
        if event.endswith("backend_compile_duration"):
            compiled.append(event)

    jaxnb.monitoring.register_event_duration_secs_listener(count)
    try:
        x = jnp.ones((8, 8))
        source = "@jaxnb.jit\ndef train(x):\n    return jnp.tanh(x) @ x\ntrain(x)"
        namespace = {"jaxnb": jaxnb, "jnp": jnp, "x": x}
        counts = []
        compiled.clear()
        for run in range(3):
            exec(compile(source, f"<ipython-input-{run}>", "exec"), namespace)
            counts.append(len(compiled))
    finally:
        jaxnb.monitoring.unregister_event_duration_listener(count)
    assert counts == [1, 2, 3]
    assert len(explore_retraces(namespace["train"]).records) >= 1


def test_c49_in_a_notebook_the_table_says_so(session):
    session.run("import jaxnb.numpy as jnp", "m = np.ones((8, 8), np.float32)")
    for _ in range(3):
        session.run("@jaxnb.jit", "def train(x):", "    return jnp.tanh(x) @ x", "train(m)")
    ran = session.run("%retrace train")
    assert "same source, new object" in ran.text


def test_c06_nothing_more_is_said_of_an_error_that_says_it_all():
    with pytest.raises(ValueError) as raised:
        jaxnb.jit(lambda x, c: x + 1, static_argnums=1)(0.0, [1])
    assert explain_error(raised.value) is None
