"""Functions of one argument, element by element: roots, logarithms, angles, rounding, parts of numbers."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.engine.api.grad import jvp
from jaxnb.engine.api.jit import jit
from jaxnb.engine.control.custom_rules import custom_jvp
from jaxnb.engine.core import dtypes
from jaxnb.engine.ops.elementwise import const
from jaxnb.numpy.arguments import check_arraylike, ensure_arraylike
from jaxnb.numpy.promotion import (
    constant_like,
    inlined,
    one_argument,
    promote_args,
    promote_args_inexact,
    promote_args_numeric,
)
from jaxnb.numpy.selection import choose
from jaxnb.xla.version import JAXLIB_VERSION

_LOG2_IS_AN_OPERATION = JAXLIB_VERSION >= (0, 12)


def _is(x: Any, kind: Any) -> bool:
    return dtypes.issubdtype(dtypes.dtype(x), kind)


def _is_complex(x: Any) -> bool:
    return _is(x, np.complexfloating)


def _inexact(name: str, op: Callable[[Any], Any], doc: str) -> Callable[[Any], Any]:
    return one_argument(name, doc, lambda x: op(*promote_args_inexact(name, x)))


# exponentials, roots, angles

exp = _inexact("exp", lambda x: lax.exp(x), "``e^x``.")
exp2 = _inexact("exp2", lambda x: lax.exp2(x), "``2^x``.")
expm1 = _inexact("expm1", lambda x: lax.expm1(x), "``e^x - 1``, exact near zero.")
log = _inexact("log", lambda x: lax.log(x), "The natural logarithm.")
log1p = _inexact("log1p", lambda x: lax.log1p(x), "``log(1 + x)``, exact near zero.")
sqrt = _inexact("sqrt", lambda x: lax.sqrt(x), "The square root.")
cbrt = _inexact("cbrt", lambda x: lax.cbrt(x), "The cube root.")
sin = _inexact("sin", lambda x: lax.sin(x), "The sine of an angle in radians.")
cos = _inexact("cos", lambda x: lax.cos(x), "The cosine of an angle in radians.")
tan = _inexact("tan", lambda x: lax.tan(x), "The tangent of an angle in radians.")
sinh = _inexact("sinh", lambda x: lax.sinh(x), "The hyperbolic sine.")
cosh = _inexact("cosh", lambda x: lax.cosh(x), "The hyperbolic cosine.")
tanh = _inexact("tanh", lambda x: lax.tanh(x), "The hyperbolic tangent.")
arcsin = _inexact("arcsin", lambda x: lax.asin(x), "The angle whose sine is ``x``.")
arccos = _inexact("arccos", lambda x: lax.acos(x), "The angle whose cosine is ``x``.")
arctan = _inexact("arctan", lambda x: lax.atan(x), "The angle whose tangent is ``x``.")
arcsinh = _inexact("arcsinh", lambda x: lax.asinh(x), "The inverse of the hyperbolic sine.")
arctanh = _inexact("arctanh", lambda x: lax.atanh(x), "The inverse of the hyperbolic tangent.")


def _alias(name: str, fun: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def checked(x: Any) -> Any:
        (x,) = ensure_one(name, x)
        return fun(x)

    return one_argument(name, fun.__doc__ or "", checked)


def ensure_one(name: str, x: Any) -> tuple[Any]:
    """The argument as an array, in a tuple."""
    return (ensure_arraylike(name, x),)


@jit
def arccosh(x, /):
    """The inverse of the hyperbolic cosine, its real part not negative."""
    (x,) = promote_args_inexact("arccosh", x)
    result = lax.acosh(x)
    if _is_complex(result):
        part = lax.real(result)
        result = choose(lax.lt(part, constant_like(part, 0)), lax.neg(result), result)
    return result


acos = _alias("acos", arccos)
acosh = _alias("acosh", arccosh)
asin = _alias("asin", arcsin)
asinh = _alias("asinh", arcsinh)
atan = _alias("atan", arctan)
atanh = _alias("atanh", arctanh)


def _log_by_parts(x: Any, scale: Callable[..., tuple[Any, ...]]) -> Any:
    """The logarithm, its one part or its two scaled."""
    y = lax.log(x)
    if _is_complex(y):
        return lax.complex(*scale(lax.real(y), lax.imag(y)))
    return scale(y)[0]


def _over_ln2(*parts: Any) -> tuple[Any, ...]:
    base = lax.log(constant_like(parts[0], 2))
    return tuple(lax.div(y, base) for y in parts)


def _over_ln10(*parts: Any) -> tuple[Any, ...]:
    return tuple(lax.mul(y, constant_like(y, 1 / np.log(10))) for y in parts)


def _log2(x: Any) -> Any:
    return lax.log2(x) if _LOG2_IS_AN_OPERATION else _log_by_parts(x, _over_ln2)


log2 = _inexact("log2", _log2, "The logarithm to base 2.")
log10 = _inexact("log10", lambda x: _log_by_parts(x, _over_ln10), "The logarithm to base 10.")
deg2rad = _inexact("deg2rad", lambda x: lax.mul(x, const(x, np.pi / 180)), "Degrees as radians.")
rad2deg = _inexact("rad2deg", lambda x: lax.mul(x, const(x, 180 / np.pi)), "Radians as degrees.")
reciprocal = _inexact("reciprocal", lambda x: lax.integer_pow(x, -1), "``1 / x``.")


def degrees(x, /):
    """Radians as degrees."""
    return rad2deg(x)


def radians(x, /):
    """Degrees as radians."""
    return deg2rad(x)


square = one_argument("square", "``x · x``.", lambda x: lax.square(*promote_args_numeric("square", x)))
sign = one_argument(
    "sign", "-1, 0 or 1; ``x / |x|`` for complex numbers.", lambda x: lax.sign(*promote_args("sign", x))
)
positive = one_argument("positive", "The argument.", lambda x: promote_args("positive", x)[0])
negate = one_argument("negative", "``-x``.", lambda x: lax.neg(*promote_args("negative", x)))
invert = one_argument("invert", "Every bit inverted.", lambda x: lax.bitwise_not(*promote_args("invert", x)))
bitwise_not = one_argument(
    "bitwise_not", "Every bit inverted.", lambda x: lax.bitwise_not(*promote_args("bitwise_not", x))
)
bitwise_invert = one_argument(
    "bitwise_invert", "Every bit inverted.", lambda x: lax.bitwise_not(*promote_args("bitwise_invert", x))
)


@jit
def bitwise_count(x, /):
    """The number of bits set in ``|x|``."""
    (x,) = promote_args_numeric("bitwise_count", x)
    return lax.convert_element_type(lax.population_count(_absolute(x)), np.uint8)


# size and parts


def _absolute(x: Any) -> Any:
    return x if _is(x, np.bool_) or _is(x, np.unsignedinteger) else lax.abs(x)


absolute = one_argument("absolute", "``|x|``.", lambda x: _absolute(*promote_args("absolute", x)))
abs = one_argument("abs", "``|x|``.", lambda x: absolute(x))


def _fabs(x: Any) -> Any:
    check_arraylike("fabs", x)
    if _is_complex(x):
        raise TypeError("ufunc 'fabs' does not support complex dtypes")
    return lax.abs(*promote_args_inexact("fabs", x))


fabs = one_argument("fabs", "``|x|`` as a floating number.", _fabs)


def _real_of(x: Any) -> Any:
    x = ensure_arraylike("real", x)
    return lax.real(x) if _is_complex(x) else x


def _imag_of(x: Any) -> Any:
    x = ensure_arraylike("imag", x)
    return lax.imag(x) if _is_complex(x) else lax.full_like(x, 0)


@inlined
def real(val, /):
    """The real part."""
    return _real_of(val)


@inlined
def imag(val, /):
    """The imaginary part."""
    return _imag_of(val)


@inlined
def conjugate(x, /):
    """The complex conjugate."""
    x = ensure_arraylike("conjugate", x)
    return lax.conj(x) if _is_complex(x) else x


def conj(x, /):
    """The complex conjugate."""
    return conjugate(x)


@functools.partial(jit, static_argnames=("deg",))
def angle(z, deg=False):
    """The angle of a complex number, in radians or degrees."""
    z = ensure_arraylike("angle", z)
    re, im = _real_of(z), _imag_of(z)
    if not _is(re, np.inexact):
        dtype = dtypes.to_inexact_dtype(re.dtype)
        re, im = lax.convert_element_type(re, dtype), lax.convert_element_type(im, dtype)
    result = lax.atan2(im, re)
    return rad2deg(result) if deg else result


# rounding


def _to_integer(name: str, op: Callable[[Any], Any], doc: str) -> Callable[[Any], Any]:
    def rounded(x: Any) -> Any:
        check_arraylike(name, x)
        if _is(x, np.integer) or _is(x, np.bool_):
            return ensure_arraylike(name, x)
        return op(*promote_args_inexact(name, x))

    return one_argument(name, doc, rounded)


floor = _to_integer("floor", lambda x: lax.floor(x), "The greatest integer not above ``x``.")
ceil = _to_integer("ceil", lambda x: lax.ceil(x), "The least integer not below ``x``.")


def _nearest_even(x: Any) -> Any:
    return lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN)


@jit
def rint(x, /):
    """The nearest integer, as a floating number; the even one of two."""
    x = ensure_arraylike("rint", x)
    if _is(x, np.integer) or _is(x, np.bool_):
        return lax.convert_element_type(x, dtypes.to_inexact_dtype(x.dtype))
    if _is_complex(x):
        return lax.complex(rint(lax.real(x)), rint(lax.imag(x)))
    return _nearest_even(x)


@functools.partial(jit, static_argnames=("decimals",))
def round(a, decimals=0, out=None):
    """The number nearest to ``a`` with so many decimals; the even one of two."""
    a = ensure_arraylike("round", a)
    if out is not None:
        raise NotImplementedError("The 'out' argument to jnp.round is not supported.")
    if _is(a, np.integer):
        if decimals < 0:
            raise NotImplementedError("integer np.round not implemented for decimals < 0")
        return a
    if not _is(a, np.inexact):
        dtypes.finfo(a.dtype)
    if _is_complex(a):
        return lax.complex(_round_float(lax.real(a), decimals), _round_float(lax.imag(a), decimals))
    return _round_float(a, decimals)


def _round_float(x: Any, decimals: int) -> Any:
    if decimals == 0:
        return _nearest_even(x)
    dtype = x.dtype
    wide = np.dtype(np.float32) if dtypes.finfo(dtype).bits == 16 else dtype
    # ten to a large power overflows in sixteen bits
    x = x if wide == dtype else lax.convert_element_type(x, wide)
    factor = constant_like(x, 10**decimals if decimals > 0 else 10.0**decimals)
    out = lax.div(_nearest_even(lax.mul(x, factor)), factor)
    return out if wide == dtype else lax.convert_element_type(out, dtype)


@functools.partial(jit, static_argnames=("decimals",))
def around(a, decimals=0, out=None):
    """The number nearest to ``a`` with so many decimals; the even one of two."""
    return round(a, decimals, out)


@jit
def trunc(x):
    """The integer next to ``x`` towards zero."""
    x = ensure_arraylike("trunc", x)
    if _is(x, np.integer) or _is(x, np.bool_):
        return x
    return choose(lax.lt(x, const(x, 0)), lax.ceil(x), lax.floor(x))


@jit
def modf(x, /, out=None):
    """The fraction and the whole part, each with the sign of ``x``."""
    check_arraylike("modf", x)
    (x,) = promote_args_inexact("modf", x)
    if out is not None:
        raise NotImplementedError("The 'out' argument to jnp.modf is not supported.")
    whole = choose(lax.ge(x, constant_like(x, 0)), lax.floor(x), lax.ceil(x))
    return lax.sub(x, whole), whole
