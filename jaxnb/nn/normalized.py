"""Functions of the elements along an axis: softmax and its kin, standardize, glu, one_hot."""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.base.config import softmax_custom_jvp
from jaxnb.engine.api.jit import jit
from jaxnb.engine.control.custom_rules import custom_jvp
from jaxnb.engine.ops.axes import canonicalize_axis
from jaxnb.nn.activations import sigmoid
from jaxnb.numpy.arguments import concrete, ensure_arraylike
from jaxnb.numpy.creation import asarray
from jaxnb.numpy.elementary import exp, log, square
from jaxnb.numpy.joining import split
from jaxnb.numpy.limits import clip
from jaxnb.numpy.log_sum_exp import logsumexp
from jaxnb.numpy.means import mean as mean_of
from jaxnb.numpy.means import reduced_count
from jaxnb.numpy.reductions import max, sum
from jaxnb.numpy.selection import choose


def _shifted(x: Any, axis: Any, where: Any, initial: Any = -np.inf) -> tuple[Any, Any]:
    """The elements that count, and the greatest along the axis."""
    greatest = max(x, axis, where=where, initial=initial, keepdims=True)
    return (x if where is None else choose(where, x, initial)), greatest


def _shares(terms: Any, axis: Any, where: Any) -> Any:
    """The terms divided by their sum."""
    shares = terms / sum(terms, axis, where=where, keepdims=True)
    return shares if where is None else choose(where, shares, 0)


@functools.partial(jit, static_argnames=("axis",))
def log_softmax(x, axis=-1, where=None):
    """``log(softmax(x))``; arguments as those of ``softmax``."""
    x = ensure_arraylike("log_softmax", x)
    kept, greatest = _shifted(x, axis, where)
    shifted = kept - lax.stop_gradient(greatest)
    out = shifted - log(sum(exp(shifted), axis, where=where, keepdims=True))
    return out if where is None else choose(where, out, -np.inf)


def softmax(x, axis=-1, where=None):
    """``e^x`` divided by its sum over the axis.

    Args:
        x: the exponents.
        axis: axis or axes whose elements sum to one.
        where: truth values; elements where it is False count for nothing and are 0.
    """
    if softmax_custom_jvp.value:
        return _softmax(x, axis, where, -np.inf)
    kept, greatest = _shifted(x, axis, where)
    return _shares(exp(kept - lax.stop_gradient(greatest)), axis, where)


@functools.partial(custom_jvp, nondiff_argnums=(1,))
def _softmax(x, axis, where, initial):
    kept, greatest = _shifted(x, axis, where, initial)
    return _shares(exp(kept - greatest), axis, where)


@_softmax.defjvp
def _softmax_jvp(axis, primals, tangents):
    (x, where, initial), (t, _, _) = primals, tangents
    y = _softmax(x, axis, where, initial)
    return y, y * (t - sum(y * t, axis, where=where, keepdims=True))


@functools.partial(jit, static_argnames=("axis", "keepdims"))
def logmeanexp(x, axis=None, where=None, keepdims=False):
    """``log(mean(e^x))`` over the axes."""
    total: Any = logsumexp(x, axis=axis, where=where, keepdims=keepdims)
    return total - log(reduced_count(x, axis, where, total.dtype, keepdims))


@functools.partial(jit, static_argnames=("axis", "algorithm"))
def standardize(x, axis=-1, mean=None, variance=None, epsilon=1e-5, where=None, *, algorithm="fast"):
    """The elements moved and scaled to mean 0 and variance 1 along the axis.

    Args:
        x: array.
        axis: axis or axes.
        mean: the mean, if known.
        variance: the variance, if known.
        epsilon: what is added to the variance.
        where: truth values; elements where it is False count for nothing.
        algorithm: the variance as the mean of squares less the square of the mean ("fast"), or as the mean of
            squared differences ("stable").
    """
    x = ensure_arraylike("standardize", x)
    if mean is None:
        mean = mean_of(x, axis, keepdims=True, where=where)
    if variance is None:
        if algorithm == "fast":
            # rounding may make the difference negative
            variance = clip(mean_of(square(x), axis, keepdims=True, where=where) - square(mean), 0)
        elif algorithm == "stable":
            variance = mean_of(square(x - mean), axis, keepdims=True, where=where)
        else:
            raise ValueError(f"Unknown algorithm {algorithm!r}. Expected 'fast' or 'stable'.")
    return lax.mul(x - mean, lax.rsqrt(variance + epsilon))


@functools.partial(jit, static_argnames=("axis",))
def glu(x, axis=-1):
    """The first half along the axis, times the sigmoid of the second."""
    x = ensure_arraylike("glu", x)
    if x.shape[axis] % 2:
        raise AssertionError("axis size must be divisible by 2")
    first, second = split(x, 2, axis)
    return first * sigmoid(second)


@functools.partial(jit, static_argnames=("num_classes", "dtype", "axis"))
def _one_hot(x, num_classes, *, dtype, axis):
    try:
        place = canonicalize_axis(operator.index(axis), x.ndim + 1)
    except TypeError:
        raise NameError(f"unbound axis name: {axis}") from None
    shape = [1] * (x.ndim + 1)
    shape[place] = num_classes
    wanted = lax.expand_dims(x, (place,))
    return (wanted == lax.broadcasted_iota(x.dtype, shape, place)).astype(dtype)


def one_hot(x, num_classes, *, dtype=None, axis=-1):
    """For each class, 1 where ``x`` is it, else 0, along a new axis.

    Args:
        x: numbers of classes; one that is no class gives zeros alone.
        num_classes: how many classes there are.
        dtype: element type; the default floating one by default.
        axis: where the new axis is.
    """
    size = concrete(num_classes, "The error arose in jax.nn.one_hot argument `num_classes`.")
    dtype = float if dtype is None else dtype
    return _one_hot(asarray(x), operator.index(size), dtype=dtype, axis=axis)
