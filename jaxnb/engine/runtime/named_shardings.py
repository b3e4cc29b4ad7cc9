"""Shardings over several devices by names: what they say of an array, and how they are written for the compiler.

Lives here: the methods of jaxlib's class ``NamedSharding``, and the way from what the compiler chose back to names.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from jaxnb.base.errors import DuplicateSpecError, IndivisibleError
from jaxnb.engine.core.source import SourceInfo, capture, empty_name_stack, summarize
from jaxnb.engine.runtime.meshes import Mesh, PartitionSpec
from jaxnb.xla import array as door
from jaxnb.xla.array import GSPMDSharding, HloSharding, NamedSharding, Sharding
from jaxnb.xla.client import Device
from jaxnb.xla.version import JAXLIB_VERSION

__all__ = [
    "NamedSharding",
    "check_fits",
    "devices_of",
    "is_same_placement",
    "named_from_hlo",
    "sdy_text",
    "to_hlo",
]


def _axes(entry: Any) -> tuple[Any, ...]:
    """Returns the axes that divide a dimension."""
    if entry is None or entry is PartitionSpec.UNCONSTRAINED:
        return ()
    return entry if isinstance(entry, tuple) else (entry,)


def _check_spec(mesh: Any, spec: Any) -> None:
    """Called by the class itself for each new sharding."""
    seen = set()
    for entry in spec.partitions:
        for axis in _axes(entry):
            if axis not in mesh.axis_names:
                raise ValueError(f"Resource axis: {axis} of {spec} is not found in mesh: {mesh.axis_names}.")
            if axis in seen:
                raise DuplicateSpecError(
                    "A single NamedSharding spec specification can map every mesh axis to at most one positional "
                    f"dimension, but {spec} has duplicate entries for `{axis}`"
                )
            seen.add(axis)


door.set_spec_check(_check_spec)


def devices_of(sharding: Any) -> tuple[Device, ...]:
    """Returns the devices of a sharding, in its own order."""
    return tuple(sharding._internal_device_list)


def _tiles(sharding: NamedSharding, ndim: int) -> list[int]:
    """Returns into how many parts each dimension is divided."""
    sizes = sharding.mesh.shape
    entries = [*sharding.spec.partitions, *[None] * ndim][:ndim]
    return [math.prod(sizes[axis] for axis in _axes(entry)) for entry in entries]


def check_fits(sharding: Any, shape: Sequence[int], whose: str = "") -> None:
    """Checks that an array of this shape can be divided so.

    Args:
        sharding: how it is to be divided.
        shape: the array's shape.
        whose: what errors call the array, ``device_put args``.

    Raises:
        ValueError: where the sharding speaks of more dimensions.
        IndivisibleError: where a dimension is no multiple of its parts.
    """
    if not isinstance(sharding, NamedSharding):
        return
    rank = len(sharding.spec)
    if rank > len(shape):
        begin = f"One of {whose} is incompatible with its sharding annotation {sharding}: " if whose else ""
        raise ValueError(
            f"{begin}Sharding {sharding} is only valid for values of rank at least {rank}, but was applied to a value of "
            f"rank {len(shape)}."
        )
    tiles = _tiles(sharding, len(shape))
    for axis, (size, parts) in enumerate(zip(shape, tiles, strict=True)):
        if size % parts:
            raise IndivisibleError(_indivisible(sharding, tuple(shape), axis, parts, tiles, whose))


def _indivisible(
    sharding: Any, shape: tuple[int, ...], axis: int, parts: int, tiles: list[int], whose: str
) -> str:
    factors, begin, end = str(tiles), f"Sharding {sharding}", ""
    if JAXLIB_VERSION >= (0, 12):
        factors, begin = str(tuple(tiles)), str(sharding)
        if whose:
            begin = f"One of {whose} was given the sharding {sharding}"
            end = f". This error occurs at source:  {summarize(SourceInfo(capture(), empty_name_stack))}"
    return (
        f"{begin} implies that array axis {axis} is partitioned {parts} times, but the dimension size is {shape[axis]} "
        f"(full shape: {shape}, per-dimension tiling factors: {factors} should evenly divide the shape){end}"
    )


def to_hlo(sharding: NamedSharding, ndim: int) -> HloSharding:
    """Returns the sharding of an array of so many dimensions as the compiler writes it."""
    tiles = _tiles(sharding, ndim)
    if math.prod(tiles) == 1:
        return HloSharding.replicate()
    mesh = sharding.mesh
    used = [mesh.axis_names.index(a) for entry in sharding.spec.partitions for a in _axes(entry)]
    rest = [i for i in range(len(mesh.axis_names)) if i not in used]
    return door.tiled(tiles, mesh.devices.shape, [*used, *rest], mesh.size // math.prod(tiles))


def named_from_hlo(hlo_sharding: HloSharding, mesh: Mesh, ndim: int) -> NamedSharding | None:
    """Returns a sharding that the compiler chose, by the names of a mesh; None where they cannot say it."""
    if hlo_sharding.is_replicated():
        return NamedSharding(mesh, PartitionSpec())
    if not hlo_sharding.is_tiled():
        return None
    grid = list(hlo_sharding.tile_assignment_dimensions())
    tiles = grid[:ndim]
    order = np.asarray(hlo_sharding.tile_assignment_devices())
    if order.size != mesh.size:
        return None
    replicas = order.size // math.prod(tiles)
    cells = np.empty((order.size, ndim), np.int64)
    cells[order] = np.stack(np.unravel_index(np.arange(order.size) // replicas, tiles), axis=1)
    cells = cells.reshape(*mesh.devices.shape, ndim)
    entries: list[Any] = []
    for dim in range(ndim):
        # An axis divides this dimension if a step along it leads to another part; the longest step counts most.
        steps: list[tuple[int, Any]] = []
        for i, (name, size) in enumerate(mesh.shape_tuple):
            if size > 1 and (step := int(cells[(0,) * i + (1,)][(0,) * (len(mesh.axis_names) - i - 1)][dim])):
                steps.append((step, name))
        entries.append(tuple(name for _, name in sorted(steps, key=lambda pair: -pair[0])) or None)
    while entries and entries[-1] is None:
        entries.pop()
    found = NamedSharding(mesh, PartitionSpec(*entries))
    return found if _is_same_division(to_hlo(found, ndim), hlo_sharding, ndim) else None


def _is_same_division(a: HloSharding, b: HloSharding, ndim: int) -> bool:
    if a.is_tiled() and b.is_tiled():
        return np.array_equal(_part_numbers(a, ndim), _part_numbers(b, ndim))
    return a.is_replicated() and b.is_replicated()


def _part_numbers(hlo_sharding: HloSharding, ndim: int) -> np.ndarray:
    """Returns which part of the array each device holds: its place along each dimension."""
    order = np.asarray(hlo_sharding.tile_assignment_devices())
    tiles = list(hlo_sharding.tile_assignment_dimensions())[:ndim]
    parts = np.empty(order.size, np.int64)
    parts[order] = np.arange(order.size) // (order.size // math.prod(tiles))
    return np.stack(np.unravel_index(parts, tiles))


def sdy_text(sharding: NamedSharding, mesh_name: str, ndim: int) -> str:
    """Returns the sharding of a value of so many dimensions as Shardy writes it."""
    entries = [*sharding.spec.partitions, *[None] * ndim][:ndim]
    dims = [
        "{?}"
        if entry is PartitionSpec.UNCONSTRAINED
        else "{" + ", ".join(f'"{axis}"' for axis in _axes(entry)) + "}"
        for entry in entries
    ]
    return f"#sdy.sharding<@{mesh_name}, [{', '.join(dims)}]>"


# ---- what users ask ----------------------------------------------------------------------------------------------------


def _indices(self: Any, global_shape: Sequence[int]) -> dict[Device, tuple[slice, ...]]:
    check_fits(self, global_shape)
    return dict(zip(devices_of(self), door.part_indices(self, tuple(global_shape)), strict=True))


def _shard_shape(self: Any, global_shape: Sequence[int]) -> tuple[int, ...]:
    check_fits(self, global_shape)
    return tuple(n // t for n, t in zip(global_shape, _tiles(self, len(global_shape)), strict=True))


def is_same_placement(one: Any, other: Any, ndim: int) -> bool:
    """Returns whether two shardings put each part of an array of so many dimensions on the same device."""
    if one is other:
        return True
    if devices_of(one) != devices_of(other):
        return False
    if len(devices_of(one)) == 1:
        return True
    return _is_same_division(door.hlo_sharding(one, ndim), door.hlo_sharding(other, ndim), ndim)


def _is_equal(self: NamedSharding, other: Any) -> bool:
    return self is other or (
        isinstance(other, NamedSharding)
        and self.mesh is other.mesh
        and self.spec == other.spec
        and self.memory_kind == other.memory_kind
    )


def _update(self: NamedSharding, **changes: Any) -> NamedSharding:
    spec = changes.get("spec", self.spec)
    return NamedSharding(
        changes.get("mesh", self.mesh),
        spec if isinstance(spec, PartitionSpec) else PartitionSpec(*spec),
        memory_kind=changes.get("memory_kind", self._memory_kind),
    )


def _divides_nothing(self: Any) -> bool:
    return math.prod(_tiles(self, len(self.spec))) == 1


door.install(
    {
        "__repr__": lambda self: (
            f"NamedSharding(mesh={self.mesh}, spec={self.spec}, memory_kind={self.memory_kind})"
        ),
        "__eq__": _is_equal,
        "__hash__": lambda self: hash((self.mesh, self.spec, self._memory_kind)),
        "__reduce__": lambda self: (NamedSharding, (self.mesh, self.spec)),
        "memory_kind": property(lambda self: self._memory_kind, doc="The kind of memory the array is in."),
        "device_set": property(lambda self: set(devices_of(self)), doc="The devices."),
        "addressable_devices": property(
            lambda self: set(devices_of(self)), doc="The devices of this process: all of them."
        ),
        "has_addressable_devices": property(lambda self: True, doc="Whether this process has any."),
        "num_devices": property(lambda self: self.mesh.size, doc="How many devices there are."),
        "is_fully_addressable": property(lambda self: True, doc="Whether all devices are this process' own."),
        "is_fully_replicated": property(_divides_nothing, doc="Whether every device holds everything."),
        "replicated_axes": property(
            lambda self: (
                frozenset(self.mesh.axis_names) - {a for e in self.spec.partitions for a in _axes(e)}
            ),
            doc="The axes along which all devices hold the same.",
        ),
        "devices_indices_map": _indices,
        "addressable_devices_indices_map": _indices,
        "shard_shape": _shard_shape,
        "check_compatible_aval": lambda self, shape: check_fits(self, shape),
        "is_equivalent_to": lambda self, other, ndim: is_same_placement(self, other, ndim),
        "with_memory_kind": lambda self, kind: NamedSharding(self.mesh, self.spec, memory_kind=kind),
        "update": _update,
        "_to_xla_hlo_sharding": to_hlo,
    },
    NamedSharding,
)
Sharding.__module__ = NamedSharding.__module__ = GSPMDSharding.__module__ = "jaxnb.sharding"
