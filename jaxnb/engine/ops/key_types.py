"""The element type of random keys: an implementation of random bits, and the type that arrays of its keys have.

Lives here: data. The primitives are in ``control/keys.py``, the implementations in ``jaxnb/random``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from jaxnb.engine.core import dtypes

__all__ = ["KeyType", "PRNGImpl", "key_port"]


class PRNGImpl(NamedTuple):
    """How keys are made, split and turned into bits; functions of arrays of ``uint32``."""

    key_shape: tuple[int, ...]
    """The shape of one key."""
    seed: Callable[..., Any]
    """``seed -> key``."""
    split: Callable[..., Any]
    """``(key, shape) -> keys``."""
    random_bits: Callable[..., Any]
    """``(key, bit_width, shape) -> bits``."""
    fold_in: Callable[..., Any]
    """``(key, data) -> key``."""
    name: str = "<unnamed>"
    tag: str = "?"

    def __hash__(self) -> int:
        return hash(self.tag)

    def __str__(self) -> str:
        return self.tag


class _KeyPort:
    """Filled by ``control/keys.py``: keys of which every word has the same value."""

    full: Callable[[KeyType, Any, Any], Any]
    unset: Callable[[KeyType, Any], Any]


key_port = _KeyPort()


class KeyType(dtypes.ExtendedDType):
    """The element type of keys of one implementation."""

    __slots__ = ("_impl", "element_shape", "name")

    type = dtypes.prng_key
    element_dtype = np.dtype(np.uint32)

    def __init__(self, impl: PRNGImpl):
        self._impl = impl
        self.name = f"key<{impl.tag}>"
        self.element_shape = impl.key_shape

    @property
    def itemsize(self) -> int:
        """Bytes of one key."""
        return int(np.prod(self.element_shape)) * self.element_dtype.itemsize

    def full(self, shape: Any, fill_value: Any) -> Any:
        """An array of keys whose words all are ``fill_value``."""
        return key_port.full(self, shape, fill_value)

    def unset(self, shape: Any) -> Any:
        """An array of keys of no particular value."""
        return key_port.unset(self, shape)

    def __repr__(self) -> str:
        return self.name

    def __eq__(self, other: object) -> bool:
        return type(other) is KeyType and self._impl == other._impl

    def __hash__(self) -> int:
        return hash((KeyType, self._impl))
