"""Writing into an array at an index: ``x.at[...]``; each method returns a changed copy."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.engine.core import dtypes
from jaxnb.engine.ops.addressing import ScatterDimensionNumbers
from jaxnb.engine.ops.conversion import convert
from jaxnb.engine.ops.staging import is_array, stage
from jaxnb.numpy.arguments import promote_dtypes, promote_dtypes_inexact
from jaxnb.numpy.arithmetic import power
from jaxnb.numpy.creation import asarray, ones_like
from jaxnb.numpy.index_spec import read_index
from jaxnb.numpy.indexing import addresses_of, read

Scatter = Callable[..., Any]


class _IndexUpdateHelper:
    """``x.at``: indexing it names a place in ``x``."""

    __slots__ = ("array",)

    def __init__(self, array: Any):
        self.array = array

    def __getitem__(self, index: Any) -> _IndexUpdateRef:
        return _IndexUpdateRef(self.array, index)

    def __repr__(self) -> str:
        return f"_IndexUpdateHelper({self.array!r})"


class _IndexUpdateRef:
    """``x.at[index]``: a place in ``x`` that can be read, or written in a copy."""

    __slots__ = ("array", "index")

    def __init__(self, array: Any, index: Any):
        self.array = array
        self.index = index

    def __repr__(self) -> str:
        return f"_IndexUpdateRef({self.array!r}, {self.index!r})"

    def get(
        self, *, indices_are_sorted=False, unique_indices=False, mode=None, fill_value=None, out_sharding=None,
        wrap_negative_indices=True,
    ):  # fmt: skip
        """``x[index]``, with a say in what happens out of bounds."""
        return read(
            self.array,
            self.index,
            indices_are_sorted=indices_are_sorted,
            unique_indices=unique_indices,
            mode=mode,
            fill_value=fill_value,
            wrap_negative_indices=wrap_negative_indices,
        )

    def set(self, values, **options):
        """The array with ``values`` at the index."""
        return _write(self.array, self.index, values, lax.scatter, **options)

    def apply(self, func, **options):
        """The array with ``func`` applied to the elements at the index."""

        def scatter_apply(x, indices, updates, numbers, **flags):
            return lax.scatter_apply(x, indices, func, numbers, update_shape=np.shape(updates), **flags)

        zero = np.zeros((), dtypes.dtype(self.array))[()]
        zero = zero.item() if dtypes.is_weakly_typed(self.array) else zero
        return _write(self.array, self.index, zero, scatter_apply, **options)

    def add(self, values, **options):
        """The array with ``values`` added at the index, once for each time a place is named."""
        return _write(self.array, self.index, values, lax.scatter_add, **options)

    def subtract(self, values, **options):
        """The array with ``values`` subtracted at the index."""
        return _write(self.array, self.index, values, lax.scatter_sub, **options)

    def multiply(self, values, **options):
        """The array multiplied by ``values`` at the index."""
        return _write(self.array, self.index, values, lax.scatter_mul, **options)

    mul = multiply

    def divide(self, values, **options):
        """The array divided by ``values`` at the index."""
        divisor = _write(ones_like(self.array), self.index, values, lax.scatter_mul, **options)
        return lax.div(*promote_dtypes_inexact(self.array, divisor))

    def power(self, values, **options):
        """The array raised to the power of ``values`` at the index."""
        exponent = _write(ones_like(self.array), self.index, values, lax.scatter_mul, **options)
        return power(self.array, exponent)

    def min(self, values, **options):
        """The array with the smaller of itself and ``values`` at the index."""
        return _write(self.array, self.index, values, lax.scatter_min, **options)

    def max(self, values, **options):
        """The array with the larger of itself and ``values`` at the index."""
        return _write(self.array, self.index, values, lax.scatter_max, **options)


def _write(
    x: Any,
    index: Any,
    values: Any,
    scatter: Scatter,
    *,
    indices_are_sorted: bool = False,
    unique_indices: bool = False,
    mode: Any = None,
    out_sharding: Any = None,
    wrap_negative_indices: bool = True,
) -> Any:
    x = x if is_array(x) else stage(x)
    if isinstance(values, int) and dtypes.is_weakly_typed(x) and dtypes.issubdtype(x.dtype, np.integer):
        # two weak integers come to a strong one here, as they do in JAX
        values = np.asarray(values, x.dtype)[()]
    values = values if is_array(values) else asarray(values)
    dtype, weak_type = x.dtype, dtypes.is_weakly_typed(x)
    _warn_unless_safe(x, values)
    spec = read_index(np.shape(x), index)
    at = addresses_of(spec, wrap_negative_indices=wrap_negative_indices)
    if 0 in at.shape:
        return x
    operand, updates = promote_dtypes(x, values)
    updates = stretch(updates, at.final_shape)
    updates = lax.squeeze(updates, at.new_axes) if at.new_axes else updates
    updates = lax.rev(updates, at.reversed_axes) if at.reversed_axes else updates
    if spec.new_axes:
        operand = lax.expand_dims(operand, spec.new_axes)
    numbers = ScatterDimensionNumbers(*at.numbers)
    out = scatter(
        operand,
        at.indices,
        updates,
        numbers,
        indices_are_sorted=indices_are_sorted or at.scalar,
        unique_indices=unique_indices or at.scalar,
        mode=mode,
    )
    if spec.new_axes:
        out = lax.squeeze(out, spec.new_axes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
        return convert(out, dtype, weak_type)


def _warn_unless_safe(x: Any, values: Any) -> None:
    """Warns where writing changes more than the dtype's weakness or width allows."""
    if dtypes.is_extended(x.dtype) or dtypes.is_extended(values.dtype):
        return
    if values.aval.weak_type:
        common = dtypes.promote_types(x.dtype, dtypes.scalar_type_of(values))
        safe = dtypes.issubdtype(x.dtype, np.generic) and common == x.dtype
        safe = safe or _kind(values.dtype) <= _kind(x.dtype)
    else:
        safe = dtypes.promote_types(x.dtype, values.dtype) == x.dtype
    if not safe:
        warnings.warn(
            "scatter inputs have incompatible types: cannot safely cast value from "
            f"dtype={values.dtype} to dtype={x.dtype} with jax_numpy_dtype_promotion=standard. "
            "In future JAX releases this will result in an error.",
            FutureWarning,
            stacklevel=4,
        )


def _kind(dtype: Any) -> int:
    """How much a dtype can hold: truth values, integers, floating, complex."""
    return next(i for i, kind in enumerate((np.bool_, np.integer, np.floating, np.complexfloating))
                if dtypes.issubdtype(dtype, kind))  # fmt: skip


def stretch(x: Any, shape: tuple[int, ...]) -> Any:
    """The array repeated along axes until it has this shape.

    Raises:
        ValueError: it cannot.
    """
    own = np.shape(x)
    if own == shape:
        return x
    if len(own) > len(shape):
        raise ValueError(f"Cannot broadcast to shape with fewer dimensions: arr_shape={own} shape={shape}")
    tail = shape[len(shape) - len(own) :]
    if any(size not in (1, wide) for size, wide in zip(own, tail, strict=True)):
        name = dtypes.dtype(x).name
        raise ValueError(
            f"Incompatible types for broadcasting: input type={name}[{','.join(map(str, own))}] and requested "
            f"type={name}[{','.join(map(str, shape))}]"
        )
    return lax.broadcast_in_dim(x, shape, range(len(shape) - len(own), len(shape)))
