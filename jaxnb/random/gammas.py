"""The gamma distribution and those made of it.

Source: Marsaglia, Tsang, "A simple method for generating gamma variables", ACM TOMS 26 (2000).
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb import numpy as jnp
from jaxnb.engine.api.jit import jit
from jaxnb.engine.api.vmap import vmap
from jaxnb.engine.core import dtypes
from jaxnb.engine.core.ad import Zero
from jaxnb.engine.core.avals import ShapedArray
from jaxnb.engine.core.rules import Undefined, composite, define, instantiate_zeros
from jaxnb.engine.ops.axes import canonicalize_shape
from jaxnb.engine.transforms.batch import to_dim
from jaxnb.random.arguments import (
    broadcast_parameters,
    float_dtype,
    no_sharding,
    prepared,
    single_key,
    to_shape,
)
from jaxnb.random.keys import split
from jaxnb.random.normals import normal
from jaxnb.random.transformed import exponential
from jaxnb.random.uniforms import uniform

__all__ = [
    "beta", "chisquare", "dirichlet", "f", "gamma", "loggamma", "random_gamma_p", "t",
]  # fmt: skip

# ---- one number ------------------------------------------------------------------------------------------------------


def _one_gamma(key: Any, alpha: Any, log_space: bool) -> Any:
    """Returns one gamma number, or its logarithm.

    The method needs ``alpha`` not below one; a number for a smaller one is that for ``alpha + 1`` times a power.
    """
    dtype = dtypes.dtype(alpha)

    def number(x: float) -> np.ndarray:
        return np.array(x, dtype)

    zero, one, minus_one = number(0), number(1), number(-1)
    third, half, squeeze = number(1.0 / 3), number(0.5), number(0.0331)
    large = lax.ge(alpha, one)
    own = alpha
    alpha = lax.select(large, alpha, lax.add(alpha, one))
    d = lax.sub(alpha, third)
    c = lax.div(third, lax.sqrt(d))

    def refused(state: Any) -> Any:
        _, x2, v, u = state
        return lax.bitwise_and(
            lax.ge(u, lax.sub(one, lax.mul(squeeze, lax.mul(x2, x2)))),
            lax.ge(lax.log(u), lax.add(lax.mul(x2, half), lax.mul(d, lax.add(lax.sub(one, v), lax.log(v))))),
        )

    def normal_with_positive_cube(state: Any) -> Any:
        key, sub = split(state[0])
        x = normal(sub, (), dtype)
        return key, x, lax.add(one, lax.mul(x, c))

    def draw(state: Any) -> Any:
        key, x_key, u_key = split(state[0], 3)
        _, x, v = lax.while_loop(
            lambda s: lax.le(s[2], zero), normal_with_positive_cube, (x_key, zero, minus_one)
        )
        return key, lax.mul(x, x), lax.mul(lax.mul(v, v), v), uniform(u_key, (), dtype)

    key, sub = split(key)
    _, _, v, _ = lax.while_loop(refused, draw, (key, zero, one, number(2)))
    if log_space:
        log_samples = lax.neg(exponential(sub, (), dtype))
        unneeded = lax.bitwise_or(large, lax.eq(log_samples, zero))
        boost = lax.select(unneeded, zero, lax.mul(log_samples, lax.div(one, own)))
        return lax.add(lax.add(lax.log(d), lax.log(v)), boost)
    samples = lax.sub(one, uniform(sub, (), dtype))
    boost = lax.select(large, one, lax.pow(samples, lax.div(one, own)))
    return lax.mul(lax.mul(d, v), boost)


def _all_gammas(keys: Any, a: Any, *, log_space: bool) -> Any:
    shape = np.shape(a)
    count = math.prod(shape[np.ndim(keys) :])
    keys = lax.reshape(keys, (math.prod(np.shape(keys)),))
    keys = vmap(lambda k: split(k, count))(keys)
    keys = lax.reshape(keys, (math.prod(keys.shape),))
    out = vmap(lambda k, alpha: _one_gamma(k, alpha, log_space))(keys, lax.reshape(a, (math.prod(shape),)))
    return lax.reshape(out, shape)


def _gamma_gradient(sample: Any, a: Any, log_space: bool) -> Any:
    """Returns the derivative of samples in ``a``, their random numbers held fixed; one after the other."""
    samples = lax.reshape(sample, (math.prod(np.shape(sample)),))
    alphas = lax.reshape(a, (math.prod(np.shape(a)),))
    gradient: Any = lax.random_gamma_grad
    if log_space:
        samples = lax.exp(samples)
        tiny = lax.full_like(samples, dtypes.finfo(samples.dtype).tiny)
        samples = lax.select(lax.eq(samples, np.array(0, samples.dtype)), tiny, samples)

        def of_logarithm(alpha: Any, x: Any) -> Any:
            return lax.div(lax.random_gamma_grad(alpha, x), x)

        gradient = of_logarithm

    grads = lax.map(lambda ax: gradient(*ax), (alphas, samples))
    return lax.reshape(grads, np.shape(a))


# ---- the primitive ---------------------------------------------------------------------------------------------------


def _gamma_abstract(keys: ShapedArray, a: ShapedArray, *, log_space: bool) -> ShapedArray:
    return ShapedArray(a.shape, a.dtype)


def _gamma_jvp(primals: Any, tangents: Any, *, log_space: bool) -> tuple[Any, Any]:
    keys, a = primals
    out = random_gamma_p.bind(keys, a, log_space=log_space)
    if type(tangents[1]) is Zero:
        return out, Zero.from_primal_value(out)
    gradient = _gamma_gradient(out, a, log_space)
    return out, lax.mul(instantiate_zeros(tangents[1]), gradient)


def _gamma_batch(args: Any, dims: Any, *, log_space: bool) -> tuple[Any, int]:
    size = next(np.shape(x)[d] for x, d in zip(args, dims, strict=True) if d is not None)
    keys, a = (to_dim(x, d, size, 0) for x, d in zip(args, dims, strict=True))
    return random_gamma_p.bind(keys, a, log_space=log_space), 0


random_gamma_p = define(
    "random_gamma",
    abstract=_gamma_abstract,
    lower=composite(_all_gammas),
    jvp=_gamma_jvp,
    transpose=Undefined("samples are not linear in their parameters"),
    batch=_gamma_batch,
    doc="gamma numbers, or their logarithms",
)

# ---- gamma and what it makes -----------------------------------------------------------------------------------------


def gamma(key: Any, a: Any, shape: Any = None, dtype: Any = None, *, out_sharding: Any = None) -> Any:
    """Returns gamma numbers of scale one.

    Args:
        key: one key.
        a: the shape parameter.
        shape: the result's shape, by default that of ``a``.
        dtype: a float type.
        out_sharding: how the result is sharded.

    Raises:
        ValueError: where ``dtype`` is of another kind.
    """
    return _sample("gamma", key, a, shape, dtype, out_sharding, False)


def loggamma(key: Any, a: Any, shape: Any = None, dtype: Any = None, *, out_sharding: Any = None) -> Any:
    """Returns logarithms of gamma numbers, exact also where the numbers would be zero.

    Args:
        key: one key.
        a: the shape parameter.
        shape: the result's shape, by default that of ``a``.
        dtype: a float type.
        out_sharding: how the result is sharded.

    Raises:
        ValueError: where ``dtype`` is of another kind.
    """
    return _sample("loggamma", key, a, shape, dtype, out_sharding, True)


def _sample(name: str, key: Any, a: Any, shape: Any, dtype: Any, out_sharding: Any, log_space: bool) -> Any:
    # Both say that they are `gamma` where the type is wrong.
    key, shape, dtype = prepared(
        name, key, shape, dtype, out_sharding, to_dtype=lambda _, dtype: float_dtype("gamma", dtype)
    )
    return _gamma(key, a, shape, dtype, log_space)


@functools.partial(jit, static_argnums=(2, 3, 4))
def _gamma(key, a, shape, dtype, log_space=False):
    shape = broadcast_parameters("gamma", shape, np.shape(a))
    a = to_shape(lax.convert_element_type(a, dtype), shape)
    return random_gamma_p.bind(key, a, log_space=log_space)


def beta(key: Any, a: Any, b: Any, shape: Any = None, dtype: Any = None, *, out_sharding: Any = None) -> Any:
    """Returns beta numbers.

    Args:
        key: one key.
        a: the first parameter.
        b: the second parameter.
        shape: the result's shape, by default the one that the parameters broadcast to.
        dtype: a float type.
        out_sharding: how the result is sharded.

    Raises:
        ValueError: where ``dtype`` is of another kind.
    """
    key, shape, dtype = prepared("beta", key, shape, dtype, out_sharding)
    return _beta(key, a, b, shape, dtype)


@functools.partial(jit, static_argnums=(3, 4))
def _beta(key, a, b, shape, dtype):
    shape = broadcast_parameters("beta", shape, np.shape(a), np.shape(b))
    a = lax.convert_element_type(a, dtype)
    b = lax.convert_element_type(b, dtype)
    a_key, b_key = split(key)
    a = to_shape(a, shape)
    b = to_shape(b, shape)
    log_a = loggamma(a_key, a, shape, dtype)
    log_b = loggamma(b_key, b, shape, dtype)
    # The greater one becomes one: no overflow.
    greater = lax.max(log_a, log_b)
    share_a = jnp.exp(log_a - greater)
    share_b = jnp.exp(log_b - greater)
    return share_a / (share_a + share_b)


def dirichlet(key: Any, alpha: Any, shape: Any = None, dtype: Any = None, *, out_sharding: Any = None) -> Any:
    """Returns vectors of shares that sum to one.

    Args:
        key: one key.
        alpha: the concentrations, along the last axis.
        shape: the result's shape but its last axis.
        dtype: a float type.
        out_sharding: how the result is sharded.

    Raises:
        ValueError: where ``dtype`` is of another kind, or ``alpha`` is a scalar.
    """
    key, shape, dtype = prepared("dirichlet", key, shape, dtype, out_sharding)
    return _dirichlet(key, alpha, shape, dtype)


@functools.partial(jit, static_argnums=(2, 3))
def _dirichlet(key, alpha, shape, dtype):
    if np.ndim(alpha) < 1:
        raise ValueError(f"dirichlet requires alpha.ndim >= 1, got alpha.ndim == {np.ndim(alpha)}")
    shape = broadcast_parameters("dirichlet", shape, np.shape(alpha)[:-1])
    alpha = lax.convert_element_type(alpha, dtype)
    logs = loggamma(key, alpha, (*shape, np.shape(alpha)[-1]), dtype)
    return _shares(logs)


def _shares(logs: Any) -> Any:
    """Returns the exponentials of logarithms, divided by their sum along the last axis."""
    greatest = lax.stop_gradient(jnp.max(logs, -1, keepdims=True, initial=-jnp.inf))
    numbers = jnp.exp(logs - greatest)
    return numbers / jnp.sum(numbers, -1, keepdims=True)


def chisquare(key: Any, df: Any, shape: Any = None, dtype: Any = None, *, out_sharding: Any = None) -> Any:
    """Returns chi-square numbers.

    Args:
        key: one key.
        df: the degrees of freedom.
        shape: the result's shape, by default that of ``df``.
        dtype: a float type.
        out_sharding: how the result is sharded.

    Raises:
        ValueError: where ``dtype`` is of another kind.
    """
    key, shape, dtype = prepared("chisquare", key, shape, dtype, out_sharding)
    return _chisquare(key, df, shape, dtype)


@functools.partial(jit, static_argnums=(2, 3))
def _chisquare(key, df, shape, dtype):
    shape = broadcast_parameters("chisquare", shape, np.shape(df))
    df = lax.convert_element_type(df, dtype)
    two = np.array(2, dtype)
    logs = loggamma(key, lax.div(df, two), shape, dtype)
    return lax.mul(jnp.exp(logs), two)


def f(
    key: Any,
    dfnum: Any,
    dfden: Any,
    shape: Any = None,
    dtype: Any = None,
    *,
    out_sharding: Any = None,
) -> Any:
    """Returns numbers of the F distribution.

    Args:
        key: one key.
        dfnum: the numerator's degrees of freedom.
        dfden: the denominator's.
        shape: the result's shape, by default the one that the parameters broadcast to.
        dtype: a float type.
        out_sharding: how the result is sharded.

    Raises:
        ValueError: where ``dtype`` is of another kind.
    """
    key, shape, dtype = prepared("f", key, shape, dtype, out_sharding)
    return _f(key, dfnum, dfden, shape, dtype)


@functools.partial(jit, static_argnums=(3, 4))
def _f(key, dfnum, dfden, shape, dtype):
    shape = broadcast_parameters("f", shape, np.shape(dfden), np.shape(dfnum))
    dfden = lax.convert_element_type(dfden, dtype)
    dfnum = lax.convert_element_type(dfnum, dtype)
    den_key, num_key = split(key)
    num = chisquare(num_key, dfnum, shape, dtype)
    den = chisquare(den_key, dfden, shape, dtype)
    return (num / dfnum) / (den / dfden)


def t(key: Any, df: Any, shape: Any = None, dtype: Any = None, *, out_sharding: Any = None) -> Any:
    """Returns numbers of Student's t distribution.

    Args:
        key: one key.
        df: the degrees of freedom.
        shape: the result's shape, by default that of ``df``.
        dtype: a float type.
        out_sharding: how the result is sharded.

    Raises:
        ValueError: where ``dtype`` is of another kind.
    """
    key, shape, dtype = prepared("t", key, shape, dtype, out_sharding)
    return _t(key, df, shape, dtype)


@functools.partial(jit, static_argnums=(2, 3))
def _t(key, df, shape, dtype):
    shape = broadcast_parameters("t", shape, np.shape(df))
    df = lax.convert_element_type(df, dtype)
    normal_key, gamma_key = split(key)
    n = normal(normal_key, shape, dtype)
    half = lax.div(df, np.array(2, dtype))
    g = gamma(gamma_key, half, shape, dtype)
    return n * jnp.sqrt(half / g)
