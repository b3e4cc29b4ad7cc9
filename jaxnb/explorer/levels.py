"""How much is known of one value, seen from inside of its trace: the levels between the value and its bare outline.

What lives here: the view. What must not: tracers; what it shows is read when it is made.
"""

from __future__ import annotations

from typing import Any

from jaxnb.explorer.analysis.levels import levels_panels, levels_rows
from jaxnb.explorer.capture.engine_levels import capture_levels
from jaxnb.explorer.capture.levels import CapturedLevels
from jaxnb.explorer.finished import FinishedView
from jaxnb.explorer.model.escaping import visible
from jaxnb.explorer.model.panels import Panel
from jaxnb.explorer.render.panel_text import panel_text
from jaxnb.explorer.stages import Status

__all__ = ["Levels", "explore_levels"]


class Levels(FinishedView):
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
        header = [
            {"k": "type", "v": captured.type},
            {"k": "value", "v": captured.value or "unknown"},
            {"k": "stands for it", "v": captured.layers[0].name},
        ]
        return self.panels_model(self.title, header, panels, [panel.id for panel in panels])

    def text(self) -> str:
        """The view as plain text."""
        return visible("\n\n".join([self.title, *(panel_text(panel) for panel in self.panels())]))

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
