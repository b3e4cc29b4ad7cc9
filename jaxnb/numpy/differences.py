"""Differences between neighbouring elements."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.engine.api.jit import jit
from jaxnb.engine.core import dtypes
from jaxnb.engine.ops.axes import canonicalize_axis
from jaxnb.engine.ops.staging import stage
from jaxnb.numpy.arguments import ensure_arraylike
from jaxnb.numpy.joining import concatenate
from jaxnb.numpy.predicates import not_equal


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
