"""Straight lines between known points."""

from __future__ import annotations

from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.engine.api.jit import jit
from jaxnb.engine.core import dtypes
from jaxnb.numpy.arguments import check_arraylike, promote_dtypes_inexact
from jaxnb.numpy.division import mod
from jaxnb.numpy.elementary import abs
from jaxnb.numpy.joining import concatenate
from jaxnb.numpy.limits import clip
from jaxnb.numpy.selection import choose
from jaxnb.numpy.sorted_search import searchsorted

_EXTRAPOLATE = "extrapolate"


def _interp(x, xp, fp, left=None, right=None, period=None):
    check_arraylike("interp", x, xp, fp)
    if np.shape(xp) != np.shape(fp) or np.ndim(xp) != 1:
        raise ValueError("xp and fp must be one-dimensional arrays of equal size")
    _check_end("left", left)
    _check_end("right", right)
    x, xp = promote_dtypes_inexact(x, xp)
    (fp,) = promote_dtypes_inexact(fp)
    if dtypes.issubdtype(x.dtype, np.complexfloating):
        raise ValueError("jnp.interp: complex x values not supported.")
    if period is not None:
        if np.ndim(period):
            raise ValueError(f"period must be a scalar; got {period}")
        period = abs(period)
        x, xp = mod(x, period), mod(xp, period)
        xp, fp = lax.sort_key_val(xp, fp)
        # one more point on both sides, so that every place is between two
        xp = concatenate([xp[-1:] - period, xp, xp[:1] + period])
        fp = concatenate([fp[-1:], fp, fp[:1]])
    after = clip(searchsorted(xp, x, side="right"), 1, len(xp) - 1)
    rise = fp[after] - fp[after - 1]
    run = xp[after] - xp[after - 1]
    way = x - xp[after - 1]
    is_flat = lax.abs(run) <= _smallest_run(xp.dtype)
    value = choose(is_flat, fp[after - 1], fp[after - 1] + (way / choose(is_flat, 1, run)) * rise)
    if not isinstance(left, str):
        left = fp[0] if left is None else left
        value = value if period is not None else choose(x < xp[0], left, value)
    if not isinstance(right, str):
        right = fp[-1] if right is None else right
        value = value if period is not None else choose(x > xp[-1], right, value)
    return value


def _check_end(name: str, value: Any) -> None:
    if isinstance(value, str) and value != _EXTRAPOLATE:
        raise ValueError(f"the only valid string value of `{name}` is 'extrapolate', but got: {value!r}")


def _smallest_run(dtype: Any) -> Any:
    """What is so small that a line over it has no slope."""
    return np.spacing(dtypes.finfo(dtype).eps)


_names: list[tuple[str, ...]] = [(), ("left",), ("right",), ("left", "right")]
_compiled = {names: jit(_interp, static_argnames=names) for names in _names}
"""The same function for the ends that are words: those belong to the program."""


def interp(x, xp, fp, left=None, right=None, period=None):
    """The values at ``x`` on the straight lines between points.

    Args:
        x: where values are wanted; real.
        xp: where the points are, ``[n]``, in ascending order unless there is a period; real.
        fp: their values, ``[n]``, real or complex.
        left: the value before the first point, that point's by default; "extrapolate": on the first line.
        right: the value after the last point, that point's by default; "extrapolate": on the last line.
        period: after what distance the points repeat; a scalar.

    Returns:
        Values of ``x``'s shape, in an inexact type.

    Raises:
        TypeError: ``x``, ``xp`` or ``fp`` is no array.
        ValueError: the points are no two rows of one length, ``x`` or ``xp`` is complex, an end is another word, or the
            period is no scalar.
    """
    words = tuple(name for name, end in (("left", left), ("right", right)) if isinstance(end, str))
    return _compiled[words](x, xp, fp, left, right, period)
