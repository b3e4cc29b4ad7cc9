"""scatter and its kin: updates written, added, multiplied, or compared into an array at run-time places."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jaxnb.engine.core import dtypes
from jaxnb.engine.core.ad import Zero, is_undefined_primal
from jaxnb.engine.core.avals import ShapedArray, get_aval
from jaxnb.engine.core.primitive import Primitive
from jaxnb.engine.core.rules import Undefined, define, instantiate_zeros
from jaxnb.engine.ops.addressing import (
    GatherScatterMode,
    ScatterDimensionNumbers,
    batched,
    check_disjoint,
    check_index_batching,
    check_sorted,
    check_sorted_in_range,
    check_unique,
    scalar_jaxpr,
    to_front,
)
from jaxnb.engine.ops.arithmetic import add, add_jaxvals, add_p, div, mul, mul_p, neg, sub_p
from jaxnb.engine.ops.comparison import eq
from jaxnb.engine.ops.filling import full, full_like, iota
from jaxnb.engine.ops.gather import gather
from jaxnb.engine.ops.lowering import LoweringContext, constant, dense_ints, ir_type, open_block
from jaxnb.engine.ops.lowering import full_like as filled_value
from jaxnb.engine.ops.magnitude import max_p, min_p
from jaxnb.engine.ops.selection import select
from jaxnb.engine.ops.shape import moveaxis, reshape
from jaxnb.xla.mlir import hlo, ir
from jaxnb.xla.version import JAXLIB_VERSION

_V12 = JAXLIB_VERSION >= (0, 12)

# Typing


def _window_sizes(
    operand_shape: Sequence[int], updates_shape: Sequence[int], numbers: ScatterDimensionNumbers
):
    """The part of each operand dimension that one update covers."""
    window = iter(numbers.update_window_dims)
    single = {*numbers.inserted_window_dims, *numbers.operand_batching_dims}
    return tuple(1 if d in single else updates_shape[next(window)] for d in range(len(operand_shape)))


def _scatter_abstract(
    operand: ShapedArray, indices: ShapedArray, updates: ShapedArray, *, update_jaxpr, update_consts,
    dimension_numbers, indices_are_sorted, unique_indices, mode,
) -> ShapedArray:  # fmt: skip
    if not dtypes.issubdtype(indices.dtype, np.integer):
        raise ValueError("indices must have an integer type")
    if operand.dtype != updates.dtype:
        raise TypeError(
            f"lax.scatter requires arguments to have the same dtypes, got {operand.dtype}, {updates.dtype}."
        )
    window_dims, inserted, to_operand, batching, index_batching = dimension_numbers
    if indices.ndim < 1:
        raise TypeError(
            "Scatter index leaf dimension must be within [0, rank(indices) + 1). rank(indices) is "
            f"{indices.ndim} and scatter index leaf dimension is {indices.ndim - 1}."
        )
    rank = indices.ndim - 1 + len(window_dims)
    if updates.ndim != rank:
        raise TypeError(f"Updates tensor must be of rank {rank}; got {updates.ndim}.")
    parts = (
        (window_dims, updates.ndim, "update_window_dims"),
        (inserted, operand.ndim, "inserted_window_dims"),
        (batching, operand.ndim, "operand_batching_dims"),
    )
    for dims, _, name in parts:
        check_sorted(dims, "scatter", name)
        check_unique(dims, "scatter", name)
    check_disjoint(inserted, batching, "scatter", "inserted_window_dims", "operand_batching_dims")
    window = len(window_dims) + len(inserted) + len(batching)
    if window != operand.ndim:
        raise TypeError(
            f"Scatter op has window of size {window}; doesn't match operand of rank {operand.ndim}."
        )
    for dims, ndim, name in parts:
        check_sorted_in_range(dims, ndim, "scatter", name)
    check_disjoint(to_operand, batching, "scatter", "scatter_dims_to_operand_dims", "operand_batching_dims")
    check_index_batching(
        "scatter", indices, operand, index_batching, batching, "scatter_indices_batching_dims"
    )
    depth = indices.shape[-1]
    if len(to_operand) != depth:
        raise TypeError(
            f"Scatter op has {len(to_operand)} elements in scatter_dims_to_operand_dims and the bound of "
            f"dimension index_vector_dim={indices.ndim - 1} of indices is {depth}. "
            "These two numbers must be equal"
        )
    for place, d in enumerate(to_operand):
        if not 0 <= d < operand.ndim:
            raise TypeError(
                f"Invalid scatter_dims_to_operand_dims mapping; domain is [0, {operand.ndim}), got: {place}->{d}."
            )
    check_unique(to_operand, "scatter", "scatter_dims_to_operand_dims")
    _check_update_sizes(operand, indices, updates, dimension_numbers)
    return operand.update(weak_type=operand.weak_type and updates.weak_type)


def _check_update_sizes(
    operand: ShapedArray, indices: ShapedArray, updates: ShapedArray, numbers: ScatterDimensionNumbers
) -> None:
    window_dims = numbers.update_window_dims
    single = {*numbers.inserted_window_dims, *numbers.operand_batching_dims}
    bounds = [size for d, size in enumerate(operand.shape) if d not in single]
    for d, bound in zip(window_dims, bounds, strict=True):
        if updates.shape[d] > bound:
            raise TypeError(
                "Bounds of the window dimensions of updates must not exceed the bounds of the corresponding "
                f"dimensions of operand. For dimension {d}, updates bound is {updates.shape[d]}, "
                f"operand bound is {bound}."
            )
    scatter_dims = [d for d in range(updates.ndim) if d not in set(window_dims)]
    for d, bound in zip(scatter_dims, indices.shape[:-1], strict=True):
        if updates.shape[d] != bound:
            raise TypeError(
                "Bounds of the scatter dimensions of updates must be the same as the bounds of the corresponding "
                f"dimensions of scatter indices. For scatter dimension {d}, updates bound is {updates.shape[d]}, "
                f"indices bound is {bound}."
            )


# Lowering


def _scatter_lower(
    ctx: LoweringContext, operand: ir.Value, indices: ir.Value, updates: ir.Value, *, update_jaxpr, update_consts,
    dimension_numbers: ScatterDimensionNumbers, indices_are_sorted, unique_indices, mode,
) -> ir.Value:  # fmt: skip
    aval, aval_indices, aval_updates = ctx.avals_in
    assert mode is not GatherScatterMode.ONE_HOT, mode
    if mode is GatherScatterMode.CLIP:
        sizes = _window_sizes(aval.shape, aval_updates.shape, dimension_numbers)
        upper = [aval.shape[d] - sizes[d] for d in dimension_numbers.scatter_dims_to_operand_dims]
        indices = _clamped(aval_indices, indices, upper)
    extra = ir.RankedTensorType(operand.type).rank - aval.ndim
    ndim = aval_updates.ndim
    attr = hlo.ScatterDimensionNumbers.get(
        update_window_dims=[*map(int, dimension_numbers.update_window_dims), *range(ndim, ndim + extra)],
        inserted_window_dims=[*map(int, dimension_numbers.inserted_window_dims)],
        input_batching_dims=[*map(int, dimension_numbers.operand_batching_dims)],
        scatter_indices_batching_dims=[*map(int, dimension_numbers.scatter_indices_batching_dims)],
        scattered_dims_to_operand_dims=[*map(int, dimension_numbers.scatter_dims_to_operand_dims)],
        index_vector_dim=aval_indices.ndim - 1,
    )
    op = hlo.ScatterOp(
        [ir_type(ctx.avals_out[0])],
        [operand],
        indices,
        [updates],
        attr,
        indices_are_sorted=ir.BoolAttr.get(indices_are_sorted),
        unique_indices=ir.BoolAttr.get(unique_indices),
    )
    scalar = ir.RankedTensorType.get((), ir.RankedTensorType(operand.type).element_type)
    block = open_block(op.update_computation, scalar, scalar)
    with ir.InsertionPoint(block):
        old, new = block.arguments
        hlo.return_([new] if update_jaxpr is None else ctx.lower_jaxpr(update_jaxpr, old, new))
    return op.result


def _clamped(aval: ShapedArray, indices: ir.Value, upper: Sequence[int]) -> ir.Value:
    """The indices moved into ``[0, upper]``."""
    wide = np.dtype(np.int64 if max(upper, default=0) > np.iinfo(np.int32).max else np.int32)
    row = ShapedArray((len(upper),), wide)
    largest = min(dtypes.iinfo(aval.dtype).max, np.iinfo(wide).max)
    bound = hlo.minimum(constant(np.asarray(upper, wide).reshape(len(upper))), filled_value(largest, row))
    if wide != aval.dtype:
        bound = hlo.convert(ir_type(row.update(dtype=aval.dtype)), bound)
    if aval.ndim > 1:
        bound = hlo.broadcast_in_dim(ir_type(aval), bound, dense_ints([aval.ndim - 1]))
    return hlo.clamp(filled_value(0, aval), indices, bound)


# Batching


def scatter_batch(primitive: Primitive, args, dims, *, dimension_numbers, **params):
    """The batched scatter: the mapped axis is a window, or a batching dimension of operand and indices."""
    operand, indices, updates = args
    d, d_indices, d_updates = dims
    size = next(x.shape[axis] for x, axis in zip(args, dims, strict=True) if axis is not None)
    operand = to_front(operand, d, size)
    updates = to_front(updates, d_updates, size)
    window_dims, inserted, to_operand, batching, index_batching = dimension_numbers
    window_dims, batching = batched(window_dims), batched(batching)
    if d_indices is None:
        window_dims = (0, *window_dims)
    else:
        indices = moveaxis(indices, d_indices, 0)
        batching, index_batching = (0, *batching), (0, *batched(index_batching))
    numbers = ScatterDimensionNumbers(
        window_dims, batched(inserted), batched(to_operand), batching, index_batching
    )
    return primitive.bind(operand, indices, updates, dimension_numbers=numbers, **params), 0


# Differentiation


def _gather_written(
    x: Any,
    indices: Any,
    numbers: ScatterDimensionNumbers,
    updates_shape: Sequence[int],
    mode: GatherScatterMode,
) -> Any:
    """What stands in ``x`` at the places a scatter with these numbers writes."""
    sizes = _window_sizes(np.shape(x), updates_shape, numbers)
    fill = 0 if mode is GatherScatterMode.FILL_OR_DROP else None
    return gather(x, indices, numbers.as_gather(), sizes, mode=mode, fill_value=fill)


def _updates_shape(updates: Any) -> tuple[int, ...]:
    return updates.aval.shape if is_undefined_primal(updates) else np.shape(updates)


def _both(primals, tangents) -> tuple[Any, Any]:
    return instantiate_zeros(tangents[0]), instantiate_zeros(tangents[2])


def _accumulate_jvp(prim: Callable[[], Primitive]):
    """The jvp of a scatter linear in operand and updates together: the scatter of the tangents."""

    def jvp(primals, tangents, **params):
        out = prim().bind(*primals, **params)
        if type(tangents[0]) is Zero and type(tangents[2]) is Zero:
            return out, Zero.from_primal_value(out)
        t, t_updates = _both(primals, tangents)
        return out, prim().bind(t, primals[1], t_updates, **params)

    return jvp


def _accumulate_transpose(sign: Callable[[Any], Any] | None = None):
    """For the operand, ``ct``; for the updates, ``ct`` gathered (and negated, for a subtraction)."""

    def transpose(ct, operand, indices, updates, *, dimension_numbers, mode, **params):
        if type(ct) is Zero:
            return [None, None, None]
        ct_updates = None
        if is_undefined_primal(updates):
            ct_updates = _gather_written(ct, indices, dimension_numbers, _updates_shape(updates), mode)
            ct_updates = ct_updates if sign is None else sign(ct_updates)
        return [ct if is_undefined_primal(operand) else None, None, ct_updates]

    return transpose


def _mul_jvp(primals, tangents, **params):
    """``scatter_mul(t, updates) + operand * scatter_add(0, t_updates)``."""
    operand, indices, updates = primals
    out = scatter_mul_p.bind(operand, indices, updates, **params)
    terms = []
    if type(tangents[0]) is not Zero:
        terms.append(scatter_mul_p.bind(tangents[0], indices, updates, **params))
    if type(tangents[2]) is not Zero:
        _check_mul_unique(params["unique_indices"])
        zeros = full_like(operand, 0)
        inner = {**params, "update_jaxpr": scalar_jaxpr(add_p, zeros.dtype), "update_consts": ()}
        terms.append(mul(operand, scatter_add_p.bind(zeros, indices, tangents[2], **inner)))
    if not terms:
        return out, Zero.from_primal_value(out)
    return out, terms[0] if len(terms) == 1 else add_jaxvals(*terms)


def _check_mul_unique(unique_indices: bool) -> None:
    if not unique_indices:
        raise NotImplementedError("scatter_mul gradients are only implemented if `unique_indices=True`")


def _mul_transpose(
    ct, operand, indices, updates, *, dimension_numbers, unique_indices, mode, update_jaxpr, **params
):
    """For the operand, ``scatter_mul(ct, updates)``; for the updates, ``ct * operand`` gathered."""
    if type(ct) is Zero:
        return [None, None, None]
    ct_operand = ct_updates = None
    if is_undefined_primal(operand):
        ct_operand = scatter_mul_p.bind(
            ct,
            indices,
            updates,
            dimension_numbers=dimension_numbers,
            unique_indices=unique_indices,
            mode=mode,
            update_jaxpr=scalar_jaxpr(mul_p, ct.dtype, transposed=not _V12),
            **params,
        )
    if is_undefined_primal(updates):
        _check_mul_unique(unique_indices)
        ct_updates = _gather_written(
            mul(ct, operand), indices, dimension_numbers, _updates_shape(updates), mode
        )
    return [ct_operand, None, ct_updates]


def _extremum_jvp(prim: Callable[[], Primitive]):
    """The tangents of those that attain the extremum, in equal parts."""

    def jvp(primals, tangents, *, dimension_numbers, update_jaxpr, update_consts, **params):
        operand, indices, updates = primals
        numbers = dimension_numbers
        out = prim().bind(
            *primals,
            dimension_numbers=numbers,
            update_jaxpr=update_jaxpr,
            update_consts=update_consts,
            **params,
        )
        if type(tangents[0]) is Zero and type(tangents[2]) is Zero:
            return out, Zero.from_primal_value(out)
        t, t_updates = _both(primals, tangents)

        flags = {name: params[name] for name in ("unique_indices", "indices_are_sorted")}
        sizes = _window_sizes(np.shape(operand), np.shape(updates), numbers)
        reading: dict[str, Any] = {"mode": params["mode"], **flags} if _V12 else {"mode": "promise_in_bounds"}
        adding = flags if _V12 else {}

        def read(x: Any) -> Any:
            return gather(x, indices, numbers.as_gather(), sizes, **reading)

        def added(x: Any, changes: Any, **flags: bool) -> Any:
            return scatter_add(x, indices, changes, numbers, mode=params["mode"], **flags)

        old, new = read(operand), read(out)
        update_wins, operand_wins = eq(updates, new), eq(old, new)
        zeros = full_like(operand, 0)
        ones = full_like(updates, 1)
        winners = read(added(zeros, select(update_wins, ones, full_like(updates, 0)), **adding))
        zeros = full_like(operand, 0)
        written = read(added(zeros, full_like(updates, 1), **adding))
        share = select(operand_wins, div(1.0, add(winners, 1.0)), div(1.0, winners))
        of_updates = select(update_wins, share, full_like(share, 0))
        share = div(1.0, add(winners, 1.0))
        of_operand = select(operand_wins, share, full_like(share, 0))
        change = div(add(-1.0, of_operand), written)
        moved = add(mul(read(t), change), mul(t_updates, of_updates))
        return out, added(t, moved, **flags)

    return jvp


def _scatter_jvp(primals, tangents, *, update_jaxpr, update_consts, **params):
    """The scatter of the tangents where indices are unique; else only the write that lasts passes its tangent."""
    if update_jaxpr is not None:
        raise NotImplementedError("scatter_apply JVP not implemented")
    operand, indices, updates = primals
    plain = {**params, "update_jaxpr": None, "update_consts": ()}
    if type(tangents[0]) is Zero and type(tangents[2]) is Zero:
        out = scatter_p.bind(operand, indices, updates, **plain)
        return out, Zero.from_primal_value(out)
    t, t_updates = _both(primals, tangents)
    if params["unique_indices"]:
        out = scatter_p.bind(operand, indices, updates, **plain)
        return out, scatter_p.bind(t, indices, t_updates, **plain)
    numbers = params["dimension_numbers"]
    shape = np.shape(updates)
    window = set(numbers.update_window_dims)
    rows = tuple(1 if d in window else size for d, size in enumerate(shape))
    numbered = reshape(iota(np.uint32, math.prod(rows)), rows)
    ids = add(numbered, full(shape, 1, np.dtype(np.uint32)))
    last = scatter_p.bind(full(np.shape(operand), 0, np.dtype(np.uint32)), indices, ids, **plain)
    seen = _gather_written(last, indices, numbers, shape, GatherScatterMode.PROMISE_IN_BOUNDS)

    def kept(x: Any) -> Any:
        return select(eq(last, full_like(last, 0)), x, full_like(x, 0))

    def lasting(x: Any) -> Any:
        return select(eq(ids, seen), x, full_like(x, 0))

    parts = [(kept(operand), lasting(updates)), (kept(t), lasting(t_updates))]
    out, t_out = (
        scatter_add_p.bind(
            a, indices, b, **{**plain, "update_jaxpr": scalar_jaxpr(add_p, np.dtype(operand.dtype))}
        )
        for a, b in parts
    )
    return out, t_out


def _scatter_transpose(
    ct, operand, indices, updates, *, dimension_numbers, unique_indices, mode, update_jaxpr, **params
):
    """For the operand, ``ct`` with the written places zeroed; for the updates, ``ct`` gathered."""
    if not unique_indices:
        raise NotImplementedError("scatter transpose is only implemented where unique_indices=True")
    if type(ct) is Zero:
        return [None, None, None]
    shape = _updates_shape(updates)
    ct_operand = ct_updates = None
    if is_undefined_primal(operand):
        ct_operand = scatter_p.bind(
            ct,
            indices,
            full(shape, 0, ct.dtype),
            dimension_numbers=dimension_numbers,
            unique_indices=unique_indices,
            mode=mode,
            update_jaxpr=update_jaxpr,
            **params,
        )
    if is_undefined_primal(updates):
        ct_updates = _gather_written(ct, indices, dimension_numbers, shape, mode)
    return [ct_operand, None, ct_updates]


# Primitives


def _batch_rule(prim: Callable[[], Primitive]):
    def batch(args, dims, **params):
        return scatter_batch(prim(), args, dims, **params)

    return batch


scatter_p = define(
    "scatter",
    abstract=_scatter_abstract,
    lower=_scatter_lower,
    jvp=_scatter_jvp,
    transpose=_scatter_transpose,
    batch=_batch_rule(lambda: scatter_p),
)
scatter_add_p = define(
    "scatter-add",
    abstract=_scatter_abstract,
    lower=_scatter_lower,
    jvp=_accumulate_jvp(lambda: scatter_add_p),
    transpose=_accumulate_transpose(),
    batch=_batch_rule(lambda: scatter_add_p),
)
scatter_sub_p = define(
    "scatter-sub",
    abstract=_scatter_abstract,
    lower=_scatter_lower,
    jvp=_accumulate_jvp(lambda: scatter_sub_p),
    transpose=_accumulate_transpose(neg),
    batch=_batch_rule(lambda: scatter_sub_p),
)
scatter_mul_p = define(
    "scatter-mul",
    abstract=_scatter_abstract,
    lower=_scatter_lower,
    jvp=_mul_jvp,
    transpose=_mul_transpose,
    batch=_batch_rule(lambda: scatter_mul_p),
)
scatter_min_p = define(
    "scatter-min",
    abstract=_scatter_abstract,
    lower=_scatter_lower,
    jvp=_extremum_jvp(lambda: scatter_min_p),
    transpose=Undefined("its tangent is made of gathers and a scatter-add"),
    batch=_batch_rule(lambda: scatter_min_p),
)
scatter_max_p = define(
    "scatter-max",
    abstract=_scatter_abstract,
    lower=_scatter_lower,
    jvp=_extremum_jvp(lambda: scatter_max_p),
    transpose=Undefined("its tangent is made of gathers and a scatter-add"),
    batch=_batch_rule(lambda: scatter_max_p),
)


def _scatter_function(
    primitive: Primitive, name: str, doc: str, combine: Primitive | None
) -> Callable[..., Any]:
    def scatter(
        operand, scatter_indices, updates, dimension_numbers, *, indices_are_sorted=False, unique_indices=False,
        mode=None,
    ):  # fmt: skip
        program = None
        if combine is not None:
            program = scalar_jaxpr(combine, get_aval(operand).dtype)
        return primitive.bind(
            operand,
            scatter_indices,
            updates,
            update_jaxpr=program,
            update_consts=(),
            dimension_numbers=dimension_numbers,
            indices_are_sorted=bool(indices_are_sorted),
            unique_indices=bool(unique_indices),
            mode=GatherScatterMode.from_any(mode),
        )

    scatter.__name__ = scatter.__qualname__ = name
    scatter.__doc__ = f"The operand with the updates {doc} at the places that the rows of indices name."
    return scatter


scatter = _scatter_function(scatter_p, "scatter", "written", None)
scatter_add = _scatter_function(scatter_add_p, "scatter_add", "added", add_p)
scatter_sub = _scatter_function(scatter_sub_p, "scatter_sub", "subtracted", sub_p)
scatter_mul = _scatter_function(scatter_mul_p, "scatter_mul", "multiplied in", mul_p)
scatter_min = _scatter_function(scatter_min_p, "scatter_min", "compared in, the smaller kept,", min_p)
scatter_max = _scatter_function(scatter_max_p, "scatter_max", "compared in, the larger kept,", max_p)
