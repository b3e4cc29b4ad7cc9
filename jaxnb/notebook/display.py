"""Explorations on screen: an output that follows what happens in the background, or coloured text.

Lives here: which form a front end gets and when it is brought up to date. Must not live here: the forms themselves,
which the explorer renders.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable
from typing import Any

from IPython.core.interactiveshell import InteractiveShell

from jaxnb.explorer.exploration import Exploration
from jaxnb.explorer.render.bundle import make_bundle
from jaxnb.explorer.view import View
from jaxnb.notebook.arguments import Arguments
from jaxnb.notebook.magics import MAGICS, Magic
from jaxnb.notebook.terminal import make_colored, make_plain
from jaxnb.notebook.updates import Follower

__all__ = ["Display", "LiveView"]

_ALL = MAGICS[0]


class Display:
    """How the explorations of one shell are shown.

    Args:
        shell: The shell.
        widget_class: Imports the class of live panels.
    """

    def __init__(self, shell: InteractiveShell, widget_class: Callable[[], Any]) -> None:
        self._shell = shell
        self._widget_class = widget_class

    @property
    def is_rich(self) -> bool:
        """Whether there is a page to draw on: a kernel's front end, not a terminal."""
        return hasattr(self._shell, "kernel")

    @property
    def is_batch(self) -> bool:
        """Whether a program reads the outputs: one that answers no questions, and reads nothing after the last cell."""
        return self.is_rich and not getattr(self._shell.kernel, "_allow_stdin", True)  # pyright: ignore[reportAttributeAccessIssue]

    def show(self, exploration: View) -> None:
        """Shows all stages."""
        self.show_stage(exploration, _ALL, Arguments())

    def show_stage(self, exploration: View, magic: Magic, arguments: Arguments) -> None:
        """Shows what a magic shows, and sees to it that its stages are reached."""
        waits = self._waits(arguments)
        if arguments.quiet:
            self._advance(exploration, magic, waits)
        elif arguments.widget:
            widget = self._widget_class()(exploration, panes=magic.panes)
            self._shell.display_pub.publish(*widget._repr_mimebundle_())
            self._advance(exploration, magic, waits)
        elif not self.is_rich:
            try:
                self._advance(exploration, magic, waits)
            except KeyboardInterrupt:
                # what is printed says that it was cancelled, and what there is
                exploration.cancel()
            print(self._text(exploration, magic))
        elif self.is_batch and waits:
            self._advance(exploration, magic, waits)
            LiveView(exploration, magic, self._shell).open()
        else:
            view = LiveView(exploration, magic, self._shell)
            view.open()
            self._advance(exploration, magic, waits)
            if waits or magic.until == "lower":
                view.refresh()

    def _text(self, exploration: View, magic: Magic) -> str:
        if self._shell.colors.lower() == "nocolor":
            return make_plain(exploration, magic, exploration.model())
        return make_colored(exploration, magic)

    def _waits(self, arguments: Arguments) -> bool:
        return (not self.is_rich or self.is_batch) if arguments.wait is None else arguments.wait

    def _advance(self, exploration: View, magic: Magic, waits: bool) -> None:
        if magic.until == "lower" and isinstance(exploration, Exploration):
            try:
                _ = exploration.stablehlo
            except Exception:
                # The exploration keeps it, and every view shows it in the place of the module.
                return
        elif magic.until == "run":
            exploration.start()
            if waits:
                exploration.wait()


class LiveView:
    """One output that follows an exploration: published once with an id, then updated under that id."""

    def __init__(self, exploration: View, magic: Magic, shell: InteractiveShell) -> None:
        self.exploration = exploration
        self._magic = magic
        self._publisher = shell.display_pub
        self._transient = {"display_id": uuid.uuid4().hex}
        self._lock = threading.Lock()
        self._sent: dict[str, Any] = {}

    def open(self) -> None:
        """Publishes what is there, and begins to follow."""
        begin = time.monotonic()
        self._sent = self._bundle()
        self._publisher.publish(self._sent, {}, transient=self._transient)
        Follower(self.exploration, self.refresh).rest(time.monotonic() - begin)

    def refresh(self) -> None:
        """Sends what is there now, if it differs from what was sent."""
        with self._lock:
            bundle = self._bundle()
            if bundle != self._sent:
                self._publisher.publish(bundle, {}, transient=self._transient, update=True)
                self._sent = bundle

    def _bundle(self) -> dict[str, Any]:
        model = self.exploration.model()
        if self._magic.panes:
            model["open"] = list(self._magic.panes)
        return make_bundle(model, make_plain(self.exploration, self._magic, model))
