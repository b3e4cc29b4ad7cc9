"""Reductions that leave NaNs out."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.engine.api.jit import jit
from jaxnb.engine.core import dtypes
from jaxnb.numpy.arguments import check_arraylike
from jaxnb.numpy.means import mean as mean_
from jaxnb.numpy.means import variance_dtypes
from jaxnb.numpy.reductions import all, check_where, max, min, prod, refuse_out, sum
from jaxnb.numpy.selection import choose

_jit_extremum = functools.partial(jit, static_argnames=("axis", "keepdims"))
_jit_arithmetic = functools.partial(jit, static_argnames=("axis", "dtype", "keepdims"))


def _is_inexact(a: Any) -> bool:
    return dtypes.issubdtype(dtypes.dtype(a), np.inexact)


def is_nan(a: Any) -> Any:
    """Where the elements differ from themselves."""
    return lax.ne(a, a)


def _fill(a: Any, value: float) -> Any:
    return np.asarray(value, dtypes.dtype(a, canonicalize=True))[()]


def _without_nans(
    name: str, reduce: Callable[..., Any], a: Any, fill: float, *, where: Any, initial: Any, **options: Any
) -> Any:
    """The reduction with ``fill`` in place of NaNs."""
    check_arraylike(name, a)
    where = check_where(name, where)
    if _is_inexact(a):
        a = choose(is_nan(a), _fill(a, fill), a)
    return reduce(a, where=where, initial=initial, **options)


def _extremum(
    name: str,
    reduce: Callable[..., Any],
    a: Any,
    fill: float,
    axis: Any,
    out: Any,
    keepdims: bool,
    initial: Any,
    where: Any,
) -> Any:
    result = _without_nans(
        name, reduce, a, fill, axis=axis, out=out, keepdims=keepdims, initial=initial, where=where
    )
    if not _is_inexact(a) or initial is not None:
        return result
    nothing = math.nan if dtypes.is_weakly_typed(a) else _fill(a, math.nan)
    return choose(all(is_nan(a), axis=axis, keepdims=keepdims), nothing, result)


@_jit_extremum
def nanmax(a, axis=None, out=None, keepdims=False, initial=None, where=None):
    """The greatest element that is not NaN; NaN where all are."""
    return _extremum("nanmax", max, a, -math.inf, axis, out, keepdims, initial, where)


@_jit_extremum
def nanmin(a, axis=None, out=None, keepdims=False, initial=None, where=None):
    """The least element that is not NaN; NaN where all are."""
    return _extremum("nanmin", min, a, math.inf, axis, out, keepdims, initial, where)


@_jit_arithmetic
def nansum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None):
    """The sum of the elements that are not NaN."""
    return _without_nans(
        "nansum",
        sum,
        a,
        0.0,
        axis=axis,
        dtype=dtype,
        out=out,
        keepdims=keepdims,
        initial=initial,
        where=where,
    )


@_jit_arithmetic
def nanprod(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None):
    """The product of the elements that are not NaN."""
    return _without_nans(
        "nanprod",
        prod,
        a,
        1.0,
        axis=axis,
        dtype=dtype,
        out=out,
        keepdims=keepdims,
        initial=initial,
        where=where,
    )


@_jit_arithmetic
def nanmean(a, axis=None, dtype=None, out=None, keepdims=False, where=None):
    """The mean of the elements that are not NaN."""
    check_arraylike("nanmean", a)
    where = check_where("nanmean", where)
    refuse_out("nanmean", out)
    if not _is_inexact(a):
        return mean_(a, axis, dtype, out, keepdims, where=where)
    if dtype is None:
        dtype = dtypes.dtype(a, canonicalize=True)
    else:
        dtype = dtypes.check_user_dtype_supported(dtype, "mean")
    present = lax.bitwise_not(is_nan(a))
    count = sum(present, axis=axis, dtype=dtype, keepdims=keepdims, where=where)
    total = nansum(a, axis=axis, dtype=dtype, keepdims=keepdims, where=where)
    return lax.div(total, count)


@_jit_arithmetic
def nanvar(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=None, mean=None):
    """The variance of the elements that are not NaN; arguments as those of ``var``."""
    check_arraylike("nanvar", a)
    where = check_where("nanvar", where)
    if dtype is not None:
        dtype = dtypes.check_user_dtype_supported(dtype, "nanvar")
    refuse_out("nanvar", out)
    inside, result_dtype = variance_dtypes(dtypes.dtype(a, canonicalize=True), dtype)
    a = lax.convert_element_type(a, inside)
    if mean is None:
        mean = nanmean(a, axis=axis, dtype=inside, keepdims=True, where=where)
    else:
        mean = lax.convert_element_type(mean, inside)
    absent = is_nan(a)
    centered = choose(absent, 0, lax.sub(a, mean))
    if dtypes.issubdtype(inside, np.complexfloating):
        centered = lax.real(lax.mul(centered, lax.conj(centered)))
    else:
        centered = lax.square(centered)
    count = sum(lax.bitwise_not(is_nan(a)), axis=axis, keepdims=keepdims, where=where)
    count = lax.sub(count, lax.convert_element_type(ddof, count.dtype))
    too_few = lax.le(count, np.zeros((), count.dtype))
    result = choose(too_few, math.nan, sum(centered, axis=axis, keepdims=keepdims, where=where))
    divisor = choose(too_few, 1, count)
    result = lax.div(result, lax.convert_element_type(divisor, result.dtype))
    return lax.convert_element_type(result, result_dtype)


@_jit_arithmetic
def nanstd(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=None, mean=None):
    """The square root of ``nanvar``; arguments as there."""
    check_arraylike("nanstd", a)
    where = check_where("nanstd", where)
    if dtype is not None:
        dtype = dtypes.check_user_dtype_supported(dtype, "nanstd")
    refuse_out("nanstd", out)
    return lax.sqrt(nanvar(a, axis=axis, dtype=dtype, ddof=ddof, keepdims=keepdims, where=where, mean=mean))
