"""Following an exploration: what is shown is brought up to date, but not more often than is of use.

Lives here: when to refresh. Must not live here: what refreshing does.
"""

from __future__ import annotations

import contextvars
import threading
import time
from collections.abc import Callable

from jaxnb.explorer.view import View

__all__ = ["BUSY_SHARE", "MIN_INTERVAL_S", "Follower"]

MIN_INTERVAL_S = 0.25
"""The least time between two refreshes of one view; a reader sees no more."""

BUSY_SHARE = 0.25
"""The largest share of the time that one view's refreshes take; the rest is the kernel's."""


class Follower:
    """Refreshes after changes of an exploration, from a thread, until it is closed.

    Changes that come close together make one refresh; the last change is always followed by one, and by none that is
    late. The refresh runs in the context of whoever made the follower, so that what it publishes belongs to that
    cell, whichever runs meanwhile.

    Args:
        exploration: What is followed.
        refresh: Shows its present state.
    """

    def __init__(self, exploration: View, refresh: Callable[[], None]) -> None:
        self._exploration = exploration
        self._refresh = refresh
        self._context = contextvars.copy_context()
        self._not_before = 0.0
        self._stop = exploration.on_update(lambda _: _thread.request(self))

    def close(self) -> None:
        """Ends the following."""
        self._stop()

    def rest(self, seconds: float) -> None:
        """Puts the next refresh off, because one has just taken so long."""
        self._not_before = time.monotonic() + max(MIN_INTERVAL_S, seconds / BUSY_SHARE)

    @property
    def due(self) -> float:
        """When it may refresh next; now, if it is the last time."""
        return 0.0 if self._exploration.is_settled else self._not_before

    def run(self) -> None:
        """Refreshes."""
        begin = time.monotonic()
        self._context.copy().run(self._refresh)
        self.rest(time.monotonic() - begin)


class _RefreshThread:
    """The one thread of this process that refreshes."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: list[Follower] = []
        self._thread: threading.Thread | None = None

    def request(self, follower: Follower) -> None:
        """Has a follower refresh as soon as it may."""
        with self._changed:
            if follower not in self._waiting:
                self._waiting.append(follower)
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._serve, name="jaxnb-refresh", daemon=True)
                self._thread.start()
            self._changed.notify()

    def _serve(self) -> None:
        while True:
            self._take().run()

    def _take(self) -> Follower:
        with self._changed:
            while True:
                first = min(self._waiting, key=lambda one: one.due, default=None)
                if first is None:
                    self._changed.wait()
                elif (delay := first.due - time.monotonic()) > 0:
                    self._changed.wait(delay)
                else:
                    self._waiting.remove(first)
                    return first


_thread = _RefreshThread()
