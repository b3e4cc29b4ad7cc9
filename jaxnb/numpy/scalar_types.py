"""Scalar types such as ``jnp.float32``: names of element types that make arrays when called, and NumPy's constants."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from jaxnb.numpy.creation import asarray

__all__ = [
    "bfloat16", "bool", "bool_", "cdouble", "character", "complex64", "complex128", "complex_", "complexfloating",
    "csingle", "double", "e", "euler_gamma", "flexible", "float4_e2m1fn", "float6_e2m3fn", "float6_e3m2fn",
    "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2",
    "float8_e5m2fnuz", "float8_e8m0fnu", "float16", "float32", "float64", "float_", "floating", "generic", "inexact",
    "inf", "int1", "int2", "int4", "int8", "int16", "int32", "int64", "int_", "integer", "nan", "newaxis", "number",
    "object_", "pi", "signedinteger", "single", "uint", "uint1", "uint2", "uint4", "uint8", "uint16", "uint32",
    "uint64", "unsignedinteger",
]  # fmt: skip


class ScalarType(type):
    """A type of scalars: equal to NumPy's of the same name; a call makes an array."""

    dtype: np.dtype

    def __hash__(self) -> int:
        return hash(self.dtype.type)

    def __eq__(self, other: object) -> Any:
        return self is other or self.dtype.type == other

    def __ne__(self, other: object) -> Any:
        return not self == other

    def __call__(self, x: Any, /) -> Any:
        return asarray(x, dtype=self.dtype)

    def __instancecheck__(self, instance: Any) -> Any:
        return isinstance(instance, self.dtype.type)


def _scalar_type(np_type: Any) -> ScalarType:
    name = np_type.__name__
    doc = f"The type of {name} elements; called, it makes an array of them: a scalar is an array without axes here.\n"
    return ScalarType(
        "bool" if name == "bool_" else name,
        (object,),
        {"dtype": np.dtype(np_type), "__doc__": doc, "__module__": "jaxnb.numpy"},
    )


bool = bool_ = _scalar_type(np.bool_)  # pyright: ignore[reportAssignmentType]
int1, int2, int4 = map(_scalar_type, (ml_dtypes.int1, ml_dtypes.int2, ml_dtypes.int4))
int8, int16, int32, int64 = map(_scalar_type, (np.int8, np.int16, np.int32, np.int64))
uint1, uint2, uint4 = map(_scalar_type, (ml_dtypes.uint1, ml_dtypes.uint2, ml_dtypes.uint4))
uint8, uint16, uint32, uint64 = map(_scalar_type, (np.uint8, np.uint16, np.uint32, np.uint64))
float4_e2m1fn = _scalar_type(ml_dtypes.float4_e2m1fn)
float6_e2m3fn = _scalar_type(ml_dtypes.float6_e2m3fn)
float6_e3m2fn = _scalar_type(ml_dtypes.float6_e3m2fn)
float8_e3m4 = _scalar_type(ml_dtypes.float8_e3m4)
float8_e4m3 = _scalar_type(ml_dtypes.float8_e4m3)
float8_e4m3b11fnuz = _scalar_type(ml_dtypes.float8_e4m3b11fnuz)
float8_e4m3fn = _scalar_type(ml_dtypes.float8_e4m3fn)
float8_e4m3fnuz = _scalar_type(ml_dtypes.float8_e4m3fnuz)
float8_e5m2 = _scalar_type(ml_dtypes.float8_e5m2)
float8_e5m2fnuz = _scalar_type(ml_dtypes.float8_e5m2fnuz)
float8_e8m0fnu = _scalar_type(ml_dtypes.float8_e8m0fnu)
bfloat16 = _scalar_type(ml_dtypes.bfloat16)
float16 = _scalar_type(np.float16)
float32 = single = _scalar_type(np.float32)
float64 = double = _scalar_type(np.float64)
complex64 = csingle = _scalar_type(np.complex64)
complex128 = cdouble = _scalar_type(np.complex128)

int_, uint, float_, complex_ = int64, uint64, float64, complex128

# classes of scalar types, which have no elements of their own
generic, number, inexact = np.generic, np.number, np.inexact
integer, signedinteger, unsignedinteger = np.integer, np.signedinteger, np.unsignedinteger
floating, complexfloating = np.floating, np.complexfloating
flexible, character, object_ = np.flexible, np.character, np.object_

e, euler_gamma, inf, nan, newaxis, pi = np.e, np.euler_gamma, np.inf, np.nan, np.newaxis, np.pi
