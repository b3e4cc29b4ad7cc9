"""Arrays: jaxlib's C++ class, how values get in and out of it, and shardings.

The class is final and has almost no Python methods of its own; the engine puts them on with :func:`install`.
Two of jaxlib's operations import real ``jax`` from C++ to make an abstract value; they are wrapped here, with
:func:`set_aval_maker` saying what to make instead. What must not live here: arithmetic, printing, promotion.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from jaxlib import _hlo, _jax, xla_client

from jaxnb.xla import coexist
from jaxnb.xla import state as _state
from jaxnb.xla.client import Device, DeviceList, device_list, local_devices
from jaxnb.xla.version import HAS_MULTI_SHARD_TO_NUMPY, JAXLIB_VERSION

__all__ = [
    "Array",
    "ArrayImpl",
    "CopySemantics",
    "GSPMDSharding",
    "HloSharding",
    "NamedSharding",
    "ResultHandler",
    "Sharding",
    "SingleDeviceSharding",
    "assemble",
    "block_until_ready",
    "by_tiles",
    "buffer_pointer",
    "copy_to_device",
    "copy_to_shardings",
    "device_put_numpy",
    "device_put_shards",
    "from_dlpack",
    "hlo_sharding",
    "hlo_sharding_of",
    "install",
    "part_indices",
    "result_handler",
    "rewrap",
    "set_aval_maker",
    "set_spec_check",
    "shard_indices",
    "shards",
    "replicated_sharding",
    "single_device_sharding",
    "start_copy_to_host",
    "tiled",
    "to_dlpack",
    "to_numpy",
]

Array: TypeAlias = xla_client.Array
ArrayImpl: TypeAlias = xla_client.ArrayImpl
ResultHandler: TypeAlias = _jax.ResultHandler
Sharding: TypeAlias = xla_client.Sharding
SingleDeviceSharding: TypeAlias = xla_client.SingleDeviceSharding
NamedSharding: TypeAlias = xla_client.NamedSharding
GSPMDSharding: TypeAlias = xla_client.GSPMDSharding
HloSharding: TypeAlias = _hlo.HloSharding
CopySemantics: TypeAlias = xla_client.ArrayCopySemantics


class _PlainAval:
    """The abstract value of an array for as long as nobody has called :func:`set_aval_maker`."""

    __slots__ = ("dtype", "shape", "weak_type")

    def __init__(self, shape: Sequence[int], dtype: Any, weak_type: bool = False) -> None:
        self.shape = tuple(shape)
        self.dtype = np.dtype(dtype)
        self.weak_type = weak_type


_make_aval: Callable[..., Any] = _PlainAval


def set_aval_maker(make_aval: Callable[..., Any]) -> None:
    """Sets what makes abstract values for arrays that C++ creates: ``make_aval(shape, dtype, weak_type)``."""
    global _make_aval
    _make_aval = make_aval


def _call_aval_maker(shape: Sequence[int], dtype: Any, weak_type: bool = False) -> Any:
    # C++ keeps the first maker that it is given, so it is given this one, which can be redirected.
    return _make_aval(shape, dtype, weak_type)


_check_spec: Callable[[Any, Any], Any] | None = None


def set_spec_check(check_spec: Callable[[Any, Any], Any]) -> None:
    """Sets what ``NamedSharding(mesh, spec)`` calls to check its arguments; what it raises reaches the user."""
    global _check_spec
    _check_spec = check_spec


def _call_spec_check(mesh: Any, spec: Any) -> None:
    if _check_spec is not None:
        _check_spec(mesh, spec)


def install(attributes: Mapping[str, Any], cls: type = ArrayImpl) -> None:
    """Sets methods, properties and operators on the C++ array class (or on a sharding class)."""
    for name, value in attributes.items():
        setattr(cls, name, value)


# ----------------------------------------------------------------- shardings

_single_device_shardings: dict[tuple[Device, str | None], SingleDeviceSharding] = {}


def replicated_sharding() -> GSPMDSharding:
    """Returns the sharding of a value that every device of a compiled program holds whole."""
    devices = device_list((local_devices()[0],))
    return GSPMDSharding(devices, _hlo.HloSharding.replicate(), memory_kind="device")


def single_device_sharding(device: Device, memory_kind: str | None = None) -> SingleDeviceSharding:
    """Returns the sharding that puts everything on one device, the same object each time."""
    key = (device, memory_kind)
    sharding = _single_device_shardings.get(key)
    if sharding is None:
        sharding = SingleDeviceSharding(device, memory_kind=memory_kind)
        # Two threads may both make one; the first stays.
        sharding = _single_device_shardings.setdefault(key, sharding)
    return sharding


def hlo_sharding(sharding: Any, ndim: int) -> HloSharding:
    """Returns how a sharding divides an array of so many dimensions."""
    if isinstance(sharding, GSPMDSharding):
        return sharding._hlo_sharding
    if isinstance(sharding, SingleDeviceSharding):
        return HloSharding.replicate()
    return sharding._to_xla_hlo_sharding(ndim)


def hlo_sharding_of(proto: _hlo.OpSharding) -> HloSharding:
    """Returns a sharding that a compiled program was given."""
    return by_tiles(HloSharding.from_proto(proto))


def by_tiles(division: HloSharding) -> HloSharding:
    """Returns the same division as tiles, also where it is written by the names of axes."""
    return division.v3_to_v2_sharding() if JAXLIB_VERSION >= (0, 12) else division


def tiled(tiles: Sequence[int], mesh_shape: Sequence[int], axes: Sequence[int], replicas: int) -> HloSharding:
    """Returns the division of an array over a mesh.

    Args:
      tiles: into how many parts each dimension is divided.
      mesh_shape: the sizes of the mesh's axes.
      axes: the numbers of the axes, those that divide dimensions first, in the dimensions' order.
      replicas: how many devices hold the same part.
    """
    last = [_hlo.OpSharding.Type.REPLICATED] if replicas > 1 else []
    dims = [*tiles, *([replicas] if replicas > 1 else [])]
    return HloSharding.iota_tile(dims, list(mesh_shape), list(axes), last)


def _prepare_shardings() -> None:
    """Supplies what C++ expects of the sharding classes."""
    if JAXLIB_VERSION < (0, 12):
        # C++ calls this method to place an array; later versions know the answer themselves.
        if not hasattr(SingleDeviceSharding, "_to_xla_hlo_sharding"):
            install(
                {"_to_xla_hlo_sharding": lambda self, ndim: xla_client.HloSharding.replicate()},
                SingleDeviceSharding,
            )
        if not hasattr(GSPMDSharding, "_to_xla_hlo_sharding"):
            install({"_to_xla_hlo_sharding": lambda self, ndim: self._hlo_sharding}, GSPMDSharding)
    # The first construction looks the check up in a module of jax, and C++ keeps what it found.
    with coexist.stand_in(check_spec=_call_spec_check):
        NamedSharding(_EmptyMesh(), _EmptySpec())


class _EmptyMesh:
    """The smallest thing that C++ takes for a mesh."""

    size = 0
    empty = True
    axis_names = ()
    _internal_device_list = DeviceList(())


class _EmptySpec(tuple):
    """The smallest thing that C++ takes for a partition spec."""

    unreduced: frozenset[str] = frozenset()
    reduced: frozenset[str] = frozenset()


_prepare_shardings()


# ----------------------------------------------------------------- in

_COPY_NOW = xla_client.HostBufferSemantics.IMMUTABLE_ONLY_DURING_CALL


def device_put_numpy(value: np.ndarray, aval: Any, device: Device, committed: bool = False) -> ArrayImpl:
    """Returns a copy of a NumPy array on a device; the caller may change ``value`` afterwards.

    Args:
      value: the array; it is converted to ``aval.dtype``.
      aval: the abstract value of the result.
      device: where to.
      committed: whether the user chose the device.
    """
    if value.dtype != aval.dtype:
        value = value.astype(aval.dtype)
    # The default semantics would alias an aligned buffer; `aval` has decided already whether x64 is on.
    return xla_client.batched_device_put(
        aval,
        single_device_sharding(device),
        [value],
        [device],
        committed,
        host_buffer_semantics=_COPY_NOW,
        enable_x64=True,
    )


def device_put_shards(
    aval: Any, sharding: Any, values: Sequence[Any], devices: Sequence[Device], committed: bool = True
) -> ArrayImpl:
    """Returns an array made of copies of its parts.

    Args:
      aval: the abstract value of the whole.
      sharding: how the whole is laid out over ``devices``.
      values: NumPy arrays (or arrays on one device), one for each device.
      devices: where each goes.
      committed: whether the user chose the devices.
    """
    # C++ fails on a buffer that it is to copy to two devices, so the copies are made here, and it aliases
    # them.
    parts = [np.array(part, aval.dtype) if isinstance(part, np.ndarray) else part for part in values]
    return xla_client.batched_device_put(aval, sharding, parts, list(devices), committed, enable_x64=True)


def assemble(aval: Any, sharding: Any, arrays: Sequence[ArrayImpl], committed: bool = True) -> ArrayImpl:
    """Returns the array whose parts are ``arrays``, one for each device; nothing is copied or checked."""
    with coexist.stand_in(make_aval=_call_aval_maker):
        return ArrayImpl(aval, sharding, list(arrays), committed=committed, _skip_checks=True)


def buffer_pointer(array: ArrayImpl) -> int:
    """Returns the address of the memory of an array on one device."""
    with coexist.stand_in(make_aval=_call_aval_maker):
        return _unsafe_buffer_pointer(array)


_unsafe_buffer_pointer = ArrayImpl.unsafe_buffer_pointer
install({"unsafe_buffer_pointer": buffer_pointer})


def from_dlpack(capsule: Any, device: Device, copy: bool | None = None) -> ArrayImpl:
    """Returns the array in a DLPack capsule, sharing memory where that is possible.

    Args:
      capsule: what ``x.__dlpack__()`` returns.
      device: the device that the memory belongs to.
      copy: True to copy, False to refuse to, None to copy if needed.
    """
    with coexist.stand_in(make_aval=_call_aval_maker):
        return _jax.dlpack_managed_tensor_to_buffer(capsule, device, None, copy=copy)


# ----------------------------------------------------------------- out

if JAXLIB_VERSION >= (0, 12):

    def result_handler(aval: Any, sharding: Any, committed: bool) -> ResultHandler:
        """Returns what turns one result of an executable into an array with this abstract value."""
        return xla_client.array_result_handler(aval, sharding, committed)

else:

    def result_handler(aval: Any, sharding: Any, committed: bool) -> ResultHandler:
        """Returns what turns one result of an executable into an array with this abstract value."""
        return xla_client.array_result_handler(aval, sharding, committed, True)


def to_numpy(array: ArrayImpl) -> np.ndarray:
    """Returns a read-only NumPy array of the whole value, waiting for it; on CPU usually without a copy.

    Raises:
      RuntimeError: the array was deleted or donated.
      JaxRuntimeError: the computation that makes the array failed.
    """
    value = array._npy_value
    if value is not None:
        return value
    if array.is_deleted():
        raise RuntimeError(f"Array has been deleted with shape={_shape_text(array.aval)}.")
    if len(array._sharding._internal_device_list) == 1:
        value, copied = _one_device_to_numpy(array)
    elif HAS_MULTI_SHARD_TO_NUMPY:
        with coexist.stand_in(make_aval=_call_aval_maker):
            value, copied = array._to_np_array_did_copy()
    else:
        value, copied = _join_shards(array), True
    value.flags.writeable = False
    # A view must not be kept by the array: it would make the buffer impossible to donate.
    if copied:
        array._npy_value = value
    return value


def _one_device_to_numpy(array: ArrayImpl) -> tuple[np.ndarray, bool]:
    """Returns the value of an array on one device, and whether it is a copy."""
    dtype = array.aval.dtype
    if dtype.kind in "biufc" and dtype.isbuiltin == 1:
        # The buffer protocol hides the error of a failed computation; waiting for the array raises it.
        array.block_until_ready()
        return np.asarray(memoryview(array)), False
    # NumPy's buffer formats have no bfloat16 and its like, and the method that has them imports jax.
    with coexist.stand_in(make_aval=_call_aval_maker):
        return array._single_device_array_to_np_array_did_copy()


def _shape_text(aval: Any) -> str:
    short = getattr(aval, "str_short", None)
    return f"{aval.dtype.name}[{','.join(map(str, aval.shape))}]" if short is None else short()


def shards(array: ArrayImpl) -> list[ArrayImpl]:
    """Returns the parts of an array, each on one device, in the order of its device list."""
    with coexist.stand_in(make_aval=_call_aval_maker):
        return list(array._arrays)


def _join_shards(array: ArrayImpl) -> np.ndarray:
    """Returns the whole value, put together from its parts."""
    parts = shards(array)
    if len(parts) == 1 or tuple(parts[0].aval.shape) == tuple(array.aval.shape):
        return np.array(_one_device_to_numpy(parts[0])[0])
    out = np.empty(array.aval.shape, array.aval.dtype)
    for part, index in zip(parts, shard_indices(array), strict=True):
        out[index] = _one_device_to_numpy(part)[0]
    return out


def shard_indices(array: ArrayImpl) -> list[tuple[slice, ...]]:
    """Returns for each part which slice of the whole it is."""
    return part_indices(array._sharding, tuple(array.aval.shape))


def part_indices(sharding: Any, shape: Sequence[int]) -> list[tuple[slice, ...]]:
    """Returns, for each device of a sharding, which slice of an array of this shape it holds."""
    count = len(sharding._internal_device_list)
    division = hlo_sharding(sharding, len(shape))
    if division.is_replicated():
        return [(slice(None),) * len(shape)] * count
    tiles = division.tile_assignment_dimensions()
    order = division.tile_assignment_devices()
    grid = list(tiles[: len(shape)])
    indices: list[tuple[slice, ...]] = [()] * count
    replicas = max(1, int(np.prod(tiles)) // max(1, int(np.prod(grid))))
    for position, place in enumerate(order):
        cell = np.unravel_index(position // replicas, grid)
        indices[place] = tuple(
            slice(int(c) * (n // g), (int(c) + 1) * (n // g)) if g > 1 else slice(None)
            for c, g, n in zip(cell, grid, shape, strict=True)
        )
    return indices


def to_dlpack(array: ArrayImpl) -> Any:
    """Returns a DLPack capsule that shares the array's memory; deleting the array before the capsule aborts."""
    return _jax.buffer_to_dlpack_managed_tensor(array, None)


def block_until_ready(arrays: Sequence[ArrayImpl]) -> None:
    """Waits until all arrays are there.

    Raises:
      JaxRuntimeError: a computation that makes one of them failed.
    """
    xla_client.batched_block_until_ready(list(arrays))


def start_copy_to_host(array: ArrayImpl) -> None:
    """Begins the copy that :func:`to_numpy` will need, if it will need one."""
    with coexist.stand_in(make_aval=_call_aval_maker):
        array._copy_single_device_array_to_host_async()


# ----------------------------------------------------------------- between devices


def copy_to_device(
    array: ArrayImpl, device: Device, committed: bool = True, *, always_copy: bool = True
) -> ArrayImpl:
    """Returns the array on another device.

    Args:
      array: an array on one device.
      device: where to.
      committed: whether the user chose the device.
      always_copy: whether to copy even if it is there already.
    """
    copied = copy_to_shardings(
        [array], [(device,)], [single_device_sharding(device)], always_copy=always_copy
    )[0]
    # C++ carries over whether `array` was committed.
    if copied._committed == committed:
        return copied
    return rewrap(copied, copied.aval, copied._sharding, committed)


def copy_to_shardings(
    arrays: Sequence[ArrayImpl],
    devices: Sequence[tuple[Device, ...]],
    shardings: Sequence[Any],
    *,
    always_copy: bool = True,
) -> list[ArrayImpl]:
    """Returns each array with its parts on other devices; the division into parts stays the same."""
    semantics = CopySemantics.ALWAYS_COPY if always_copy else CopySemantics.REUSE_INPUT
    return _jax.batched_copy_array_to_devices_with_sharding(
        list(arrays), [device_list(d) for d in devices], list(shardings), [semantics] * len(arrays)
    )


def rewrap(array: ArrayImpl, aval: Any, sharding: Any, committed: bool) -> ArrayImpl:
    """Returns the same buffers under another abstract value, sharding or commitment; nothing is copied."""
    if committed:
        return array._rewrap_with_aval_and_sharding(aval, sharding)
    if len(array._sharding._internal_device_list) == 1:
        return assemble(aval, sharding, [array], committed)
    return assemble(aval, sharding, shards(array), committed)
