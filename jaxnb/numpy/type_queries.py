"""Questions about element types under NumPy's names."""

from __future__ import annotations

from typing import Any

import numpy as np

from jaxnb.engine.core import dtypes
from jaxnb.engine.runtime.arrays import Array

__all__ = [
    "ComplexWarning",
    "can_cast",
    "dtype",
    "finfo",
    "iinfo",
    "isdtype",
    "issubdtype",
    "ndarray",
    "promote_types",
    "result_type",
]

dtype, can_cast, ComplexWarning = np.dtype, np.can_cast, np.exceptions.ComplexWarning
ndarray = Array
finfo, iinfo = dtypes.finfo, dtypes.iinfo

_KINDS = {
    "bool": (np.bool_,),
    "signed integer": (np.signedinteger,),
    "unsigned integer": (np.unsignedinteger,),
    "integral": (np.integer,),
    "real floating": (np.floating,),
    "complex floating": (np.complexfloating,),
    "numeric": (np.integer, np.floating, np.complexfloating),
}


def isdtype(dtype: Any, kind: Any) -> bool:
    """Whether the type is of the kind: a name such as ``"real floating"``, a type, or a tuple of these."""
    found = np.dtype(dtype)
    return any(_is_of_kind(found, one) for one in (kind if isinstance(kind, tuple) else (kind,)))


def _is_of_kind(found: np.dtype, kind: Any) -> bool:
    if isinstance(kind, str) and kind in _KINDS:
        return any(dtypes.issubdtype(found, above) for above in _KINDS[kind])
    try:
        return found == np.dtype(kind)
    except TypeError:
        if not isinstance(kind, str):
            raise TypeError(f"Expected kind to be a dtype, string, or tuple; got kind={kind}") from None
    raise ValueError(
        f"Unrecognized kind={kind!r} expected one of {list(_KINDS)}, or a compatible input for jnp.dtype()"
    )


def issubdtype(arg1: Any, arg2: Any) -> bool:
    """Whether the first type lies at or below the second, small floats and integers included."""
    return dtypes.issubdtype(arg1, arg2)


def promote_types(a: Any, b: Any) -> Any:
    """The type of combining the two."""
    return dtypes.promote_types(a, b)


def result_type(*args: Any) -> Any:
    """The type of combining arrays, scalars and types."""
    return dtypes.result_type(*args)
