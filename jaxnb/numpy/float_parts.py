"""Floating numbers by their signs, and the numbers next to them."""

from __future__ import annotations

from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.engine.api.jit import jit
from jaxnb.engine.core import dtypes
from jaxnb.numpy.predicates import signbit
from jaxnb.numpy.promotion import constant_like, inlined, promote_args_inexact, two_arguments
from jaxnb.numpy.selection import choose


def _is(x: Any, kind: Any) -> bool:
    return dtypes.issubdtype(dtypes.dtype(x), kind)


nextafter = two_arguments(
    "nextafter",
    "The number next to ``x`` towards ``y``.",
    lambda x, y: lax.nextafter(*promote_args_inexact("nextafter", x, y)),
    "x y",
)


@jit
def copysign(x1, x2, /):
    """``|x1|`` with the sign of ``x2``."""
    x1, x2 = promote_args_inexact("copysign", x1, x2)
    if _is(x1, np.complexfloating):
        raise TypeError("copysign does not support complex-valued inputs")
    return choose(signbit(x2), lax.neg(lax.abs(x1)), lax.abs(x1))


@inlined
def spacing(x, /):
    """The distance to the next number away from zero."""
    (x,) = promote_args_inexact("spacing", x)
    if _is(x, np.complexfloating):
        raise ValueError("jnp.spacing is not defined for complex inputs.")
    info = dtypes.finfo(x.dtype)
    if x.dtype == np.float16:
        return lax.sub(lax.nextafter(x, constant_like(x, np.inf)), x)
    outward = copysign(constant_like(x, np.inf), x)
    gap = lax.sub(lax.nextafter(x, outward), x)
    vanishes = lax.eq(gap, constant_like(gap, 0))
    return choose(vanishes, copysign(constant_like(x, info.smallest_subnormal), x), gap)
