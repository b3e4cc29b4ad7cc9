"""The functions of elements that are ufuncs: they can reduce, accumulate and update."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.engine.core import dtypes
from jaxnb.engine.ops.reductions import all_bits
from jaxnb.numpy import arithmetic as numbers
from jaxnb.numpy import elementary, log_sums, predicates
from jaxnb.numpy.arguments import promote_dtypes_inexact
from jaxnb.numpy.cumulative import cumprod, cumsum
from jaxnb.numpy.reductions import (
    Reduction,
    max,
    min,
    prod,
    reduce_with,
    reduced_axes,
    static_axis,
    sum,
    truth_of,
)
from jaxnb.numpy.shapes import expand_dims
from jaxnb.numpy.ufunc_class import Shortcuts, ufunc

__all__ = [
    "add", "bitwise_and", "bitwise_or", "bitwise_xor", "logaddexp", "logaddexp2", "logical_and", "logical_or",
    "logical_xor", "maximum", "minimum", "multiply", "negative", "subtract",
]  # fmt: skip


def _ufunc(fun: Callable[..., Any], identity: Any = None, *, nin: int = 2, **shortcuts: Any) -> ufunc:
    return ufunc(fun, nin, 1, identity=identity, shortcuts=Shortcuts(call=fun, **shortcuts))


# ---- sums and products ----------------------------------------------------------------------------------


def _add_at(a: Any, indices: Any, b: Any) -> Any:
    if dtypes.dtype(a) != np.bool_:
        return a.at[indices].add(b)
    counts = a.astype("int32").at[indices].add(b.astype("int32"))
    return counts.astype(np.bool_)


def _subtract_at(a: Any, indices: Any, b: Any) -> Any:
    return a.at[indices].subtract(b)


def _multiply_at(a: Any, indices: Any, b: Any) -> Any:
    return a.at[indices].multiply(b)


negative = _ufunc(elementary.negate, nin=1)
add = _ufunc(numbers.plus, 0, reduce=sum, accumulate=cumsum, at=_add_at)
subtract = _ufunc(numbers.minus, at=_subtract_at)
multiply = _ufunc(numbers.times, 1, reduce=prod, accumulate=cumprod, at=_multiply_at)


# ---- extremes -------------------------------------------------------------------------------------------


def _extreme(reduction: Callable[..., Any]) -> Callable[..., Any]:
    """The reduction, which has no element type of its own to work in."""

    def reduce(a: Any, *, dtype: Any, **options: Any) -> Any:
        return reduction(a, **options) if dtype is None else reduction(a, dtype=dtype, **options)

    return reduce


maximum = _ufunc(numbers.greater_of, reduce=_extreme(max))
minimum = _ufunc(numbers.smaller_of, reduce=_extreme(min))


# ---- bits and truth values ------------------------------------------------------------------------------


def _zero(dtype: Any) -> Any:
    return np.dtype(dtype).type(0)


def _integers(a: Any) -> Any:
    if not dtypes.issubdtype(dtypes.dtype(a), np.integer) and dtypes.dtype(a) != np.bool_:
        raise ValueError(f"integer argument required; got dtype={dtypes.dtype(a)}")
    return a


def _reduced(
    name: str, reduce: Any, combine: Any, identity: Any, prepare: Any = _integers
) -> Callable[..., Any]:
    kind = Reduction(name, reduce, reduce, combine, identity, prepare=prepare)
    return lambda a, **options: reduce_with(kind, a, **options)


bitwise_and = _ufunc(
    predicates.common_bits, -1, reduce=_reduced("bitwise_and", lax.reduce_and, lax.bitwise_and, all_bits)
)
bitwise_or = _ufunc(
    predicates.all_bits, 0, reduce=_reduced("bitwise_or", lax.reduce_or, lax.bitwise_or, _zero)
)
bitwise_xor = _ufunc(
    predicates.different_bits, 0, reduce=_reduced("bitwise_xor", lax.reduce_xor, lax.bitwise_xor, _zero)
)
logical_and = _ufunc(
    predicates.both, True, reduce=_reduced("logical_and", lax.reduce_and, lax.bitwise_and, all_bits, truth_of)
)
logical_or = _ufunc(
    predicates.either, False, reduce=_reduced("logical_or", lax.reduce_or, lax.bitwise_or, _zero, truth_of)
)
logical_xor = _ufunc(
    predicates.exactly_one,
    False,
    reduce=_reduced("logical_xor", lax.reduce_xor, lax.bitwise_xor, _zero, truth_of),
)


# ---- sums of numbers given by their logarithms ----------------------------------------------------------

_LN2 = float(np.log(2))


def _reduce_logs(a: Any, *, axis: Any, dtype: Any, keepdims: bool, initial: Any, where: Any) -> Any:
    """``log(sum(e^a))``; the element type is that of ``a``, whatever ``dtype`` says."""
    (a,) = promote_dtypes_inexact(a)
    axes = reduced_axes(a, static_axis(axis))
    real = lax.real(a) if dtypes.issubdtype(a.dtype, np.complexfloating) else a
    largest = max(real, axis=axes, keepdims=keepdims, where=where, initial=-np.inf)
    largest = lax.stop_gradient(_finite_or_zero(largest))
    along = largest if keepdims else expand_dims(largest, axes)
    terms = lax.exp(lax.sub(a, along.astype(a.dtype)))
    total = lax.log(sum(terms, axis=axes, keepdims=keepdims, where=where))
    total = lax.add(total, largest.astype(a.dtype))
    return total if initial is None else log_sums.logaddexp(initial, total)


def _finite_or_zero(x: Any) -> Any:
    """Each element where it is finite, else zero."""
    return lax.select(lax.is_finite(x), x, lax.full_like(x, 0))


def _reduce_logs2(a: Any, *, initial: Any, **options: Any) -> Any:
    initial = None if initial is None else initial * _LN2
    return _reduce_logs(a * _LN2, initial=initial, **options) / _LN2


logaddexp = _ufunc(log_sums.log_sum, -np.inf, reduce=_reduce_logs)
logaddexp2 = _ufunc(log_sums.log2_sum, -np.inf, reduce=_reduce_logs2)
