"""Truth values packed into bytes, and back."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.engine.api.jit import jit
from jaxnb.engine.core import dtypes
from jaxnb.numpy.arguments import ensure_arraylike
from jaxnb.numpy.creation import arange
from jaxnb.numpy.padding import pad
from jaxnb.numpy.reductions import sum
from jaxnb.numpy.shapes import ravel, swapaxes


def _check_order(bitorder: Any) -> None:
    if bitorder not in ("little", "big"):
        raise ValueError("'order' must be either 'little' or 'big'")


@functools.partial(jit, static_argnames=("axis", "bitorder"))
def packbits(a, axis=None, bitorder="big"):
    """Eight elements a byte: a bit is one where the element is not zero.

    Args:
        a: ``bool`` or integers.
        axis: along which axis elements are taken together; None: of all in one row.
        bitorder: whether the first element is the highest bit ("big") or the lowest ("little").

    Returns:
        ``u8``; an axis of ``n`` elements has ``ceil(n / 8)`` bytes, the last one filled with zeros.

    Raises:
        TypeError: elements are neither truth values nor integers.
        ValueError: there is no such order.
    """
    a = ensure_arraylike("packbits", a)
    if not (dtypes.issubdtype(a.dtype, np.integer) or a.dtype == np.bool_):
        raise TypeError("Expected an input array of integer or boolean data type")
    _check_order(bitorder)
    x = lax.convert_element_type(lax.ne(a, np.zeros((), a.dtype)[()]), np.uint8)
    shifts = arange(8, dtype=np.uint8)
    if bitorder == "big":
        shifts = lax.rev(shifts, (0,))
    if axis is None:
        axis, x = -1, ravel(x)
    x = swapaxes(x, axis, -1)
    *outer, length = x.shape
    if length % 8:
        x = lax.pad(x, np.uint8(0), [(0, 0, 0)] * len(outer) + [(0, -length % 8, 0)])
    x = lax.reshape(x, (*outer, x.shape[-1] // 8, 8))
    x = sum(x << shifts, axis=-1)
    return swapaxes(lax.convert_element_type(x, np.uint8), axis, -1)


@functools.partial(jit, static_argnames=("axis", "count", "bitorder"))
def unpackbits(a, axis=None, count=None, bitorder="big"):
    """Eight elements for each byte, one for each of its bits.

    Args:
        a: ``u8``.
        axis: along which axis bytes are taken apart; None: of all in one row.
        count: how many elements there are along the axis: with less the last ones are left out (so many of them as a
            negative count says), with more zeros follow.
        bitorder: whether the highest bit comes first ("big") or the lowest ("little").

    Returns:
        ``u8`` zeros and ones.

    Raises:
        TypeError: elements are no bytes.
        ValueError: there is no such order.
    """
    a = ensure_arraylike("unpackbits", a)
    if a.dtype != np.uint8:
        raise TypeError("Expected an input array of unsigned byte data type")
    _check_order(bitorder)
    masks = np.uint8(1) << arange(8, dtype=np.uint8)
    if bitorder == "big":
        masks = lax.rev(masks, (0,))
    if axis is None:
        axis, a = -1, ravel(a)
    x = swapaxes(a, axis, -1)
    *outer, length = x.shape
    x = lax.convert_element_type((x[..., None] & masks) > 0, np.uint8)
    x = lax.reshape(x, (*outer, 8 * length))
    if count is not None:
        if count > x.shape[-1]:
            x = pad(x, [(0, 0)] * len(outer) + [(0, count - x.shape[-1])])
        else:
            x = x[..., :count]
    return swapaxes(x, axis, -1)
