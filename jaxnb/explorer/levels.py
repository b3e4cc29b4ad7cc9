"""How much is known of one value, seen from inside of its trace: the levels between the value and its bare outline.

What lives here: the view. What must not: tracers; what it shows is read when it is made.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jaxnb.explorer.analysis.levels import levels_panels, levels_rows
from jaxnb.explorer.capture.engine_levels import capture_levels
from jaxnb.explorer.capture.levels import CapturedLevels
from jaxnb.explorer.model.assemble import SCHEMA_VERSION
from jaxnb.explorer.model.escaping import visible
from jaxnb.explorer.model.panels import Panel, panel_data
from jaxnb.explorer.render.panel_text import panel_text
from jaxnb.explorer.stages import Status
from jaxnb.explorer.view import View

__all__ = ["Levels", "explore_levels"]


class Levels(View):
    """What is known of a value; see ``explore_levels``.

    Args:
        captured: What was read while its trace went on.
    """

    def __init__(self, captured: CapturedLevels) -> None:
        self.captured = captured
        self.status = Status()  # of no program: no stage of it is ever reached
        self.title = f"levels of {captured.type}"

    def panels(self) -> list[Panel]:
        """The ladder, what Python may do, which calls one program serves, what stands for the value."""
        return levels_panels(self.captured)

    def facts(self) -> dict[str, Any]:
        """What is known, as nested JSON."""
        captured = self.captured
        return {
            "type": captured.type,
            "value": captured.value or None,
            "level": "value" if captured.is_known else "shape and type",
            "levels": levels_rows(captured),
            "layers": [(one.name, one.made_by, one.type) for one in captured.layers],
            "refused": captured.refused,
            "allowed": [one.code for one in captured.attempts if one.code not in captured.refused],
            "serves": {one.what: one.on_type for one in captured.neighbours},
        }

    def model(self) -> dict[str, Any]:
        """The view as the schema's JSON; nothing in it is linked, because its program is not finished."""
        panels = self.panels()
        captured = self.captured
        return {
            "schema": SCHEMA_VERSION,
            "title": self.title,
            "cell": None,
            "header": [
                {"k": "type", "v": captured.type},
                {"k": "value", "v": captured.value or "unknown"},
                {"k": "stands for it", "v": captured.layers[0].name},
            ],
            "status": self.status.to_data(),
            "pivots": {"kind": [], "label": [], "type": [], "fate": []},
            "sets": [],
            "documents": [],
            "graph": None,
            "fates": {},
            "panels": panel_data(panels, None),
            "open": [panel.id for panel in panels],
        }

    def text(self) -> str:
        """The view as plain text."""
        return visible("\n\n".join([self.title, *(panel_text(panel) for panel in self.panels())]))

    def start(self) -> Levels:
        """Changes nothing: there is nothing left to do."""
        return self

    def wait(self, timeout_s: float | None = None) -> bool:
        """Waits for nothing."""
        return True

    def cancel(self) -> None:
        """Changes nothing."""

    def retry(self) -> Levels:
        """Changes nothing: the trace it was read in may be over."""
        return self

    def on_update(self, callback: Callable[[Any], None]) -> Callable[[], None]:
        """Never calls ``callback``."""
        return lambda: None

    @property
    def is_settled(self) -> bool:
        """Always."""
        return True

    def __repr__(self) -> str:
        captured = self.captured
        return visible(
            f"<{self.title}: value {captured.value or 'unknown'}, held by {captured.layers[0].name}>"
        )


def explore_levels(x: Any) -> Levels:
    """How much is known of a value where this is called: inside of a traced function, of any traced value in it.

    The view holds no tracer, so it may be kept and shown when the trace is over; the program has no equation more for it.

    Raises:
        TypeError: ``x`` is no array, number or traced value.
    """
    return Levels(capture_levels(x))
