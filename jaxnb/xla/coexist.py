"""Keeping the engine and real ``jax`` out of each other's process.

Both put their methods on the same C++ classes and their settings into the same C++ slots, so one process can
hold one of them. jaxlib's C++ itself imports ``jax`` in a few places; :func:`stand_in` answers it there. What
must not live here: anything that imports jaxlib, because :func:`start` has to run before that.
"""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

from jaxnb.base.errors import JaxLoadedError

__all__ = ["REFUSAL", "WARNING", "stand_in", "start"]

REFUSAL = (
    "jaxnb cannot start: `jax` is already imported in this process. Both install their arrays and settings "
    "in jaxlib's C++ classes, so one process can hold only one of them. Restart the kernel and use jaxnb first, "
    "or use jax in another process."
)

WARNING = (
    "`jax` is being imported in a process where jaxnb has started. Both install their arrays and settings in "
    "jaxlib's C++ classes: from now on the arrays of jaxnb made in this process may lose their operators and "
    "methods. Use jax in another process."
)


class _JaxWatch:  # not of importlib.abc's class: importing that costs more than the rest of this file
    """A finder that finds nothing; it warns once when an installed ``jax`` is about to be imported."""

    def __init__(self) -> None:
        self.warned = False

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        # Libraries probe for jax where it is not installed; that is no reason to warn.
        if fullname == "jax" and not self.warned and PathFinder.find_spec("jax") is not None:
            self.warned = True
            warnings.warn(WARNING, RuntimeWarning, stacklevel=2)
        return None


_watch = _JaxWatch()


def start() -> None:
    """Claims the process for the engine; calling it again does nothing.

    Raises:
      JaxLoadedError: ``jax`` is loaded already.
    """
    if _watch in sys.meta_path:
        return
    if "jax" in sys.modules:
        raise JaxLoadedError(REFUSAL)
    sys.meta_path.insert(0, _watch)


_stand_in_lock = threading.RLock()


@contextmanager
def stand_in(
    make_aval: Callable[..., Any] | None = None, check_spec: Callable[..., Any] | None = None
) -> Iterator[None]:
    """Answers C++ code that imports ``jax`` while the block runs, so that the real one is never loaded.

    Args:
      make_aval: stands for the abstract-array class: called with ``(shape, dtype, weak_type)``.
      check_spec: stands for the check of a partition spec: called with ``(mesh, spec)``.
    """
    modules = {name: ModuleType(name) for name in _STAND_IN_NAMES}
    for name, module in modules.items():
        parent, _, child = name.rpartition(".")
        if parent:
            setattr(modules[parent], child, module)
    for name in ("jax.core", "jax._src.core"):
        modules[name].__dict__["ShapedArray"] = make_aval
    modules["jax._src.named_sharding"].__dict__["check_pspec"] = check_spec
    with _stand_in_lock:
        saved = {name: sys.modules[name] for name in modules if name in sys.modules}
        sys.modules.update(modules)
        try:
            yield
        finally:
            for name in modules:
                del sys.modules[name]
            sys.modules.update(saved)


_STAND_IN_NAMES = ("jax", "jax.core", "jax._src", "jax._src.core", "jax._src.named_sharding")
