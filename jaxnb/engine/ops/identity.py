"""Operations that change no value, only what the compiler or a derivative sees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jaxnb.engine.core import dtypes
from jaxnb.engine.core.ad import Zero
from jaxnb.engine.core.avals import get_aval
from jaxnb.engine.core.rules import define, instantiate_zeros, linear_jvp, per_operand
from jaxnb.engine.ops.elementwise import not_linear, unary_batch
from jaxnb.xla import pytree
from jaxnb.xla.mlir import hlo
from jaxnb.xla.version import JAXLIB_VERSION

stop_gradient_p = define(
    "stop_gradient",
    abstract=lambda x: x,
    lower=lambda ctx, x: x,
    jvp=per_operand(None),
    transpose=not_linear,
    batch=unary_batch(lambda: stop_gradient_p),
    doc="the operand, constant to derivatives",
)


def stop_gradient(x):
    """The operand (a tree of arrays), taken as constant by derivatives."""
    leaves, treedef = pytree.flatten(x)
    return pytree.unflatten(treedef, [_stop_leaf(leaf) for leaf in leaves])


def _stop_leaf(x: Any) -> Any:
    try:
        aval = get_aval(x)
    except TypeError:
        raise TypeError(f"Argument '{x}' of type {type(x)} is not a valid JAX type") from None
    return x if dtypes.is_extended(getattr(aval, "dtype", None)) else stop_gradient_p.bind(x)


_LEAVES_OUT_ZEROS = JAXLIB_VERSION >= (0, 12)


def _bind_nonzero(values: Sequence[Any]) -> list[Any]:
    """The values behind a barrier, symbolic zeros left as they are."""
    behind = iter(optimization_barrier_p.bind(*(v for v in values if type(v) is not Zero)))
    return [v if type(v) is Zero else next(behind) for v in values]


def _barrier_jvp(primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
    """The tangents behind a barrier of their own."""
    out = optimization_barrier_p.bind(*primals)
    return out, _bind_nonzero(tangents)


def _barrier_transpose(cts: Sequence[Any], *operands: Any) -> list[Any]:
    """The cotangents behind a barrier of their own."""
    if all(type(ct) is Zero for ct in cts):
        return [None] * len(operands)
    if _LEAVES_OUT_ZEROS:
        return _bind_nonzero(cts)
    return optimization_barrier_p.bind(*(instantiate_zeros(ct) for ct in cts))


def _barrier_batch(args: Sequence[Any], dims: Sequence[int | None]) -> tuple[Any, Any]:
    return optimization_barrier_p.bind(*args), dims


optimization_barrier_p = define(
    "optimization_barrier",
    abstract=lambda *avals: list(avals),
    lower=lambda ctx, *values: list(hlo.OptimizationBarrierOp(values).results),
    jvp=_barrier_jvp if _LEAVES_OUT_ZEROS else linear_jvp,
    transpose=_barrier_transpose,
    batch=_barrier_batch,
    multiple_results=True,
    doc="the operands; the compiler moves nothing across and computes all of them before any use",
)


def optimization_barrier(operand, /):
    """The operand (a tree of arrays), behind a line that the compiler moves nothing across."""
    leaves, treedef = pytree.flatten(operand)
    return pytree.unflatten(treedef, optimization_barrier_p.bind(*leaves))
