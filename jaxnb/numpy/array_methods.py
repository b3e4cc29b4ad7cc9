"""The operators and methods of arrays and tracers, each one of ``jaxnb.numpy``'s functions.

Lives here: the table that ``engine.core.operators`` gives to both classes. Nothing else fills it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from jaxnb.engine.core import dtypes, operators
from jaxnb.engine.core.trace import Tracer
from jaxnb.engine.ops.conversion import bitcast_convert_type, convert_element_type
from jaxnb.engine.ops.dynamic_slicing import dynamic_slice_in_dim
from jaxnb.engine.ops.joining import rows, unstack
from jaxnb.engine.runtime.arrays import Array, ArrayImpl
from jaxnb.numpy import (
    arg_reductions,
    contraction,
    creation,
    cumulative,
    elementary,
    indexing,
    limits,
    means,
    reductions,
    searching,
    selection,
    shapes,
    sorted_search,
    sorting,
    taking,
    triangles,
    ufuncs,
    updates,
)
from jaxnb.numpy import joining as joining_module

__all__: list[str] = []

_accepted = (bool, int, float, complex, np.generic, np.ndarray, ArrayImpl, Tracer, Array)


def _is_operand(x: Any) -> bool:
    """Returns whether an operator takes ``x``; lists are refused with a reason of their own."""
    return isinstance(x, _accepted) or hasattr(x, "__jax_array__")


def _binary(fun: Callable[[Any, Any], Any], symbol: str) -> Callable[[Any, Any], Any]:
    def operator(self: Any, other: Any) -> Any:
        if _is_operand(other):
            return fun(self, other)
        if type(other) in (list, tuple, dict):
            raise TypeError(_unsupported(symbol, _short_name(self), type(other).__name__))
        return NotImplemented

    return operator


def _reflected(fun: Callable[[Any, Any], Any], symbol: str) -> Callable[[Any, Any], Any]:
    def operator(self: Any, other: Any) -> Any:
        if _is_operand(other):
            return fun(other, self)
        if type(other) in (list, tuple, dict):
            raise TypeError(_unsupported(symbol, type(other).__name__, _short_name(self)))
        return NotImplemented

    return operator


def _unsupported(symbol: str, left: str, right: str) -> str:
    return f"unsupported operand type(s) for {symbol}: '{left}' and '{right}'"


def _short_name(x: Any) -> str:
    return type(x).__name__


def _setitem(self: Any, index: Any, value: Any) -> None:
    raise TypeError(
        "JAX arrays are immutable and do not support in-place item assignment. Instead of x[idx] = y, use x = "
        "x.at[idx].set(y) or another .at[] method: "
        "https://docs.jax.dev/en/latest/_autosummary/jax.numpy.ndarray.at.html"
    )


_CHUNK = 100


def _iter(self: Any) -> Iterator[Any]:
    if not self.shape:
        raise TypeError("iteration over a 0-d array")
    return rows(self) if isinstance(self, Tracer) else _rows_in_chunks(self)


def _rows_in_chunks(x: Any) -> Iterator[Any]:
    """The rows of an array, so many at a time: each program serves all chunks of one size."""
    for start in range(0, x.shape[0], _CHUNK):
        yield from unstack(dynamic_slice_in_dim(x, start, min(_CHUNK, x.shape[0] - start)))


def _flat(self: Any) -> Any:
    raise NotImplementedError(
        "JAX Arrays do not implement the arr.flat property: consider arr.flatten() instead."
    )


def _reshape(
    self: Any, *args: Any, order: str = "C", copy: bool | None = None, out_sharding: Any = None
) -> Any:
    """Returns the elements in another shape, given as one sequence or as separate numbers."""
    shape = args[0] if len(args) == 1 else args
    return shapes.reshape(self, shape, order=order, copy=copy, out_sharding=out_sharding)


def _argsort(
    self: Any,
    axis: int | None = -1,
    *,
    kind: None = None,
    order: None = None,
    stable: bool = True,
    descending: bool = False,
) -> Any:
    """Returns the positions of the elements in ascending order."""
    return sorting.argsort(self, axis=axis, kind=kind, order=order, stable=stable, descending=descending)


def _transpose(self: Any, *args: Any) -> Any:
    """Returns the array with its axes permuted, reversed by default."""
    axes = None if not args else args[0] if len(args) == 1 and not isinstance(args[0], int) else args
    return shapes.transpose(self, axes)


def _astype(self: Any, dtype: Any, copy: bool = False, device: Any = None) -> Any:
    """Returns the elements converted to a dtype."""
    return creation.astype(self, dtype, copy=copy, device=device)


def _view(self: Any, dtype: Any = None, type: None = None) -> Any:
    """Returns the same bits read as another dtype."""
    if type is not None:
        raise NotImplementedError("`type` argument of array.view() is not supported.")
    if dtype is None:
        return self
    dtypes.check_user_dtype_supported(dtype, "view")
    return bitcast_convert_type(self, dtypes.canonicalize_dtype(np.dtype(dtype)))


def _round(self: Any, decimals: int = 0, out: None = None) -> Any:
    """Returns the elements rounded to a number of decimals."""
    return elementary.round(self, decimals, out)


def _builtin_round(self: Any, ndigits: int | None = None) -> Any:
    """Returns the elements rounded; as integers where no number of digits is asked for, as Python does it."""
    rounded = elementary.round(self, ndigits or 0)
    return convert_element_type(rounded, int) if ndigits is None else rounded


def _clip(self: Any, min: Any = None, max: Any = None) -> Any:
    """Returns the elements limited to an interval."""
    return limits.clip(self, min=min, max=max)


def _flatten(self: Any, order: str = "C", *, out_sharding: Any = None) -> Any:
    """Returns the elements as a vector."""
    return shapes.ravel(self, order=order)


_operators: dict[str, tuple[Any, str]] = {
    "add": (ufuncs.add, "+"),
    "sub": (ufuncs.subtract, "-"),
    "mul": (ufuncs.multiply, "*"),
    "truediv": (ufuncs.true_divide, "/"),
    "floordiv": (ufuncs.floor_divide, "//"),
    "mod": (ufuncs.remainder, "%"),
    "divmod": (ufuncs.divmod, "divmod()"),
    "pow": (ufuncs.power, "** or pow()"),
    "matmul": (contraction.matmul, "@"),
    "and": (ufuncs.bitwise_and, "&"),
    "or": (ufuncs.bitwise_or, "|"),
    "xor": (ufuncs.bitwise_xor, "^"),
    "lshift": (ufuncs.left_shift, "<<"),
    "rshift": (ufuncs.right_shift, ">>"),
}
_comparisons = {
    "eq": (ufuncs.equal, "=="),
    "ne": (ufuncs.not_equal, "!="),
    "lt": (ufuncs.less, "<"),
    "le": (ufuncs.less_equal, "<="),
    "gt": (ufuncs.greater, ">"),
    "ge": (ufuncs.greater_equal, ">="),
}

table: dict[str, Any] = {
    "__neg__": lambda self: ufuncs.negative(self),
    "__pos__": lambda self: ufuncs.positive(self),
    "__abs__": lambda self: ufuncs.abs(self),
    "__invert__": lambda self: ufuncs.bitwise_not(self),
    "__round__": _builtin_round,
    "__getitem__": indexing.getitem,
    "__setitem__": _setitem,
    "__iter__": _iter,
    "__reversed__": lambda self: iter(list(_iter(self))[::-1]),
    "at": property(updates._IndexUpdateHelper, doc="Updates that return a new array: ``x.at[i].set(y)``."),
    "T": property(lambda self: shapes.transpose(self), doc="The axes reversed."),
    "mT": property(lambda self: shapes.matrix_transpose(self), doc="The last two axes exchanged."),
    "real": property(lambda self: elementary.real(self), doc="The real part."),
    "imag": property(lambda self: elementary.imag(self), doc="The imaginary part."),
    "flat": property(_flat),
    "itemsize": property(lambda self: self.dtype.itemsize, doc="Bytes of one element."),
    "nbytes": property(lambda self: self.size * self.dtype.itemsize, doc="Bytes of all elements."),
    "all": reductions.all,
    "any": reductions.any,
    "argmax": arg_reductions.argmax,
    "argpartition": sorting.argpartition,
    "argsort": _argsort,
    "argmin": arg_reductions.argmin,
    "astype": _astype,
    "choose": selection.choose,
    "clip": _clip,
    "conj": elementary.conjugate,
    "conjugate": elementary.conjugate,
    "copy": lambda self: creation.copy(self),
    "cumprod": cumulative.cumprod,
    "cumsum": cumulative.cumsum,
    "diagonal": triangles.diagonal,
    "dot": contraction.dot,
    "flatten": _flatten,
    "max": reductions.max,
    "mean": means.mean,
    "min": reductions.min,
    "nonzero": searching.nonzero,
    "prod": reductions.prod,
    "ptp": means.ptp,
    "ravel": shapes.ravel,
    "repeat": joining_module.repeat,
    "reshape": _reshape,
    "round": _round,
    "searchsorted": sorted_search.searchsorted,
    "sort": sorting.sort,
    "squeeze": shapes.squeeze,
    "std": means.std,
    "sum": reductions.sum,
    "swapaxes": shapes.swapaxes,
    "take": taking.take,
    "trace": contraction.trace,
    "transpose": _transpose,
    "var": means.var,
    "view": _view,
}
for _name, (_fun, _symbol) in _operators.items():
    table[f"__{_name}__"] = _binary(_fun, _symbol)
    table[f"__r{_name}__"] = _reflected(_fun, _symbol)
for _name, (_fun, _symbol) in _comparisons.items():
    table[f"__{_name}__"] = _binary(_fun, _symbol)

operators.fill(table)
