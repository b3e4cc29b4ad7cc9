"""The length of a vector of two parts."""

from __future__ import annotations

from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.engine.api.jit import jit
from jaxnb.engine.control.custom_rules import custom_jvp
from jaxnb.engine.core import dtypes
from jaxnb.engine.ops.axes import broadcast_shapes
from jaxnb.engine.ops.magnitude import length_and_direction
from jaxnb.numpy.promotion import constant_like, promote_args_inexact
from jaxnb.numpy.selection import choose
from jaxnb.xla.version import JAXLIB_VERSION


@jit
def hypot(x1, x2, /):
    """``sqrt(x1² + x2²)`` without overflow."""
    x1, x2 = promote_args_inexact("hypot", x1, x2)
    if dtypes.issubdtype(x1.dtype, np.complexfloating):
        raise ValueError(
            "jnp.hypot is not well defined for complex-valued inputs. Please convert to real values first, such as by "
            "using abs(x)"
        )
    return _scaled(x1, x2) if JAXLIB_VERSION >= (0, 12) else _by_ratio(x1, x2)


def _by_ratio(x1: Any, x2: Any) -> Any:
    x1, x2 = lax.abs(x1), lax.abs(x2)
    infinite = lax.bitwise_or(lax.eq(x1, constant_like(x1, np.inf)), lax.eq(x2, constant_like(x2, np.inf)))
    large, small = lax.max(x1, x2), lax.min(x1, x2)
    is_zero = lax.eq(large, constant_like(large, 0))
    ratio = lax.div(small, choose(lax.eq(large, constant_like(large, 0)), lax.full_like(large, 1), large))
    length = lax.mul(large, lax.sqrt(lax.add(constant_like(ratio, 1), lax.square(ratio))))
    return choose(infinite, constant_like(large, np.inf), choose(is_zero, large, length))


def _scaled(x1: Any, x2: Any) -> Any:
    dtype = x1.dtype
    if dtypes.finfo(dtype).bits == 16:
        return lax.convert_element_type(
            _scaled(lax.convert_element_type(x1, np.float32), lax.convert_element_type(x2, np.float32)), dtype
        )
    shape = broadcast_shapes(np.shape(x1), np.shape(x2))
    return _hypot(_stretch(x1, shape), _stretch(x2, shape))[0]


def _stretch(x: Any, shape: tuple[int, ...]) -> Any:
    ndim = np.ndim(x)
    return lax.broadcast_in_dim(x, shape, tuple(range(len(shape) - ndim, len(shape))))


@custom_jvp
def _hypot(x, y):
    return length_and_direction(x, y)


@_hypot.defjvp
def _hypot_jvp(primals, tangents):
    (x, y), (t, u) = primals, tangents
    length, dx, dy = _hypot(x, y)
    along = lax.add(lax.mul(dx, t), lax.mul(dy, u))
    turn_x = lax.div(lax.sub(t, lax.mul(dx, along)), length)
    turn_y = lax.div(lax.sub(u, lax.mul(dy, along)), length)
    return (length, dx, dy), (along, turn_x, turn_y)
