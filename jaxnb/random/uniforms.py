"""Numbers that are equally likely over a range, and coins: what all other distributions are made of."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.engine.api.jit import jit
from jaxnb.engine.core import dtypes
from jaxnb.engine.ops.axes import canonicalize_shape
from jaxnb.numpy import asarray, clip
from jaxnb.random.arguments import checked_shape, float_dtype, integer_dtype, no_sharding, single_key, to_rank
from jaxnb.random.keys import random_bits, split

__all__ = ["bernoulli", "rademacher", "randint", "unchecked_uniform", "uniform"]

# ---- real numbers ----------------------------------------------------------------------------------------------------


def uniform(
    key: Any,
    shape: Any = (),
    dtype: Any = None,
    minval: Any = 0.0,
    maxval: Any = 1.0,
    *,
    out_sharding: Any = None,
) -> Any:
    """Returns real numbers from ``minval``, inclusive, to ``maxval``.

    Args:
        key: one key.
        shape: the result's shape.
        dtype: a float type, by default the widest in use.
        minval: the least number, broadcast to ``shape``.
        maxval: the bound above, broadcast to ``shape``.
        out_sharding: how the result is sharded.

    Raises:
        ValueError: where ``dtype`` is of another kind.
    """
    key = single_key("uniform", key)
    shape = canonicalize_shape(shape)
    no_sharding("uniform", out_sharding)
    return unchecked_uniform(key, shape, float_dtype("uniform", dtype), minval, maxval)


@functools.partial(jit, static_argnums=(1, 2))
def _uniform(key, shape, dtype, minval, maxval):
    minval = lax.convert_element_type(minval, dtype)
    maxval = lax.convert_element_type(maxval, dtype)
    minval, maxval = to_rank(minval, len(shape)), to_rank(maxval, len(shape))
    unit = _between_one_and_two(key, shape, dtype)
    floats = lax.sub(unit, np.array(1.0, dtype))
    scaled = lax.add(lax.mul(floats, lax.sub(maxval, minval)), minval)
    return lax.max(minval, lax.reshape(scaled, shape))


def _between_one_and_two(key: Any, shape: tuple[int, ...], dtype: np.dtype) -> Any:
    """Fills the fraction bits of numbers whose exponent is that of one."""
    facts = dtypes.finfo(dtype)
    wide = np.dtype(f"uint{facts.bits}")
    # Eight bits are the fewest that a generator gives.
    width = facts.bits if facts.nmant >= 8 else 8
    bits = random_bits(key, width, shape)
    if width != facts.bits:
        bits = lax.convert_element_type(bits, wide)
    one = np.array(1.0, dtype).view(wide)
    fraction = lax.shift_right_logical(bits, np.array(width - facts.nmant, wide))
    return lax.bitcast_convert_type(lax.bitwise_or(fraction, one), dtype)


unchecked_uniform = _uniform
"""``uniform`` of a typed key, a shape and an element type that are known to be right."""

# ---- integers --------------------------------------------------------------------------------------------------------


def randint(
    key: Any, shape: Any, minval: Any, maxval: Any, dtype: Any = None, *, out_sharding: Any = None
) -> Any:
    """Returns integers from ``minval``, inclusive, to ``maxval``, exclusive.

    Args:
        key: one key.
        shape: the result's shape.
        minval: the least number, broadcast to ``shape``.
        maxval: the bound above, broadcast to ``shape``.
        dtype: an integer type, by default the widest in use.
        out_sharding: how the result is sharded.

    Raises:
        TypeError: where ``dtype`` is of another kind.
    """
    key = single_key("randint", key)
    dtype = integer_dtype(dtype)
    shape = canonicalize_shape(shape)
    no_sharding("randint", out_sharding)
    if not dtypes.issubdtype(dtype, np.integer):
        raise TypeError(f"randint only accepts integer dtypes, got {dtype}")
    facts = dtypes.iinfo(dtype)
    if facts.bits >= 32:
        return _randint(key, shape, minval, maxval, dtype)
    low, high = int(facts.min), int(facts.max)
    minval = clip(lax.convert_element_type(asarray(minval), np.int32), min=low, max=high)
    maxval = clip(lax.convert_element_type(asarray(maxval), np.int32), min=low, max=high + 1)
    return lax.convert_element_type(_randint(key, shape, minval, maxval, np.dtype(np.int32)), dtype)


@functools.partial(jit, static_argnums=(1, 4))
def _randint(key, shape, minval, maxval, dtype):
    checked_shape("randint", shape, np.shape(minval), np.shape(maxval))
    minval, maxval = _as_integers(minval), _as_integers(maxval)
    facts = dtypes.iinfo(dtype)
    # Where the bound above cannot be said in the type itself, the greatest number is one less than it.
    beyond = lax.gt(maxval, _clipped_to(np.array(facts.max, dtype), maxval.dtype))
    minval, maxval = _clipped_to(minval, dtype), _clipped_to(maxval, dtype)
    minval, maxval = to_rank(minval, len(shape)), to_rank(maxval, len(shape))
    high_key, low_key = split(key)
    bits = facts.bits
    high, low = random_bits(high_key, bits, shape), random_bits(low_key, bits, shape)
    unsigned = np.dtype(f"uint{bits}")
    span = lax.convert_element_type(lax.sub(maxval, minval), unsigned)
    span = lax.select(lax.le(maxval, minval), lax.full_like(span, 1), span)
    one_more = lax.bitwise_and(beyond, lax.gt(maxval, minval))
    span = lax.select(one_more, lax.add(span, np.array(1, unsigned)), span)
    # The remainder of a number of twice the bits: the high half counts 2**bits times, in steps of half that power.
    half = lax.rem(np.array(2 ** (bits // 2), unsigned), span)
    power = lax.rem(lax.mul(half, half), span)
    offset = lax.rem(lax.add(lax.mul(lax.rem(high, span), power), lax.rem(low, span)), span)
    return lax.add(minval, lax.convert_element_type(offset, dtype))


def _as_integers(x: Any) -> Any:
    return x if dtypes.issubdtype(x.dtype, np.integer) else lax.convert_element_type(x, int)


def _clipped_to(x: Any, dtype: Any) -> Any:
    """Returns integers as those of another type, the nearest where it lacks them."""
    own, other = dtypes.iinfo(dtypes.dtype(x)), dtypes.iinfo(dtype)
    low, high = max(int(own.min), int(other.min)), min(int(own.max), int(other.max))
    if not dtypes.is_weakly_typed(x):
        low, high = np.array(low, x.dtype), np.array(high, x.dtype)
    return lax.convert_element_type(clip(x, low, high), dtype)


# ---- coins -----------------------------------------------------------------------------------------------------------


def bernoulli(
    key: Any, p: Any = 0.5, shape: Any = None, mode: str = "low", *, out_sharding: Any = None
) -> Any:
    """Returns truth values that hold with probability ``p``.

    Args:
        key: one key.
        p: the probability.
        shape: the result's shape, by default that of ``p``.
        mode: ``"high"`` for twice the bits, so that small probabilities are exact.
        out_sharding: how the result is sharded.

    Raises:
        ValueError: where ``mode`` is another word.
        TypeError: where ``p`` is no real number.
    """
    if mode not in ("high", "low"):
        raise ValueError(f"got mode={mode!r}, expected 'high' or 'low'")
    shape = None if shape is None else canonicalize_shape(shape)
    key = single_key("bernoulli", key)
    no_sharding("bernoulli", out_sharding)
    dtype = dtypes.canonicalize_dtype(dtypes.dtype(p))
    if not dtypes.issubdtype(dtype, np.floating):
        raise TypeError(f"bernoulli probability `p` must have a floating dtype, got {dtype}.")
    return _bernoulli(key, lax.convert_element_type(p, dtype), shape, mode)


@functools.partial(jit, static_argnums=(2, 3))
def _bernoulli(key, p, shape, mode):
    shape = np.shape(p) if shape is None else checked_shape("bernoulli", shape, np.shape(p))
    dtype = dtypes.dtype(p)
    if mode == "low":
        return lax.lt(uniform(key, shape, dtype), _beside(p, shape))
    first, second = uniform(key, (2, *shape), dtype)
    eps = np.array(dtypes.finfo(dtype).eps, dtype)
    return lax.lt(lax.mul(second, eps), lax.sub(_beside(p, shape), first))


def _beside(p: Any, shape: tuple[int, ...]) -> Any:
    return to_rank(p, len(shape)) if np.ndim(p) else p


def rademacher(key: Any, shape: Any = (), dtype: Any = None, *, out_sharding: Any = None) -> Any:
    """Returns ones and minus ones, equally likely.

    Args:
        key: one key.
        shape: the result's shape.
        dtype: the element type, by default the widest integer type in use.
        out_sharding: how the result is sharded.
    """
    key = single_key("rademacher", key)
    dtype = integer_dtype(dtype)
    shape = canonicalize_shape(shape)
    no_sharding("rademacher", out_sharding)
    return _rademacher(key, shape, dtype)


@functools.partial(jit, static_argnums=(1, 2))
def _rademacher(key, shape, dtype):
    coins = bernoulli(key, 0.5, shape)
    signs = 2 * coins.astype(dtype) - 1 if dtype != np.bool_ else 2 * coins - 1
    return lax.convert_element_type(signs, dtype)
