"""The explorer: a function followed through every stage of its compilation, the stages linked.

``capture`` takes a front end's data, ``model`` links and folds, ``analysis`` compares and explains, ``render`` writes text
and HTML. It knows no IPython, and reaches into the engine through ``capture.engine`` and its neighbours only. The verbs
below are imported when they are first used: the lexers, which Pygments loads in any process, must not start the engine.
"""

from __future__ import annotations

import importlib
from typing import Any

_VERBS = {
    "compare_omnistaging": "jaxnb.explorer.omnistaging",
    "explain_error": "jaxnb.explorer.failure",
    "explore_constants": "jaxnb.explorer.constants",
    "explore_levels": "jaxnb.explorer.levels",
    "explore_retraces": "jaxnb.explorer.retraces",
    "explore_steps": "jaxnb.explorer.steps",
}

__all__ = list(_VERBS)  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name not in _VERBS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_VERBS[name]), name)
