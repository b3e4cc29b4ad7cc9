"""What functions of ``jaxnb.numpy`` accept, and how several arguments come to one dtype and one rank."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from jaxnb.base.errors import ConcretizationTypeError
from jaxnb.engine.core import dtypes
from jaxnb.engine.core.avals import aval_makers
from jaxnb.engine.core.trace import Tracer
from jaxnb.engine.ops.conversion import convert
from jaxnb.engine.ops.staging import is_array, stage

_host_kinds = (np.ndarray, np.generic, bool, int, float, complex)


def is_arraylike(x: Any) -> bool:
    """Whether ``x`` is an array, a tracer, a NumPy array, a scalar, or says how to become one."""
    return is_array(x) or isinstance(x, _host_kinds) or type(x) in aval_makers or hasattr(x, "__jax_array__")


def check_arraylike(name: str, *args: Any) -> None:
    """Raises JAX's TypeError unless all arguments are arrays or scalars."""
    for position, x in enumerate(args):
        if not is_arraylike(x):
            raise TypeError(
                f"{name} requires ndarray or scalar arguments, got {type(x)} at position {position}."
            )


def check_arraylike_or_none(name: str, *args: Any) -> None:
    """Raises JAX's TypeError unless all arguments are arrays, scalars or None."""
    for position, x in enumerate(args):
        if x is not None and not is_arraylike(x):
            raise TypeError(
                f"{name} requires ndarray, scalar, or None arguments, got {type(x)} at position {position}."
            )


def ensure_arraylike(name: str, *args: Any) -> Any:
    """The arguments as arrays of ours or tracers: one value for one argument, else a tuple."""
    check_arraylike(name, *args)
    arrays = tuple(x if is_array(x) else stage(_resolved(x)) for x in args)
    return arrays[0] if len(arrays) == 1 else arrays


def _resolved(x: Any) -> Any:
    return x.__jax_array__() if hasattr(x, "__jax_array__") else x


def promote_dtypes(*args: Any) -> list[Any]:
    """The arguments in their common dtype."""
    if len(args) < 2:
        return [x if is_array(x) else stage(x) for x in args]
    dtype, weak = dtypes.result_type(*args, return_weak_type_flag=True)
    return [convert(x, dtype, weak) for x in args]


def promote_dtypes_inexact(*args: Any) -> list[Any]:
    """The arguments in their common dtype, a floating one where that has no fractions."""
    dtype, weak = dtypes.result_type(*args, return_weak_type_flag=True)
    inexact = dtypes.to_inexact_dtype(dtype)
    return [convert(x, inexact, weak) for x in args]


def promote_dtypes_numeric(*args: Any) -> list[Any]:
    """The arguments in their common dtype, the default integer one for truth values."""
    dtype, weak = dtypes.result_type(*args, return_weak_type_flag=True)
    if dtype == np.bool_:
        dtype, weak = dtypes.canonicalize_dtype(np.int64), False
    return [convert(x, dtype, weak) for x in args]


def static_indices(x: Any) -> tuple[int, ...]:
    """An index, or a sequence of them, as a tuple.

    Raises:
        ConcretizationTypeError: it is traced.
    """
    x = concrete(x, "expected a static index or sequence of indices.")
    try:
        return (operator.index(x),)
    except TypeError:
        return tuple(map(operator.index, x))


def concrete(x: Any, context: str) -> Any:
    """``x``, where its value is known.

    Raises:
        ConcretizationTypeError: it is traced.
    """
    if isinstance(x, Tracer):
        value = x.concrete()
        if value is None:
            raise ConcretizationTypeError(x, context)
        return value
    return x
