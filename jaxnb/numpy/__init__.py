"""``jaxnb.numpy``: NumPy's functions, traceable, under JAX's names.

Which there are, and the module of each, stands in ``__init__.pyi``. A function is imported when it is first used.
"""

from __future__ import annotations

from jaxnb.base.lazy import public_names
from jaxnb.xla.version import JAXLIB_VERSION

_newer = ("minmax", "top_k")  # functions that the oracle of jaxlib 0.12 added

__all__, __getattr__, __dir__ = public_names(__name__, __file__, () if JAXLIB_VERSION >= (0, 12) else _newer)
