"""Where calls of users enter the engine, and what an error leaves behind there: the engine's own frames.

Lives here: the boundary. Its removed frames are found again by ``base/frames.py``. Which frames a notebook shows is
decided there (``jaxnb/notebook/errors.py``): in IPython they are only marked.
"""

from __future__ import annotations

import functools
import sys
import threading
import traceback as traceback_module
from collections.abc import Callable
from types import CodeType
from typing import Any, TypeVar

from jaxnb.base import config
from jaxnb.base.frames import entries, shorten
from jaxnb.engine.core.source import is_user_file

__all__ = ["UnfilteredStackTrace", "api_boundary", "is_boundary"]

F = TypeVar("F", bound=Callable[..., Any])

_RULE = "--------------------"
_NOTE = (
    f"{_RULE}\nFor simplicity, JAX has removed its internal frames from the traceback of the following exception. Set "
    "JAX_TRACEBACK_FILTERING=off to include these."
)
_BEFORE = (
    "The stack trace below excludes JAX-internal frames.\nThe preceding is the original exception that occurred, "
    f"unmodified.\n\n{_RULE}"
)


class UnfilteredStackTrace(Exception):
    """The cause of an error whose frames were removed; its own traceback has all of them."""


class _Entered(threading.local):
    depth = 0


_entered = _Entered()


def api_boundary(fun: F) -> F:
    """Returns the function, from whose errors the engine's frames are removed as ``jax_traceback_filtering`` says.

    Only the outermost call counts: a function that the engine calls sees errors whole.
    """

    @functools.wraps(fun)
    def entered(*args: Any, **kwargs: Any) -> Any:
        if _entered.depth:
            return fun(*args, **kwargs)
        _entered.depth = 1
        try:
            return fun(*args, **kwargs)
        except Exception as error:
            _leave_frames(error)
            raise  # without an argument, it adds no frame
        finally:
            _entered.depth = 0

    return entered  # pyright: ignore[reportReturnType]


def is_boundary(code: CodeType | None) -> bool:
    """Returns whether this is the code of a boundary, which only calls what it stands around."""
    return code is _boundary_code


_boundary_code = api_boundary(lambda: None).__code__


def _is_in_ipython() -> bool:
    ipython = sys.modules.get("IPython")
    return ipython is not None and ipython.get_ipython() is not None


def _leave_frames(error: Exception) -> None:
    mode = config.traceback_filtering.value
    if mode == "auto":
        mode = "tracebackhide" if _is_in_ipython() else "quiet_remove_frames"
    if mode == "off":
        return
    whole = error.__traceback__
    if mode == "tracebackhide":
        for entry in entries(whole):
            if not is_user_file(entry.tb_frame.f_code.co_filename):
                entry.tb_frame.f_locals["__tracebackhide__"] = True
        return
    if mode == "remove_frames":
        said = "".join(traceback_module.format_exception_only(type(error), error)).rstrip("\n")
        cause = UnfilteredStackTrace(f"{said}\n\n{_BEFORE}")
        cause.__context__, cause.__cause__ = error.__context__, error.__cause__
        cause.__suppress_context__ = error.__suppress_context__
        error.__cause__ = cause.with_traceback(whole)
    else:
        error.add_note(_NOTE)
    shorten(error, lambda frame: is_user_file(frame.f_code.co_filename))
