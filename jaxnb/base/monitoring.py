"""Events: who wants to know that something was traced, lowered, compiled or found in a cache, and how long it took.

Lives here: the lists of listeners and the functions that tell them, under JAX's own names. Must not live here: the
events themselves; each is recorded where it happens.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = [
    "clear_event_listeners",
    "record_event",
    "record_event_duration_secs",
    "record_event_time_span",
    "record_scalar",
    "register_event_duration_secs_listener",
    "register_event_listener",
    "register_event_time_span_listener",
    "register_scalar_listener",
    "unregister_event_duration_listener",
    "unregister_event_listener",
    "unregister_event_time_span_listener",
    "unregister_scalar_listener",
]

Listener = Callable[..., None]

_events: list[Listener] = []
_durations: list[Listener] = []
_time_spans: list[Listener] = []
_scalars: list[Listener] = []


def record_event(event: str, **kwargs: str | int) -> None:
    """Tells the event listeners that something happened."""
    for listener in _events:
        listener(event, **kwargs)


def record_event_duration_secs(event: str, duration: float, **kwargs: str | int) -> None:
    """Tells the duration listeners how long something took [s]."""
    for listener in _durations:
        listener(event, duration, **kwargs)


def record_event_time_span(event: str, start_time: float, end_time: float, **kwargs: str | int) -> None:
    """Tells the time span listeners when something began and ended [s since the epoch]."""
    for listener in _time_spans:
        listener(event, start_time, end_time, **kwargs)


def record_scalar(event: str, value: float | int, **kwargs: str | int) -> None:
    """Tells the scalar listeners a number."""
    for listener in _scalars:
        listener(event, value, **kwargs)


def register_event_listener(callback: Listener) -> None:
    """Adds ``callback(event, **metadata)``."""
    _events.append(callback)


def register_event_duration_secs_listener(callback: Listener) -> None:
    """Adds ``callback(event, duration, **metadata)``."""
    _durations.append(callback)


def register_event_time_span_listener(callback: Listener) -> None:
    """Adds ``callback(event, start_time, end_time, **metadata)``."""
    _time_spans.append(callback)


def register_scalar_listener(callback: Listener) -> None:
    """Adds ``callback(event, value, **metadata)``."""
    _scalars.append(callback)


def unregister_event_listener(callback: Listener) -> None:
    """Removes an event listener."""
    _remove(_events, callback)


def unregister_event_duration_listener(callback: Listener) -> None:
    """Removes a duration listener."""
    _remove(_durations, callback)


def unregister_event_time_span_listener(callback: Listener) -> None:
    """Removes a time span listener."""
    _remove(_time_spans, callback)


def unregister_scalar_listener(callback: Listener) -> None:
    """Removes a scalar listener."""
    _remove(_scalars, callback)


def _remove(listeners: list[Any], callback: Listener) -> None:
    assert callback in listeners, "the callback is not registered"
    listeners.remove(callback)


def clear_event_listeners() -> None:
    """Removes all listeners."""
    for listeners in (_events, _durations, _time_spans, _scalars):
        listeners.clear()
