"""The linked view in a page, as a person uses it: point, click, and read what is lit."""

from __future__ import annotations

import pathlib
import re
from typing import Any

from tests.browser.lab import OUT

STAGES = ("trace", "lower", "compile", "run")


class View:
    """One view.

    Args:
        place: A page or a frame.
        title: What the view shows, such as `selu(x)`; the last of that name.
    """

    def __init__(self, place: Any, title: str) -> None:
        self.place = place
        self.root = place.get_by_role("region", name=f"Compilation of {title}", exact=True).last

    def wait(self, stage: str = "run", state: str = "done", timeout_ms: int = 60_000) -> View:
        """Waits until a stage is in a state, and the graph is drawn if it is the last one."""
        self.root.locator(f".jx-chip[data-stage={stage}].jx-{state}").wait_for(timeout=timeout_ms)
        self.root.scroll_into_view_if_needed()
        if (stage, state) == ("run", "done"):
            # a page draws what is near the window, and a narrow view closes some of its panes
            self.pane("graph").evaluate("e => e.scrollIntoView({block: 'nearest'})")
            drawn = self.root.locator("[data-pane=graph][hidden], [data-pane=graph] .jx-node")
            drawn.first.wait_for(state="attached", timeout=timeout_ms)
            self.root.locator("header.jx-head").scroll_into_view_if_needed()
        return self

    def pane(self, name: str) -> Any:
        """A pane by its name: source, jaxpr, stablehlo, hlo, graph."""
        return self.root.locator(f"[data-pane={name}]")

    def is_open(self, name: str) -> bool:
        """Whether a pane is shown."""
        return self.pane(name).is_visible()

    def text(self, name: str) -> str:
        """The lines of a pane that are drawn."""
        return "\n".join(line for _, line in sorted(self._rows(name)))

    def _rows(self, name: str, classes: str = "") -> list[tuple[int, str]]:
        return (
            self.pane(name)
            .locator(f".jx-row{classes}")
            .evaluate_all(
                "rows => rows.map(r => [Number(r.dataset.line), r.querySelector('.jx-code').textContent])"
            )
        )

    def line(self, name: str, wanted: str) -> Any:
        """The first row of a pane with this text in it."""
        lines = [number for number, text in sorted(self._rows(name)) if wanted in text]
        assert lines, f"{name} has no line with {wanted!r}:\n{self.text(name)}"
        return self.pane(name).locator(f".jx-row[data-line='{lines[0]}']")

    def item(self, name: str, line: str, wanted: str | None = None) -> Any:
        """The smallest linked stretch of a line that begins with some text; of any text, the first."""
        items = self.line(name, line).locator(".jx-i")
        texts = items.evaluate_all("items => items.map(i => i.textContent)")
        fits = [
            place for place, text in enumerate(texts) if wanted is None or text.strip().startswith(wanted)
        ]
        assert fits, f"no stretch begins with {wanted!r}: {texts}"
        return items.nth(min(fits, key=lambda place: len(texts[place])) if wanted else fits[0])

    def hover(self, name: str, line: str, wanted: str | None = None) -> None:
        """Points at a stretch of a line."""
        self.item(name, line, wanted).hover(position={"x": 3, "y": 8})

    def click(self, name: str, line: str, wanted: str | None = None) -> None:
        """Clicks on a stretch of a line."""
        self.item(name, line, wanted).click(position={"x": 3, "y": 8})

    def leave(self) -> None:
        """Points at nothing."""
        self.root.locator(".jx-status").hover()

    def lit(self, name: str) -> list[str]:
        """The lines of a pane that are lit, without their indentation; of the graph, the labels of lit nodes."""
        if name == "graph":
            return (
                self.pane("graph")
                .locator(".jx-node.jx-lit")
                .evaluate_all(
                    "nodes => nodes.map(n => n.querySelector('text, .jx-label')?.textContent ?? n.textContent)"
                )
            )
        return [text.strip() for _, text in sorted(self._rows(name, ".jx-lit"))]

    def all_lit(self) -> dict[str, list[str]]:
        """What is lit, pane by pane."""
        return {
            name: self.lit(name)
            for name in ("source", "jaxpr", "stablehlo", "hlo", "graph")
            if self.is_open(name)
        }

    def status_line(self) -> str:
        """What the bottom line says."""
        return self.root.locator(".jx-status").inner_text()

    def message(self) -> str:
        """What is said about the whole exploration."""
        return self.root.locator(".jx-message").inner_text()

    def picture(self, name: str) -> pathlib.Path:
        """Keeps a picture of the view."""
        OUT.mkdir(exist_ok=True)
        path = OUT / (re.sub(r"[^\w.-]+", "_", name) + ".png")
        self.root.screenshot(path=path)
        return path
