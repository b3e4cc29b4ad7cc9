"""Families of elementwise primitives: typing, batching and lowering rules made by functions, not by inheritance.

Lives here: `unary`, `binary` and the pieces they are made of. Must not define a primitive: those stand in the files
named after what they compute.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jaxnb.engine.core import dtypes
from jaxnb.engine.core.avals import ShapedArray, get_aval
from jaxnb.engine.core.primitive import Primitive
from jaxnb.engine.core.rules import Composite, Undefined, define, primitives
from jaxnb.engine.ops.accuracy import accuracy_attribute
from jaxnb.engine.ops.lowering import LoweringContext, constant, dense_ints, ir_type
from jaxnb.engine.ops.shape import broadcast_in_dim, expand_dims, moveaxis, reshape
from jaxnb.engine.ops.staging import stage
from jaxnb.xla.mlir import chlo, hlo, ir

# Sets, as in the oracle: error messages list the kinds in the order in which a set of these classes iterates.
_float, _complex, _int, _bool = {np.floating}, {np.complexfloating}, {np.integer}, {np.bool_}
FLOAT = tuple(_float)
COMPLEX = tuple(_complex)
INT = tuple(_int)
INEXACT = tuple(_float | _complex)
REAL = tuple(_int | _float)
NUMBER = tuple(_int | _float | _complex)
SIGNED = tuple({np.signedinteger} | _float | _complex)
BITS = tuple(_int | _bool)
ORDERED = tuple(_int | _float | _bool)
ANY = tuple(_int | _float | _complex | _bool)
PARTS = tuple({np.float32, np.float64})
CONJUGABLE = tuple({np.float32, np.float64} | _complex)

_type_names: dict[type, str] = {np.bool_: "bool"}

_numpy_names = {
    "add": "add", "sub": "subtract", "mul": "multiply", "div": "divide", "max": "maximum", "min": "minimum",
    "eq": "equal", "ne": "not_equal", "atan2": "arctan2", "nextafter": "nextafter", "select": "where",
    "shift_left": "left_shift", "shift_right_logical": "right_shift", "shift_right_arithmetic": "right_shift",
}  # fmt: skip
"""For the tip in an error: the function of jnp that promotes its arguments."""

not_linear = Undefined("the operation is not linear in any operand")


# typing


def check_dtype(name: str, aval: ShapedArray, accepted: Sequence[type], position: int | None = None) -> None:
    """Raises JAX's TypeError unless ``aval``'s dtype lies under one of ``accepted``."""
    if any(dtypes.issubdtype(aval.dtype, kind) for kind in accepted):
        return
    kinds = ", ".join(_type_names.get(kind, kind.__name__) for kind in accepted)
    got = getattr(aval.dtype, "name", str(aval.dtype))
    at = "" if position is None else f" at position {position}"
    raise TypeError(f"{name} does not accept dtype {got}{at}. Accepted dtypes{at} are subtypes of {kinds}.")


def check_same_dtypes(name: str, *avals: ShapedArray) -> None:
    """Raises JAX's TypeError unless all dtypes are equal."""
    if all(aval.dtype == avals[0].dtype for aval in avals[1:]):
        return
    got = ", ".join(str(aval.dtype) for aval in avals)
    tip = ""
    if name in _numpy_names:
        tip = f" (Tip: jnp.{_numpy_names[name]} is a similar function that does automatic type promotion on inputs)."
    raise TypeError(f"lax.{name} requires arguments to have the same dtypes, got {got}.{tip}")


def broadcast_shape(name: str, *avals: ShapedArray) -> tuple[int, ...]:
    """The shape of an elementwise result: scalars stretch, and so do axes of size one among equal ranks.

    Raises:
        TypeError: the ranks of the arrays that are no scalars differ, or sizes do.
    """
    shapes = [aval.shape for aval in avals if aval.shape]
    if not shapes:
        return ()
    if len({len(shape) for shape in shapes}) > 1:
        ranks = {len(shape) for shape in shapes}
        raise TypeError(f"{name}: arrays must have the same number of dimensions, got {ranks}")
    if all(shape == shapes[0] for shape in shapes[1:]):
        return shapes[0]
    result = []
    for sizes in zip(*shapes, strict=True):
        wide = {size for size in sizes if size != 1}
        if len(wide) > 1:
            listed = ", ".join(map(str, shapes))
            raise TypeError(f"{name} got incompatible shapes for broadcasting: {listed}.")
        result.append(wide.pop() if wide else 1)
    return tuple(result)


ResultDType = Callable[..., Any]


def unary_abstract(
    name: str, accepted: Sequence[type], result: ResultDType | None = None
) -> Callable[..., Any]:
    """A typing rule for one operand; ``result`` maps its dtype to the result's."""

    def abstract(x: ShapedArray, **params: Any) -> ShapedArray:
        check_dtype(name, x, accepted)
        return x if result is None else x.update(dtype=result(x.dtype))

    return abstract


def nary_abstract(
    name: str, accepted: Sequence[Sequence[type]], result: ResultDType | None = None, *, same: bool = True
) -> Callable[..., Any]:
    """A typing rule for several operands that broadcast: shapes, then each dtype, then equality of dtypes."""

    def abstract(*avals: ShapedArray, **params: Any) -> ShapedArray:
        shape = broadcast_shape(name, *avals)
        for position, (aval, kinds) in enumerate(zip(avals, accepted, strict=True)):
            check_dtype(name, aval, kinds, position)
        if same:
            check_same_dtypes(name, *avals)
        dtype = avals[0].dtype if result is None else result(avals[0].dtype)
        return ShapedArray(shape, dtype, all(aval.weak_type for aval in avals))

    return abstract


# batching


def broadcast_axis(x: Any, size: int, axis: int = 0) -> Any:
    """The array repeated along a new axis."""
    shape = list(np.shape(x))
    shape.insert(axis, size)
    # NumPy integers, as jaxprs show where batching made the axis
    return broadcast_in_dim(x, tuple(shape), tuple(np.delete(np.arange(len(shape)), axis)))


def axis_to_front(x: Any, d: int | None, size: int) -> Any:
    """The operand with its batch axis first; an operand without one is repeated ``size`` times."""
    return broadcast_axis(x, size) if d is None else moveaxis(x, d, 0)


def unary_batch(prim: Callable[[], Primitive]) -> Callable[..., Any]:
    """The batching rule of one operand: the batch axis stays where it is."""

    def batch(args: Sequence[Any], dims: Sequence[int], **params: Any) -> tuple[Any, int]:
        return prim().bind(args[0], **params), dims[0]

    return batch


def nary_batch(prim: Callable[[], Primitive]) -> Callable[..., Any]:
    """The batching rule of operands that broadcast.

    Where all batched operands agree in shape and axis, and the others are scalars, nothing moves. Otherwise batch axes
    come first, the others get an axis of size one there, and smaller ranks are filled up behind it.
    """

    def batch(args: Sequence[Any], dims: Sequence[int | None], **params: Any) -> tuple[Any, int]:
        shape, d = next((np.shape(x), d) for x, d in zip(args, dims, strict=True) if d is not None)
        if all(
            (np.shape(x) == shape and e == d) or (e is None and np.ndim(x) == 0)
            for x, e in zip(args, dims, strict=True)
        ):
            return prim().bind(*args, **params), d
        front = [
            x if e is None and np.ndim(x) == 0 else axis_to_front(x, e, 1)
            for x, e in zip(args, dims, strict=True)
        ]
        rank = max(np.ndim(x) for x in front)
        filled = [
            x if e is None and np.ndim(x) == 0 else _fill_rank(x, rank)
            for x, e in zip(front, dims, strict=True)
        ]
        return prim().bind(*filled, **params), 0

    return batch


def _fill_rank(x: Any, rank: int) -> Any:
    missing = rank - np.ndim(x)
    return expand_dims(x, tuple(range(np.ndim(x), np.ndim(x) + missing))) if missing else x


# differentiation


def const(x: Any, value: Any) -> Any:
    """A scalar of ``x``'s dtype, weakly typed if ``x`` is a weakly typed scalar."""
    aval = get_aval(x)
    assert isinstance(aval, ShapedArray)
    if aval.weak_type and not aval.shape:
        return dtypes.scalar_type_of(x)(value)
    return np.array(value, aval.dtype)[()]


def filled_like(x: Any, value: Any, shape: tuple[int, ...] | None = None) -> Any:
    """An array of ``x``'s shape (or ``shape``) and dtype, every element ``value``."""
    shape = np.shape(x) if shape is None else shape
    # staged, and so a value of the program: where a derivative splits, it is a residual of its own
    return broadcast_in_dim(const(x, value), shape, ()) if shape else stage(const(x, value))


def stretch(x: Any, shape: tuple[int, ...]) -> Any:
    """A tangent of an operand that was stretched, as a tangent of the result."""
    own = np.shape(x)
    if own == shape:
        return x
    if not own:
        return broadcast_in_dim(x, shape, ())
    kept = [axis for axis, (size, wide) in enumerate(zip(own, shape, strict=True)) if size == wide]
    return broadcast_in_dim(reshape(x, tuple(own[axis] for axis in kept)), shape, tuple(kept))


def unstretch(aval: ShapedArray, ct: Any) -> Any:
    """The cotangent of the result summed over the axes along which the operand was stretched."""
    shape = np.shape(ct)
    if shape == aval.shape:
        return ct
    if not aval.shape:
        return primitives["reduce_sum"].bind(ct, axes=tuple(range(len(shape))), out_sharding=None)
    axes = tuple(
        axis for axis, (size, wide) in enumerate(zip(aval.shape, shape, strict=True)) if size != wide
    )
    return reshape(primitives["reduce_sum"].bind(ct, axes=axes, out_sharding=None), aval.shape)


# lowering


def stretch_values(ctx: LoweringContext, values: Sequence[ir.Value]) -> list[ir.Value]:
    """The operands' values broadcast to the result's shape."""
    shape = ctx.avals_out[0].shape
    avals = ctx.avals_in
    for aval in avals:
        if aval.shape != shape:
            return [_stretch_value(v, aval, shape) for v, aval in zip(values, avals, strict=True)]
    return list(values)


def _stretch_value(value: ir.Value, aval: ShapedArray, shape: tuple[int, ...]) -> ir.Value:
    if aval.shape == shape:
        return value
    if not dtypes.is_extended(aval.dtype):
        return hlo.broadcast_in_dim(ir_type(aval.update(shape=shape)), value, dense_ints(range(aval.ndim)))
    extra = ir.RankedTensorType(value.type).shape[aval.ndim :]
    axes = (*range(aval.ndim), *range(len(shape), len(shape) + len(extra)))
    result = ir.RankedTensorType.get((*shape, *extra), ir.RankedTensorType(value.type).element_type)
    return hlo.broadcast_in_dim(result, value, dense_ints(axes))


def filled_value(value: Any, aval: ShapedArray) -> ir.Value:
    """A constant and its broadcast to ``aval``'s shape, a scalar's too."""
    scalar = constant(value, ShapedArray((), aval.dtype))
    return hlo.broadcast_in_dim(ir_type(aval), scalar, dense_ints(()))


def lower_to(op: str, *, dialect: str = "hlo", accuracy: bool = False) -> Callable[..., Any]:
    """A lowering rule that emits one operation of StableHLO or CHLO on the stretched operands."""
    found: list[Callable[..., Any]] = []

    def lower(ctx: LoweringContext, *values: ir.Value, **params: Any) -> ir.Value:
        if not found:
            found.append(getattr(hlo if dialect == "hlo" else chlo, op))
        build = found[0]
        out = build(*stretch_values(ctx, values))
        if not accuracy or params["accuracy"] is None:
            return out
        return build(*values, result_accuracy=accuracy_attribute(params["accuracy"]))

    return lower


def by_dtype(kind: type, rule: Any, otherwise: Any) -> Callable[..., Any]:
    """A lowering rule that chooses between two by whether the operand's dtype lies under ``kind``."""

    def lower(ctx: LoweringContext, *values: ir.Value, **params: Any) -> Any:
        chosen = rule if dtypes.issubdtype(ctx.avals_in[0].dtype, kind) else otherwise
        return chosen if isinstance(chosen, Composite) else chosen(ctx, *values, **params)

    return lower


# families


def unary(
    name: str,
    accepted: Sequence[type],
    *,
    lower: Any,
    jvp: Any,
    result: ResultDType | None = None,
    transpose: Any = not_linear,
    accuracy: bool = False,
    doc: str | None = None,
) -> Primitive:
    """Defines a primitive of one operand, its result of the same shape."""
    prim = define(
        name,
        abstract=unary_abstract(name, accepted, result),
        lower=lower_to(lower, accuracy=accuracy) if isinstance(lower, str) else lower,
        jvp=jvp,
        transpose=transpose,
        batch=unary_batch(lambda: prim),
        hide={"accuracy": None} if accuracy else None,
        doc=doc,
    )
    return prim


def nary(
    name: str,
    accepted: Sequence[Sequence[type]],
    *,
    lower: Any,
    jvp: Any,
    result: ResultDType | None = None,
    transpose: Any = not_linear,
    same: bool = True,
    hide: dict[str, Any] | None = None,
    doc: str | None = None,
) -> Primitive:
    """Defines a primitive of several operands that broadcast."""
    prim = define(
        name,
        abstract=nary_abstract(name, accepted, result, same=same),
        lower=lower_to(lower) if isinstance(lower, str) else lower,
        jvp=jvp,
        transpose=transpose,
        batch=nary_batch(lambda: prim),
        hide=hide,
        doc=doc,
    )
    return prim
