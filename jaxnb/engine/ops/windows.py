"""Reductions over sliding windows with a known operation, and the two selections their derivatives need.

Windows with a function of the user's are in ``engine/control/windows.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from jaxnb.engine.core import dtypes
from jaxnb.engine.core.ad import Zero, is_undefined_primal
from jaxnb.engine.core.avals import ShapedArray
from jaxnb.engine.core.primitive import Primitive
from jaxnb.engine.core.rules import Undefined, define, instantiate_zeros, linear_jvp, primitives
from jaxnb.engine.ops.axes import check_nonnegative
from jaxnb.engine.ops.comparison import compare_type, compare_values
from jaxnb.engine.ops.elementwise import axis_to_front
from jaxnb.engine.ops.lowering import LoweringContext, constant, dense_ints, ir_type, open_block
from jaxnb.engine.ops.reductions import lexicographic, max_identity, min_identity
from jaxnb.engine.ops.slicing import pad, slice
from jaxnb.xla.mlir import hlo, ir

Pairs = tuple[tuple[int, int], ...]


# Windows


class Window(NamedTuple):
    """A sliding window: its size, steps and dilations along each axis, and the padding of the operand."""

    window_dimensions: tuple[int, ...]
    window_strides: tuple[int, ...]
    padding: Pairs
    base_dilation: tuple[int, ...]
    window_dilation: tuple[int, ...]


def make_window(shape, window_dimensions, window_strides, padding, base_dilation, window_dilation) -> Window:
    """The window with what the user left out filled in, and a named padding made numbers."""
    sizes = tuple(window_dimensions)
    ones = (1,) * len(sizes)
    strides = ones if window_strides is None else tuple(window_strides)
    base = ones if base_dilation is None else tuple(base_dilation)
    dilation = ones if window_dilation is None else tuple(window_dilation)
    if isinstance(padding, str):
        dilated_sizes = tuple(_dilated(size, step) for size, step in zip(sizes, dilation, strict=False))
        padding = padtype_to_pads(shape, dilated_sizes, strides, padding)
    return Window(sizes, strides, tuple((low, high) for low, high in padding), base, dilation)


def _dilated(size: int, step: int) -> int:
    return 0 if size == 0 else 1 + step * (size - 1)


def padtype_to_pads(in_shape, window_shape, window_strides, padding):
    """The padding before and after each axis that ``"SAME"``, ``"SAME_LOWER"`` or ``"VALID"`` stands for."""
    kind = padding.upper() if isinstance(padding, str) else getattr(padding, "name", padding)
    if kind == "VALID":
        return [(0, 0)] * len(in_shape)
    if kind not in ("SAME", "SAME_LOWER"):
        raise RuntimeError(
            f"Unrecognized padding type: expected 'VALID', 'SAME', or 'SAME_LOWER', got {padding}."
        )
    steps = -(-np.asarray(in_shape) // np.asarray(window_strides))
    missing = np.maximum(0, (steps - 1) * window_strides + window_shape - in_shape).astype(int).tolist()
    if kind == "SAME":
        return [(total // 2, total - total // 2) for total in missing]
    return [(total - total // 2, total // 2) for total in missing]


def reduce_window_shape_tuple(
    operand_shape, window_dimensions, window_strides, padding, base_dilation=None, window_dilation=None
):
    """The shape of a reduction over sliding windows."""
    sizes = np.asarray(operand_shape)
    if base_dilation is not None:
        _check_dilation(base_dilation)
        sizes = np.array([_dilated(size, step) for size, step in zip(sizes, base_dilation, strict=True)])
    window = np.asarray(window_dimensions)
    if window_dilation is not None:
        _check_dilation(window_dilation)
        window = np.array([_dilated(size, step) for size, step in zip(window, window_dilation, strict=True)])
    padded = sizes + np.sum(np.asarray(padding).reshape(-1, 2), axis=1)
    steps = (padded - window) // np.asarray(window_strides) + 1
    return tuple(np.maximum(steps, 0).astype(int).tolist())


def _check_dilation(dilation: Sequence[int]) -> None:
    if not all(step > 0 for step in dilation):
        raise TypeError(f"All dilations must be positive, got {tuple(dilation)}.")


def window_shape(operand: ShapedArray, window: Window) -> tuple[int, ...]:
    """The shape of a reduction of ``operand`` over windows.

    Raises:
        TypeError: the window does not fit the operand, or has sizes that are not positive.
    """
    name, sizes = "reduce_window", window.window_dimensions
    _check_positive(name, "window_dimensions", sizes)
    _check_positive(name, "window_strides", window.window_strides)
    if operand.ndim != len(sizes):
        raise TypeError(
            f"{name} got the wrong number of window_dimensions for operand: got operand shape {operand.shape} "
            f"with window_dimensions {sizes}."
        )
    for what in ("window_strides", "base_dilation", "window_dilation"):
        values = getattr(window, what)
        if len(values) != len(sizes):
            raise TypeError(
                f"{name} got inconsistent {what} and window_dimensions: "
                f"got {what} {values} and window_dimensions {sizes}."
            )
    if len(window.padding) != len(sizes):
        raise ValueError(
            f"safe_zip() argument 1 has length {len(window.padding)} but argument 0 has length {len(sizes)}. "
            f"All lengths: ({len(sizes)}, {len(window.padding)})"
        )
    return reduce_window_shape_tuple(
        operand.shape,
        sizes,
        window.window_strides,
        window.padding,
        window.base_dilation,
        window.window_dilation,
    )


def _check_positive(name: str, what: str, values: Sequence[Any]) -> None:
    check_nonnegative(name, what, [1 if isinstance(value, int | np.integer) else value for value in values])
    if not all(value > 0 for value in values):
        raise TypeError(f"{name} {what} must have every element be strictly positive, got {values}.")


def batched_window(window: Window, d: int) -> Window:
    """The window for an operand with a mapped axis at ``d``."""
    fillers = Window((1,), (1,), ((0, 0),), (1,), (1,))
    fields: Any = ((*field[:d], *extra, *field[d:]) for field, extra in zip(window, fillers, strict=True))
    return Window(*fields)


def build_reduce_window(
    outs: Sequence[ShapedArray],
    operands: Sequence[ir.Value],
    inits: Sequence[ir.Value],
    window: Window,
    emit: Callable[..., Sequence[ir.Value]],
) -> list[ir.Value]:
    """A ``stablehlo.reduce_window``; ``emit`` gets the accumulated scalars and then the new ones."""
    op = hlo.ReduceWindowOp(
        [ir_type(out) for out in outs],
        list(operands),
        list(inits),
        dense_ints(window.window_dimensions),
        window_strides=dense_ints(window.window_strides),
        base_dilations=dense_ints(window.base_dilation),
        window_dilations=dense_ints(window.window_dilation),
        padding=pairs_attr(window.padding),
    )
    body = open_block(op.regions[0], *[init.type for init in inits] * 2)
    with ir.InsertionPoint(body):
        hlo.return_(list(emit(*body.arguments)))
    return list(op.results)


def pairs_attr(pairs: Pairs) -> ir.Attribute:
    return ir.DenseIntElementsAttr.get(np.asarray(pairs, np.int64).reshape(len(pairs), 2))  # pyright: ignore[reportCallIssue, reportArgumentType]


# reduce_window_sum, reduce_window_max, reduce_window_min


def windowed_abstract(operand: ShapedArray, **window) -> ShapedArray:
    return operand.update(shape=window_shape(operand, Window(**window)))


def _sum_abstract(operand: ShapedArray, **window) -> ShapedArray:
    if not dtypes.issubdtype(operand.dtype, np.number):
        raise TypeError(f"operand to reduce_window_sum must have a number dtype, got {operand.dtype}")
    return windowed_abstract(operand, **window)


def windowed_lower(
    combine: Callable[..., ir.Value], identity: Callable[[Any], Any]
) -> Callable[..., ir.Value]:
    """The rule of a windowed reduction by one operation; its initial value is broadcast to a scalar, as JAX's."""

    def lower(ctx: LoweringContext, operand: ir.Value, **window) -> ir.Value:
        (out,) = ctx.avals_out
        scalar = ShapedArray((), out.dtype)
        init = hlo.broadcast_in_dim(ir_type(scalar), constant(identity(out.dtype), scalar), dense_ints(()))
        return build_reduce_window([out], [operand], [init], Window(**window), lambda *s: [combine(*s)])[0]

    return lower


def windowed_batch(prim: Callable[[], Primitive]) -> Callable[..., Any]:
    def batch(args, dims, **window):
        """The same reduction with windows of size one along the mapped axis."""
        (operand,), (d,) = args, dims
        return prim().bind(operand, **batched_window(Window(**window), d)._asdict()), d

    return batch


def _reduce_window_sum_transpose(ct, operand, **params):
    """The windowed sum of ``ct``, spread out so that each element meets the windows it was in."""
    if type(ct) is Zero:
        return [None]
    window = Window(**params)
    shape = operand.aval.shape
    pads = _transposed_padding(shape, ct.shape, window)
    config = [(low, high, step - 1) for (low, high), step in zip(pads, window.window_strides, strict=True)]
    spread = pad(ct, ct.dtype.type(0), config)
    ones = (1,) * len(shape)
    back = Window(
        window.window_dimensions, window.base_dilation, ((0, 0),) * len(shape), ones, window.window_dilation
    )
    return [reduce_window_sum_p.bind(spread, **back._asdict())]


def _transposed_padding(in_shape: Any, out_shape: Any, window: Window) -> list[tuple[Any, Any]]:
    """The padding of a cotangent under which the same window slides back over it."""
    sizes = np.array(
        [_dilated(*pair) for pair in zip(window.window_dimensions, window.window_dilation, strict=True)]
    )
    ins = np.array([_dilated(*pair) for pair in zip(in_shape, window.base_dilation, strict=True)])
    outs = np.array([_dilated(*pair) for pair in zip(out_shape, window.window_strides, strict=True)])
    low = sizes - np.array([before for before, _ in window.padding]) - 1
    high = ins + sizes - 1 - outs - low
    return list(zip(low, high, strict=True))


reduce_window_sum_p = define(
    "reduce_window_sum",
    abstract=_sum_abstract,
    lower=windowed_lower(lambda a, b: hlo.add(a, b), lambda dtype: dtype.type(0)),
    jvp=linear_jvp,
    transpose=_reduce_window_sum_transpose,
    batch=windowed_batch(lambda: reduce_window_sum_p),
)
