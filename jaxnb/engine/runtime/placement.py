"""Moving values onto devices.

Lives here: which device a value goes to and how it gets there. What an array can do stands in ``arrays.py``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from jaxnb.base import config
from jaxnb.engine.core import dtypes
from jaxnb.engine.core.avals import ShapedArray, aval_makers
from jaxnb.engine.runtime.named_shardings import devices_of, is_same_placement
from jaxnb.xla import array as door
from jaxnb.xla.array import ArrayImpl
from jaxnb.xla.client import Device, local_devices

__all__ = ["check_not_deleted", "default_device", "device_of", "put", "put_on_device", "sharding_of"]

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
    """Returns the device that ``x`` is committed to, the first of several, or None."""
    sharding = sharding_of(x)
    return None if sharding is None else next(iter(sharding._internal_device_list))


def sharding_of(x: Any) -> Any:
    """Returns the sharding that ``x`` is committed to, or None."""
    x = getattr(x, "_base_array", x)
    return x._sharding if type(x) is ArrayImpl and x._committed else None


def check_not_deleted(x: ArrayImpl) -> None:
    """Raises RuntimeError where an array's buffer is gone."""
    if x.is_deleted():
        raise RuntimeError(f"Array has been deleted with shape={x.aval.str_short()}.")


def put_on_device(x: Any, aval: ShapedArray, device: Device, committed: bool = False) -> ArrayImpl:
    """Returns ``x`` as an array on one device, of exactly the given type.

    Args:
        x: an array, a NumPy array or a scalar.
        aval: the array's type.
        device: where to.
        committed: whether the user chose the device.
    """
    if dtypes.is_extended(aval.dtype):
        # Programs take keys as words.
        base = x._base_array
        return put_on_device(base, base.aval, device, committed)
    if type(x) is ArrayImpl:
        check_not_deleted(x)
        if len(devices_of(x._sharding)) > 1:
            return door.device_put_numpy(door.to_numpy(x), aval, device, committed)
        sharding = door.single_device_sharding(device)
        if x._sharding == sharding or devices_of(x._sharding) == (device,):
            if x.aval is aval and x._committed == committed:
                return x
            return door.rewrap(x, aval, sharding, committed)
        copied = door.copy_to_device(x, device, committed)
        return copied if copied.aval is aval else door.rewrap(copied, aval, sharding, committed)
    return door.device_put_numpy(np.asarray(x, aval.dtype), aval, device, committed)


def put(x: Any, aval: Any, sharding: Any, committed: bool = True) -> ArrayImpl:
    """Returns ``x`` as an array under a sharding, on one device or several, of exactly the given type.

    Args:
        x: an array, a NumPy array or a scalar.
        aval: the array's type.
        sharding: where to.
        committed: whether the user chose the devices; those of several always are.
    """
    devices = devices_of(sharding)
    if not isinstance(sharding, door.NamedSharding) and len(devices) == 1:
        return put_on_device(x, aval, devices[0], committed)
    x = getattr(x, "_base_array", x)  # programs take keys as words
    if dtypes.is_extended(aval.dtype):
        aval = x.aval
    ndim = len(aval.shape)
    if type(x) is ArrayImpl:
        check_not_deleted(x)
        if x._sharding is not sharding and is_same_placement(x._sharding, sharding, ndim):
            return door.rewrap(x, aval, sharding, True)
        if x._sharding is sharding:
            return x if x.aval is aval else door.rewrap(x, aval, sharding, True)
        x = door.to_numpy(x)
    value = np.asarray(x, aval.dtype)
    parts = [value[index] for index in door.part_indices(sharding, aval.shape)]
    return door.device_put_shards(aval, sharding, parts, devices)
