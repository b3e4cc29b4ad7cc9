"""Polynomials with given coefficients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jaxnb.engine.core.ad import Zero
from jaxnb.engine.core.avals import ShapedArray
from jaxnb.engine.core.rules import add_tangents_port, define, instantiate_zeros
from jaxnb.engine.ops.arithmetic import mul
from jaxnb.engine.ops.elementwise import (
    NUMBER,
    broadcast_shape,
    check_dtype,
    check_same_dtypes,
    const,
    filled_like,
    nary_batch,
    not_linear,
    stretch_values,
)
from jaxnb.engine.ops.lowering import LoweringContext
from jaxnb.xla.mlir import hlo, ir


def _polynomial_abstract(x: ShapedArray, *coefficients: ShapedArray) -> ShapedArray:
    avals = (x, *coefficients)
    shape = broadcast_shape("polynomial", *avals)
    for position, aval in enumerate(avals):
        check_dtype("polynomial", aval, NUMBER, position)
    check_same_dtypes("polynomial", *avals)
    return ShapedArray(shape, x.dtype, all(aval.weak_type for aval in avals))


def _polynomial_lower(ctx: LoweringContext, *values: ir.Value) -> ir.Value:
    """Horner's scheme; each coefficient is broadcast where it is used."""
    (out,) = ctx.avals_out
    avals = ctx.avals_in

    def stretched(i: int) -> ir.Value:
        one = LoweringContext(ctx.module, ctx.primitive, avals[i : i + 1], [out])
        return stretch_values(one, values[i : i + 1])[0]

    x = stretched(0)
    last = len(values) - 1
    total = stretched(last)
    for i in range(last - 1, 0, -1):
        total = hlo.add(hlo.multiply(total, x), stretched(i))
    return total


def _polynomial_jvp(primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
    """``t · p'(x)``, and the polynomial of the coefficients' tangents."""
    x, *coefficients = primals
    t, *by_coefficient = tangents
    out = polynomial_p.bind(*primals)
    terms = []
    if type(t) is not Zero:
        slope = [mul(const(c, k), c) for k, c in enumerate(coefficients) if k]
        terms.append(mul(t, polynomial_p.bind(x, *slope) if slope else filled_like(x, 0)))
    if any(type(u) is not Zero for u in by_coefficient):
        terms.append(polynomial_p.bind(x, *map(instantiate_zeros, by_coefficient)))
    if not terms:
        return out, Zero.from_primal_value(out)
    return out, terms[0] if len(terms) == 1 else add_tangents_port.add(*terms)


polynomial_p = define(
    "polynomial",
    abstract=_polynomial_abstract,
    lower=_polynomial_lower,
    jvp=_polynomial_jvp,
    transpose=not_linear,
    batch=nary_batch(lambda: polynomial_p),
    doc="c₀ + c₁x + c₂x² + …",
)


def polynomial(x, coeffs, *, unroll=None):
    """The polynomial with these coefficients, the constant one first, at ``x``."""
    coeffs = list(coeffs)
    if not coeffs:
        return filled_like(x, 0)
    return polynomial_p.bind(x, *coeffs)
