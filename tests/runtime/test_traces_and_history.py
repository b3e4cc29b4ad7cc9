"""What is remembered of traces: by whom, for how long, with which times and counts, and what differs between two."""

from __future__ import annotations

import gc
import sys
import threading
import weakref

import numpy as np
import pytest

import jaxnb
import jaxnb.lax as lax
from jaxnb.engine.core.avals import ShapedArray
from jaxnb.engine.runtime import history
from jaxnb.engine.runtime.donation import match_donated

X = np.ones(4, np.float32)


def python_frames(call) -> list[str]:
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


# ---- memory


def test_a_function_and_its_traces_die_together():
    def make():
        def inner(x):
            return lax.sin(x)

        return inner

    fun = make()
    died = weakref.ref(fun)
    jitted = jaxnb.jit(fun)
    jitted(X)
    jitted.lower(2.0).compile()
    (record, _) = history.records(fun)
    del fun
    assert died() is not None
    del jitted
    gc.collect()
    assert died() is None
    assert not record.is_alive
    assert record.key is None
    assert record.signature == "x: f32[4]"


def test_a_jitted_function_needs_no_collector_to_die():
    gc.disable()
    try:
        jitted = jaxnb.jit(lambda x: lax.cos(x))
        jitted(X)
        died = weakref.ref(jitted)
        del jitted
        assert died() is None
    finally:
        gc.enable()


# ---- the records


def test_a_trace_leaves_a_record_with_its_times():
    f = jaxnb.jit(lambda x, n: lax.tanh(x), static_argnums=1)
    f(X, 3)
    f.lower(np.ones((2, 2), np.float32), "a")
    first, second = history.records(f)
    assert first.signature == "x: f32[4], n=3"
    assert second.signature == "x: f32[2,2], n='a'"
    assert first.trace_seconds > 0
    assert first.lower_seconds is not None
    assert first.compile_seconds is not None
    assert second.lower_seconds is not None
    assert second.compile_seconds is None
    assert str(first.call_site).startswith(f"{__file__}:")
    assert "test_a_trace_leaves_a_record_with_its_times" in str(first.call_site)


def test_a_record_says_what_differs_from_the_nearest_earlier_one():
    f = jaxnb.jit(lambda x, y: lax.add(x, y["hi"]))
    f(X, {"hi": X})
    f(np.ones(3, np.float32), {"hi": np.ones(3, np.float32)})
    f(np.ones(3, np.int32), {"hi": np.ones(3, np.int32)})
    first, second, third = history.records(f)
    assert first.why() is None
    why = second.why()
    assert why is not None
    assert why.headline == "different input types:"
    assert why.details == ("at x, now f32[3] and before f32[4]", "at y['hi'], now f32[3] and before f32[4]")
    assert third.why().earlier == second.key


def test_functions_made_anew_share_a_source():
    for _ in range(3):
        jaxnb.jit(lambda x: lax.neg(x))(X)
    newest = history.records()[-3:]
    assert len({r.source for r in newest}) == 1
    assert len(history.of_functions([newest[0].source])) == 3


def test_calls_are_counted_only_while_someone_watches():
    f = jaxnb.jit(lambda x: lax.exp(x))
    x = f(X)
    f(x)
    (record,) = history.records(f)
    assert record.hits == 0
    with history.watch():
        assert history.is_watching()
        for _ in range(3):
            f(x)
        assert python_frames(lambda: f(x)) != []
    assert record.hits == 4
    assert not history.is_watching()
    assert python_frames(lambda: f(x)) == []


def test_records_are_bounded():
    assert history._records.maxlen == history.LONGEST


# ---- no Python on the second call


def test_a_compiled_program_is_called_by_cpp_alone():
    held = np.arange(50, dtype=np.float32)
    c = jaxnb.jit(lambda d: {"y": lax.add(d["x"], held)}).lower({"x": held}).compile()
    x = jaxnb.device_put(held)
    c({"x": x})
    assert [n for n in python_frames(lambda: c({"x": x})) if n != "__call__"] == []
    with pytest.raises(
        TypeError, match=r"Argument 'd\['x'\]' compiled with float32\[50\] and called with int32"
    ):
        c({"x": held.astype(np.int32)})


# ---- donation


def aval(*shape, dtype="float32", weak=False):
    return ShapedArray(shape, np.dtype(dtype), weak)


@pytest.mark.parametrize(
    ("given", "results", "aliases", "donors", "reasons"),
    [
        ([aval(4)], [aval(4)], [0], [False], []),
        ([aval(4, weak=True)], [aval(4)], [0], [False], []),
        ([aval(4), aval(4)], [aval(4)], [0, None], [False, False], ["the only result of type float32[4] already"]),
        ([aval(4)], [aval(2, 2)], [None], [True], []),
        ([aval(4)], [aval(4, dtype="float16")], [None], [True], []),
        ([aval(4)], [aval(8)], [None], [False], ["no result has the type float32[4], and none has 4 elements"]),
        (
            [aval(4), aval(4)], [aval(2, 2)], [None, None], [True, False],
            ["every result of 4 elements already takes another donated buffer"],
        ),
        (
            [aval(4, dtype="int32"), aval(2, 2), aval(4)], [aval(2, 2, dtype="bool"), aval(4)],
            [None, None, 1], [True, False, False], ["every result of 4 elements already"],
        ),
    ],
)  # fmt: skip
def test_donated_buffers_are_matched_with_results(given, results, aliases, donors, reasons):
    found = match_donated(given, results, [True] * len(given))
    assert found.aliases == aliases
    assert found.donors == donors
    assert [u.reason[: len(r)] for u, r in zip(found.unusable, reasons, strict=True)] == reasons


def test_why_a_buffer_was_not_usable_is_kept_with_the_program():
    with pytest.warns(UserWarning, match=r"Some donated buffers were not usable: float32\[4\]"):
        lowered = jaxnb.jit(lambda x: lax.concatenate([x, x], 0), donate_argnums=0).lower(X)
    (unusable,) = lowered._program.donation.unusable
    assert (unusable.parameter, unusable.aval.str_short()) == (0, "float32[4]")
    assert unusable.reason == "no result has the type float32[4], and none has 4 elements"


# ---- settings that go back and forth, and threads


def test_no_setting_ever_serves_a_stale_program():
    held = np.arange(20.0)
    f = jaxnb.jit(lambda x: lax.add(x, held))
    seen = {}
    for _ in range(2):
        for x64 in (False, True):
            for simplified in (True, False):
                for omnistaging in (True, False):
                    with (
                        jaxnb.enable_x64(x64),
                        jaxnb.config.setting("jax_use_simplified_jaxpr_constants")(simplified),
                        jaxnb.omnistaging(omnistaging),
                    ):
                        out = f(held)
                        text = f.lower(held).as_text()
                    assert out.dtype == (np.float64 if x64 else np.float32)
                    assert ("jax.const" in text) is simplified
                    assert seen.setdefault((x64, simplified, omnistaging), text) == text


def test_modules_are_read_by_threads_that_did_not_make_them():
    lowered = [jaxnb.jit(lambda x, i=i: lax.mul(x, np.float32(i))).lower(X) for i in range(8)]
    texts = [low.as_text() for low in lowered]
    found: dict[int, list[str]] = {}

    def read(k):
        found[k] = [low.as_text() for low in lowered]
        lowered[k].compile()

    threads = [threading.Thread(target=read, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(60)
    assert not any(t.is_alive() for t in threads)
    assert all(found[k] == texts for k in range(4))
