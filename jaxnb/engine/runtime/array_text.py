"""How an array prints: ``repr``, ``str`` and ``format``.

Lives here: text only. What an array is stands in ``arrays.py``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from jaxnb.xla import array as door

__all__ = ["array_format", "array_repr", "array_str"]

_PREFIX = "Array("


def array_repr(x: Any) -> str:
    """Returns ``Array([1., 2.], dtype=float32)``.

    Raises:
        RuntimeError: where the array was deleted.
    """
    value = door.to_numpy(x)
    aval = x.aval
    weak = ", weak_type=True" if aval.weak_type else ""
    tail = f"dtype={aval.dtype.name}{weak})"
    if not aval.size:
        return f"{_PREFIX}[], shape={aval.shape}, {tail}"
    width = np.get_printoptions()["linewidth"]
    text = np.array2string(value, prefix=_PREFIX, suffix=",", separator=", ", max_line_width=width) + ","
    last_line = len(text) - (text.rfind("\n") + 1)
    # As JAX counts: a text of one line without its prefix, and one column to spare.
    separator = " " if last_line + len(tail) + 2 <= width else " " * len(_PREFIX)
    return f"{_PREFIX}{text}{separator}{tail}"


def array_str(x: Any) -> str:
    """Returns the elements alone.

    Raises:
        RuntimeError: where the array was deleted.
    """
    return str(door.to_numpy(x))


def array_format(x: Any, spec: str) -> str:
    """Returns a scalar under a format specification; other arrays take none.

    Raises:
        TypeError: where an array that is no scalar is given a specification.
        RuntimeError: where the array was deleted.
    """
    value = door.to_numpy(x)
    return format(value[()] if value.ndim == 0 else value, spec)
