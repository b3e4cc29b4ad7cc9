"""Shapes and axes as every op states them: canonical forms, bounds checks, broadcasting.

Must not define primitives or touch array values.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from jaxnb.engine.core import dtypes
from jaxnb.engine.core.trace import Tracer

Shape = tuple[int, ...]


def canonicalize_shape(shape: Any, context: str = "") -> Shape:
    """The shape as a tuple of Python ints; a lone integer is a one-dimensional shape.

    Args:
        shape: what is to be one.
        context: what an error says of it besides.

    Raises:
        TypeError: it is none.
    """
    try:
        if isinstance(shape, int | np.integer):
            return (operator.index(shape),)
        return tuple(map(operator.index, shape))
    except TypeError:
        pass
    raise TypeError(_shape_error(shape, context))


def _shape_error(shape: Any, context: str) -> str:
    text = f"Shapes must be 1D sequences of concrete values of integer type, got {shape}."
    text += f" {context}" if context else ""
    sizes = shape if np.iterable(shape) else (shape,)
    traced = [size for size in sizes if isinstance(size, Tracer)]
    if traced:
        text += "\nIf using `jit`, try using `static_argnums` or applying `jit` to smaller subfunctions."
        text += "".join(size._origin_msg() for size in traced)
    return text


def canonicalize_axis(axis: Any, ndim: int) -> int:
    """The axis counted from the front, ``0 <= axis < ndim``.

    Raises:
        ValueError: the axis is out of bounds.
    """
    axis = operator.index(axis)
    if not -ndim <= axis < ndim:
        raise ValueError(f"axis {axis} is out of bounds for array of dimension {ndim}")
    return axis + ndim if axis < 0 else axis


def canonicalize_axes(axes: Any, ndim: int) -> tuple[int, ...]:
    """Each axis counted from the front."""
    return tuple(canonicalize_axis(axis, ndim) for axis in axes)


def check_nonnegative(name: str, what: str, values: Sequence[Any]) -> None:
    """Raises unless every value is a nonnegative integer."""
    array = np.array(values)
    if array.size and not np.issubdtype(array.dtype, np.integer):
        kinds = tuple(map(type, values))
        raise TypeError(f"{name} {what} must have every element be an integer type, got {kinds}.")
    if not all(value >= 0 for value in values):
        raise TypeError(f"{name} {what} must have every element be nonnegative, got {values}.")


def broadcast_shapes(*shapes: Any) -> Shape:
    """The shape that arrays of these shapes broadcast to under NumPy's rules."""
    assert shapes
    shapes = tuple(canonicalize_shape(shape) for shape in shapes)
    rank = max(len(shape) for shape in shapes)
    padded = [(1,) * (rank - len(shape)) + shape for shape in shapes]
    for shape in shapes:
        if any(size < 0 for size in shape):
            raise TypeError(
                f"Only non-negative indices are allowed when broadcasting static shapes, but got shape {shape}."
            )
    result = []
    for sizes in zip(*padded, strict=True):
        wide = {size for size in sizes if size != 1}
        if len(wide) > 1:
            raise ValueError(f"Incompatible shapes for broadcasting: shapes={list(shapes)}")
        result.append(wide.pop() if wide else 1)
    return tuple(result)


def shape_as_value(shape: Shape) -> np.ndarray:
    """The shape as an array of integers."""
    return np.asarray(shape, dtype=dtypes.canonicalize_dtype(np.int64))
