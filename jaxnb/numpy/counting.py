"""Counts of whole numbers: bincount."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from jaxnb.engine.core import dtypes
from jaxnb.engine.ops.conversion import convert
from jaxnb.engine.ops.placement import check_out_sharding
from jaxnb.numpy.arguments import check_arraylike, concrete
from jaxnb.numpy.creation import asarray, zeros
from jaxnb.numpy.limits import clip


def count_each(x: Any, length: int, weights: Any = None) -> Any:
    """How often each number below ``length`` occurs; negative ones count as 0, greater ones not at all."""
    weights = np.ones((), dtypes.canonicalize_dtype(np.int64))[()] if weights is None else weights
    return zeros(length, dtypes.dtype(weights)).at[clip(x, 0)].add(weights, mode="drop")


def _context(argument: str, advice: str = "") -> str:
    return f"The error occurred because of argument '{argument}' of jnp.bincount.{advice}"


def bincount(x, weights=None, minlength=0, *, length=None, out_sharding=None):
    """How often each whole number occurs; negative ones count as 0.

    Args:
        x: one-dimensional array of integers.
        weights: what each of them counts for; 1 by default.
        minlength: the least length of the result.
        length: the length of the result, which under a transformation is needed; greater numbers are not counted.
        out_sharding: not supported on one device.
    """
    check_arraylike("bincount", x)
    dtype = dtypes.dtype(x)
    if dtype == np.bool_:
        x = convert(x, dtypes.canonicalize_dtype(np.int64), False)
    elif not dtypes.issubdtype(dtype, np.integer):
        raise TypeError(f"x argument to bincount must have an integer type; got {dtype}")
    if np.ndim(x) != 1:
        raise ValueError("only 1-dimensional input supported.")
    least = operator.index(concrete(minlength, _context("minlength")))
    if length is None:
        advice = " To avoid this error, pass a static `length` argument."
        values = concrete(asarray(x), _context("x", advice))
        length = max(least, int(max(0, values.max())) + 1 if values.size else 0)
    else:
        length = operator.index(concrete(length, _context("length")))
    if weights is not None and np.shape(x) != np.shape(weights):
        raise ValueError(
            "type of weights must match type of x. "
            f"Got typeof(x)={_type_of(x)} and typeof(weights)={_type_of(weights)}"
        )
    check_out_sharding(out_sharding, "jnp.bincount")
    return count_each(x, length, weights)


def _type_of(x: Any) -> str:
    short = dtypes.short_dtype_name(dtypes.dtype(x, canonicalize=True))
    return f"{short}[{','.join(map(str, np.shape(x)))}]({{}})"
