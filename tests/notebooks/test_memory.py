"""A kernel in which a course is taught all day: two thousand explored cells, and nothing is left of them."""

from __future__ import annotations

import ast

import numpy as np
import pytest

from tests.notebooks.kernel import running_kernel

pytestmark = pytest.mark.timeout(900)

TOTAL, LATER, STEP = 2000, 1000, 100
BYTES_EACH = 5 * 1024

SETUP = """
%load_ext jaxnb
import gc, sys, time, psutil, jaxnb, jaxnb.numpy as jnp
from jaxnb.xla.client import backend
shell, x = get_ipython(), jnp.ones(8)
def explore_one(number):
    shell.run_cell_magic("jit", "--wait f(x)", f"def f(x):\\n    return jnp.sin(x) * {number % 7}.0 + x")
def state():
    for _ in range(8):  # what a thread has just finished with is let go a moment later
        gc.collect()
        time.sleep(0.05)
    return {
        "bytes": psutil.Process().memory_info().rss,
        "arrays": len(jaxnb.live_arrays()),
        "executables": len(backend().live_executables()),
        "modules": len(sys.modules),
    }
"""


@pytest.fixture(scope="module")
def states(tmp_path_factory):
    """What the kernel holds after each of the steps."""
    found = []
    with running_kernel(tmp_path_factory.mktemp("kernel")) as kernel:
        assert kernel.run(SETUP).text == ""
        for begin in range(0, TOTAL, STEP):
            cell = kernel.run(f"for k in range({begin}, {begin + STEP}): explore_one(k)", timeout_s=300)
            assert cell.text == ""
            assert len(cell.displays) >= STEP, "each exploration is shown"
            cell.messages.clear()
            found.append(ast.literal_eval(kernel.run("print(state())").text))
    return found


def test_memory_does_not_grow(states):
    later = [one["bytes"] for one in states[LATER // STEP - 1 :]]
    # The line through all of the states: a single one is some megabytes up or down, by how the heap lies.
    grown, _ = np.polyfit(np.arange(len(later)) * STEP, later, 1)
    assert grown <= BYTES_EACH, later


@pytest.mark.parametrize("what", ["arrays", "executables", "modules"])
def test_nothing_stays_alive(states, what):
    assert len({one[what] for one in states[LATER // STEP - 1 :]}) == 1, [one[what] for one in states]
