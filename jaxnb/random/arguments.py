"""What the functions of random numbers have in common: how they read keys, shapes and element types.

Lives here: checks with their messages. Must not live here: distributions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.engine.core import dtypes
from jaxnb.engine.ops.axes import canonicalize_shape
from jaxnb.random.keys import check_key
from jaxnb.random.shardings import no_sharding

__all__ = [
    "broadcast_parameters",
    "checked_shape",
    "float_dtype",
    "inexact_dtype",
    "integer_dtype",
    "no_sharding",
    "prepared",
    "single_key",
    "to_rank",
    "to_shape",
]


def single_key(name: str, key: Any) -> Any:
    """Returns the typed form of one key.

    Args:
        name: the function that asks.
        key: a key of either form.
    """
    return check_key(name, key)[0]


def float_dtype(name: str, dtype: Any) -> np.dtype:
    """Returns the element type of a result of real numbers, by default the widest in use.

    Raises:
        ValueError: where it is of another kind.
    """
    dtype = dtypes.check_user_dtype_supported(float if dtype is None else dtype)
    if not dtypes.issubdtype(dtype, np.floating):
        raise ValueError(f"dtype argument to `{name}` must be a float dtype, got {dtype}")
    return dtype


def inexact_dtype(name: str, dtype: Any) -> np.dtype:
    """Returns the element type of a result of real or complex numbers.

    Raises:
        ValueError: where it is of another kind.
    """
    dtype = dtypes.check_user_dtype_supported(float if dtype is None else dtype)
    if not dtypes.issubdtype(dtype, np.inexact):
        raise ValueError(f"dtype argument to `{name}` must be a float or complex dtype, got {dtype}")
    return dtype


def integer_dtype(dtype: Any) -> np.dtype:
    """Returns the element type asked for, by default the widest integer type in use."""
    return dtypes.check_user_dtype_supported(int if dtype is None else dtype)


def prepared(
    name: str, key: Any, shape: Any, dtype: Any, out_sharding: Any, *, to_dtype: Any = float_dtype
) -> tuple[Any, Any, Any]:
    """Returns the key, the shape and the element type of a distribution's result, checked in JAX's order.

    Args:
        name: the function that asks.
        key: one key.
        shape: the shape asked for; None stays None.
        dtype: the element type asked for.
        out_sharding: how the result is to be sharded.
        to_dtype: reads the element type.
    """
    key = single_key(name, key)
    dtype = to_dtype(name, dtype)
    shape = None if shape is None else canonicalize_shape(shape)
    no_sharding(name, out_sharding)
    return key, shape, dtype


def checked_shape(name: str, shape: Any, *parameters: tuple[int, ...]) -> tuple[int, ...]:
    """Returns the result's shape.

    Args:
        name: the function that asks.
        shape: the shape asked for.
        parameters: the shapes of the distribution's parameters.

    Raises:
        ValueError: where the parameters do not broadcast to the shape.
    """
    shape = canonicalize_shape(shape)
    if parameters:
        common = lax.broadcast_shapes(shape, *parameters)
        if common != shape:
            raise ValueError(
                f"{name} parameter shapes must be broadcast-compatible with shape argument, and the result of "
                f"broadcasting the shapes must equal the shape argument, but got result {common} for shape argument "
                f"{shape}."
            )
    return shape


def broadcast_parameters(name: str, shape: Any, *parameters: tuple[int, ...]) -> tuple[int, ...]:
    """Returns the result's shape: by default the one that the parameters broadcast to."""
    if shape is None:
        return lax.broadcast_shapes(*parameters)
    return checked_shape(name, shape, *parameters)


def to_rank(x: Any, rank: int) -> Any:
    """Returns ``x`` with new first axes of length one."""
    return lax.broadcast_to_rank(x, rank)


def to_shape(x: Any, shape: tuple[int, ...]) -> Any:
    """Returns ``x`` broadcast to ``shape``, itself where it has that shape."""
    if np.shape(x) == shape:
        return x
    return lax.broadcast_in_dim(x, shape, range(len(shape) - np.ndim(x), len(shape)))
