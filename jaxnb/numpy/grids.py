"""Grids of coordinates, and indices built from them."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.engine.core import dtypes
from jaxnb.numpy.arguments import check_arraylike, concrete, promote_dtypes
from jaxnb.numpy.creation import arange, array, linspace
from jaxnb.numpy.joining import concatenate, stack
from jaxnb.numpy.shapes import transpose
from jaxnb.numpy.updates import stretch

s_ = np.s_
index_exp = np.index_exp


def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    """For vectors of coordinates, each one's array over the grid that they span."""
    check_arraylike("meshgrid", *xi)
    shapes = [np.shape(x) for x in xi]
    if not copy:
        raise ValueError("jax.numpy.meshgrid only supports copy=True")
    if indexing not in ("xy", "ij"):
        raise ValueError(f"Valid values for indexing are 'xy' and 'ij', got {indexing}")
    if any(len(shape) != 1 for shape in shapes):
        raise ValueError(f"Arguments to jax.numpy.meshgrid must be 1D, got shapes {shapes}")
    vectors = list(map(array_of, xi))
    swaps = indexing == "xy" and len(vectors) >= 2
    if swaps:
        vectors[:2] = vectors[1::-1]
    grid = tuple(x.shape[0] for x in vectors)
    out = [_along(x, d, grid, sparse=sparse) for d, x in enumerate(vectors)]
    if swaps:
        out[:2] = out[1::-1]
    return out


def array_of(x: Any) -> Any:
    """An argument as an array of ours or a tracer."""
    return promote_dtypes(x)[0]


def _along(x: Any, d: int, grid: tuple[int, ...], *, sparse: bool) -> Any:
    shape = tuple(1 if sparse and other != d else size for other, size in enumerate(grid))
    return lax.broadcast_in_dim(x, shape, (d,))


def indices(dimensions, dtype=None, sparse=False):
    """For an array's shape, each element's place along each axis."""
    dtype = np.dtype(np.int32) if dtype is None else dtype
    sizes = tuple(operator.index(concrete(d, "dimensions argument of jnp.indices")) for d in dimensions)
    out = [
        _along(lax.iota(dtypes.canonicalize_dtype(dtype), size), d, sizes, sparse=sparse)
        for d, size in enumerate(sizes)
    ]
    if sparse:
        return tuple(out)
    return stack(out, 0) if out else array([], dtype=dtype)


def ix_(*args):
    """For vectors of indices, the index of the grid that they span."""
    check_arraylike("ix", *args)
    out = []
    for d, x in enumerate(map(array_of, args)):
        if x.ndim != 1:
            raise ValueError(f"Arguments to jax.numpy.ix_ must be 1-dimensional, got shape {x.shape}")
        if x.dtype == np.bool_:
            raise NotImplementedError("Boolean arguments to jax.numpy.ix_ are not implemented")
        if x.size == 0:
            x = lax.convert_element_type(x, dtypes.canonicalize_dtype(np.int64))
        out.append(lax.broadcast_in_dim(x, (1,) * d + x.shape + (1,) * (len(args) - d - 1), (d,)))
    return tuple(out)


# Grids written as slices


def _range(part: slice) -> Any:
    """The numbers from a slice's start to its stop; an imaginary step is a count, and includes the stop."""
    start = 0 if part.start is None else part.start
    step = 1 if part.step is None else part.step
    if np.iscomplexobj(step):
        return linspace(start, part.stop, int(abs(step)))
    return arange(start, part.stop, step)


class _Grid:
    def __init__(self, *, sparse: bool):
        self.sparse = sparse

    def __getitem__(self, key):
        if isinstance(key, slice):
            return _range(key)
        axes = promote_dtypes(*map(_range, key))
        grid = meshgrid(*axes, indexing="ij", sparse=self.sparse)
        return grid if self.sparse else stack(grid, 0)


class _Mgrid(_Grid):
    """A grid, as one array: ``mgrid[0:3, 0:1:5j]``."""

    def __init__(self):
        super().__init__(sparse=False)


class _Ogrid(_Grid):
    """A grid, as arrays that broadcast to it: ``ogrid[0:3, 0:1:5j]``."""

    def __init__(self):
        super().__init__(sparse=True)


mgrid = _Mgrid()
ogrid = _Ogrid()


# Arrays written as indices


class _Join:
    """Joins what stands in an index: arrays, numbers, slices for ranges; a first string says how."""

    axis = 0
    ndmin = 1
    trans1d = -1

    def __getitem__(self, key):
        items = key if isinstance(key, tuple) else (key,)
        axis, ndmin, trans1d, directive = self.axis, self.ndmin, self.trans1d, ""
        if isinstance(items[0], str):
            directive, items = items[0], items[1:]
            if directive in ("r", "c"):
                axis, ndmin, trans1d = 0, 2, (-1 if directive == "r" else 0)
            else:
                axis, ndmin, trans1d = self._directive(directive)
        parts = [self._part(item, ndmin, trans1d) for item in items]
        out = concatenate(parts, axis=axis)
        return out

    def _directive(self, text: str) -> tuple[int, int, int]:
        try:
            given = [int(part) for part in text.split(",")]
        except ValueError:
            raise ValueError(f"could not understand directive {text!r}") from None
        defaults = [self.axis, self.ndmin, self.trans1d]
        axis, ndmin, trans1d = [*given[:3], *defaults[len(given) :]][:3]
        return axis, ndmin, trans1d

    def _part(self, item: Any, ndmin: int, trans1d: int) -> Any:
        whole = array(_range(item), copy=False) if isinstance(item, slice) else array(item, copy=False)
        ndim = whole.ndim
        if ndim >= ndmin:
            return whole
        whole = stretch(whole, (1,) * (ndmin - ndim) + whole.shape)
        turn = (trans1d + 1) % ndmin
        return transpose(whole, (*range(turn, ndmin), *range(turn))) if turn and ndim else whole


class RClass(_Join):
    """Joins along the first axis: ``r_[1:4, 0, x]``."""


class CClass(_Join):
    """Joins along the last axis, vectors as columns: ``c_[x, y]``."""

    axis = -1
    ndmin = 2
    trans1d = 0


r_ = RClass()
c_ = CClass()
