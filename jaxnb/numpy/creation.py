"""Arrays made from values, shapes and ranges."""

from __future__ import annotations

import functools
import operator
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.engine.api.jit import jit
from jaxnb.engine.api.placed import placed_like
from jaxnb.engine.api.transfer import device_put
from jaxnb.engine.api.vmap import vmap
from jaxnb.engine.core import dtypes
from jaxnb.engine.core.avals import check_not_masked, get_aval
from jaxnb.engine.ops.axes import canonicalize_shape
from jaxnb.engine.ops.conversion import convert, no_array_type
from jaxnb.engine.ops.filling import copy_p
from jaxnb.engine.ops.shape import moveaxis
from jaxnb.engine.ops.staging import is_array, stage
from jaxnb.numpy.arguments import check_arraylike, check_arraylike_or_none, concrete
from jaxnb.xla import pytree
from jaxnb.xla.version import JAXLIB_VERSION

# From values


def _on_device(x: Any, device: Any) -> Any:
    return x if device is None else device_put(x, device)


def array(object, dtype=None, *args, copy=True, order="K", ndmin=0, device=None, out_sharding=None):
    """The value as an array: an array or scalar, or nested sequences of them."""
    if args:
        raise TypeError(f"array() takes from 1 to 2 positional arguments but {2 + len(args)} were given")
    if order is not None and order != "K":
        raise NotImplementedError("Only implemented for order='K'")
    if dtype is not None:
        dtype = dtypes.check_user_dtype_supported(dtype, "array")
    return _on_device(_array(object, dtype, copy=copy, ndmin=ndmin), device)


def _array(value: Any, dtype: Any, *, copy: bool, ndmin: int = 0) -> Any:
    if hasattr(value, "__jax_array__"):
        value = value.__jax_array__()
    weak_type = dtype is None and dtypes.is_weakly_typed(value)
    if is_array(value):
        out = copy_p.bind(value) if copy else value
    else:
        leaves = pytree.flatten(value, lambda x: x is None)[0]
        if any(leaf is None for leaf in leaves):
            raise ValueError("None is not a valid value for jnp.array")
        leaves = [leaf.__jax_array__() if hasattr(leaf, "__jax_array__") else leaf for leaf in leaves]
        if isinstance(value, list | tuple) and any(is_array(leaf) for leaf in leaves):
            if dtype is None:
                dtype = dtypes.result_type(*leaves)
            parts = [lax.expand_dims(_array(part, dtype, copy=False), (0,)) for part in value]
            out = lax.concatenate(parts, 0)
        else:
            out = _host_array(value, leaves, dtype)
    if dtype is None:
        dtype = dtypes.dtype(out)
    out = convert(out, dtypes.canonicalize_dtype(dtype, allow_extended_dtype=True), weak_type)
    ndim = np.ndim(out)
    return lax.expand_dims(out, range(ndmin - ndim)) if ndmin > ndim else out


def _host_array(value: Any, leaves: Sequence[Any], dtype: Any) -> Any:
    """A value that holds no array of ours, as one: in the dtype its elements agree on."""
    if isinstance(value, bool | int | float | complex) and not isinstance(value, np.generic):
        if dtype is None:
            get_aval(value)
        return stage(value if dtype is None else np.asarray(value, dtype)[()])
    if isinstance(value, np.ndarray | np.generic):
        host = np.array(value)
    else:
        if dtype is None and isinstance(value, list | tuple) and leaves and all(map(_has_dtype, leaves)):
            dtype = dtypes.result_type(*leaves)
        elif dtype is None and isinstance(value, list | tuple) and not leaves:
            dtype = dtypes.canonicalize_dtype(np.float64)
        for leaf in leaves if isinstance(value, list | tuple) else ():
            if (
                not _has_dtype(leaf)
                and np.asarray(leaf).dtype.kind in "SUO"
                and not hasattr(leaf, "__array__")
            ):
                value = leaf
                break
        host = np.array(value, dtype)
    if not _is_supported(host.dtype):
        raise TypeError(
            f"Value '{value}' with dtype {host.dtype} is not a valid JAX array type. "
            "Only arrays of numeric types are supported by JAX."
        )
    return stage(host.astype(dtypes.canonicalize_dtype(host.dtype if dtype is None else dtype), copy=False))


def _has_dtype(x: Any) -> bool:
    return isinstance(x, bool | int | float | complex | np.generic) or (
        isinstance(x, np.ndarray) and _is_supported(x.dtype)
    )


def _is_supported(dtype: np.dtype) -> bool:
    return dtype == dtypes.float0 or dtypes.is_supported(dtype)


def asarray(a, dtype=None, order=None, *, copy=None, device=None, out_sharding=None):
    """The value as an array, without a copy where it is one already."""
    if order is not None and order != "K":
        raise NotImplementedError("Only implemented for order='K'")
    if dtype is not None:
        dtype = dtypes.check_user_dtype_supported(dtype, "asarray")
    if dtype is None and not copy:
        check_not_masked(a)  # a copy loses the mask, in JAX too
    return _on_device(_array(a, dtype, copy=bool(copy)), device)


def copy(a, order=None):
    """A copy of the array."""
    check_arraylike("copy", a)
    return array(a, copy=True, order=order)  # pyright: ignore[reportArgumentType]


def astype(x, dtype, /, *, copy=False, device=None):
    """The array in another dtype."""
    check_arraylike("astype", x)
    new = dtypes.canonicalize_dtype(np.float64) if dtype is None else dtype
    new = dtypes.check_user_dtype_supported(new, "astype")
    old = dtypes.dtype(x)
    complex_to_real = (
        not dtypes.is_extended(new)
        and dtypes.issubdtype(old, np.complexfloating)
        and not dtypes.issubdtype(new, np.complexfloating)
        and np.dtype(new) != np.dtype(bool)
    )
    if complex_to_real:
        warnings.warn(
            "Casting from complex to real dtypes will soon raise a ValueError. Please first use jnp.real or "
            "jnp.imag to take the real/imaginary component of your input.",
            DeprecationWarning,
            stacklevel=2,
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
        out = convert(x if is_array(x) else stage(x), new, False)
    return _on_device(copy_p.bind(out) if copy else out, device)


def frombuffer(buffer, dtype=float, count=-1, offset=0):
    """The bytes of a buffer as an array."""
    return asarray(np.frombuffer(buffer=buffer, dtype=dtype, count=count, offset=offset))


def fromstring(string, dtype=float, count=-1, *, sep):
    """The numbers of a text as an array."""
    return asarray(np.fromstring(string=string, dtype=dtype, count=count, sep=sep))


_PURITY = (
    "101/transformations.html#consequence-1-transformations-require-traceable-functions"
    if JAXLIB_VERSION >= (0, 12)
    else "notebooks/Common_Gotchas_in_JAX.html#pure-functions"
)


def _impure(name: str, what: str) -> Callable[..., Any]:
    def refused(*args, **kwargs):
        raise NotImplementedError(
            f"jnp.{name}() is not implemented because it may be non-pure and thus unsafe for use with JIT and "
            f"other JAX transformations. Consider using jnp.asarray(np.{name}(...)) instead, although care should "
            f"be taken if np.{name} is used within a jax transformations because of its potential side-effect of "
            f"consuming the {what} object; for more information see https://docs.jax.dev/en/latest/{_PURITY}"
        )

    refused.__name__ = refused.__qualname__ = name
    refused.__doc__ = f"Refused: use ``jnp.asarray(np.{name}(...))``."
    return refused


fromiter = _impure("fromiter", "iterable")
fromfile = _impure("fromfile", "file")


def fromfunction(function, shape, *, dtype=float, **kwargs):
    """The function of the indices, evaluated at every index of the shape."""
    shape = canonicalize_shape(shape)
    for axis in range(len(shape)):
        in_axes = [0 if i == axis else None for i in range(len(shape))]
        function = vmap(function, in_axes=tuple(in_axes[::-1]))
    return function(*(arange(size, dtype=dtype) for size in shape), **kwargs)


# From a shape


def _shape(shape: Any) -> Any:
    """The shape as a sequence: a lone size, whatever it is, makes one dimension."""
    if not isinstance(shape, list | tuple) and getattr(shape, "ndim", None) != 1:
        return canonicalize_shape((shape,))
    return canonicalize_shape(shape)


def zeros(shape, dtype=None, *, device=None, out_sharding=None):
    """An array of zeros."""
    dtype = dtypes.check_user_dtype_supported(float if dtype is None else dtype, "zeros")
    return _on_device(lax.full(_shape(shape), 0, dtype), device)


def ones(shape, dtype=None, *, device=None, out_sharding=None):
    """An array of ones."""
    dtype = dtypes.check_user_dtype_supported(float if dtype is None else dtype, "ones")
    return _on_device(lax.full(_shape(shape), 1, dtype), device)


def empty(shape, dtype=None, *, device=None, out_sharding=None):
    """An array whose elements nobody should rely on; they are zero."""
    dtype = dtypes.check_user_dtype_supported(float if dtype is None else dtype, "empty")
    if JAXLIB_VERSION >= (0, 12):
        return _on_device(lax.empty(_shape(shape), dtype), device)
    return zeros(shape, dtype, device=device)


def full(shape, fill_value, dtype=None, *, device=None, out_sharding=None):
    """An array with every element, or every row, ``fill_value``."""
    if not isinstance(fill_value, str | bytes):
        check_arraylike("full", fill_value)
    if dtype is not None:
        dtype = dtypes.check_user_dtype_supported(dtype, "full")
    if np.ndim(fill_value) == 0:
        return _on_device(lax.full(_shape(shape), fill_value, dtype), device)
    return _on_device(_rows(asarray(fill_value, dtype), _shape(shape)), device)


def _rows(x: Any, shape: tuple[int, ...]) -> Any:
    return lax.broadcast_in_dim(x, shape, range(len(shape) - np.ndim(x), len(shape)))


def _check_like(name: str, x: Any) -> None:
    if not (hasattr(x, "dtype") and hasattr(x, "shape")):
        check_arraylike(name, x)


def _full_like(name: str, a: Any, fill_value: Any, dtype: Any, shape: Any, device: Any) -> Any:
    _check_like(name, a)
    if dtype is not None:
        dtype = dtypes.check_user_dtype_supported(dtype, name)
    if shape is not None:
        shape = canonicalize_shape(shape)
    return _on_device(lax.full_like(a, fill_value, dtype, shape), device)


def zeros_like(a, dtype=None, shape=None, *, device=None, out_sharding=None):
    """Zeros in the shape and dtype of ``a``."""
    return _full_like("zeros_like", a, 0, dtype, shape, device)


def ones_like(a, dtype=None, shape=None, *, device=None, out_sharding=None):
    """Ones in the shape and dtype of ``a``."""
    return _full_like("ones_like", a, 1, dtype, shape, device)


def empty_like(prototype, dtype=None, shape=None, *, device=None):
    """Like ``zeros_like``: elements nobody should rely on."""
    if JAXLIB_VERSION < (0, 12):
        return _full_like("empty_like", prototype, 0, dtype, shape, device)
    _check_like("empty_like", prototype)
    shape = np.shape(prototype) if shape is None else shape
    out = empty(shape, dtypes.dtype(prototype) if dtype is None else dtype, device=device)
    return placed_like(out, prototype) if device is None else out


def full_like(a, fill_value, dtype=None, shape=None, *, device=None, out_sharding=None):
    """``fill_value`` in the shape and dtype of ``a``."""
    _check_like("full_like", a)
    if not isinstance(fill_value, str | bytes):
        check_arraylike("full_like", 0, fill_value)
    if np.ndim(fill_value) == 0:
        return _full_like("full_like", a, fill_value, dtype, shape, device)
    shape = np.shape(a) if shape is None else canonicalize_shape(shape)
    dtype = dtypes.dtype(a) if dtype is None else dtype
    return _on_device(_rows(asarray(fill_value, dtype), shape), device)


# Ranges


def arange(start, stop=None, step=None, dtype=None, *, device=None, out_sharding=None):
    """The numbers from ``start`` (zero, where only one bound is given) up to ``stop``, not included."""
    if dtype is not None:
        dtype = dtypes.check_user_dtype_supported(dtype, "arange")
    words = [x for x in (start, stop, step) if isinstance(x, str | bytes)]
    if words and JAXLIB_VERSION < (0, 12):
        raise no_array_type(words[0], np.dtype("S"))
    if not words:
        check_arraylike_or_none("arange", start, stop, step)
    if stop is None and step is None:
        start, stop = None, start
    names = {"start": start, "stop": stop, "step": step}
    for name, value in names.items():
        if value is not None:
            names[name] = concrete(value, f"It arose in the jnp.arange argument '{name}'")
            if not isinstance(value, str) and np.ndim(value) != 0:
                raise ValueError(f"jax.numpy.arange: arguments must be scalars; got {name}={value}")
    start, stop, step = names.values()
    given = [x for x in (start, stop, step) if x is not None]
    if any(dtypes.issubdtype(dtypes.dtype(x), np.complexfloating) for x in given):
        raise ValueError(
            "Passing complex start/stop/step to jnp.arange is no longer supported starting in JAX v0.10.0."
        )
    if dtype is None:
        dtype = dtypes.result_type(*given) if given else np.dtype(np.float32)
    return _on_device(_range(start, stop, step, dtype), device)


def _range(start: Any, stop: Any, step: Any, dtype: Any) -> Any:
    if start is None:
        return lax.iota(dtype, max(0, int(np.ceil(stop))))
    if stop is None:
        start, stop = 0, start
    if step is None and start == 0:
        return lax.iota(dtype, max(0, int(np.ceil(stop))))
    size = max(0, int(np.ceil((stop - start) / (1 if step is None else step))))
    numbers = lax.iota(dtype, size)
    if step is not None:
        numbers = lax.mul(np.asarray(step).astype(dtype)[()], numbers)
    return lax.add(np.asarray(start).astype(dtype)[()], numbers)


def linspace(
    start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None
):  # fmt: skip
    """``num`` numbers at equal distances from ``start`` to ``stop``."""
    num = concrete(num, "'num' argument of jnp.linspace")
    axis = concrete(axis, "'axis' argument of jnp.linspace")
    check_arraylike("linspace", start, stop)
    result = _linspace(start, stop, operator.index(num), endpoint, retstep, dtype, operator.index(axis))
    return _on_device(result, device)


@functools.partial(jit, static_argnames=("num", "endpoint", "retstep", "dtype", "axis"))
def _linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0):
    if num < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative.")
    if dtype is None:
        dtype = dtypes.to_inexact_dtype(dtypes.result_type(start, stop))
    dtype = dtypes.check_user_dtype_supported(dtype, "linspace")
    computed = dtypes.to_inexact_dtype(dtype)
    start, stop = asarray(start, computed), asarray(stop, computed)
    shape = lax.broadcast_shapes(np.shape(start), np.shape(stop))
    low, high = _rows(start, shape), _rows(stop, shape)
    axis = len(shape) + axis + 1 if axis < 0 else axis
    bounds = list(shape)
    bounds.insert(axis, 1)
    div = num - 1 if endpoint else num
    real = np.finfo(computed).dtype if computed.kind == "c" else computed
    if num > 1:
        delta = lax.div(lax.sub(stop, start), np.asarray(div, computed)[()])
        along = [1] * len(bounds)
        along[axis] = div
        places = lax.reshape(lax.iota(real, div), along)
        step = lax.div(places, np.asarray(div, real)[()])
        step = convert(step, computed, False)
        from_low = lax.mul(lax.reshape(low, bounds), lax.sub(np.asarray(1, computed)[()], step))
        from_high = lax.reshape(high, bounds)
        if JAXLIB_VERSION >= (0, 12):
            from_high, step = (
                lax.div(from_high, np.asarray(div, computed)[()]),
                convert(places, computed, False),
            )
        out = lax.add(from_low, lax.mul(from_high, step))
        if endpoint:
            out = lax.concatenate([out, lax.expand_dims(high, (axis,))], axis)
    elif num == 1:
        delta = full((), np.nan, computed) if endpoint else lax.sub(stop, start)
        out = lax.reshape(low, bounds)
    else:
        delta = full((), np.nan, computed)
        bounds[axis] = 0
        out = empty(bounds, dtype)
    if dtypes.issubdtype(dtype, np.integer) and not dtypes.issubdtype(out.dtype, np.integer):
        out = lax.floor(out)
    out = lax.convert_element_type(out, dtype)
    return (out, delta) if retstep else out


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    """``base`` to the power of ``num`` numbers at equal distances from ``start`` to ``stop``."""
    num = concrete(num, "'num' argument of jnp.logspace")
    axis = concrete(axis, "'axis' argument of jnp.logspace")
    check_arraylike("logspace", start, stop)
    return _logspace(start, stop, operator.index(num), endpoint, base, dtype, operator.index(axis))


@functools.partial(jit, static_argnames=("num", "endpoint", "dtype", "axis"))
def _logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    if dtype is None:
        dtype = dtypes.to_inexact_dtype(dtypes.result_type(start, stop))
    dtype = dtypes.check_user_dtype_supported(dtype, "logspace")
    computed = dtypes.to_inexact_dtype(dtype)
    start, stop = asarray(start, computed), asarray(stop, computed)
    exponents = linspace(start, stop, num, endpoint=endpoint, retstep=False, dtype=None, axis=axis)
    return lax.convert_element_type(lax.pow(convert(base, computed, False), exponents), dtype)


def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """``num`` numbers at equal ratios from ``start`` to ``stop``."""
    num = concrete(num, "'num' argument of jnp.geomspace")
    axis = concrete(axis, "'axis' argument of jnp.geomspace")
    check_arraylike("geomspace", start, stop)
    return _geomspace(start, stop, operator.index(num), endpoint, dtype, operator.index(axis))


@functools.partial(jit, static_argnames=("num", "endpoint", "dtype", "axis"))
def _geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    if dtype is None:
        dtype = dtypes.to_inexact_dtype(dtypes.result_type(start, stop))
    dtype = dtypes.check_user_dtype_supported(dtype, "geomspace")
    computed = dtypes.to_inexact_dtype(dtype)
    start, stop = asarray(start, computed), asarray(stop, computed)
    sign = lax.sign(start)
    low, high = _log10(lax.div(start, sign)), _log10(lax.div(stop, sign))
    powers = logspace(low, high, num, endpoint=endpoint, base=10.0, dtype=computed, axis=0)
    out = lax.mul(sign, powers)
    if axis != 0:
        out = moveaxis(out, 0, axis)
    return lax.convert_element_type(out, dtype)


def _log10(x: Any) -> Any:
    return lax.mul(lax.log(x), np.asarray(1 / np.log(10), x.dtype)[()])


# Diagonals and triangles


def eye(N, M=None, k=0, dtype=None, *, device=None):
    """Ones on the ``k``-th diagonal, zeros elsewhere."""
    check_arraylike("eye", k)
    dtype = dtypes.check_user_dtype_supported(float if dtype is None else dtype, "eye")
    rows = canonicalize_shape((N,), "argument of 'N' jnp.eye().")[0]
    columns = rows if M is None else canonicalize_shape((M,), "argument 'M' of jnp.eye().")[0]
    if rows < 0 or columns < 0:
        raise ValueError(f"negative dimensions are not allowed, got {N} and {M}")
    if dtypes.dtype(k).kind not in "iu":
        raise TypeError(f"eye() argument `k` must be of integer dtype, got {dtypes.dtype(k)}")
    row, column = _row_and_column((rows, columns), k, column_first=True)
    return _on_device(lax.convert_element_type(lax.eq(row, column), dtype), device)


def _row_and_column(shape: tuple[int, ...], k: Any, *, column_first: bool = False) -> tuple[Any, Any]:
    """Each element's row plus ``k``, and its column."""
    kind = dtypes.canonicalize_dtype(np.int32)
    row = lax.broadcasted_iota(kind, shape, 0)
    if column_first:
        column = lax.broadcasted_iota(kind, shape, 1)
        return lax.add(row, convert(k, kind, False)), column
    row = lax.add(row, convert(k, kind, False))
    return row, lax.broadcasted_iota(kind, shape, 1)


def identity(n, dtype=None):
    """The square matrix with ones on the diagonal."""
    dtype = dtypes.check_user_dtype_supported(float if dtype is None else dtype, "identity")
    return eye(n, dtype=dtype)


def triangle(shape: tuple[int, ...], k: Any, dtype: Any) -> Any:
    """Ones at and below the ``k``-th diagonal of a matrix."""
    row, column = _row_and_column(shape, k)
    return lax.convert_element_type(lax.ge(row, column), dtype)


def tri(N, M=None, k=0, dtype=None):
    """Ones at and below the ``k``-th diagonal."""
    dtype = dtypes.check_user_dtype_supported(np.float32 if dtype is None else dtype, "tri")
    shape = canonicalize_shape((N, N if M is None else M))
    return triangle(shape, k, dtype)


def from_dlpack(x, /, *, device=None, copy=None):
    """The array of another library, shared through DLPack where that is possible."""
    if not (hasattr(x, "__dlpack__") and hasattr(x, "__dlpack_device__")):
        raise TypeError("The array passed to from_dlpack must have __dlpack__ and __dlpack_device__ methods.")
    return array(np.from_dlpack(x), device=device)
