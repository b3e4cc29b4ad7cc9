"""An error while tracing, as a view: what went wrong, how the value came about, and the program so far.

What lives here: the view. What must not: advice, which ``analysis.diagnosis`` gives.
"""

from __future__ import annotations

from typing import Any

from jaxnb.explorer.analysis.diagnosis import Diagnosis, diagnose, failure_panels
from jaxnb.explorer.capture.engine_errors import capture_failure
from jaxnb.explorer.capture.failure import CapturedFailure
from jaxnb.explorer.finished import FinishedView
from jaxnb.explorer.model.assemble import assemble
from jaxnb.explorer.model.escaping import visible
from jaxnb.explorer.model.facts import make_facts
from jaxnb.explorer.model.panels import Panel
from jaxnb.explorer.render.panel_text import panel_text
from jaxnb.explorer.stages import FAILED, TRACE, Status

__all__ = ["Failure", "explain_error"]


class Failure(FinishedView):
    """An error while tracing, explained.

    Args:
        captured: What is known of it.
    """

    def __init__(self, captured: CapturedFailure) -> None:
        self.captured = captured
        self.status = Status()
        self.status.states[TRACE] = FAILED

    @property
    def diagnosis(self) -> Diagnosis:
        """What the error means and what to write instead."""
        return diagnose(self.captured)

    @property
    def jaxpr(self) -> str:
        """The program as far as it was traced; "" where nothing was recorded."""
        return self.captured.trace.jaxpr

    def panels(self) -> list[Panel]:
        """What is said about the error."""
        return failure_panels(self.captured)

    def model(self) -> dict[str, Any]:
        """The view as the schema's JSON."""
        trace = self.captured.trace
        facts = make_facts(
            trace=trace,
            lowering=None,
            stablehlo=None,
            compilation=None,
            links=None,
            graph=None,
            run_s=None,
            first_view_s=None,
        )
        panels = self.panels()
        model = assemble(
            trace=trace,
            lowering=None,
            stablehlo=None,
            hlo_text=None,
            links=None,
            graph=None,
            pictures=None,
            dot="",
            facts=facts,
            status=self.status.to_data(),
            panels=panels,
        )
        model["title"] = f"{trace.function}: {self.captured.error}"
        model["header"] = [e for e in model["header"] if e["k"] in ("arguments", "equations", "jaxlib")]
        if not trace.jaxpr:
            model["documents"] = [one for one in model["documents"] if one["id"] != "jaxpr"]
        for document in model["documents"]:
            if document["id"] == "jaxpr":
                document["title"] = "Jaxpr so far"
        model["open"] = [panel.id for panel in panels] + [one["id"] for one in model["documents"]]
        return model

    def text(self) -> str:
        """The view as plain text."""
        lines = [panel_text(panel) for panel in self.panels()]
        if self.jaxpr:
            lines.append("Jaxpr so far\n" + "\n".join(f"  {line}" for line in self.jaxpr.split("\n")))
        return visible("\n\n".join(lines))

    def __repr__(self) -> str:
        return visible(f"<{self.captured.error} in {self.captured.trace.function}, explained>")


def explain_error(error: BaseException) -> Failure | None:
    """The explanation of an error that was raised while a function was traced; None for any other error."""
    captured = capture_failure(error)
    if captured is None:
        return None
    failure = Failure(captured)
    # What is known of it is then no more than its text.
    return failure if failure.jaxpr or failure.diagnosis.kind != "other" else None
