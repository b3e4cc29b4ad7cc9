"""Questions about elements, and operations on truth values and bits."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.engine.api.jit import jit
from jaxnb.engine.core import dtypes
from jaxnb.engine.core.rules import primitives
from jaxnb.engine.ops.staging import stage
from jaxnb.numpy.arguments import check_arraylike, ensure_arraylike, promote_dtypes_inexact
from jaxnb.numpy.promotion import (
    constant_like,
    one_argument,
    promote_args,
    promote_args_numeric,
    two_arguments,
)


def _is(x: Any, kind: Any) -> bool:
    return dtypes.issubdtype(dtypes.dtype(x), kind)


# comparisons

equal = two_arguments(
    "equal", "True where ``x = y``.", lambda x, y: lax.eq(*promote_args("equal", x, y)), "x y"
)
not_equal = two_arguments(
    "not_equal", "True where ``x ≠ y``.", lambda x, y: lax.ne(*promote_args("not_equal", x, y)), "x y"
)


def _ordered(name: str, doc: str, op: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def compare(x: Any, y: Any) -> Any:
        x, y = promote_args(name, x, y)
        if not _is(x, np.complexfloating):
            return op(x, y)
        # by real part, then by imaginary part
        tie = lax.eq(lax.real(x), lax.real(y))
        by_imag = op(lax.imag(x), lax.imag(y))
        by_real = op(lax.real(x), lax.real(y))
        return lax.select(tie, by_imag, by_real)

    return two_arguments(name, doc, compare, "x y")


greater = _ordered("greater", "True where ``x > y``.", lambda x, y: lax.gt(x, y))
greater_equal = _ordered("greater_equal", "True where ``x ≥ y``.", lambda x, y: lax.ge(x, y))
less = _ordered("less", "True where ``x < y``.", lambda x, y: lax.lt(x, y))
less_equal = _ordered("less_equal", "True where ``x ≤ y``.", lambda x, y: lax.le(x, y))


# truth values and bits


def _truth(x: Any) -> Any:
    return x if _is(x, np.bool_) else lax.ne(x, constant_like(x, 0))


def _logical(name: str, doc: str, op: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def combine(x: Any, y: Any) -> Any:
        x, y = (_truth(v) for v in promote_args(name, x, y))
        return op(x, y)

    return two_arguments(name, doc, combine, "x y")


both = _logical("logical_and", "True where both are.", lambda x, y: lax.bitwise_and(x, y))
either = _logical("logical_or", "True where either is.", lambda x, y: lax.bitwise_or(x, y))
exactly_one = _logical("logical_xor", "True where exactly one is.", lambda x, y: lax.bitwise_xor(x, y))
logical_not = one_argument(
    "logical_not",
    "True where ``x`` is not.",
    lambda x: lax.bitwise_not(_truth(*promote_args("logical_not", x))),
)
common_bits = two_arguments(
    "bitwise_and",
    "The bits set in both.",
    lambda x, y: lax.bitwise_and(*promote_args("bitwise_and", x, y)),
    "x y",
)
all_bits = two_arguments(
    "bitwise_or",
    "The bits set in either.",
    lambda x, y: lax.bitwise_or(*promote_args("bitwise_or", x, y)),
    "x y",
)
different_bits = two_arguments(
    "bitwise_xor",
    "The bits set in exactly one.",
    lambda x, y: lax.bitwise_xor(*promote_args("bitwise_xor", x, y)),
    "x y",
)


def _left_shift(name: str) -> Callable[[Any, Any], Any]:
    return two_arguments(
        name,
        "The bits of ``x`` moved up.",
        lambda x, y: lax.shift_left(*promote_args_numeric(name, x, y)),
        "x y",
    )


def _right_shift(name: str) -> Callable[[Any, Any], Any]:
    def shift(x1: Any, x2: Any) -> Any:
        x1, x2 = promote_args_numeric(name, x1, x2)
        if _is(x1, np.unsignedinteger):
            return lax.shift_right_logical(x1, x2)
        return lax.shift_right_arithmetic(x1, x2)

    return two_arguments(name, "The bits of ``x`` moved down.", shift)


left_shift, bitwise_left_shift = _left_shift("left_shift"), _left_shift("bitwise_left_shift")
right_shift, bitwise_right_shift = _right_shift("right_shift"), _right_shift("bitwise_right_shift")


# what kind of number


def _isfinite(x: Any) -> Any:
    x = ensure_arraylike("isfinite", x)
    if _is(x, np.floating):
        return lax.is_finite(x)
    if _is(x, np.complexfloating):
        re = lax.is_finite(lax.real(x))
        return lax.bitwise_and(re, lax.is_finite(lax.imag(x)))
    return lax.full_like(x, True, dtype=np.bool_)


isfinite = one_argument("isfinite", "True where ``x`` is neither infinite nor NaN.", _isfinite)


def _isnan(x: Any) -> Any:
    x = ensure_arraylike("isnan", x)
    return lax.ne(x, x)


isnan = one_argument("isnan", "True where ``x`` is NaN.", _isnan)


@jit
def isinf(x, /):
    """True where ``x`` is infinite."""
    x = ensure_arraylike("isinf", x)
    if _is(x, np.floating):
        return lax.eq(lax.abs(x), constant_like(x, np.inf))
    if _is(x, np.complexfloating):
        parts = lax.real(x), lax.imag(x)
        return lax.bitwise_or(*(lax.eq(lax.abs(p), constant_like(p, np.inf)) for p in parts))
    return lax.full_like(x, False, dtype=np.bool_)


def _infinity_of_sign(x: Any, infinity: float, out: Any) -> Any:
    if out is not None:
        raise NotImplementedError("The 'out' argument to isneginf/isposinf is not supported.")
    x = stage(x)
    if _is(x, np.floating):
        return lax.eq(x, constant_like(x, infinity))
    if _is(x, np.complexfloating):
        raise ValueError("isposinf/isneginf are not well defined for complex types")
    return lax.full_like(x, False, dtype=np.bool_)


def isposinf(x, /, out=None):
    """True where ``x = ∞``."""
    return _infinity_of_sign(x, np.inf, out)


def isneginf(x, /, out=None):
    """True where ``x = -∞``."""
    return _infinity_of_sign(x, -np.inf, out)


def _imaginary(x: Any) -> Any:
    return lax.imag(x) if _is(x, np.complexfloating) else lax.full_like(x, 0)


@jit
def iscomplex(x):
    """True where the imaginary part is not zero."""
    im = _imaginary(ensure_arraylike("iscomplex", x))
    return lax.ne(im, constant_like(im, 0))


@jit
def isreal(x):
    """True where the imaginary part is zero."""
    im = _imaginary(ensure_arraylike("isreal", x))
    return lax.eq(im, constant_like(im, 0))


def iscomplexobj(x):
    """Whether the dtype of ``x`` is complex."""
    dtype = getattr(x, "dtype", None)
    return dtypes.issubdtype(np.result_type(x) if dtype is None else dtype, np.complexfloating)


def isrealobj(x):
    """Whether the dtype of ``x`` is not complex."""
    return not iscomplexobj(x)


@jit
def signbit(x, /):
    """True where the sign bit is set: below zero, and at minus zero."""
    (x,) = promote_args("signbit", x)
    dtype = x.dtype
    if _is(dtype, np.integer):
        return lax.lt(x, constant_like(x, 0))
    if _is(dtype, np.bool_):
        return lax.full_like(x, False, dtype=np.bool_)
    if not _is(dtype, np.floating):
        raise ValueError(f"jax.numpy.signbit is not well defined for {dtype}")
    bits = np.dtype(f"int{dtypes.finfo(dtype).bits}")
    word = lax.bitcast_convert_type(x, bits)
    last = np.asarray(dtypes.finfo(dtype).bits - 1, bits)[()]
    return lax.convert_element_type(lax.shift_right_arithmetic(word, last), np.bool_)


# nearly equal


@functools.partial(jit, static_argnames=("equal_nan",))
def isclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=False):
    """True where ``|a - b| ≤ atol + rtol · |b|``."""
    a, b = promote_args("isclose", a, b)
    dtype = a.dtype
    if not dtypes.issubdtype(dtype, np.inexact):
        dtype = dtypes.to_inexact_dtype(dtype)
        rtol, atol = lax.convert_element_type(rtol, dtype), lax.convert_element_type(atol, dtype)
        a, b = promote_dtypes_inexact(a, b)
    else:
        part = np.finfo(dtype).dtype if dtypes.issubdtype(dtype, np.complexfloating) else dtype
        rtol, atol = lax.convert_element_type(rtol, part), lax.convert_element_type(atol, part)
    both_nan = lax.bitwise_and(lax.ne(a, a), lax.ne(b, b))
    finite = isfinite(b)
    distance = lax.abs(lax.sub(a, b))
    in_range = lax.le(distance, lax.add(atol, lax.mul(rtol, lax.abs(b))))
    same = lax.eq(a, b)
    out = lax.bitwise_or(same, lax.bitwise_and(finite, in_range))
    return lax.bitwise_or(out, both_nan) if equal_nan else out


def _all(x: Any) -> Any:
    return primitives["reduce_and"].bind(x, axes=tuple(range(x.ndim)))


@functools.partial(jit, static_argnames=("equal_nan",))
def allclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=False):
    """Whether `isclose` holds everywhere."""
    return _all(isclose(a, b, rtol, atol, equal_nan))


def array_equal(a1, a2, equal_nan=False):
    """Whether shapes and elements are equal."""
    a1, a2 = stage(a1), stage(a2)
    if np.shape(a1) != np.shape(a2):
        return stage(np.bool_(False))
    same = equal(a1, a2)
    if equal_nan:
        same = either(same, both(isnan(a1), isnan(a2)))
    return _all(same)


def array_equiv(a1, a2):
    """Whether the arrays are equal once broadcast."""
    a1, a2 = stage(a1), stage(a2)
    try:
        same = equal(a1, a2)
    except ValueError:
        return stage(np.bool_(False))
    return _all(same)
