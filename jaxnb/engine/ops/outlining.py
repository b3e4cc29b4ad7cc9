"""Lowering rules whose operations stand in a function of their own, called once for each use.

Must not know what any primitive means.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from jaxnb.engine.ops.locations import body_context, body_location, call_location, function_location
from jaxnb.engine.ops.lowering import LoweringContext, ir_types
from jaxnb.xla.mlir import func, ir

LoweringRule = Callable[..., Any]


def outlined(rule: LoweringRule) -> LoweringRule:
    """A rule that calls a private function, named after the primitive, in which ``rule`` has emitted its operations.

    Uses of one primitive with equal types and parameters share the function.
    """

    def lower(ctx: LoweringContext, *values: ir.Value, **params: Any) -> Any:
        key = (rule, tuple(ctx.avals_in), tuple(sorted(params.items())))
        functions = ctx.module.functions
        function = functions.get(key)
        if function is None:
            function = functions[key] = _build(ctx, rule, values, params)
        with call_location(ctx):
            call = func.CallOp(
                ir_types(ctx.avals_out),
                ir.FlatSymbolRefAttr.get(ir.StringAttr(function.name).value),
                [*_first(ctx), *values],
            )
        return list(call.results)

    return lower


def _build(
    ctx: LoweringContext, rule: LoweringRule, values: Sequence[ir.Value], params: dict[str, Any]
) -> Any:
    first = _first(ctx)
    signature = ir.FunctionType.get([value.type for value in (*first, *values)], ir_types(ctx.avals_out))
    with ir.InsertionPoint(ctx.module.module.body), function_location(ctx):
        function = func.FuncOp(ctx.primitive.name, signature)
        block = function.add_entry_block()
    function.attributes["sym_visibility"] = ir.StringAttr.get("private")
    ctx.module.symbols.insert(function)
    arguments = list(block.arguments)
    outer_index = ctx.module.platform_index
    if first:
        ctx.module.platform_index = arguments[0]
    try:
        with ir.InsertionPoint(block):
            with body_location(ctx):
                results = rule(body_context(ctx), *arguments[len(first) :], **params)
            with function_location(ctx):
                func.return_(results if isinstance(results, list) else [results])
    finally:
        ctx.module.platform_index = outer_index
    return function


def _first(ctx: LoweringContext) -> list[ir.Value]:
    """What every function of a module for several platforms is given first: which one it runs on."""
    index = ctx.module.platform_index
    return [] if index is None else [index]
