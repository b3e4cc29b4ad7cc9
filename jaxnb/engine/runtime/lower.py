"""Lowering: from a jaxpr to a StableHLO module whose text equals JAX's.

Lives here: modules, functions, equations, constants' hoisting, locations. The rules of primitives stand with the primitives.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from jaxnb.base import config
from jaxnb.engine.core import dtypes, source
from jaxnb.engine.core.avals import AbstractValue, ShapedArray, get_aval
from jaxnb.engine.core.effects import ordered
from jaxnb.engine.core.jaxpr import Jaxpr, JaxprEqn, Literal
from jaxnb.engine.core.rules import Composite, Undefined, lowering_rules
from jaxnb.engine.core.source import NameStack, SourceInfo, capture, empty_name_stack
from jaxnb.engine.ops.locations import (
    Place,
    call_location,
    continued,
    expanded,
    function_location,
    here,
    inner_place,
    inner_stack,
    line_of,
    operation_location,
    outermost,
    rule_place,
)
from jaxnb.engine.ops.lowering import LoweringContext, ModuleContext, activate, constant, ir_type
from jaxnb.engine.runtime.constants import jaxpr_const_args
from jaxnb.engine.runtime.module_marks import ModuleMarks, mark, platform_mark
from jaxnb.engine.runtime.program_shardings import inspector, marks_of_constants
from jaxnb.engine.transforms.constants import with_constvars
from jaxnb.engine.transforms.stage import trace_rule
from jaxnb.xla import state
from jaxnb.xla import traceback as tb_door
from jaxnb.xla.array import NamedSharding
from jaxnb.xla.client import Device
from jaxnb.xla.mlir import (
    func,
    hlo,
    ir,
    lowering_context,
    module_to_bytecode,
    parse_module,
    retire_context,
    sdy,
)

__all__ = ["LoweredModule", "forget_composites", "lower_call", "lower_module", "symbol_name"]

_not_a_symbol = re.compile(r"[^\w.-]")


LARGE = 1 << 20
"""A module of more bytes than this is not left in a context that others share."""


class LoweredModule:
    """A module with what running it needs.

    It is bytecode first of all: a module belongs to a context, and a context to one thread at a time. Until it is compiled
    the thread that made it has the module too; whoever asks later gets it read again.
    """

    __slots__ = ("_module", "_owner", "bytecode", "callbacks", "const_args", "inspections")

    def __init__(
        self, module: Any, const_args: list[Any], callbacks: list[Any], inspections: Sequence[Any] = ()
    ):
        self._module = module
        self._owner = threading.get_ident()
        self.bytecode = module_to_bytecode(module)
        self.const_args = const_args
        self.callbacks = callbacks
        self.inspections = inspections  # the compiler calls them, and nothing else keeps them alive
        if len(self.bytecode) > LARGE:
            retire_context()

    @property
    def module(self) -> Any:
        """The MLIR module, in a context of this thread."""
        if self._module is not None and self._owner == threading.get_ident():
            return self._module
        return parse_module(self.bytecode, lowering_context())

    def release(self) -> None:
        """Lets the module go; the bytecode stays."""
        self._module = None


def symbol_name(name: str) -> str:
    """Returns a function's name as modules carry it."""
    text = _not_a_symbol.sub("_", name)
    return text[:-1] if text.endswith("_") and not name.endswith("_") else text


def lower_module(
    name: str,
    jaxpr: Jaxpr,
    *,
    platforms: Sequence[str] = ("cpu",),
    donors: Sequence[bool] = (),
    result_paths: Sequence[str | None] | None = None,
    tagged: bool = False,
    aliases: Sequence[int | None] = (),
    marks: tuple[Sequence[Any], Sequence[Any]] = ((), ()),
    devices: Sequence[Device] = (),
) -> LoweredModule:
    """Returns the module of a program; the constants come first among its parameters.

    Args:
        name: the program's name; the module is ``jit_<name>``.
        jaxpr: the program, without constants' variables.
        platforms: the platforms it may run on; of several, the module's first parameter says which one it is.
        donors: which parameters' buffers XLA may take for whatever it likes.
        result_paths: where in the function's result each output stands.
        tagged: whether locations carry equation identities in place of name stacks.
        aliases: for each parameter the output that takes its buffer, or None.
        marks: what is said of where each parameter and each result lies; empty for nothing.
        devices: over which it is partitioned; empty for any one.
    """
    partitions = max(len(devices), 1)
    context = lowering_context()
    with context, ir.Location.unknown(context):
        module = ir.Module.create()
        attrs = module.operation.attributes
        attrs["sym_name"] = ir.StringAttr.get(f"jit_{symbol_name(name)}")
        i32 = ir.IntegerType.get_signless(32)
        attrs["mhlo.num_partitions"] = ir.IntegerAttr.get(i32, partitions)
        attrs["mhlo.num_replicas"] = ir.IntegerAttr.get(i32, 1)
        mod = ModuleContext(context, module, platforms)
        mod.tagged = tagged
        inspections: list[Any] = []
        if partitions > 1:
            mod.inspect = inspector(devices, marks, jaxpr_const_args(jaxpr), inspections)
        mod.lower_jaxpr = _lower_inline
        mod.lower_call = lower_call
        limit = 10 if tagged else config.traceback_in_locations_limit.value
        mod.traceback_locations = tb_door.location_cache(_file_of, limit if limit >= 0 else 1000, context)
        with activate(mod):
            const_args = jaxpr_const_args(jaxpr)
            stack = empty_name_stack.extend(f"jit({name})")
            chosen = len(platforms) > 1
            place = Place(outer=capture())
            of_constants = marks_of_constants(const_args, partitions)
            of_args, of_results = marks
            module_marks = mod.marks = ModuleMarks([*of_constants, *of_args, *of_results])
            op = _lower_function(mod, "main", jaxpr, const_args, stack, place, public=True, marks=marks)
            module_marks.parameters(op, jaxpr, const_args, of_constants, donors, aliases, of_args, chosen)
            module_marks.results(op, jaxpr, result_paths, of_results)
            if any(_is_extended(v.aval) for v in (*jaxpr.invars, *jaxpr.outvars)):
                module_marks.name(None)  # what keeps the words of keys together names it
            module_marks.declare(module)
    return LoweredModule(module, const_args, mod.callbacks, inspections)


def _file_of(code: Any) -> str | None:
    # Locations have frames of frozen modules, such as that which runs a module as a script.
    name = code.co_filename
    return name if source.is_user_file(name) or name.startswith("<frozen ") else None


def _lower_function(
    mod: ModuleContext,
    name: str,
    jaxpr: Jaxpr,
    const_args: Sequence[Any],
    stack: NameStack,
    place: Place,
    public: bool,
    marks: tuple[Sequence[Any], Sequence[Any]] = ((), ()),
    of_jit: bool = False,
) -> Any:
    """Appends a function for a program to the module; its first parameters are the constants.

    In a module for several platforms there is one more before all others: the index of the one it runs on.
    """
    chosen = len(mod.platforms) > 1
    effects = ordered(jaxpr.effects)
    tokens = [hlo.TokenType.get()] * len(effects)
    first = [ir.RankedTensorType.get([], ir.IntegerType.get_signless(32))] * chosen
    const_types = [ir_type(_const_aval(c)) for c in const_args]
    in_types = [*first, *tokens, *const_types, *(ir_type(v.aval) for v in jaxpr.invars)]
    out_types = [*tokens, *(ir_type(v.aval) for v in jaxpr.outvars)]
    with ir.InsertionPoint(mod.module.body):
        op = func.FuncOp(name, ir.FunctionType.get(in_types, out_types))
    op.attributes["sym_visibility"] = ir.StringAttr.get("public" if public else "private")
    if (const_args or effects or chosen) and not public:
        none = ir.DictAttr.get({})
        own_marks = [platform_mark()] * chosen
        own_marks += [mark("jax.token")] * len(effects) + [mark("jax.const")] * len(const_args)
        op.arg_attrs = ir.ArrayAttr.get(own_marks + [none] * len(jaxpr.invars))
        if effects:
            op.result_attrs = ir.ArrayAttr.get(
                [mark("jax.token")] * len(effects) + [none] * len(jaxpr.outvars)
            )
    mod.symbols.insert(op)
    names = jaxpr.debug_info.arg_names if jaxpr.debug_info is not None else ()
    locations = [mod.unknown] * len(in_types)
    if public and len(names) == len(jaxpr.invars):
        locations = [mod.unknown] * (len(in_types) - len(names)) + [
            ir.Location.name(n) if n else mod.unknown for n in names
        ]
    block = op.add_entry_block(locations)
    args = list(block.arguments)
    outer_index, mod.platform_index = mod.platform_index, args[0] if chosen else None
    args = args[len(first) :]
    outer_tokens, mod.tokens = mod.tokens, dict(zip(effects, args, strict=False))
    args = args[len(effects) :]
    const_values = {id(c): a for c, a in zip(const_args, args, strict=False)}
    before = mod.tag_is_kept
    mod.tag_is_kept = False
    try:
        with ir.InsertionPoint(block), _body_location(mod, stack, place):
            if not config.use_simplified_jaxpr_constants.value:
                # The older way: a program's constants stand at its beginning.
                for value in with_constvars(jaxpr).consts:
                    const_values[id(value)] = constant(np.asarray(getattr(value, "_base_array", value)))
            ins = args[len(const_args) :]
            if of_jit:
                mod.marks.keep_constants(const_args, args[: len(const_args)])
            if public:
                ins = _constrained(ins, jaxpr.invars, marks[0])
            outs = lower_block(mod, jaxpr, ins, const_values, stack, place)
            if public:
                outs = _constrained(outs, jaxpr.outvars, marks[1])
            func.return_([*(mod.tokens[e] for e in effects), *outs])
    finally:
        mod.tag_is_kept = before
        mod.tokens = outer_tokens
        mod.platform_index = outer_index
    return op


def _body_location(mod: ModuleContext, stack: NameStack, place: Place) -> Any:
    """Returns the location of what no equation of a function asks for: its constants and its end."""
    if mod.tagged or not stack.entries:
        return mod.unknown
    return ir.Location.name(str(stack), childLoc=line_of(mod, place.outer) or mod.unknown)


def _is_extended(aval: Any) -> bool:
    return dtypes.is_extended(getattr(aval, "dtype", None))


def _constrained(values: Sequence[Any], atoms: Sequence[Any], marks: Sequence[Any]) -> list[Any]:
    """Emits, for keys of which the module says nothing, that their words are not divided between devices."""
    out = list(values)
    for i, atom in enumerate(atoms):
        aval = atom.aval
        if _is_extended(aval) and not (marks and isinstance(marks[i], NamedSharding)):
            dims = ", ".join(["{?}"] * aval.ndim + ["{}"] * len(aval.dtype.element_shape))
            where = ir.Attribute.parse(f"#sdy.sharding<@empty_mesh, [{dims}]>")
            out[i] = sdy.sharding_constraint(out[i], where)
    return out


def _const_aval(c: Any) -> AbstractValue:
    return ShapedArray(c.shape, np.dtype(c.dtype))


def lower_block(
    mod: ModuleContext,
    jaxpr: Jaxpr,
    args: Sequence[Any],
    const_values: dict[int, Any],
    stack: NameStack,
    place: Place,
) -> list[Any]:
    """Emits a program's operations at the insertion point and returns its results' values.

    The scopes and the place say what is around the program.
    """
    env: dict[Any, Any] = dict(zip(jaxpr.invars, args, strict=True))
    tagged = mod.tagged

    def read(atom: Any) -> Any:
        if type(atom) is Literal:
            found = const_values.get(id(atom.val))
            if found is not None:
                return found
            return _literal(atom)
        return env[atom]

    for eqn in jaxpr.eqns:
        prim = eqn.primitive
        rule = lowering_rules[prim]
        invars = eqn.invars
        vals = None
        if isinstance(rule, Composite) and rule.keeps_literals:
            vals = [a if type(a) is Literal else env[a] for a in invars]
        elif not tagged:
            # A constant is the function's, not the equation's that asks for it.
            vals = [env[a] if type(a) is not Literal else read(a) for a in invars]
        if tagged:
            loc = here() if mod.tag_is_kept else _tag_location(mod, eqn, place)
        elif isinstance(rule, Composite) and rule.keeps_literals:
            loc = here()
        else:
            loc = operation_location(mod, eqn, stack, place)
        with loc:  # pyright: ignore[reportGeneralTypeIssues, reportAttributeAccessIssue]
            if vals is None:
                vals = [env[a] if type(a) is not Literal else read(a) for a in invars]
            ctx = LoweringContext(
                mod,
                prim,
                [a.aval for a in invars],
                [v.aval for v in eqn.outvars],
                const_values,
                None,
                (eqn, stack, place),
            )
            if isinstance(rule, Composite):
                out = _lower_composite(ctx, rule, vals, eqn.params)
            elif isinstance(rule, Undefined):
                raise ValueError(f"{prim} has no lowering: {rule.why}")
            else:
                out = rule(ctx, *vals, **eqn.params)
                if isinstance(out, Composite):  # a rule that chose between programs
                    out = _lower_composite(ctx, out, vals, eqn.params)
        if prim.multiple_results:
            env.update(zip(eqn.outvars, out, strict=True))
        else:
            env[eqn.outvars[0]] = out[0] if type(out) is list or type(out) is tuple else out
    return [read(v) for v in jaxpr.outvars]


def _literal(lit: Literal) -> Any:
    return constant(getattr(lit.val, "_base_array", lit.val), lit.aval)  # pyright: ignore[reportArgumentType]


def _tag_location(mod: ModuleContext, eqn: JaxprEqn, place: Place) -> Any:
    line = line_of(mod, continued(eqn.source_info.traceback, place.outer))
    return ir.Location.name(f"q{eqn.id}/{eqn.primitive.name}", childLoc=line or mod.unknown)


def _lower_inline(ctx: LoweringContext, jaxpr: Any, values: Sequence[Any]) -> list[Any]:
    return lower_block(ctx.module, jaxpr.jaxpr, values, ctx.const_values, inner_stack(ctx), inner_place(ctx))


def _lower_composite(
    ctx: LoweringContext, rule: Composite, vals: Sequence[Any], params: dict[str, Any]
) -> Any:
    def flat(*args: Any) -> Sequence[Any]:
        out = rule.fun(*args, **params)
        return out if rule.multiple_results else [out]

    try:
        key = (state.trace_context(), rule, tuple(ctx.avals_in), *params.items())
        jaxpr = _composites.get(key)
    except TypeError:
        key, jaxpr = None, None
    if jaxpr is None:
        jaxpr = trace_rule(flat, ctx.avals_in)
        if key is not None:
            _composites[key] = jaxpr
    if rule.keeps_literals:
        jaxpr, vals = _with_literals(jaxpr, vals)
    mod = ctx.module
    before = mod.tag_is_kept
    # What the rule's own program does is done for the equation that has the rule.
    mod.tag_is_kept = mod.tagged
    try:
        stack, place = inner_stack(ctx), rule_place(ctx)
        if rule.keeps_literals:
            stack, place = expanded(ctx)
        out = lower_block(mod, jaxpr, vals, ctx.const_values, stack, place)
    finally:
        mod.tag_is_kept = before
    return out if rule.multiple_results else out[0]


def _with_literals(jaxpr: Jaxpr, operands: Sequence[Any]) -> tuple[Jaxpr, list[Any]]:
    """Returns the program with the literals among the operands in their places, and the other operands."""
    pairs = list(zip(jaxpr.invars, operands, strict=True))
    literals: dict[Any, Any] = {v: x for v, x in pairs if type(x) is Literal}
    kept = [(v, x) for v, x in pairs if type(x) is not Literal]
    eqns = [e.replace(invars=[literals.get(a, a) for a in e.invars]) for e in jaxpr.eqns]
    outvars = [literals.get(a, a) for a in jaxpr.outvars]
    return jaxpr.replace(invars=[v for v, _ in kept], eqns=eqns, outvars=outvars), [x for _, x in kept]


_composites: dict[Any, Jaxpr] = {}


def forget_composites() -> None:
    """Forgets the programs that lowering rules were traced to."""
    _composites.clear()


def lower_call(
    ctx: LoweringContext, name: str, jaxpr: Jaxpr, values: Sequence[Any], inlineable: str | None = None
) -> list[Any]:
    """Emits a call of a program's own function, which is made at its first call in the module.

    Args:
        ctx: the context of the equation.
        name: the function's name.
        jaxpr: its program.
        values: the operands' values.
        inlineable: when XLA is to inline the call; None leaves it to it.
    """
    mod = ctx.module
    key = (jaxpr, name)
    found = mod.functions.get(key)
    if found is None:
        const_args = jaxpr_const_args(jaxpr)
        # Tags are read by somebody who wants to see the whole way, if only that of the first call.
        place = inner_place(ctx) if mod.tagged else Place(rule=ctx.where[2].rule)
        with mod.unknown if mod.tagged else function_location(ctx):
            of_jit = ctx.primitive.name == "jit"
            op = _lower_function(
                mod, name, jaxpr, const_args, empty_name_stack, place, public=False, of_jit=of_jit
            )
        found = mod.functions[key] = (op, const_args)
    op, const_args = found
    # the constants of a program that a lowering rule calls are known only here
    known = ctx.const_values
    const_values = [known[id(c)] if id(c) in known else constant(np.asarray(c)) for c in const_args]
    effects = ordered(jaxpr.effects)
    with call_location(ctx, f"jit({name})") if ctx.primitive.name == "jit" else here():
        call = func.CallOp(
            [*[hlo.TokenType.get()] * len(effects), *(ir_type(v.aval) for v in jaxpr.outvars)],
            ir.FlatSymbolRefAttr.get(ir.StringAttr(op.name).value),
            [
                *([mod.platform_index] if len(mod.platforms) > 1 else ()),
                *(mod.tokens[e] for e in effects),
                *const_values,
                *values,
            ],
        )
    if inlineable is not None:
        call.operation.attributes["mhlo.frontend_attributes"] = ir.DictAttr.get(
            {"inlineable": ir.StringAttr.get(inlineable)}
        )
    results = list(call.results)
    mod.tokens.update(zip(effects, results, strict=False))
    return results[len(effects) :]
