"""An exploration's stages: each there when asked for, each failing alone, the kernel free meanwhile."""

from __future__ import annotations

import copy
import os
import pickle
import signal
import threading
import time

import numpy as np
import pytest

from jaxnb import lax, pure_callback, random
from jaxnb.base.config import debug_nans, enable_x64
from jaxnb.explorer.capture.engine import EngineFrontEnd
from jaxnb.explorer.exploration import Exploration, ExplorationError, display_slot
from jaxnb.explorer.explore import explore
from jaxnb.xla.worker import shared_worker

X = np.arange(8, dtype=np.float32)


def wave(x):
    return lax.mul(lax.exp(x), lax.tanh(x))


def long_chain(x):
    for _ in range(600):
        x = lax.sin(lax.add(lax.dot(x, x), lax.tanh(x)))
    return x


class Failing(EngineFrontEnd):
    """A front end whose lowering fails."""

    def lower(self):
        raise ValueError("no rule for this")


def test_tracing_happens_at_once_and_nothing_else():
    exploration = explore(wave, X)
    assert exploration.jaxpr.splitlines()[1] == "    b:f32[8] = exp a"
    assert exploration.status.states == {
        "trace": "done",
        "lower": "pending",
        "compile": "pending",
        "run": "pending",
    }
    assert exploration.is_settled


def test_an_error_in_the_function_is_the_users_own():
    with pytest.raises(TypeError, match=r"got incompatible shapes|shapes"):
        explore(lambda x: lax.add(x, np.ones(3, np.float32)), X)


def test_each_stage_comes_when_it_is_asked_for():
    exploration = explore(wave, X)
    assert "stablehlo.tanh" in exploration.stablehlo
    assert exploration.status.states["compile"] == "pending"
    assert "ENTRY" in exploration.hlo
    np.testing.assert_allclose(np.asarray(exploration.result), np.exp(X) * np.tanh(X), rtol=1e-5)


def test_hlo_text_shows_jaxs_names_and_no_identity_tags():
    text = explore(wave, X).hlo
    assert 'op_name="jit(wave)/mul"' in text
    assert "q" not in {name[:1] for name in text.split('op_name="')[1:]}


def test_facts_are_complete_when_everything_is_done():
    facts = explore(wave, X).facts()
    assert facts["equations"] == {
        "total": 3,
        "linked": 3,
        "explained": 0,
        "unknown": 0,
        "fates": {"linked": 3},
    }
    assert facts["stablehlo"]["ops"] == 3
    assert facts["hlo"]["fusions"] == 1
    assert facts["bytes"]["arguments"] == 32
    assert facts["bytes"]["outputs"] == 32
    assert all(facts["seconds"][stage] > 0 for stage in ("trace", "lower", "compile", "run"))
    assert facts["graph"] == {"visible_nodes": 2, "folds": 0, "repeats": []}


def test_a_failed_lowering_keeps_the_jaxpr():
    exploration = Exploration(Failing(wave, (X,), {}))
    exploration.start().wait()
    assert exploration.status.states["lower"] == "failed"
    assert "exp a" in exploration.text()
    assert "lower failed: ValueError: no rule for this" in exploration.text()
    assert exploration.model()["status"]["errors"] == {"lower": "ValueError: no rule for this"}
    with pytest.raises(ValueError, match="no rule for this"):
        _ = exploration.stablehlo
    with pytest.raises(ValueError, match="no rule for this"):
        _ = exploration.hlo


def test_a_failed_compilation_keeps_the_stablehlo():
    exploration = explore(wave, X, compiler_options={"xla_no_such_option": "1"})
    exploration.start().wait()
    assert exploration.status.states["compile"] == "failed"
    assert "stablehlo.tanh" in exploration.stablehlo
    assert [document["id"] for document in exploration.model()["documents"]][-1] == "stablehlo"
    with pytest.raises(Exception, match="xla_no_such_option"):
        _ = exploration.hlo


def test_the_kernel_stays_free_and_cancelling_ends_the_compilation_at_once():
    exploration = explore(long_chain, np.ones((32, 32), np.float32)).start()
    while exploration.status.states["compile"] != "running":
        time.sleep(0.01)
    begin = time.perf_counter()
    assert np.asarray(explore(wave, X).jaxpr.count("exp")) == 1
    exploration.cancel()
    assert exploration.wait(0.5)
    assert time.perf_counter() - begin < 1
    assert exploration.status.states["compile"] == "cancelled"
    assert "cancelled" in exploration.text()
    with pytest.raises(ExplorationError, match=r"call \.retry\(\) to begin it again"):
        _ = exploration.hlo


def test_an_interrupt_while_waiting_cancels_and_is_passed_on():
    exploration = explore(long_chain, np.ones((32, 32), np.float32)).start()
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        exploration.wait()
    assert exploration.status.states["compile"] == "cancelled"


def test_a_killed_worker_is_said_and_a_retry_finishes():
    exploration = explore(long_chain, np.ones((32, 32), np.float32)).start()
    while exploration._job is None or not exploration._job.log:
        time.sleep(0.01)
    pid = shared_worker().pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    exploration.wait(10)
    assert exploration.status.states["compile"] == "failed"
    assert exploration.model()["status"]["message"].startswith("the compile worker was killed; .retry()")
    exploration.retry().wait(120)
    assert exploration.status.states == dict.fromkeys(("trace", "lower", "compile", "run"), "done")


def test_updates_are_told_in_order_and_can_be_given_up():
    exploration = explore(wave, X)
    seen = []
    stop = exploration.on_update(lambda one: seen.append(one.status.states["compile"]))
    exploration.start().wait()
    assert [state for at, state in enumerate(seen) if state not in seen[:at]] == [
        "pending",
        "running",
        "done",
    ]
    stop()
    count = len(seen)
    exploration.cancel()
    assert len(seen) == count


def test_what_was_compiled_is_what_later_calls_run():
    front_end = EngineFrontEnd(wave, (X,), {})
    exploration = Exploration(front_end)
    exploration.facts()
    assert front_end.program is not None
    assert exploration.status.states["run"] == "done"


def test_models_before_and_after_number_their_pivots_alike():
    exploration = explore(wave, X)
    early = exploration.model()
    exploration.facts()
    late = exploration.model()
    assert early["pivots"]["label"] == late["pivots"]["label"]
    assert [document["id"] for document in early["documents"]] == ["source", "jaxpr"]
    assert [document["id"] for document in late["documents"]] == ["source", "jaxpr", "stablehlo", "hlo"]


def test_show_prints_text_and_a_slot_takes_its_place(capsys):
    exploration = explore(wave, X)
    exploration.show()
    assert "3 equations, 3 linked" in capsys.readouterr().out
    shown = []
    display_slot.insert(0, shown.append)
    try:
        exploration.show()
    finally:
        display_slot.remove(shown.append)
    assert shown == [exploration]


def test_settings_of_the_thread_that_began_hold_in_the_background():
    with enable_x64(True):
        exploration = explore(lambda x: lax.exp(lax.mul(x, 2.5)), np.arange(3.0))
    assert "f64[3]" in exploration.jaxpr
    assert np.asarray(exploration.result).dtype == np.float64
    assert "tensor<3xf64>" in exploration.stablehlo


def test_a_program_without_arguments_is_explored_too():
    exploration = explore(lambda: lax.exp(lax.full((4,), 1.0, np.float32)))
    assert exploration.facts()["equations"]["total"] == 2
    np.testing.assert_allclose(np.asarray(exploration.result), np.full(4, np.e), rtol=1e-6)


class FailingOnce(EngineFrontEnd):
    """A front end whose first run fails."""

    runs = 0

    def run(self, compilation):
        self.runs += 1
        if self.runs == 1:
            raise RuntimeError("the callback's file is not there yet")
        return super().run(compilation)


def test_a_run_that_failed_is_run_again_and_not_compiled_again():
    exploration = Exploration(FailingOnce(wave, (X,), {}))
    with pytest.raises(RuntimeError, match="not there yet"):
        _ = exploration.result
    compiled = exploration.compilation
    assert exploration.retry().wait(60)
    np.testing.assert_allclose(exploration.result, np.exp(X) * np.tanh(X), rtol=1e-5)
    assert exploration.compilation is compiled
    assert exploration.is_settled


def test_what_is_done_is_neither_begun_again_nor_given_up():
    exploration = explore(wave, X)
    assert exploration.start().wait(60)
    exploration.cancel()
    exploration.retry().retry().cancel()
    assert exploration.is_settled
    assert set(exploration.status.states.values()) == {"done"}
    assert "cancelled" not in exploration.text()


@pytest.mark.parametrize("copying", [pickle.dumps, copy.copy, copy.deepcopy])
def test_an_exploration_says_that_it_cannot_be_copied(copying):
    exploration = explore(wave, X)
    with pytest.raises(TypeError, match=r"^Exploration objects cannot be copied.*\.save\(path\) keeps"):
        copying(exploration)


def test_results_that_are_random_keys_are_waited_for():
    exploration = explore(random.split, random.key(0))
    assert exploration.result.shape == (2,)
    assert set(exploration.status.states.values()) == {"done"}
    assert exploration.run.best_seconds > 0


def test_checks_for_nan_hold_for_an_explorations_run():
    with debug_nans(True):
        exploration = explore(lambda x: lax.log(lax.neg(lax.exp(x))), X)
    with pytest.raises(FloatingPointError, match=r"invalid value \(nan\) encountered in log"):
        _ = exploration.result
    assert exploration.status.states["run"] == "failed"
    assert exploration.hlo


def test_an_error_in_a_callback_shows_no_frame_of_ours():
    def fail(value):
        raise ValueError("no such row")

    exploration = explore(lambda x: pure_callback(fail, x, x), X)
    assert exploration.start().wait(60)
    text = exploration.text()
    assert "ValueError: no such row" in text
    assert "test_exploration.py" in text
    assert "threading.py" not in text
    assert os.path.join("jaxnb", "e") not in text.partition("Source")[0]
