"""Elements moved into bounds, or replaced where they are no finite numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.engine.api.jit import jit
from jaxnb.engine.core import dtypes
from jaxnb.engine.ops.conversion import convert
from jaxnb.numpy.arguments import check_arraylike, ensure_arraylike
from jaxnb.numpy.arithmetic import greater_of, smaller_of
from jaxnb.numpy.predicates import isnan, isneginf, isposinf
from jaxnb.numpy.selection import choose


@jit
def clip(arr=None, /, min=None, max=None):
    """``arr`` moved into the interval from ``min`` to ``max``, each optional."""
    if arr is None:
        raise ValueError("At least one argument must be provided to jnp.clip.")
    bounds = [x for x in (min, max) if x is not None]
    check_arraylike("clip", arr, *bounds)
    if any(dtypes.issubdtype(dtypes.dtype(x), np.complexfloating) for x in (arr, *bounds)):
        raise ValueError(
            "Clip received a complex value either through the input or the min/max keywords. Complex values have no "
            "ordering and cannot be clipped. Please convert to a real value or array by taking the real or imaginary "
            "components via jax.numpy.real/imag respectively."
        )
    if min is not None:
        arr = greater_of(min, arr)
    if max is not None:
        arr = smaller_of(max, arr)
    return arr


@jit
def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    """``x`` with numbers in place of NaN and the infinities: by default zero and the largest there are."""
    x = ensure_arraylike("nan_to_num", x)
    dtype = x.dtype
    if dtypes.issubdtype(dtype, np.complexfloating):
        re = nan_to_num(lax.real(x), nan=nan, posinf=posinf, neginf=neginf)
        im = nan_to_num(lax.imag(x), nan=nan, posinf=posinf, neginf=neginf)
        return lax.complex(re, im)
    if not dtypes.issubdtype(dtype, np.inexact):
        return x
    info = dtypes.finfo(dtype)
    x = choose(isnan(x), _as(nan, dtype), x)
    x = choose(isposinf(x), _as(info.max if posinf is None else posinf, dtype), x)
    return choose(isneginf(x), _as(info.min if neginf is None else neginf, dtype), x)


def _as(value: Any, dtype: Any) -> Any:
    return convert(value, dtype, False)
