"""Floating numbers by their parts: sign, mantissa and exponent, the next number."""

from __future__ import annotations

from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.engine.api.jit import jit
from jaxnb.engine.control.custom_rules import custom_jvp
from jaxnb.engine.core import dtypes
from jaxnb.engine.core.ad import Zero
from jaxnb.engine.core.rules import instantiate_zeros
from jaxnb.numpy.arguments import check_arraylike, ensure_arraylike, promote_dtypes_inexact
from jaxnb.numpy.arithmetic import plus
from jaxnb.numpy.predicates import either, isinf, isnan, signbit
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


@jit
def frexp(x, /):
    """The mantissa, between one half and one, and the exponent."""
    x = ensure_arraylike("frexp", x)
    if _is(x, np.complexfloating):
        raise TypeError("frexp does not support complex-valued inputs")
    return _frexp(*promote_dtypes_inexact(x))


@custom_jvp
def _frexp(x):
    dtype = x.dtype
    info = dtypes.finfo(dtype)
    bits = np.dtype(f"int{info.bits}")
    mask = (1 << info.nexp) - 1
    bias = 1 - int(info.minexp)

    def word(value: int) -> Any:
        return np.asarray(value).astype(bits)[()]

    subnormal = lax.lt(lax.abs(x), constant_like(x, info.tiny))
    # subnormal numbers are lifted first, and their exponent lowered by as much
    lifted = choose(subnormal, lax.mul(x, constant_like(x, 2.0**info.nmant)), x)
    shift = choose(subnormal, np.int32(-info.nmant), np.int32(0))
    pattern = lax.bitcast_convert_type(lifted, bits)
    field = lax.bitwise_and(lax.shift_right_arithmetic(pattern, word(info.nmant)), word(mask))
    exponent = lax.convert_element_type(lax.add(lax.sub(field, word(bias)), word(1)), np.int32)
    exponent = lax.add(shift, exponent)
    kept = lax.bitwise_and(pattern, word(~(mask << info.nmant)))
    mantissa = lax.bitcast_convert_type(lax.bitwise_or(kept, word((bias - 1) << info.nmant)), dtype)
    special = either(either(isinf(x), isnan(x)), lax.eq(x, constant_like(x, 0)))
    exponent = choose(special, lax.full_like(exponent, 0), exponent)
    return choose(special, x, mantissa), exponent


@_frexp.defjvp
def _frexp_jvp(primals, tangents):
    (x,), (t,) = primals, tangents
    mantissa, exponent = frexp(x)
    scaled = lax.mul(t, lax.exp2(lax.neg(lax.convert_element_type(exponent, t.dtype))))
    return (mantissa, exponent), (scaled, instantiate_zeros(Zero.from_primal_value(exponent)))


@jit
def ldexp(x1, x2, /):
    """``x1 · 2^x2``."""
    check_arraylike("ldexp", x1, x2)
    given = dtypes.dtype(x1, canonicalize=True), dtypes.dtype(x2, canonicalize=True)
    if dtypes.issubdtype(given[0], np.complexfloating) or dtypes.issubdtype(given[1], np.inexact):
        raise ValueError(f"ldexp not supported for input types {given}")
    x1, x2 = promote_dtypes_inexact(x1, x2)
    mantissa, exponent = frexp(x1)
    exponent = plus(lax.convert_element_type(exponent, x2.dtype), x2)
    zero = constant_like(exponent, 0)
    # one factor of two goes to the mantissa: two to the largest exponent is not a number of the type
    mantissa = choose(lax.gt(exponent, zero), lax.mul(mantissa, constant_like(mantissa, 2)), mantissa)
    exponent = choose(lax.gt(exponent, zero), lax.sub(exponent, constant_like(exponent, 1)), exponent)
    scaled = lax.mul(mantissa, lax.pow(constant_like(exponent, 2), exponent))
    return choose(either(isinf(x1), lax.eq(x1, constant_like(x1, 0))), x1, scaled)
