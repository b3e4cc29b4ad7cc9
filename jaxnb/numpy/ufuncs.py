"""The functions of elements under JAX's names: re-exports, for a module to take them from one place."""

from __future__ import annotations

from jaxnb.numpy.arithmetic import (
    arctan2,
    atan2,
    float_power,
    fmax,
    fmin,
    heaviside,
    pow,
    power,
)
from jaxnb.numpy.arithmetic import greater_of as maximum
from jaxnb.numpy.arithmetic import minus as subtract
from jaxnb.numpy.arithmetic import plus as add
from jaxnb.numpy.arithmetic import smaller_of as minimum
from jaxnb.numpy.arithmetic import times as multiply
from jaxnb.numpy.bessel import i0
from jaxnb.numpy.cardinal_sine import sinc
from jaxnb.numpy.division import divide, divmod, floor_divide, fmod, mod, remainder, true_divide
from jaxnb.numpy.elementary import (
    abs,
    absolute,
    acos,
    acosh,
    angle,
    arccos,
    arccosh,
    arcsin,
    arcsinh,
    arctan,
    arctanh,
    around,
    asin,
    asinh,
    atan,
    atanh,
    bitwise_count,
    bitwise_invert,
    bitwise_not,
    cbrt,
    ceil,
    conj,
    conjugate,
    cos,
    cosh,
    deg2rad,
    degrees,
    exp,
    exp2,
    expm1,
    fabs,
    floor,
    imag,
    invert,
    log,
    log1p,
    log2,
    log10,
    modf,
    positive,
    rad2deg,
    radians,
    real,
    reciprocal,
    rint,
    round,
    sign,
    sin,
    sinh,
    sqrt,
    square,
    tan,
    tanh,
    trunc,
)
from jaxnb.numpy.elementary import negate as negative
from jaxnb.numpy.exponents import frexp, ldexp
from jaxnb.numpy.float_parts import copysign, nextafter, spacing
from jaxnb.numpy.hypotenuse import hypot
from jaxnb.numpy.limits import clip, nan_to_num
from jaxnb.numpy.log_sums import log2_sum as logaddexp2
from jaxnb.numpy.log_sums import log_sum as logaddexp
from jaxnb.numpy.predicates import all_bits as bitwise_or
from jaxnb.numpy.predicates import (
    allclose,
    array_equal,
    array_equiv,
    bitwise_left_shift,
    bitwise_right_shift,
    equal,
    greater,
    greater_equal,
    isclose,
    iscomplex,
    iscomplexobj,
    isfinite,
    isinf,
    isnan,
    isneginf,
    isposinf,
    isreal,
    isrealobj,
    left_shift,
    less,
    less_equal,
    logical_not,
    not_equal,
    right_shift,
    signbit,
)
from jaxnb.numpy.predicates import both as logical_and
from jaxnb.numpy.predicates import common_bits as bitwise_and
from jaxnb.numpy.predicates import different_bits as bitwise_xor
from jaxnb.numpy.predicates import either as logical_or
from jaxnb.numpy.predicates import exactly_one as logical_xor
