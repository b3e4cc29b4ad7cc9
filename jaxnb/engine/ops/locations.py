"""Where a module says that its operations come from: names of scopes and of primitives, and lines of Python.

JAX lowers most equations into a function of their own and copies its body to where it is used; what stands inside then
has the names and lines of both, the one within the other. Here operations are written in their place at once, and a
``Place`` says what would have been joined. What must not live here: what any primitive means.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from jaxnb.base import config
from jaxnb.engine.core import source
from jaxnb.engine.core.jaxpr import JaxprEqn
from jaxnb.engine.core.source import NameStack, SourceInfo, empty_name_stack, rule_traceback
from jaxnb.engine.ops.lowering import LoweringContext, ModuleContext
from jaxnb.xla.mlir import ir

__all__ = [
    "Place",
    "Steps",
    "body_context",
    "body_location",
    "call_location",
    "continued",
    "copied_context",
    "expanded",
    "function_location",
    "here",
    "inner_place",
    "inner_stack",
    "line_of",
    "operation_location",
    "outermost",
    "rule_place",
    "step_context",
    "steps",
]

Steps: TypeAlias = Callable[[str], Any]
"""Gives the location of a step of a rule by the step's name."""

IN_PLACE = frozenset(
    {"jit", "closed_call", "custom_vjp_call", "pure_callback", "io_callback", "debug_callback", "debug_print"}
)
"""The primitives that JAX lowers where they stand, in the scopes of their equation."""


class Place:
    """What is around a block of operations.

    Attributes:
        name: the names that stand before those of the operations; None where the block is a function's.
        callers: the lines from which the block's own were called, innermost first.
        outer: a traceback that continues those of the block's equations.
        rule: the traceback of the equation whose lowering rule is the program here; its equations have none.
    """

    __slots__ = ("callers", "name", "outer", "rule")

    def __init__(
        self, name: str | None = None, callers: tuple[Any, ...] = (), outer: Any = None, rule: Any = None
    ):
        self.name = name
        self.callers = callers
        self.outer = outer
        self.rule = rule

    def traceback_of(self, info: SourceInfo) -> Any:
        """Returns the traceback of one of the block's equations."""
        return self.rule if info.traceback is rule_traceback else info.traceback


outermost = Place()
"""The place of a function's body: a function may have many callers, so that none of them is named."""


def _joined(first: str | None, last: str) -> str:
    return f"{first}/{last}" if first and last else first or last


def _origin(mod: ModuleContext, info: SourceInfo, stack: NameStack, place: Place) -> tuple[str, Any]:
    """Returns the names of an equation's scopes, and the location of its line or None; of the place, only what continues."""
    key = (place.traceback_of(info), info.name_stack, stack, place.outer)
    found = mod.locations.get(key)
    if found is None:
        found = mod.locations[key] = _make_origin(mod, *key)
    return found


def _make_origin(
    mod: ModuleContext, traceback: Any, own: NameStack, stack: NameStack, outer: Any
) -> tuple[str, Any]:
    text = str(stack + own)
    line = line_of(mod, continued(traceback, outer))
    if line is None or config.include_full_tracebacks_in_locations.value:
        return text, line
    # What joins names takes one that stands on a line alone for that of a Python function.
    return "", ir.Location.name(text, childLoc=line) if text else line


def continued(traceback: Any, outer: Any) -> Any:
    """Returns a traceback that goes on with another; either may be missing."""
    return outer if traceback is None else traceback if outer is None else traceback + outer


def line_of(mod: ModuleContext, traceback: Any) -> Any:
    """Returns the location of the user's Python that a traceback tells of, or None: the innermost line or all of them."""
    if traceback is None:
        return None
    if config.include_full_tracebacks_in_locations.value or mod.tagged:
        line = mod.traceback_locations.get(traceback)
        return None if line == mod.unknown else line
    frame = next(iter(source.user_frames(traceback)), None)
    return None if frame is None else ir.Location.file(frame.file, frame.line, frame.col_start)


def _called(line: Any, callers: tuple[Any, ...]) -> Any:
    for caller in callers:
        line = caller if line is None else ir.Location.callsite(line, [caller])
    return line


def _named(name: str, line: Any) -> Any:
    return ir.Location.name(name) if line is None else ir.Location.name(name, childLoc=line)


def operation_location(mod: ModuleContext, eqn: JaxprEqn, stack: NameStack, place: Place) -> Any:
    """Returns the location of the operations of an equation.

    Args:
        mod: the module.
        eqn: the equation.
        stack: the scopes around it, inside the place.
        place: what is around its block.
    """
    info, primitive = eqn.source_info, eqn.primitive
    key = (primitive, info.traceback, info.name_stack, stack, place)
    found = mod.locations.get(key)
    if found is None:
        text, line = _origin(mod, info, stack, place)
        found = _named(_joined(place.name, _joined(text, primitive.name)), _called(line, place.callers))
        if place.name is None and primitive.name in IN_PLACE:
            found = ir.Location.name(f"{primitive.name}:", childLoc=found)
        mod.locations[key] = found
    return found


def here() -> Any:
    """Returns the location in force."""
    return ir.Location.current


def call_location(ctx: LoweringContext, label: str = "") -> Any:
    """Returns the location of a call of another function: its scopes, of which ``label`` is the last."""
    if ctx.module.tagged:
        return here()
    eqn, stack, place = ctx.where
    text, line = _origin(ctx.module, eqn.source_info, stack, place)
    if label:
        text = str((stack + eqn.source_info.name_stack).extend(label))
    name, line = _joined(place.name, text), _called(line, place.callers)
    if name or place.name is not None:
        return _named(name, line)
    return ctx.module.unknown if line is None else line


def function_location(ctx: LoweringContext) -> Any:
    """Returns the location of a function that is made for an equation: of its first use, not of what is around that."""
    if ctx.module.tagged:
        return here()
    eqn, stack, place = ctx.where
    inside = place if place.name is None else Place(None, (), place.outer, place.rule)
    if ctx.primitive.name in IN_PLACE:
        return operation_location(ctx.module, eqn, stack, inside)
    text, line = _origin(ctx.module, eqn.source_info, stack, inside)
    if text:
        return _named(text, line)
    return ctx.module.unknown if line is None else line


def inner_stack(ctx: LoweringContext) -> NameStack:
    """Returns the scopes in which an equation's own programs begin."""
    if ctx.where is None or ctx.primitive.name not in IN_PLACE:
        return ctx.name_stack or empty_name_stack
    eqn, stack, _ = ctx.where
    inside = stack + eqn.source_info.name_stack
    return inside if ctx.name_stack is None else inside + ctx.name_stack


def inner_place(ctx: LoweringContext) -> Place:
    """Returns the place of the programs that an equation's lowering writes where it stands."""
    if ctx.where is None:
        return outermost
    eqn, stack, place = ctx.where
    if eqn is None:  # the equation has a function of its own
        return place
    if ctx.primitive.name in IN_PLACE or ctx.module.tagged:
        outer = continued(place.traceback_of(eqn.source_info), place.outer)
        return Place(place.name, place.callers, outer, place.rule)
    text, line = _origin(ctx.module, eqn.source_info, stack, place)
    callers = place.callers if line is None else (line, *place.callers)
    return Place(_joined(place.name, text), callers, None, place.rule)


def rule_place(ctx: LoweringContext) -> Place:
    """Returns the place of the program that is an equation's lowering rule.

    What the program's own operations come from is the first equation of its kind.
    """
    place = inner_place(ctx)
    eqn, _, around = ctx.where
    if eqn is None:
        return place
    asked = around.traceback_of(eqn.source_info)
    try:
        asked = ctx.module.asked.setdefault((eqn.primitive, *ctx.avals_in, *eqn.params.items()), asked)
    except TypeError:  # a parameter without a hash
        pass
    return Place(place.name, place.callers, place.outer, asked)


def expanded(ctx: LoweringContext) -> tuple[NameStack, Place]:
    """Returns the scopes and the place of a program that stands for an equation before anything is lowered."""
    eqn, stack, place = ctx.where
    if ctx.module.tagged or eqn is None:
        return inner_stack(ctx), rule_place(ctx)
    info = eqn.source_info
    return stack + info.name_stack, Place(place.name, place.callers, place.outer, place.traceback_of(info))


def body_context(ctx: LoweringContext) -> LoweringContext:
    """Returns the context of an equation whose rule is emitted into a function of its own."""
    where = (None, empty_name_stack, Place(rule=rule_place(ctx).rule))
    return LoweringContext(ctx.module, ctx.primitive, ctx.avals_in, ctx.avals_out, {}, None, where)


def body_location(ctx: LoweringContext) -> Any:
    """Returns the location of what a rule emits into a function of its own, where no step is named."""
    if ctx.module.tagged:
        return here()
    name = ctx.primitive.name
    return ir.Location.name(f"{name}:", childLoc=ir.Location.name(name))


def steps(ctx: LoweringContext, depth: int = 1) -> Steps:
    """Returns what gives the location of a step, by its name, of a rule that JAX has as a program.

    Where locations are tags the steps have that of their equation.

    Args:
        ctx: the context of the equation.
        depth: how many programs are around the step, each the rule of an equation of the one before.
    """
    if ctx.module.tagged or ctx.where is None:
        current = here()
        return lambda name: current
    place = rule_place(ctx)
    line = line_of(ctx.module, place.rule)
    if line is not None:
        line = _called(line, (line,) * (depth - 1))
    line = _called(line, place.callers)
    return lambda name: _named(_joined(place.name, name), line)


def _context_at(ctx: LoweringContext, place: Place) -> LoweringContext:
    where = (None, empty_name_stack, place)
    return LoweringContext(
        ctx.module, ctx.primitive, ctx.avals_in, ctx.avals_out, ctx.const_values, None, where
    )


def step_context(ctx: LoweringContext) -> LoweringContext:
    """Returns the context of a step of a rule that JAX has as a program: what it lowers is inside the step."""
    place = rule_place(ctx)
    line = line_of(ctx.module, place.rule)
    if not ctx.module.tagged:
        callers = place.callers if line is None else (line, *place.callers)
        place = Place(place.name or "", callers, None, place.rule)
    return _context_at(ctx, place)


def copied_context(ctx: LoweringContext) -> LoweringContext:
    """Returns the context of an equation that JAX lowers as a function, whose body it copies to where it is called."""
    place = inner_place(ctx)
    if not ctx.module.tagged:
        place = Place(_joined(place.name, ctx.primitive.name), place.callers, place.outer, place.rule)
    return _context_at(ctx, place)
