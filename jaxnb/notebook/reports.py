"""From a magic's call to the report it shows.

Lives here: which report belongs to which magic. Must not live here: what a report says, which the explorer knows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jaxnb.explorer.constants import make_constants_report
from jaxnb.explorer.failure import explain_error
from jaxnb.explorer.omnistaging import make_comparison
from jaxnb.explorer.retraces import RetraceTable
from jaxnb.explorer.steps import make_steps_report
from jaxnb.explorer.view import View

__all__ = ["REPORTS", "RetraceTable", "explain_error"]

Maker = Callable[[Any, tuple[Any, ...], dict[str, Any], str], View]


def _omnistaging(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], title: str) -> View:
    return make_comparison(function, args, kwargs, title)


def _constants(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], title: str) -> View:
    return make_constants_report(function, args, kwargs, title)


def _aot(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], title: str) -> View:
    return make_steps_report(function, args, kwargs, title)


REPORTS: dict[str, Maker] = {
    "aot": _aot,
    "constants": _constants,
    "omnistaging": _omnistaging,
}
"""By name what makes a report of a function, its arguments and a title."""
