"""The normal distribution and its kin."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb import numpy as jnp
from jaxnb.engine.api.jit import jit
from jaxnb.engine.core import dtypes
from jaxnb.engine.ops.axes import canonicalize_shape
from jaxnb.random.arguments import (
    broadcast_parameters,
    float_dtype,
    inexact_dtype,
    no_sharding,
    prepared,
    single_key,
    to_shape,
)
from jaxnb.random.keys import split
from jaxnb.random.uniforms import rademacher, uniform

__all__ = [
    "double_sided_maxwell", "lognormal", "maxwell", "normal", "truncated_normal",
]  # fmt: skip

_ONE = np.float32(1.0)


def normal(key: Any, shape: Any = (), dtype: Any = None, *, out_sharding: Any = None) -> Any:
    """Returns standard normal numbers.

    Args:
        key: one key.
        shape: the result's shape.
        dtype: a float or complex type, by default the widest float type in use.
        out_sharding: how the result is sharded.

    Raises:
        ValueError: where ``dtype`` is of another kind.
    """
    key = single_key("normal", key)
    shape = canonicalize_shape(shape)
    no_sharding("normal", out_sharding)
    return _normal(key, shape, inexact_dtype("normal", dtype))


@functools.partial(jit, static_argnums=(1, 2))
def _normal(key, shape, dtype):
    if not dtypes.issubdtype(dtype, np.complexfloating):
        return _normal_real(key, shape, dtype)
    root_two = np.array(np.sqrt(2), dtype)
    real_key, imag_key = split(key)
    part = np.dtype(dtype).type(0).real.dtype
    real = _normal_real(real_key, shape, part).astype(dtype)
    imag = _normal_real(imag_key, shape, part).astype(dtype)
    return (real + 1j * imag) / root_two


@functools.partial(jit, static_argnums=(1, 2), inline=False)
def _normal_real(key, shape, dtype):
    low = np.nextafter(np.array(-1.0, dtype), np.array(0.0, dtype), dtype=dtype)
    spread = uniform(key, shape, dtype, low, np.array(1.0, dtype))
    return lax.mul(np.array(np.sqrt(2), dtype), lax.erf_inv(spread))


def truncated_normal(
    key: Any, lower: Any, upper: Any, shape: Any = None, dtype: Any = None, *, out_sharding: Any = None
) -> Any:
    """Returns standard normal numbers between two bounds.

    Args:
        key: one key.
        lower: the bound below.
        upper: the bound above.
        shape: the result's shape, by default the one that the bounds broadcast to.
        dtype: a float type.
        out_sharding: how the result is sharded.

    Raises:
        ValueError: where ``dtype`` is of another kind.
    """
    shape = None if shape is None else canonicalize_shape(shape)
    key = single_key("truncated_normal", key)
    no_sharding("truncated_normal", out_sharding)
    dtype = float_dtype("truncated_normal", dtype)
    return _truncated_normal(key, lower, upper, shape, dtype)


@functools.partial(jit, static_argnums=(3, 4))
def _truncated_normal(key, lower, upper, shape, dtype):
    shape = broadcast_parameters("truncated_normal", shape, np.shape(lower), np.shape(upper))
    root_two = np.array(np.sqrt(2), dtype)
    lower = lax.convert_element_type(lower, dtype)
    upper = lax.convert_element_type(upper, dtype)
    low = lax.erf(lower / root_two)
    high = lax.erf(upper / root_two)
    out = root_two * lax.erf_inv(uniform(key, shape, dtype, minval=low, maxval=high))
    # Rounding may have left the interval.
    return jnp.clip(
        out,
        lax.nextafter(lax.stop_gradient(lower), np.array(np.inf, dtype)),
        lax.nextafter(lax.stop_gradient(upper), np.array(-np.inf, dtype)),
    )


def lognormal(
    key: Any, sigma: Any = _ONE, shape: Any = None, dtype: Any = None, *, out_sharding: Any = None
) -> Any:
    """Returns numbers whose logarithm is normal with standard deviation ``sigma``.

    Args:
        key: one key.
        sigma: the logarithm's standard deviation.
        shape: the result's shape, by default that of ``sigma``.
        dtype: a float or complex type.
        out_sharding: how the result is sharded.

    Raises:
        ValueError: where ``dtype`` is of another kind.
    """
    key, shape, dtype = prepared("lognormal", key, shape, dtype, out_sharding, to_dtype=inexact_dtype)
    return _lognormal(key, sigma, shape, dtype)


@functools.partial(jit, static_argnums=(2, 3), inline=True)
def _lognormal(key, sigma, shape, dtype):
    shape = broadcast_parameters("lognormal", shape, np.shape(sigma))
    sigma = to_shape(jnp.asarray(sigma, dtype), shape)
    return lax.exp(normal(key, shape, dtype) * sigma)


def maxwell(key: Any, shape: Any = (), dtype: Any = None, *, out_sharding: Any = None) -> Any:
    """Returns lengths of standard normal vectors in space.

    Args:
        key: one key.
        shape: the result's shape.
        dtype: a float type.
        out_sharding: how the result is sharded.

    Raises:
        ValueError: where ``dtype`` is of another kind.
    """
    return _maxwell(*prepared("maxwell", key, shape, dtype, out_sharding))


@functools.partial(jit, static_argnums=(1, 2))
def _maxwell(key, shape, dtype):
    return norm(normal(key, (*shape, 3), dtype))


@jit
def norm(x):
    """The lengths of the vectors along the last axis."""
    return lax.sqrt(jnp.sum(x * x, axis=-1))


def double_sided_maxwell(key: Any, loc: Any, scale: Any, shape: Any = (), dtype: Any = None) -> Any:
    """Returns Maxwell numbers times a random sign.

    Args:
        key: one key.
        loc: what is added.
        scale: what they are multiplied by.
        shape: the result's shape but the last axes, which are those of ``loc`` and ``scale``.
        dtype: a float type.

    Raises:
        ValueError: where ``dtype`` is of another kind.
    """
    key, shape, dtype = prepared("double_sided_maxwell", key, shape, dtype, None)
    return _double_sided_maxwell(key, loc, scale, shape, dtype)


@functools.partial(jit, static_argnums=(3, 4))
def _double_sided_maxwell(key, loc, scale, shape, dtype):
    length_key, sign_key = split(key)
    whole = (*shape, *lax.broadcast_shapes(np.shape(loc), np.shape(scale)))
    lengths = maxwell(length_key, whole, dtype)
    return rademacher(sign_key, whole, dtype) * lengths * scale + loc
