"""The primitive that moves values between devices.

Lives here: ``device_put_p`` with all its rules. The function users call is in ``api/transfer.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jaxnb.engine.core.ad import Zero
from jaxnb.engine.core.avals import get_aval
from jaxnb.engine.core.rules import define, instantiate_zeros, linear_jvp
from jaxnb.engine.runtime import dispatch as _executes_primitives
from jaxnb.engine.runtime.named_shardings import check_fits, devices_of
from jaxnb.engine.runtime.placement import check_not_deleted, default_device, put, put_on_device
from jaxnb.engine.transforms.constants import is_key_array
from jaxnb.xla import array as door
from jaxnb.xla.array import ArrayImpl, CopySemantics, Sharding

__all__ = ["device_put_p"]


def _put(x: Any, where: Any, copy: CopySemantics) -> Any:
    """Returns ``x`` where it was asked to be; only a device or a sharding that was named commits it."""
    if is_key_array(x):
        return x._with_words(_put(x._base_array, where, copy))
    is_ours = type(x) is ArrayImpl
    aval: Any = x.aval if is_ours else get_aval(x)
    if is_ours:
        check_not_deleted(x)
        if copy is CopySemantics.ALWAYS_COPY:
            return _copied(x, where)
        if where is None:
            return x
    if where is None:
        return put_on_device(x, aval, default_device(), False)
    sharding = where if isinstance(where, Sharding) else door.single_device_sharding(where)
    check_fits(sharding, aval.shape, "device_put args")
    return put(x, aval, sharding)


def _copied(x: Any, where: Any) -> Any:
    """Returns a copy of an array, where it was asked to be or where it is."""
    target = x._sharding if where is None else where
    sharding = target if isinstance(target, Sharding) else door.single_device_sharding(target)
    devices = devices_of(sharding)
    if len(devices) > 1 or len(devices_of(x._sharding)) > 1:
        check_fits(sharding, x.shape, "device_put args")
        return put(door.to_numpy(x), x.aval, sharding)
    copied = door.copy_to_device(x, next(iter(devices)), where is not None or x._committed)
    return copied if copied.aval is x.aval else door.rewrap(copied, x.aval, copied._sharding, True)


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
