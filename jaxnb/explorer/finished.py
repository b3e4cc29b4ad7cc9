"""Views with nothing left to do: what they show was there when they were made.

What lives here: their life, and the model of one that has panels and no program. What must not: what a view says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

from jaxnb.explorer.model.assemble import SCHEMA_VERSION
from jaxnb.explorer.model.panels import Panel, panel_data
from jaxnb.explorer.view import View

__all__ = ["FinishedView"]


class FinishedView(View):
    """A view that is finished when it is made."""

    def start(self) -> Self:
        """Changes nothing: there is nothing left to do."""
        return self

    def wait(self, timeout_s: float | None = None) -> bool:
        """Waits for nothing."""
        return True

    def cancel(self) -> None:
        """Changes nothing."""

    def retry(self) -> Self:
        """Changes nothing: what was seen cannot be seen again by asking."""
        return self

    def on_update(self, callback: Callable[[Any], None]) -> Callable[[], None]:
        """Never calls ``callback``."""
        return lambda: None

    @property
    def is_settled(self) -> bool:
        """Always."""
        return True

    def panels_model(
        self, title: str, header: Sequence[Mapping[str, Any]], panels: Sequence[Panel], opened: Sequence[str]
    ) -> dict[str, Any]:
        """The schema's JSON of panels alone; nothing in it is linked, because it has no program.

        Args:
            title: What the view is called.
            header: The figures above, ``{"k": name, "v": text}`` each.
            panels: What is shown.
            opened: The identities of those that are open at first.
        """
        return {
            "schema": SCHEMA_VERSION,
            "title": title,
            "cell": None,
            "header": list(header),
            "status": self.status.to_data(),
            "pivots": {"kind": [], "label": [], "type": [], "fate": []},
            "sets": [],
            "documents": [],
            "graph": None,
            "fates": {},
            "panels": panel_data(panels, None),
            "open": list(opened),
        }
