"""``frexp`` and ``ldexp``: in newer JAX one operation each, in older JAX a program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.engine.api.jit import jit
from jaxnb.engine.control.custom_rules import custom_jvp
from jaxnb.engine.core import dtypes
from jaxnb.engine.core.ad import Zero, is_undefined_primal
from jaxnb.engine.core.avals import ShapedArray
from jaxnb.engine.core.jaxpr import JaxprEqn
from jaxnb.engine.core.printer import print_hi_primitive
from jaxnb.engine.core.rules import Undefined, composite, define, instantiate_zeros
from jaxnb.engine.ops.axes import broadcast_shapes
from jaxnb.engine.ops.elementwise import axis_to_front
from jaxnb.engine.transforms.batch import axis_size_of
from jaxnb.numpy.arguments import check_arraylike, ensure_arraylike, promote_dtypes_inexact
from jaxnb.numpy.arithmetic import plus
from jaxnb.numpy.predicates import either, isinf, isnan
from jaxnb.numpy.promotion import constant_like
from jaxnb.numpy.selection import choose
from jaxnb.numpy.updates import stretch
from jaxnb.xla.version import JAXLIB_VERSION

_ARE_OPERATIONS = JAXLIB_VERSION >= (0, 12)
"""Whether ``frexp`` and ``ldexp`` stand in a program as one operation each."""

# the operations


class _Parts:
    """The sign, exponent and fraction of numbers, as bits; subnormal numbers count as zero."""

    def __init__(self, x: Any):
        info = dtypes.finfo(x.dtype)
        self.digits, self.exponents = int(info.nmant), (1 << int(info.nexp)) - 1
        self.bias = 1 - int(info.minexp)
        self.unsigned = np.dtype(f"uint{info.bits}")
        given = lax.bitcast_convert_type(x, self.unsigned)
        is_small = lax.eq(lax.bitwise_and(given, self.infinity), self.word(0))
        flushed = lax.select(is_small, lax.bitwise_and(given, self.top), given)
        self.bits = lax.bitcast_convert_type(lax.bitcast_convert_type(flushed, x.dtype), self.unsigned)
        self.sign = lax.bitwise_and(self.bits, self.top)
        shifted = lax.shift_right_logical(self.bits, self.word(self.digits))
        self.exponent = lax.bitwise_and(shifted, self.word(self.exponents))
        self.fraction = lax.bitwise_and(self.bits, self.word((1 << self.digits) - 1))
        self.is_zero = lax.eq(self.exponent, self.word(0))
        self.is_special = lax.eq(self.exponent, self.word(self.exponents))

    def word(self, value: int) -> Any:
        """A number of the width of the bits."""
        return np.asarray(value).astype(self.unsigned)[()]

    @property
    def top(self) -> Any:
        """The bit of the sign."""
        return self.word(1 << (self.unsigned.itemsize * 8 - 1))

    @property
    def infinity(self) -> Any:
        """The bits of the exponent."""
        return self.word(self.exponents << self.digits)


def _frexp_expanded(x: Any) -> list[Any]:
    """The mantissa between one half and one, and the exponent; what is no number, and zero, has the exponent zero."""
    parts = _Parts(x)
    half = parts.word((parts.bias - 1) << parts.digits)
    bits = lax.bitwise_or(lax.bitwise_or(parts.sign, half), parts.fraction)
    bits = lax.select(parts.is_zero, parts.sign, bits)
    bits = lax.select(parts.is_special, parts.bits, bits)
    has_none = lax.bitwise_or(parts.is_special, parts.is_zero)
    zero = lax.broadcast_in_dim(np.int32(0), x.shape, ()) if x.shape else np.int32(0)
    exponent = lax.sub(lax.convert_element_type(parts.exponent, np.int32), np.int32(parts.bias - 1))
    exponent = lax.select(has_none, zero, exponent)
    return [lax.bitcast_convert_type(bits, x.dtype), exponent]


def _ldexp_expanded(x: Any, shift: Any) -> Any:
    """``x · 2^shift``: the sum of the exponents, unless it is out of range."""
    parts = _Parts(x)
    if shift.dtype.itemsize < 4:
        shift = lax.convert_element_type(shift, f"{'u' if shift.dtype.kind == 'u' else ''}int32")
    most = 2 * (parts.exponents + 1)
    least = 0 if shift.dtype.kind == "u" else -most
    shift = lax.clamp(shift.dtype.type(least), shift, shift.dtype.type(most))
    shift = lax.convert_element_type(shift, np.int32)
    exponent = lax.add(lax.convert_element_type(parts.exponent, np.int32), shift)
    overflow = lax.bitwise_or(parts.sign, parts.infinity)
    field = lax.shift_left(lax.convert_element_type(exponent, parts.unsigned), parts.word(parts.digits))
    bits = lax.bitwise_or(lax.bitwise_or(parts.sign, field), parts.fraction)
    too_small = lax.le(exponent, np.int32(0))
    bits = lax.select(lax.ge(exponent, np.int32(parts.exponents)), overflow, bits)
    bits = lax.select(too_small, parts.sign, bits)
    bits = lax.select(parts.is_zero, parts.sign, bits)
    bits = lax.select(parts.is_special, parts.bits, bits)
    return lax.bitcast_convert_type(bits, x.dtype)


def _frexp_abstract(x: ShapedArray) -> list[ShapedArray]:
    return [ShapedArray(x.shape, x.dtype), ShapedArray(x.shape, np.dtype("int32"))]


def _frexp_tangents(primals: Any, tangents: Any) -> tuple[list[Any], list[Any]]:
    """The mantissa's tangent is the number's, by as many powers of two."""
    mantissa, exponent = frexp_p.bind(*primals)
    (t,) = tangents
    scaled = Zero.from_primal_value(mantissa) if type(t) is Zero else ldexp(t, lax.neg(exponent))
    return [mantissa, exponent], [scaled, Zero.from_primal_value(exponent)]


def _frexp_batch(args: Any, dims: Any) -> tuple[list[Any], list[int]]:
    return frexp_p.bind(*args), [dims[0]] * 2


def _ldexp_abstract(x: ShapedArray, shift: ShapedArray) -> ShapedArray:
    return ShapedArray(x.shape, x.dtype)


def _ldexp_tangent(primals: Any, tangents: Any) -> tuple[Any, Any]:
    x, shift = primals
    t = tangents[0]
    scaled = None if type(t) is Zero else ldexp(t, shift)
    out = ldexp_p.bind(x, shift)
    return out, Zero.from_primal_value(out) if scaled is None else scaled


def _ldexp_transpose(ct: Any, x: Any, shift: Any) -> list[Any]:
    if type(ct) is Zero or not is_undefined_primal(x):
        return [None, None]
    return [ldexp_p.bind(ct, shift), None]


def _ldexp_batch(args: Any, dims: Any) -> tuple[Any, int]:
    size = axis_size_of(args, dims)
    return ldexp_p.bind(*(axis_to_front(x, d, size) for x, d in zip(args, dims, strict=True))), 0


frexp_p = define(
    "Frexp",
    abstract=_frexp_abstract,
    lower=composite(_frexp_expanded, multiple_results=True, keeps_literals=True),
    jvp=_frexp_tangents,
    transpose=Undefined("the mantissa's derivative is an operation of its own"),
    batch=_frexp_batch,
    multiple_results=True,
)
ldexp_p = define(
    "Ldexp",
    abstract=_ldexp_abstract,
    lower=composite(_ldexp_expanded, keeps_literals=True),
    jvp=_ldexp_tangent,
    transpose=_ldexp_transpose,
    batch=_ldexp_batch,
)


def _types(*names: str) -> Callable[[JaxprEqn], dict[str, str]]:
    """The operands' types by name."""
    return lambda eqn: {
        name: v.aval.str_short(short_dtypes=True) for name, v in zip(names, eqn.invars, strict=True)
    }


print_hi_primitive("Frexp", _types("x_aval"), frexp_p)
print_hi_primitive("Ldexp", _types("x1_aval", "x2_aval"), ldexp_p)


# the functions


@jit
def frexp(x, /):
    """The mantissa, between one half and one, and the exponent."""
    x = ensure_arraylike("frexp", x)
    if dtypes.issubdtype(dtypes.dtype(x), np.complexfloating):
        raise TypeError("frexp does not support complex-valued inputs")
    (x,) = promote_dtypes_inexact(x)
    return tuple(frexp_p.bind(lax.convert_element_type(x, x.dtype))) if _ARE_OPERATIONS else _frexp(x)


@custom_jvp
def _frexp(x):
    dtype = x.dtype
    info = dtypes.finfo(dtype)
    bits = np.dtype(f"int{info.bits}")
    mask = (1 << info.nexp) - 1
    bias = 1 - int(info.minexp)

    def word(value: int) -> Any:
        return np.asarray(value).astype(bits)[()]

    subnormal = lax.lt(lax.abs(x), constant_like(x, info.tiny))
    # subnormal numbers are lifted first, and their exponent lowered by as much
    lifted = choose(subnormal, lax.mul(x, constant_like(x, 2.0**info.nmant)), x)
    shift = choose(subnormal, np.int32(-info.nmant), np.int32(0))
    pattern = lax.bitcast_convert_type(lifted, bits)
    field = lax.bitwise_and(lax.shift_right_arithmetic(pattern, word(info.nmant)), word(mask))
    exponent = lax.convert_element_type(lax.add(lax.sub(field, word(bias)), word(1)), np.int32)
    exponent = lax.add(shift, exponent)
    kept = lax.bitwise_and(pattern, word(~(mask << info.nmant)))
    mantissa = lax.bitcast_convert_type(lax.bitwise_or(kept, word((bias - 1) << info.nmant)), dtype)
    special = either(either(isinf(x), isnan(x)), lax.eq(x, constant_like(x, 0)))
    exponent = choose(special, lax.full_like(exponent, 0), exponent)
    return choose(special, x, mantissa), exponent


@_frexp.defjvp
def _frexp_jvp(primals, tangents):
    (x,), (t,) = primals, tangents
    mantissa, exponent = frexp(x)
    scaled = lax.mul(t, lax.exp2(lax.neg(lax.convert_element_type(exponent, t.dtype))))
    return (mantissa, exponent), (scaled, instantiate_zeros(Zero.from_primal_value(exponent)))


@jit
def ldexp(x1, x2, /):
    """``x1 · 2^x2``."""
    check_arraylike("ldexp", x1, x2)
    given = dtypes.dtype(x1, canonicalize=True), dtypes.dtype(x2, canonicalize=True)
    if dtypes.issubdtype(given[0], np.complexfloating) or dtypes.issubdtype(given[1], np.inexact):
        raise ValueError(f"ldexp not supported for input types {given}")
    if _ARE_OPERATIONS:
        return _as_operation(x1, x2)
    x1, x2 = promote_dtypes_inexact(x1, x2)
    mantissa, exponent = frexp(x1)
    exponent = plus(lax.convert_element_type(exponent, x2.dtype), x2)
    zero = constant_like(exponent, 0)
    # one factor of two goes to the mantissa: two to the largest exponent is not a number of the type
    mantissa = choose(lax.gt(exponent, zero), lax.mul(mantissa, constant_like(mantissa, 2)), mantissa)
    exponent = choose(lax.gt(exponent, zero), lax.sub(exponent, constant_like(exponent, 1)), exponent)
    scaled = lax.mul(mantissa, lax.pow(constant_like(exponent, 2), exponent))
    return choose(either(isinf(x1), lax.eq(x1, constant_like(x1, 0))), x1, scaled)


def _as_operation(x: Any, shift: Any) -> Any:
    (x,) = promote_dtypes_inexact(x)
    if dtypes.dtype(shift) == np.bool_:
        shift = lax.convert_element_type(shift, dtypes.canonicalize_dtype(np.int64))
    shape = broadcast_shapes(np.shape(x), np.shape(shift))
    ranked = [_in_rank(v, len(shape)) for v in (x, shift)]
    wide = [stretch(v, shape) for v in ranked]
    return ldexp_p.bind(*(lax.convert_element_type(v, dtypes.dtype(v, canonicalize=True)) for v in wide))


def _in_rank(x: Any, ndim: int) -> Any:
    """An array with axes of size one before its own; a scalar stays one."""
    lead = ndim - np.ndim(x)
    if not np.ndim(x) or not lead:
        return x
    return lax.broadcast_in_dim(x, (1,) * lead + np.shape(x), tuple(range(lead, ndim)))
