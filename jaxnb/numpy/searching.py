"""Where elements are true: where, nonzero, flatnonzero, argwhere.

How many there are is part of the result's shape, so a traced program must be told: ``size``.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.engine.api.vmap import vmap
from jaxnb.engine.core import dtypes
from jaxnb.engine.core.ad import Zero
from jaxnb.engine.core.avals import ShapedArray
from jaxnb.engine.core.printer import print_hi_primitive
from jaxnb.engine.core.rules import Undefined, composite, define
from jaxnb.engine.ops.elementwise import axis_to_front
from jaxnb.engine.transforms.batch import axis_size_of
from jaxnb.numpy.arguments import check_arraylike, concrete, ensure_arraylike
from jaxnb.numpy.counting import count_each
from jaxnb.numpy.creation import arange, zeros
from jaxnb.numpy.cumulative import cumsum
from jaxnb.numpy.division import floor_divide, remainder
from jaxnb.numpy.joining import vstack
from jaxnb.numpy.reductions import sum
from jaxnb.numpy.selection import choose
from jaxnb.numpy.shapes import atleast_1d, expand_dims, ravel, reshape, transpose
from jaxnb.xla.version import JAXLIB_VERSION


def where(condition, x=None, y=None, /, *, size=None, fill_value=None):
    """Elements of ``x`` where the condition is true, else of ``y``; with one term, ``nonzero`` of the condition.

    Args:
        condition: truth values.
        x: what is taken where they are true.
        y: what is taken elsewhere.
        size: see ``nonzero``.
        fill_value: see ``nonzero``.
    """
    if x is None and y is None:
        check_arraylike("where", condition)
        return nonzero(condition, size=size, fill_value=fill_value)
    if size is not None or fill_value is not None:
        raise ValueError("size and fill_value arguments cannot be used in three-term where function.")
    return choose(condition, x, y)


def _mask(a: Any) -> Any:
    return a if a.dtype == np.bool_ else lax.ne(a, np.zeros((), a.dtype)[()])


def nonzero(a, *, size=None, fill_value=None):
    """For each axis, the positions of the elements that are not zero.

    Args:
        a: array.
        size: how many to return: the first ones; known beforehand under a transformation.
        fill_value: what stands where there are fewer: one scalar, or one for each axis; 0 by default.
    """
    a = ensure_arraylike("nonzero", a)
    if a.ndim == 0:
        raise ValueError(
            "Calling nonzero on 0d arrays is not allowed. Use jnp.atleast_1d(scalar).nonzero() instead."
        )
    known = concrete(
        sum(_mask(a)) if size is None else size,
        "The size argument of jnp.nonzero must be statically specified to use jnp.nonzero within JAX transformations.",
    )
    return _nonzero(a, operator.index(known), fill_value)


def _by_operations(a: Any, size: int, fill_value: Any) -> tuple[Any, ...]:
    mask = _mask(a)
    if a.size == 0 or size == 0:
        return tuple(zeros(size, int) for _ in a.shape)
    places = _unraveled(cumsum(count_each(cumsum(mask), size)), a.shape)
    if fill_value is None:
        return places
    values = fill_value if isinstance(fill_value, tuple) else a.ndim * (fill_value,)
    if any(np.shape(value) != () for value in values):
        raise ValueError(f"fill_value must be a scalar or a tuple of length {a.ndim}; got {fill_value}")
    if len(values) != len(places):
        raise ValueError(
            f"safe_zip() argument 1 has length {len(places)} but argument 0 has length {len(values)}. "
            f"All lengths: {(len(values), len(places))}"
        )
    missing = arange(size) >= sum(mask)
    return tuple(choose(missing, value, place) for value, place in zip(values, places, strict=True))


def _unraveled(found: Any, shape: tuple[int, ...], strong: bool = True) -> tuple[Any, ...]:
    """Positions in a row of all elements as positions along each axis."""
    strides = np.cumprod(shape[::-1])[::-1] // shape
    divisors = strides.astype(found.dtype) if strong else map(int, strides)
    return tuple(
        remainder(floor_divide(found, stride), length) for stride, length in zip(divisors, shape, strict=True)
    )


# As one operation: newer JAX has it in its programs under the name Nonzero


def _as_operation(a: Any, size: int, fill_value: Any) -> tuple[Any, ...]:
    if size < 0:
        raise ValueError(f"size must be a positive integer; got size={size}")
    values = (
        () if fill_value is None else fill_value if isinstance(fill_value, tuple) else a.ndim * (fill_value,)
    )
    if any(np.shape(value) != () for value in values):
        raise ValueError(f"fill_value must be a scalar or tuple of scalars; got {fill_value}")
    if values and len(values) != a.ndim:
        raise ValueError(
            f"fill_value tuple must have length equal to number of axes ({a.ndim}); got {len(values)}"
        )
    index = dtypes.canonicalize_dtype(np.int64)
    dtype = dtypes.result_type(index, *values) if values else index
    fills = [lax.convert_element_type(value, dtype) for value in values]
    return tuple(nonzero_p.bind(a, *fills, size=size, axes=tuple(range(a.ndim)), out_dtype=dtype))


def _mapped_shape(a: Any, axes: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(n for i, n in enumerate(a.shape) if i not in axes)


def _nonzero_abstract(
    a: ShapedArray, *fills: ShapedArray, size: int, axes: tuple[int, ...], out_dtype: Any
) -> Any:
    return [ShapedArray((*_mapped_shape(a, axes), size), out_dtype) for _ in axes]


def _nonzero_expanded(a: Any, *fills: Any, size: int, axes: tuple[int, ...], out_dtype: Any) -> list[Any]:
    """The operations that find the elements; mapped axes come first."""
    mapped = _mapped_shape(a, axes)
    shape = a.shape[len(mapped) :]
    if a.size == 0 or size == 0:
        return [zeros((*mapped, size), out_dtype) for _ in axes]
    mask = _mask(reshape(a, (*mapped, math.prod(shape))))

    def count(at: Any) -> Any:
        return zeros(size, int).at[at].add(1)

    for _ in mapped:
        count = vmap(count)
    found = cumsum(count(cumsum(mask, axis=-1)), axis=-1)
    places = _unraveled(found, shape, strong=False)
    how_many = sum(mask, axis=-1, keepdims=True)
    missing = arange(size) >= how_many
    values = (expand_dims(x, -1) for x in fills) if fills else [0] * len(axes)
    return [choose(missing, value, place) for value, place in zip(values, places, strict=True)]


def _nonzero_jvp(primals: Any, tangents: Any, **params: Any) -> tuple[list[Any], list[Any]]:
    out = nonzero_p.bind(*primals, **params)
    return out, [Zero.from_primal_value(x) for x in out]


def _nonzero_batch(
    args: Any, dims: Any, *, axes: tuple[int, ...], **params: Any
) -> tuple[list[Any], list[int]]:
    size = axis_size_of(args, dims)
    a, *fills = args
    moved = [axis_to_front(a, dims[0], size)]
    moved += [x if d is None else axis_to_front(x, d, size) for x, d in zip(fills, dims[1:], strict=True)]
    out = nonzero_p.bind(*moved, axes=tuple(i + 1 for i in axes), **params)
    return out, [0] * len(axes)


nonzero_p = define(
    "Nonzero",
    abstract=_nonzero_abstract,
    lower=composite(_nonzero_expanded, multiple_results=True, keeps_literals=True),
    jvp=_nonzero_jvp,
    transpose=Undefined("positions have no tangents"),
    batch=_nonzero_batch,
    multiple_results=True,
)


print_hi_primitive(
    "Nonzero", lambda eqn: {name: eqn.params[name] for name in ("size", "axes", "out_dtype")}, nonzero_p
)

_nonzero = _as_operation if JAXLIB_VERSION >= (0, 12) else _by_operations


def flatnonzero(a, *, size=None, fill_value=None):
    """The positions of the elements that are not zero, in one row of all; arguments as those of ``nonzero``."""
    return nonzero(ravel(a), size=size, fill_value=fill_value)[0]


def argwhere(a, *, size=None, fill_value=None):
    """The positions of the elements that are not zero, one row each; arguments as those of ``nonzero``."""
    a = ensure_arraylike("argwhere", a)
    places = transpose(vstack(nonzero(atleast_1d(a), size=size, fill_value=fill_value)))
    if a.ndim == 0:
        return reshape(places[:0], (places.shape[0], 0))
    return reshape(places, (places.shape[0], a.ndim))
