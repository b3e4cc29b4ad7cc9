"""The compile worker: a process of its own that compiles for viewing, so that the kernel stays free.

It is run by file path, with ``-P``, and imports jaxlib and NumPy only: nothing of the project, so that it
starts fast and cannot trace or run anything. It reads requests from its standard input and writes events to
its standard output, each a pickled tuple after its length; it ends when its input does, or at the first
SIGINT, in the middle of a compilation too. What must not live here: anything that the kernel's process
imports (see ``worker``).
"""

from __future__ import annotations

import os
import pickle
import queue
import re
import signal
import struct
import sys
import threading
import time
from typing import Any, BinaryIO

# The kernel's group gets the SIGINT of an interrupted cell; Python's handler would wait for XLA to return.
signal.signal(signal.SIGINT, signal.SIG_DFL)

# Where the kernel found jaxlib and numpy: it may have been told by other means than the environment.
sys.path.extend(p for p in sys.argv[1:] if p not in sys.path)

LENGTH = struct.Struct(">Q")
SNAPSHOT = re.compile(
    r"module_\d+\..*?\.(?P<index>\d{4})\.(?P<pipeline>.+?)\.after_(?P<name>.+?)(?:\.before_.+)?\.txt$"
)
REPORT = re.compile(r"after_optimizations-(?P<name>.+)\.txt$")
POLL_S = 0.1


class Channel:
    """The two ends of the protocol, kept away from whatever C++ prints."""

    def __init__(self) -> None:
        self.source: BinaryIO = os.fdopen(os.dup(0), "rb")
        self.sink: BinaryIO = os.fdopen(os.dup(1), "wb")
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.dup2(2, 1)
        self.lock = threading.Lock()

    def receive(self) -> Any:
        """Returns the next request, or None at the end of the input."""
        head = self.source.read(LENGTH.size)
        if len(head) < LENGTH.size:
            return None
        (size,) = LENGTH.unpack(head)
        body = self.source.read(size)
        return pickle.loads(body) if len(body) == size else None

    def send(self, *event: Any) -> None:
        """Writes one event."""
        body = pickle.dumps(event, protocol=pickle.HIGHEST_PROTOCOL)
        with self.lock:
            self.sink.write(LENGTH.pack(len(body)))
            self.sink.write(body)
            self.sink.flush()


channel = Channel()

# After the descriptors have been moved: loading jaxlib may print.
from jaxlib import _jax, utils, xla_client  # noqa: E402

utils.absl_set_min_log_level(1)


class SnapshotReader:
    """Sends the pass snapshots that XLA writes to a directory, while it is writing them."""

    def __init__(self, directory: str) -> None:
        self.directory = directory
        self.sent: set[str] = set()
        self.finished = threading.Event()
        self.thread = threading.Thread(target=self._watch, daemon=True)
        self.thread.start()

    def _watch(self) -> None:
        while not self.finished.wait(POLL_S):
            # The newest file may still be growing.
            self._send(self._snapshots()[:-1])

    def _snapshots(self) -> list[tuple[int, str, str, str]]:
        found = []
        for file in os.listdir(self.directory):
            if file in self.sent:
                continue
            if match := SNAPSHOT.match(file):
                found.append((int(match["index"]) + 1, match["pipeline"], match["name"], file))
            elif file.endswith(".before_optimizations.txt"):
                found.append((0, "", "before_optimizations", file))
        return sorted(found)

    def _send(self, snapshots: list[tuple[int, str, str, str]]) -> None:
        for index, pipeline, name, file in snapshots:
            channel.send("pass", index, pipeline, name, self._read(file))
            self.sent.add(file)

    def _read(self, file: str) -> str:
        with open(os.path.join(self.directory, file), encoding="utf-8", errors="replace") as f:
            return f.read()

    def close(self) -> None:
        """Sends the rest, and the reports that XLA wrote about the result."""
        self.finished.set()
        self.thread.join()
        self._send(self._snapshots())
        for file in sorted(os.listdir(self.directory)):
            if match := REPORT.search(file):
                channel.send("report", match["name"], self._read(file))


clients: dict[int | None, Any] = {}


def client_with(device_count: int | None) -> Any:
    """Returns the client with this many devices."""
    if device_count not in clients:
        clients[device_count] = xla_client.make_cpu_client(num_devices=device_count)
    return clients[device_count]


def compile_one(request: dict[str, Any]) -> None:
    """Compiles one module and sends everything there is to know about it."""
    channel.send("progress", "starting")
    client = client_with(request["device_count"])
    by_id = {d.id: d for d in client.devices()}
    devices = _jax.DeviceList(tuple(by_id[i] for i in request["device_ids"]))
    options = _jax.CompileOptions.ParseFromString(request["options"])
    reader = None
    if request["dump_directory"] is not None:
        debug = options.executable_build_options.debug_options
        debug.xla_dump_to = request["dump_directory"]
        debug.xla_dump_hlo_pass_re = ".*"
        debug.xla_dump_hlo_as_text = True
        reader = SnapshotReader(request["dump_directory"])
    channel.send("progress", "compiling")
    begin = time.perf_counter()
    try:
        executable = client.compile_and_load(request["module"], devices, options)
    finally:
        seconds = time.perf_counter() - begin
        if reader is not None:
            reader.close()
    channel.send("progress", "reading")
    channel.send("hlo", "\n\n".join(m.to_string() for m in executable.hlo_modules()))
    channel.send("cost", dict(executable.cost_analysis()))
    stats = executable.get_compiled_memory_stats()
    sizes = {n: getattr(stats, n) for n in dir(stats) if not n.startswith("_")}
    channel.send("memory", {n: v for n, v in sizes.items() if isinstance(v, int)})
    channel.send("buffers", stats.serialized_buffer_assignment_proto)
    if request["executable"]:
        channel.send("executable", executable.serialize())
    channel.send("done", seconds)


def main() -> None:
    """Compiles what it is asked to, one after the other, until the input ends."""
    requests: queue.Queue[dict[str, Any]] = queue.Queue()

    def read() -> None:
        while (request := channel.receive()) is not None:
            requests.put(request)
        # The kernel is gone: nobody wants the result, so a running compilation is not waited for.
        os._exit(0)

    threading.Thread(target=read, daemon=True).start()
    channel.send("ready")
    while True:
        request = requests.get()
        try:
            compile_one(request)
        except Exception as error:
            channel.send("failed", str(error))


if __name__ == "__main__":
    main()
