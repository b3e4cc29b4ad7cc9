"""Functions of rows applied along an axis, and of arrays applied along several axes in turn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from jaxnb.engine.api.vmap import vmap
from jaxnb.engine.ops.axes import canonicalize_axis
from jaxnb.numpy.arguments import check_arraylike
from jaxnb.numpy.shapes import expand_dims


def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """What a function gives for each row of the array along an axis; its axes stand in that one's place."""
    check_arraylike("apply_along_axis", arr)
    ndim = np.ndim(arr)
    axis = canonicalize_axis(axis, ndim)

    def mapped(x: Any) -> Any:
        return func1d(x, *args, **kwargs)

    fun: Callable[[Any], Any] = mapped
    for behind in range(1, ndim - axis):
        fun = vmap(fun, in_axes=behind, out_axes=-1)
    for _ in range(axis):
        fun = vmap(fun, in_axes=0, out_axes=0)
    return fun(arr)


def apply_over_axes(func, a, axes):
    """What a function gives for the array and each axis in turn; axes that it drops are put back."""
    check_arraylike("apply_over_axes", a)
    for axis in axes:
        out = func(a, axis)
        if np.ndim(out) == np.ndim(a) - 1:
            out = expand_dims(out, axis)
        if np.ndim(out) != np.ndim(a):
            raise ValueError("function is not returning an array of the correct shape")
        a = out
    return a
