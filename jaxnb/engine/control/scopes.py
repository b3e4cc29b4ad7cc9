"""Name stacks of programs inside programs, as locations in modules say them."""

from __future__ import annotations

from jaxnb.engine.core.source import empty_name_stack
from jaxnb.engine.ops.lowering import LoweringContext

__all__ = ["scoped"]


def scoped(ctx: LoweringContext, *names: str) -> LoweringContext:
    """Returns the context of an equation with more scopes on its name stack."""
    stack = ctx.name_stack or empty_name_stack
    for name in names:
        stack = stack.extend(name)
    return LoweringContext(
        ctx.module, ctx.primitive, ctx.avals_in, ctx.avals_out, ctx.const_values, stack, ctx.where
    )
