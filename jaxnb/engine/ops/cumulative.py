"""Running sums, products and extrema along an axis, and the associative scan their derivatives are made of.

The running log-sum-exp is in ``engine/linalg``: its derivative has a rule of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jaxnb.engine.core import dtypes
from jaxnb.engine.core.ad import Zero
from jaxnb.engine.core.avals import ShapedArray
from jaxnb.engine.core.boundary import api_boundary
from jaxnb.engine.core.primitive import Primitive
from jaxnb.engine.core.rules import Undefined, composite, define, linear_jvp
from jaxnb.engine.ops import magnitude
from jaxnb.engine.ops.arithmetic import add, mul
from jaxnb.engine.ops.axes import canonicalize_axis
from jaxnb.engine.ops.bitwise import bitwise_or
from jaxnb.engine.ops.joining import concatenate
from jaxnb.engine.ops.locations import here, steps
from jaxnb.engine.ops.lowering import LoweringContext, constant
from jaxnb.engine.ops.outlining import outlined
from jaxnb.engine.ops.reductions import lexicographic, max_identity, min_identity
from jaxnb.engine.ops.shape import rev
from jaxnb.engine.ops.slicing import pad, slice_in_dim
from jaxnb.engine.ops.windows import Window, build_reduce_window, windowed_lower
from jaxnb.xla import pytree
from jaxnb.xla.mlir import hlo, ir

# associative_scan


@api_boundary
def associative_scan(fn: Callable, elems, reverse: bool = False, axis: int = 0):
    """All prefixes of the arrays along an axis, combined by an associative function, in logarithmic depth.

    Args:
        fn: combines two trees of arrays like ``elems``, elementwise along the axis.
        elems: a tree of arrays.
        reverse: whether suffixes are meant.
        axis: the axis scanned along.
    """
    if not callable(fn):
        raise TypeError("lax.associative_scan: fn argument should be callable.")
    leaves, tree = pytree.flatten(elems)
    if reverse:
        leaves = [rev(x, (axis,)) for x in leaves]

    def combine(first: Sequence[Any], second: Sequence[Any]) -> list[Any]:
        out = fn(pytree.unflatten(tree, first), pytree.unflatten(tree, second))
        return pytree.flatten(out)[0]

    axis = canonicalize_axis(axis, np.ndim(leaves[0]))
    size = leaves[0].shape[axis]
    if not all(x.shape[axis] == size for x in leaves[1:]):
        shapes = [x.shape for x in leaves]
        raise ValueError(
            f"Array inputs to associative_scan must have the same first dimension. (saw: {shapes})"
        )
    scanned = _scan(combine, leaves, axis)
    if reverse:
        scanned = [rev(x, (axis,)) for x in scanned]
    return pytree.unflatten(tree, scanned)


def _scan(combine: Callable[..., list[Any]], leaves: list[Any], axis: int) -> list[Any]:
    """Pairs of neighbours are combined and scanned: those are the odd places; one more step gives the even ones."""
    size = leaves[0].shape[axis]
    if size < 2:
        return leaves
    pairs = combine(
        [slice_in_dim(x, 0, -1, stride=2, axis=axis) for x in leaves],
        [slice_in_dim(x, 1, None, stride=2, axis=axis) for x in leaves],
    )
    odd = _scan(combine, pairs, axis)
    before = [slice_in_dim(x, 0, -1, axis=axis) for x in odd] if size % 2 == 0 else odd
    even = combine(before, [slice_in_dim(x, 2, None, stride=2, axis=axis) for x in leaves])
    even = [
        concatenate([slice_in_dim(x, 0, 1, axis=axis), rest], dimension=axis)
        for x, rest in zip(leaves, even, strict=True)
    ]
    return [_interleave(a, b, axis) for a, b in zip(even, odd, strict=True)]


def _interleave(even: Any, odd: Any, axis: int) -> Any:
    """The elements of two arrays in turn, beginning with ``even``."""
    equal = even.shape[axis] == odd.shape[axis]

    def spread(x: Any, low: int, high: int) -> Any:
        config = [(0, 0, 0)] * len(x.shape)
        config[axis] = (low, high, 1)
        return pad(x, x.dtype.type(0), config)

    join = bitwise_or if even.dtype == np.bool_ else add
    return join(spread(even, 0, int(equal)), spread(odd, 1, int(not equal)))


# What the cumulative primitives share


def cumulative_abstract(name: str) -> Callable[..., ShapedArray]:
    """The typing rule of a running reduction of numbers."""

    def abstract(operand: ShapedArray, *, axis: int, reverse: bool) -> ShapedArray:
        if axis < 0:
            raise ValueError("XLA operations do not allow negative axes")
        if axis >= operand.ndim:
            raise ValueError(f"axis {axis} is out of bounds for array of shape {operand.shape}")
        if not dtypes.issubdtype(operand.dtype, np.number):
            raise TypeError(
                f"{name} does not accept dtype {operand.dtype}. Accepted dtypes are subtypes of number."
            )
        return operand

    return abstract


def cumulative_window(shape: Sequence[int], axis: int, reverse: bool) -> Window:
    """The window that reaches from each element to the beginning of the axis (or its end)."""
    ndim, size = len(shape), shape[axis]
    sizes, padding = [1] * ndim, [(0, 0)] * ndim
    sizes[axis] = size
    padding[axis] = (0, size - 1) if reverse else (size - 1, 0)
    ones = (1,) * ndim
    return Window(tuple(sizes), ones, tuple(padding), ones, ones)


def cumulative_lower(rule: Callable[..., ir.Value], name: str | None = None) -> Callable[..., Any]:
    """The lowering of a running reduction as one over windows, which is called ``name`` and which ``rule`` lowers.

    Without a name the rule names its steps itself.
    """

    def lower(ctx: LoweringContext, operand: ir.Value, *, axis: int, reverse: bool) -> ir.Value:
        shape = ctx.avals_in[0].shape
        if shape[axis] == 0:
            return operand
        with steps(ctx)(name) if name else here():
            return rule(ctx, operand, **cumulative_window(shape, axis, reverse)._asdict())

    return outlined(lower)


def cumulative_batch(prim: Callable[[], Primitive]) -> Callable[..., Any]:
    """The batching rule of a running reduction."""

    def batch(args, dims, *, axis: int, reverse: bool):
        (operand,), (d,) = args, dims
        return prim().bind(operand, axis=axis + (d <= axis), reverse=reverse), d

    return batch


def _prod_lower(ctx: LoweringContext, operand: ir.Value, **window) -> ir.Value:
    (out,) = ctx.avals_out
    one = constant(out.dtype.type(1), ShapedArray((), out.dtype))
    inside = steps(ctx, 2)

    def emit(a: ir.Value, b: ir.Value) -> list[ir.Value]:
        with inside("mul"):
            return [hlo.multiply(a, b)]

    with steps(ctx)("reduce_window"):
        return build_reduce_window([out], [operand], [one], Window(**window), emit)[0]


# The primitives


def _cumsum_transpose(ct, operand, *, axis, reverse):
    """The running sum of ``ct`` from the other end."""
    return [None if type(ct) is Zero else cumsum_p.bind(ct, axis=axis, reverse=not reverse)]


cumsum_p = define(
    "cumsum",
    abstract=cumulative_abstract("cumsum"),
    lower=cumulative_lower(
        windowed_lower(lambda a, b: hlo.add(a, b), lambda dtype: dtype.type(0)), "reduce_window_sum"
    ),
    jvp=linear_jvp,
    transpose=_cumsum_transpose,
    batch=cumulative_batch(lambda: cumsum_p),
)


def _scanned(
    name: str, combine: Callable[..., Any], rule: Callable[..., ir.Value], step: str | None = None
) -> Primitive:
    """A running reduction whose derivative is that of an associative scan."""

    def by_scan(operand, *, axis, reverse):
        return associative_scan(combine, operand, reverse=reverse, axis=axis)

    prim = define(
        name,
        abstract=cumulative_abstract(name),
        lower=cumulative_lower(rule, step),
        jvp=composite(by_scan),
        transpose=Undefined("not linear"),
        batch=cumulative_batch(lambda: prim),
    )
    return prim


cumprod_p = _scanned("cumprod", mul, _prod_lower)
cummax_p = _scanned(
    "cummax",
    magnitude.max,
    windowed_lower(lexicographic("GT", lambda a, b: hlo.maximum(a, b)), max_identity),
    "reduce_window_max",
)
cummin_p = _scanned(
    "cummin",
    magnitude.min,
    windowed_lower(lexicographic("LT", lambda a, b: hlo.minimum(a, b)), min_identity),
    "reduce_window_min",
)


def cumsum(operand, axis: int = 0, reverse: bool = False):
    """The sums of the elements up to each place along an axis."""
    return cumsum_p.bind(operand, axis=int(axis), reverse=bool(reverse))


def cumprod(operand, axis: int = 0, reverse: bool = False):
    """The products of the elements up to each place along an axis."""
    return cumprod_p.bind(operand, axis=int(axis), reverse=bool(reverse))


def cummax(operand, axis: int = 0, reverse: bool = False):
    """The greatest elements up to each place along an axis."""
    return cummax_p.bind(operand, axis=int(axis), reverse=bool(reverse))


def cummin(operand, axis: int = 0, reverse: bool = False):
    """The least elements up to each place along an axis."""
    return cummin_p.bind(operand, axis=int(axis), reverse=bool(reverse))
