"""What can be shown: an exploration, or a report on several; every front end asks for the same few things.

What lives here: saving, showing and the MIME bundle, which are the same for all. What must not: stages, panels, IPython
(``show`` goes through a slot that the notebook fills).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any

from jaxnb.explorer.render.bundle import make_bundle
from jaxnb.explorer.render.html import make_page
from jaxnb.explorer.stages import Status

__all__ = ["View", "display_slot"]


class View(ABC):
    """Something that is worked out in stages and can be shown after each."""

    status: Status

    @abstractmethod
    def model(self) -> dict[str, Any]:
        """The view as the schema's JSON, as far as it has come; never waits."""

    @abstractmethod
    def text(self) -> str:
        """The view as plain text, as far as it has come."""

    @abstractmethod
    def start(self) -> View:
        """Begins what is left to do, in the background."""

    @abstractmethod
    def wait(self, timeout_s: float | None = None) -> bool:
        """Waits until nothing is left to do; False if that took longer than ``timeout_s``."""

    @abstractmethod
    def cancel(self) -> None:
        """Gives up what is not done."""

    @abstractmethod
    def retry(self) -> View:
        """Begins again with what is not done."""

    @abstractmethod
    def on_update(self, callback: Callable[[Any], None]) -> Callable[[], None]:
        """Calls ``callback`` after each change; the result takes it back."""

    @property
    @abstractmethod
    def is_settled(self) -> bool:
        """Whether nothing is running and nothing waits to."""

    def opened(self) -> None:
        """Notes that a live panel of it was opened; what must be kept up for one begins here."""
        return

    def closed(self) -> None:
        """Notes that the panel was closed."""
        return

    def __reduce_ex__(self, protocol: object) -> Any:
        """Refuses: a view holds a program, threads and a connection to a compiler.

        Raises:
            TypeError: always.
        """
        kind = type(self).__name__
        raise TypeError(
            f"{kind} objects cannot be copied or pickled: they hold a running program; .save(path) keeps what one shows"
        )

    def save(self, path: str | Path) -> Path:
        """Writes the view as one HTML page that needs nothing else; waits for what is running.

        Returns:
            The path that was written.
        """
        self.start()
        self.wait()
        target = Path(path)
        target.write_text(make_page(self.model(), self.text()), encoding="utf-8")
        return target

    def show(self) -> None:
        """Displays the view, and goes on in the background."""
        if display_slot:
            display_slot[0](self)
            return
        self.start()
        self.wait()
        print(self.text())

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        """All forms of the finished view: text, HTML and the schema's JSON."""
        self.start()
        self.wait()
        return make_bundle(self.model(), self.text())


display_slot: list[Callable[[View], None]] = []
"""How ``show`` displays; the notebook puts its own function in front. Empty: the text is printed."""
