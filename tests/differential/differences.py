"""Where our engine shows something else than real jax, on purpose; `docs/differences.md` gives each reason.

A program stands here with the text that differs: ``(name, "stablehlo")``.
"""

from __future__ import annotations

KNOWN: set[tuple[str, str]] = set()
