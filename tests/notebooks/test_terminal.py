"""IPython in a terminal: coloured text, and Ctrl-C."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time

import pytest

from tests.notebooks.kernel import ROOT

ANSI = re.compile(r"\x1b\[[\d;?]*[a-zA-Z]")


class Terminal:
    """An IPython behind a pseudo-terminal."""

    def __init__(self, folder):
        self.master, slave = pty.openpty()
        env = os.environ | {"IPYTHONDIR": str(folder), "PYTHONPATH": str(ROOT), "TERM": "xterm-256color"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "IPython", "--simple-prompt", "--no-banner", "--colors=linux", "--no-confirm-exit"],
            stdin=slave, stdout=slave, stderr=slave, env=env, start_new_session=True,
        )  # fmt: skip
        os.close(slave)
        self.seen = ""

    def type(self, text):
        os.write(self.master, text.encode())

    def read_until(self, wanted, timeout_s=60):
        """Reads until a text has been printed since the last time, and returns what was printed."""
        deadline, begin = time.monotonic() + timeout_s, len(self.seen)
        while wanted not in ANSI.sub("", self.seen[begin:]):
            ready, _, _ = select.select([self.master], [], [], max(deadline - time.monotonic(), 0))
            assert ready, f"no {wanted!r} within {timeout_s} s after: {self.seen[begin:]!r}"
            self.seen += os.read(self.master, 65536).decode(errors="replace")
        return self.seen[begin:]

    def close(self):
        self.process.terminate()
        self.process.wait(20)
        os.close(self.master)


@pytest.fixture
def terminal(tmp_path):
    opened = Terminal(tmp_path)
    opened.read_until("In [1]:")
    opened.type("%load_ext jaxnb\n")
    opened.read_until("In [2]:")
    opened.type("import numpy as np, jaxnb.lax as lax; x = np.ones((8, 8), np.float32)\n")
    opened.read_until("In [3]:")
    yield opened
    opened.close()


def test_the_view_is_coloured_text(terminal):
    terminal.type("f = lambda x: lax.sin(lax.mul(x, x))\n")
    terminal.read_until("In [4]:")
    terminal.type("%jit f(x)\n")
    shown = terminal.read_until("In [5]:")
    plain = ANSI.sub("", shown)
    assert "f(x) · cpu:0" in plain
    assert "compile" in plain
    assert "b:f32[8,8] = mul a a" in plain
    assert "%multiply_sine_fusion f32[8,8]: mul, sin" in plain
    assert "Out[4]: <exploration of f(x)" in plain
    assert "\x1b[34mlambda" in shown


def test_ctrl_c_gives_up_compiling_and_says_how_to_go_on(terminal):
    terminal.type(
        "exec('def slow(x):\\n for _ in range(2000): x = lax.add(lax.pow(lax.dot(x, x), x), x)\\n return x')\n"
    )
    terminal.read_until("In [4]:")
    terminal.type(
        "from jaxnb.explorer.exploration import Exploration as E; wait = E.wait; "
        "E.wait = lambda e, s=None: (print('wait' + 'ing'), wait(e, s))[1]\n"
    )
    terminal.read_until("In [5]:")
    terminal.type("%jit -o e slow(x)\n")
    terminal.read_until("waiting")
    begin = time.monotonic()
    os.killpg(terminal.process.pid, signal.SIGINT)
    shown = ANSI.sub("", terminal.read_until("In [6]:"))
    assert time.monotonic() - begin < 5
    assert re.search(r"the compilation was (interrupted|cancelled); \.retry\(\) compiles again", shown)
    assert "dot_general" in shown
    terminal.type("print(e.status.states['compile'])\n")
    assert "cancelled" in terminal.read_until("In [7]:")
