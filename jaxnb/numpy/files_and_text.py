"""Reading and writing arrays, and showing them as text: NumPy's own, which takes our arrays too."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from jaxnb.numpy.creation import asarray

__all__ = [
    "array_repr", "array_str", "get_printoptions", "load", "printoptions", "save", "savez", "set_printoptions",
]  # fmt: skip

array_repr, array_str = np.array_repr, np.array_str
get_printoptions, set_printoptions, printoptions = np.get_printoptions, np.set_printoptions, np.printoptions
save, savez = np.save, np.savez


def load(file, *args, **kwargs):
    """The array in the file; elements of two unknown bytes are bfloat16, which NumPy's format has no name for."""
    found: Any = np.load(file, *args, **kwargs)
    if not isinstance(found, np.ndarray):
        return found
    return asarray(found.view(ml_dtypes.bfloat16) if found.dtype == "V2" else found)
