"""Points whose distance from the middle falls off as a power, and points in a ball of such a norm."""

from __future__ import annotations

import functools
from typing import Any

from jaxnb import numpy as jnp
from jaxnb.engine.api.jit import jit
from jaxnb.engine.ops.axes import canonicalize_shape
from jaxnb.random.arguments import float_dtype, no_sharding, single_key
from jaxnb.random.gammas import gamma
from jaxnb.random.keys import split
from jaxnb.random.transformed import exponential
from jaxnb.random.uniforms import rademacher

__all__ = ["ball", "generalized_normal"]


def _prepared(name: str, key: Any, shape: Any, dtype: Any, out_sharding: Any) -> tuple[Any, Any, Any]:
    """Looks at the shape first, other than most distributions; that the type is wrong, the gamma numbers inside say."""
    shape = canonicalize_shape(shape)
    key = single_key(name, key)
    no_sharding(name, out_sharding)
    return key, shape, float_dtype("gamma", dtype)


def generalized_normal(
    key: Any, p: Any, shape: Any = (), dtype: Any = None, *, out_sharding: Any = None
) -> Any:
    """Returns numbers whose density falls as ``exp(-|x|**p)``.

    Args:
        key: one key.
        p: the power.
        shape: the result's shape.
        dtype: a float type.
        out_sharding: how the result is sharded.

    Raises:
        ValueError: where ``dtype`` is of another kind.
    """
    key, shape, dtype = _prepared("generalized_normal", key, shape, dtype, out_sharding)
    return _generalized_normal(key, p, shape, dtype)


@functools.partial(jit, static_argnums=(2, 3))
def _generalized_normal(key, p, shape, dtype):
    keys = split(key)
    g = gamma(keys[0], 1 / p, shape, dtype)
    r = rademacher(keys[1], shape, dtype)
    return r * g ** (1 / p)


def ball(
    key: Any, d: int, p: Any = 2, shape: Any = (), dtype: Any = None, *, out_sharding: Any = None
) -> Any:
    """Returns points equally likely in the unit ball of the ``p`` norm.

    Args:
        key: one key.
        d: how many dimensions.
        p: the norm.
        shape: the result's shape but its last axis.
        dtype: a float type.
        out_sharding: how the result is sharded.

    Raises:
        ValueError: where ``dtype`` is of another kind.
    """
    key, shape, dtype = _prepared("ball", key, shape, dtype, out_sharding)
    return _ball(key, d, p, shape, dtype)


@functools.partial(jit, static_argnums=(1, 3, 4))
def _ball(key, d, p, shape, dtype):
    point_key, radius_key = split(key)
    g = generalized_normal(point_key, p, (*shape, d), dtype)
    e = exponential(radius_key, shape, dtype)
    return g / (((jnp.abs(g) ** p).sum(-1) + e) ** (1 / p))[..., None]
