"""Complex numbers: their parts, their making, their conjugate."""

from __future__ import annotations

from typing import Any

import numpy as np

from jaxnb.engine.core import dtypes
from jaxnb.engine.core.ad import Zero, is_undefined_primal
from jaxnb.engine.core.rules import define, linear_jvp
from jaxnb.engine.ops.arithmetic import neg
from jaxnb.engine.ops.elementwise import (
    COMPLEX,
    CONJUGABLE,
    PARTS,
    const,
    nary,
    unary,
    unary_abstract,
    unary_batch,
    unstretch,
)
from jaxnb.engine.ops.lowering import LoweringContext, full_like
from jaxnb.xla.mlir import hlo, ir


def part_dtype(dtype: Any) -> np.dtype:
    """The type of the real part of a complex type."""
    return np.finfo(dtype).dtype


def complex_dtype(dtype: Any) -> np.dtype:
    """The complex type whose parts are of this type."""
    return np.result_type(dtype, np.complex64)


def _real_transpose(ct: Any, x: Any) -> list[Any]:
    """``ct + 0i``."""
    return [None if type(ct) is Zero else complex(ct, const(ct, 0))]


def _imag_transpose(ct: Any, x: Any) -> list[Any]:
    """``0 - ct·i``."""
    if type(ct) is Zero:
        return [None]
    minus = neg(ct)
    return [complex(const(ct, 0), minus)]


real_p = unary("real", COMPLEX, lower="real", jvp=linear_jvp, result=part_dtype, transpose=_real_transpose)
imag_p = unary("imag", COMPLEX, lower="imag", jvp=linear_jvp, result=part_dtype, transpose=_imag_transpose)


def real(x):
    """The real part."""
    return real_p.bind(x)


def imag(x):
    """The imaginary part."""
    return imag_p.bind(x)


def _complex_transpose(ct: Any, x: Any, y: Any) -> list[Any]:
    """``re ct`` and ``im -ct``, for ``ct`` is conjugate to the tangent."""
    if type(ct) is Zero:
        return [None, None]
    return [
        unstretch(x.aval, real(ct)) if is_undefined_primal(x) else None,
        unstretch(y.aval, imag(neg(ct))) if is_undefined_primal(y) else None,
    ]


complex_p = nary(
    "complex",
    (PARTS, PARTS),
    lower="complex",
    jvp=linear_jvp,
    result=complex_dtype,
    transpose=_complex_transpose,
)


def complex(x, y):
    """``x + y·i``."""
    return complex_p.bind(x, y)


def _conj_lower(ctx: LoweringContext, x: ir.Value, *, input_dtype: Any) -> ir.Value:
    (aval,) = ctx.avals_in
    if dtypes.issubdtype(aval.dtype, np.complexfloating):
        re, im = hlo.real(x), hlo.imag(x)
        return hlo.complex(re, hlo.negate(im))
    return hlo.complex(x, full_like(0, aval))


def _conj_transpose(ct: Any, x: Any, *, input_dtype: Any) -> list[Any]:
    """``conj ct``, or its real part where the operand was real."""
    if type(ct) is Zero:
        return [None]
    if dtypes.issubdtype(input_dtype, np.complexfloating):
        return [conj(ct)]
    return [real(ct)]


conj_p = define(
    "conj",
    abstract=unary_abstract("conj", CONJUGABLE, complex_dtype),
    lower=_conj_lower,
    jvp=linear_jvp,
    transpose=_conj_transpose,
    batch=unary_batch(lambda: conj_p),
)


def conj(x):
    """The complex conjugate; complex also for a real operand."""
    return conj_p.bind(x, input_dtype=dtypes.dtype(x, canonicalize=True))
