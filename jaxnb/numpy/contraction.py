"""Products of vectors and matrices: dot, matmul, inner, outer, tensordot and their relatives.

Products written as subscripts are in ``einsum.py``.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from jaxnb import lax
from jaxnb.engine.api.jit import jit
from jaxnb.engine.core import dtypes
from jaxnb.engine.core.avals import get_aval
from jaxnb.engine.ops.axes import canonicalize_axis
from jaxnb.engine.ops.conversion import convert
from jaxnb.engine.ops.shape import broadcast_to_rank
from jaxnb.numpy.arguments import check_arraylike, ensure_arraylike, promote_dtypes
from jaxnb.numpy.arithmetic import minus, times
from jaxnb.numpy.reductions import refuse_out, sum
from jaxnb.numpy.selection import choose
from jaxnb.numpy.shapes import moveaxis
from jaxnb.numpy.vectorizing import vectorize
from jaxnb.xla.version import JAXLIB_VERSION

_jit_product = functools.partial(
    jit, static_argnames=("precision", "preferred_element_type", "out_sharding"), inline=True
)
_CROSS_TAKES_PLANES = JAXLIB_VERSION < (0, 12)


def _result_type(a: Any, b: Any, preferred: Any, name: str) -> tuple[Any, bool]:
    """The type the product is asked for, and whether the result's is weak."""
    if preferred is None:
        return dtypes.result_type(a, b, return_weak_type_flag=True)
    return dtypes.check_user_dtype_supported(preferred, name), False


def _product(
    a: Any, b: Any, numbers: Any, precision: Any, preferred: Any, weak: bool, out_sharding: Any = None
) -> Any:
    out = lax.dot_general(
        a, b, numbers, precision=precision, preferred_element_type=preferred, out_sharding=out_sharding
    )
    return convert(out, preferred, weak)


@_jit_product
def dot(a, b, *, precision=None, preferred_element_type=None, out_sharding=None):
    """The sum of products over the last axis of ``a`` and the last but one of ``b`` (its only one)."""
    a, b = ensure_arraylike("dot", a, b)
    preferred, weak = _result_type(a, b, preferred_element_type, "dot")
    if a.ndim == 0 or b.ndim == 0:
        contracting: tuple[Any, Any] = ((), ())
    else:
        contracting = ((a.ndim - 1,), (b.ndim - 1 if b.ndim == 1 else b.ndim - 2,))
    return _product(a, b, (contracting, ((), ())), precision, preferred, weak, out_sharding)


@_jit_product
def matmul(a, b, *, precision=None, preferred_element_type=None, out_sharding=None):
    """The product of matrices in the last two axes, the other axes broadcast; vectors are rows or columns."""
    a, b = ensure_arraylike("matmul", a, b)
    for i, x in enumerate((a, b)):
        if x.ndim < 1:
            raise ValueError(f"matmul input operand {i} must have ndim at least 1, but it has ndim {x.ndim}")
    preferred, weak = _result_type(a, b, preferred_element_type, "matmul")
    a_matrix, b_matrix = a.ndim > 1, b.ndim > 1
    a_batch, b_batch = a.shape[:-2], b.shape[:-2]
    rank = len(a_batch) if len(a_batch) > len(b_batch) else len(b_batch)
    plan = _batch_plan(a, b, rank)
    squeezed_a = lax.squeeze(a, tuple(plan.squeezed_a))
    squeezed_b = lax.squeeze(b, tuple(plan.squeezed_b))
    contracting = ((squeezed_a.ndim - 1,), (squeezed_b.ndim - 1 - b_matrix,))
    out = lax.dot_general(
        squeezed_a,
        squeezed_b,
        (contracting, (tuple(plan.a_shared), tuple(plan.b_shared))),
        precision=precision,
        preferred_element_type=preferred,
        out_sharding=out_sharding,
    )
    # The product has shared axes, then a's others and its row, then b's others and its column.
    places = [*plan.shared, *plan.a_alone, *([rank] if a_matrix else []), *plan.b_alone]
    places += [rank + a_matrix] if b_matrix else []
    out = lax.transpose(out, tuple(int(i) for i in np.argsort(places)))
    out = lax.expand_dims(out, plan.ones)
    return convert(out, preferred, weak)


class _BatchPlan:
    """Which batch axes of a product of matrices are shared, belong to one operand, or have size one in both."""

    def __init__(self) -> None:
        self.shared: list[int] = []
        self.a_shared: list[int] = []
        self.b_shared: list[int] = []
        self.a_alone: list[int] = []
        self.b_alone: list[int] = []
        self.squeezed_a: list[int] = []
        self.squeezed_b: list[int] = []
        self.ones: list[int] = []


def _batch_plan(a: Any, b: Any, rank: int) -> _BatchPlan:
    plan = _BatchPlan()
    a_axis = b_axis = 0  # the next axis in the squeezed operands
    for i in range(rank):
        at_a = i - (rank - (a.ndim - 2 if a.ndim > 2 else 0))
        at_b = i - (rank - (b.ndim - 2 if b.ndim > 2 else 0))
        size_a = a.shape[at_a] if at_a >= 0 else None
        size_b = b.shape[at_b] if at_b >= 0 else None
        if size_a == 1 and size_b == 1:
            plan.squeezed_a.append(at_a)
            plan.squeezed_b.append(at_b)
            plan.ones.append(i)
        elif size_b is None or (size_b == 1 and size_a is not None):
            plan.a_alone.append(i)
            a_axis += 1
            if size_b == 1:
                plan.squeezed_b.append(at_b)
        elif size_a is None or size_a == 1:
            plan.b_alone.append(i)
            b_axis += 1
            if size_a == 1:
                plan.squeezed_a.append(at_a)
        elif size_a == size_b:
            plan.shared.append(i)
            plan.a_shared.append(a_axis)
            plan.b_shared.append(b_axis)
            a_axis += 1
            b_axis += 1
        else:
            types = " and ".join(get_aval(x).str_short() for x in (a, b))
            raise ValueError(f"Incompatible types for matmul arguments: {types}")
    return plan


@functools.partial(jit, static_argnames=("precision", "preferred_element_type"), inline=True)
def vdot(a, b, *, precision=None, preferred_element_type=None):
    """The product of two flattened arrays, the first one conjugated."""
    a, b = ensure_arraylike("vdot", a, b)
    if dtypes.issubdtype(a.dtype, np.complexfloating):
        a = lax.conj(a)
    flat = [lax.reshape(x, (x.size,)) for x in (a, b)]
    return dot(*flat, precision=precision, preferred_element_type=preferred_element_type)


@functools.partial(jit, static_argnames=("axis", "precision", "preferred_element_type"), inline=True)
def _vecdot(x1, x2, /, *, axis=-1, precision=None, preferred_element_type=None):
    x1, x2 = ensure_arraylike("jnp.vecdot", x1, x2)
    if x1.shape[axis] != x2.shape[axis]:
        raise ValueError(f"axes must match; got shapes {x1.shape} and {x2.shape} with axis={axis}")
    x1, x2 = moveaxis(x1, axis, -1), moveaxis(x2, axis, -1)
    product = functools.partial(vdot, precision=precision, preferred_element_type=preferred_element_type)
    return vectorize(product, signature="(n),(n)->()")(x1, x2)


def vecdot(x1, x2, /, *, axis=-1, precision=None, preferred_element_type=None):
    """The products of vectors along an axis, the first one conjugated, the other axes broadcast."""
    return _vecdot(x1, x2, axis=axis, precision=precision, preferred_element_type=preferred_element_type)


@jit
def matvec(x1, x2, /):
    """The products of matrices ``x1: f32[*b, n, m]`` and vectors ``x2: f32[*b, m]``."""
    check_arraylike("matvec", x1, x2)
    return vectorize(matmul, signature="(n,m),(m)->(n)")(x1, x2)


@jit
def vecmat(x1, x2, /):
    """The products of vectors ``x1: f32[*b, n]``, conjugated, and matrices ``x2: f32[*b, n, m]``."""
    x1, x2 = ensure_arraylike("matvec", x1, x2)  # the oracle's word
    if dtypes.issubdtype(x1.dtype, np.complexfloating):
        x1 = lax.conj(x1)
    return vectorize(matmul, signature="(n),(n,m)->(m)")(x1, x2)


@functools.partial(
    jit, static_argnames=("axes", "precision", "preferred_element_type", "out_sharding"), inline=True
)
def _tensordot(a, b, axes=2, *, precision=None, preferred_element_type=None, out_sharding=None):
    a, b = ensure_arraylike("tensordot", a, b)
    preferred, weak = _result_type(a, b, preferred_element_type, "tensordot")
    contracting = _tensordot_axes(a, b, axes)
    return _product(a, b, (contracting, ((), ())), precision, preferred, weak, out_sharding)


def _tensordot_axes(a: Any, b: Any, axes: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    if isinstance(axes, int | np.integer):
        count = int(axes)
        if count > (a.ndim if a.ndim < b.ndim else b.ndim):
            raise TypeError(
                f"Number of tensordot axes (axes {count}) exceeds input ranks ({a.shape} and {b.shape})"
            )
        return tuple(range(a.ndim - count, a.ndim)), tuple(range(count))
    if isinstance(axes, tuple | list) and len(axes) == 2:
        first, second = axes
        if isinstance(first, tuple | list) and isinstance(second, tuple | list):
            if len(first) != len(second):
                raise TypeError(
                    f"tensordot requires axes lists to have equal length, got {tuple(first)} and {tuple(second)}."
                )
            return (
                tuple(canonicalize_axis(i, a.ndim) for i in first),
                tuple(canonicalize_axis(i, b.ndim) for i in second),
            )
        if isinstance(first, int | np.integer) and isinstance(second, int | np.integer):
            return (canonicalize_axis(first, a.ndim),), (canonicalize_axis(second, b.ndim),)
    raise TypeError(
        "tensordot axes argument must be an int, a pair of ints, or a pair of lists/tuples of ints."
    )


def _hashable(axes: Any) -> Any:
    return (
        tuple(_hashable(i) for i in axes)
        if isinstance(axes, Sequence) and not isinstance(axes, str)
        else axes
    )


def tensordot(a, b, axes=2, *, precision=None, preferred_element_type=None, out_sharding=None):
    """The sum of products over a number of axes, or over pairs of axes."""
    return _tensordot(
        a,
        b,
        axes=_hashable(axes),
        precision=precision,
        preferred_element_type=preferred_element_type,
        out_sharding=out_sharding,
    )


@functools.partial(jit, static_argnames=("precision", "preferred_element_type"), inline=True)
def inner(a, b, *, precision=None, preferred_element_type=None):
    """The sum of products over the last axes."""
    a, b = ensure_arraylike("inner", a, b)
    if a.ndim == 0 or b.ndim == 0:
        if preferred_element_type is not None:
            a, b = (convert(x, preferred_element_type) for x in (a, b))
        a, b = promote_dtypes(a, b)
        return lax.mul(a, b)
    axes: Any = (a.ndim - 1, b.ndim - 1)
    return tensordot(a, b, axes, precision=precision, preferred_element_type=preferred_element_type)


@functools.partial(jit, inline=True)
def outer(a, b, out=None):
    """The products of each element of one flattened array with each of another."""
    refuse_out("outer", out)
    check_arraylike("outer", a, b)
    a, b = promote_dtypes(a, b)
    column = lax.expand_dims(lax.reshape(a, (a.size,)), (1,))
    row = lax.expand_dims(lax.reshape(b, (b.size,)), (0,))
    return times(column, row)


@jit
def kron(a, b):
    """The Kronecker product: blocks of ``b``, each times an element of ``a``."""
    check_arraylike("kron", a, b)
    a, b = promote_dtypes(a, b)
    rank = a.ndim if a.ndim > b.ndim else b.ndim
    a, b = broadcast_to_rank(a, rank), broadcast_to_rank(b, rank)
    blocks = lax.expand_dims(a, range(1, 2 * rank, 2))
    inside = lax.expand_dims(b, range(0, 2 * rank, 2))
    shape = [m * n for m, n in zip(a.shape, b.shape, strict=True)]
    return lax.reshape(lax.mul(blocks, inside), shape)


@functools.partial(jit, static_argnames=("axisa", "axisb", "axisc", "axis"))
def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """The cross products of vectors in space along an axis (and, in older versions, in the plane)."""
    check_arraylike("cross", a, b)
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = moveaxis(a, axisa, -1), moveaxis(b, axisb, -1)
    if _CROSS_TAKES_PLANES:
        if a.shape[-1] not in (2, 3) or b.shape[-1] not in (2, 3):
            raise ValueError("Dimension must be either 2 or 3 for cross product")
        if a.shape[-1] == 2 and b.shape[-1] == 2:
            first = times(_component(a, 0), _component(b, 1))
            return minus(first, times(_component(a, 1), _component(b, 0)))
    elif a.shape[-1] != 3 or b.shape[-1] != 3:
        raise ValueError("Dimension must be 3 for cross product")
    a0, a1, a2 = _components(a)
    b0, b1, b2 = _components(b)
    parts = (
        minus(times(a1, b2), times(a2, b1)),
        minus(times(a2, b0), times(a0, b2)),
        minus(times(a0, b1), times(a1, b0)),
    )
    stacked = lax.concatenate([lax.expand_dims(part, (0,)) for part in parts], 0)
    return moveaxis(stacked, 0, axisc)


def _component(x: Any, i: int) -> Any:
    """The ``i``-th numbers along the last axis."""
    start, limit = [0] * x.ndim, list(x.shape)
    start[-1], limit[-1] = i, i + 1
    return lax.squeeze(lax.slice(x, start, limit), (x.ndim - 1,))


def _components(x: Any) -> tuple[Any, Any, Any]:
    """The three components along the last axis; a vector in the plane has a zero."""
    first, second = _component(x, 0), _component(x, 1)
    return first, second, lax.full_like(first, 0) if x.shape[-1] == 2 else _component(x, 2)


@functools.partial(jit, static_argnames=("axis1", "axis2", "dtype"))
def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    """The sums along diagonals of the matrices in two axes."""
    a = ensure_arraylike("trace", a)
    refuse_out("trace", out)
    if dtype is not None:
        dtype = dtypes.check_user_dtype_supported(dtype, "trace")
    a = moveaxis(a, (canonicalize_axis(axis1, a.ndim), canonicalize_axis(axis2, a.ndim)), (-2, -1))
    index = dtypes.canonicalize_dtype(np.int64)
    shape = a.shape[-2:]
    row, column = (lax.broadcasted_iota(index, shape, i) for i in range(2))
    on_diagonal = lax.eq(lax.add(row, lax.convert_element_type(offset, index)), column)
    kept = choose(on_diagonal, a, lax.full_like(a, 0))
    return sum(kept, axis=(-2, -1), dtype=dtype)
