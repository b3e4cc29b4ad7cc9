"""``ufunc``: a function of elements that can also reduce, accumulate and update. The functions themselves are in
``ufunc_objects.py``.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.engine.api.jit import jit
from jaxnb.engine.api.tracing import eval_shape
from jaxnb.engine.api.vmap import vmap
from jaxnb.engine.core import dtypes
from jaxnb.engine.core.avals import ShapedArray, get_aval
from jaxnb.engine.ops.axes import broadcast_shapes, canonicalize_axis
from jaxnb.numpy.arguments import check_arraylike
from jaxnb.numpy.creation import asarray
from jaxnb.numpy.index_spec import as_items
from jaxnb.numpy.joining import append
from jaxnb.numpy.selection import choose
from jaxnb.numpy.shapes import broadcast_to, expand_dims, moveaxis
from jaxnb.numpy.taking import take
from jaxnb.numpy.vectorizing import vectorize
from jaxnb.xla.version import JAXLIB_VERSION

_NOT_IN_PLACE = """\
Because JAX arrays are immutable, jnp.ufunc.at() cannot operate inplace like
np.ufunc.at(). Instead, you can pass inplace=False and capture the result; e.g.
>>> arr = jnp.add.at(arr, ind, val, inplace=False)
"""

_REDUCEAT_CONVERTS = JAXLIB_VERSION >= (0, 12)
"""Whether ``reduceat`` heeds its ``dtype``; older JAX does not."""

Method = Callable[..., Any]


@dataclass(frozen=True)
class Shortcuts:
    """Ways of one function that are better than the general ones; None: there is none.

    Attributes:
        call: the function of arrays; without it, the function of scalars is mapped.
        reduce: the reduction over axes.
        accumulate: the running results along an axis.
        at: the updated array, from array, indices and operands.
    """

    call: Method | None = None
    reduce: Method | None = None
    accumulate: Method | None = None
    at: Method | None = None


class ufunc:
    """A function of elements that broadcasts, and that can reduce, accumulate and update if it has two arguments."""

    def __init__(
        self,
        func: Callable[..., Any],
        /,
        nin: int,
        nout: int,
        *,
        name: str | None = None,
        nargs: int | None = None,
        identity: Any = None,
        shortcuts: Shortcuts = Shortcuts(),
    ) -> None:
        self.__name__ = name or func.__name__
        self.__doc__ = func.__doc__
        self.__module__ = "jaxnb.numpy"
        self._func = func
        self._shortcuts = shortcuts
        self._call = shortcuts.call or self._call_vectorized
        self.nin, self.nout, self.nargs, self.identity = nin, nout, nargs or nin, identity

    def _key(self) -> tuple[Any, ...]:
        return self._func, self.__name__, self.nin, self.nout, self.nargs, self._shortcuts

    def __hash__(self) -> int:
        return hash(self._key())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ufunc) and self._key() == other._key() and self.identity == other.identity

    def __repr__(self) -> str:
        return f"<jnp.ufunc '{self.__name__}'>"

    def __call__(self, *args: Any, out: None = None, where: None = None) -> Any:
        """The function, element by element."""
        if out is not None:
            raise NotImplementedError(f"out argument of {self}")
        if where is not None:
            raise NotImplementedError(f"where argument of {self}")
        return self._call(*args)

    @functools.partial(jit, static_argnames=["self"])
    def _call_vectorized(self, *args):
        return vectorize(self._func)(*args)

    def _check_binary(self, method: str, out: Any = None) -> None:
        if self.nin != 2:
            raise ValueError(f"{method} only supported for binary ufuncs")
        if self.nout != 1:
            raise ValueError(f"{method} only supported for functions returning a single value")
        if out is not None:
            raise NotImplementedError(f"out argument of {self.__name__}.{method}()")

    def _result_dtype(self, *args: Any) -> Any:
        scalars = (ShapedArray((), aval.dtype, aval.weak_type) for aval in map(get_aval, args))
        return eval_shape(self._func, *scalars).dtype

    @functools.partial(jit, static_argnames=["self", "axis", "dtype", "out", "keepdims"])
    def reduce(self, a, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=None):
        """The elements along an axis combined to one.

        Args:
            a: array.
            axis: the axis; None: all.
            dtype: element type to combine in.
            out: not supported.
            keepdims: whether the axis stays with size one.
            initial: what to begin with; the function's identity by default.
            where: truth values; elements where it is False are left out.

        Raises:
            ValueError: the function has not two arguments, or has no identity where one is needed.
        """
        self._check_binary("reduce", out)
        check_arraylike(f"{self.__name__}.reduce", a)
        if initial is not None:
            check_arraylike(f"{self.__name__}.reduce", initial)
        if where is not None:
            check_arraylike(f"{self.__name__}.reduce", where)
            if self.identity is None and initial is None:
                raise ValueError(
                    f"reduction operation {self.__name__!r} does not have an identity, so to use a where mask one has "
                    "to specify 'initial'."
                )
            if dtypes.dtype(where) != np.bool_:
                raise ValueError(f"where argument must have dtype=bool; got dtype={dtypes.dtype(where)}")
        reduce = self._shortcuts.reduce or self._reduce_in_turn
        return reduce(a, axis=axis, dtype=dtype, keepdims=keepdims, initial=initial, where=where)

    def _reduce_in_turn(self, a: Any, axis: Any, dtype: Any, keepdims: bool, initial: Any, where: Any) -> Any:
        if isinstance(axis, tuple):
            raise NotImplementedError("tuple of axes")
        initial = self.identity if initial is None else initial
        dtype = dtype or self._result_dtype(a, a)
        where = None if where is None else broadcast_to(where, np.shape(a))
        shape = [1] * a.ndim
        if axis is None:
            a, where, axis = a.ravel(), None if where is None else where.ravel(), 0
        else:
            axis = canonicalize_axis(axis, a.ndim)
            shape = [*a.shape[:axis], 1, *a.shape[axis + 1 :]]
            if axis != 0:
                a, where = moveaxis(a, axis, 0), None if where is None else moveaxis(where, axis, 0)
        if initial is None and a.shape[0] == 0:
            raise ValueError(f"zero-size array to reduction operation {self.__name__} which has no identity")

        def combine(i: Any, total: Any) -> Any:
            if where is None:
                return self(total, a[i].astype(dtype))
            kept = where[i]
            return choose(kept, self(total, a[i].astype(dtype)), total)

        start, first = (1, a[0]) if initial is None else (0, initial)
        first = broadcast_to(asarray(first).astype(dtype), a.shape[1:])
        total = lax.fori_loop(start, a.shape[0], combine, first) if a.shape[0] else first
        return total.reshape(shape) if keepdims else total

    @functools.partial(jit, static_argnames=["self", "axis", "dtype", "out"])
    def accumulate(self, a, axis=0, dtype=None, out=None):
        """The results of combining the first element, the first two, the first three, along an axis.

        Raises:
            ValueError: the function has not two arguments, or there is not one axis.
        """
        self._check_binary("accumulate", out)
        accumulate = self._shortcuts.accumulate or self._accumulate_in_turn
        return accumulate(a, axis=axis, dtype=dtype)

    def _accumulate_in_turn(self, a: Any, axis: Any, dtype: Any) -> Any:
        check_arraylike(f"{self.__name__}.accumulate", a)
        dtype = dtype or self._result_dtype(a, a)
        if axis is None or isinstance(axis, tuple):
            raise ValueError("accumulate does not allow multiple axes")
        axis = canonicalize_axis(axis, np.ndim(a))
        a = moveaxis(a, axis, 0)

        def step(carry: Any, _: Any) -> Any:
            i, total = carry
            total = choose(i == 0, a[0].astype(dtype), self(total.astype(dtype), a[i].astype(dtype)))
            return (i + 1, total), total

        _, totals = lax.scan(step, (0, a[0].astype(dtype)), None, length=a.shape[0])
        return moveaxis(totals, 0, axis)

    @functools.partial(jit, static_argnums=[0], static_argnames=["inplace"])
    def at(self, a, indices, b=None, /, *, inplace=True):
        """The array with the function applied at the indices, once for each time that an index occurs.

        Raises:
            NotImplementedError: ``inplace`` is not False: arrays are not written to.
        """
        if inplace:
            raise NotImplementedError(_NOT_IN_PLACE)
        at = self._shortcuts.at or self._at_in_turn
        return at(a, indices) if b is None else at(a, indices, b)

    def _at_in_turn(self, a: Any, indices: Any, *args: Any) -> Any:
        check_arraylike(f"{self.__name__}.at", a, *args)
        dtype = self._result_dtype(a, *args)
        a = asarray(a).astype(dtype)
        args = tuple(asarray(arg).astype(dtype) for arg in args)
        indices = as_items(indices)
        if not indices:
            return a
        shape = broadcast_shapes(*map(np.shape, indices))
        if not shape:
            return a.at[indices].set(self(a[indices], *args))
        args = tuple(broadcast_to(arg, shape).ravel() for arg in args)
        spread = [broadcast_to(place, shape).ravel() for place in indices]

        def step(carry: Any, _: Any) -> Any:
            i, a = carry
            place = tuple(one[i] for one in spread)
            a = a.at[place].set(self(a[place], *(arg[i] for arg in args)))
            return (i + 1, a), None

        return lax.scan(step, (0, a), None, len(spread[0]))[0][1]

    @functools.partial(jit, static_argnames=["self", "axis", "dtype", "out"])
    def reduceat(self, a, indices, axis=0, dtype=None, out=None):
        """The reductions of the slices that begin at each index and end before the next.

        Raises:
            ValueError: the function has not two arguments, the array no axis, or the indices more than one.
        """
        self._check_binary("reduceat", out)
        check_arraylike(f"{self.__name__}.reduceat", a, indices)
        if a.ndim == 0:
            raise ValueError(f"reduceat: a must have 1 or more dimension, got {a.shape=}")
        if indices.ndim != 1:
            raise ValueError(f"reduceat: indices must be one-dimensional, got {indices.shape=}")
        if axis is None or isinstance(axis, tuple | list):
            raise ValueError("reduceat requires a single integer axis.")
        axis = canonicalize_axis(axis, a.ndim)
        if dtype is not None and _REDUCEAT_CONVERTS:
            a = a.astype(dtype)
        first = take(a, indices, axis=axis)
        others = [i for i in range(first.ndim) if i != axis]
        bounds = expand_dims(append(indices, a.shape[axis]), others)
        start = lax.slice_in_dim(bounds, 0, -1, axis=axis)
        end = lax.slice_in_dim(bounds, 1, None, axis=axis)

        def combine(i: Any, total: Any) -> Any:
            return choose((i > start) & (i < end), self(total, take(a, i[None], axis=axis)), total)

        return lax.fori_loop(0, a.shape[axis], combine, first)

    @functools.partial(jit, static_argnums=[0])
    def outer(self, A, B, /):
        """The function of each element of the one and each of the other.

        Raises:
            ValueError: the function has not two arguments, or several results.
        """
        self._check_binary("outer")
        check_arraylike(f"{self.__name__}.outer", A, B)
        rows, columns = (x.reshape(x.size) if x.ndim != 1 else x for x in map(asarray, (A, B)))
        table = vmap(vmap(self, (None, 0)), (0, None))(rows, columns)
        return table.reshape(*np.shape(A), *np.shape(B))


ufunc.__module__ = "jaxnb.numpy"


def frompyfunc(func: Callable[..., Any], /, nin: int, nout: int, *, identity: Any = None) -> ufunc:
    """A ufunc of the function of scalars.

    Args:
        func: a function of ``nin`` scalars with ``nout`` results.
        nin: the number of arguments.
        nout: the number of results.
        identity: what changes nothing; reductions begin with it.
    """
    return ufunc(func, nin, nout, identity=identity)
