"""Diagonals and triangles of matrices."""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.engine.api.jit import jit
from jaxnb.engine.core import dtypes
from jaxnb.engine.ops.axes import canonicalize_axis
from jaxnb.numpy.arguments import check_arraylike, ensure_arraylike
from jaxnb.numpy.arithmetic import minus, plus, power, times
from jaxnb.numpy.creation import arange, eye, triangle, zeros
from jaxnb.numpy.indexing import read
from jaxnb.numpy.selection import choose
from jaxnb.numpy.shapes import moveaxis, ravel
from jaxnb.numpy.updates import _IndexUpdateHelper

# Triangles


def _mask(name: str, m: Any, k: int) -> tuple[Any, Any]:
    """The matrices, and where in them the elements at and below the ``k``-th diagonal are."""
    x = ensure_arraylike(name, m)
    if x.ndim < 2:
        raise ValueError(f"Argument to jax.numpy.{name} must be at least 2D")
    mask = triangle(x.shape[-2:], operator.index(k) - (name == "triu"), np.dtype(bool))
    return x, lax.broadcast(mask, x.shape[:-2])


@functools.partial(jit, static_argnames=("k",))
def tril(m, k=0):
    """The elements at and below the ``k``-th diagonal, zeros above."""
    x, mask = _mask("tril", m, k)
    return lax.select(mask, x, lax.full_like(x, 0))


@functools.partial(jit, static_argnames=("k",))
def triu(m, k=0):
    """The elements at and above the ``k``-th diagonal, zeros below."""
    x, mask = _mask("triu", m, k)
    return lax.select(mask, lax.full_like(x, 0), x)


# Diagonals


def diag(v, k=0):
    """The ``k``-th diagonal of a matrix, or the matrix with a vector there and zeros elsewhere."""
    return _diag(ensure_arraylike("diag", v), operator.index(k))


@functools.partial(jit, static_argnames=("k",))
def _diag(v, k):
    if v.ndim == 2:
        return diagonal(v, offset=k)
    if v.ndim != 1:
        raise ValueError("diag input must be 1d or 2d")
    zero = np.zeros((), v.dtype)[()]
    v = lax.pad(v, zero, ((max(0, -k), max(0, k), 0),))
    size = v.shape[0]
    row, column = (lax.broadcasted_iota(np.int32, (size, size), d) for d in (0, 1))
    on = lax.eq(lax.add(row, np.int32(k)), column)
    return choose(on, lax.expand_dims(v, (1,)), zero)


@functools.partial(jit, static_argnames=("offset", "axis1", "axis2"))
def diagonal(a, offset=0, axis1=0, axis2=1):
    """A diagonal of the matrices that two axes hold, along a last axis of its own."""
    x = ensure_arraylike("diagonal", a)
    if x.ndim < 2:
        raise ValueError("diagonal requires an array of at least two dimensions.")
    offset = operator.index(offset)
    first, second = canonicalize_axis(axis1, x.ndim), canonicalize_axis(axis2, x.ndim)
    rows, columns = x.shape[first], x.shape[second]
    if x.ndim == 2 and rows == columns and offset == 0 and x.dtype != np.bool_:
        # one platform has no gather
        return lax.platform_dependent(
            eye(rows, dtype=x.dtype),
            x,
            mosaic=lambda one, x: lax.reduce_sum(lax.mul(one, x), (0,)),
            default=lambda _, x: _read_diagonal(x, first, second, offset),
        )
    return _read_diagonal(x, first, second, offset)


def _read_diagonal(x: Any, first: int, second: int, offset: int) -> Any:
    rows, columns = x.shape[first], x.shape[second]
    x = moveaxis(x, (first, second), (-2, -1))
    size = max(0, min(rows + min(offset, 0), columns - max(offset, 0)))
    i, j = arange(size), arange(abs(offset), abs(offset) + size)
    row, column = (i, j) if offset >= 0 else (j, i)
    return read(x, (..., row, column), mode="promise_in_bounds")


def diagflat(v, k=0):
    """The matrix with the elements on its ``k``-th diagonal and zeros elsewhere."""
    check_arraylike("diagflat", v)
    v = ravel(v)
    size = v.size + abs(k)
    out = zeros(size * size, v.dtype)
    i = arange(v.size)
    places = plus(plus(i, max(0, k)), times(plus(i, max(0, -k)) if k < 0 else i, size))
    return lax.reshape(_IndexUpdateHelper(out)[places].set(v), (size, size))


def fill_diagonal(a, val, wrap=False, *, inplace=True):
    """The array with a value, or values in turn, on its main diagonal."""
    if inplace:
        raise NotImplementedError("JAX arrays are immutable, must use inplace=False")
    if wrap:
        raise NotImplementedError("wrap=True is not implemented, must use wrap=False")
    x, values = ensure_arraylike("fill_diagonal", a, val)
    _check_square(x.shape, "array must be at least 2-d", square=x.ndim > 2)
    size = min(x.shape)
    i = diag_indices(size, x.ndim)
    values = ravel(values) if values.ndim > 1 else values
    if values.ndim:
        values = repeated(values, size)
    return _IndexUpdateHelper(x)[i].set(values)


def repeated(values: Any, size: int) -> Any:
    """The values, over and over, until there are as many as asked for."""
    if values.size < size:
        values = lax.tile(values, (-(-size // values.size),))
    return values if values.size == size else lax.slice(values, (0,), (size,))


def _check_square(shape: tuple[int, ...], too_few: str, *, square: bool = True) -> None:
    if len(shape) < 2:
        raise ValueError(too_few)
    if square and len(set(shape)) > 1:
        raise ValueError("All dimensions of input must be of equal length")


def diag_indices(n, ndim=2):
    """The indices, by axis, of the main diagonal of an array with ``ndim`` axes of size ``n``."""
    n, ndim = operator.index(n), operator.index(ndim)
    if n < 0:
        raise ValueError(f"n argument to diag_indices must be nonnegative, got {n}")
    if ndim < 0:
        raise ValueError(f"ndim argument to diag_indices must be nonnegative, got {ndim}")
    return (arange(n),) * ndim


def diag_indices_from(arr):
    """The indices, by axis, of an array's main diagonal."""
    check_arraylike("diag_indices_from", arr)
    shape = np.shape(arr)
    _check_square(shape, "input array must be at least 2-d")
    return diag_indices(shape[0], len(shape))


# Matrices of powers


@functools.partial(jit, static_argnames=("N", "increasing"))
def vander(x, N=None, increasing=False):
    """The matrix whose columns are powers of the elements, the highest first."""
    x = ensure_arraylike("vander", x)
    if x.ndim != 1:
        raise ValueError("x must be a one-dimensional array")
    count = x.shape[0] if N is None else operator.index(N)
    if count < 0:
        raise ValueError("N must be nonnegative")
    exponents = lax.iota(x.dtype, count)
    if not increasing:
        exponents = minus(count - 1, exponents)
    return power(lax.expand_dims(x, (1,)), lax.expand_dims(exponents, (0,)))
