"""Primitives that join arrays and cut them apart: concatenate and split, stack and unstack, tile."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from jaxnb.engine.core.ad import Zero, is_undefined_primal
from jaxnb.engine.core.avals import ShapedArray
from jaxnb.engine.core.rules import define, instantiate_zeros, linear_jvp, primitives
from jaxnb.engine.ops.axes import canonicalize_axis
from jaxnb.engine.ops.lowering import LoweringContext, dense_ints, ir_type
from jaxnb.engine.ops.shape import broadcast, moveaxis, reshape
from jaxnb.engine.ops.slicing import index_in_dim
from jaxnb.engine.ops.staging import as_operand, is_array
from jaxnb.xla.mlir import hlo, ir
from jaxnb.xla.version import JAXLIB_VERSION


def _to_front(args, dims):
    """Every operand with the mapped axis first; an operand that is not mapped is repeated along it."""
    size = next(x.shape[d] for x, d in zip(args, dims, strict=True) if d is not None)
    return [
        broadcast(x, (size,)) if d is None else moveaxis(x, d, 0) for x, d in zip(args, dims, strict=True)
    ]


def _check_same_dtypes(name: str, avals: Sequence[ShapedArray], tip: str = "") -> None:
    names = [str(aval.dtype) for aval in avals]
    if len(set(names)) > 1:
        raise TypeError(f"{name} requires arguments to have the same dtypes, got {', '.join(names)}.{tip}")


def _all_weak(avals: Sequence[ShapedArray]) -> bool:
    return all(aval.weak_type for aval in avals)


def _join_jvp(bind):
    """The jvp of a joining primitive: the same join of the tangents, zeros made where one is missing."""

    def jvp(primals, tangents, **params):
        out = bind(*primals, **params)
        if all(type(t) is Zero for t in tangents):
            return out, Zero.from_primal_value(out)
        return out, bind(*map(instantiate_zeros, tangents), **params)

    return jvp


# concatenate


def _concatenate_abstract(*operands: ShapedArray, dimension):
    shapes = [operand.shape for operand in operands]
    listed = ", ".join(map(str, shapes))
    if len({len(shape) for shape in shapes}) != 1:
        raise TypeError(f"Cannot concatenate arrays with different numbers of dimensions: got {listed}.")
    if not 0 <= dimension < len(shapes[0]):
        raise TypeError(f"concatenate dimension out of bounds: dimension {dimension} for shapes {listed}.")
    if len({shape[:dimension] + shape[dimension + 1 :] for shape in shapes}) != 1:
        raise TypeError(
            "Cannot concatenate arrays with shapes that differ in dimensions other than the one being "
            f"concatenated: concatenating along dimension {dimension} for shapes {listed}."
        )
    tip = " (Tip: jnp.concatenate is a similar function that does automatic type promotion on inputs)."
    _check_same_dtypes("lax.concatenate", operands, tip)
    shape = list(shapes[0])
    shape[dimension] = sum(shape[dimension] for shape in shapes)
    return ShapedArray(tuple(shape), operands[0].dtype, weak_type=_all_weak(operands))


def _concatenate_lower(ctx: LoweringContext, *operands: ir.Value, dimension) -> ir.Value:
    return _concatenate(operands, dimension)


def _concatenate(operands: Sequence[ir.Value], dimension: int) -> ir.Value:
    """Joins at most sixteen at a time, as XLA compiles longer lists slowly."""
    dim = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), dimension)
    while len(operands) > 1:
        groups = [operands[i : i + 16] for i in range(0, len(operands), 16)]
        operands = [hlo.concatenate(group, dim) for group in groups]
    return operands[0]


def _concatenate_transpose(ct, *operands, dimension):
    """``split(ct)`` at the operands' own sizes."""
    if type(ct) is Zero:
        return [None] * len(operands)
    sizes = tuple(np.shape(x.aval if is_undefined_primal(x) else x)[dimension] for x in operands)
    pieces = split(ct, sizes, dimension)
    return [piece if is_undefined_primal(x) else None for x, piece in zip(operands, pieces, strict=True)]


def _concatenate_batch(args, dims, *, dimension):
    return concatenate(_to_front(args, dims), dimension + 1), 0


concatenate_p = define(
    "concatenate",
    abstract=_concatenate_abstract,
    lower=_concatenate_lower,
    jvp=_join_jvp(lambda *operands, **params: concatenate_p.bind(*operands, **params)),
    transpose=_concatenate_transpose,
    batch=_concatenate_batch,
)


def concatenate(operands, dimension):
    """The operands one after another along an existing axis."""
    if len(operands) == 0:
        raise ValueError("concatenate requires a non-empty sequences of arrays")
    if len(operands) == 1:
        (operand,) = operands
        if is_array(operand):
            return operand
    return concatenate_p.bind(*operands, dimension=dimension)


# split


def _split_abstract(operand: ShapedArray, *, sizes, axis):
    shape = list(operand.shape)
    if any(size < 0 for size in sizes):
        raise ValueError(f"Sizes passed to split must be nonnegative, got {list(sizes)}")
    if sum(sizes) != shape[axis]:
        raise ValueError(
            f"Sum of sizes {np.sum(sizes)} must be equal to dimension {axis} of the operand shape {shape}"
        )
    return [operand.update(shape=(*shape[:axis], size, *shape[axis + 1 :])) for size in sizes]


def _split_lower(ctx: LoweringContext, operand: ir.Value, *, sizes, axis) -> list[ir.Value]:
    shape = list(ir.RankedTensorType(operand.type).shape)
    start, limit = [0] * len(shape), list(shape)
    strides = dense_ints([1] * len(shape))
    pieces = []
    for size in sizes:
        limit[axis] = start[axis] + size
        pieces.append(hlo.slice(operand, dense_ints(start), dense_ints(limit), strides))
        start[axis] = limit[axis]
    return pieces


def _split_transpose(cts, operand, *, sizes, axis):
    """``concatenate(cts)``."""
    if all(type(ct) is Zero for ct in cts):
        return [None]
    return [concatenate([instantiate_zeros(ct) for ct in cts], axis)]


def _split_batch(args, dims, *, sizes, axis):
    (operand,), (d,) = args, dims
    pieces = split_p.bind(operand, sizes=sizes, axis=axis + 1 if axis >= d else axis)
    return pieces, [d] * len(pieces)


split_p = define(
    "split",
    abstract=_split_abstract,
    lower=_split_lower,
    jvp=linear_jvp,
    transpose=_split_transpose,
    batch=_split_batch,
    multiple_results=True,
)


def split(operand, sizes, axis=0):
    """The pieces of the operand, of these sizes, along an axis."""
    operand = as_operand(operand)
    return split_p.bind(operand, sizes=tuple(sizes), axis=canonicalize_axis(axis, np.ndim(operand)))


# stack


def _stack_abstract(*operands: ShapedArray, axis):
    shapes = [operand.shape for operand in operands]
    if len({len(shape) for shape in shapes}) != 1:
        given = ", ".join(map(str, shapes))
        raise ValueError(f"Cannot stack arrays with different numbers of dimensions: got {given}.")
    if len(set(shapes)) != 1:
        raise ValueError(f"All input arrays must have the same shape. Got {', '.join(map(str, shapes))}.")
    _check_same_dtypes("lax.stack", operands)
    shape = list(shapes[0])
    shape.insert(axis, len(operands))
    return ShapedArray(tuple(shape), operands[0].dtype, weak_type=_all_weak(operands))


def _stack_lower(ctx: LoweringContext, *operands: ir.Value, axis) -> ir.Value:
    shape = list(ir.RankedTensorType(operands[0].type).shape)
    kept = dense_ints([d + (d >= axis) for d in range(len(shape))])
    shape.insert(axis, 1)
    unit = ir.RankedTensorType.get(shape, ir.RankedTensorType(operands[0].type).element_type)
    return _concatenate([hlo.broadcast_in_dim(unit, x, kept) for x in operands], axis)


def _stack_transpose(ct, *operands, axis):
    """``unstack(ct)``."""
    if type(ct) is Zero:
        return [None] * len(operands)
    pieces = unstack(ct, axis)
    return [piece if is_undefined_primal(x) else None for x, piece in zip(operands, pieces, strict=True)]


def _stack_batch(args, dims, *, axis):
    d = dims[0]
    if d is None or any(other != d for other in dims):
        return stack_p.bind(*_to_front(args, dims), axis=axis + 1), 0
    if axis <= d:
        return stack_p.bind(*args, axis=axis), d + 1
    return stack_p.bind(*args, axis=axis + 1), d


stack_p = define(
    "stack",
    abstract=_stack_abstract,
    lower=_stack_lower,
    jvp=_join_jvp(lambda *operands, **params: stack_p.bind(*operands, **params)),
    transpose=_stack_transpose,
    batch=_stack_batch,
)


def stack(operands, axis=0):
    """The operands side by side along a new axis."""
    arrays = [as_operand(operand) for operand in operands]
    return stack_p.bind(*arrays, axis=canonicalize_axis(axis, np.ndim(arrays[0]) + 1))


# unstack


def _unstack_abstract(operand: ShapedArray, *, axis):
    shape = operand.shape
    piece = operand.update(shape=shape[:axis] + shape[axis + 1 :])
    return [piece] * shape[axis]


def _unstack_lower(ctx: LoweringContext, operand: ir.Value, *, axis) -> list[ir.Value]:
    shape = list(ir.RankedTensorType(operand.type).shape)
    strides = dense_ints([1] * len(shape))
    pieces = []
    for place, out in enumerate(ctx.avals_out):
        start, limit = [0] * len(shape), list(shape)
        start[axis], limit[axis] = place, place + 1
        piece = hlo.slice(operand, dense_ints(start), dense_ints(limit), strides)
        pieces.append(hlo.reshape(ir_type(out), piece))
    return pieces


def _unstack_transpose(cts, operand, *, axis):
    """``stack(cts)``."""
    if all(type(ct) is Zero for ct in cts):
        return [None]
    return [stack([instantiate_zeros(ct) for ct in cts], axis)]


def _unstack_batch(args, dims, *, axis):
    (operand,), (d,) = args, dims
    if axis >= d:
        pieces, out = unstack_p.bind(operand, axis=axis + 1), d
    else:
        pieces, out = unstack_p.bind(operand, axis=axis), d - 1
    return pieces, [out] * len(pieces)


unstack_p = define(
    "unstack",
    abstract=_unstack_abstract,
    lower=_unstack_lower,
    jvp=linear_jvp,
    transpose=_unstack_transpose,
    batch=_unstack_batch,
    multiple_results=True,
)


def unstack(x, axis=0):
    """The slices of the array along an axis, which they no longer have."""
    x = as_operand(x)
    return tuple(unstack_p.bind(x, axis=canonicalize_axis(axis, np.ndim(x))))


def rows(x: Any) -> Iterator[Any]:
    """The slices of an array along its first axis, as iterating over it gives them."""
    if JAXLIB_VERSION >= (0, 12):
        return iter(unstack(x) if np.shape(x)[0] else ())
    return (index_in_dim(x, place, keepdims=False) for place in range(np.shape(x)[0]))


# tile


def _tile_abstract(operand: ShapedArray, *, reps):
    if len(reps) != operand.ndim:
        raise TypeError(
            "reps length must be equal to the ndim of x, "
            f"got len(reps)={len(reps)} and x.ndim={operand.ndim}."
        )
    return operand.update(shape=tuple(size * rep for size, rep in zip(operand.shape, reps, strict=True)))


def _tile_lower(ctx: LoweringContext, operand: ir.Value, *, reps) -> ir.Value:
    typ = ir.RankedTensorType(operand.type)
    physical = list(typ.shape)
    units, wide = [], []
    for size, rep in zip(physical, reps, strict=False):
        units += [1, size]
        wide += [rep, size]
    tail = physical[len(reps) :]
    units, wide = units + tail, wide + tail
    get = lambda shape: ir.RankedTensorType.get(shape, typ.element_type)  # noqa: E731
    spread = hlo.reshape(get(units), operand)
    spread = hlo.broadcast_in_dim(get(wide), spread, dense_ints(range(len(wide))))
    return hlo.reshape(ir_type(ctx.avals_out[0]), spread)


def _tile_transpose(ct, operand, *, reps):
    """The sum of ``ct`` over the copies."""
    if type(ct) is Zero:
        return [None]
    shape = [size for pair in zip(reps, operand.aval.shape, strict=True) for size in pair]
    copies = reshape(ct, shape)
    axes = tuple(range(0, len(shape), 2))
    return [primitives["reduce_sum"].bind(copies, axes=axes, out_sharding=None)]


def _tile_batch(args, dims, *, reps):
    (operand,), (d,) = args, dims
    reps = list(reps)
    reps.insert(d, 1)
    return tile(operand, reps), d


tile_p = define(
    "tile",
    abstract=_tile_abstract,
    lower=_tile_lower,
    jvp=linear_jvp,
    transpose=_tile_transpose,
    batch=_tile_batch,
)


def tile(operand, reps):
    """The operand repeated ``reps[i]`` times along each axis ``i``."""
    return tile_p.bind(operand, reps=tuple(reps))
