"""The primitive that moves values between devices.

Lives here: ``device_put_p`` with all its rules. The function users call is in ``api/transfer.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from jaxnb.engine.core.ad import Zero
from jaxnb.engine.core.avals import get_aval
from jaxnb.engine.core.rules import define, instantiate_zeros, linear_jvp
from jaxnb.engine.runtime import dispatch as _executes_primitives
from jaxnb.engine.runtime.placement import check_not_deleted, default_device, put_on_device
from jaxnb.engine.transforms.constants import is_key_array
from jaxnb.xla import array as door
from jaxnb.xla.array import ArrayImpl, CopySemantics, SingleDeviceSharding
from jaxnb.xla.client import Device

__all__ = ["device_put_p"]


def _put(x: Any, where: Any, copy: CopySemantics) -> Any:
    """Returns ``x`` where it was asked to be; only a device or a sharding that was named commits it."""
    if is_key_array(x):
        return x._with_words(_put(x._base_array, where, copy))
    if isinstance(x, np.ndarray | np.generic | int | float | complex) or type(x) is not ArrayImpl:
        device = where._device if isinstance(where, SingleDeviceSharding) else where
        aval: Any = get_aval(x)
        return put_on_device(x, aval, default_device() if device is None else device, device is not None)
    check_not_deleted(x)
    device = where._device if isinstance(where, SingleDeviceSharding) else where
    if copy is CopySemantics.ALWAYS_COPY:
        copied = door.copy_to_device(
            x, device or next(iter(x._sharding._internal_device_list)), device is not None or x._committed
        )
        return copied if copied.aval is x.aval else door.rewrap(copied, x.aval, copied._sharding, True)
    if device is None:
        return x
    return put_on_device(x, x.aval, device, True)


def _eager(*args: Any, devices: Sequence[Any], srcs: Any, copy_semantics: Sequence[Any]) -> list[Any]:
    return [_put(x, d, c) for x, d, c in zip(args, devices, copy_semantics, strict=True)]


def _transpose(cts: Sequence[Any], *args: Any, devices: Any, srcs: Any, copy_semantics: Any) -> list[Any]:
    """The cotangents, put where the operands were."""
    here = [i for i, ct in enumerate(cts) if type(ct) is not Zero]
    out: list[Any] = list(cts)
    if here:
        moved = device_put_p.bind(
            *(instantiate_zeros(cts[i]) for i in here),
            devices=tuple(srcs[i] for i in here),
            srcs=tuple(devices[i] for i in here),
            copy_semantics=(CopySemantics.ALWAYS_COPY,) * len(here),
        )
        for i, ct in zip(here, moved, strict=True):
            out[i] = ct
    return out


device_put_p = define(
    "device_put",
    abstract=lambda *avals, **_: list(avals),
    lower=lambda ctx, *values, **_: list(values),
    jvp=linear_jvp,
    transpose=_transpose,
    batch=lambda args, dims, **params: (device_put_p.bind(*args, **params), list(dims)),
    multiple_results=True,
    impl=_eager,
    doc="the operands, on the given devices",
)
