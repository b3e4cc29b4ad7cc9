"""A shell with the extension loaded, in this process; and a real kernel, one for a module."""

from __future__ import annotations

import base64
import gzip
import json
import time
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from IPython.core.displaypub import CapturingDisplayPublisher
from IPython.core.interactiveshell import ExecutionResult, InteractiveShell
from IPython.utils.capture import capture_output

from tests.notebooks.kernel import MIME, running_kernel


def model_of(data: dict[str, Any]) -> dict[str, Any]:
    """The model that a MIME bundle carries."""
    return json.loads(gzip.decompress(base64.b64decode(data[MIME]["z"])))


@dataclass
class Ran:
    """A cell that was run: its result, what it printed, what it displayed."""

    result: ExecutionResult
    text: str
    outputs: list[dict[str, Any]]

    @property
    def error(self) -> BaseException | None:
        """The error it ended with."""
        return self.result.error_in_exec or self.result.error_before_exec

    @property
    def value(self) -> Any:
        """The value it ended with."""
        assert self.error is None, self.text
        return self.result.result


class Session:
    """A shell in this process.

    Args:
        shell: The shell.
        is_rich: Whether it says of itself that a kernel runs it.
        answers: Whether its front end can be asked for input.
    """

    def __init__(self, shell: InteractiveShell, *, is_rich: bool = False, answers: bool = True) -> None:
        self.shell = shell
        self.publisher = CapturingDisplayPublisher()
        if is_rich:
            shell.kernel = types.SimpleNamespace(_allow_stdin=answers)
            shell.display_pub = self.publisher

    def run(self, *lines: str) -> Ran:
        """Runs a cell."""
        begin = len(self.publisher.outputs)
        with capture_output(display=False) as captured:
            result = self.shell.run_cell("\n".join(lines), store_history=True)
        return Ran(result, captured.stdout + captured.stderr, self.publisher.outputs[begin:])

    def wait_for(self, condition: Callable[[], Any], timeout_s: float = 30) -> None:
        """Waits until something holds that another thread brings about."""
        deadline = time.monotonic() + timeout_s
        while not condition():
            assert time.monotonic() < deadline
            time.sleep(0.02)

    def __getitem__(self, name: str) -> Any:
        return self.shell.user_ns[name]


@pytest.fixture
def bare_shell(tmp_path, monkeypatch):
    """A shell without the extension."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance()
    shell.history_manager.enabled = False
    shell.colors = "nocolor"
    yield shell
    shell.extension_manager.unload_extension("jaxnb")
    InteractiveShell.clear_instance()


@pytest.fixture
def session(bare_shell):
    """A terminal's shell with the extension, `lax`, `np`, and `x`, six floats."""
    return prepared(Session(bare_shell))


@pytest.fixture
def rich(bare_shell):
    """A notebook's shell."""
    return prepared(Session(bare_shell, is_rich=True))


@pytest.fixture
def batch(bare_shell):
    """The shell of a program that runs notebooks."""
    return prepared(Session(bare_shell, is_rich=True, answers=False))


def prepared(session: Session) -> Session:
    """The session after its first cell."""
    ran = session.run(
        "%load_ext jaxnb",
        "import numpy as np, jaxnb, jaxnb.lax as lax",
        "x = np.arange(6, dtype=np.float32)",
    )
    assert ran.error is None, ran.text
    return session


@pytest.fixture(scope="module")
def kernel(tmp_path_factory):
    """A real kernel with the extension loaded, and the same names."""
    with running_kernel(tmp_path_factory.mktemp("kernel")) as running:
        code = (
            "%load_ext jaxnb\nimport os, signal, numpy as np, jaxnb, jaxnb.lax as lax\n"
            "x = np.arange(6, dtype=np.float32)\nm = np.ones((8, 8), np.float32)"
        )
        cell = running.run(code)
        assert cell.text == ""
        running.run("%%jit -q warm(x)\ndef warm(x):\n    return lax.sin(x)")
        yield running
