"""Sums of exponentials, in logarithms: of two numbers, and running along an axis."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from jaxnb.engine.control.custom_rules import custom_jvp
from jaxnb.engine.core import dtypes
from jaxnb.engine.core.avals import ShapedArray
from jaxnb.engine.core.jaxpr import Jaxpr
from jaxnb.engine.core.rules import Undefined, composite, define
from jaxnb.engine.ops import magnitude
from jaxnb.engine.ops.arithmetic import add, mul, neg, sub
from jaxnb.engine.ops.comparison import eq, lt, ne
from jaxnb.engine.ops.complex_numbers import complex, imag, real
from jaxnb.engine.ops.cumulative import (
    associative_scan,
    cumulative_abstract,
    cumulative_batch,
    cumulative_lower,
)
from jaxnb.engine.ops.exponential import exp, log1p
from jaxnb.engine.ops.filling import full_like
from jaxnb.engine.ops.locations import step_context, steps
from jaxnb.engine.ops.lowering import LoweringContext, constant
from jaxnb.engine.ops.selection import select
from jaxnb.engine.ops.windows import Window, build_reduce_window
from jaxnb.engine.transforms.stage import trace_rule
from jaxnb.xla.mlir import ir

# logaddexp


@custom_jvp
def logaddexp(x1, x2):
    """``log(exp(x1) + exp(x2))`` of two arrays of one inexact type, without overflow."""
    greater = magnitude.max(x1, x2)
    if dtypes.issubdtype(greater.dtype, np.complexfloating):
        gap = sub(add(x1, x2), mul(greater, greater.dtype.type(2)))
        out = add(greater, log1p(exp(gap)))
        return complex(real(out), _between_pi(imag(out)))
    gap = sub(x1, x2)
    # Where the gap is NaN, both are infinite of one sign, or one is NaN: the sum says which.
    return select(ne(gap, gap), add(x1, x2), add(greater, log1p(exp(neg(magnitude.abs(gap))))))


def _between_pi(angle: Any) -> Any:
    """The angle less whole turns, in ``[-π, π)``."""
    pi, turn = angle.dtype.type(np.pi), angle.dtype.type(2 * np.pi)
    rest = magnitude.rem(add(angle, pi), turn)
    return sub(select(lt(rest, angle.dtype.type(0)), add(rest, turn), rest), pi)


@logaddexp.defjvp
def _logaddexp_jvp(primals, tangents):
    """``t1 · exp(x1 − out) + t2 · exp(x2 − out)``."""
    x1, x2 = primals
    t1, t2 = tangents
    out = logaddexp(x1, x2)
    first = mul(t1, exp(sub(_finite_above(x1), _finite_above(out))))
    second = mul(t2, exp(sub(_finite_above(x2), _finite_above(out))))
    return out, add(first, second)


def _finite_above(x: Any) -> Any:
    """``x`` with zeros in place of infinity, so that a difference of two infinities is zero."""
    part = real(x) if dtypes.issubdtype(x.dtype, np.complexfloating) else x
    return select(eq(part, part.dtype.type(np.inf)), full_like(x, 0), x)


# cumlogsumexp


@functools.cache
def _scalar_program(dtype: np.dtype) -> Jaxpr:
    scalar = ShapedArray((), dtype)
    return trace_rule(lambda a, b: [logaddexp(a, b)], [scalar, scalar])


def _windowed_lower(ctx: LoweringContext, operand: ir.Value, **window) -> ir.Value:
    (out,) = ctx.avals_out
    # Infinity as it is, not the least number: JAX refuses integers here, and so does NumPy in the same words.
    init = constant(out.dtype.type(-np.inf), ShapedArray((), out.dtype))
    program = _scalar_program(out.dtype)
    inner = step_context(ctx)
    with steps(ctx)("reduce_window"):
        return build_reduce_window(
            [out], [operand], [init], Window(**window), lambda *scalars: inner.lower_jaxpr(program, *scalars)
        )[0]


def _by_scan(operand, *, axis, reverse):
    return associative_scan(logaddexp, operand, reverse=reverse, axis=axis)


cumlogsumexp_p = define(
    "cumlogsumexp",
    abstract=cumulative_abstract("cumlogsumexp"),
    lower=cumulative_lower(_windowed_lower),
    jvp=composite(_by_scan),
    transpose=Undefined("not linear"),
    batch=cumulative_batch(lambda: cumlogsumexp_p),
)


def cumlogsumexp(operand, axis: int = 0, reverse: bool = False):
    """The logarithms of the sums of the exponentials up to each place along an axis."""
    return cumlogsumexp_p.bind(operand, axis=int(axis), reverse=bool(reverse))
