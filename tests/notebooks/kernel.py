"""A real kernel, as a notebook drives one: cells in, messages out, with the cell each belongs to and when it came."""

from __future__ import annotations

import contextlib
import os
import pathlib
import queue
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager

ROOT = pathlib.Path(__file__).resolve().parents[2]
MIME = "application/vnd.jaxnb.exploration+json"


@dataclass
class Cell:
    """A cell that was sent: its message id, and what came back."""

    id: str
    begun: float
    messages: list[dict[str, Any]] = field(default_factory=list)
    reply: dict[str, Any] | None = None
    replied: float | None = None

    @property
    def seconds(self) -> float:
        """From the request to the reply."""
        assert self.replied is not None
        return self.replied - self.begun

    def of(self, *kinds: str) -> list[dict[str, Any]]:
        """The contents of its messages of some kinds, each with `at`: seconds after the request."""
        return [m["content"] | {"at": m["at"] - self.begun} for m in self.messages if m["msg_type"] in kinds]

    @property
    def displays(self) -> list[dict[str, Any]]:
        """What it displayed, updates included."""
        return self.of("display_data", "update_display_data")

    @property
    def text(self) -> str:
        """What it printed, and its error."""
        printed = [m["text"] for m in self.of("stream")]
        return "".join(printed) + "\n".join("\n".join(m["traceback"]) for m in self.of("error"))


class Kernel:
    """A running kernel and a client that listens to everything it says."""

    def __init__(self, manager: KernelManager, client: BlockingKernelClient) -> None:
        self.manager = manager
        self.client = client
        self.cells: dict[str, Cell] = {}
        self.changed = threading.Condition()
        self.is_open = True
        self.listeners = [threading.Thread(target=f, daemon=True) for f in (self._iopub, self._shell)]
        for thread in self.listeners:
            thread.start()

    def send(self, code: str, *, answers: bool = True) -> Cell:
        """Sends a cell; `answers` is whether the front end could be asked for input."""
        with self.changed:
            sent = self.client.execute(code, allow_stdin=answers)
            return self.cells.setdefault(sent, Cell(sent, time.monotonic()))

    def run(self, code: str, *, answers: bool = True, timeout_s: float = 60) -> Cell:
        """Sends a cell and waits for its reply and the end of its messages."""
        cell = self.send(code, answers=answers)
        self.wait(lambda: cell.reply is not None and self._is_idle(cell), timeout_s)
        return cell

    def wait(self, condition: Callable[[], Any], timeout_s: float = 60) -> None:
        """Waits until something holds."""
        with self.changed:
            assert self.changed.wait_for(condition, timeout_s), "the kernel did not get there"

    def interrupt(self) -> None:
        """What the stop button does."""
        self.manager.interrupt_kernel()

    def _is_idle(self, cell: Cell) -> bool:
        return any(m["execution_state"] == "idle" for m in cell.of("status"))

    def _iopub(self) -> None:
        while self.is_open:
            with contextlib.suppress(queue.Empty):
                message = self.client.iopub_channel.get_msg(timeout=0.2)
                with self.changed:
                    cell = self.cells.get(message["parent_header"].get("msg_id"))
                    if cell is not None:
                        cell.messages.append(message | {"at": time.monotonic()})
                        self.changed.notify_all()

    def _shell(self) -> None:
        while self.is_open:
            with contextlib.suppress(queue.Empty):
                message = self.client.shell_channel.get_msg(timeout=0.2)
                with self.changed:
                    cell = self.cells.get(message["parent_header"].get("msg_id"))
                    if cell is not None:
                        cell.reply, cell.replied = message["content"], time.monotonic()
                        self.changed.notify_all()


@contextlib.contextmanager
def running_kernel(folder: pathlib.Path) -> Iterator[Kernel]:
    """A kernel with folders of its own, in a process group of its own as under JupyterLab."""
    env = os.environ | {
        "IPYTHONDIR": str(folder / "ipython"),
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
        "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]),
    }
    manager = KernelManager(kernel_name="python3")
    manager.start_kernel(env=env)
    client = manager.blocking_client()
    client.start_channels()
    client.wait_for_ready(timeout=60)
    kernel = Kernel(manager, client)
    try:
        yield kernel
    finally:
        kernel.is_open = False
        for thread in kernel.listeners:
            thread.join()
        client.stop_channels()
        manager.shutdown_kernel(now=True)
