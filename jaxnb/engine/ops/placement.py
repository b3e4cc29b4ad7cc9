"""The ``out_sharding`` argument: what the ops that have one accept.

Must not know meshes or devices.
"""

from __future__ import annotations

from typing import Any

# Known by name: the classes live above the ops.
_NAMED = "NamedSharding"
_SPEC = "PartitionSpec"


def check_out_sharding(out_sharding: Any, name: str) -> Any:
    """The sharding, unchanged.

    Raises:
        TypeError: it is neither a ``NamedSharding`` nor a ``PartitionSpec``.
        ValueError: it is a ``PartitionSpec`` and no mesh says what its names mean.
    """
    if out_sharding is None:
        return None
    kinds = [kind.__name__ for kind in type(out_sharding).__mro__]
    if _NAMED in kinds:
        return out_sharding
    if _SPEC in kinds:
        raise ValueError(
            "Using PartitionSpec when you are not under a mesh context is not allowed. Please pass a NamedSharding "
            f"instance or enter into a mesh context via `jax.set_mesh`. Got {out_sharding}"
        )
    raise TypeError(
        f"`out_sharding` argument of {name} only supports instances of `NamedSharding` or `PartitionSpec`. "
        f"Got {out_sharding} of type: {type(out_sharding)}"
    )
