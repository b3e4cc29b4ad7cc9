"""The greatest common divisor and the least common multiple of integers, by Euclid's algorithm."""

from __future__ import annotations

from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.engine.api.jit import jit
from jaxnb.engine.core import dtypes
from jaxnb.engine.ops.axes import broadcast_shapes
from jaxnb.numpy.arguments import ensure_arraylike, promote_dtypes
from jaxnb.numpy.division import floor_divide
from jaxnb.numpy.promotion import constant_like, promote_shapes
from jaxnb.numpy.selection import choose
from jaxnb.numpy.shapes import broadcast_to


def _integers(name: str, *args: Any) -> list[Any]:
    x1, x2 = ensure_arraylike(name, *args)
    x1, x2 = promote_dtypes(x1, x2)
    if not dtypes.issubdtype(dtypes.dtype(x1), np.integer):
        raise ValueError(f"Arguments to jax.numpy.{name} must be integers.")
    return [x1, x2]


def _magnitude(x: Any) -> Any:
    return x if dtypes.issubdtype(dtypes.dtype(x), np.unsignedinteger) else lax.abs(x)


def _some_left(pair: Any) -> Any:
    return lax.reduce_or(lax.ne(pair[1], constant_like(pair[1], 0)), tuple(range(np.ndim(pair[1]))))


def _euclid(pair: Any) -> Any:
    """One division with remainder, where a remainder is left; the greater stays in front."""
    x, y = pair
    zero = constant_like(y, 0)
    divisor = choose(lax.ne(y, zero), y, x)
    rest = choose(lax.ne(y, zero), lax.rem(x, y), zero)
    return choose(lax.lt(divisor, rest), rest, divisor), choose(lax.lt(divisor, rest), divisor, rest)


@jit
def gcd(x1, x2):
    """The greatest integer that divides both."""
    x1, x2 = _integers("gcd", x1, x2)
    shape = broadcast_shapes(np.shape(x1), np.shape(x2))
    x1, x2 = broadcast_to(x1, shape), broadcast_to(x2, shape)
    return lax.while_loop(_some_left, _euclid, (_magnitude(x1), _magnitude(x2)))[0]


@jit
def lcm(x1, x2):
    """The least positive integer that both divide."""
    x1, x2 = _integers("lcm", x1, x2)
    x1, x2 = _magnitude(x1), _magnitude(x2)
    divisor = gcd(x1, x2)
    zero = constant_like(x1, 0)
    return choose(lax.eq(divisor, zero), zero, lax.mul(x1, floor_divide(x2, divisor)))
