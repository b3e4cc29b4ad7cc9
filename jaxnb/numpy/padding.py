"""Arrays made larger at the ends of their axes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.engine.api.jit import jit
from jaxnb.engine.core import dtypes
from jaxnb.engine.core.trace import Tracer
from jaxnb.engine.ops.conversion import convert
from jaxnb.numpy import reductions
from jaxnb.numpy.along_axes import apply_along_axis
from jaxnb.numpy.arguments import concrete, ensure_arraylike
from jaxnb.numpy.arithmetic import minus, times
from jaxnb.numpy.creation import asarray, empty, linspace
from jaxnb.numpy.elementary import round as round_half_even
from jaxnb.numpy.indexing import getitem
from jaxnb.numpy.joining import concatenate, repeat
from jaxnb.numpy.means import mean
from jaxnb.numpy.quantiles import median
from jaxnb.numpy.rolling import flip

Widths = tuple[tuple[Any, Any], ...]
"""For each axis, how much is added before and after it."""

_ALLOWED: dict[str, tuple[str, ...]] = {
    "constant": ("constant_values",),
    "edge": (),
    "linear_ramp": ("end_values",),
    "maximum": ("stat_length",),
    "mean": ("stat_length",),
    "median": ("stat_length",),
    "minimum": ("stat_length",),
    "reflect": ("reflect_type",),
    "symmetric": ("reflect_type",),
    "wrap": (),
    "empty": (),
}


def pad(array, pad_width, mode="constant", **kwargs):
    """The array with more at the ends of its axes; the mode says what."""
    x = ensure_arraylike("pad", array)
    widths = _pad_widths(pad_width, x.ndim)
    if callable(mode):
        return _pad_by(x, widths, mode, kwargs)
    if mode not in _ALLOWED:
        raise NotImplementedError(f"Unimplemented padding mode '{mode}' for np.pad.")
    unknown = set(kwargs) - set(_ALLOWED[mode])
    if unknown:
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {unknown}")
    return _pad(
        x,
        widths,
        mode,
        kwargs.get("constant_values", 0),
        kwargs.get("stat_length"),
        kwargs.get("end_values", 0),
        kwargs.get("reflect_type", "even"),
    )


def _pad_widths(pad_width: Any, ndim: int) -> Widths:
    pad_width = _known(pad_width)
    try:
        widths = np.asarray(pad_width)
    except ValueError as error:
        raise TypeError(f"`pad_width` entries must be the same shape: {pad_width}") from error
    if widths.size and widths.dtype.kind not in "iu":
        raise TypeError("`pad_width` must be of integral type.")
    pairs = _pairs(widths, ndim, "pad_width")
    if any(width < 0 for pair in pairs for width in pair):
        raise ValueError("index can't contain negative values")
    return pairs


def _known(widths: Any) -> Any:
    if isinstance(widths, tuple | list):
        return type(widths)(map(_known, widths))
    return concrete(widths, "pad_width argument of jnp.pad") if isinstance(widths, Tracer) else widths


def _pairs(values: Any, ndim: int, name: str) -> Widths:
    """A pair for each axis, from one for each, one for all, or one number."""
    values = np.asarray(values)
    shapes = f"({ndim}, 2), (1, 2), (2,), (1,), or ()"
    if values.shape not in ((ndim, 2), (1, 2), (2,), (1,), ()):
        raise ValueError(
            f"jnp.pad: {name} with nd={ndim} has unsupported shape {values.shape}. Valid shapes are {shapes}."
        )
    return tuple((before, after) for before, after in np.broadcast_to(values, (ndim, 2)))


@functools.partial(jit, static_argnums=(1, 2, 4, 5, 6))
def _pad(array, pad_width, mode, constant_values, stat_length, end_values, reflect_type):
    if array.ndim == 0:
        return array
    if mode == "constant":
        return _pad_constant(array, pad_width, constant_values)
    if mode == "wrap":
        return _pad_wrap(array, pad_width)
    if mode in ("symmetric", "reflect"):
        return _pad_mirrored(array, pad_width, mode, reflect_type)
    if mode == "empty":
        return _pad_each(array, pad_width, _empty_ends)
    if mode == "edge":
        return _pad_each(array, pad_width, _edges)
    if mode == "linear_ramp":
        ends = _pairs(end_values, array.ndim, "end_values")
        return _pad_each(array, pad_width, functools.partial(_ramps, ends))
    lengths = None if stat_length is None else _pairs(stat_length, array.ndim, "stat_length")
    return _pad_each(array, pad_width, functools.partial(_statistics, mode, lengths))


def _pad_by(x: Any, widths: Widths, fill: Callable[..., Any], options: dict[str, Any]) -> Any:
    """The array padded with zeros, of which each row along each axis goes through a function."""
    zero = np.zeros((), x.dtype)[()]
    x = lax.pad(x, zero, tuple((before, after, 0) for before, after in widths))
    for axis in range(x.ndim):
        x = apply_along_axis(fill, axis, x, widths[axis], axis, options)
    return x


# Ends that are a constant


def _pad_constant(x: Any, widths: Widths, values: Any) -> Any:
    values = convert(asarray(values), x.dtype, False)
    if values.ndim == 0:
        return lax.pad(x, values, tuple((before, after, 0) for before, after in widths))
    values = _value_pairs(values, x.ndim)
    for axis in range(x.ndim):
        for side in range(2):
            config: list[tuple[Any, Any, int]] = [(0, 0, 0)] * x.ndim
            width = widths[axis][side]
            config[axis] = (width, 0, 0) if side == 0 else (0, width, 0)
            x = lax.pad(x, getitem(values, (axis, side)), tuple(config))
    return x


def _value_pairs(values: Any, ndim: int) -> Any:
    shape = values.shape
    if shape in ((ndim, 2), (1, 2), (2,), (1,)):
        return lax.broadcast_in_dim(values, (ndim, 2), range(2 - len(shape), 2))
    if len(shape) in (1, 2) and shape[-1] not in (1, 2):
        raise ValueError(
            f"jnp.pad: constant_values has unsupported shape {shape}. If the shape is 1D or 2D, the last dimension "
            "must be of size 1 or 2."
        )
    raise ValueError(
        f"jnp.pad: constant_values with nd={ndim} has unsupported shape {shape}. Valid shapes are "
        f"({ndim}, 2), (1, 2), (2,), (1,), or ()."
    )


# Ends that repeat the array


def _check_not_empty(x: Any, axis: int, pair: tuple[Any, Any], mode: str) -> bool:
    """Whether the axis has elements.

    Raises:
        ValueError: it has none, and there is something to add.
    """
    if x.shape[axis]:
        return True
    if pair[0] > 0 or pair[1] > 0:
        raise ValueError(f"Cannot apply '{mode}' padding to empty axis")
    return False


def _pad_wrap(x: Any, widths: Widths) -> Any:
    for axis, (before, after) in enumerate(widths):
        if not _check_not_empty(x, axis, (before, after), "wrap"):
            continue
        size = x.shape[axis]
        wholes_before, rest_before = divmod(int(before), size)
        wholes_after, rest_after = divmod(int(after), size)
        parts = [x] * (wholes_before + 1 + wholes_after)
        if rest_before:
            parts.insert(0, lax.slice_in_dim(x, size - rest_before, size, axis=axis))
        if rest_after:
            parts.append(lax.slice_in_dim(x, 0, rest_after, axis=axis))
        x = lax.concatenate(parts, axis)
    return x


def _pad_mirrored(x: Any, widths: Widths, mode: str, reflect_type: str) -> Any:
    assert reflect_type in ("even", "odd")
    for axis, (before, after) in enumerate(widths):
        if not _check_not_empty(x, axis, (before, after), mode) or (before, after) == (0, 0):
            continue
        size = x.shape[axis]
        skipped = 1 if mode == "reflect" and size > 1 else 0
        x = _mirror(x, axis, int(before), size, skipped, odd=reflect_type == "odd", at_end=False)
        x = _mirror(x, axis, int(after), size, skipped, odd=reflect_type == "odd", at_end=True)
    return x


def _mirror(x: Any, axis: int, width: int, size: int, skipped: int, *, odd: bool, at_end: bool) -> Any:
    """The array with its mirror image at one end, in steps of at most the axis' first size."""

    def part(a: Any, start: int, stop: int) -> Any:
        n = a.shape[axis]
        return lax.slice_in_dim(a, n - stop if at_end else start, n - start if at_end else stop, axis=axis)

    edge = part(x, 0, 1)
    while width > 0:
        step = min(width, size - skipped)
        width -= step
        image = flip(part(x, skipped, skipped + step), axis)
        if odd:
            image = minus(times(2, edge), image)
            # the image's far end is where the next one starts
            edge = lax.slice_in_dim(image, step - 1 if at_end else 0, step if at_end else 1, axis=axis)
        x = lax.concatenate([x, image] if at_end else [image, x], axis)
    return x


# Ends that follow from the array


def _pad_each(x: Any, widths: Widths, ends: Callable[..., tuple[Any, Any]]) -> Any:
    for axis, (before, after) in enumerate(widths):
        first, last = ends(x, axis, int(before), int(after))
        x = concatenate([first, x, last], axis=axis)
    return x


def _empty_ends(x: Any, axis: int, before: int, after: int) -> tuple[Any, Any]:
    shapes = [(*x.shape[:axis], width, *x.shape[axis + 1 :]) for width in (before, after)]
    return empty(shapes[0], x.dtype), empty(shapes[1], x.dtype)


def _outermost(x: Any, axis: int, before: int, after: int, mode: str) -> tuple[Any, Any]:
    _check_not_empty(x, axis, (before, after), mode)
    size = x.shape[axis]
    return lax.slice_in_dim(x, 0, 1, axis=axis), lax.slice_in_dim(x, size - 1, size, axis=axis)


def _edges(x: Any, axis: int, before: int, after: int) -> tuple[Any, Any]:
    _check_not_empty(x, axis, (before, after), "edge")
    size = x.shape[axis]
    first = repeat(lax.slice_in_dim(x, 0, 1, axis=axis), before, axis=axis)
    return first, repeat(lax.slice_in_dim(x, size - 1, size, axis=axis), after, axis=axis)


def _ramps(ends: Widths, x: Any, axis: int, before: int, after: int) -> tuple[Any, Any]:
    first, last = _outermost(x, axis, before, after, "linear_ramp")
    options: dict[str, Any] = {"endpoint": False, "dtype": x.dtype, "axis": axis}
    up = linspace(ends[axis][0], lax.squeeze(first, (axis,)), num=before, **options)
    down = linspace(ends[axis][1], lax.squeeze(last, (axis,)), num=after, **options)
    return up, flip(down, axis)


_STATISTICS: dict[str, Callable[..., Any]] = {
    "maximum": reductions.max,
    "minimum": reductions.min,
    "mean": mean,
    "median": median,
}


def _statistics(
    mode: str, lengths: Widths | None, x: Any, axis: int, before: int, after: int
) -> tuple[Any, Any]:
    reduce = _STATISTICS[mode]
    if lengths is None:
        first = last = reduce(x, axis=axis, keepdims=True)
    else:
        size = x.shape[axis]
        heads, tails = (min(length, size) for length in lengths[axis])
        if (heads == 0 or tails == 0) and mode in ("maximum", "minimum"):
            raise ValueError("stat_length of 0 yields no value for padding")
        head = lax.slice_in_dim(x, 0, heads, axis=axis)
        tail = lax.slice_in_dim(x, -tails, None, axis=axis)
        first, last = reduce(head, axis=axis, keepdims=True), reduce(tail, axis=axis, keepdims=True)
    if dtypes.issubdtype(x.dtype, np.integer):
        first, last = round_half_even(first), round_half_even(last)
    first, last = convert(first, x.dtype, False), convert(last, x.dtype, False)
    return repeat(first, before, axis=axis), repeat(last, after, axis=axis)
