"""The kernel's side of the compile worker: jobs, their events, and the process behind them.

What must not live here: what an event means to a view, and loading the executable back (see ``compile``).
"""

from __future__ import annotations

import atexit
import os
import pickle
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, TypeAlias
from weakref import WeakSet

import jaxlib
import numpy as np

from jaxnb.xla import client
from jaxnb.xla.compile import CompileOptions

__all__ = ["TERMINAL", "CompileWorker", "Event", "Job", "shared_worker"]

Event: TypeAlias = tuple[Any, ...]
"""What a job reports: a kind, and what belongs to it.

==================================================  =====================================================
``("progress", stage)``                             ``"starting"``, ``"compiling"``, ``"reading"``
``("pass", index, pipeline, name, text)``           the HLO after a pass, or at ``pipeline-start``
``("report", name, text)``                          what XLA wrote about memory, if passes were asked for
``("hlo", text)``                                   the optimised program, with metadata
``("cost", numbers)``                               XLA's estimates
``("memory", numbers)``                             sizes [bytes]
``("buffers", proto)``                              the buffer assignment, serialised
``("executable", data)``                            what ``load_executable`` reads
``("done", seconds)``                               the last event of a job that succeeded
``("failed", message)``                             the last event of a job that XLA rejected
``("killed", code, output)``                        the last event of a job whose process ended; a negative
code
                                                    is minus the signal
==================================================  =====================================================
"""

TERMINAL = frozenset({"done", "failed", "killed"})
"""The kinds of event that a job ends with."""

# The worker's file says the same; it cannot be imported here, because it takes over standard input and
# output.
_LENGTH = struct.Struct(">Q")
_WORKER_FILE = Path(__file__).with_name("worker_main.py")
_OUTPUT_TAIL = 4000


class Job:
    """One compilation that was asked for.

    Attributes:
      log: all events so far.
      retried: whether it was given to a second process, the first having ended without touching it.
    """

    def __init__(self, owner: CompileWorker, request: dict[str, Any]) -> None:
        self._owner = owner
        self._request = request
        self._changed = threading.Condition()
        self._callbacks: list[Callable[[Event], None]] = []
        self.log: list[Event] = []
        self.retried = False

    @property
    def done(self) -> bool:
        """Whether the last event is there."""
        return bool(self.log) and self.log[-1][0] in TERMINAL

    def events(self, timeout_s: float | None = None) -> Iterator[Event]:
        """Yields the events from the first one on, as they come, until the last.

        Raises:
          TimeoutError: nothing came for ``timeout_s``.
        """
        position = 0
        while True:
            with self._changed:
                if not self._changed.wait_for(lambda seen=position: len(self.log) > seen, timeout_s):
                    raise TimeoutError(f"the compile worker said nothing for {timeout_s} s")
                event = self.log[position]
            position += 1
            yield event
            if event[0] in TERMINAL:
                return

    def wait(self, timeout_s: float | None = None) -> Event:
        """Returns the last event, waiting for it.

        Raises:
          TimeoutError: it did not come within ``timeout_s``.
        """
        with self._changed:
            if not self._changed.wait_for(lambda: self.done, timeout_s):
                raise TimeoutError(f"the compile worker did not finish within {timeout_s} s")
            return self.log[-1]

    def on_event(self, callback: Callable[[Event], None]) -> None:
        """Calls ``callback`` with each event, past ones at once and coming ones in a thread of the worker."""
        with self._changed:
            past = list(self.log)
            self._callbacks.append(callback)
        for event in past:
            callback(event)

    def cancel(self) -> None:
        """Ends the job now, by killing the process if it is running; a finished job stays as it is."""
        self._owner._cancel(self)

    def _report(self, event: Event) -> None:
        if event[0] in TERMINAL and (directory := self._request["dump_directory"]) is not None:
            shutil.rmtree(directory, ignore_errors=True)
        with self._changed:
            if self.done:
                return
            self.log.append(event)
            callbacks = list(self._callbacks)
            self._changed.notify_all()
        for callback in callbacks:
            callback(event)


class _Process:
    """A running worker: idle, or busy with one job."""

    def __init__(self, flags: str) -> None:
        self.flags = flags
        self.ready = False
        self.job: Job | None = None
        self.cancelled = False
        self.output: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the process
        # Where this process found them, in case that is not where the interpreter looks by itself.
        places = [str(Path(m.__file__).parent.parent) for m in (jaxlib, np) if m.__file__]
        self.popen = subprocess.Popen(
            # -P, because the file's own folder has modules with names of the standard library.
            [sys.executable, "-P", str(_WORKER_FILE), *places],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.output,
            env={**os.environ, "XLA_FLAGS": flags},
        )

    def send(self, request: dict[str, Any]) -> None:
        body = pickle.dumps(request, protocol=pickle.HIGHEST_PROTOCOL)
        assert self.popen.stdin is not None
        try:
            self.popen.stdin.write(_LENGTH.pack(len(body)))
            self.popen.stdin.write(body)
            self.popen.stdin.flush()
        except OSError:
            # It has died; the thread that reads its output notices, and reports.
            pass

    def receive(self) -> Event | None:
        assert self.popen.stdout is not None
        head = self.popen.stdout.read(_LENGTH.size)
        if len(head) < _LENGTH.size:
            return None
        (size,) = _LENGTH.unpack(head)
        body = self.popen.stdout.read(size)
        return pickle.loads(body) if len(body) == size else None

    def end(self) -> tuple[int, str]:
        """Waits for the process, and returns its exit code and the last of what it printed."""
        code = self.popen.wait()
        assert self.popen.stdin is not None
        assert self.popen.stdout is not None
        try:
            self.popen.stdin.close()
        except OSError:
            # What was still to be written has no reader any more.
            pass
        self.popen.stdout.close()
        self.output.seek(0, os.SEEK_END)
        self.output.seek(max(0, self.output.tell() - _OUTPUT_TAIL))
        text = self.output.read().decode(errors="replace")
        self.output.close()
        return code, text


class CompileWorker:
    """Compiles modules in another process, one after the other.

    The process is started by :meth:`start` or by the first job, and used again; when a job is cancelled
    another is started at once, so that the next job finds it warm.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._waiting: deque[Job] = deque()
        self._process: _Process | None = None
        self._closed = False
        self._owner_pid = os.getpid()
        _workers.add(self)

    def start(self) -> None:
        """Starts the process if there is none; it returns at once."""
        with self._lock:
            self._ensure_process()

    def submit(
        self,
        module_bytecode: bytes,
        options: CompileOptions,
        *,
        passes: bool = False,
        executable: bool = True,
        on_event: Callable[[Event], None] | None = None,
    ) -> Job:
        """Returns a job that compiles a StableHLO module.

        Args:
          module_bytecode: the module; it must not call back into Python.
          options: how to compile; the devices are those with the same ids here.
          passes: whether to report the program after each pass that changes it.
          executable: whether to report the compiled program itself.
          on_event: called with each event, in a thread of the worker.

        Raises:
          RuntimeError: the worker was closed.
          TypeError: the value of a compiler option is not a string, bool, int or float.
        """
        request = {
            "module": module_bytecode,
            "options": options.to_bytes(),
            "device_ids": options.device_ids,
            "device_count": client.planned_device_count(),
            "dump_directory": tempfile.mkdtemp(prefix="jaxnb-passes-") if passes else None,
            "executable": executable,
        }
        job = Job(self, request)
        if on_event is not None:
            job.on_event(on_event)
        with self._lock:
            if self._closed:
                raise RuntimeError("the compile worker is closed")
            self._waiting.append(job)
            self._assign()
        return job

    def close(self) -> None:
        """Ends the process and all jobs; calling it again does nothing."""
        if os.getpid() != self._owner_pid:
            # A forked child has a copy of this object, but not of the process.
            return
        with self._lock:
            self._closed = True
            process = self._process
            waiting = list(self._waiting)
            self._waiting.clear()
        if process is not None:
            process.popen.kill()
            process.popen.wait()
        for job in waiting:
            job._report(("killed", -signal.SIGKILL, ""))

    @property
    def pid(self) -> int | None:
        """The process id of the worker, or None while there is none."""
        process = self._process
        return None if process is None else process.popen.pid

    def _ensure_process(self) -> _Process:
        """Returns a process with the flags of this one; the lock is held."""
        flags = client.xla_flags()
        process = self._process
        if process is not None and process.job is None and process.flags != flags:
            process.popen.kill()
            process = None
        if process is None:
            process = self._process = _Process(flags)
            threading.Thread(
                target=self._listen, args=(process,), name="jaxnb-compile-worker", daemon=True
            ).start()
        return process

    def _assign(self) -> None:
        """Gives the next job to the process if it is idle; the lock is held."""
        if not self._waiting:
            return
        process = self._ensure_process()
        if process.ready and process.job is None:
            process.job = self._waiting.popleft()
            process.send(process.job._request)

    def _listen(self, process: _Process) -> None:
        """Passes on what a process says, until it ends."""
        while (event := process.receive()) is not None:
            if event[0] == "ready":
                with self._lock:
                    process.ready = True
                    self._assign()
                continue
            job = process.job
            if event[0] in TERMINAL:
                # The next job starts while whoever listens to this one looks at its end.
                with self._lock:
                    process.job = None
                    self._assign()
            if job is not None:
                job._report(event)
        code, output = process.end()
        with self._lock:
            ended: list[Job] = []
            if (job := process.job) is not None:
                process.job = None
                if job.log or process.cancelled or self._closed or job.retried:
                    ended.append(job)
                else:
                    # The process had ended before the job was given to it; it deserves a living one.
                    job.retried = True
                    self._waiting.appendleft(job)
            if self._process is process:
                self._process = None
                if not process.ready:
                    # It could not start, and another would not either.
                    ended.extend(self._waiting)
                    self._waiting.clear()
                elif process.cancelled and not self._closed:
                    self._ensure_process()
                if not self._closed:
                    self._assign()
        for job in ended:
            job._report(("killed", code, output))

    def _cancel(self, job: Job) -> None:
        with self._lock:
            process = self._process
            if job in self._waiting:
                self._waiting.remove(job)
            elif process is not None and process.job is job:
                process.cancelled = True
                process.popen.kill()
                return
            else:
                return
        job._report(("killed", -signal.SIGKILL, ""))


_workers: WeakSet[CompileWorker] = WeakSet()
_shared: list[CompileWorker] = []
_shared_lock = threading.Lock()


def shared_worker() -> CompileWorker:
    """Returns the worker of this process, the same each time."""
    with _shared_lock:
        if not _shared or _shared[0]._closed or _shared[0]._owner_pid != os.getpid():
            _shared[:] = [CompileWorker()]
        return _shared[0]


@atexit.register
def _close_all() -> None:
    for worker in list(_workers):
        worker.close()
