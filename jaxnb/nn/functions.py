"""Activation functions and normalisations under JAX's names.

Lives here: functions of arrays alone. Initializers are in ``initializers.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb import numpy as jnp
from jaxnb.engine.api.jit import jit
from jaxnb.engine.control.custom_rules import custom_jvp
from jaxnb.engine.core import dtypes
from jaxnb.numpy import promotion

__all__ = [
    "celu",
    "elu",
    "gelu",
    "glu",
    "hard_sigmoid",
    "hard_silu",
    "hard_swish",
    "hard_tanh",
    "identity",
    "leaky_relu",
    "log_sigmoid",
    "log_softmax",
    "mish",
    "one_hot",
    "relu",
    "relu6",
    "selu",
    "sigmoid",
    "silu",
    "soft_sign",
    "softmax",
    "softplus",
    "sparse_plus",
    "sparse_sigmoid",
    "squareplus",
    "standardize",
    "swish",
    "tanh",
]

Axis = int | Sequence[int] | None


@jit
def identity(x):
    """Returns ``x``."""
    return jnp.asarray(x)


@custom_jvp
@jit
def relu(x):
    """Returns ``max(x, 0)``; its derivative at 0 is 0."""
    return jnp.maximum(x, 0)


relu.defjvps(lambda t, ans, x: lax.select(x > 0, t, lax.full_like(t, 0)))


@custom_jvp
@jit
def relu6(x):
    """Returns ``min(max(x, 0), 6)``; its derivative at 0 and 6 is 0."""
    return jnp.minimum(jnp.maximum(x, 0), 6.0)


relu6.defjvps(lambda t, ans, x: lax.select((x > 0) & (x < 6), t, lax.full_like(t, 0)))


@jit
def squareplus(x, b=4):
    """Returns ``(x + sqrt(x**2 + b)) / 2``."""
    jnp.asarray(x)
    return jnp.divide(jnp.add(x, jnp.sqrt(jnp.add(jnp.square(x), b))), 2)


@jit
def softplus(x):
    """Returns ``log(1 + exp(x))``."""
    return jnp.logaddexp(x, 0)


@jit
def sparse_plus(x):
    """Returns 0 below -1, ``x`` above 1 and ``(x + 1)**2 / 4`` between them."""
    x = jnp.asarray(x)
    return jnp.where(x <= -1.0, 0.0, jnp.where(x >= 1.0, x, (x + 1.0) ** 2 / 4))


@jit
def soft_sign(x):
    """Returns ``x / (abs(x) + 1)``."""
    x = jnp.asarray(x)
    return x / (jnp.abs(x) + 1)


@partial(jit, inline=True)
def sigmoid(x):
    """Returns ``1 / (1 + exp(-x))``."""
    return lax.logistic(jnp.asarray(x))


@jit
def sparse_sigmoid(x):
    """Returns 0 below -1, 1 above 1 and ``(x + 1) / 2`` between them."""
    return 0.5 * jnp.clip(x + 1.0, 0.0, 2.0)


@jit
def silu(x):
    """Returns ``x * sigmoid(x)``."""
    x = jnp.asarray(x)
    return x * sigmoid(x)


swish = silu


@jit
def mish(x):
    """Returns ``x * tanh(softplus(x))``."""
    x = jnp.asarray(x)
    return x * jnp.tanh(softplus(x))


@jit
def log_sigmoid(x):
    """Returns ``log(sigmoid(x))``."""
    x = jnp.asarray(x)
    return -softplus(-x)


@jit
def elu(x, alpha=1.0):
    """Returns ``x`` where positive, else ``alpha * (exp(x) - 1)``."""
    x = jnp.asarray(x)
    return jnp.where(x > 0, x, alpha * jnp.expm1(jnp.where(x > 0, 0.0, x)))


@jit
def leaky_relu(x, negative_slope=1e-2):
    """Returns ``x`` where positive, else ``negative_slope * x``."""
    x = jnp.asarray(x)
    return jnp.where(x >= 0, x, negative_slope * x)


@jit
def hard_tanh(x):
    """Returns ``x`` limited to the interval from -1 to 1."""
    x = jnp.asarray(x)
    return jnp.where(x > 1, 1, jnp.where(x < -1, -1, x))


@jit
def celu(x, alpha=1.0):
    """Returns ``max(x, 0) + alpha * (exp(min(x, 0) / alpha) - 1)``."""
    return jnp.maximum(x, 0.0) + alpha * jnp.expm1(jnp.minimum(x, 0.0) / alpha)


@jit
def selu(x):
    """Returns the self-normalising exponential linear unit."""
    alpha = 1.6732632423543772848170429916717
    scale = 1.0507009873554804934193349852946
    return scale * elu(x, alpha)


def tanh(x, /):
    """Returns the hyperbolic tangent."""
    return jnp.tanh(x)


@partial(jit, static_argnames=("approximate",), inline=True)
def gelu(x, approximate: bool = True):
    """Returns ``x`` times the normal distribution's cumulative function at ``x``.

    Args:
        x: an array.
        approximate: whether the function is approximated by a tanh.
    """
    (x,) = promotion.promote_args_inexact("gelu", x)
    if approximate:
        sqrt_2_over_pi = np.sqrt(2 / np.pi).astype(x.dtype)
        cdf = 0.5 * (1.0 + jnp.tanh(sqrt_2_over_pi * (x + 0.044715 * (x**3))))
        return x * cdf
    sqrt_half = np.sqrt(0.5).astype(x.dtype)
    return jnp.array(0.5 * x * (lax.erfc(-x * sqrt_half)), dtype=x.dtype)


@partial(jit, static_argnames=("axis",))
def glu(x, axis: int = -1):
    """Returns one half of ``x`` times the sigmoid of the other half, along an axis of even size."""
    x = jnp.asarray(x)
    size = x.shape[axis]
    assert size % 2 == 0, "axis size must be divisible by 2"
    x1, x2 = jnp.split(x, 2, axis)
    return x1 * sigmoid(x2)


@jit
def hard_sigmoid(x):
    """Returns ``relu6(x + 3) / 6``."""
    return relu6(x + 3.0) / 6.0


@jit
def hard_silu(x):
    """Returns ``x * hard_sigmoid(x)``."""
    x = jnp.asarray(x)
    return x * hard_sigmoid(x)


hard_swish = hard_silu


def softmax(x, axis: Axis = -1, where=None):
    """Returns ``exp(x)`` divided by its sum along an axis.

    Args:
        x: an array.
        axis: the axis or axes of the sum; None for all.
        where: which elements count; the others are 0 in the result.
    """
    x_max = jnp.max(x, axis, where=where, initial=-np.inf, keepdims=True)
    x_safe = x if where is None else jnp.where(where, x, -np.inf)
    unnormalized = jnp.exp(x_safe - lax.stop_gradient(x_max))
    result = unnormalized / jnp.sum(unnormalized, axis, where=where, keepdims=True)
    return result if where is None else jnp.where(where, result, 0)


@partial(jit, static_argnames=("axis",))
def log_softmax(x, axis: Axis = -1, where=None):
    """Returns the logarithm of ``softmax``, computed without overflow; see ``softmax`` for the arguments."""
    x_arr = jnp.asarray(x)
    x_max = jnp.max(x_arr, axis, where=where, initial=-np.inf, keepdims=True)
    x_safe = x_arr if where is None else jnp.where(where, x_arr, -np.inf)
    shifted = x_safe - lax.stop_gradient(x_max)
    shifted_logsumexp = jnp.log(jnp.sum(jnp.exp(shifted), axis, where=where, keepdims=True))
    result = shifted - shifted_logsumexp
    return result if where is None else jnp.where(where, result, -np.inf)


@partial(jit, static_argnames=("axis", "algorithm"))
def standardize(
    x, axis: Axis = -1, mean=None, variance=None, epsilon=1e-5, where=None, *, algorithm: str = "fast"
):
    """Returns ``(x - mean) / sqrt(variance + epsilon)``, mean and variance taken along an axis unless given.

    Args:
        x: an array.
        axis: the axis or axes of mean and variance.
        mean: the mean to use.
        variance: the variance to use.
        epsilon: what is added to the variance.
        where: which elements count in mean and variance.
        algorithm: ``fast`` takes the variance as the mean of squares less the square of the mean.
    """
    if algorithm not in ("fast", "stable"):
        raise ValueError(f"algorithm must be 'fast' or 'stable', got {algorithm!r}")
    if mean is None:
        mean = jnp.mean(x, axis, keepdims=True, where=where)
    if variance is None:
        if algorithm == "stable":
            variance = jnp.mean(jnp.square(jnp.subtract(x, mean)), axis, keepdims=True, where=where)
        else:
            variance = jnp.clip(
                jnp.mean(jnp.square(x), axis, keepdims=True, where=where) - jnp.square(mean), min=0
            )
    return jnp.subtract(x, jnp.asarray(mean)) * lax.rsqrt(jnp.asarray(variance) + epsilon)


@partial(jit, static_argnames=("num_classes", "dtype", "axis"))
def _one_hot(x, num_classes: int, *, dtype: Any, axis: int):
    x_arr = jnp.asarray(x)
    output_pos_axis = axis % (x_arr.ndim + 1)
    lhs = jnp.expand_dims(x_arr, (output_pos_axis,))
    rhs_shape = [1] * x_arr.ndim
    rhs_shape.insert(output_pos_axis, num_classes)
    rhs = lax.broadcasted_iota(x_arr.dtype, tuple(rhs_shape), output_pos_axis)
    return (lhs == rhs).astype(dtype)


def one_hot(x, num_classes: int, *, dtype: Any = None, axis: int = -1):
    """Returns for each integer a vector with a 1 at its place and 0 elsewhere.

    Args:
        x: integers.
        num_classes: the vectors' length.
        dtype: the result's dtype, the default float by default.
        axis: where the vectors' axis stands in the result.
    """
    dtype = dtypes.canonicalize_dtype(np.float64) if dtype is None else np.dtype(dtype)
    return _one_hot(x, int(num_classes), dtype=dtype, axis=axis)
