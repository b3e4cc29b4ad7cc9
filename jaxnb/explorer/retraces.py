"""The table of a function's traces: live while it is open, a picture of the moment otherwise.

What lives here: the view and its life. What must not: the records, which the engine keeps.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from jaxnb.explorer.analysis.retraces import cost_s, retrace_table, stale_panel
from jaxnb.explorer.capture.engine_history import captured_records, history_mark, source_of_function, watch
from jaxnb.explorer.capture.history import CapturedTraceRecord
from jaxnb.explorer.finished import FinishedView
from jaxnb.explorer.model.assemble import seconds_text
from jaxnb.explorer.model.escaping import visible
from jaxnb.explorer.model.panels import Panel
from jaxnb.explorer.render.panel_text import panel_text
from jaxnb.explorer.stages import Status

__all__ = ["RetraceTable", "explore_retraces"]

POLL_S = 0.5
"""How often an open table looks for news."""


class RetraceTable(FinishedView):
    """The traces of one function, or of all; see ``explore_retraces``.

    Args:
        function: The function, jitted or not; None for all of the user's functions.
    """

    def __init__(self, function: Any = None) -> None:
        self.status = Status()  # of no particular program: no stage of it is ever reached
        self._source = None if function is None else source_of_function(function)
        self.title = "all traces" if self._source is None else f"{self._source.partition(' at ')[0]}: traces"
        self._callbacks: list[Callable[[Any], None]] = []
        self._open = ExitStack()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._counts = 0

    @property
    def records(self) -> list[CapturedTraceRecord]:
        """The traces, in order."""
        return captured_records(self._source)

    @property
    def is_counting(self) -> bool:
        """Whether calls are counted now."""
        return self._counts > 0

    @contextmanager
    def counting(self) -> Iterator[RetraceTable]:
        """Counts calls inside."""
        with watch():
            self._counts += 1
            try:
                yield self
            finally:
                self._counts -= 1

    def opened(self) -> None:
        """Counts calls and looks for news, until it is closed."""
        if self._thread is None:
            self._stop.clear()
            self._open.enter_context(self.counting())
            self._thread = threading.Thread(target=self._look, name="jaxnb-retraces", daemon=True)
            self._thread.start()

    def closed(self) -> None:
        """Ends the counting."""
        thread, self._thread = self._thread, None
        if thread is not None:
            self._stop.set()
            thread.join()
            self._open.close()

    def _look(self) -> None:
        mark = history_mark()
        while not self._stop.wait(POLL_S):
            now = history_mark()
            if now != mark:
                mark = now
                for callback in list(self._callbacks):
                    callback(self)

    def panels(self) -> list[Panel]:
        """The table, and what is out of date."""
        records = self.records
        return [retrace_table(records, self.is_counting), stale_panel(records)]

    def facts(self) -> dict[str, Any]:
        """The number of traces, their cost, and what is out of date."""
        records = self.records
        return {
            "traces": len(records),
            "seconds": cost_s(records),
            "objects": len({one.function for one in records}),
            "hits": [one.hits for one in records] if self.is_counting else None,
            "stale": [(one.number, change.path) for one in records for change in one.changes],
            "side_effects": [(one.number, effect.path) for one in records for effect in one.effects],
        }

    def model(self) -> dict[str, Any]:
        """The view as the schema's JSON; nothing in it is linked, because it has no program."""
        records = self.records
        panels = [retrace_table(records, self.is_counting), stale_panel(records)]
        stale = any(one.changes or one.effects for one in records)
        header = [
            {"k": "traces", "v": str(len(records)), "n": len(records)},
            {"k": "cost", "v": seconds_text(cost_s(records)), "n": cost_s(records)},
            {"k": "calls", "v": "counted" if self.is_counting else "not counted"},
        ]
        return self.panels_model(self.title, header, panels, ["retraces", "stale"] if stale else ["retraces"])

    def text(self) -> str:
        """The view as plain text."""
        return visible("\n\n".join([self.title, *(panel_text(panel) for panel in self.panels())]))

    def on_update(self, callback: Callable[[Any], None]) -> Callable[[], None]:
        """Calls ``callback`` after each change while the table is open; the result takes it back."""
        self._callbacks.append(callback)

        def remove() -> None:
            if callback in self._callbacks:
                self._callbacks.remove(callback)

        return remove

    def __repr__(self) -> str:
        return visible(f"<{self.title}: {len(self.records)}, {seconds_text(cost_s(self.records))}>")


def explore_retraces(function: Any = None) -> RetraceTable:
    """The table of a function's traces, or of those of all functions."""
    return RetraceTable(function)
