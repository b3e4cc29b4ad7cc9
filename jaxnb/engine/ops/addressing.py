"""How gather and scatter address an array: dimension numbers, modes, the checks and batching they share.

Must not define primitives.
"""

from __future__ import annotations

import enum
import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from jaxnb.engine.core import dtypes
from jaxnb.engine.core.avals import ShapedArray
from jaxnb.engine.core.jaxpr import Jaxpr, JaxprEqn, Var, eqn_ids, no_effects
from jaxnb.engine.core.primitive import Primitive
from jaxnb.engine.core.source import SourceInfo, empty_name_stack
from jaxnb.engine.ops.lowering import ir_type
from jaxnb.engine.ops.shape import broadcast_in_dim, moveaxis
from jaxnb.xla.mlir import hlo, ir


class GatherDimensionNumbers(NamedTuple):
    """Which dimensions of a gather's operands and result mean what; see XLA's Gather."""

    offset_dims: tuple[int, ...]
    collapsed_slice_dims: tuple[int, ...]
    start_index_map: tuple[int, ...]
    operand_batching_dims: tuple[int, ...] = ()
    start_indices_batching_dims: tuple[int, ...] = ()

    def as_scatter(self) -> ScatterDimensionNumbers:
        """The scatter that writes the places this gather reads."""
        return ScatterDimensionNumbers(*self)


class ScatterDimensionNumbers(NamedTuple):
    """Which dimensions of a scatter's operands mean what; see XLA's Scatter."""

    update_window_dims: tuple[int, ...]
    inserted_window_dims: tuple[int, ...]
    scatter_dims_to_operand_dims: tuple[int, ...]
    operand_batching_dims: tuple[int, ...] = ()
    scatter_indices_batching_dims: tuple[int, ...] = ()

    def as_gather(self) -> GatherDimensionNumbers:
        """The gather that reads the places this scatter writes."""
        return GatherDimensionNumbers(*self)


class GatherScatterMode(enum.Enum):
    """What happens to an index that is out of bounds."""

    CLIP = enum.auto()
    FILL_OR_DROP = enum.auto()
    PROMISE_IN_BOUNDS = enum.auto()
    ONE_HOT = enum.auto()

    @staticmethod
    def from_any(mode: str | GatherScatterMode | None) -> GatherScatterMode:
        """The mode of this name; ``None`` fills or drops.

        Raises:
            ValueError: there is no such mode.
        """
        if isinstance(mode, GatherScatterMode):
            return mode
        if mode is None:
            return GatherScatterMode.FILL_OR_DROP
        names = {
            "clip": GatherScatterMode.CLIP,
            "fill": GatherScatterMode.FILL_OR_DROP,
            "drop": GatherScatterMode.FILL_OR_DROP,
            "promise_in_bounds": GatherScatterMode.PROMISE_IN_BOUNDS,
            "one_hot": GatherScatterMode.ONE_HOT,
        }
        if mode not in names:
            raise ValueError(f'Unknown gather mode "{mode}"')
        return names[mode]


# Checks that gather and scatter share


def check_sorted(dims: Sequence[int], op: str, name: str) -> None:
    """Raises unless the dimensions ascend."""
    if any(a > b for a, b in itertools.pairwise(dims)):
        raise TypeError(f"{name} in {op} op must be sorted; got {dims}")


def check_unique(dims: Sequence[int], op: str, name: str) -> None:
    """Raises where a dimension repeats."""
    if len(set(dims)) != len(dims):
        raise TypeError(f"{name} in {op} op must not repeat; got: {dims}.")


def check_sorted_in_range(dims: Sequence[int], rank: int, op: str, name: str) -> None:
    """Raises unless the dimensions ascend within ``[0, rank)``."""
    if not dims:
        return
    bad = next((d for d in (dims[0], dims[-1]) if d < 0 or d >= rank), None)
    if bad is not None:
        raise TypeError(f"Invalid {name} set in {op} op; valid range is [0, {rank}); got: {bad}.")


def check_disjoint(a: Sequence[int], b: Sequence[int], op: str, name_a: str, name_b: str) -> None:
    """Raises where two sets of dimensions meet."""
    if not set(a).isdisjoint(b):
        raise TypeError(f"{name_a} and {name_b} in {op} op must be disjoint; got: {a} and {b}.")


def check_index_batching(
    op: str, indices: ShapedArray, operand: ShapedArray, dims: Sequence[int], operand_dims: Sequence[int],
    name: str,
) -> None:  # fmt: skip
    """Raises unless the indices' batching dimensions fit the operand's."""
    rank = indices.ndim
    for d in dims:
        if d < 0 or d >= rank:
            raise TypeError(f"Invalid {name} set in {op} op; valid range is [0, {rank}); got: {d}.")
    check_unique(dims, op, name)
    if rank - 1 in dims:
        raise TypeError(
            f"{op.capitalize()} op cannot have the index vector dimension as a batching dimension; got {dims}."
        )
    sizes = tuple(operand.shape[d] for d in operand_dims), tuple(indices.shape[d] for d in dims)
    if sizes[0] != sizes[1]:
        raise TypeError(
            f"{op.capitalize()} op requires operand batching dimensions and indices batching dimensions "
            f"to have the same shape, got {sizes[0]} and {sizes[1]}."
        )


# What the rules share


def to_front(x: Any, d: int | None, size: int) -> Any:
    """``x`` with its mapped axis first, or repeated along a new one."""
    if d is not None:
        return moveaxis(x, d, 0)
    shape = np.shape(x)
    return broadcast_in_dim(x, (size, *shape), batched(range(len(shape))))


def batched(dims: Sequence[int]) -> tuple[Any, ...]:
    """The dimensions after a new leading one came in."""
    return tuple(np.add(1, np.array([*dims], int)))


_scalar_jaxprs: dict[tuple[Primitive, Any, bool], Jaxpr] = {}


def scalar_jaxpr(primitive: Primitive, dtype: Any, *, transposed: bool = False) -> Jaxpr:
    """The program ``(x, y) -> primitive(x, y)`` of scalars; always the same object for the same arguments.

    Transpose rules ask with ``transposed``: a jaxpr shows their programs apart from those of the forward pass.
    """
    key = primitive, dtype, transposed
    found = _scalar_jaxprs.get(key)
    if found is None:
        scalar = ShapedArray((), dtype)
        x, y = Var(scalar), Var(scalar)
        out = Var(primitive.abstract_eval((scalar, scalar), {}))
        info = SourceInfo(None, empty_name_stack)
        eqn = JaxprEqn([x, y], [out], primitive, {}, no_effects, info, next(eqn_ids))
        found = _scalar_jaxprs[key] = Jaxpr([], [x, y], [out], [eqn])
    return found


def physical_dtype(dtype: Any) -> np.dtype:
    """The dtype of the words that hold an element in memory."""
    return dtypes.physical_aval(dtype)[1] if dtypes.is_extended(dtype) else dtype


def as_wide_index(operand: ShapedArray, aval: ShapedArray, indices: ir.Value) -> tuple[ShapedArray, ir.Value]:
    """The indices in a signed type that can count every element of an axis."""
    wide = np.dtype(np.int64 if max(operand.shape, default=0) > np.iinfo(np.int32).max else np.int32)
    if aval.dtype == wide and not aval.weak_type:
        return aval, indices
    aval = ShapedArray(aval.shape, wide)
    return aval, hlo.convert(ir_type(aval), indices)
