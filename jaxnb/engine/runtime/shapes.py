"""``ShapeDtypeStruct``: a shape and a dtype in an array's place."""

from __future__ import annotations

from typing import Any

import numpy as np

from jaxnb.engine.core import dtypes
from jaxnb.engine.core.avals import ShapedArray, aval_makers, get_aval
from jaxnb.engine.runtime.layouts import Format, Layout, format_of
from jaxnb.xla import array as door
from jaxnb.xla.array import ArrayImpl

__all__ = ["ShapeDtypeStruct", "refuse_as_value"]


class ShapeDtypeStruct:
    """A shape and a dtype in an array's place; immutable.

    Args:
        shape: the dimensions.
        dtype: the element type, which may be one that is not enabled.
        sharding: where the array would be; a ``Format`` says in which layout too.
        weak_type: whether the dtype yields to others.
        manual_axis_type: how the array varies over manual mesh axes; kept, nothing here reads it.
        is_ref: whether it stands for a mutable reference.
    """

    __slots__ = ("_layout", "dtype", "is_ref", "manual_axis_type", "shape", "sharding", "weak_type")

    def __init__(
        self,
        shape: Any,
        dtype: Any,
        *,
        sharding: Any = None,
        weak_type: bool = False,
        manual_axis_type: Any = None,
        is_ref: bool = False,
    ):
        if dtype is None:
            raise ValueError("ShapeDtypeStruct: dtype must be specified.")
        layout = None
        if isinstance(sharding, Format):
            layout, sharding = sharding.layout, sharding.sharding
        if not (sharding is None or isinstance(sharding, door.Sharding) or _is_spec(sharding)):
            raise ValueError(
                "sharding should be an instance of `jax.sharding.Sharding`, `jax.sharding.PartitionSpec` or "
                f"`jax.experimental.layout.Format`. Got {sharding} of type {type(sharding)}."
            )
        fields = {
            "shape": tuple(shape),
            "dtype": dtype if dtypes.is_extended(dtype) else np.dtype(dtype),
            "sharding": sharding,
            "_layout": layout,
            "weak_type": weak_type,
            "manual_axis_type": manual_axis_type,
            "is_ref": is_ref,
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        raise RuntimeError(f"Cannot reassign attributes ({name}) of immutable ShapeDtypeStruct objects")

    size = property(lambda self: int(np.prod(self.shape)), doc="How many elements there are.")
    ndim = property(lambda self: len(self.shape), doc="How many dimensions there are.")
    format = property(lambda self: Format(self._layout, self.sharding), doc="The layout and the sharding.")

    @staticmethod
    def like(x: Any) -> ShapeDtypeStruct:
        """Returns the shape and dtype of ``x``, and where it is, if the user said so."""
        if isinstance(x, ShapeDtypeStruct):
            return x
        try:
            aval = get_aval(x)
        except TypeError:
            if hasattr(x, "shape") and hasattr(x, "dtype"):
                return ShapeDtypeStruct(x.shape, x.dtype, weak_type=bool(getattr(x, "weak_type", False)))
            raise
        where = format_of(x) if type(x) is ArrayImpl and x._committed else None
        return ShapeDtypeStruct(aval.shape, aval.dtype, weak_type=aval.weak_type, sharding=where)

    def update(self, **kwargs: Any) -> ShapeDtypeStruct:
        """Returns a copy with fields replaced."""
        where = self.format if self._layout is not None else self.sharding
        return ShapeDtypeStruct(
            kwargs.get("shape", self.shape),
            kwargs.get("dtype", self.dtype),
            sharding=kwargs.get("sharding", where),
            weak_type=kwargs.get("weak_type", self.weak_type),
            manual_axis_type=kwargs.get("manual_axis_type", self.manual_axis_type),
            is_ref=kwargs.get("is_ref", self.is_ref),
        )

    def _fields(self) -> tuple[Any, ...]:
        return self.shape, self.dtype, self.sharding, self._layout, self.weak_type, self.is_ref

    def __reduce__(self) -> Any:
        return _rebuild, (*self._fields(), self.manual_axis_type)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __repr__(self) -> str:
        said = [f"shape={self.shape}", f"dtype={getattr(self.dtype, 'name', self.dtype)}"]
        for name, value in (
            ("sharding", self.sharding),
            ("format", self._layout),
            ("weak_type", self.weak_type),
            ("manual_axis_type", self.manual_axis_type),
            ("is_ref", self.is_ref),
        ):
            if value is not None and value is not False:
                said.append(f"{name}={value}")
        return f"ShapeDtypeStruct({', '.join(said)})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ShapeDtypeStruct) and self._fields() == other._fields()

    def __hash__(self) -> int:
        return hash(self._fields())


def _rebuild(
    shape: Any, dtype: Any, sharding: Any, layout: Layout | None, weak: bool, is_ref: bool, manual: Any
) -> Any:
    where = sharding if layout is None else Format(layout, sharding)
    return ShapeDtypeStruct(
        shape, dtype, sharding=where, weak_type=weak, is_ref=is_ref, manual_axis_type=manual
    )


def _is_spec(x: Any) -> bool:
    return type(x).__name__ == "PartitionSpec"


def refuse_as_value(x: Any) -> None:
    """Raises TypeError where a program holds a shape and a dtype in place of a constant."""
    if isinstance(x, ShapeDtypeStruct):
        raise TypeError(
            "A ShapeDtypeStruct does not have a value and cannot be used as a constant in a JAX function."
        )


def _aval(x: ShapeDtypeStruct) -> ShapedArray:
    dtype = x.dtype if dtypes.is_extended(x.dtype) else dtypes.canonicalize_dtype(x.dtype)
    return ShapedArray(x.shape, dtype, x.weak_type)


aval_makers[ShapeDtypeStruct] = _aval
ShapeDtypeStruct.__module__ = "jaxnb"
