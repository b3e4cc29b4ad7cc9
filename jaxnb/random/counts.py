"""Distributions of counts: Poisson, binomial and multinomial.

Small means are counted out by exponential waiting times, large ones drawn by transformed rejection with squeeze.
Source: Hörmann, "The transformed rejection method for generating Poisson random variables", Insurance: Mathematics and
Economics 12 (1993), and "The generation of binomial random variates", J. Statist. Comput. Simul. 46 (1993).
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb import numpy as jnp
from jaxnb.engine.api.jit import jit
from jaxnb.engine.core import dtypes
from jaxnb.engine.core.trace import shaped_aval
from jaxnb.engine.ops.axes import canonicalize_shape
from jaxnb.numpy.arguments import check_arraylike
from jaxnb.random.arguments import (
    broadcast_parameters,
    checked_shape,
    float_dtype,
    integer_dtype,
    no_sharding,
    single_key,
)
from jaxnb.random.keys import split
from jaxnb.random.uniforms import uniform
from jaxnb.xla.version import JAXLIB_VERSION

__all__ = ["binomial", "multinomial", "poisson"]

# ---- Poisson ---------------------------------------------------------------------------------------------------------


def poisson(key: Any, lam: Any, shape: Any = None, dtype: Any = None, *, out_sharding: Any = None) -> Any:
    """Returns Poisson counts of mean ``lam``.

    Args:
        key: one key, of the Threefry implementation.
        lam: the mean.
        shape: the result's shape, by default that of ``lam``.
        dtype: an integer type.
        out_sharding: how the result is sharded.

    Raises:
        NotImplementedError: where the key is of another implementation.
    """
    key = single_key("poisson", key)
    impl = shaped_aval(key).dtype._impl  # pyright: ignore[reportAttributeAccessIssue]
    if impl.name != "threefry2x32":
        raise NotImplementedError(f"`poisson` is only implemented for the threefry2x32 RNG, not {impl.name}")
    dtype = integer_dtype(dtype)
    shape = np.shape(lam) if shape is None else canonicalize_shape(shape)
    no_sharding("poisson", out_sharding)
    lam = jnp.broadcast_to(lam, shape)
    lam = lax.convert_element_type(lam, np.float32)
    return _poisson(key, lam, shape, dtype)


@functools.partial(jit, static_argnums=(2, 3))
def _poisson(key, lam, shape, dtype):
    # NaN is no small mean, but counting it out ends at once.
    small = lax.bitwise_or(lax.ne(lam, lam), lax.lt(lam, np.float32(10)))
    counted = lax.select(small, lam, lax.full_like(lam, 0.0))
    drawn = lax.select(small, lax.full_like(lam, 1e5), lam)
    most = dtype.type(np.iinfo(dtype).max)
    counts = lax.select(
        small,
        _poisson_knuth(key, counted, shape, dtype, most),
        _poisson_rejection(key, drawn, shape, dtype, most),
    )
    return lax.select(lax.eq(lam, np.float32(0)), lax.full_like(counts, 0), counts)


@functools.partial(jit, static_argnums=(2, 3, 4))
def _poisson_knuth(key, lam, shape, dtype, most):
    """Counts waiting times until they pass one: Knuth's method."""

    def counting(state: Any) -> Any:
        i, _, _, log_prod = state
        return (log_prod > -lam).any() & (i < most)

    def count_one(state: Any) -> Any:
        i, k, key, log_prod = state
        key, sub = split(key)
        k = lax.select(log_prod > -lam, k + 1, k)
        u = uniform(sub, shape, np.float32)
        return i + 1, k, key, log_prod + jnp.log(u)

    start = (0, lax.full(shape, 0, dtype), key, lax.full(shape, 0, np.float32))
    k = lax.while_loop(counting, count_one, start)[1]
    return (k - 1).astype(dtype)


@functools.partial(jit, static_argnums=(2, 3, 4))
def _poisson_rejection(key, lam, shape, dtype, most):
    log_lam = lax.log(lam)
    b = 0.931 + 2.53 * lax.sqrt(lam)
    a = -0.059 + 0.02483 * b
    inv_alpha = 1.1239 + 1.1328 / (b - 3.4)
    v_r = 0.9277 - 3.6224 / (b - 2)

    def drawing(state: Any) -> Any:
        i, _, accepted, _ = state
        return (~accepted).any() & (i < most)

    def draw(state: Any) -> Any:
        i, k_out, accepted, key = state
        key, u_key, v_key = split(key, 3)
        u = uniform(u_key, shape, lam.dtype) - 0.5
        v = uniform(v_key, shape, lam.dtype)
        u_shifted = 0.5 - abs(u)
        k = lax.floor((2 * a / u_shifted + b) * u + lam + 0.43)
        s = lax.log(v * inv_alpha / (a / (u_shifted * u_shifted) + b))
        t = -lam + k * log_lam - lax.lgamma(k + 1)
        at_once = (u_shifted >= 0.07) & (v <= v_r)
        refused = (k < 0) | ((u_shifted < 0.013) & (v > u_shifted))
        squeezed = s <= t
        accept = at_once | (~refused & squeezed)
        k_out = lax.select(accept, k, k_out)
        accepted = accepted | accept
        return i + 1, k_out, accepted, key

    start = (0, lax.full(shape, -1, lam.dtype), lax.full(shape, False, np.bool_), key)
    return lax.while_loop(drawing, draw, start)[1].astype(dtype)


# ---- binomial --------------------------------------------------------------------------------------------------------


def binomial(key: Any, n: Any, p: Any, shape: Any = None, dtype: Any = None) -> Any:
    """Returns how many of ``n`` trials succeed.

    Args:
        key: one key.
        n: how many trials.
        p: the probability of success.
        shape: the result's shape, by default the one that the parameters broadcast to.
        dtype: a float type.

    Raises:
        ValueError: where ``dtype`` is of another kind.
    """
    key = single_key("binomial", key)
    check_arraylike("binomial", n, p)
    dtype = float_dtype("binomial", dtype)
    return _binomial(key, n, p, None if shape is None else canonicalize_shape(shape), dtype)


@functools.partial(jit, static_argnums=(3, 4), inline=True)
def _binomial(key, n, p, shape, dtype):
    shape = broadcast_parameters("binomial", shape, np.shape(n), np.shape(p))
    n = lax.convert_element_type(n, dtypes.to_inexact_dtype(dtypes.dtype(n, canonicalize=True)))
    n, p = jnp.broadcast_to(n, shape), jnp.broadcast_to(p, shape)
    # The rarer outcome is counted.
    rare = p < 0.5
    q = lax.select(rare, p, 1.0 - p)
    no_count = jnp.isnan(n) | (n < 0.0)
    endless = jnp.isinf(n)
    q_is_nan, q_below = jnp.isnan(q), q < 0.0
    q = lax.select(q_is_nan | q_below, lax.full_like(q, 0.01), q)
    few = no_count | (n * q <= 10.0)
    n = lax.floor(n)
    waited = lax.select(few, n, lax.full_like(n, 0.0))
    drawn = lax.select(few, lax.full_like(n, 1e4), n)
    drawn_q = lax.select(few, lax.full_like(q, 0.5), q)
    most = dtype.type(dtypes.finfo(dtype).max)
    by_waiting = _binomial_by_waiting(key, waited, q, shape, dtype, most)
    by_rejection = _binomial_by_rejection(key, drawn, drawn_q, shape, dtype, most)
    out = lax.select(few, by_waiting, by_rejection)
    wrong = q_below | q_is_nan | no_count
    out = lax.select(wrong, lax.full_like(out, np.nan), out)
    out = lax.select(endless & ~wrong, lax.full_like(out, np.inf), out)
    return lax.select(rare | no_count | q_is_nan | endless, out, n.astype(dtype) - out)


def _binomial_by_waiting(key: Any, count: Any, q: Any, shape: Any, dtype: Any, most: Any) -> Any:
    """Adds up the waiting times between successes until they pass the number of trials."""
    log_miss = lax.log1p(-q)

    def waiting(state: Any) -> Any:
        i, _, waited, _ = state
        return (waited <= count).any() & (i < most)

    def wait(state: Any) -> Any:
        i, successes, waited, key = state
        sub, key = split(key)
        successes = lax.select(waited <= count, successes + 1, successes)
        u = uniform(sub, shape, count.dtype)
        waited = waited + lax.ceil(lax.log(u) / log_miss)
        return i + 1, successes, waited, key

    start = (0, lax.full_like(q, 0, count.dtype, shape), lax.full_like(q, 0, count.dtype, shape), key)
    return (lax.while_loop(waiting, wait, start)[1] - 1).astype(dtype)


_STIRLING = (
    0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.02079067210376509, 0.0166446911898211,
    0.0138761288230707, 0.0118967099458917, 0.0104112652619720, 0.00925546218271273, 0.00833056343336287,
)  # fmt: skip


def _stirling_rest(k: Any) -> Any:
    """Returns by how much ``log(k!)`` is more than Stirling's formula says."""
    table = jnp.array(_STIRLING, dtype=k.dtype)
    tabled = k <= 9
    k = lax.clamp(np.array(0.0, k.dtype), k, np.array(9.0, k.dtype))
    square = (k + 1) * (k + 1)
    series = (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1)
    return lax.select(tabled, table[lax.floor(k).astype(np.int32)], series)


def _binomial_by_rejection(key: Any, count: Any, q: Any, shape: Any, dtype: Any, most: Any) -> Any:
    """Draws from a hat around the distribution and refuses what is above it: the method BTRS."""
    deviation = lax.sqrt(count * q * (1 - q))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * q
    c = count * q + 0.5
    v_r = 0.92 - 4.2 / b
    r = q / (1 - q)
    alpha = (2.83 + 5.1 / b) * deviation
    m = lax.floor((count + 1) * q)

    def drawing(state: Any) -> Any:
        i, _, accepted, _ = state
        return (~accepted).any() & (i < most)

    def draw(state: Any) -> Any:
        i, k_out, accepted, key = state
        key, u_key, v_key = split(key, 3)
        u = uniform(u_key, shape, count.dtype)
        v = uniform(v_key, shape, count.dtype)
        u = u - 0.5
        us = 0.5 - abs(u)
        at_once = (us >= 0.07) & (v <= v_r)
        k = lax.floor((2 * a / us + b) * u + c)
        refused = (k < 0) | (k > count)
        v = lax.log(v * alpha / (a / (us * us) + b))
        bound = (
            (m + 0.5) * lax.log((m + 1) / (r * (count - m + 1)))
            + (count + 1) * lax.log((count - m + 1) / (count - k + 1))
            + (k + 0.5) * lax.log(r * (count - k + 1) / (k + 1))
            + _stirling_rest(m)
            + _stirling_rest(count - m)
            - _stirling_rest(k)
            - _stirling_rest(count - k)
        )
        below = v <= bound
        accept = at_once | (~refused & below)
        k_out = lax.select(accept, k, k_out)
        accepted = accepted | accept
        return i + 1, k_out, accepted, key

    start = (0, lax.full_like(q, -1, count.dtype, shape), lax.full_like(q, False, np.bool_, shape), key)
    return lax.while_loop(drawing, draw, start)[1].astype(dtype)


# ---- multinomial -----------------------------------------------------------------------------------------------------


def multinomial(
    key: Any, n: Any, p: Any, *, shape: Any = None, dtype: Any = None, unroll: int | bool = 1
) -> Any:
    """Returns how many of ``n`` trials end in each of several ways.

    Args:
        key: one key.
        n: how many trials.
        p: the probabilities, along the last axis.
        shape: the result's shape; for newer JAX but its last axis.
        dtype: the element type, by default the widest float type in use.
        unroll: how many ways one step of the loop takes.
    """
    key = single_key("multinomial", key)
    check_arraylike("multinomial", n, p)
    dtype = dtypes.check_user_dtype_supported(float if dtype is None else dtype)
    n = lax.convert_element_type(n, dtypes.to_inexact_dtype(dtypes.dtype(n, canonicalize=True)))
    p = lax.convert_element_type(p, dtypes.to_inexact_dtype(dtypes.dtype(p, canonicalize=True)))
    outer, whole = _multinomial_shapes(np.shape(n), np.shape(p), shape)
    n, p = jnp.broadcast_to(n, outer), jnp.broadcast_to(p, whole)
    p = jnp.moveaxis(p, -1, 0)
    remaining = lax.cumsum(p, 0, reverse=True)
    ratios = p / jnp.where(remaining == 0, 1, remaining)
    keys = split(key, ratios.shape[0])

    def one_way(left: Any, ratio_and_key: Any) -> Any:
        ratio, key = ratio_and_key
        count = binomial(key, left, ratio.clip(0, 1), dtype=left.dtype)
        return left - count, count

    _, counts = lax.scan(one_way, n, (ratios, keys), unroll=unroll)
    return lax.convert_element_type(jnp.moveaxis(counts, 0, -1), dtype)


def _multinomial_shapes(n: Any, p: Any, shape: Any) -> tuple[Any, Any]:
    """Returns the shapes of the numbers of trials and of the probabilities."""
    if JAXLIB_VERSION < (0, 12):
        whole = p if shape is None else canonicalize_shape(shape)
        return whole[:-1], whole
    ways = p[-1]
    outer = p[:-1] if shape is None else checked_shape("multinomial", shape, n, p[:-1])
    return outer, (*outer, ways)
