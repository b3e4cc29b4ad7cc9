"""Distributions that are functions of uniform numbers."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb import numpy as jnp
from jaxnb.base import config
from jaxnb.engine.api.jit import jit
from jaxnb.engine.core import dtypes
from jaxnb.numpy.arguments import promote_dtypes_inexact
from jaxnb.random.arguments import (
    broadcast_parameters,
    integer_dtype,
    prepared,
    to_shape,
)
from jaxnb.random.keys import random_bits, split
from jaxnb.random.normals import normal
from jaxnb.random.uniforms import unchecked_uniform, uniform
from jaxnb.xla.version import JAXLIB_VERSION

__all__ = [
    "cauchy", "exponential", "geometric", "gumbel", "laplace", "logistic", "pareto", "rayleigh", "triangular", "wald",
    "weibull_min",
]  # fmt: skip

# ---- without parameters ----------------------------------------------------------------------------------------------


def cauchy(key: Any, shape: Any = (), dtype: Any = None, *, out_sharding: Any = None) -> Any:
    """Returns Cauchy numbers.

    Args:
        key: one key.
        shape: the result's shape.
        dtype: a float type.
        out_sharding: how the result is sharded.
    """
    return _cauchy(*prepared("cauchy", key, shape, dtype, out_sharding))


@functools.partial(jit, static_argnums=(1, 2))
def _cauchy(key, shape, dtype):
    u = uniform(key, shape, dtype, minval=dtypes.finfo(dtype).eps)
    return lax.tan(lax.mul(np.array(np.pi, dtype), lax.sub(u, np.array(0.5, dtype))))


def exponential(key: Any, shape: Any = (), dtype: Any = None, *, out_sharding: Any = None) -> Any:
    """Returns exponential numbers of mean one.

    Args:
        key: one key.
        shape: the result's shape.
        dtype: a float type.
        out_sharding: how the result is sharded.
    """
    return _exponential(*prepared("exponential", key, shape, dtype, out_sharding))


@functools.partial(jit, static_argnums=(1, 2))
def _exponential(key, shape, dtype):
    return lax.neg(lax.log1p(lax.neg(uniform(key, shape, dtype))))


def gumbel(
    key: Any, shape: Any = (), dtype: Any = None, mode: str | None = None, *, out_sharding: Any = None
) -> Any:
    """Returns Gumbel numbers.

    Args:
        key: one key.
        shape: the result's shape.
        dtype: a float type.
        mode: ``"high"`` for twice the bits, ``"highest"`` to use all of them as one number of 64 bits (of single precision
            alone; otherwise the same as ``"high"``), ``"low"`` for one draw each; by default as a setting says.
        out_sharding: how the result is sharded.

    Raises:
        ValueError: where ``mode`` is another word.
    """
    key, shape, dtype = prepared("gumbel", key, shape, dtype, out_sharding)
    if mode is None:
        mode = "high" if config.high_dynamic_range_gumbel.value else "low"
    if mode not in ("highest", "high", "low"):
        raise ValueError(f"Must provide valid mode for gumbel got: {mode}")
    return _gumbel(key, shape, dtype, mode)


@functools.partial(jit, static_argnums=(1, 2, 3))
def _gumbel(key, shape, dtype, mode):
    facts = dtypes.finfo(dtype)
    if mode == "low":
        u = unchecked_uniform(key, shape, dtype, minval=facts.tiny, maxval=1.0)
        return lax.neg(lax.log(lax.neg(lax.log(u))))
    if mode == "highest" and dtype == np.float32:
        return _gumbel_of_64_bits(key, shape)
    first, second = unchecked_uniform(key, (2, *shape), dtype, minval=0.0, maxval=1.0)
    near: Any = jnp.where(first >= 0.5, first, first + facts.eps * second + _above_zero(facts))
    return -jnp.log(-jnp.log1p(-near))


def _gumbel_of_64_bits(key: Any, shape: Any) -> Any:
    """The number of 64 bits is ``u`` or, where ``u`` is over a half, ``1 - u``, which has more digits; both are below it."""
    words = random_bits(key, 32, (2, *shape))
    # One minus a binary fraction: all bits turned over, and one added to the last.
    turned = lax.bitwise_not(words)
    low = turned[1]
    turned = turned + jnp.array([low == np.uint32(0xFFFFFFFF), jnp.ones_like(low)], np.uint32)
    is_low = words[0] < np.uint32(1 << 31)
    x = _fraction(jnp.where(is_low, words, turned))
    return jnp.where(is_low, -jnp.log(-jnp.log1p(-x)), -jnp.log(-jnp.log(x)))


def _fraction(words: Any) -> Any:
    """The float of a binary fraction of two words, high and low, cut after its 24th digit.

    The leading one says the exponent; the 23 digits behind it are the mantissa.
    """
    high_zeros, low_zeros = lax.clz(words)
    high, low = words
    front = high << high_zeros
    is_in_low = high_zeros == np.uint32(32)
    alone = low << low_zeros
    behind = lax.shift_right_logical(low, np.uint32(32) - high_zeros)
    digits = front | jnp.where(is_in_low, alone, behind)
    mantissa = lax.shift_right_logical(digits, np.uint32(8)) & np.uint32(0x7FFFFF)
    zeros: Any = jnp.where(high_zeros == np.uint32(32), np.uint32(32) + low_zeros, high_zeros)
    exponent = ((np.uint32(126) - zeros) << np.uint32(23)) & np.uint32(0x3FC00000)
    return lax.bitcast_convert_type(exponent | mantissa, np.float32)


def _above_zero(facts: Any) -> Any:
    """What keeps the smallest sum from zero; in newer JAX also the half of its last place from being rounded away."""
    return max(2.0 ** -(2 * facts.nmant + 1), facts.tiny) if JAXLIB_VERSION >= (0, 12) else facts.tiny


def laplace(key: Any, shape: Any = (), dtype: Any = None, *, out_sharding: Any = None) -> Any:
    """Returns Laplace numbers.

    Args:
        key: one key.
        shape: the result's shape.
        dtype: a float type.
        out_sharding: how the result is sharded.
    """
    return _laplace(*prepared("laplace", key, shape, dtype, out_sharding))


@functools.partial(jit, static_argnums=(1, 2))
def _laplace(key, shape, dtype):
    u = uniform(key, shape, dtype, minval=-1.0 + dtypes.finfo(dtype).epsneg, maxval=1.0)
    return lax.mul(lax.sign(u), lax.log1p(lax.neg(lax.abs(u))))


def logistic(key: Any, shape: Any = (), dtype: Any = None, *, out_sharding: Any = None) -> Any:
    """Returns logistic numbers.

    Args:
        key: one key.
        shape: the result's shape.
        dtype: a float type.
        out_sharding: how the result is sharded.
    """
    return _logistic(*prepared("logistic", key, shape, dtype, out_sharding))


@functools.partial(jit, static_argnums=(1, 2))
def _logistic(key, shape, dtype):
    x = uniform(key, shape, dtype, minval=dtypes.finfo(dtype).tiny, maxval=1.0)
    return lax.sub(lax.log(x), lax.log1p(lax.neg(x)))


# ---- with parameters -------------------------------------------------------------------------------------------------


def pareto(key: Any, b: Any, shape: Any = None, dtype: Any = None, *, out_sharding: Any = None) -> Any:
    """Returns Pareto numbers of shape parameter ``b``.

    Args:
        key: one key.
        b: the shape parameter.
        shape: the result's shape, by default that of ``b``.
        dtype: a float type.
        out_sharding: how the result is sharded.
    """
    key, shape, dtype = prepared("pareto", key, shape, dtype, out_sharding)
    return _pareto(key, b, shape, dtype)


@functools.partial(jit, static_argnums=(2, 3))
def _pareto(key, b, shape, dtype):
    shape = broadcast_parameters("pareto", shape, np.shape(b))
    b = lax.convert_element_type(b, dtype)
    return lax.exp(exponential(key, shape, dtype) / b)


def rayleigh(key: Any, scale: Any, shape: Any = None, dtype: Any = None, *, out_sharding: Any = None) -> Any:
    """Returns Rayleigh numbers.

    Args:
        key: one key.
        scale: the scale.
        shape: the result's shape, by default that of ``scale``.
        dtype: a float type.
        out_sharding: how the result is sharded.
    """
    key, shape, dtype = prepared("rayleigh", key, shape, dtype, out_sharding)
    return _rayleigh(key, scale, shape, dtype)


@functools.partial(jit, static_argnums=(2, 3))
def _rayleigh(key, scale, shape, dtype):
    shape = broadcast_parameters("rayleigh", shape, np.shape(scale))
    u = uniform(key, shape, dtype)
    scale = to_shape(lax.convert_element_type(scale, dtype), shape)
    return scale * lax.sqrt(lax.log(u) * np.array(-2.0, dtype))


def weibull_min(key: Any, scale: Any, concentration: Any, shape: Any = (), dtype: Any = None) -> Any:
    """Returns Weibull numbers.

    Args:
        key: one key.
        scale: the scale.
        concentration: the shape parameter.
        shape: the result's shape.
        dtype: a float type.
    """
    key, shape, dtype = prepared("weibull_min", key, shape, dtype, None)
    return _weibull_min(key, scale, concentration, shape, dtype)


@functools.partial(jit, static_argnums=(3, 4))
def _weibull_min(key, scale, concentration, shape, dtype):
    u = uniform(key, shape, dtype, minval=0, maxval=1)
    return jnp.power(-lax.log1p(-u), 1.0 / concentration) * scale


def triangular(
    key: Any,
    left: Any,
    mode: Any,
    right: Any,
    shape: Any = None,
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Any:
    """Returns triangular numbers.

    Args:
        key: one key.
        left: the bound below.
        mode: the likeliest number.
        right: the bound above.
        shape: the result's shape, by default the one that the parameters broadcast to.
        dtype: a float type.
        out_sharding: how the result is sharded.
    """
    key, shape, dtype = prepared("triangular", key, shape, dtype, out_sharding)
    return _triangular(key, left, mode, right, shape, dtype)


@functools.partial(jit, static_argnums=(4, 5), inline=True)
def _triangular(key, left, mode, right, shape, dtype):
    shape = broadcast_parameters("triangular", shape, np.shape(left), np.shape(mode), np.shape(right))
    left = to_shape(jnp.asarray(left, dtype), shape)
    right = to_shape(jnp.asarray(right, dtype), shape)
    mode = to_shape(jnp.asarray(mode, dtype), shape)
    share = (mode - left) / (right - left)
    u = uniform(key, shape, dtype)
    rising = left + lax.sqrt(u * (right - left) * (mode - left))
    falling = right - lax.sqrt((1 - u) * (right - left) * (right - mode))
    return lax.select(u < share, rising, falling)


def wald(key: Any, mean: Any, shape: Any = None, dtype: Any = None, *, out_sharding: Any = None) -> Any:
    """Returns Wald numbers: the time a drifting Brownian motion takes to pass a level.

    Source: Michael, Schucany, Haas, "Generating random variates using transformations with multiple roots", 1976.

    Args:
        key: one key.
        mean: the mean.
        shape: the result's shape, by default that of ``mean``.
        dtype: a float type.
        out_sharding: how the result is sharded.
    """
    key, shape, dtype = prepared("wald", key, shape, dtype, out_sharding)
    return _wald(key, mean, shape, dtype)


@functools.partial(jit, static_argnums=(2, 3))
def _wald(key, mean, shape, dtype):
    shape = broadcast_parameters("wald", shape, np.shape(mean))
    normal_key, uniform_key = split(key)
    mean = to_shape(lax.convert_element_type(mean, dtype), shape)
    v = normal(normal_key, shape, dtype)
    z = uniform(uniform_key, shape, dtype)
    y = lax.integer_pow(v, 2)
    y_squared = lax.integer_pow(y, 2)
    mean_squared = lax.integer_pow(mean, 2)
    root = lax.sqrt(4 * mean * y + mean_squared * y_squared)
    w = mean + mean_squared * y / 2 - mean / 2 * root
    return lax.select(lax.le(z, mean / (mean + w)), w, mean_squared / w)


def geometric(key: Any, p: Any, shape: Any = None, dtype: Any = None, *, out_sharding: Any = None) -> Any:
    """Returns how many trials it takes until one succeeds.

    Args:
        key: one key.
        p: the probability of success.
        shape: the result's shape, by default that of ``p``.
        dtype: an integer type.
        out_sharding: how the result is sharded.

    Raises:
        ValueError: where ``dtype`` is of another kind.
    """
    key, shape, dtype = prepared("geometric", key, shape, dtype, out_sharding, to_dtype=_to_integer)
    return _geometric(key, p, shape, dtype)


def _to_integer(name: str, dtype: Any) -> np.dtype:
    dtype = integer_dtype(dtype)
    if not dtypes.issubdtype(dtype, np.integer):
        raise ValueError(f"dtype argument to `{name}` must be an int dtype, got {dtype}")
    return dtype


@functools.partial(jit, static_argnums=(2, 3))
def _geometric(key, p, shape, dtype):
    shape = broadcast_parameters("geometric", shape, np.shape(p))
    (p,) = promote_dtypes_inexact(p)
    u = uniform(key, shape, dtypes.dtype(p))
    log_u = lax.log(jnp.where(u == 0, 1, u))
    log_miss = to_shape(lax.log1p(-p), shape)
    return lax.convert_element_type(lax.floor(lax.div(log_u, log_miss)) + 1, dtype)
