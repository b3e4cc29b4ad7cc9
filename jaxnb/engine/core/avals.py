"""Abstract values: what tracing knows about a value before it exists.

Lives here: the abstract value classes, the table from Python types to abstract values. Knows no tracing and no compilation.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from jaxnb.engine.core import dtypes

__all__ = [
    "AbstractToken",
    "AbstractValue",
    "ShapedArray",
    "abstract_token",
    "aval_makers",
    "check_not_masked",
    "get_aval",
    "typeof",
    "typematch",
    "zeros_aval",
]


class AbstractValue:
    """An abstract value: the root of what a traced value's type can be."""

    __slots__ = ()

    def str_short(self, short_dtypes: bool = False) -> str:
        """Returns the short form, as error messages print it."""
        return str(self)

    def to_tangent_aval(self) -> AbstractValue:
        """Returns the type of a tangent of a value of this type."""
        return self

    def strip_weak_type(self) -> AbstractValue:
        """Returns this type without weak typing."""
        return self


class AbstractToken(AbstractValue):
    """The type of an ordering token of an effect."""

    __slots__ = ()

    def str_short(self, short_dtypes: bool = False) -> str:
        return "Tok"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AbstractToken)

    def __hash__(self) -> int:
        return 17

    def __repr__(self) -> str:
        return "Tok"


abstract_token = AbstractToken()


class ShapedArray(AbstractValue):
    """The type of an array: shape, dtype and whether the dtype is weak.

    Instances are interned: two equal ones are the same object, so that equality and hashing cost one pointer comparison.
    """

    __slots__ = ("__weakref__", "_hash", "_short", "_tangent", "dtype", "ndim", "shape", "size", "weak_type")

    shape: tuple[int, ...]
    dtype: Any
    weak_type: bool
    ndim: int
    size: int
    _hash: int
    _short: str | None
    _tangent: ShapedArray | None

    def __new__(cls, shape: Any, dtype: Any, weak_type: bool = False) -> ShapedArray:
        key = (shape, dtype, weak_type)
        try:
            found = _interned.get(key)
        except TypeError:  # an unhashable shape, for example a list
            found = None
        if found is not None:
            return found
        return _make(shape, dtype, weak_type)

    def update(self, shape: Any = None, dtype: Any = None, weak_type: bool | None = None) -> ShapedArray:
        """Returns a copy with the given fields replaced."""
        return ShapedArray(
            self.shape if shape is None else shape,
            self.dtype if dtype is None else dtype,
            self.weak_type if weak_type is None else weak_type,
        )

    def to_tangent_aval(self) -> ShapedArray:
        """Returns the tangent's type: float0 where the dtype has no derivative."""
        if self._tangent is None:
            dtype = self.dtype if dtypes.issubdtype(self.dtype, np.inexact) else dtypes.float0
            self._tangent = ShapedArray(self.shape, dtype, self.weak_type)
        return self._tangent

    def strip_weak_type(self) -> ShapedArray:
        return ShapedArray(self.shape, self.dtype, False) if self.weak_type else self

    def str_short(self, short_dtypes: bool = False) -> str:
        """Returns ``float32[3,4]``, or ``f32[3,4]`` with short dtypes."""
        if short_dtypes:
            if self._short is None:
                self._short = f"{dtypes.short_dtype_name(self.dtype)}[{','.join(str(d) for d in self.shape)}]"
            return self._short
        return f"{_dtype_name(self.dtype)}[{','.join(str(d) for d in self.shape)}]"

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (
            type(other) is ShapedArray
            and self.shape == other.shape
            and self.dtype == other.dtype
            and self.weak_type == other.weak_type
        )

    def __repr__(self) -> str:
        weak = ", weak_type=True" if self.weak_type else ""
        return f"ShapedArray({_dtype_name(self.dtype)}[{','.join(str(d) for d in self.shape)}]{weak})"

    def __str__(self) -> str:
        return ("~" if self.weak_type else "") + self.str_short()

    def __reduce__(self):
        return (ShapedArray, (self.shape, self.dtype, self.weak_type))


def _dtype_name(dtype: Any) -> str:
    return "float0" if dtype == dtypes.float0 else getattr(dtype, "name", str(dtype))


_interned: dict[tuple, ShapedArray] = {}


def _make(shape: Any, dtype: Any, weak_type: Any) -> ShapedArray:
    try:
        shape = tuple(d if type(d) is int else operator.index(d) for d in shape)
    except TypeError as err:
        if type(err) is not TypeError:  # a traced value says more
            raise
        raise TypeError(
            f"Shapes must be 1D sequences of concrete values of integer type, got {shape}."
        ) from None
    if not isinstance(dtype, np.dtype) and not dtypes.is_extended(dtype):
        dtype = np.dtype(dtype)
    weak_type = bool(weak_type)
    key = (shape, dtype, weak_type)
    found = _interned.get(key)
    if found is None:
        found = object.__new__(ShapedArray)
        found.shape, found.dtype, found.weak_type = shape, dtype, weak_type
        found.ndim = len(shape)
        size = 1
        for d in shape:
            size *= d
        found.size = size
        found._hash = hash(key)
        found._short = None
        found._tangent = None
        _interned[key] = found
    return found


aval_makers: dict[type, Callable[[Any], AbstractValue]] = {}
"""From a Python type to the function that makes its abstract value; later layers add their own types."""


def _aval_of_numpy(x: np.ndarray | np.generic) -> ShapedArray:
    dtype = dtypes.canonicalize_dtype(x.dtype)
    if not dtypes.is_supported(dtype):
        raise TypeError(
            f"Dtype {dtype} is not a valid JAX array type. Only arrays of numeric types are supported by JAX."
        )
    return ShapedArray(x.shape, dtype, False)


def check_not_masked(x: Any) -> None:
    """Raises JAX's ValueError where ``x`` is an array of NumPy with a mask, which would be lost."""
    if type(x) is not np.ndarray and isinstance(x, np.ndarray):
        _aval_of_numpy_subclass(x)


def _aval_of_numpy_subclass(x: np.ndarray) -> ShapedArray:
    masked = sys.modules.get("numpy.ma")  # where nobody has imported it, nobody has a masked array
    if masked is not None and isinstance(x, masked.MaskedArray):
        raise ValueError(
            "numpy masked arrays are not supported as direct inputs to JAX functions. Use arr.filled() to convert the "
            "value to a standard numpy array."
        )
    return _aval_of_numpy(x)


def _aval_of_python_scalar(kind: type) -> Callable[[Any], ShapedArray]:
    def make(x: Any) -> ShapedArray:
        return ShapedArray((), dtypes.python_scalar_dtype(kind, x), kind is not bool)

    return make


aval_makers[np.ndarray] = _aval_of_numpy
for _kind in (bool, int, float, complex):
    aval_makers[_kind] = _aval_of_python_scalar(_kind)


def get_aval(x: Any) -> Any:
    """Returns the abstract value of ``x``.

    Raises:
        TypeError: where ``x`` is of no type that JAX programs compute with.
    """
    maker = aval_makers.get(type(x))
    if maker is not None:
        return maker(x)
    if isinstance(x, np.ndarray):
        return _aval_of_numpy_subclass(x)
    if isinstance(x, np.generic) or getattr(type(x), "__module__", "") == "ml_dtypes":
        return _aval_of_numpy(x)
    for kind in type(x).__mro__:
        maker = aval_makers.get(kind)
        if maker is not None:
            return maker(x)
    if hasattr(x, "__jax_array__"):
        return get_aval(x.__jax_array__())
    if isinstance(x, str):
        raise TypeError(f"Argument '{x}' of type {type(x)} is not a valid JAX type")
    raise TypeError(f"Argument '{shown(x, str)}' of type '{type(x)}' is not a valid JAX type")


def shown(x: Any, text: Callable[[Any], str] = repr) -> str:
    """Returns the text of a user's object, or Python's own where the object's fails: it must not hide what is said."""
    try:
        return text(x)
    except Exception:
        return object.__repr__(x)


def typeof(x: Any) -> AbstractValue:
    """Returns the type of ``x`` as tracing sees it."""
    return get_aval(x)


def typematch(a: AbstractValue, b: AbstractValue) -> bool:
    """Returns whether two types are equal up to weak typing."""
    return a is b or a.strip_weak_type() == b.strip_weak_type()


def zeros_aval(aval: AbstractValue) -> AbstractValue:
    """Returns the type of the zero tangent of a value of this type."""
    return aval.to_tangent_aval()
