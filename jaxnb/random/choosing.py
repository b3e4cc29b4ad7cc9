"""Permutations, choices and categories."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb import numpy as jnp
from jaxnb.engine.api.jit import jit
from jaxnb.engine.core import dtypes
from jaxnb.engine.ops.axes import canonicalize_axis, canonicalize_shape
from jaxnb.numpy.arguments import check_arraylike, concrete, promote_dtypes_inexact
from jaxnb.random.arguments import checked_shape, no_sharding, single_key
from jaxnb.random.keys import random_bits, split
from jaxnb.random.transformed import gumbel
from jaxnb.random.uniforms import randint, uniform

__all__ = ["categorical", "choice", "permutation"]

# ---- permutations ----------------------------------------------------------------------------------------------------


def permutation(
    key: Any, x: Any, axis: int = 0, independent: bool = False, *, out_sharding: Any = None
) -> Any:
    """Returns an array in random order, or the numbers below ``x``.

    Args:
        key: one key.
        x: an array or an integer.
        axis: along which it is reordered.
        independent: whether each row gets its own order.
        out_sharding: how the result is sharded.

    Raises:
        TypeError: where ``x`` is a scalar and no integer.
    """
    key = single_key("permutation", key)
    no_sharding("permutation", out_sharding)
    check_arraylike("permutation", x)
    axis = canonicalize_axis(axis, np.ndim(x) or 1)
    if not np.ndim(x):
        if not dtypes.issubdtype(dtypes.dtype(x), np.integer):
            raise TypeError("x must be an integer or at least 1-dimensional")
        return _shuffle(key, jnp.arange(int(concrete(x, "argument x of jax.random.permutation()"))), axis)
    if independent or np.ndim(x) == 1:
        return _shuffle(key, x, axis)
    order = _shuffle(key, jnp.arange(np.shape(x)[axis]), 0)
    return jnp.take(x, order, axis, unique_indices=True)


@functools.partial(jit, static_argnums=(2,))
def _shuffle(key, x, axis):
    """Sorts by random keys, so often that all of them being different is nearly sure."""
    power = 3
    rounds = math.ceil(power * math.log(max(1, x.size)) / math.log(2**32 - 1))
    for _ in range(rounds):
        key, sub = split(key)
        _, x = lax.sort_key_val(random_bits(sub, 32, x.shape), x, axis)
    return x


# ---- choices ---------------------------------------------------------------------------------------------------------


def choice(
    key: Any,
    a: Any,
    shape: Any = (),
    replace: bool = True,
    p: Any = None,
    axis: int = 0,
    mode: str | None = None,
) -> Any:
    """Returns elements of an array, or numbers below ``a``.

    Args:
        key: one key.
        a: an array or an integer.
        shape: the shape that stands for ``axis`` in the result.
        replace: whether one element may be chosen more than once.
        p: the elements' probabilities, by default equal ones.
        axis: along which they are chosen.
        mode: how precise the choice by probabilities without replacement is; see ``gumbel``.

    Raises:
        TypeError: where ``shape`` is no shape.
        ValueError: where there are too few elements, or ``p`` does not fit them.
    """
    key = single_key("choice", key)
    shape = canonicalize_shape(shape)
    check_arraylike("choice", a)
    if np.ndim(a):
        a = jnp.asarray(a)
        axis = canonicalize_axis(axis, a.ndim)
        count, result_shape = a.shape[axis], (*a.shape[:axis], *shape, *a.shape[axis + 1 :])
    else:
        a = count = int(concrete(a, "The error occurred in jax.random.choice()"))
        axis = canonicalize_axis(axis, 1)
        result_shape = shape
    draws = math.prod(shape)
    if count <= 0 and draws:
        raise ValueError("a must be greater than 0 unless no samples are taken")
    if not replace and draws > count:
        raise ValueError(
            f"Cannot take a larger sample (size {draws}) than population (size {count}) when 'replace=False'"
        )
    if not draws:
        return jnp.zeros(shape, dtype=dtypes.dtype(a, canonicalize=True))
    if p is None and not replace:
        chosen = permutation(key, a, axis)[(slice(None),) * axis + (slice(draws),)]
    else:
        if p is None:
            places = randint(key, shape, 0, count)
        else:
            places = _choose_by(key, p, count, draws, shape, replace, mode)
        chosen = jnp.take(a, places, axis) if np.ndim(a) else places
    return lax.reshape(chosen, result_shape)


def _choose_by(
    key: Any, p: Any, count: int, draws: int, shape: tuple[int, ...], replace: bool, mode: str | None
) -> Any:
    """Returns places, chosen with probabilities."""
    check_arraylike("choice", p)
    (p,) = promote_dtypes_inexact(p)
    if p.shape != (count,):
        raise ValueError(
            "p must be None or a 1D vector with the same size as a.shape[axis]. "
            f"p has shape {p.shape} and a.shape[axis] is {count}."
        )
    if replace:
        below = jnp.cumsum(p)
        drawn = below[-1] * (1 - uniform(key, shape, below.dtype))
        return jnp.searchsorted(below, drawn).astype(int)
    scores = gumbel(key, (count,), p.dtype, mode) + jnp.log(p)
    return lax.top_k(scores, draws)[1].astype(int)


# ---- categories ------------------------------------------------------------------------------------------------------


def categorical(
    key: Any,
    logits: Any,
    axis: int = -1,
    shape: Any = None,
    replace: bool = True,
    mode: str | None = None,
    *,
    out_sharding: Any = None,
) -> Any:
    """Returns categories, likely in proportion to the exponentials of ``logits``.

    Args:
        key: one key.
        logits: logarithms of the categories' probabilities, up to a constant.
        axis: along which the categories lie.
        shape: the result's shape, by default that of ``logits`` without ``axis``.
        replace: whether one category may be drawn more than once.
        mode: how precise the draws are; see ``gumbel``.
        out_sharding: how the result is sharded.

    Raises:
        ValueError: where more categories are wanted than there are.
    """
    key = single_key("categorical", key)
    no_sharding("categorical", out_sharding)
    check_arraylike("categorical", logits)
    logits = jnp.asarray(logits)
    if axis >= 0:
        axis -= logits.ndim
    batch = tuple(np.delete(logits.shape, axis))
    shape = batch if shape is None else _categorical_shape(shape, batch)
    prefix = shape[: len(shape) - len(batch)]
    if replace:
        inner = list(shape[len(shape) - len(batch) :])
        inner.insert(axis % logits.ndim, logits.shape[axis])
        noise = gumbel(key, (*prefix, *inner), logits.dtype, mode)
        return jnp.argmax(noise + lax.expand_dims(logits, range(len(prefix))), axis=axis)
    logits = logits + gumbel(key, logits.shape, logits.dtype, mode)
    draws = math.prod(prefix)
    if draws > logits.shape[axis]:
        raise ValueError(
            f"Number of samples without replacement ({draws}) cannot exceed number of categories "
            f"({logits.shape[axis]})."
        )
    _, places = lax.top_k(jnp.moveaxis(logits, axis, -1), draws)
    last = places.ndim - 1
    return lax.reshape(places, shape, (last, *range(last)))


def _categorical_shape(shape: Any, batch: tuple[int, ...]) -> tuple[int, ...]:
    try:
        return checked_shape("categorical", shape, batch)
    except ValueError as error:
        if "Incompatible" not in str(error):
            raise
        # JAX shows the sizes as NumPy's integers.
        raise ValueError(
            f"Incompatible shapes for broadcasting: shapes={[canonicalize_shape(shape), batch]}"
        ) from None
