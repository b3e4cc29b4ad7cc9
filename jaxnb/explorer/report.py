"""Reports: what several explorations say together, shown as panels beside the texts of one of them.

What lives here: following the explorations that a report is about. What must not: what a particular report says.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jaxnb.explorer.exploration import Exploration
from jaxnb.explorer.model.escaping import visible
from jaxnb.explorer.model.panels import Panel
from jaxnb.explorer.render.panel_text import panel_text
from jaxnb.explorer.stages import CANCELLED, DONE, FAILED, PENDING, RUNNING, STAGES, Status
from jaxnb.explorer.view import View

__all__ = ["Report"]

_ORDER = (FAILED, CANCELLED, RUNNING, PENDING, DONE)


class Report(View):
    """Panels about explorations, brought up to date as these go on.

    Args:
        title: What it is about, such as ``f(x)``.
        parts: The explorations by name; the last one's texts stand beside the panels.
    """

    open_panes: tuple[str, ...] = ()
    """Which panes are open at first."""

    def __init__(self, title: str, parts: Mapping[str, Exploration]) -> None:
        self.title = title
        self.parts = dict(parts)

    @property
    def main(self) -> Exploration:
        """The exploration whose texts are shown."""
        return list(self.parts.values())[-1]

    @property
    def result(self) -> Any:
        """What the function returned; waits for it."""
        return self.main.result

    @abstractmethod
    def panels(self) -> Sequence[Panel]:
        """The panels, as far as they are known; never waits."""

    @abstractmethod
    def facts(self) -> dict[str, Any]:
        """What is known, as nested JSON; waits for what is running."""

    def header_lines(self) -> list[str]:
        """The first lines of the text."""
        return [self.title]

    # -- following ---------------------------------------------------------------------------------------------------

    @property
    def status(self) -> Status:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The stages of all explorations together: of each the state that is worst."""
        status = Status()
        messages = []
        for name, part in self.parts.items():
            if part.status.message:
                messages.append(
                    f"{name}: {part.status.message}" if len(self.parts) > 1 else part.status.message
                )
            for stage, error in part.status.errors.items():
                status.errors.setdefault(stage, error)
            status.since.update(part.status.since)
        for stage in STAGES:
            states = [part.status.states[stage] for part in self.parts.values()]
            status.states[stage] = min(states, key=_ORDER.index, default=DONE)
        status.message = "; ".join(messages)
        return status

    def start(self) -> Report:
        """Begins what is left to do, in the background."""
        for part in self.parts.values():
            part.start()
        return self

    def wait(self, timeout_s: float | None = None) -> bool:
        """Waits until nothing is left to do; False if that took longer than ``timeout_s``."""
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        done = True
        for part in self.parts.values():
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            done = part.wait(left) and done
        return done

    def cancel(self) -> None:
        """Gives up what is not done."""
        for part in self.parts.values():
            part.cancel()

    def retry(self) -> Report:
        """Begins again with what is not done."""
        for part in self.parts.values():
            part.retry()
        return self

    def on_update(self, callback: Callable[[Any], None]) -> Callable[[], None]:
        """Calls ``callback`` after each change of an exploration; the result takes it back."""
        undo = [part.on_update(lambda _: callback(self)) for part in self.parts.values()]

        def remove() -> None:
            for one in undo:
                one()

        return remove

    @property
    def is_settled(self) -> bool:
        """Whether nothing is running and nothing waits to."""
        return all(part.is_settled for part in self.parts.values())

    # -- renderings --------------------------------------------------------------------------------------------------

    def model(self) -> dict[str, Any]:
        """The report as the schema's JSON: the main exploration's, with the panels; never waits."""
        panels = self.panels()
        model = self.main.model(panels)
        model["title"] = self.title
        model["status"] = self.status.to_data()
        model["open"] = list(self.open_panes) or [panel.id for panel in panels]
        return model

    def text(self) -> str:
        """The report as plain text, as far as it has come."""
        return visible(
            "\n\n".join(["\n".join(self.header_lines()), *(panel_text(panel) for panel in self.panels())])
        )

    def __repr__(self) -> str:
        states = ", ".join(f"{stage} {state}" for stage, state in self.status.states.items())
        return visible(f"<{type(self).__name__} of {self.title}: {states}>")
