"""What an index expression means: each of its parts, and the axes of array and result they are about.

Lives here: reading the expression, and NumPy's rules for it. Must not apply it: ``indexing.py`` gathers,
``updates.py`` scatters.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import numpy as np

from jaxnb.base.errors import NonConcreteBooleanIndexError
from jaxnb.engine.core import dtypes
from jaxnb.engine.core.avals import check_not_masked
from jaxnb.engine.core.trace import Tracer
from jaxnb.engine.ops.staging import is_array
from jaxnb.numpy.creation import asarray
from jaxnb.xla.version import JAXLIB_VERSION


class NewAxis(NamedTuple):
    """``None``: an axis of size one in the result."""


class Slice(NamedTuple):
    """A slice of one axis, counted from the front; a negative step is a positive one read backwards."""

    axis: int
    first: int
    """The element that the slice begins with, in its own direction."""
    start: int
    limit: int
    step: int
    size: int
    whole: int
    """The size of the axis."""

    @property
    def reversed(self) -> bool:
        """Whether it runs backwards."""
        return self.step < 0

    @property
    def is_full(self) -> bool:
        """Whether it takes the axis as it is."""
        return self.step == 1 and self.size == self.whole


class Static(NamedTuple):
    """An index known to Python."""

    axis: int
    value: int
    whole: int


class Scalar(NamedTuple):
    """An index known at run time."""

    axis: int
    value: Any
    whole: int


class Many(NamedTuple):
    """An array of indices."""

    axis: int
    value: Any
    whole: int


Part = NewAxis | Slice | Static | Scalar | Many


class IndexSpec(NamedTuple):
    """An index expression, read for an array of a known shape."""

    parts: tuple[Part, ...]
    shape: tuple[int, ...]
    """The array's shape, with an axis of size one for each scalar boolean."""
    new_axes: tuple[int, ...]
    """Those axes."""

    @property
    def has_arrays(self) -> bool:
        """Whether an array of indices takes part."""
        return any(isinstance(part, Many) for part in self.parts)


def read_index(shape: tuple[int, ...], index: Any) -> IndexSpec:
    """The index expression as parts that cover all axes of an array of this shape.

    Raises:
        IndexError: too many indices, or one out of what the array has.
        TypeError: a part is of a kind that no index is.
    """
    items = _boolean_parts(shape, as_items(index))
    consumed = sum(count for _, count in items)
    if sum(item is Ellipsis for item, _ in items) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    if consumed > len(shape):
        raise IndexError(f"Too many indices: array is {len(shape)}-dimensional, but {consumed} were indexed")
    if not any(item is Ellipsis for item, _ in items):
        items.append((Ellipsis, 0))
    parts: list[Part] = []
    full_shape: list[int] = []
    new_axes: list[int] = []
    sizes = iter(shape)
    for position, (item, count) in enumerate(items):
        axis = len(full_shape)
        if item is None:
            parts.append(NewAxis())
        elif item is Ellipsis:
            for _ in range(len(shape) - consumed):
                whole = next(sizes)
                parts.append(Slice(len(full_shape), 0, 0, whole, 1, whole, whole))
                full_shape.append(whole)
        else:
            if count == 0:
                new_axes.append(axis)
            full_shape.append(whole := next(sizes) if count else 1)
            parts.append(_part(item, axis, whole, position))
    return IndexSpec(tuple(parts), tuple(full_shape), tuple(new_axes))


def as_items(index: Any) -> tuple[Any, ...]:
    """The parts of an index.

    Raises:
        TypeError: it is a string, holds one, or is a sequence that is no tuple.
    """
    if isinstance(index, str):
        raise TypeError(f"JAX does not support string indexing; got idx={index!r}")
    if isinstance(index, tuple):
        for item in index:
            if isinstance(item, str):
                raise TypeError(f"JAX does not support string indexing; got idx={item!r}")
        return index
    if isinstance(index, Sequence) and not isinstance(index, bytes):
        advice = "array"
        if any(item is None or item is Ellipsis or isinstance(item, slice | Sequence) for item in index):
            advice = "tuple"
        raise TypeError(
            "Using a non-tuple sequence for multidimensional indexing is not allowed; use "
            f"`arr[{advice}(seq)]` instead of `arr[seq]`. See https://github.com/jax-ml/jax/issues/4564 "
            "for more information."
        )
    return (index,)


def _boolean_parts(shape: tuple[int, ...], items: Sequence[Any]) -> list[tuple[Any, int]]:
    """Each part with the number of the array's axes it is about; boolean arrays become arrays of indices."""
    out: list[tuple[Any, int]] = []
    axis = 0
    for position, item in enumerate(items):
        item = _as_index_array(item)
        if item is None or item is Ellipsis:
            out.append((item, 0))
            if item is Ellipsis:
                # what follows is counted from the end; its own parts say how many axes that is
                rest = sum(_axes_of(_as_index_array(later)) for later in items[position + 1 :])
                axis = max(axis, len(shape) - rest)
            continue
        if not _is_boolean(item):
            out.append((item, 1))
            axis += 1
            continue
        if isinstance(item, Tracer) and item.concrete() is None:
            raise NonConcreteBooleanIndexError(item.aval.str_short())
        mask = np.asarray(item)
        if mask.ndim == 0:
            out.append((np.zeros(int(bool(mask)), int), 0))
            continue
        expected = list(shape[axis : axis + mask.ndim])
        if list(mask.shape) != expected:
            raise IndexError(
                f"boolean index did not match shape of indexed array in index {position}: "
                f"got {mask.shape}, expected {expected}"
            )
        out += [(places, 1) for places in np.nonzero(mask)]
        axis += mask.ndim
    return out


def _as_index_array(item: Any) -> Any:
    """Sequences among the parts as arrays; all else as it is."""
    if isinstance(item, list | tuple | range):
        if any(is_array(leaf) for leaf in item):
            return asarray(list(item))
        host = np.asarray(item)
        if host.dtype == bool:
            return host
        return asarray(host.astype(np.int64) if host.size == 0 else list(item))
    return item


def _axes_of(item: Any) -> int:
    if item is None or item is Ellipsis:
        return 0
    return np.ndim(item) if _is_boolean(item) else 1


def _is_boolean(item: Any) -> bool:
    if isinstance(item, bool | np.bool_):
        return True
    return hasattr(item, "dtype") and item.dtype == np.bool_


def _part(item: Any, axis: int, whole: int, position: int) -> Part:
    if isinstance(item, slice):
        return _slice(item, axis, whole, position)
    if isinstance(item, int | np.integer):
        if whole == 0:
            raise IndexError(f"index is out of bounds for axis {axis} with size 0")
        return Static(axis, operator.index(item), whole)
    if not hasattr(item, "dtype") and hasattr(item, "__jax_array__"):
        item = item.__jax_array__()
    if isinstance(item, float | complex) and not hasattr(item, "dtype"):
        item = np.asarray(item)
    item = cast(Any, item)
    if not hasattr(item, "dtype") or not hasattr(item, "shape"):
        if hasattr(item, "__index__"):
            return _part(operator.index(item), axis, whole, position)
        raise IndexError(
            "only integers, slices (`:`), ellipsis (`...`), newaxis (`None`) and integer or boolean arrays "
            f"are valid indices. Got {item}"
        )
    check_not_masked(item)
    if not dtypes.issubdtype(item.dtype, np.integer):
        raise TypeError(f"Indexer must have integer or boolean type, got indexer with type {item.dtype}")
    if np.ndim(item):
        return Many(axis, item, whole)
    if whole == 0:
        raise IndexError(f"index is out of bounds for axis {axis} with size 0")
    return Scalar(axis, item, whole)


def _dynamic_slice_message(item: slice, position: int, bound: Tracer) -> str:
    if JAXLIB_VERSION < (0, 12):
        return f"Slice entries must be static integers. Got {item} at position {position}"
    return (
        "Array slice indices must have static start/stop/step to be used with NumPy indexing syntax. Got "
        f"{item} at position {position}. To index an array at a dynamic position with a static slice size, use "
        "x[jax.ds(start, size)] or lax.dynamic_slice/dynamic_update_slice instead (JAX does not support dynamically "
        f"sized arrays within traced functions).{bound._origin_msg()}"
    )


def _slice(item: slice, axis: int, whole: int, position: int) -> Slice:
    for bound in (item.start, item.stop, item.step):
        if isinstance(bound, Tracer) and bound.concrete() is None:
            raise IndexError(_dynamic_slice_message(item, position, bound))
    bounds = [
        None if bound is None else operator.index(bound) for bound in (item.start, item.stop, item.step)
    ]
    first, stop, step = slice(*bounds).indices(whole)
    size = len(range(first, stop, step))
    if step > 0:
        return Slice(axis, first, first, max(first, stop), step, size, whole)
    last = first + (size - 1) * step
    start, limit = (last, first + 1) if size else (stop + 1, stop + 1)
    return Slice(axis, first, start, limit, step, size, whole)
