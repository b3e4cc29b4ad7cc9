"""Changing an array's shape or the order of its axes, and asking for its shape."""

from __future__ import annotations

import functools
import math
import operator
from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.engine.api.jit import jit
from jaxnb.engine.core.trace import Tracer
from jaxnb.engine.ops.axes import broadcast_shapes as broadcast_shapes
from jaxnb.engine.ops.axes import canonicalize_axes, canonicalize_axis, canonicalize_shape
from jaxnb.numpy.arguments import check_arraylike, ensure_arraylike, static_indices
from jaxnb.numpy.creation import asarray
from jaxnb.numpy.updates import stretch
from jaxnb.xla.version import JAXLIB_VERSION

# Asking


def shape(a):
    """The sizes of the axes."""
    return a.shape if hasattr(a, "shape") and not isinstance(a, np.generic) else _host(a, "shape").shape


def ndim(a):
    """How many axes there are."""
    return a.ndim if hasattr(a, "ndim") else _host(a, "ndim").ndim


def size(a, axis=None):
    """How many elements there are, in all or along axes."""
    sizes = shape(a)
    if axis is None:
        return math.prod(sizes)
    axes = (axis,) if isinstance(axis, int | np.integer) else axis
    return math.prod(sizes[i] for i in canonicalize_axes(axes, len(sizes)))


def _host(a: Any, name: str) -> Any:
    check_arraylike(name, a)
    return np.asarray(a)


def isscalar(element):
    """Whether a value is a scalar: a Python number, or an array without axes."""
    if isinstance(element, np.ndarray | Tracer) or hasattr(element, "aval"):
        return element.ndim == 0
    if hasattr(element, "__jax_array__"):
        return np.ndim(element.__jax_array__()) == 0
    return bool(np.isscalar(element))


def iterable(y):
    """Whether a value can be iterated over."""
    return bool(np.iterable(y)) if not hasattr(y, "aval") else y.ndim > 0


# reshape


def reshape(a, shape, order="C", *, copy=None, out_sharding=None):
    """The array's elements in another shape; one size may be -1 and follows from the others."""
    if isinstance(a, np.ndarray | np.generic):
        return asarray(a.reshape(shape, order=order))  # pyright: ignore[reportCallIssue, reportArgumentType]
    return _reshape(ensure_arraylike("reshape", a), shape, order)


def _reshape(x: Any, shape: Any, order: str) -> Any:
    sizes = _sizes(x, shape)
    if order == "C":
        return lax.reshape(x, sizes)
    if order == "F":
        axes = tuple(range(x.ndim))[::-1]
        out = lax.reshape(x, sizes[::-1], axes)
        return lax.transpose(out, tuple(range(len(sizes)))[::-1])
    if order == "A":
        raise NotImplementedError("np.reshape order=A is not implemented.")
    raise ValueError(f"Unexpected value for 'order' argument: {order}.")


def _sizes(x: Any, shape: Any) -> tuple[int, ...]:
    """The new shape, with its unknown size worked out."""
    sizes = canonicalize_shape(shape if np.iterable(shape) else [shape])
    if sizes.count(-1) > 1:
        raise TypeError(f"can only specify one unknown axis size with a `-1` value, got {sizes}")
    told = f"cannot reshape array of shape {x.shape} (size {x.size}) into shape {shape}"
    if -1 in sizes:
        known = math.prod(size for size in sizes if size != -1)
        if x.size % known:
            raise TypeError(
                f"{told} because the product of specified axis sizes ({known}) does not evenly divide {x.size}"
            )
        return tuple(x.size // known if size == -1 else size for size in sizes)
    if math.prod(sizes) != x.size:
        raise TypeError(f"{told} (size {math.prod(sizes)})")
    return sizes


@functools.partial(jit, static_argnames=("order", "out_sharding"), inline=True)
def ravel(a, order="C", *, out_sharding=None):
    """The array's elements along one axis."""
    x = ensure_arraylike("ravel", a)
    if order == "K":
        raise NotImplementedError("Ravel not implemented for order='K'.")
    return _reshape(x, (x.size,), order)


@functools.partial(jit, static_argnames=("new_shape",))
def resize(a, new_shape):
    """The array's elements, repeated or cut, in a shape of any size."""
    sizes = canonicalize_shape(new_shape)
    x = ravel(a)
    if any(size < 0 for size in sizes):
        raise ValueError("all elements of `new_shape` must be non-negative")
    total = math.prod(sizes)
    if x.size == 0 or total == 0:
        return lax.full(sizes, 0, x.dtype)
    x = lax.tile(x, (math.ceil(total / x.size),))
    return lax.reshape(x if x.size == total else lax.slice(x, (0,), (total,)), sizes)


# Order of axes


def transpose(a, axes=None):
    """The array with its axes reversed, or in the order given."""
    x = ensure_arraylike("transpose", a)
    order = tuple(range(x.ndim))[::-1] if axes is None else canonicalize_axes(axes, x.ndim)
    return lax.transpose(x, order)


def matrix_transpose(x, /):
    """The array with its last two axes exchanged."""
    x = ensure_arraylike("matrix_transpose", x)
    if x.ndim < 2:
        raise ValueError(f"x must be at least two-dimensional for matrix_transpose; got ndim={x.ndim}")
    axes = tuple(range(x.ndim))
    return lax.transpose(x, (*axes[:-2], axes[-1], axes[-2]))


def permute_dims(a, /, axes):
    """The array with its axes in the order given."""
    x = ensure_arraylike("permute_dims", a)
    return lax.transpose(x, canonicalize_axes(axes, x.ndim))


@functools.partial(jit, static_argnames=("axis1", "axis2"), inline=True)
def swapaxes(a, axis1, axis2):
    """The array with two axes exchanged."""
    x = ensure_arraylike("swapaxes", a)
    order = np.arange(x.ndim)
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return lax.transpose(x, tuple(order.tolist()))


def moveaxis(a, source, destination):
    """The array with axes moved, the others in their order."""
    x = ensure_arraylike("moveaxis", a)
    sources = _axes_of(source, x.ndim)
    destinations = _axes_of(destination, x.ndim)
    if len(sources) != len(destinations):
        raise ValueError(f"Inconsistent number of elements: {len(sources)} vs {len(destinations)}")
    order = [axis for axis in range(x.ndim) if axis not in sources]
    for place, axis in sorted(zip(destinations, sources, strict=True)):
        order.insert(place, axis)
    return lax.transpose(x, order)


def _axes_of(axes: Any, ndim: int) -> tuple[int, ...]:
    return canonicalize_axes(static_indices(axes), ndim)


@functools.partial(jit, static_argnames=("axis", "start"))
def rollaxis(a, axis, start=0):
    """The array with one axis moved to stand before another."""
    x = ensure_arraylike("rollaxis", a)
    start = operator.index(start)
    axis = canonicalize_axis(axis, x.ndim)
    if not -x.ndim <= start <= x.ndim:
        raise ValueError(f"start={start} must satisfy {-x.ndim}<=start<={x.ndim}")
    start = start + x.ndim if start < 0 else start
    return moveaxis(x, axis, start - 1 if start > axis else start)


# Axes of size one, and stretching


def squeeze(a, axis=None):
    """The array without its axes of size one, or without some of them."""
    x = ensure_arraylike("squeeze", a)
    if axis is None:
        axes = tuple(i for i, size in enumerate(x.shape) if size == 1)
    else:
        axes = static_indices(axis)
    return lax.squeeze(x, axes)


def expand_dims(a, axis):
    """The array with new axes of size one."""
    x = ensure_arraylike("expand_dims", a)
    return lax.expand_dims(x, static_indices(axis))


def broadcast_to(array, shape, *, out_sharding=None):
    """The array repeated until it has this shape."""
    x = ensure_arraylike("broadcast_to", array)
    return stretch(x, canonicalize_shape(shape))


_SEVERAL = tuple if JAXLIB_VERSION >= (0, 12) else list  # what newer JAX returns, and what older JAX does


def broadcast_arrays(*args):
    """The arrays stretched to one shape."""
    check_arraylike("broadcast_arrays", *args)
    shapes = {np.shape(x) for x in args}
    arrays = [ensure_arraylike("broadcast_arrays", x) for x in args]
    if len(shapes) <= 1:
        return _SEVERAL(arrays)
    common = broadcast_shapes(*(x.shape for x in arrays))
    return _SEVERAL(stretch(x, common) for x in arrays)


def _at_least(x: Any, kept: tuple[int, ...], rank: int) -> Any:
    """The array with axes of size one around its own, which become axes ``kept``."""
    return lax.expand_dims(x, [axis for axis in range(rank) if axis not in kept])


def _each(name: str, arrays: tuple[Any, ...], widen: Any) -> Any:
    check_arraylike(name, *arrays)
    widened = [widen(ensure_arraylike(name, x)) for x in arrays]
    return widened[0] if len(widened) == 1 else widened


@jit
def atleast_1d(*arys):
    """The arrays with at least one axis."""
    return _each("atleast_1d", arys, lambda x: x if x.ndim >= 1 else _at_least(x, (), 1))


@jit
def atleast_2d(*arys):
    """The arrays with at least two axes; new ones come first."""
    places = {0: (), 1: (1,)}
    return _each("atleast_2d", arys, lambda x: x if x.ndim >= 2 else _at_least(x, places[x.ndim], 2))


@jit
def atleast_3d(*arys):
    """The arrays with at least three axes: a vector becomes the middle one, a matrix the first two."""
    places = {0: (), 1: (1,), 2: (0, 1)}
    return _each("atleast_3d", arys, lambda x: x if x.ndim >= 3 else _at_least(x, places[x.ndim], 3))
