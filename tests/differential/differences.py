"""Where our engine shows something else than real jax, on purpose; `docs/differences.md` gives each reason.

A program stands here with the text that differs: ``(name, "stablehlo")``.
"""

from __future__ import annotations

from jaxnb.xla.version import JAXLIB_VERSION

KNOWN: set[tuple[str, str]] = set()

if JAXLIB_VERSION >= (0, 12):
    KNOWN |= {
        ("J3 a static value", "repr"),  # JAX has no explanation any more; ours is that of the version before
    }
