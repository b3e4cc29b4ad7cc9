"""Reductions over axes: sum, prod, max, min, all, any, mean, var, std and what is made of them.

Those that leave NaNs out are in ``nan_reductions.py``, quantiles in ``quantiles.py``, running ones in
``cumulative.py``.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.base.errors import ConcretizationTypeError
from jaxnb.engine.api.jit import jit
from jaxnb.engine.core import dtypes
from jaxnb.engine.core.trace import Tracer
from jaxnb.engine.ops.axes import canonicalize_axis
from jaxnb.engine.ops.reductions import all_bits, max_identity, min_identity
from jaxnb.numpy.arguments import (
    check_arraylike,
    check_arraylike_or_none,
    promote_dtypes_inexact,
    promote_dtypes_numeric,
)
from jaxnb.numpy.selection import choose


def is_half_precision(dtype: Any) -> bool:
    """Whether sums of this type are better made in single precision."""
    return dtype in (np.dtype(np.float16), np.dtype(dtypes.bfloat16))


# Axes


def static_axis(axis: Any) -> Any:
    """The axis as a hashable static argument: None, an integer or a tuple of integers.

    Raises:
        ConcretizationTypeError: it is traced.
        TypeError: it is no axis.
    """
    if axis is None:
        return None
    if isinstance(axis, Tracer):
        value = axis.concrete()
        if value is None:
            raise ConcretizationTypeError(axis, "The axis argument must be known statically.")
        axis = value
    try:
        return operator.index(axis)
    except TypeError:
        return (
            axis
            if isinstance(axis, str)
            else tuple(i if isinstance(i, str) else operator.index(i) for i in axis)
        )


def reduced_axes(a: Any, axis: Any) -> tuple[int, ...]:
    """The axes that ``axis`` names, counted from the front.

    Raises:
        ValueError: one is out of bounds or named twice.
    """
    ndim = np.ndim(a)
    if axis is None:
        return tuple(range(ndim))
    axes = (axis,) if isinstance(axis, int | np.integer | str) else tuple(axis)
    for name in axes:
        if isinstance(name, str):
            raise NameError(
                f"Found an unbound axis name: {name}. To fix this, please call psum under `jax.shard_map`."
            )
    found = tuple(canonicalize_axis(i, ndim) for i in axes)
    if len(found) != len(set(found)):
        raise ValueError(f"duplicate value in 'axis': {axis}")
    return found


# One reduction for all


@dataclass(frozen=True)
class Reduction:
    """What distinguishes one reduction from another.

    Attributes:
        name: what messages call it.
        reduce: the reduction of numbers.
        reduce_bool: the reduction of truth values.
        combine: the operation on two numbers, for an initial value.
        identity: from a dtype to the value that changes nothing.
        prepare: what is done to the operand first.
        has_identity: whether nothing at all may be reduced.
        upcast: whether half precision is summed in single precision.
    """

    name: str
    reduce: Callable[..., Any]
    reduce_bool: Callable[..., Any]
    combine: Callable[..., Any]
    identity: Callable[[Any], Any]
    prepare: Callable[[Any], Any] | None = None
    has_identity: bool = True
    upcast: bool = False


def reduce_with(
    kind: Reduction,
    a: Any,
    *,
    axis: Any = None,
    dtype: Any = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = None,
    promote_integers: bool = False,
) -> Any:
    """The reduction of ``a`` over ``axis``, as NumPy defines it."""
    name = kind.name
    check_arraylike(name, a)
    check_arraylike_or_none(name, None, initial)
    if dtype is not None:
        dtype = dtypes.check_user_dtype_supported(dtype, name)
    where = check_where(name, where)
    if initial is None and not kind.has_identity and where is not None:
        raise ValueError(
            f"reduction operation {name} does not have an identity, so to use a where mask one has to specify 'initial'"
        )
    if kind.prepare is not None:
        a = kind.prepare(a)
    axes = reduced_axes(a, axis)
    if initial is None and not kind.has_identity and 0 in [np.shape(a)[i] for i in axes]:
        raise ValueError(f"zero-size array to reduction operation {name} which has no identity")
    result_dtype = dtypes.dtype(a, canonicalize=True) if dtype is None else dtype
    if dtype is None and promote_integers:
        result_dtype = default_width(result_dtype)
    inside = (
        np.dtype(np.float32)
        if kind.upcast and dtype is None and is_half_precision(result_dtype)
        else result_dtype
    )
    a = lax.convert_element_type(a, inside)
    identity = kind.identity(inside)
    if where is not None:
        a = choose(where, a, identity)
    reduce = kind.reduce_bool if inside == np.bool_ else kind.reduce
    result = reduce(a, axes)
    if initial is not None:
        if np.shape(initial):
            raise ValueError(f"initial value must be a scalar. Got array of shape {np.shape(initial)}")
        result = kind.combine(lax.convert_element_type(initial, inside), result)
    if keepdims:
        result = lax.expand_dims(result, axes)
    return lax.convert_element_type(result, result_dtype)


def check_where(name: str, where: Any) -> Any:
    """The mask, if it is one.

    Raises:
        TypeError: it is no array.
        ValueError: its elements are no truth values.
    """
    check_arraylike_or_none(name, None, None, where)
    if where is not None and dtypes.dtype(where) != np.bool_:
        found = dtypes.dtype(where, canonicalize=True)
        raise ValueError(f"jnp.{name}: where must be None or a boolean array; got where.dtype={found!r}.")
    return where


def default_width(dtype: Any) -> Any:
    """Integers narrower than the default come to its width."""
    default = dtypes.canonicalize_dtype(np.int64)
    if dtypes.issubdtype(dtype, np.bool_):
        return default
    if dtypes.issubdtype(dtype, np.unsignedinteger):
        wide = np.dtype(f"uint{8 * default.itemsize}")
    elif dtypes.issubdtype(dtype, np.integer):
        wide = default
    else:
        return dtype
    return wide if np.dtype(dtype).itemsize < wide.itemsize else dtype


def _to_numeric(a: Any) -> Any:
    return promote_dtypes_numeric(a)[0]


def truth_of(a: Any) -> Any:
    """Whether each element is not zero; of a complex number, its real part."""
    if dtypes.issubdtype(dtypes.dtype(a), np.complexfloating):
        a = lax.real(a)
    return lax.convert_element_type(a, np.bool_)


def _combine_bool(numbers: Callable[..., Any], truths: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, y: truths(x, y) if y.dtype == np.bool_ else numbers(x, y)


def _constant(value: int) -> Callable[[Any], Any]:
    return lambda dtype: np.dtype(dtype).type(value)


SUM = Reduction(
    "sum",
    lax.reduce_sum,
    lax.reduce_or,
    _combine_bool(lax.add, lax.bitwise_or),
    _constant(0),
    prepare=_to_numeric,
    upcast=True,
)
PROD = Reduction(
    "prod",
    lax.reduce_prod,
    lax.reduce_and,
    _combine_bool(lax.mul, lax.bitwise_and),
    _constant(1),
    prepare=_to_numeric,
    upcast=True,
)
MAX = Reduction("max", lax.reduce_max, lax.reduce_max, lax.max, max_identity, has_identity=False)
MIN = Reduction("min", lax.reduce_min, lax.reduce_min, lax.min, min_identity, has_identity=False)
ALL = Reduction("all", lax.reduce_and, lax.reduce_and, lax.bitwise_and, all_bits, prepare=truth_of)
ANY = Reduction("any", lax.reduce_or, lax.reduce_or, lax.bitwise_or, _constant(0), prepare=truth_of)

_jit_arithmetic = functools.partial(
    jit, static_argnames=("axis", "dtype", "keepdims", "promote_integers"), inline=True
)
_jit_plain = functools.partial(jit, static_argnames=("axis", "keepdims"), inline=True)


def refuse_out(name: str, out: Any) -> None:
    """Raises unless ``out`` is None: arrays are not written to."""
    if out is not None:
        raise NotImplementedError(f"The 'out' argument to jnp.{name} is not supported.")


@_jit_arithmetic
def _reduce_sum(
    a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None, promote_integers=True
):
    return reduce_with(
        SUM, a, axis=axis, dtype=dtype, keepdims=keepdims, initial=initial, where=where,
        promote_integers=promote_integers,
    )  # fmt: skip


def sum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None, promote_integers=True):
    """The sum of the elements over the axes.

    Args:
        a: array.
        axis: axis or axes; None: all.
        dtype: element type to sum in, and of the result.
        out: not supported.
        keepdims: whether reduced axes stay with size one.
        initial: a scalar to start from.
        where: truth values; elements where it is False are left out.
        promote_integers: whether narrow integers are summed at the default width.
    """
    refuse_out("sum", out)
    return _reduce_sum(
        a, axis=static_axis(axis), dtype=dtype, keepdims=keepdims, initial=initial, where=where,
        promote_integers=promote_integers,
    )  # fmt: skip


@_jit_arithmetic
def _reduce_prod(
    a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None, promote_integers=True
):
    return reduce_with(
        PROD, a, axis=axis, dtype=dtype, keepdims=keepdims, initial=initial, where=where,
        promote_integers=promote_integers,
    )  # fmt: skip


def prod(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None, promote_integers=True):
    """The product of the elements over the axes; arguments as those of ``sum``."""
    refuse_out("prod", out)
    return _reduce_prod(
        a, axis=static_axis(axis), dtype=dtype, keepdims=keepdims, initial=initial, where=where,
        promote_integers=promote_integers,
    )  # fmt: skip


@_jit_plain
def _reduce_max(a, axis=None, out=None, keepdims=False, initial=None, where=None):
    return reduce_with(MAX, a, axis=axis, keepdims=keepdims, initial=initial, where=where)


def max(a, axis=None, out=None, keepdims=False, initial=None, where=None):
    """The greatest element over the axes; arguments as those of ``sum``."""
    refuse_out("max", out)
    return _reduce_max(a, axis=static_axis(axis), keepdims=keepdims, initial=initial, where=where)


@_jit_plain
def _reduce_min(a, axis=None, out=None, keepdims=False, initial=None, where=None):
    return reduce_with(MIN, a, axis=axis, keepdims=keepdims, initial=initial, where=where)


def min(a, axis=None, out=None, keepdims=False, initial=None, where=None):
    """The least element over the axes; arguments as those of ``sum``."""
    refuse_out("min", out)
    return _reduce_min(a, axis=static_axis(axis), keepdims=keepdims, initial=initial, where=where)


amax = max
amin = min


def _minmax_op(x, y):
    return lax.min(x[0], y[0]), lax.max(x[1], y[1])


@_jit_plain
def _reduce_minmax(a, axis=None, keepdims=False, init_min=None, init_max=None, where=None):
    check_arraylike("minmax", a)
    check_arraylike_or_none("minmax", None, init_min, init_max)
    where = check_where("minmax", where)
    if where is not None and (init_min is None or init_max is None):
        raise ValueError(
            "reduction operation minmax does not have an identity, so to use a where mask one has to specify 'initial'"
        )
    axes = reduced_axes(a, axis)
    if (init_min is None or init_max is None) and 0 in [np.shape(a)[i] for i in axes]:
        raise ValueError("zero-size array to reduction operation minmax which has no identity")
    dtype = dtypes.dtype(a, canonicalize=True)
    a = lax.convert_element_type(a, dtype)
    identities = (min_identity(dtype), max_identity(dtype))
    both = (a, a) if where is None else tuple(choose(where, a, identity) for identity in identities)
    least, greatest = lax.reduce(both, identities, _minmax_op, axes)
    for initial in (init_min, init_max):
        if initial is not None and np.shape(initial):
            raise ValueError(f"initial value must be a scalar. Got array of shape {np.shape(initial)}")
    if init_min is not None:
        least = lax.min(lax.convert_element_type(init_min, dtype), least)
    if init_max is not None:
        greatest = lax.max(lax.convert_element_type(init_max, dtype), greatest)
    if keepdims:
        return lax.expand_dims(least, axes), lax.expand_dims(greatest, axes)
    return least, greatest


def minmax(a, axis=None, out=None, keepdims=False, initial=None, where=None):
    """The least and the greatest element over the axes, found in one pass.

    Args:
        a: array.
        axis: axis or axes; None: all.
        out: not supported.
        keepdims: whether reduced axes stay with size one.
        initial: a scalar to start from, or a pair: one for the least, one for the greatest.
        where: truth values; elements where it is False are left out.

    Returns:
        Two arrays of ``a``'s type.

    Raises:
        TypeError: ``a`` is no array.
        ValueError: there is nothing to reduce and no initial value, or a mask and no initial value.
    """
    refuse_out("minmax", out)
    init_min, init_max = initial if isinstance(initial, tuple) else (initial, initial)
    return _reduce_minmax(
        a, axis=static_axis(axis), keepdims=keepdims, init_min=init_min, init_max=init_max, where=where
    )


@_jit_plain
def _reduce_all(a, axis=None, out=None, keepdims=False, *, where=None):
    return reduce_with(ALL, a, axis=axis, keepdims=keepdims, where=where)


def all(a, axis=None, out=None, keepdims=False, *, where=None):
    """Whether all elements over the axes are true."""
    refuse_out("all", out)
    return _reduce_all(a, axis=_unnamed(axis, "all"), keepdims=keepdims, where=where)


@_jit_plain
def _reduce_any(a, axis=None, out=None, keepdims=False, *, where=None):
    return reduce_with(ANY, a, axis=axis, keepdims=keepdims, where=where)


def any(a, axis=None, out=None, keepdims=False, *, where=None):
    """Whether any element over the axes is true."""
    refuse_out("any", out)
    return _reduce_any(a, axis=_unnamed(axis, "any"), keepdims=keepdims, where=where)


def _unnamed(axis: Any, name: str) -> Any:
    if isinstance(axis, str):
        raise NotImplementedError(f"Named reductions not implemented for jnp.{name}()")
    return static_axis(axis)
