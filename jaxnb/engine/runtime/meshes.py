"""Meshes of devices and partition specs: which axes there are, and which dimension is divided along which.

Lives here: two values without behaviour. What a sharding made of them does is in ``named_shardings.py``.
"""

from __future__ import annotations

import enum
import math
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from jaxnb.xla.client import Device, device_list, local_devices

__all__ = ["AxisType", "Mesh", "P", "PartitionSpec", "make_mesh"]


class AxisType(enum.Enum):
    """Who divides arrays along an axis: the compiler, the types of the program, or the program itself."""

    Auto = enum.auto()
    Explicit = enum.auto()
    Manual = enum.auto()

    def __repr__(self) -> str:
        return self.name


AxisType.__module__ = "jaxnb.sharding"


def _only_auto(types: Sequence[AxisType]) -> None:
    if any(kind is not AxisType.Auto for kind in types):
        raise ValueError(
            f"Meshes have Auto axes only, but got axis_types={tuple(types)}. Pass "
            f"`axis_types=(AxisType.Auto,) * {len(types)}`: the compiler divides what nobody has divided."
        )


class Mesh:
    """Devices in an array whose axes have names. The same devices under the same names are the same object.

    Args:
        devices: an array of devices, or nested sequences of them.
        axis_names: a name for each axis of ``devices``; of one axis the name alone will do.
        axis_types: for each axis ``AxisType.Auto``, which is the default.

    Attributes:
        devices: NumPy array of the devices.
        axis_names: the names.
        axis_types: the kinds of the axes.

    Raises:
        ValueError: where there are more or fewer names than axes, or an axis is not ``Auto``.
    """

    __slots__ = ("__weakref__", "_internal_device_list", "axis_names", "axis_types", "devices", "size")

    devices: np.ndarray
    axis_names: tuple[Any, ...]
    axis_types: tuple[AxisType, ...]
    size: int

    def __new__(cls, devices: Any, axis_names: Any, axis_types: Any = None) -> Mesh:
        if not isinstance(devices, np.ndarray):
            devices = np.array(devices)
        names = (axis_names,) if isinstance(axis_names, str) else tuple(axis_names)
        if devices.ndim != len(names):
            raise ValueError(
                "Mesh requires the ndim of its first argument (`devices`) to equal the length of its second argument "
                f"(`axis_names`), but got devices.ndim == {devices.ndim} and len(axis_names) == {len(names)}."
            )
        types = (AxisType.Auto,) * len(names) if axis_types is None else axis_types
        types = (types,) if isinstance(types, AxisType) else tuple(types)
        if len(types) != len(names):
            raise ValueError(
                "Number of axis names should match the number of axis_types. Got "
                f"axis_names={names} and axis_types={types}"
            )
        _only_auto(types)
        key = (names, devices.shape, types, tuple(devices.flat))
        found = _meshes.get(key)
        if found is None:
            found = object.__new__(cls)
            found.devices = devices.copy()
            found.devices.flags.writeable = False
            found.axis_names = names
            found.axis_types = types
            found.size = devices.size
            found._internal_device_list = device_list(tuple(devices.flat))
            # C++ tells meshes apart by identity; of two threads that make one, the first one's stays.
            found = _meshes.setdefault(key, found)
        return found

    def __reduce__(self) -> Any:
        return _mesh_of_ids, (self.device_ids.tolist(), self.axis_names)

    shape = property(
        lambda self: OrderedDict(self.shape_tuple), doc="The size of each axis, by name: an ordered dict."
    )
    shape_tuple = property(lambda self: tuple(zip(self.axis_names, self.devices.shape, strict=True)))
    axis_sizes = property(lambda self: self.devices.shape, doc="The size of each axis.")
    empty = property(lambda self: self.size == 0, doc="Whether there are no devices.")
    is_scalar = property(lambda self: self.devices.ndim == 0, doc="Whether there are no axes.")
    is_multi_process = property(lambda self: False, doc="Whether devices of other processes belong to it.")
    local_devices = property(
        lambda self: list(self.devices.flat), doc="The devices of this process: all of them."
    )
    local_mesh = property(lambda self: self, doc="The part of this process: all of it.")
    auto_axes = property(
        lambda self: self.axis_names, doc="The names of the axes of type ``Auto``: all of them."
    )
    explicit_axes = property(lambda self: (), doc="The names of the axes of type ``Explicit``: none.")
    manual_axes = property(lambda self: (), doc="The names of the axes of type ``Manual``: none.")
    are_all_axes_auto = property(lambda self: True)
    are_all_axes_explicit = property(lambda self: False)
    are_all_axes_manual = property(lambda self: False)

    @property
    def device_ids(self) -> np.ndarray:
        """The numbers of the devices, in an array of the mesh's shape."""
        return np.array([d.id for d in self.devices.flat], np.int64).reshape(self.devices.shape)

    def update(self, devices: Any = None, axis_names: Any = None, axis_types: Any = None) -> Mesh:
        """Returns a mesh that differs in what is given."""
        return Mesh(
            self.devices if devices is None else devices,
            self.axis_names if axis_names is None else axis_names,
            self.axis_types if axis_types is None else axis_types,
        )

    def __repr__(self) -> str:
        if not self.axis_names:
            return "Mesh(axis_sizes=(), axis_names=())"
        return f"Mesh(axis_sizes={self.devices.shape}, axis_names={self.axis_names}, axis_types={self.axis_types})"

    def __str__(self) -> str:
        axes = ", ".join(f"{name!r}: {size}" for name, size in self.shape_tuple)
        return f"Mesh({axes}, axis_types={self.axis_types})" if axes else "Mesh()"


Mesh.__module__ = "jaxnb.sharding"
_meshes: dict[Any, Mesh] = {}


def _mesh_of_ids(ids: Any, axis_names: tuple[Any, ...]) -> Mesh:
    here = {d.id: d for d in local_devices()}
    flat = [here[i] for i in np.ravel(ids)]
    return Mesh(np.array(flat, dtype=object).reshape(np.shape(ids)), axis_names)


def make_mesh(
    axis_shapes: Sequence[int],
    axis_names: Sequence[Any],
    axis_types: Sequence[AxisType] | None = None,
    *,
    devices: Sequence[Device] | None = None,
) -> Mesh:
    """Returns a mesh of the first devices there are.

    Args:
        axis_shapes: the size of each axis.
        axis_names: their names.
        axis_types: ``AxisType.Auto`` for each axis; by default they would be ``Explicit``, which is refused.
        devices: which devices; by default all of the default platform.

    Raises:
        ValueError: where there are fewer devices, or an axis is not ``Auto``.
    """
    shape, names = tuple(axis_shapes), tuple(axis_names)
    _only_auto((AxisType.Explicit,) * len(names) if axis_types is None else axis_types)
    there = list(local_devices() if devices is None else devices)
    needed = math.prod(shape)
    if needed > len(there):
        raise ValueError(f"Number of devices {len(there)} must be >= the product of mesh_shape {shape}")
    return Mesh(np.array(there[:needed], dtype=object).reshape(shape), names, axis_types)


class _Unconstrained:
    """The one value that leaves a dimension to the compiler."""

    def __repr__(self) -> str:
        return "UNCONSTRAINED"

    def __reduce__(self) -> str:
        return "UNCONSTRAINED"


UNCONSTRAINED = _Unconstrained()


def _entry(part: Any) -> Any:
    """Returns what a spec holds for a dimension: None, a name, or a tuple of two or more names."""
    if not isinstance(part, list | tuple):
        return part
    return None if not part else part[0] if len(part) == 1 else tuple(part)


class PartitionSpec:
    """For each dimension of an array the mesh axis that divides it, a tuple of axes, or None.

    Attributes:
        partitions: the entries; dimensions beyond them are not divided.
    """

    __slots__ = ("partitions",)

    UNCONSTRAINED = UNCONSTRAINED
    unreduced: frozenset[Any] = frozenset()
    reduced: frozenset[Any] = frozenset()

    def __init__(self, *partitions: Any):
        self.partitions = tuple(_entry(part) for part in partitions)

    def __repr__(self) -> str:
        return f"P{self.partitions!r}"

    def __reduce__(self) -> Any:
        return PartitionSpec, self.partitions

    def __eq__(self, other: Any) -> bool:
        if isinstance(other, PartitionSpec):
            return self.partitions == other.partitions
        return False

    def __hash__(self) -> int:
        return hash(self.partitions)

    def __len__(self) -> int:
        return len(self.partitions)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.partitions)

    def __getitem__(self, index: Any) -> Any:
        return self.partitions[index]

    def __add__(self, other: Any) -> PartitionSpec:
        if isinstance(other, PartitionSpec | tuple):
            return PartitionSpec(*self.partitions, *other)
        return NotImplemented

    def __radd__(self, other: Any) -> PartitionSpec:
        return PartitionSpec(*other, *self.partitions) if isinstance(other, tuple) else NotImplemented

    def index(self, value: Any) -> int:
        """Returns the first dimension with this entry."""
        return self.partitions.index(_entry(value))

    def count(self, value: Any) -> int:
        """Returns how many dimensions have this entry."""
        return self.partitions.count(_entry(value))

    def update(self, *, partitions: Sequence[Any] | None = None) -> PartitionSpec:
        """Returns a spec with other entries."""
        return PartitionSpec(*(self.partitions if partitions is None else partitions))


P = PartitionSpec
PartitionSpec.__module__ = "jaxnb"
PartitionSpec.__name__ = PartitionSpec.__qualname__ = "P"
