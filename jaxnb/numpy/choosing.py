"""Elements taken from one of several arrays, or where a condition holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.engine.core import dtypes
from jaxnb.numpy.arguments import check_arraylike, concrete, ensure_arraylike, promote_dtypes
from jaxnb.numpy.creation import array, asarray
from jaxnb.numpy.division import remainder
from jaxnb.numpy.grids import indices
from jaxnb.numpy.indexing import getitem
from jaxnb.numpy.joining import stack
from jaxnb.numpy.limits import clip
from jaxnb.numpy.selection import choose as choose_where
from jaxnb.numpy.shapes import broadcast_arrays, expand_dims, moveaxis, ravel
from jaxnb.numpy.sorting import argsort
from jaxnb.xla.version import JAXLIB_VERSION


def choose(a, choices, out=None, mode="raise"):
    """At each place, the element of the array whose number stands in ``a``."""
    if out is not None:
        raise NotImplementedError("The 'out' argument to jnp.choose is not supported.")
    choices = list(choices)
    check_arraylike("choose", a, *choices)
    if not dtypes.issubdtype(dtypes.dtype(a), np.integer):
        raise ValueError("`a` array must be integer typed")
    count = len(choices)
    if mode == "raise":
        numbers = _numbers(a, count)
    elif mode == "wrap":
        numbers = remainder(asarray(a), count)
    elif mode == "clip":
        numbers = clip(asarray(a), 0, count - 1)
    else:
        raise ValueError(f"{mode=} not understood. Must be 'raise', 'wrap', or 'clip'")
    numbers, *choices = broadcast_arrays(numbers, *choices)
    return getitem(array(choices), (numbers, *indices(numbers.shape, sparse=True)))


def _numbers(a: Any, count: int) -> Any:
    """The numbers, which must be known and each stand for an array."""
    numbers = concrete(
        a,
        "The error occurred because jnp.choose was jit-compiled with mode='raise'. Use mode='wrap' or mode='clip' "
        "instead.",
    )
    if ((np.asarray(numbers) < 0) | (np.asarray(numbers) >= count)).any():
        raise ValueError("invalid entry in choice array")
    return numbers


def select(condlist, choicelist, default=0):
    """At each place, the element of the array that belongs to the first condition to hold there."""
    if len(condlist) != len(choicelist):
        raise ValueError(
            f"condlist must have length equal to choicelist ({len(condlist)} vs {len(choicelist)})"
        )
    if not len(condlist):
        raise ValueError("condlist must be non-empty")
    check_arraylike("select", *condlist, *choicelist, default)
    conditions, outcomes = list(condlist), promote_dtypes(default, *choicelist)
    conditions = stack(broadcast_arrays(np.False_, *conditions))
    number = lax.argmax(lax.convert_element_type(conditions, np.bool_), 0, np.int32)
    number, *outcomes = broadcast_arrays(number, *outcomes)
    return lax.select_n(number, *outcomes)


def compress(condition, a, axis=None, *, size=None, fill_value=0, out=None):
    """The slices along an axis where a condition holds; without ``axis``, the elements."""
    if out is not None:
        raise NotImplementedError("The 'out' argument to jnp.compress is not supported.")
    return _compress("compress", condition, a, axis, size, fill_value)


def extract(condition, arr, *, size=None, fill_value=0):
    """The elements where a condition holds."""
    return _compress("extract", ravel(condition), ravel(arr), None, size, fill_value)


def _compress(name: str, condition: Any, a: Any, axis: int | None, size: int | None, fill_value: Any) -> Any:
    holds, x, fill = ensure_arraylike(name, condition, a, fill_value)
    holds = lax.convert_element_type(holds, np.bool_)
    if holds.ndim != 1:
        raise ValueError("condition must be a 1D array")
    x = ravel(x) if axis is None else moveaxis(x, axis, 0)
    holds, beyond = _cut(holds, x.shape[0])
    if size is None:
        if JAXLIB_VERSION >= (0, 12):
            holds = concrete(
                holds,
                "The size argument of jnp.compress must be specified in order to use jnp.compress within JAX "
                "transformations like jax.jit, jax.vmap, and jax.grad. For more information, refer to the "
                "jnp.compress documentation.",
            )
        if bool(lax.reduce_or(beyond, (0,))):
            raise ValueError("condition contains entries that are out of bounds")
        out = getitem(_head(x, holds.shape[0]), holds)
    else:
        x = _head(x, holds.shape[0])
        mask = expand_dims(holds, tuple(range(1, x.ndim)))
        x = choose_where(mask, x, array(fill, dtype=x.dtype))
        out = _head(getitem(x, argsort(holds, descending=True)), size)
    return out if axis is None else moveaxis(out, 0, axis)


def _cut(x: Any, place: int) -> Sequence[Any]:
    return _head(x, place), getitem(x, slice(place, None))


def _head(x: Any, size: int) -> Any:
    return getitem(x, slice(None, size))
