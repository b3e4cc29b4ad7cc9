"""The shell of the notebook tests, for cases that are about cells."""

from __future__ import annotations

from tests.notebooks.conftest import bare_shell, rich, session

__all__ = ["bare_shell", "rich", "session"]
