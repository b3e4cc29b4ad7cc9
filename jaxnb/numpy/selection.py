"""``where`` with three terms: elements of one array or another.

With one term it is ``nonzero``; both are under one name in ``searching.py``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.engine.api.jit import jit
from jaxnb.engine.core import dtypes
from jaxnb.engine.ops.axes import broadcast_shapes
from jaxnb.numpy.arguments import check_arraylike, promote_dtypes


@jit
def _where(condition, x, y):
    check_arraylike("where", condition, x, y)
    if dtypes.dtype(condition) != np.bool_:
        condition = lax.ne(condition, np.zeros((), dtypes.dtype(condition, canonicalize=True)))
    x, y = promote_dtypes(x, y)
    shape = broadcast_shapes(np.shape(condition), np.shape(x), np.shape(y))
    if np.ndim(condition):
        condition = _stretch(condition, shape)
    x, y = _stretch(x, shape), _stretch(y, shape)
    return x if 0 in shape else lax.select(condition, x, y)


def _stretch(x: Any, shape: tuple[int, ...]) -> Any:
    ndim = np.ndim(x)
    return lax.broadcast_in_dim(x, shape, range(len(shape) - ndim, len(shape)))


def choose(condition: Any, x: Any, y: Any) -> Any:
    """``where`` of three terms: ``x`` where the condition is true, else ``y``."""
    return _where(condition, x, y)
