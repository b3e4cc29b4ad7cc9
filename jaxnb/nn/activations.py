"""Activation functions of one element at a time.

Those over an axis (softmax and its kin) are in ``normalized.py``.
"""

from __future__ import annotations

import functools

import numpy as np

from jaxnb import lax
from jaxnb.engine.api.jit import jit
from jaxnb.engine.control.custom_rules import custom_jvp
from jaxnb.numpy.arguments import check_arraylike, ensure_arraylike, promote_dtypes_inexact
from jaxnb.numpy.arithmetic import greater_of, smaller_of
from jaxnb.numpy.creation import array
from jaxnb.numpy.elementary import exp, expm1, log, log1p, sqrt, square
from jaxnb.numpy.elementary import tanh as tanh
from jaxnb.numpy.joining import split
from jaxnb.numpy.limits import clip
from jaxnb.numpy.log_sums import log_sum
from jaxnb.numpy.selection import choose

_inlined = functools.partial(jit, inline=True)


@jit
def identity(x):
    """The argument."""
    return ensure_arraylike("identity", x)


@custom_jvp
@jit
def relu(x):
    """``max(x, 0)``, with derivative 0 at 0."""
    return greater_of(x, 0)


relu.defjvps(lambda g, ans, x: lax.select(x > 0, g, lax.full_like(g, 0)))


@custom_jvp
@jit
def relu6(x):
    """``min(max(x, 0), 6)``, with derivative 0 at both ends."""
    return smaller_of(greater_of(x, 0), 6.0)


relu6.defjvps(lambda g, ans, x: lax.select((x > 0) & (x < 6), g, lax.full_like(g, 0)))


@jit
def squareplus(x, b=4):
    """``(x + sqrt(x² + b)) / 2``, a smooth relu made of algebra alone."""
    x, b = ensure_arraylike("squareplus", x, b)
    return (x + sqrt(square(x) + b)) / 2


@jit
def softplus(x):
    """``log(1 + e^x)``, a smooth relu."""
    return log_sum(x, 0)


@jit
def sparse_plus(x):
    """0 up to -1, ``x`` from 1 on, and a parabola between."""
    x = ensure_arraylike("sparse_plus", x)
    return choose(x <= -1.0, 0.0, choose(x >= 1.0, x, (x + 1.0) ** 2 / 4))


@jit
def soft_sign(x):
    """``x / (|x| + 1)``."""
    x = ensure_arraylike("soft_sign", x)
    return x / (abs(x) + 1)


@_inlined
def sigmoid(x):
    """``1 / (1 + e^-x)``."""
    return lax.logistic(x)


@jit
def sparse_sigmoid(x):
    """0 up to -1, 1 from 1 on, and a line between."""
    return 0.5 * clip(x + 1.0, 0.0, 2.0)


@jit
def silu(x):
    """``x · sigmoid(x)``."""
    x = ensure_arraylike("silu", x)
    return x * sigmoid(x)


swish = silu


@jit
def mish(x):
    """``x · tanh(softplus(x))``."""
    x = ensure_arraylike("mish", x)
    return x * tanh(softplus(x))


@jit
def log_sigmoid(x):
    """``log(sigmoid(x))``."""
    x = ensure_arraylike("log_sigmoid", x)
    return -softplus(-x)


@jit
def elu(x, alpha=1.0):
    """``x`` where positive, else ``alpha (e^x - 1)``."""
    x = ensure_arraylike("elu", x)
    # what is exponentiated is 0 where x is positive, lest an infinity there spoil the derivative
    return choose(x > 0, x, alpha * expm1(choose(x > 0, 0.0, x)))


@jit
def leaky_relu(x, negative_slope=1e-2):
    """``x`` where it is not negative, else ``negative_slope · x``."""
    x = ensure_arraylike("leaky_relu", x)
    return choose(x >= 0, x, negative_slope * x)


@jit
def hard_tanh(x):
    """``x`` moved into the interval from -1 to 1."""
    x = ensure_arraylike("hard_tanh", x)
    return choose(x > 1, 1, choose(x < -1, -1, x))


@jit
def celu(x, alpha=1.0):
    """``max(x, 0) + alpha (e^(min(x, 0) / alpha) - 1)``: an elu whose slope is continuous."""
    return greater_of(x, 0.0) + alpha * expm1(smaller_of(x, 0.0) / alpha)


@jit
def selu(x):
    """An elu scaled so that mean 0 and variance 1 persist from layer to layer."""
    alpha = 1.6732632423543772848170429916717
    scale = 1.0507009873554804934193349852946
    return scale * elu(x, alpha)


def gelu(x, approximate=True):
    """``x`` times the probability that a normal number is below it.

    Args:
        x: the argument.
        approximate: whether to use a formula with tanh in place of the error function.
    """
    check_arraylike("gelu", x)
    (x,) = promote_dtypes_inexact(x)
    if approximate:
        scale = np.sqrt(2 / np.pi).astype(x.dtype)
        return x * (0.5 * (1.0 + tanh(scale * (x + 0.044715 * (x**3)))))
    return array(0.5 * x * lax.erfc(-x * np.sqrt(0.5).astype(x.dtype)), dtype=x.dtype)


@jit
def hard_sigmoid(x):
    """``relu6(x + 3) / 6``."""
    return relu6(x + 3.0) / 6.0


@jit
def hard_silu(x):
    """``x · hard_sigmoid(x)``."""
    x = ensure_arraylike("hard_silu", x)
    return x * hard_sigmoid(x)


hard_swish = hard_silu


@custom_jvp
@jit
def log1mexp(x):
    """``log(1 - e^-x)`` for positive ``x``, exact both near 0 and far from it."""
    x = ensure_arraylike("log1mexp", x)
    # the first form is exact below log 2, the second above
    return choose(x < log(2.0), log(-expm1(-x)), log1p(-exp(-x)))


log1mexp.defjvps(lambda g, ans, x: g / expm1(x))
