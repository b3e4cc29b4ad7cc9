"""Which jaxlib is installed, and what that version can do.

Every branch on the jaxlib version in the project reads a name from here; feature flags are decided by
presence where presence can be tested. What must not live here: behaviour.
"""

from __future__ import annotations

import re

import jaxlib.version
from jaxlib import _jax, xla_client

from jaxnb.base.errors import set_errors_page

__all__ = [
    "HAS_BUILD_EFFORT_FIELDS",
    "HAS_HLO_INSTRUCTION_SHAPE",
    "HAS_MULTI_SHARD_TO_NUMPY",
    "HAS_SHARD_ARGS",
    "HAS_STRONG_LRU_CACHE",
    "JAXLIB_VERSION",
    "JAXLIB_VERSION_TEXT",
    "XLA_CLIENT_VERSION",
]

JAXLIB_VERSION_TEXT: str = jaxlib.version.__version__
"""The version as jaxlib spells it, for example ``"0.10.2"``."""

JAXLIB_VERSION: tuple[int, ...] = tuple(int(n) for n in re.findall(r"\d+", JAXLIB_VERSION_TEXT)[:3])
"""The version as three integers, to be compared with ``>=``."""

XLA_CLIENT_VERSION: int = xla_client._version
"""The revision number of the client interface."""

HAS_SHARD_ARGS: bool = hasattr(_jax, "shard_args")
HAS_STRONG_LRU_CACHE: bool = JAXLIB_VERSION >= (0, 12)
HAS_MULTI_SHARD_TO_NUMPY: bool = hasattr(xla_client.ArrayImpl, "_to_np_array_did_copy")
HAS_HLO_INSTRUCTION_SHAPE: bool = JAXLIB_VERSION >= (0, 12)
HAS_BUILD_EFFORT_FIELDS: bool = JAXLIB_VERSION < (0, 12)

if JAXLIB_VERSION >= (0, 12):  # JAX moved the page that its errors point at
    set_errors_page("https://docs.jax.dev/en/latest/101/errors.html")
