"""Where the greatest and the least elements stand."""

from __future__ import annotations

import functools
import math
import operator
from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.engine.api.jit import jit
from jaxnb.engine.core import dtypes
from jaxnb.numpy.arguments import ensure_arraylike
from jaxnb.numpy.reductions import all, refuse_out
from jaxnb.numpy.selection import choose

_jit_inline = functools.partial(jit, static_argnames=("axis", "keepdims"), inline=True)
_jit_call = functools.partial(jit, static_argnames=("axis", "keepdims"))


def _arg(name: str, find: Any, a: Any, axis: Any, keepdims: Any) -> Any:
    a = ensure_arraylike(name, a)
    dims = list(range(a.ndim))
    if axis is None:
        flat = True
        a_flat, along = lax.reshape(a, (a.size,)), 0
    else:
        flat = False
        a_flat, along = a, axis + a.ndim if axis < 0 else axis
    if a_flat.shape[along] == 0:
        raise ValueError(f"attempt to get {name.removeprefix('nan')} of an empty sequence")
    result = find(a_flat, along, dtypes.canonicalize_dtype(np.int64))
    return lax.expand_dims(result, dims if flat else (along,)) if keepdims else result


@_jit_inline
def _argmax(a, axis=None, keepdims=False):
    return _arg("argmax", lax.argmax, a, axis, keepdims)


@_jit_inline
def _argmin(a, axis=None, keepdims=False):
    return _arg("argmin", lax.argmin, a, axis, keepdims)


def _one_axis(name: str, a: Any, axis: Any) -> tuple[Any, Any]:
    a = ensure_arraylike(name, a)
    return a, None if axis is None else operator.index(axis)


def argmax(a, axis=None, out=None, keepdims=None):
    """The position of the greatest element along an axis; without one, in the flattened array."""
    a, axis = _one_axis("argmax", a, axis)
    refuse_out("argmax", out)
    return _argmax(a, axis=axis, keepdims=bool(keepdims))


def argmin(a, axis=None, out=None, keepdims=None):
    """The position of the least element along an axis; without one, in the flattened array."""
    a, axis = _one_axis("argmin", a, axis)
    refuse_out("argmin", out)
    return _argmin(a, axis=axis, keepdims=bool(keepdims))


def _nan_arg(name: str, find: Any, fill: float, a: Any, axis: Any, keepdims: bool) -> Any:
    if not dtypes.issubdtype(a.dtype, np.inexact):
        return _arg(name, find, a, axis, keepdims)
    is_nan = lax.ne(a, a)
    result = _arg(name, find, choose(is_nan, fill, a), axis, keepdims)
    return choose(all(is_nan, axis=axis, keepdims=keepdims), -1, result)


@_jit_call
def _nanargmax(a, axis=None, out=None, keepdims=None):
    return _nan_arg("nanargmax", lax.argmax, -math.inf, a, axis, bool(keepdims))


@_jit_call
def _nanargmin(a, axis=None, out=None, keepdims=None):
    return _nan_arg("nanargmin", lax.argmin, math.inf, a, axis, bool(keepdims))


def nanargmax(a, axis=None, out=None, keepdims=None):
    """``argmax`` of the elements that are not NaN; -1 where all are."""
    a, axis = _one_axis("nanargmax", a, axis)
    refuse_out("nanargmax", out)
    return _nanargmax(a, axis=axis, keepdims=bool(keepdims))


def nanargmin(a, axis=None, out=None, keepdims=None):
    """``argmin`` of the elements that are not NaN; -1 where all are."""
    a, axis = _one_axis("nanargmin", a, axis)
    refuse_out("nanargmin", out)
    return _nanargmin(a, axis=axis, keepdims=bool(keepdims))
