"""The notebook: magics, displays and widgets. The only room that knows IPython, ipywidgets, anywidget and traitlets.

It opens in two steps. `%load_ext jaxnb` loads what reads a line and completes it, which takes milliseconds; what
explores is imported by the first magic that has something to explore, and the widget by the first panel. That is why
this module imports by name, and no other module of the room does.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from IPython.core.interactiveshell import InteractiveShell

from jaxnb.notebook.extension import Extension

if TYPE_CHECKING:
    from jaxnb.notebook.widgets import ExplorationWidget

__all__ = ["ExplorationWidget", "load_ipython_extension", "unload_ipython_extension"]

_LATER = {"ExplorationWidget": "jaxnb.notebook.widgets", "CellRunner": "jaxnb.notebook.cells"}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_LATER[name]), name)


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Adds magics, completion and short tracebacks to a shell; a second time it changes nothing."""
    Extension.of(shell).install(
        lambda: __getattr__("CellRunner")(shell, lambda: __getattr__("ExplorationWidget"))
    )


def unload_ipython_extension(shell: InteractiveShell) -> None:
    """Undoes everything that loading did."""
    Extension.of(shell).remove()
