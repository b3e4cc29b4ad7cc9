"""Orders of elements: sort, argsort, lexsort, partition and the positions they come from.

Searching in sorted arrays is in ``sorted_search.py``.
"""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.engine.api.jit import jit
from jaxnb.engine.api.vmap import vmap
from jaxnb.engine.core import dtypes
from jaxnb.engine.ops.axes import canonicalize_axis
from jaxnb.engine.ops.staging import is_array
from jaxnb.numpy.arguments import ensure_arraylike
from jaxnb.numpy.creation import ones
from jaxnb.numpy.shapes import ravel, swapaxes
from jaxnb.xla.version import JAXLIB_VERSION

_NEWER = JAXLIB_VERSION >= (0, 12)


def _refuse(name: str, kind: Any, order: Any) -> None:
    if kind is not None:
        raise TypeError(
            f"'kind' argument to {name} is not supported. Use stable=True or stable=False to specify sort stability."
        )
    if order is not None:
        raise TypeError(f"'order' argument to {name} is not supported.")


def _along(a: Any, axis: Any) -> tuple[Any, int]:
    """The array and the axis, counted from the front; with None all elements in one row."""
    if axis is None:
        return ravel(a), 0
    return a, canonicalize_axis(axis, a.ndim)


@functools.partial(jit, static_argnames=("axis", "kind", "order", "stable", "descending"))
def sort(a, axis=-1, *, kind=None, order=None, stable=True, descending=False):
    """The elements in ascending order along an axis.

    Args:
        a: array.
        axis: axis; None: of all elements in one row.
        kind: not supported.
        order: not supported.
        stable: whether equal elements stay in their order.
        descending: whether the greatest is first.
    """
    a = ensure_arraylike("sort", a)
    _refuse("sort", kind, order)
    a, at = _along(a, axis)
    result = lax.sort(a, dimension=at, is_stable=stable)
    return lax.rev(result, dimensions=[at]) if descending else result


@functools.partial(jit, static_argnames=("axis", "kind", "order", "stable", "descending", "dtype"))
def argsort(a, axis=-1, *, kind=None, order=None, stable=True, descending=False, dtype=None):
    """The positions of the elements in ascending order; arguments as those of ``sort``."""
    a = ensure_arraylike("argsort", a)
    _refuse("argsort", kind, order)
    a, at = _along(a, axis)
    places = lax.broadcasted_iota(_index_dtype(dtype), a.shape, at)
    # sorting what is reversed keeps the order of equal elements in the reversed result
    backwards = descending and stable
    if backwards:
        a, places = lax.rev(a, dimensions=[at]), lax.rev(places, dimensions=[at])
    _, places = lax.sort_key_val(a, places, dimension=at, is_stable=stable)
    return lax.rev(places, dimensions=[at]) if descending else places


def _index_dtype(dtype: Any = None) -> Any:
    return (
        dtypes.canonicalize_dtype(np.int64)
        if dtype is None
        else dtypes.check_user_dtype_supported(dtype, "argsort")
    )


@jit
def sort_complex(a):
    """The elements in ascending order along the last axis, as complex numbers."""
    a = ensure_arraylike("sort_complex", a)
    return lax.convert_element_type(lax.sort(a), dtypes.to_complex_dtype(a.dtype))


@functools.partial(jit, static_argnames=("axis",))
def lexsort(keys, axis=-1):
    """The positions of the elements in the order of several keys, the last of which counts most.

    Args:
        keys: arrays of one shape.
        axis: axis to sort along.
    """
    whole = _NEWER and is_array(keys) and keys.ndim > 0
    keys = keys if whole else tuple(keys)
    if len(keys) == 0:
        raise TypeError("need sequence of keys with len > 0 in lexsort")
    shapes = [keys.shape[1:]] if whole else []  # pyright: ignore[reportAttributeAccessIssue]
    arrays = [] if whole else [ensure_arraylike("lexsort", x) for x in keys]
    shapes += [x.shape for x in arrays]
    if len(set(shapes)) > 1:
        raise ValueError("all keys need to be the same shape")
    (shape,) = set(shapes)
    if len(shape) == 0:
        return lax.full((), 0, _index_dtype())
    at = canonicalize_axis(axis, len(shape))
    places = lax.broadcasted_iota(_index_dtype(), shape, at)
    if whole:
        arrays = lax.unstack(keys, 0)
    return lax.sort((*arrays[::-1], places), dimension=at, num_keys=len(arrays))[-1]


# Partitions


def _kth(name: str, a: Any, kth: Any, axis: int) -> tuple[Any, int, int]:
    """The array with the axis last, that axis, and the position counted from the front."""
    a = ensure_arraylike(name, a)
    if dtypes.issubdtype(a.dtype, np.complexfloating):
        raise NotImplementedError(f"jnp.{name} for complex dtype is not implemented.")
    at = canonicalize_axis(axis, a.ndim)
    return swapaxes(a, at, -1), at, canonicalize_axis(operator.index(kth), a.shape[at])


def _backwards(a: Any) -> Any:
    """The elements in the opposite order, for the least of them are taken as the greatest."""
    if _NEWER and not dtypes.issubdtype(a.dtype, np.floating):
        return lax.bitwise_not(a)
    if dtypes.issubdtype(a.dtype, np.unsignedinteger):
        return lax.neg(lax.add(a, np.ones((), a.dtype)[()]))
    return lax.neg(a)


def _forwards(a: Any) -> Any:
    if _NEWER and not dtypes.issubdtype(a.dtype, np.floating):
        return lax.bitwise_not(a)
    if dtypes.issubdtype(a.dtype, np.unsignedinteger):
        return lax.sub(lax.neg(a), np.ones((), a.dtype)[()])
    return lax.neg(a)


@functools.partial(jit, static_argnames=("kth", "axis"))
def partition(a, kth, axis=-1):
    """The elements reordered so that the one at ``kth`` is where sorting would put it, with lesser ones before it."""
    a, at, k = _kth("partition", a, kth, axis)
    least, _ = lax.top_k(_backwards(a), k + 1)
    least = _forwards(least)
    greatest, _ = lax.top_k(a, a.shape[-1] - k - 1)
    return swapaxes(lax.concatenate([least, greatest], a.ndim - 1), -1, at)


@functools.partial(jit, static_argnames=("kth", "axis"))
def argpartition(a, kth, axis=-1):
    """The positions of the elements in the order of ``partition``."""
    a, at, k = _kth("argpartition", a, kth, axis)
    _, least = lax.top_k(_backwards(a), k + 1)

    # the others by their positions: those of the ones that remain
    def without(kept, places):
        return kept.at[places].set(0)

    for _ in range(a.ndim - 1):
        without = vmap(without)
    _, others = lax.top_k(without(ones(a.shape), least), a.shape[-1] - k - 1)
    return swapaxes(lax.concatenate([least, others], a.ndim - 1), -1, at)


@functools.partial(jit, static_argnums=(1,), static_argnames=("axis", "mode", "sorted"))
def top_k(a, k, /, *, axis=-1, mode="largest", sorted=True):
    """The ``k`` greatest or least elements along an axis, the most extreme first, and their positions.

    Args:
        a: array; real.
        k: how many.
        axis: axis.
        mode: "largest" or "smallest".
        sorted: accepted; the elements are always in order.

    Returns:
        Two arrays with ``k`` elements along the axis: the elements, and ``i32`` positions.

    Raises:
        TypeError: ``a`` is no array.
        ValueError: there are fewer elements, they are complex, or there is no such mode.
    """
    a = ensure_arraylike("top_k", a)
    if mode not in ("largest", "smallest"):
        raise ValueError(f"mode must be 'largest' or 'smallest', got {mode!r}")
    if mode == "largest":
        return lax.top_k(a, k, axis=axis)
    values, places = lax.top_k(_backwards(a), k, axis=axis)
    return _forwards(values), places
