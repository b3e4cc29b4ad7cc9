"""Running sums and products along an axis."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.engine.api.jit import jit
from jaxnb.engine.core import dtypes
from jaxnb.engine.ops.axes import canonicalize_axis
from jaxnb.numpy.arguments import check_arraylike
from jaxnb.numpy.reductions import default_width
from jaxnb.numpy.selection import choose


def _accumulate(
    name: str,
    running: Any,
    a: Any,
    axis: Any,
    dtype: Any,
    out: Any,
    *,
    fill: int | None = None,
    promote: bool = False,
) -> Any:
    """The running reduction of ``a`` along an axis, all of it in a row where there is none.

    Args:
        name: what messages call it.
        running: the reduction.
        a: array.
        axis: the axis, or None.
        dtype: element type of the result; truth values are counted as integers.
        out: must be None.
        fill: what stands in for NaN, or None.
        promote: whether narrow integers are summed at the default width.
    """
    check_arraylike(name, a)
    if out is not None:
        raise NotImplementedError(f"The 'out' argument to jnp.{name} is not supported")
    if dtype is not None:
        dtype = dtypes.check_user_dtype_supported(dtype, name)
    if axis is None or np.ndim(a) == 0:
        a = lax.reshape(a, (np.size(a),))
        axis = 0
    axis = canonicalize_axis(axis, len(a.shape))
    if fill is not None:
        a = choose(lax.ne(a, a), np.asarray(fill, a.dtype)[()], a)
    a_dtype = dtypes.dtype(a, canonicalize=True)
    if promote and dtype is None:
        dtype = default_width(a_dtype)
    if dtype is None and a_dtype == np.bool_:
        dtype = dtypes.canonicalize_dtype(np.int64)
    if dtype is not None and dtype == np.bool_:
        if a_dtype != np.bool_:
            a = lax.ne(a, np.zeros((), a_dtype))
        a = lax.convert_element_type(a, dtypes.canonicalize_dtype(np.int64))
    elif dtype is not None or dtypes.is_weakly_typed(a):
        a = lax.convert_element_type(a, a_dtype if dtype is None else dtype)
    result = running(a, axis)
    return result if dtype is None else lax.convert_element_type(result, dtype)


_jit = functools.partial(jit, static_argnames=("axis", "dtype"))


@_jit
def cumsum(a, axis=None, dtype=None, out=None):
    """The sums of the elements up to each place along an axis; without one, of the flattened array."""
    return _accumulate("cumsum", lax.cumsum, a, axis, dtype, out)


@_jit
def cumprod(a, axis=None, dtype=None, out=None):
    """The products of the elements up to each place along an axis; without one, of the flattened array."""
    return _accumulate("cumprod", lax.cumprod, a, axis, dtype, out)


@_jit
def nancumsum(a, axis=None, dtype=None, out=None):
    """``cumsum`` with zeros in place of NaNs."""
    return _accumulate("nancumsum", lax.cumsum, a, axis, dtype, out, fill=0)


@_jit
def nancumprod(a, axis=None, dtype=None, out=None):
    """``cumprod`` with ones in place of NaNs."""
    return _accumulate("nancumprod", lax.cumprod, a, axis, dtype, out, fill=1)


@_jit
def _cumsum_with_promotion(a, axis=None, dtype=None, out=None):
    return _accumulate("cumsum", lax.cumsum, a, axis, dtype, out, promote=True)


def _axis_of_running(name: str, word: str, x: Any, axis: Any) -> int:
    check_arraylike(name, x)
    ndim = np.ndim(x)
    if ndim == 0:
        raise ValueError(
            f"The input must be non-scalar to take a cumulative {word}, however a scalar value or scalar array "
            "was given."
        )
    if axis is None:
        if ndim > 1:
            raise ValueError(
                f"The input array has rank {ndim}, however axis was not set to an explicit value. The axis argument "
                "is only optional for one-dimensional arrays."
            )
        axis = 0
    return canonicalize_axis(axis, ndim)


def _with_initial(out: Any, axis: int, initial: int) -> Any:
    shape = list(out.shape)
    shape[axis] = 1
    return lax.concatenate([lax.full(shape, initial, dtype=out.dtype), out], dimension=axis)


def cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False):
    """The sums of the elements up to each place along an axis; with ``include_initial`` after a first zero."""
    axis = _axis_of_running("cumulative_sum", "sum", x, axis)
    dtype = None if dtype is None else dtypes.check_user_dtype_supported(dtype, "cumulative_sum")
    out = _cumsum_with_promotion(x, axis=axis, dtype=dtype)
    return _with_initial(out, axis, 0) if include_initial else out


def cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False):
    """The products of the elements up to each place along an axis; with ``include_initial`` after a first one."""
    axis = _axis_of_running("cumulative_prod", "product", x, axis)
    dtype = None if dtype is None else dtypes.check_user_dtype_supported(dtype, "cumulative_prod")
    out = _accumulate("cumulative_prod", lax.cumprod, x, axis, dtype, None)
    return _with_initial(out, axis, 1) if include_initial else out
