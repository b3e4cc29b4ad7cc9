"""Places in sorted arrays: searchsorted and digitize.

NaN is the greatest of all, and both zeros are one, as in ``sort``.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.engine.api.jit import jit
from jaxnb.engine.api.vmap import vmap
from jaxnb.engine.core import dtypes
from jaxnb.engine.core.ad import Zero
from jaxnb.engine.core.avals import ShapedArray
from jaxnb.engine.core.printer import print_hi_primitive
from jaxnb.engine.core.rules import Undefined, composite, define
from jaxnb.engine.ops.comparison import eq_to_p, le_to_p, lt_to_p
from jaxnb.engine.ops.shape import moveaxis
from jaxnb.numpy.arguments import check_arraylike, ensure_arraylike, promote_dtypes
from jaxnb.numpy.creation import zeros_like
from jaxnb.numpy.promotion import constant_like
from jaxnb.numpy.reductions import sum
from jaxnb.numpy.selection import choose
from jaxnb.numpy.shapes import ravel, reshape
from jaxnb.xla.version import JAXLIB_VERSION

# Comparison in the order of sort


def _keys(x: Any) -> list[Any]:
    """The numbers that decide where ``x`` stands, the first of them most."""
    if dtypes.issubdtype(x.dtype, np.complexfloating):
        return [_key(lax.real(x)), _key(lax.imag(x))]
    return [_key(x)] if dtypes.issubdtype(x.dtype, np.floating) else [x]


def _key(x: Any) -> Any:
    """``x`` with one zero and one NaN."""
    found = lax.select(lax.eq(x, constant_like(x, 0)), lax.full_like(x, 0), x)
    return lax.select(lax.ne(x, x), lax.full_like(x, np.nan), found)


def _is_before(x: Any, y: Any, or_equal: bool) -> Any:
    x_keys, y_keys = _keys(x), _keys(y)
    first = le_to_p if or_equal else lt_to_p
    result = first.bind(x_keys[-1], y_keys[-1])
    for a, b in zip(x_keys[-2::-1], y_keys[-2::-1], strict=True):
        result = lax.bitwise_or(lt_to_p.bind(a, b), lax.bitwise_and(eq_to_p.bind(a, b), result))
    return result


# Methods: each takes whether to unroll, the sorted array, the values, the side and the dtype of places

_method = functools.partial(jit, static_argnums=(0, 3, 4))


@_method
def _searchsorted_scan_impl(unrolled, a, v, side, dtype):
    """The interval where the value may belong, halved until it is empty."""
    if a.shape[0] == 0:
        return lax.full_like(v, 0, dtype)
    if v.ndim:
        return vmap(lambda value: _searchsorted_scan_impl(unrolled, a, value, side, dtype))(v)
    unsigned = np.dtype(np.uint32 if len(a) < np.iinfo(np.int32).max else np.uint64)

    def halve(interval: Any, _: Any) -> tuple[Any, Any]:
        low, high = interval
        middle = low + (high - low) // 2
        before = _is_before(v, a[middle], side == "left")
        return (lax.select(before, low, middle), lax.select(before, middle, high)), ()

    steps = math.ceil(math.log2(len(a) + 1))
    whole = unsigned.type(0), unsigned.type(len(a))
    (_, high), _ = lax.scan(halve, whole, (), length=steps, unroll=steps if unrolled else 1)
    return high.astype(dtype)


@_method
def _searchsorted_sort_impl(unrolled, a, v, side, dtype):
    """Where the values stand when they are sorted with the array, less where they stand among themselves."""
    together = lax.concatenate([ravel(v), a] if side == "left" else [a, ravel(v)], 0)
    places = _ranks(together)[: v.size] if side == "left" else _ranks(together)[len(a) :]
    return reshape(lax.sub(places, _ranks(ravel(v))), v.shape).astype(dtype)


def _ranks(x: Any) -> Any:
    """Where each element would be if they were sorted."""
    places = lax.iota(dtypes.canonicalize_dtype(np.int64), len(x))
    ranks = zeros_like(places)
    _, order = lax.sort_key_val(x, places)
    return ranks.at[order].set(places)


@_method
def _searchsorted_compare_all_impl(unrolled, a, v, side, dtype):
    """How many elements of the array are before the value."""
    before = vmap(lambda x, value: _is_before(x, value, side == "right"), in_axes=(0, None))(a, v)
    return sum(before, axis=0, dtype=dtype)


_METHODS = {
    "compare_all": (_searchsorted_compare_all_impl, False),
    "scan": (_searchsorted_scan_impl, False),
    "scan_unrolled": (_searchsorted_scan_impl, True),
    "sort": (_searchsorted_sort_impl, False),
}


def _by_operations(a: Any, v: Any, side: str, method: str) -> Any:
    fun, unrolled = _METHODS[method]
    return fun(unrolled, a, v, side, _place_dtype(len(a)))


def _place_dtype(length: int) -> np.dtype:
    return np.dtype(np.int32 if length < np.iinfo(np.int32).max else np.int64)


# As one operation: newer JAX has it in its programs under the name SearchSorted


def _abstract(
    a: ShapedArray, v: ShapedArray, *, side: str, dimension: int, batch_dims: int, method: str
) -> ShapedArray:
    free = [n for i, n in enumerate(a.shape) if i >= batch_dims and i != dimension]
    shape = (*a.shape[:batch_dims], *free, *v.shape[batch_dims:])
    return ShapedArray(shape, _place_dtype(a.shape[dimension]))


def _expanded(a: Any, v: Any, *, side: str, dimension: int, batch_dims: int, method: str) -> Any:
    def search(a: Any, v: Any) -> Any:
        return _by_operations(a, v, side, method)

    a = moveaxis(a, dimension, a.ndim - 1)
    for _ in range(a.ndim - 1 - batch_dims):
        search = vmap(search, in_axes=(0, None))
    for _ in range(batch_dims):
        search = vmap(search)
    return search(a, v)


def _jvp(primals: Any, tangents: Any, **params: Any) -> tuple[Any, Any]:
    out = searchsorted_p.bind(*primals, **params)
    return out, Zero.from_primal_value(out)


def _batch(args: Any, dims: Any, *, dimension: int, batch_dims: int, **params: Any) -> tuple[Any, int]:
    (a, v), (da, dv) = args, dims
    if da is None:
        # the new axis is one more axis of values
        v = moveaxis(v, dv, batch_dims)
        out = searchsorted_p.bind(a, v, dimension=dimension, batch_dims=batch_dims, **params)
        return out, a.ndim - 1
    if dv is None:
        a = moveaxis(a, da, batch_dims)
        out = searchsorted_p.bind(a, v, dimension=dimension + 1, batch_dims=batch_dims, **params)
        return out, batch_dims
    a, v = moveaxis(a, da, 0), moveaxis(v, dv, 0)
    out = searchsorted_p.bind(a, v, dimension=dimension + 1, batch_dims=batch_dims + 1, **params)
    return out, 0


searchsorted_p = define(
    "SearchSorted",
    abstract=_abstract,
    lower=composite(_expanded),
    jvp=_jvp,
    transpose=Undefined("places have no tangents"),
    batch=_batch,
)


print_hi_primitive(
    "SearchSorted",
    lambda eqn: {name: eqn.params[name] for name in ("side", "dimension", "batch_dims", "method")},
    searchsorted_p,
)


def _as_operation(a: Any, v: Any, side: str, method: str) -> Any:
    return searchsorted_p.bind(a, v, side=side, dimension=0, batch_dims=0, method=method)


_search = _as_operation if JAXLIB_VERSION >= (0, 12) else _by_operations


@functools.partial(jit, static_argnames=("side", "method"))
def searchsorted(a, v, side="left", sorter=None, *, method="scan"):
    """The places where values would be inserted into a sorted array.

    Args:
        a: one-dimensional array in ascending order.
        v: values.
        side: "left": before what is equal; "right": after it.
        sorter: the positions that sort ``a``, if it is not sorted.
        method: "scan" (bisection), "scan_unrolled", "sort" or "compare_all".
    """
    if sorter is None:
        a, v = ensure_arraylike("searchsorted", a, v)
    else:
        a, v, sorter = ensure_arraylike("searchsorted", a, v, sorter)
    if side not in ("left", "right"):
        raise ValueError(f"invalid argument {side=}, expected 'left' or 'right'")
    if method not in _METHODS:
        raise ValueError(f"invalid argument {method=}, expected one of {list(_METHODS)}")
    if a.ndim != 1:
        raise ValueError("a should be 1-dimensional")
    a, v = promote_dtypes(a, v)
    if sorter is not None:
        a = a[sorter]
    return _search(a, v, side, method)


@functools.partial(jit, static_argnames=("right", "method"))
def digitize(x, bins, right=False, *, method=None):
    """The number of the bin that each value belongs to.

    Args:
        x: values.
        bins: where bins end, in ascending or descending order.
        right: whether what is equal to an end is in the bin before it.
        method: as for ``searchsorted``.
    """
    x, bins = ensure_arraylike("digitize", x, bins)
    if bins.ndim != 1:
        raise ValueError(f"digitize: bins must be a 1-dimensional array; got {bins=}")
    if bins.shape[0] == 0:
        return zeros_like(x, dtype=np.int32)
    side = "left" if right else "right"
    method = "scan" if method is None else method
    return choose(
        bins[-1] >= bins[0],
        searchsorted(bins, x, side=side, method=method),
        bins.shape[0] - searchsorted(lax.rev(bins, (0,)), x, side=side, method=method),
    )
