"""Where in the user's Python something happened: capture, resolution, MLIR locations.

A capture is a C++ object that holds code objects and instruction offsets; turning it into files and columns
is put off until someone asks. What must not live here: which frames count as the user's own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from types import CodeType
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from jaxlib import _jax

from jaxnb.base.lazy import lazy_module

if TYPE_CHECKING:
    from jaxlib.mlir import ir
    from jaxlib.mlir._mlir_libs import _jax_mlir_ext
else:
    _jax_mlir_ext = lazy_module("jaxlib.mlir._mlir_libs._jax_mlir_ext")

__all__ = [
    "Frame",
    "LocationCache",
    "Scope",
    "Traceback",
    "capture",
    "enable",
    "frames",
    "location_cache",
    "raw_frames",
    "resolve",
]

Traceback: TypeAlias = _jax.Traceback
LocationCache: TypeAlias = "_jax_mlir_ext.TracebackToLocationCache"

capture: Callable[[], Traceback | None] = Traceback.get_traceback
"""Returns the calling thread's stack as a C++ object, cheaply; None while capturing is switched off."""

Scope: TypeAlias = _jax.TracebackScope
"""A context in which captures begin at the frame that entered it, so that they are cheaper too."""


class Frame(NamedTuple):
    """One resolved frame: lines count from 1, columns from 0; the end column is exclusive."""

    file: str
    line: int
    end_line: int
    col_start: int
    col_end: int
    function: str
    code: CodeType
    lasti: int


def enable(on: bool = True) -> None:
    """Switches capturing on or off for the process."""
    _jax.set_tracebacks_enabled(on)


def resolve(code: CodeType, lasti: int) -> Frame:
    """Returns the source position of an instruction of a code object."""
    return _resolve(code, lasti, code.co_filename)


# Code objects of two files with the same text are equal, as those of a cell that is run again: the file is part of the key.
@lru_cache(maxsize=16384)
def _resolve(code: CodeType, lasti: int, file: str) -> Frame:
    line, col_start, end_line, col_end = Traceback.code_addr2location(code, lasti)
    return Frame(file, line, end_line, col_start, col_end, code.co_qualname, code, lasti)


def raw_frames(tb: Traceback) -> tuple[Sequence[CodeType], Sequence[int]]:
    """Returns the code objects of a capture and the offsets in them, innermost first, for ``resolve``."""
    return tb.raw_frames()


def frames(tb: Traceback | None) -> list[Frame]:
    """Returns the frames of a capture, innermost first."""
    if tb is None:
        return []
    codes, offsets = tb.raw_frames()
    return [resolve(code, lasti) for code, lasti in zip(codes, offsets, strict=True)]


def location_cache(
    code_to_filename: Callable[[CodeType], str | None], frame_limit: int, context: ir.Context
) -> LocationCache:
    """Returns a cache whose ``.get(traceback)`` is an MLIR call-site location in ``context``.

    Args:
      code_to_filename: the file name to write for a frame, or None to leave the frame out.
      frame_limit: how many frames to keep, innermost first.
      context: the MLIR context that the locations live in.
    """
    return _jax_mlir_ext.TracebackToLocationCache(
        code_to_filename=code_to_filename, frame_limit=frame_limit, context=context
    )


enable()
