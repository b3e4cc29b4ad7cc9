"""Several threads call, trace and compile the same functions at once."""

from __future__ import annotations

import subprocess
import sys
import threading

import numpy as np

import jaxnb
import jaxnb.numpy as jnp


def _in_threads(n, work):
    errors = []
    gate = threading.Barrier(n)

    def run(i):
        gate.wait()
        try:
            work(i)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(n)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(60)
    assert not any(t.is_alive() for t in threads), "a thread hangs"
    assert errors == []


def test_eight_threads_get_right_results_from_one_function_with_many_signatures():
    f = jaxnb.jit(lambda x: jnp.where(x > 0, jnp.sin(x), x * 2).sum())

    def work(i):
        for size in range(1, 12):
            x = np.linspace(-1, 1, size, dtype=np.float32)
            want = np.where(x > 0, np.sin(x), x * 2).sum()
            np.testing.assert_allclose(f(x), want, rtol=1e-5, atol=1e-6)

    _in_threads(8, work)


def test_threads_trace_gradients_of_shared_inner_functions():
    @jaxnb.jit
    def inner(x):
        return jnp.tanh(x) * x

    def loss(x):
        return inner(inner(x)).sum()

    expected = np.asarray(jaxnb.grad(loss)(jnp.ones(3)))

    def work(i):
        for _ in range(5):
            np.testing.assert_allclose(jaxnb.jit(jaxnb.grad(loss))(jnp.ones(3)), expected, rtol=1e-6)

    _in_threads(8, work)


def test_a_setting_of_one_thread_does_not_reach_another():
    seen = {}

    def work(i):
        with jaxnb.enable_x64(bool(i % 2)):
            for _ in range(20):
                seen[i] = jaxnb.jit(lambda x: x * 2)(np.float64(1)).dtype.name

    _in_threads(8, work)
    assert all(seen[i] == ("float64" if i % 2 else "float32") for i in range(8))


def test_a_fork_is_warned_of_once_threads_run():
    code = (
        "import os, warnings, jaxnb\n"
        "def fork():\n"
        "    with warnings.catch_warnings(record=True) as caught:\n"
        "        warnings.simplefilter('always')\n"
        "        if (child := os.fork()) == 0:\n"
        "            os._exit(0)\n"
        "    os.waitpid(child, 0)\n"
        "    print([str(w.message).partition('.fork')[0] for w in caught if w.category is RuntimeWarning])\n"
        "fork(); jaxnb.devices(); fork()"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert ran.stdout.split("\n")[:2] == ["[]", "['os']"], ran.stderr


def test_a_callback_may_compile_on_a_thread_of_xlas():
    code = (
        "import numpy as np, jaxnb, jaxnb.numpy as jnp\n"
        "seen = []\n"
        "x = jnp.ones(4_000_000)  # large enough for the call to be made on another thread\n"
        "for n in range(1, 4):\n"
        "    watch = lambda v, n=n: seen.append(float(jnp.sum(np.ones(n, np.float32))))\n"
        "    jaxnb.jit(lambda x: [jaxnb.debug.callback(watch, x * i) for i in range(4)] and x)(x)\n"
        "    jaxnb.effects_barrier()\n"
        "print(seen)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.strip() == str([1.0] * 4 + [2.0] * 4 + [3.0] * 4)
