"""Arrays of one number that lie where it was asked for, or where another array lies."""

from __future__ import annotations

import numpy as np

from jaxnb.engine.ops import filling
from jaxnb.engine.runtime.named_shardings import check_fits, devices_of
from jaxnb.engine.runtime.placement import put, sharding_of
from jaxnb.xla.array import ArrayImpl

__all__ = ["full", "full_like", "placed_like"]


def _placed(x, sharding):
    """``x`` under a sharding; a value that is still traced stays where the compiler has it."""
    if sharding is None or type(x) is not ArrayImpl:
        return x
    check_fits(sharding, x.shape)
    return put(x, x.aval, sharding)


def full(shape, fill_value, dtype=None, *, sharding=None):
    """An array of this shape with every element ``fill_value``."""
    return _placed(filling.full(shape, fill_value, dtype), sharding)


def full_like(x, fill_value, dtype=None, shape=None, sharding=None):
    """An array with the shape and dtype of ``x`` (where none are given) and every element ``fill_value``.

    Where no sharding is given it lies where the user has put ``x``.
    """
    out = filling.full_like(x, fill_value, dtype, shape)
    return placed_like(out, x) if sharding is None else _placed(out, sharding)


def placed_like(out, x):
    """``out`` where the user has put ``x``; on several devices only if it is of the same shape."""
    sharding = sharding_of(x)
    if sharding is not None and len(devices_of(sharding)) > 1 and np.shape(out) != np.shape(x):
        return out
    return _placed(out, sharding)
