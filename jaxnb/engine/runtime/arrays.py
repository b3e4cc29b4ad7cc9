"""Arrays: jaxlib's C++ arrays with NumPy behaviour, and moving values onto devices.

Lives here: what an array is and prints as, and ``device_put``. Operators come from ``core.operators``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from jaxnb.base import config
from jaxnb.engine.core import dtypes
from jaxnb.engine.core.avals import ShapedArray, aval_makers, get_aval
from jaxnb.engine.core.rules import eager_rules
from jaxnb.engine.ops.filling import stage_p
from jaxnb.xla import array as door
from jaxnb.xla.array import ArrayImpl
from jaxnb.xla.client import Device, local_devices

__all__ = ["ArrayImpl", "default_device", "device_of", "put_on_device"]

door.set_aval_maker(lambda shape, dtype, weak_type=False: ShapedArray(tuple(shape), dtype, weak_type))
aval_makers[ArrayImpl] = lambda x: x.aval


def default_device() -> Device:
    """Returns the device that uncommitted values go to."""
    chosen = config.default_device.value
    if chosen is None:
        return local_devices()[0]
    if isinstance(chosen, str):
        return local_devices(backend_name=chosen)[0]
    return chosen


def device_of(x: Any) -> Device | None:
    """Returns the device that ``x`` is committed to, or None."""
    if type(x) is ArrayImpl and x._committed:
        devices = list(x._sharding._internal_device_list)
        return devices[0]
    return None


def put_on_device(x: Any, aval: ShapedArray, device: Device, committed: bool = False) -> ArrayImpl:
    """Returns ``x`` as an array on one device, of exactly the given type.

    Args:
        x: an array, a NumPy array or a scalar.
        aval: the array's type.
        device: where to.
        committed: whether the user chose the device.
    """
    if type(x) is ArrayImpl:
        if x.is_deleted():
            raise RuntimeError(f"Array has been deleted with shape={x.aval.str_short()}.")
        sharding = door.single_device_sharding(device)
        if x._sharding == sharding:
            if x.aval is aval and x._committed == committed:
                return x
            return door.rewrap(x, aval, sharding, committed)
        return door.copy_to_device(x, aval, device, committed)
    if dtypes.is_extended(aval.dtype):
        raise TypeError(f"cannot place a value of dtype {aval.dtype} from host memory")
    return door.device_put_numpy(np.asarray(x, aval.dtype), aval, device, committed)


def _array(self: Any) -> np.ndarray:
    return door.to_numpy(self)


def _repr(self: Any) -> str:
    aval = self.aval
    weak = ", weak_type=True" if aval.weak_type else ""
    if self.is_deleted():
        return f"Array({aval.str_short()})"
    name = getattr(aval.dtype, "name", str(aval.dtype))
    if aval.size == 0:
        return (
            f"Array([], shape={aval.shape}, dtype={name}{weak})"
            if aval.shape != (0,)
            else f"Array([], dtype={name}{weak})"
        )
    value = _array(self)
    prefix = "Array("
    limit = np.get_printoptions()["threshold"]
    text = np.array2string(
        value, prefix=prefix, suffix=",", separator=", ", max_line_width=np.get_printoptions()["linewidth"]
    )
    shape = f"shape={aval.shape}, " if aval.size > limit else ""
    tail = f"{shape}dtype={name}{weak})"
    last = len(text) - (text.rfind("\n") + 1) + (len(prefix) if "\n" not in text else 0)
    sep = " " if last + len(tail) + 1 <= np.get_printoptions()["linewidth"] else "\n" + " " * len(prefix)
    return f"{prefix}{text},{sep}{tail}"


def _scalar(kind: type, name: str):
    def convert(self: Any) -> Any:
        if self.aval.size != 1 or self.aval.ndim:
            if self.aval.size != 1:
                raise (
                    TypeError(
                        "Only scalar arrays can be converted to Python scalars; got arr.ndim="
                        f"{self.aval.ndim}"
                    )
                    if name != "bool"
                    else _ambiguous(self)
                )
            if name != "bool":
                raise TypeError(
                    f"Only scalar arrays can be converted to Python scalars; got arr.ndim={self.aval.ndim}"
                )
        return kind(_array(self).reshape(()).item() if name != "bool" else _array(self))

    convert.__name__ = f"__{name}__"
    return convert


def _ambiguous(self: Any) -> Exception:
    if self.aval.size == 0:
        return ValueError(
            "The truth value of an empty array is ambiguous. Use `array.size > 0` to check that an array is not empty."
        )
    return ValueError(
        "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()"
    )


def _index(self: Any) -> int:
    if self.aval.ndim or not dtypes.issubdtype(self.aval.dtype, np.integer):
        raise TypeError("Only integer scalar arrays can be converted to a scalar index.")
    return int(_array(self))


def _len(self: Any) -> int:
    return len(self.aval)


def _format(self: Any, spec: str) -> str:
    if self.aval.ndim == 0:
        return format(_array(self)[()], spec)
    return format(_array(self), spec)


def _numpy(self: Any, dtype: Any = None, context: Any = None, copy: bool | None = None) -> np.ndarray:
    value = _array(self)
    if dtype is not None and np.dtype(dtype) != value.dtype:
        return value.astype(dtype)
    return value.copy() if copy else value


def _block(self: Any) -> Any:
    door.block_until_ready([self])
    return self


def _devices(self: Any) -> set[Device]:
    return set(self._sharding._internal_device_list)


def _device(self: Any) -> Any:
    devices = list(self._sharding._internal_device_list)
    return devices[0] if len(devices) == 1 else self._sharding


def _reduce(self: Any) -> Any:
    return _restore, (np.asarray(_array(self)), self.aval.weak_type)


def _restore(value: np.ndarray, weak_type: bool) -> ArrayImpl:
    return put_on_device(value, ShapedArray(value.shape, value.dtype, weak_type), default_device())


def _on_cpu_device(
    self: Any, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: Any = None
) -> Any:
    return door.to_dlpack(self)


def _dlpack_device(self: Any) -> tuple[int, int]:
    return (1, 0)


def _item(self: Any, *args: Any) -> Any:
    return _array(self).item(*args)


def _not_hashable(self: Any) -> int:
    raise TypeError(f"unhashable type: {type(self)}")


methods: dict[str, Any] = {
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
        lambda self: len(_devices(self)) == 1, doc="Whether every device holds all of it."
    ),
    "devices": _devices,
    "block_until_ready": _block,
    "copy_to_host_async": lambda self: door.start_copy_to_host(self),
    "item": _item,
    "tolist": lambda self: _array(self).tolist(),
    "tobytes": lambda self, order="C": _array(self).tobytes(order),
    "on_device_size_in_bytes": lambda self: self.aval.size * self.aval.dtype.itemsize,
    "addressable_data": lambda self, index: door.shards(self)[index],
    "__array__": _numpy,
    "__array_priority__": 100,
    "__repr__": _repr,
    "__str__": lambda self: str(_array(self)) if not self.is_deleted() else _repr(self),
    "__format__": _format,
    "__bool__": _scalar(bool, "bool"),
    "__int__": _scalar(int, "int"),
    "__float__": _scalar(float, "float"),
    "__complex__": _scalar(complex, "complex"),
    "__index__": _index,
    "__len__": _len,
    "__hash__": _not_hashable,
    "__reduce__": _reduce,
    "__dlpack__": _on_cpu_device,
    "__dlpack_device__": _dlpack_device,
}
door.install(methods)


def _stage(x: Any) -> ArrayImpl:
    aval = get_aval(x)
    assert isinstance(aval, ShapedArray)
    return put_on_device(x, aval, default_device())


eager_rules[stage_p] = _stage
