"""Polynomials with given coefficients: written out where they are few, a loop where they are many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from jaxnb.engine.control.repetition import scan
from jaxnb.engine.core.ad import Zero, is_undefined_primal
from jaxnb.engine.core.avals import ShapedArray, get_aval
from jaxnb.engine.core.rules import add_tangents_port, composite, define, instantiate_zeros
from jaxnb.engine.ops.arithmetic import add, mul
from jaxnb.engine.ops.axes import broadcast_shapes
from jaxnb.engine.ops.conversion import convert
from jaxnb.engine.ops.elementwise import (
    NUMBER,
    broadcast_shape,
    check_dtype,
    check_same_dtypes,
    const,
    filled_like,
    nary_batch,
    stretch_values,
    unstretch,
)
from jaxnb.engine.ops.filling import full_like
from jaxnb.engine.ops.joining import stack
from jaxnb.engine.ops.locations import steps
from jaxnb.engine.ops.lowering import LoweringContext
from jaxnb.engine.ops.shape import broadcast_in_dim
from jaxnb.engine.ops.staging import is_array
from jaxnb.xla.mlir import hlo, ir


def _polynomial_abstract(x: ShapedArray, *coefficients: ShapedArray, unroll: Any = None) -> ShapedArray:
    avals = (x, *coefficients)
    shape = broadcast_shape("polynomial", *avals)
    for position, aval in enumerate(avals):
        check_dtype("polynomial", aval, NUMBER, position)
    check_same_dtypes("polynomial", *avals)
    return ShapedArray(shape, x.dtype, all(aval.weak_type for aval in avals))


_WRITTEN_OUT = 8
"""How many coefficients are written out; of more, this is how many steps are in one turn of the loop."""


def _polynomial_lower(ctx: LoweringContext, *values: ir.Value, unroll: Any = None) -> Any:
    """Horner's scheme; whatever is to be broadcast is where it is used."""
    if len(values) - 1 > (_WRITTEN_OUT if unroll is None else unroll):
        return _in_a_loop
    (out,) = ctx.avals_out
    avals = ctx.avals_in

    def stretched(i: int) -> ir.Value:
        one = LoweringContext(ctx.module, ctx.primitive, avals[i : i + 1], [out])
        return stretch_values(one, values[i : i + 1])[0]

    at = steps(ctx)
    last = len(values) - 1
    total = None
    for i in range(last - 1, 0, -1):
        with at("mul"):
            total = hlo.multiply(stretched(last) if total is None else total, stretched(0))
        with at("add"):
            total = hlo.add(total, stretched(i))
    return stretched(last) if total is None else total


@composite
def _in_a_loop(x: Any, *coefficients: Any, unroll: Any = None) -> Any:
    """Horner's scheme as a scan over the coefficients, the last one first."""
    common = broadcast_shapes(*map(np.shape, coefficients))
    rows = [_stretched(c, common) for c in coefficients[::-1]]
    start = full_like(x, 0, shape=broadcast_shapes(np.shape(x), common))
    unroll = _WRITTEN_OUT if unroll is None else unroll
    out, _ = scan(lambda total, c: (add(mul(total, x), c), None), start, stack(rows), unroll=unroll)
    return out


def _stretched(c: Any, shape: tuple[int, ...]) -> Any:
    if np.shape(c) == shape:
        return c
    return broadcast_in_dim(c, shape, range(len(shape) - np.ndim(c), len(shape)))


def _polynomial_jvp(
    primals: Sequence[Any], tangents: Sequence[Any], *, unroll: Any = None
) -> tuple[Any, Any]:
    """``t · p'(x)``, and the polynomial of the coefficients' tangents."""
    x, *coefficients = primals
    t, *by_coefficient = tangents
    out = polynomial(x, coefficients, unroll=unroll)
    terms = []
    if type(t) is not Zero:
        slope = [mul(const(c, k), c) for k, c in enumerate(coefficients) if k]
        terms.append(mul(t, polynomial(x, slope, unroll=unroll)))
    if any(type(u) is not Zero for u in by_coefficient):
        terms.append(polynomial(x, [instantiate_zeros(u) for u in by_coefficient], unroll=unroll))
    if not terms:
        return out, Zero.from_primal_value(out)
    return out, terms[0] if len(terms) == 1 else add_tangents_port.add(*terms)


def _polynomial_transpose(ct: Any, x: Any, *coefficients: Any, unroll: Any = None) -> list[Any]:
    """``ct · xᵏ`` for coefficient k, summed over what was stretched; the polynomial is linear in them alone."""
    if type(ct) is Zero:
        return [None] * (1 + len(coefficients))
    powers = [ct]
    for _ in coefficients[1:]:
        powers.append(mul(powers[-1], x))
    cts = zip(coefficients, powers, strict=True)
    return [None, *(unstretch(c.aval, ct) if is_undefined_primal(c) else None for c, ct in cts)]


polynomial_p = define(
    "polynomial",
    abstract=_polynomial_abstract,
    lower=_polynomial_lower,
    jvp=_polynomial_jvp,
    transpose=_polynomial_transpose,
    batch=nary_batch(lambda: polynomial_p),
    doc="c₀ + c₁x + c₂x² + …",
)


def polynomial(x, coeffs, *, unroll=None):
    """The polynomial with these coefficients, the constant one first, at ``x``.

    Args:
        x: where.
        coeffs: the coefficients: scalars, or arrays of ``x``'s rank.
        unroll: how many steps are written out: all, where there are no more coefficients, else in one turn of a loop;
            8 by default.
    """
    if not coeffs:
        return filled_like(x, 0)
    aval: Any = get_aval(x)
    # a scalar of the host is as weak as x is
    coeffs = [convert(c, aval.dtype, aval.weak_type and not is_array(c)) for c in coeffs]
    if len(coeffs) == 1:
        (c,) = coeffs
        shape = broadcast_shape("polynomial", aval, get_aval(c))
        return broadcast_in_dim(c, shape, range(len(shape) - np.ndim(c), len(shape)))
    return polynomial_p.bind(x, *coeffs, **({} if unroll is None else {"unroll": unroll}))
