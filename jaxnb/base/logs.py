"""The package's loggers: `jaxnb` and one below it for each module that has something to say.

Lives here: what the setting `jax_logging_level` does to them. Nothing is printed by default but warnings, which Python
itself writes to stderr where nobody listens.
"""

from __future__ import annotations

import logging
from typing import Any

from jaxnb.base import config
from jaxnb.base.setting import PythonSlot

__all__ = ["ROOT"]

ROOT = logging.getLogger("jaxnb")
"""Under this name a user adds a handler."""

_to_stderr = logging.StreamHandler()
_to_stderr.setFormatter(logging.Formatter("{levelname}:{asctime}:{name}:{lineno}: {message}", style="{"))


class _LevelSlot(PythonSlot):
    """A setting's storage that sets the level of the loggers, and writes to stderr while there is one."""

    __slots__ = ()

    def set_global(self, value: Any) -> None:
        super().set_global(value)
        ours = _to_stderr in ROOT.handlers
        if value == "NOTSET" and not ours:
            return  # the level that the user gave the logger itself stays
        ROOT.setLevel(value)
        if value == "NOTSET":
            ROOT.removeHandler(_to_stderr)
        elif not ours:
            ROOT.addHandler(_to_stderr)


config.logging_level.bind(_LevelSlot(config.logging_level.value))
