"""Sums of products written as subscripts: ``einsum``, its order of operations found by opt_einsum."""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from jaxnb import lax
from jaxnb.base.lazy import lazy_module
from jaxnb.engine.api.jit import jit
from jaxnb.engine.core import dtypes
from jaxnb.engine.ops.conversion import convert
from jaxnb.numpy.arguments import check_arraylike, ensure_arraylike
from jaxnb.numpy.reductions import refuse_out

if TYPE_CHECKING:
    import opt_einsum
else:
    opt_einsum = lazy_module("opt_einsum")

Contraction = tuple[tuple[int, ...], frozenset, str]
"""The operands' places, the names summed over, and the subscripts of one step."""


class _Shaped(NamedTuple):
    """What the search for an order needs to know of an operand."""

    shape: tuple[int, ...]


def _contractions(
    subscripts: Any, operands: Sequence[Any], optimize: Any
) -> tuple[list[Any], tuple[Contraction, ...]]:
    """The operands in the order of the subscripts, and the steps."""
    known: dict[int, Any] = {}
    asked = []
    for x in (subscripts, *operands):
        # Subscripts are a string that comes first, or lists that stand between the operands.
        if isinstance(x, list | tuple) if not isinstance(subscripts, str) else x is subscripts:
            asked.append(x)
        else:
            shaped = _Shaped(np.shape(x))
            known[id(shaped)] = x
            asked.append(shaped)
    if optimize is True:
        optimize = "optimal"
    elif optimize is False:  # from left to right, in pairs
        optimize = [(0, 1)] * (len(known) - 1) if len(known) > 1 else [(0,)]
    contract: Any = opt_einsum.contract_path  # its types say nothing of einsum_call
    found, steps = contract(*asked, einsum_call=True, use_blas=True, optimize=optimize)
    arrays = [known[id(shaped)] for shaped in found]
    return arrays, tuple((tuple(places), frozenset(names), text) for places, names, text, *_ in steps)


def einsum(
    subscripts,
    /,
    *operands,
    out=None,
    optimize="auto",
    precision=None,
    preferred_element_type=None,
    _dot_general=lax.dot_general,
    out_sharding=None,
):
    """The sum of products that the subscripts say.

    Args:
        subscripts: for example ``"bij,bjk->bik"``; or an array, followed by its list of axes, and so on.
        operands: arrays.
        out: not supported.
        optimize: how the order of operations is found: a name that opt_einsum knows, a truth value, or a path.
        precision: as that of ``dot``.
        preferred_element_type: element type of the result.
        out_sharding: how the result is sharded.
    """
    refuse_out("einsum", out)
    arrays, steps = _contractions(subscripts, operands, optimize)
    if preferred_element_type is not None:
        preferred_element_type = dtypes.check_user_dtype_supported(preferred_element_type, "einsum")
    return _einsum(arrays, steps, precision, preferred_element_type, _dot_general, out_sharding)


def einsum_path(subscripts, /, *operands, optimize="auto"):
    """The order in which ``einsum`` would take its operands, and a table of what it costs."""
    if isinstance(optimize, bool):
        optimize = "optimal" if optimize else [tuple(range(len(operands)))]
    return opt_einsum.contract_path(subscripts, *operands, optimize=optimize)  # pyright: ignore[reportCallIssue, reportArgumentType]


@functools.partial(jit, static_argnums=(1, 2, 3, 4, 5), inline=True)
def _einsum(operands, steps, precision, preferred, dot_general, out_sharding):
    check_arraylike("einsum", *operands)
    if preferred is None:
        preferred, weak = dtypes.result_type(*operands, return_weak_type_flag=True)
    else:
        weak = False
    stack = [ensure_arraylike("einsum", x) for x in operands]
    for places, summed, text in steps:
        inputs, output = text.split("->")
        names = inputs.split(",")
        taken = [stack.pop(place) for place in places]
        if len(taken) == 1:
            x, left = _sum_alone(taken[0], names[0], summed, output, preferred)
        elif len(taken) == 2:
            x, left = _product(
                taken,
                names,
                summed,
                output,
                precision,
                preferred,
                functools.partial(dot_general, out_sharding=out_sharding),
            )
        else:
            raise NotImplementedError  # opt_einsum makes pairs
        if left != output:
            x = lax.transpose(x, tuple(left.index(name) for name in output))
        stack.append(x)
    return convert(stack[0], preferred, weak)


def _sum(x: Any, axes: Sequence[int], preferred: Any) -> Any:
    dtype = dtypes.promote_types(x.dtype, preferred)
    x = lax.convert_element_type(x, dtype)
    return lax.reduce_or(x, axes) if dtype == np.bool_ else lax.reduce_sum(x, axes)


def _sum_unique(x: Any, names: str, unique: Sequence[str], preferred: Any) -> tuple[Any, str]:
    if not unique:
        return x, names
    x = _sum(x, tuple(names.index(name) for name in unique), preferred)
    return x, "".join(name for name in names if name not in unique)


def _sum_repeated(x: Any, names: str, kept: str, preferred: Any) -> tuple[Any, str]:
    """The sums over diagonals; of a name that is kept, the last axis stays."""
    for name, count in Counter(names).items():
        if count < 2:
            continue
        axes = [i for i, other in enumerate(names) if other == name]
        x = lax.select(_diagonal(x.shape, axes), x, lax.full_like(x, 0))
        gone = axes[:-1] if name in kept else axes
        x = _sum(x, gone, preferred)
        names = "".join(other for i, other in enumerate(names) if i not in gone)
    return x, names


def _diagonal(shape: Sequence[int], axes: Sequence[int]) -> Any:
    """True where the indices along all ``axes`` are equal."""
    sizes = tuple(shape[axis] for axis in axes)
    indices = [lax.broadcasted_iota(np.uint32, sizes, i) for i in range(len(axes))]
    equal = [lax.eq(i, j) for i, j in itertools.pairwise(indices)]
    mask = functools.reduce(lax.bitwise_and, equal)
    return lax.broadcast_in_dim(mask, tuple(shape), axes)


def _sum_alone(x: Any, names: str, summed: frozenset, output: str, preferred: Any) -> tuple[Any, str]:
    counts = Counter(names)
    unique = [name for name in names if name in summed and counts[name] == 1]
    x, names = _sum_unique(x, names, unique, preferred)
    return _sum_repeated(x, names, output, preferred)


def _without_stretched(x: Any, names: str, other: Any, other_names: str) -> tuple[Any, str]:
    """``x`` without the axes of size one whose counterpart in the other operand is wider."""
    sizes = dict(zip(other_names, other.shape, strict=True))
    keep = [not (size == 1 and sizes.get(name, 1) != 1) for name, size in zip(names, x.shape, strict=True)]
    gone = tuple(i for i, kept in enumerate(keep) if not kept)
    return lax.squeeze(x, gone), "".join(name for name, kept in zip(names, keep, strict=True) if kept)


def _product(
    operands: Sequence[Any],
    names: Sequence[str],
    summed: frozenset,
    output: str,
    precision: Any,
    preferred: Any,
    dot: Any,
) -> tuple[Any, str]:
    """The product of two operands as one ``dot_general``; names that only one has are summed out first."""
    (lhs, rhs), (lhs_names, rhs_names) = operands, names
    (lhs, lhs_names), (rhs, rhs_names) = (
        _without_stretched(lhs, lhs_names, rhs, rhs_names),
        _without_stretched(rhs, rhs_names, lhs, lhs_names),
    )
    order = sorted(summed)
    lhs_counts, rhs_counts = Counter(lhs_names), Counter(rhs_names)
    lhs_unique = [name for name in order if lhs_counts[name] == 1 and rhs_counts[name] == 0]
    lhs, lhs_names = _sum_unique(lhs, lhs_names, lhs_unique, preferred)
    rhs_unique = [name for name in order if rhs_counts[name] == 1 and lhs_counts[name] == 0]
    rhs, rhs_names = _sum_unique(rhs, rhs_names, rhs_unique, preferred)
    lhs, lhs_names = _sum_repeated(lhs, lhs_names, output + rhs_names, preferred)
    rhs, rhs_names = _sum_repeated(rhs, rhs_names, output + lhs_names, preferred)
    contracted = [name for name in order if name in lhs_names and name in rhs_names]
    batch = [name for name in output if name in lhs_names and name in rhs_names]
    axes = tuple(
        tuple(tuple(side.index(name) for name in group) for side in (lhs_names, rhs_names))
        for group in (contracted, batch)
    )
    taken = {*contracted, *batch}
    lhs_left = "".join(name for name in lhs_names if name not in taken)
    rhs_left = "".join(name for name in rhs_names if name not in taken)
    left = "".join(batch) + rhs_left + lhs_left
    if left == output:
        numbers = tuple((second, first) for first, second in axes)
        return dot(rhs, lhs, numbers, precision=precision, preferred_element_type=preferred), left
    left = "".join(batch) + lhs_left + rhs_left
    return dot(lhs, rhs, axes, precision=precision, preferred_element_type=preferred), left
