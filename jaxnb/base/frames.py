"""Tracebacks that were shortened: what is left of them, and how what was taken out is found again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import FrameType, TracebackType

__all__ = ["entries", "full_traceback", "shorten"]

_KEPT = "_jaxnb_removed_frames"


def entries(traceback: TracebackType | None) -> Iterator[TracebackType]:
    """Returns a traceback's entries, from the outermost frame inwards."""
    while traceback is not None:
        yield traceback
        traceback = traceback.tb_next


def shorten(error: BaseException, is_kept: Callable[[FrameType], bool]) -> None:
    """Takes the frames out of an error's traceback that are not to be kept; the error remembers them."""
    whole = error.__traceback__
    kept: TracebackType | None = None
    for entry in reversed(list(entries(whole))):
        if is_kept(entry.tb_frame):
            kept = TracebackType(kept, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    error.__traceback__ = kept
    error.__dict__[_KEPT] = kept, whole


def full_traceback(error: BaseException) -> TracebackType | None:
    """Returns an error's traceback with the frames that were taken out."""
    removed = vars(error).get(_KEPT)
    if removed is None:
        return error.__traceback__
    kept, whole = removed
    outer = []  # the frames between whoever caught the error and where it was shortened
    for entry in entries(error.__traceback__):
        if entry is kept:
            break
        outer.append(entry)
    for entry in reversed(outer):
        whole = TracebackType(whole, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return whole
