"""Differences between neighbouring elements, and what is made of them: gradients, integrals, unwrapped phases."""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.engine.api.jit import jit
from jaxnb.engine.core import dtypes
from jaxnb.engine.ops.axes import canonicalize_axis
from jaxnb.engine.ops.staging import stage
from jaxnb.numpy.arguments import check_arraylike, ensure_arraylike, promote_dtypes, promote_dtypes_inexact
from jaxnb.numpy.creation import asarray
from jaxnb.numpy.cumulative import cumsum
from jaxnb.numpy.division import floor_divide, mod, true_divide
from jaxnb.numpy.elementary import abs
from jaxnb.numpy.joining import concatenate
from jaxnb.numpy.predicates import not_equal
from jaxnb.numpy.reductions import sum
from jaxnb.numpy.selection import choose
from jaxnb.numpy.shapes import moveaxis, ravel, squeeze


def _slab(x: Any, shape: tuple[int, ...], axis: int) -> Any:
    """What is put beside the array; a scalar is repeated for each row."""
    x = ensure_arraylike("diff", x)
    return x if x.ndim else lax.broadcast_in_dim(x, (*shape[:axis], 1, *shape[axis + 1 :]), ())


@functools.partial(jit, static_argnames=("n", "axis"))
def diff(a, n=1, axis=-1, prepend=None, append=None):
    """The differences between neighbours along an axis.

    Args:
        a: array.
        n: how many times differences are taken.
        axis: axis.
        prepend: what is put before the array first.
        append: what is put after it.
    """
    a = ensure_arraylike("diff", a)
    if n == 0:
        return a
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n}")
    if a.ndim == 0:
        raise ValueError(f"diff requires input that is at least one dimensional; got {a}")
    axis = canonicalize_axis(axis, a.ndim)
    before = [] if prepend is None else [_slab(prepend, a.shape, axis)]
    after = [] if append is None else [_slab(append, a.shape, axis)]
    if before or after:
        a = concatenate([*before, a, *after], axis)
    upper = (*[slice(None)] * axis, slice(1, None))
    lower = (*[slice(None)] * axis, slice(None, -1))
    for _ in range(n):
        a = not_equal(a[upper], a[lower]) if dtypes.dtype(a) == np.bool_ else a[upper] - a[lower]
    return stage(a)


@jit
def ediff1d(ary, to_end=None, to_begin=None):
    """The differences between neighbours of all elements in one row, and what is put around them.

    Args:
        ary: array, ``n`` elements; no truth values.
        to_end: what is put behind the differences, in a row.
        to_begin: what is put before them, in a row.

    Returns:
        ``n - 1`` differences, and the elements put around them, in ``ary``'s type.

    Raises:
        TypeError: an argument is no array.
    """
    ary = ravel(ensure_arraylike("ediff1d", ary))
    out = lax.sub(ary[1:], ary[:-1])
    if to_begin is not None:
        out = concatenate([_row_of(to_begin, ary.dtype), out])
    if to_end is not None:
        out = concatenate([out, _row_of(to_end, ary.dtype)])
    return out


def _row_of(x: Any, dtype: Any) -> Any:
    check_arraylike("ediff1d", x)
    return ravel(asarray(x, dtype=dtype))


# Gradients


def _cut(x: Any, axis: int, start: int | None, stop: int | None) -> Any:
    return lax.slice_in_dim(x, start, stop, axis=axis)


def _slope(f: Any, spacing: Any, axis: int) -> Any:
    """The derivative along an axis: from both neighbours inside, from one at the ends.

    Inside, with the distances p before and q behind, it is the slope of the parabola through the three points:
    ``-q / (p(p + q)) f₋ + (q - p) / (pq) f + p / (q(p + q)) f₊``.
    """
    at_start = _cut(f, axis, 1, 2) - _cut(f, axis, 0, 1)
    at_end = _cut(f, axis, -1, None) - _cut(f, axis, -2, -1)
    if np.ndim(spacing) == 0:
        inside = (_cut(f, axis, 2, None) - _cut(f, axis, None, -2)) * 0.5 / spacing
        at_end = at_end / spacing
        at_start = at_start / spacing
        return concatenate([at_start, inside, at_end], axis=axis)
    x = lax.reshape(spacing, tuple(f.shape[i] if i == axis else 1 for i in range(f.ndim)))
    at_start = at_start / (_cut(x, axis, 1, 2) - _cut(x, axis, 0, 1))
    at_end = at_end / (_cut(x, axis, -1, None) - _cut(x, axis, -2, -1))
    p = _cut(x, axis, 1, -1) - _cut(x, axis, 0, -2)
    q = _cut(x, axis, 2, None) - _cut(x, axis, 1, -1)
    before = -q / (p * (p + q))
    here = (q - p) / (p * q)
    behind = p / (q * (p + q))
    inside = before * _cut(f, axis, 0, -2) + here * _cut(f, axis, 1, -1) + behind * _cut(f, axis, 2, None)
    return concatenate([at_start, inside, at_end], axis=axis)


@functools.partial(jit, static_argnames=("axis", "edge_order"))
def gradient(f, *varargs, axis=None, edge_order=None):
    """The derivatives of a function that is known on a grid.

    Args:
        f: values.
        varargs: the distance between neighbours: nothing for one, a number for all axes, or for each axis a number or
            the places, ``[n]``.
        axis: axis or axes; None: all.
        edge_order: not supported.

    Returns:
        An inexact array of ``f``'s shape for each axis, in a list; without the list for one axis.

    Raises:
        TypeError: there is another number of distances.
        ValueError: an axis has one element only, or the places are not one for each element of their axis.
        NotImplementedError: ``edge_order`` is given.
    """
    f, *spacings = promote_dtypes_inexact(f, *varargs)
    if edge_order is not None:
        raise NotImplementedError("The 'edge_order' argument to jnp.gradient is not supported.")
    if axis is None:
        axes = tuple(range(f.ndim))
    else:
        try:
            each = (operator.index(axis),)
        except TypeError:
            each = tuple(axis)
        axes = tuple(canonicalize_axis(operator.index(i), f.ndim) for i in each)
    if min([s for i, s in enumerate(f.shape) if i in axes], default=2) < 2:
        raise ValueError(
            "Shape of array too small to calculate a numerical gradient, at least 2 elements are required."
        )
    if len(axes) == 0:
        return []
    if not spacings:
        spacings = [1.0] * len(axes)
    elif len(spacings) == 1:
        spacings = spacings * len(axes)
    elif len(spacings) != len(axes):
        raise TypeError(f"Invalid number of spacing arguments {len(spacings)} for {axis=}")
    for along, spacing in zip(axes, spacings, strict=True):
        if np.ndim(spacing) > 1:
            raise ValueError("Spacing arrays must be 1D arrays or scalars.")
        if np.ndim(spacing) == 1 and np.size(spacing) != f.shape[along]:
            raise ValueError(
                "Spacing arrays must have the same length as the dimension along which the gradient is calculated."
            )
    out = [_slope(f, spacing, along) for along, spacing in zip(axes, spacings, strict=True)]
    return out[0] if len(axes) == 1 else out


@functools.partial(jit, static_argnames=("axis",))
def trapezoid(y, x=None, dx=1.0, axis=-1):
    """The integral by the trapezoidal rule.

    Args:
        y: values.
        x: the places of the values along the axis, ``[n]``, or of ``y``'s shape.
        dx: the distance between neighbours, where ``x`` is not given; or all distances, ``[n - 1]``.
        axis: axis to integrate along.

    Returns:
        An inexact array without the axis.

    Raises:
        TypeError: an argument is no array.
        ValueError: there is no such axis, or ``x`` does not fit.
    """
    if x is None:
        y = ensure_arraylike("trapezoid", y)
        (y,) = promote_dtypes_inexact(y)
        dx = asarray(dx)
        if dx.ndim:
            dx = moveaxis(lax.broadcast_to_rank(dx, max(dx.ndim, y.ndim)), axis, -1)
        y = moveaxis(y, axis, -1)
        if not dx.ndim or dx.shape[-1] == 1:
            dx = squeeze(dx, axis=-1) if dx.ndim else dx
            return dx * (sum(y, axis=-1) - 0.5 * (y[..., 0] + y[..., -1]))
        widths = dx
    else:
        y, x = ensure_arraylike("trapezoid", y, x)
        y, x = promote_dtypes_inexact(y, x)
        widths = diff(x) if x.ndim == 1 else moveaxis(diff(x, axis=axis), axis, -1)
        y = moveaxis(y, axis, -1)
    return 0.5 * sum(widths * (y[..., 1:] + y[..., :-1]), axis=-1)


@functools.partial(jit, static_argnames=("axis",))
def unwrap(p, discont=None, axis=-1, period=2 * np.pi):
    """The phases without their jumps: whole periods are added until neighbours are as near as they can be.

    Args:
        p: phases; real.
        discont: only steps greater than this are jumps; half a period by default.
        axis: axis along which phases follow one another.
        period: the period; with integers of both the result is integers.

    Returns:
        An array of ``p``'s shape in the common type of ``p`` and ``period``.

    Raises:
        TypeError: an argument is no array.
        ValueError: ``p`` is complex.
    """
    p = ensure_arraylike("unwrap", p)
    p, period = promote_dtypes(p, period)
    if dtypes.issubdtype(p.dtype, np.complexfloating):
        raise ValueError("jnp.unwrap does not support complex inputs.")
    if p.shape[axis] == 0:
        return p
    if discont is None:
        discont = true_divide(period, 2)
    is_whole = dtypes.issubdtype(p.dtype, np.integer)
    half = floor_divide(period, 2) if is_whole else true_divide(period, 2)
    steps = diff(p, axis=axis)
    nearest = mod(steps + half, period) - half
    # a step up of half a period stays one
    nearest = choose((nearest == -half) & (steps > 0), half, nearest)
    added = choose(abs(steps) < discont, 0, nearest - steps)
    first, rest = _cut(p, axis, 0, 1), _cut(p, axis, 1, None)
    return concatenate([first, rest + cumsum(added, axis=axis)], axis=axis)
