"""Where results of random numbers are to be.

Lives here: the check of what is asked for. Must not live here: anything of keys or of distributions.
"""

from __future__ import annotations

from typing import Any

__all__ = ["no_sharding"]


def no_sharding(name: str, out_sharding: Any) -> None:
    """Checks that the result is to be where it comes to be: there is one device.

    Raises:
        TypeError: where ``out_sharding`` is no sharding.
        NotImplementedError: where it is one.
    """
    if out_sharding is None:
        return
    if type(out_sharding).__name__ not in ("NamedSharding", "PartitionSpec"):
        raise TypeError(
            f"`out_sharding` argument of {name} only supports instances of `NamedSharding` or `PartitionSpec`. "
            f"Got {out_sharding} of type: {type(out_sharding)}"
        )
    raise NotImplementedError(f"{name} with out_sharding={out_sharding}")
