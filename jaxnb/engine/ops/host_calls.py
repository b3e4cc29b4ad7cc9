"""The lowering of calls from a compiled program back into Python.

Lives here: the custom call, its token and its function's checks. The primitives that call back are in
``control/callbacks.py``.
"""

from __future__ import annotations

import contextvars
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jaxnb.engine.core import dtypes
from jaxnb.engine.core.effects import Effect, ordered_debug_effect
from jaxnb.engine.ops.lowering import LoweringContext, ir_types
from jaxnb.xla.mlir import hlo, ir

__all__ = ["calling_context", "emit_host_call"]


class _Calling:
    """The context of the newest call of a program that calls back: where its output belongs."""

    context: contextvars.Context | None = None


calling_context = _Calling()


def checked(fun: Callable[..., Any], avals: Sequence[Any], name: str, n_tokens: int) -> Callable[..., tuple]:
    """Returns ``fun`` for XLA, which checks nothing: results of another number, shape or dtype become errors."""

    def host_call(*args: Any) -> tuple:
        tokens, operands = args[:n_tokens], args[n_tokens:]
        context = calling_context.context
        # One context cannot be entered twice; a nested or concurrent call runs in a copy.
        out = fun(*operands) if context is None else context.copy().run(fun, *operands)
        results = tuple(out)
        if len(results) != len(avals):
            raise RuntimeError(
                f"Mismatched number of outputs from callback. Expected: {len(avals)}, Actual: {len(results)}"
            )
        done = []
        for i, (value, aval) in enumerate(zip(results, avals, strict=True)):
            array = np.asarray(value)
            if not dtypes.is_supported(array.dtype):
                raise TypeError(
                    f"Dtype {array.dtype} is not a valid JAX array type. Only arrays of numeric types are supported by JAX."
                )
            if array.shape != aval.shape:
                raise RuntimeError(
                    f"Incorrect output shape for return value #{i}: Expected: {aval.shape}, Actual: {array.shape}"
                )
            if array.dtype != aval.dtype:
                dtype = dtypes.canonicalize_dtype(array.dtype)
                if dtype != aval.dtype:
                    raise RuntimeError(
                        f"Incorrect output dtype for return value #{i}: Expected: {aval.dtype}, Actual: {dtype}"
                    )
                array = array.astype(aval.dtype)
            done.append(np.ascontiguousarray(array).reshape(aval.shape))
        return (*tokens, *done)

    host_call.__name__ = name
    return host_call


def emit_host_call(
    ctx: LoweringContext, fun: Callable[..., Any], values: Sequence[Any], *, effect: Effect | None, name: str
) -> list[Any]:
    """Emits the call of ``fun`` on the values and returns its results' values; an ordered effect's token goes through it.

    Args:
        ctx: the equation's context; its results' types are what ``fun`` must return.
        fun: takes NumPy arrays and returns a sequence of arrays.
        values: the operands.
        effect: the effect of the call; None for a pure one.
        name: the function's name in errors.
    """
    module = ctx.module
    is_ordered = effect is not None and effect.is_ordered
    tokens = [module.tokens[effect]] if is_ordered else []
    index = len(module.callbacks)
    module.callbacks.append(checked(fun, ctx.avals_out, name, len(tokens)))
    operands = [*tokens, *values]
    types = [*([hlo.TokenType.get()] if is_ordered else []), *ir_types(ctx.avals_out)]
    attributes: dict[str, Any] = {
        "call_target_name": ir.StringAttr.get("xla_ffi_python_cpu_callback"),
        "backend_config": ir.StringAttr.get(""),
        "mhlo.backend_config": ir.DictAttr.get(
            {"index": ir.IntegerAttr.get(ir.IntegerType.get_unsigned(64), index)}
        ),
        "operand_layouts": _layouts(operands, [v.type for v in operands]),
        "result_layouts": _layouts(types, types),
    }
    if effect is not None:
        attributes["has_side_effect"] = ir.BoolAttr.get(True)
    if effect is not ordered_debug_effect:
        attributes["sdy.sharding"] = ir.Attribute.parse(_on_one_device(module, len(types)))
    call = ir.Operation.create(
        "stablehlo.custom_call", results=types, operands=operands, attributes=attributes
    )
    results = list(call.results)
    if is_ordered:
        module.tokens[effect] = results.pop(0)
    return results


def _layouts(values: Sequence[Any], types: Sequence[Any]) -> Any:
    index = ir.IndexType.get()

    def one(type_: Any) -> Any:
        rank = type_.rank if isinstance(type_, ir.RankedTensorType) else 0
        return ir.DenseIntElementsAttr.get(np.arange(rank - 1, -1, -1, dtype=np.int64), type=index)  # pyright: ignore[reportCallIssue, reportArgumentType]

    return ir.ArrayAttr.get([one(t) for t in types])


def _on_one_device(module: Any, n_results: int) -> str:
    """Returns the sharding that keeps a call on one device; its mesh is declared in the module once."""
    name = "maximal_mesh_0"
    if not module.has_single_device_mesh:
        text = (
            f"module {{ sdy.mesh @{name} = <[], device_ids=[0]> "
            "{stablehlo.mesh = {axes = [], device_ids = dense<0> : tensor<1xi64>}} loc(unknown) }"
        )
        parsed = ir.Module.parse(text)
        op = parsed.body.operations[0].operation
        op.clone(ip=ir.InsertionPoint.at_block_begin(module.module.body))
        module.has_single_device_mesh = True
    inner = ", ".join([f"<@{name}, []>"] * max(n_results, 1))
    return f"#sdy.sharding_per_value<[{inner}]>"
