"""The primitives as functions, under JAX's names. Which there are, and the module of each, stands in ``lax.pyi``."""

from __future__ import annotations

from jaxnb.base.lazy import public_names
from jaxnb.xla.version import JAXLIB_VERSION

# functions that the oracle of jaxlib 0.12 added
_newer = ("log2", "log2_p", "one_minus_square", "one_minus_square_p", "polynomial", "polynomial_p")

__all__, __getattr__, __dir__ = public_names(__name__, __file__, () if JAXLIB_VERSION >= (0, 12) else _newer)
