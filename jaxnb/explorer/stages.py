"""The stages of an exploration and what is known about each.

What lives here: states and their messages. What must not: the work of a stage.
"""

from __future__ import annotations

import os
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

TRACE, LOWER, COMPILE, RUN = "trace", "lower", "compile", "run"
STAGES = (TRACE, LOWER, COMPILE, RUN)

PENDING, RUNNING, DONE, FAILED, CANCELLED = "pending", "running", "done", "failed", "cancelled"


_FRAMES_OF_NO_USER = tuple(
    f'  File "{start}' for start in (str(Path(__file__).parents[1]) + os.sep, threading.__file__)
)


@dataclass(slots=True)
class Status:
    """The state of every stage, and one sentence about the whole where there is something to say."""

    states: dict[str, str] = field(default_factory=lambda: dict.fromkeys(STAGES, PENDING))
    errors: dict[str, BaseException] = field(default_factory=dict)
    since: dict[str, float] = field(default_factory=dict)
    message: str = ""

    def begin(self, stage: str) -> None:
        """Notes that a stage runs."""
        self.states[stage] = RUNNING
        self.since[stage] = time.time()
        self.errors.pop(stage, None)

    def end(self, stage: str) -> None:
        """Notes that a stage is done."""
        self.states[stage] = DONE

    def fail(self, stage: str, error: BaseException) -> None:
        """Notes why a stage failed; what comes after it is not tried."""
        self.states[stage] = FAILED
        self.errors[stage] = error

    def cancel(self) -> None:
        """Notes that what runs or waits was given up."""
        for stage in STAGES:
            if self.states[stage] in (RUNNING, PENDING):
                self.states[stage] = CANCELLED

    def to_data(self) -> dict[str, Any]:
        """The status as the schema has it."""
        data: dict[str, Any] = dict(self.states)
        if self.message:
            data["message"] = self.message
        if self.errors:
            data["errors"] = {stage: error_text(error) for stage, error in self.errors.items()}
        running = {stage: self.since[stage] for stage, state in self.states.items() if state == RUNNING}
        if running:
            data["since"] = running
        return data


def error_text(error: BaseException) -> str:
    """An error in one line with its class, its further lines below.

    XLA puts a callback's whole stack into its message, as text: what a reader needs of it are the frames of the callback.
    """
    lines = str(error).split("\n")
    shown = [line for line in lines if not line.startswith(_FRAMES_OF_NO_USER)]
    return f"{type(error).__name__}: " + "\n".join(shown)
