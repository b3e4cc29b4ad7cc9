"""Between host and devices, and which devices there are: ``device_put``, ``device_get``, ``devices`` and their kin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from jaxnb.base.errors import InvalidInputException
from jaxnb.engine.core import dtypes
from jaxnb.engine.core.prefixes import prefix_errors
from jaxnb.engine.core.trace import Tracer, current_trace_is_eval, shaped_aval
from jaxnb.engine.runtime.arrays import ArrayImpl
from jaxnb.engine.runtime.device_put import device_put_p
from jaxnb.engine.runtime.meshes import PartitionSpec
from jaxnb.engine.transforms.constants import is_key_array
from jaxnb.xla import array as door
from jaxnb.xla import client, pytree
from jaxnb.xla.array import CopySemantics, Sharding
from jaxnb.xla.client import Device

__all__ = [
    "block_until_ready",
    "copy_to_host_async",
    "default_backend",
    "device_count",
    "device_get",
    "device_put",
    "devices",
    "host_count",
    "host_id",
    "host_ids",
    "live_arrays",
    "local_device_count",
    "local_devices",
    "process_count",
    "process_index",
    "process_indices",
]


def _spread(name: str, prefix: Any, tree: Any, n: int) -> list[Any]:
    """Returns one entry a leaf."""
    if prefix is None or isinstance(prefix, bool | Device | PartitionSpec | Sharding):
        return [prefix] * n
    for text in prefix_errors(name, prefix, tree, _is_none):
        raise ValueError(
            f"{name} specification must be a tree prefix of the corresponding value; \n"
            f"  Mismatch details (1 found):\n  {text}"
        )
    above, structure = pytree.flatten(prefix, _is_none)
    below = structure.flatten_up_to(tree)
    return [p for p, part in zip(above, below, strict=True) for _ in pytree.flatten(part)[0]]


def _is_none(x: Any) -> bool:
    return x is None


def device_put(
    x: Any, device: Any = None, *, src: Any = None, donate: Any = False, may_alias: Any = None
) -> Any:
    """Returns a tree of values as arrays on devices.

    Args:
        x: arrays, NumPy arrays and scalars.
        device: a device or a sharding, or a tree of them that is a prefix of ``x``; None leaves the choice.
        src: where ``x`` is thought to be, likewise.
        donate: whether the buffers of ``x`` may be reused.
        may_alias: False asks for a copy always.

    Raises:
        TypeError: where a leaf is no array.
        ValueError: where ``device`` is of another kind, or options contradict each other.
    """
    leaves, tree = pytree.flatten(x)
    if current_trace_is_eval():
        for leaf in leaves:
            if isinstance(leaf, Tracer):
                raise InvalidInputException(f"Argument of type {type(leaf)} is not a valid JAX type.")
    n = len(leaves)
    places = _spread("device_put device", device, x, n)
    sources = _spread("device_put source", src, x, n)
    donated = _spread("device_put donate", donate, x, n)
    aliased = _spread("device_put may_alias", may_alias, x, n)
    for place in (*places, *sources):
        if isinstance(place, PartitionSpec):
            raise ValueError(
                "Please set a mesh via `jax.set_mesh` if a PartitionSpec is passed to device_put"
            )
        if not (place is None or isinstance(place, Device | Sharding)):
            raise ValueError(
                "`jax.device_put` only accepts `None`, `jax.sharding.Sharding`, `jax.Device`, `Format`, "
                f"`jax.memory.Space` or a pytree of these values. Received invalid value: {place}"
            )
    for leaf in leaves:
        _check(leaf)
    semantics = tuple(_semantics(d, a) for d, a in zip(donated, aliased, strict=True))
    if not leaves:
        return pytree.unflatten(tree, [])
    if not current_trace_is_eval() and all(
        isinstance(v, np.ndarray) and p is None for v, p in zip(leaves, places, strict=True)
    ):
        return pytree.unflatten(tree, leaves)
    out = device_put_p.bind(*leaves, devices=tuple(places), srcs=tuple(sources), copy_semantics=semantics)
    return pytree.unflatten(tree, out)


def _check(x: Any) -> None:
    try:
        aval = shaped_aval(x)
        if not dtypes.is_supported(aval.dtype):
            raise TypeError(
                f"Dtype {x.dtype} is not a valid JAX array type. Only arrays of numeric types are supported by JAX."
            )
    except TypeError:
        if isinstance(x, str) or hasattr(x, "dtype"):
            raise
        raise TypeError(
            f"Cannot interpret value of type {type(x)} as an abstract array; it does not have a dtype attribute"
        ) from None


def _semantics(donate: bool, may_alias: bool | None) -> CopySemantics:
    if donate and may_alias:
        raise ValueError("may_alias and donate cannot be True at the same time.")
    if donate:
        return CopySemantics.DONATE_INPUT
    return CopySemantics.ALWAYS_COPY if may_alias is False else CopySemantics.REUSE_INPUT


def device_get(x: Any) -> Any:
    """Returns a tree with its arrays as NumPy arrays; other leaves stay as they are."""
    leaves, tree = pytree.flatten(x)
    copy_to_host_async(leaves)
    return pytree.unflatten(
        tree,
        [_on_host(v) for v in leaves],
    )


def _on_host(x: Any) -> Any:
    if isinstance(x, Tracer) or not hasattr(x, "__array__") or is_key_array(x):
        return x
    return x.__array__()


def copy_to_host_async(x: Any) -> Any:
    """Begins to copy a tree's arrays to the host and returns the tree."""
    for v in pytree.flatten(x)[0]:
        if type(v) is ArrayImpl:
            v.copy_to_host_async()
    return x


def block_until_ready(x: Any) -> Any:
    """Waits until a tree's arrays are there and returns the tree."""
    leaves = pytree.flatten(x)[0]
    arrays = [v for v in leaves if type(v) is ArrayImpl]
    if arrays:
        door.block_until_ready(arrays)
    for v in leaves:
        if type(v) is not ArrayImpl and hasattr(v, "block_until_ready"):
            v.block_until_ready()
    return x


def live_arrays(platform: str | None = None) -> list[Any]:
    """Returns the arrays on a platform that something still holds."""
    return list(client.backend(platform).live_arrays())


def devices(backend: str | None = None) -> list[Device]:
    """Returns all devices of a platform.

    Raises:
        RuntimeError: where there is no such platform.
    """
    return client.devices(backend)


def local_devices(
    process_index: int | None = None, backend: str | None = None, host_id: int | None = None
) -> list[Device]:
    """Returns the devices of a process.

    Raises:
        ValueError: where there is no such process.
    """
    return client.local_devices(process_index, backend, host_id)


def device_count(backend: str | None = None) -> int:
    """Returns how many devices a platform has."""
    return client.device_count(backend)


def local_device_count(backend: str | None = None) -> int:
    """Returns how many devices of a platform belong to this process."""
    return len(client.local_devices(backend_name=backend))


def default_backend() -> str:
    """Returns the platform that computations run on by default."""
    return client.default_backend()


def process_index(backend: str | None = None) -> int:
    """Returns the number of this process."""
    return client.process_index(backend)


def process_count(backend: str | None = None) -> int:
    """Returns how many processes there are."""
    return client.process_count(backend)


def process_indices(backend: str | None = None) -> Sequence[int]:
    """Returns the numbers of all processes."""
    return list(range(client.process_count(backend)))


host_count = process_count
host_id = process_index
host_ids = process_indices
