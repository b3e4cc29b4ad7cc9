"""Arrays of random keys: the words on the device, seen as keys.

Lives here: the class of such arrays and how programs take and return them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from jaxnb.engine.control.keys import random_unwrap_p, random_wrap_p
from jaxnb.engine.core import operators
from jaxnb.engine.core.avals import ShapedArray, aval_makers
from jaxnb.engine.core.rules import eager_rules
from jaxnb.engine.ops.key_types import KeyType, PRNGImpl
from jaxnb.engine.runtime.arrays import Array, ArrayImpl
from jaxnb.engine.runtime.placement import default_device, put_on_device
from jaxnb.engine.runtime.shards import Shard

__all__ = ["PRNGKeyArray", "key_array"]


class PRNGKeyArray(Array):
    """An array of keys: opaque, except through ``jax.random``."""

    __slots__ = ("__weakref__", "_base_array", "aval")
    __hash__ = None  # pyright: ignore[reportAssignmentType]
    __array_priority__ = 100

    def __init__(self, impl: PRNGImpl, base_array: Any):
        n = len(impl.key_shape)
        self._base_array = base_array
        self.aval = ShapedArray(base_array.shape[: base_array.ndim - n], KeyType(impl))

    # -- what it is ----------------------------------------------------------------------------------------------
    shape = property(lambda self: self.aval.shape, doc="The dimensions.")
    dtype = property(lambda self: self.aval.dtype, doc="The element type.")
    ndim = property(lambda self: len(self.aval.shape), doc="How many dimensions there are.")
    size = property(lambda self: self.aval.size, doc="How many keys there are.")
    itemsize = property(lambda self: self.aval.dtype.itemsize, doc="Bytes of one key.")
    nbytes = property(lambda self: self.aval.size * self.aval.dtype.itemsize, doc="Bytes of all keys.")
    sharding = property(lambda self: self._base_array.sharding, doc="Where the parts are.")
    committed = property(lambda self: self._base_array.committed, doc="Whether the user chose the device.")
    device = property(lambda self: self._base_array.device, doc="The device.")
    is_fully_addressable = property(lambda self: True, doc="Whether this process holds all parts.")
    is_fully_replicated = property(
        lambda self: self._base_array.is_fully_replicated, doc="Whether every device holds all of it."
    )
    _impl = property(lambda self: self.aval.dtype._impl, doc="The keys' implementation.")

    @property
    def addressable_shards(self) -> list[Shard]:
        """The parts that this process holds."""
        return [
            Shard(s.device, s.index, s.replica_id, PRNGKeyArray(self._impl, s.data))  # pyright: ignore[reportArgumentType]
            for s in self._base_array.addressable_shards
        ]

    def devices(self) -> set[Any]:
        """Returns the devices."""
        return self._base_array.devices()

    def block_until_ready(self) -> PRNGKeyArray:
        """Waits for the words and returns itself."""
        self._base_array.block_until_ready()
        return self

    def copy_to_host_async(self) -> None:
        """Begins to copy the words to the host."""
        self._base_array.copy_to_host_async()

    def unsafe_buffer_pointer(self) -> int:
        """Returns the address of the words."""
        return self._base_array.unsafe_buffer_pointer()

    def on_device_size_in_bytes(self) -> int:
        """Returns the bytes of the words on the device."""
        return self._base_array.on_device_size_in_bytes()

    def delete(self) -> None:
        """Frees the words."""
        self._base_array.delete()

    def is_deleted(self) -> bool:
        """Returns whether the words are gone."""
        return self._base_array.is_deleted()

    def __len__(self) -> int:
        return len(self.aval)

    def __iter__(self) -> Iterator[PRNGKeyArray]:
        if not self.aval.shape:
            raise TypeError("iteration over a 0-d key array")
        return (PRNGKeyArray(self._impl, row) for row in self._base_array)

    def __bool__(self) -> bool:
        raise TypeError("key array cannot be converted to boolean.")

    def __array__(self, *args: Any, **kwargs: Any) -> np.ndarray:
        raise TypeError(
            "JAX array with PRNGKey dtype cannot be converted to a NumPy array. Use jax.random.key_data(arr) if you "
            "wish to extract the underlying integer array."
        )

    def __repr__(self) -> str:
        return f"Array({self.shape}, dtype={self.dtype.name}) overlaying:\n{self._base_array}"

    __str__ = __repr__

    def __reduce__(self) -> Any:
        return key_array, (self._impl, self._base_array)

    def __copy__(self) -> PRNGKeyArray:
        return self._with_words(self._base_array.__copy__())

    def _with_words(self, words: Any) -> PRNGKeyArray:
        """Returns keys of the same implementation made of other words."""
        return PRNGKeyArray(self._impl, words)

    def __deepcopy__(self, memo: Any) -> PRNGKeyArray:
        return self.__copy__()


def key_array(impl: PRNGImpl, base_array: Any) -> PRNGKeyArray:
    """Returns words on the device as keys."""
    return PRNGKeyArray(impl, base_array)


aval_makers[PRNGKeyArray] = lambda x: x.aval

_no_words = (
    "real", "imag", "item", "sum", "astype", "view", "mean", "prod", "max", "min", "std", "var", "all", "any", "argmax",
    "argmin", "cumsum", "cumprod", "ptp", "round", "clip", "sort", "argsort", "argpartition", "dot", "conj", "conjugate",
    "byteswap", "compress", "choose", "nonzero", "searchsorted", "diagonal", "trace",
)  # fmt: skip
"""Methods of numbers: keys have them by name only."""


def _abstract_method(name: str) -> Any:
    def refuse(self: Any, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f"Cannot call abstract method {name}")

    return property(refuse) if name in ("real", "imag") else refuse


for _name in _no_words:
    setattr(PRNGKeyArray, _name, _abstract_method(_name))
# The rest, which moves elements and computes nothing, is as for arrays.
operators.receive(PRNGKeyArray, kept=frozenset(vars(PRNGKeyArray)))


def _wrap(base: Any, *, impl: PRNGImpl) -> PRNGKeyArray:
    if type(base) is not ArrayImpl:
        value = np.asarray(base, np.uint32)
        base = put_on_device(value, ShapedArray(value.shape, value.dtype), default_device())
    return PRNGKeyArray(impl, base)


eager_rules[random_wrap_p] = _wrap
eager_rules[random_unwrap_p] = lambda keys: keys._base_array
