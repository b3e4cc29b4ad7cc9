"""See how your function compiles: JAX's verbs on an engine of its own, and magics that show every stage.

Importing this package loads nothing else: a name is imported when it is first used, so that `import jaxnb` and
`%load_ext jaxnb` stay cheap, and the engine starts only when it is asked to do something.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

from jaxnb._surface import MODULES, NAMES, PUBLIC

__version__ = "0.1.0"
__all__ = list(PUBLIC)  # pyright: ignore[reportUnsupportedDunderAll]


def _load(name: str) -> ModuleType:
    return importlib.import_module("jaxnb.base.lazy").load(name)


def __getattr__(name: str) -> Any:
    if name in NAMES:
        value = getattr(_load(NAMES[name]), name)
        globals()[name] = value
        return value
    if name in MODULES:
        return _load(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def load_ipython_extension(shell: Any) -> None:
    """Adds the magics: `%load_ext jaxnb`."""
    importlib.import_module("jaxnb.notebook").load_ipython_extension(shell)


def unload_ipython_extension(shell: Any) -> None:
    """Removes the magics: `%unload_ext jaxnb`."""
    importlib.import_module("jaxnb.notebook").unload_ipython_extension(shell)
