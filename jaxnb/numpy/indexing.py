"""Reading an array at an index: ``x[...]``, ``take`` and its kin.

A static index is a slice, a scalar one a dynamic slice, an array of indices a gather.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from jaxnb import lax
from jaxnb.engine.core import dtypes
from jaxnb.engine.core.avals import get_aval
from jaxnb.engine.core.trace import current_trace_is_eval
from jaxnb.engine.ops.addressing import GatherDimensionNumbers, GatherScatterMode
from jaxnb.engine.ops.conversion import convert
from jaxnb.engine.ops.staging import is_array, stage
from jaxnb.numpy.arguments import promote_dtypes
from jaxnb.numpy.index_spec import IndexSpec, Many, NewAxis, Scalar, Slice, Static, read_index
from jaxnb.xla.version import JAXLIB_VERSION

# What reading and writing share: the addresses


class Addresses(NamedTuple):
    """Where a gather reads or a scatter writes, and how that is arranged in the result."""

    indices: Any
    """``i32[*batch, n]``: in each row, ``n`` coordinates."""
    numbers: GatherDimensionNumbers
    slice_sizes: tuple[int, ...]
    shape: tuple[int, ...]
    """The result's shape before axes are reversed and added."""
    reversed_axes: tuple[int, ...]
    """Axes of that shape."""
    new_axes: tuple[int, ...]
    """Axes of the final result."""
    scalar: bool
    """Whether no array of indices takes part, so that indices are unique and in order."""

    @property
    def final_shape(self) -> tuple[int, ...]:
        """The result's shape."""
        shape = list(self.shape)
        for axis in self.new_axes:
            shape.insert(axis, 1)
        return tuple(shape)


def wrapped(index: Any, size: int) -> Any:
    """The index counted from the front: ``index + size`` where it is negative."""
    if dtypes.issubdtype(index.dtype, np.unsignedinteger):
        return index
    if isinstance(index, np.ndarray) and current_trace_is_eval():
        return np.where(index < 0, index + size, index)
    if isinstance(index, np.ndarray):
        index = index.astype(dtypes.canonicalize_dtype(index.dtype), copy=False)
        whole = np.asarray(size, index.dtype)
        return lax.select(index < 0, lax.add(index, whole[()]), index)
    zero, whole = np.asarray(0, index.dtype)[()], np.asarray(size, index.dtype)[()]
    return lax.select_n(lax.lt(index, zero), index, lax.add(index, size if index.aval.weak_type else whole))


def addresses_of(spec: IndexSpec, *, wrap_negative_indices: bool = True) -> Addresses:
    """The coordinates of everything an index names.

    Coordinates that vary together (arrays of indices, and scalars beside them) are stretched to one shape; a slice
    with a stride has coordinates of its own; a slice without one is a window.
    """
    wide = np.int64 if max(spec.shape, default=0) > np.iinfo(np.int32).max else np.int32
    index_dtype = np.dtype(wide)
    together = [part for part in spec.parts if isinstance(part, Static | Scalar | Many)]
    values: dict[int, Any] = {}
    for part in together:
        value: Any = part.value
        if isinstance(part, Static):
            value = value + part.whole if value < 0 and wrap_negative_indices else value
        elif wrap_negative_indices:
            value = wrapped(value, part.whole)
        values[part.axis] = value
    together_shape: tuple[int, ...] = ()
    if spec.has_arrays:
        together_shape = lax.broadcast_shapes(*(np.shape(values[part.axis]) for part in together))

    def settle() -> None:
        if spec.has_arrays:
            for part in together:
                values[part.axis] = _stretched(values[part.axis], together_shape)
        for part in together:
            value = values[part.axis]
            if is_array(value) or isinstance(value, np.ndarray):
                if isinstance(value, np.ndarray) and JAXLIB_VERSION >= (0, 12):
                    value = stage(value)
                as_it_is = isinstance(part, Many) and value.dtype == index_dtype
                values[part.axis] = value if as_it_is else convert(value, index_dtype, False)
            else:
                values[part.axis] = np.asarray(value, index_dtype)[()]

    builder = _Builder(spec, together, together_shape, index_dtype, values, settle)
    return builder.build()


def _stretched(value: Any, shape: tuple[int, ...]) -> Any:
    if np.shape(value) == shape:
        return value
    return lax.broadcast_in_dim(value, shape, range(len(shape) - np.ndim(value), len(shape)))


class _Builder:
    """Goes through the parts once, collecting coordinates and the result's axes."""

    def __init__(
        self,
        spec: IndexSpec,
        together: Sequence[Static | Scalar | Many],
        together_shape: tuple[int, ...],
        index_dtype: np.dtype,
        values: dict[int, Any],
        settle: Callable[[], None],
    ):
        self.spec = spec
        self.together = together
        self.together_shape = together_shape
        self.index_dtype = index_dtype
        self.values = values
        self.settle = settle
        self.columns: list[tuple[int, Any, tuple[int, ...]]] = []
        self.batch: list[int] = []
        self.shape: list[int] = []
        self.offsets: list[int] = []
        self.reversed_axes: list[int] = []
        self.new_axes: list[int] = []
        self.collapsed: list[int] = []
        self.slice_sizes = list(spec.shape)
        self.final_ndim = 0

    def build(self) -> Addresses:
        first = self._first_together()
        placed = not self.together
        if first is None and self.together:
            self._place_together()
            placed = True
        for position, part in enumerate(self.spec.parts):
            if isinstance(part, NewAxis):
                self.new_axes.append(self.final_ndim)
                self.final_ndim += 1
            elif isinstance(part, Slice):
                self._place_slice(part)
            elif not placed and position == first:
                self._place_together()
                placed = True
        indices = self._joined()
        columns = tuple(axis for axis, _, _ in self.columns)
        numbers = GatherDimensionNumbers(tuple(self.offsets), tuple(sorted(self.collapsed)), columns)
        return Addresses(
            indices,
            numbers,
            tuple(self.slice_sizes),
            tuple(self.shape),
            tuple(self.reversed_axes),
            tuple(self.new_axes),
            not self.spec.has_arrays,
        )

    def _first_together(self) -> int | None:
        """Where the stretched coordinates' axes stand: with the first of them if they are neighbours, else in front."""
        places = [i for i, part in enumerate(self.spec.parts) if isinstance(part, Static | Scalar | Many)]
        neighbours = places and places[-1] - places[0] == len(places) - 1
        return places[0] if neighbours or (places and not self.spec.has_arrays) else None

    def _axis(self, size: int) -> None:
        self.shape.append(size)
        self.final_ndim += 1

    def _place_together(self) -> None:
        self.settle()
        dims = tuple(range(len(self.batch), len(self.batch) + len(self.together_shape)))
        for part in self.together:
            self.columns.append((part.axis, self.values[part.axis], dims))
            self.collapsed.append(part.axis)
            self.slice_sizes[part.axis] = 1
        self.batch += self.together_shape
        for size in self.together_shape:
            self._axis(size)

    def _place_slice(self, part: Slice) -> None:
        if part.is_full:
            self.offsets.append(len(self.shape))
        elif part.step == 1:
            self.columns.append((part.axis, np.asarray(part.start, self.index_dtype)[()], ()))
            self.slice_sizes[part.axis] = part.size
            self.offsets.append(len(self.shape))
        else:
            numbers = lax.iota(self.index_dtype, part.size)
            numbers = lax.mul(np.asarray(part.step, self.index_dtype)[()], numbers)
            places = lax.add(np.asarray(part.first, self.index_dtype)[()], numbers)
            if part.reversed:
                places = lax.rev(places, (0,))
                self.reversed_axes.append(len(self.shape))
            self.columns.append((part.axis, places, (len(self.batch),)))
            self.collapsed.append(part.axis)
            self.slice_sizes[part.axis] = 1
            self.batch.append(part.size)
        self._axis(part.size)

    def _joined(self) -> Any:
        shape = (*self.batch, 1)
        columns = [lax.broadcast_in_dim(value, shape, dims) for _, value, dims in self.columns]
        if not columns:
            return np.zeros((0,), self.index_dtype)
        return lax.concatenate(columns, len(shape) - 1) if len(columns) > 1 else columns[0]


# x[...]


def getitem(x: Any, index: Any) -> Any:
    """What stands in the array at an index."""
    return read(x, index)


def read(
    x: Any,
    index: Any,
    *,
    indices_are_sorted: bool = False,
    unique_indices: bool = False,
    mode: Any = None,
    fill_value: Any = None,
    wrap_negative_indices: bool = True,
) -> Any:
    """What stands in the array at an index, with a say in what happens out of bounds."""
    spec = read_index(np.shape(x), index)
    parsed = None if mode is None else GatherScatterMode.from_any(mode)
    if parsed in (None, GatherScatterMode.CLIP, GatherScatterMode.PROMISE_IN_BOUNDS) and not spec.new_axes:
        starts = _static_starts(spec, parsed, wrap_negative_indices)
        if starts is not None:
            return _arranged(x, spec, lambda: _static_slice(x, spec, starts), contiguous=False)
        if all(not isinstance(part, Many) for part in spec.parts) and all(
            abs(part.step) == 1 for part in spec.parts if isinstance(part, Slice)
        ):
            return _arranged(x, spec, lambda: _dynamic_slice(x, spec, wrap_negative_indices), contiguous=True)
    elif all(isinstance(part, NewAxis) or (isinstance(part, Slice) and part.is_full) for part in spec.parts):
        return _arranged(x, spec, lambda: x, contiguous=False)
    return _gather(
        x,
        spec,
        addresses_of(spec, wrap_negative_indices=wrap_negative_indices),
        indices_are_sorted=indices_are_sorted,
        unique_indices=unique_indices,
        mode=mode,
        fill_value=fill_value,
    )


def _static_starts(spec: IndexSpec, mode: GatherScatterMode | None, wraps: bool) -> dict[int, int] | None:
    """The place of each static index, or None where one is not static or out of bounds."""
    starts: dict[int, int] = {}
    for part in spec.parts:
        if isinstance(part, Scalar | Many):
            return None
        if isinstance(part, Static):
            value = part.value + part.whole if part.value < 0 and wraps else part.value
            if mode is GatherScatterMode.CLIP:
                value = min(max(value, 0), part.whole - 1)
            if not 0 <= value < part.whole:
                return None
            starts[part.axis] = value
    return starts


def _static_slice(x: Any, spec: IndexSpec, starts: dict[int, int]) -> Any:
    start, limit, strides = [0] * len(spec.shape), list(spec.shape), [1] * len(spec.shape)
    for part in spec.parts:
        if isinstance(part, Slice):
            start[part.axis], limit[part.axis], strides[part.axis] = part.start, part.limit, abs(part.step)
        elif isinstance(part, Static):
            start[part.axis], limit[part.axis] = starts[part.axis], starts[part.axis] + 1
    if all(s == 0 for s in start) and tuple(limit) == spec.shape and all(s == 1 for s in strides):
        return x
    return lax.slice(x, start, limit, None if all(s == 1 for s in strides) else strides)


def _dynamic_slice(x: Any, spec: IndexSpec, wraps: bool) -> Any:
    starts: list[Any] = []
    sizes: list[int] = []
    for part in spec.parts:
        if isinstance(part, Slice):
            starts.append(np.asarray(part.start, dtypes.canonicalize_dtype(np.int64)))
            sizes.append(part.size)
        elif isinstance(part, Static):
            get_aval(part.value)  # JAX's words for too large a number
            starts.append(np.asarray(part.value, dtypes.canonicalize_dtype(np.int64)))
            sizes.append(1)
        elif isinstance(part, Scalar):
            starts.append(part.value)
            sizes.append(1)
    starts = promote_dtypes(*starts)
    starts = [start if is_array(start) else stage(start) for start in starts]
    return lax.dynamic_slice(x, starts, sizes, allow_negative_indices=wraps)


def _arranged(x: Any, spec: IndexSpec, sliced: Callable[[], Any], *, contiguous: bool) -> Any:
    """The slice with its axes reversed, dropped and added as the index says."""
    out = sliced()
    backwards = tuple(p.axis for p in spec.parts if isinstance(p, Slice) and p.reversed)
    if backwards:
        out = lax.rev(out, backwards)
    dropped = tuple(p.axis for p in spec.parts if isinstance(p, Static | Scalar))
    out = lax.squeeze(out, dropped) if dropped else out
    added, ndim = [], 0
    for part in spec.parts:
        if isinstance(part, NewAxis):
            added.append(ndim)
        ndim += not isinstance(part, Static | Scalar)
    out = lax.expand_dims(out, added) if added else out
    return out if is_array(out) else stage(out)


def _gather(
    x: Any, spec: IndexSpec, at: Addresses, *, indices_are_sorted, unique_indices, mode, fill_value
) -> Any:
    if spec.new_axes:
        x = lax.expand_dims(x, spec.new_axes)
    if 0 in at.shape:
        return lax.full_like(x, 0, shape=at.final_shape)
    out = lax.gather(
        x,
        at.indices,
        at.numbers,
        at.slice_sizes,
        unique_indices=unique_indices or at.scalar,
        indices_are_sorted=indices_are_sorted or at.scalar,
        mode=mode,
        fill_value=fill_value,
    )
    if at.reversed_axes:
        out = lax.rev(out, at.reversed_axes)
    return lax.expand_dims(out, at.new_axes) if at.new_axes else out
