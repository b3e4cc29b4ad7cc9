"""The parts of an array, and what shardings on one device say of themselves."""

from __future__ import annotations

from typing import Any

from jaxnb.engine.runtime.placement import check_not_deleted
from jaxnb.xla import array as door
from jaxnb.xla.array import ArrayImpl, GSPMDSharding, SingleDeviceSharding
from jaxnb.xla.client import Device

__all__ = ["Shard", "shards_of"]


class Shard:
    """The part of an array that one device holds."""

    __slots__ = ("data", "device", "index", "replica_id")

    def __init__(self, device: Device, index: tuple[slice, ...], replica_id: int, data: ArrayImpl):
        self.device = device
        self.index = index
        self.replica_id = replica_id
        self.data = data

    def __repr__(self) -> str:
        return f"Shard(device={self.device!r}, index={self.index}, replica_id={self.replica_id}, data={self.data})"


def shards_of(x: ArrayImpl) -> list[Shard]:
    """Returns the parts of an array, in the order of its devices.

    Raises:
        RuntimeError: where the array was deleted.
    """
    check_not_deleted(x)
    devices = list(x._sharding._internal_device_list)
    if len(devices) == 1:
        return [Shard(devices[0], (slice(None),) * len(x.aval.shape), 0, x)]
    seen: dict[Any, int] = {}
    out: list[Shard] = []
    for device, index, part in zip(devices, door.shard_indices(x), door.shards(x), strict=True):
        key = tuple((s.start, s.stop) for s in index)
        seen[key] = replica = seen.get(key, -1) + 1
        out.append(Shard(device, index, replica, part))
    return out


# ---- one device ------------------------------------------------------------------------------------------------------


def _everything(self: SingleDeviceSharding, global_shape: tuple[int, ...]) -> dict[Device, tuple[slice, ...]]:
    return {self._device: (slice(None),) * len(global_shape)}


def _is_equivalent(self: SingleDeviceSharding, other: Any, ndim: int) -> bool:
    return self == other or set(self._internal_device_list) == set(other._internal_device_list)


door.install(
    {
        "__repr__": lambda self: (
            f"SingleDeviceSharding(device={self._device!r}, memory_kind={self.memory_kind})"
        ),
        "__eq__": lambda self, other: (
            isinstance(other, SingleDeviceSharding)
            and self._device == other._device
            and self.memory_kind == other.memory_kind
        ),
        "__hash__": lambda self: hash((self._device, self.memory_kind)),
        "memory_kind": property(lambda self: self._memory_kind, doc="The kind of memory the array is in."),
        "device_set": property(lambda self: {self._device}, doc="The devices."),
        "addressable_devices": property(lambda self: {self._device}, doc="The devices of this process."),
        "has_addressable_devices": property(lambda self: True, doc="Whether this process has any."),
        "num_devices": property(lambda self: 1, doc="How many devices there are."),
        "is_fully_addressable": property(lambda self: True, doc="Whether all devices are this process' own."),
        "is_fully_replicated": property(lambda self: True, doc="Whether every device holds everything."),
        "devices_indices_map": _everything,
        "addressable_devices_indices_map": _everything,
        "shard_shape": lambda self, global_shape: tuple(global_shape),
        "is_equivalent_to": _is_equivalent,
        "with_memory_kind": lambda self, kind: SingleDeviceSharding(self._device, memory_kind=kind),
    },
    SingleDeviceSharding,
)

door.install(
    {
        "__repr__": lambda self: f"GSPMDSharding({self._hlo_sharding!r}, memory_kind={self._memory_kind})",
        "memory_kind": property(lambda self: self._memory_kind, doc="The kind of memory the array is in."),
        "device_set": property(lambda self: set(self._internal_device_list), doc="The devices."),
        "num_devices": property(
            lambda self: len(self._internal_device_list), doc="How many devices there are."
        ),
        "is_fully_replicated": property(
            lambda self: self._hlo_sharding.is_replicated(), doc="Whether every device holds everything."
        ),
        "devices_indices_map": lambda self, global_shape: dict(
            zip(self._internal_device_list, door.part_indices(self, tuple(global_shape)), strict=True)
        ),
    },
    GSPMDSharding,
)
