"""The primitives as functions, under JAX's names: re-exports only."""

from __future__ import annotations

# arithmetic, elementwise
from jaxnb.engine.ops.accuracy import AccuracyMode, Tolerance
from jaxnb.engine.ops.arithmetic import add, div, integer_pow, mul, mulhi, neg, reciprocal, square, sub
from jaxnb.engine.ops.bitwise import (
    bitwise_and,
    bitwise_not,
    bitwise_or,
    bitwise_xor,
    clz,
    population_count,
    shift_left,
    shift_right_arithmetic,
    shift_right_logical,
)
from jaxnb.engine.ops.comparison import eq, ge, gt, le, lt, ne
from jaxnb.engine.ops.complex_numbers import complex, conj, imag, real
from jaxnb.engine.ops.conversion import bitcast_convert_type, convert_element_type, reduce_precision
from jaxnb.engine.ops.exponential import cbrt, exp, exp2, expm1, log, log1p, logistic, rsqrt, sqrt
from jaxnb.engine.ops.identity import optimization_barrier, stop_gradient
from jaxnb.engine.ops.magnitude import (
    RoundingMethod,
    abs,
    ceil,
    floor,
    is_finite,
    max,
    min,
    nextafter,
    pow,
    rem,
    round,
    sign,
)
from jaxnb.engine.ops.selection import clamp, select, select_n
from jaxnb.engine.ops.special import (
    bessel_i0e,
    bessel_i1e,
    digamma,
    erf,
    erf_inv,
    erfc,
    lgamma,
    polygamma,
    zeta,
)
from jaxnb.engine.ops.trigonometric import (
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    cos,
    cosh,
    sin,
    sinh,
    tan,
    tanh,
)
