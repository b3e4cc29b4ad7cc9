"""Arrays: jaxlib's C++ arrays with NumPy behaviour.

Lives here: the class users know as ``Array``, and what is put on jaxlib's class. Operators and the methods of
``jnp`` come from ``core.operators``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from jaxnb.engine.core import operators
from jaxnb.engine.core.trace import Tracer
from jaxnb.engine.runtime.array_text import array_format, array_repr, array_str
from jaxnb.engine.runtime.array_values import conversions
from jaxnb.engine.runtime.placement import check_not_deleted, default_device, device_of, put_on_device
from jaxnb.engine.runtime.shards import Shard, shards_of
from jaxnb.xla import array as door
from jaxnb.xla.array import ArrayImpl
from jaxnb.xla.client import Device

__all__ = ["Array", "ArrayImpl", "Shard", "default_device", "device_of", "put_on_device"]


class _ArrayMeta(type):
    """Makes ``isinstance(x, Array)`` true of arrays and of what stands in for them while tracing."""

    def __instancecheck__(cls, x: Any) -> bool:
        return type(x) is ArrayImpl or isinstance(x, Tracer) or super().__instancecheck__(x)

    def __subclasscheck__(cls, kind: type) -> bool:
        return kind is ArrayImpl or super().__subclasscheck__(kind)


class Array(metaclass=_ArrayMeta):
    """The type of arrays, for annotations and ``isinstance``; make arrays with ``jnp.array`` and its kin."""

    __slots__ = ()


Array.__module__ = "jaxnb"


def _devices(self: Any) -> set[Device]:
    check_not_deleted(self)
    return set(self._sharding._internal_device_list)


def _device(self: Any) -> Any:
    devices = list(self._sharding._internal_device_list)
    return devices[0] if len(devices) == 1 else self._sharding


def _copy_to_host_async(self: Any) -> None:
    check_not_deleted(self)
    if self._npy_value is None:
        door.start_copy_to_host(self)


def _addressable_data(self: Any, index: int) -> Any:
    check_not_deleted(self)
    return self if len(list(self._sharding._internal_device_list)) == 1 else door.shards(self)[index]


def _gone(text: str) -> property:
    def refuse(self: Any) -> Any:
        raise AttributeError(text)

    return property(refuse, doc="Gone.")


def _array_module(self: Any, types: Any) -> Any:
    if all(issubclass(t, ArrayImpl | Tracer | np.ndarray) for t in types):
        return self.__array_namespace__()
    return NotImplemented


methods: dict[str, Any] = {
    **conversions,
    "shape": property(lambda self: self.aval.shape, doc="The dimensions."),
    "dtype": property(lambda self: self.aval.dtype, doc="The element type."),
    "ndim": property(lambda self: len(self.aval.shape), doc="How many dimensions there are."),
    "size": property(lambda self: self.aval.size, doc="How many elements there are."),
    "itemsize": property(lambda self: self.aval.dtype.itemsize, doc="Bytes of one element."),
    "nbytes": property(lambda self: self.aval.size * self.aval.dtype.itemsize, doc="Bytes of all elements."),
    "weak_type": property(lambda self: self.aval.weak_type, doc="Whether the dtype yields to others."),
    "sharding": property(lambda self: self._sharding, doc="Where the parts are."),
    "committed": property(lambda self: self._committed, doc="Whether the user chose the device."),
    "device": property(_device, doc="The device, or the sharding of an array on several."),
    "is_fully_addressable": property(lambda self: True, doc="Whether this process holds all parts."),
    "is_fully_replicated": property(
        lambda self: self._sharding.is_fully_replicated, doc="Whether every device holds all of it."
    ),
    "addressable_shards": property(shards_of, doc="The parts that this process holds."),
    "global_shards": property(shards_of, doc="All parts."),
    "addressable_data": _addressable_data,
    "devices": _devices,
    "copy_to_host_async": _copy_to_host_async,
    "device_buffer": _gone("arr.device_buffer has been deprecated. Use arr.addressable_data(0)"),
    "device_buffers": _gone(
        "arr.device_buffers has been deprecated. Use [x.data for x in arr.addressable_shards]"
    ),
    "_check_if_deleted": check_not_deleted,
    "__cuda_array_interface__": _gone("__cuda_array_interface__ is only defined for GPU buffers."),
    "__array_module__": _array_module,
    "__array_priority__": 100,
    "__repr__": array_repr,
    "__str__": array_str,
    "__format__": array_format,
    "__len__": lambda self: len(self.aval),
    "__hash__": None,
}
for _name, _method in methods.items():
    if isinstance(_method, property):
        # the name that assignment errors say
        _method.__set_name__(ArrayImpl, _name)  # pyright: ignore[reportAttributeAccessIssue]
door.install(methods)
operators.receive(ArrayImpl)
