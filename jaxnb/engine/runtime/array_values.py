"""An array's value on the host: Python scalars, NumPy arrays, DLPack, copies and pickles.

Lives here: ways out of an array. Ways in are in ``arrays.py``.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

import numpy as np

from jaxnb.engine.core import dtypes
from jaxnb.engine.core.avals import ShapedArray
from jaxnb.engine.runtime.placement import check_not_deleted, default_device, put, put_on_device
from jaxnb.xla import array as door
from jaxnb.xla.array import ArrayImpl
from jaxnb.xla.client import backend

__all__ = ["DLDeviceType", "conversions"]


def _scalar(kind: Callable[[Any], Any], name: str) -> Callable[[Any], Any]:
    def convert(self: Any) -> Any:
        if self.aval.shape:
            raise TypeError(
                f"Only scalar arrays can be converted to Python scalars; got arr.ndim={self.aval.ndim}"
            )
        return kind(door.to_numpy(self).item())

    convert.__name__ = convert.__qualname__ = name
    return convert


def _bool(self: Any) -> bool:
    if self.aval.size == 0:
        raise ValueError(
            "The truth value of an empty array is ambiguous. Use `array.size > 0` to check that an array is not empty."
        )
    if self.aval.size > 1:
        raise ValueError(
            "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()"
        )
    return bool(door.to_numpy(self).item())


def _index(self: Any) -> int:
    if self.aval.shape or not dtypes.issubdtype(self.aval.dtype, np.integer):
        raise TypeError("Only integer scalar arrays can be converted to a scalar index.")
    return int(door.to_numpy(self).item())


def _numpy(self: Any, dtype: Any = None, context: Any = None, copy: bool | None = None) -> np.ndarray:
    value = door.to_numpy(self)
    if dtype is None and not copy:
        return value
    # NumPy says in its own words when a conversion needs a copy that was forbidden.
    return np.asarray(value, dtype=dtype, copy=copy)


def _item(self: Any, *args: Any) -> Any:
    return door.to_numpy(self).item(*args)


def _tolist(self: Any) -> Any:
    return door.to_numpy(self).tolist()


def _tobytes(self: Any, order: Any = "C") -> bytes:
    return door.to_numpy(self).tobytes(order)


def _refuse_assignment(self: Any, index: Any, value: Any) -> None:
    raise TypeError(
        "JAX arrays are immutable and do not support in-place item assignment. Instead of x[idx] = y, use "
        "x = x.at[idx].set(y) or another .at[] method: "
        "https://docs.jax.dev/en/latest/_autosummary/jax.numpy.ndarray.at.html"
    )


# ---- DLPack ----------------------------------------------------------------------------------------------------------


class DLDeviceType(enum.IntEnum):
    """DLPack's numbers of kinds of devices."""

    kDLCPU = 1
    kDLCUDA = 2
    kDLROCM = 10


def _dlpack(
    self: Any,
    *,
    stream: Any = None,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[int, int] | None = None,
    copy: bool | None = None,
) -> Any:
    check_not_deleted(self)
    if len(self._sharding._internal_device_list) > 1:
        raise BufferError(
            "to_dlpack can only pack a dlpack tensor from an array on a singular device, but an array with a Sharding over "
            f"{len(self._sharding._internal_device_list)} devices was provided."
        )
    if dl_device is not None and DLDeviceType(dl_device[0]) is not DLDeviceType.kDLCPU:
        backend(DLDeviceType(dl_device[0]).name.removeprefix("kDL").lower())  # raises: there is none
    return door.to_dlpack(self.clone() if copy else self)


def _dlpack_device(self: Any) -> tuple[DLDeviceType, int]:
    device = next(iter(self._sharding._internal_device_list))
    return DLDeviceType.kDLCPU, device.local_hardware_id


# ---- copies ----------------------------------------------------------------------------------------------------------


def _place(value: np.ndarray, weak_type: bool) -> ArrayImpl:
    return put_on_device(value, ShapedArray(value.shape, value.dtype, weak_type), default_device())


def _reconstruct_array(
    fun: Callable[..., np.ndarray], args: tuple, state: Any, aval_state: dict
) -> ArrayImpl:
    value = fun(*args)
    value.__setstate__(state)
    return _place(value, aval_state["weak_type"])


def _reduce(self: Any) -> Any:
    fun, args, state = door.to_numpy(self).__reduce__()  # pyright: ignore[reportAssignmentType]
    return _reconstruct_array, (fun, args, state, {"weak_type": self.aval.weak_type})


def _copy(self: Any) -> ArrayImpl:
    return put(np.array(door.to_numpy(self)), self.aval, self._sharding, self._committed)


def _deepcopy(self: Any, memo: Any) -> ArrayImpl:
    return _copy(self)


conversions: dict[str, Any] = {
    "_value": property(door.to_numpy, doc="The value as a read-only NumPy array."),
    "item": _item,
    "tolist": _tolist,
    "tobytes": _tobytes,
    "__array__": _numpy,
    "__bool__": _bool,
    "__int__": _scalar(int, "__int__"),
    "__float__": _scalar(float, "__float__"),
    "__complex__": _scalar(complex, "__complex__"),
    "__index__": _index,
    "__hex__": lambda self: hex(_index(self)),
    "__oct__": lambda self: oct(_index(self)),
    "__setitem__": _refuse_assignment,
    "__reduce__": _reduce,
    "__copy__": _copy,
    "__deepcopy__": _deepcopy,
    "__dlpack__": _dlpack,
    "__dlpack_device__": _dlpack_device,
}
