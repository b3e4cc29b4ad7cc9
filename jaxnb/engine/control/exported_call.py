"""Calling a program that was exported: the primitive, and the merge of its module into the caller's.

Lives here: ``call_exported_p`` with all its rules. What an exported program is, and its own verbs, are in ``api/export.py``.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from jaxnb.engine.core.rules import Undefined, define
from jaxnb.engine.ops.lowering import LoweringContext, constant, ir_types
from jaxnb.xla.mlir import deserialize_portable_artifact, func, hlo, ir

__all__ = ["call_exported_p"]


class ExportedProgram(Protocol):
    """What calling needs to know of an exported program."""

    fun_name: str
    platforms: tuple[str, ...]
    mlir_module_serialized: bytes
    module_kept_var_idx: tuple[int, ...]

    @property
    def _results(self) -> list[Any]:
        """The types of the module's results."""
        ...

    def _check_platforms(self, platforms: tuple[str, ...]) -> None:
        """Raises ValueError where it was not exported for one of the platforms."""
        ...


def _lower(ctx: LoweringContext, *values: Any, exported: ExportedProgram) -> list[Any]:
    exported._check_platforms(ctx.module.platforms)
    operands = [values[i] for i in exported.module_kept_var_idx]
    if len(exported.platforms) > 1:
        operands.insert(0, _platform_index(ctx, exported))
    name = _function_of(ctx, exported)
    call = func.CallOp(ir_types(exported._results), ir.FlatSymbolRefAttr.get(name), operands)
    return list(call.results)


def _platform_index(ctx: LoweringContext, exported: ExportedProgram) -> ir.Value:
    """Returns which of the program's platforms the caller runs on."""
    numbers = [exported.platforms.index(p) if p in exported.platforms else 0 for p in ctx.module.platforms]
    if len(set(numbers)) == 1:
        return constant(np.int32(numbers[0]))
    case = hlo.CaseOp(
        [ctx.module.platform_index.type], index=ctx.module.platform_index, num_branches=len(numbers)
    )
    for region, number in zip(case.regions, numbers, strict=True):
        with ir.InsertionPoint(region.blocks.append()):
            hlo.return_([constant(np.int32(number))])
    return case.results[0]


def _function_of(ctx: LoweringContext, exported: ExportedProgram) -> str:
    """Returns the name of the program's main function in the caller's module; it is put there at its first call."""
    mod = ctx.module
    name = mod.functions.get(exported)
    if name is not None:
        return name
    theirs = deserialize_portable_artifact(exported.mlir_module_serialized, mod.context)
    functions = [op for op in theirs.body.operations if isinstance(op, func.FuncOp)]
    taken = {ir.StringAttr(op.attributes["sym_name"]).value for op in mod.module.body.operations}
    renamed: list[tuple[str, str, Any]] = []
    own = {ir.StringAttr(op.name).value for op in functions} - {"main"}
    for op in functions:
        old = ir.StringAttr(op.name).value
        new = _free(f"call_exported_{exported.fun_name}" if old == "main" else old, taken, own - {old})
        taken.add(new)
        renamed.append((old, new, op))
    # In two steps: a new name must not be taken for an old one that is still to be changed.
    _rename(theirs, [(old, f"new:{new}", op) for old, new, op in renamed])
    _rename(theirs, [(f"new:{new}", new, op) for _, new, op in renamed])
    for op in functions:
        copy = op.operation.clone(ip=ir.InsertionPoint(mod.module.body))
        copy.attributes["sym_visibility"] = ir.StringAttr.get("private")
        mod.symbols.insert(copy)
    name = mod.functions[exported] = next(new for old, new, _ in renamed if old == "main")
    return name


def _rename(module: Any, names: list[tuple[str, str, Any]]) -> None:
    for old, new, op in names:
        ir.SymbolTable.replace_all_symbol_uses(old, new, module.operation)
        ir.SymbolTable.set_symbol_name(op, new)


def _free(name: str, taken: set[str], own: set[str]) -> str:
    """Returns a name that neither the caller's module nor the program itself has for something else."""
    if name not in taken | own:
        return name
    i = 0
    while f"{name}_{i}" in taken | own:
        i += 1
    return f"{name}_{i}"


_opaque = Undefined("an exported program is a module: nothing is known of it but its types")

call_exported_p = define(
    "call_exported",
    abstract=lambda *avals, exported: exported._results,
    lower=_lower,
    jvp=_opaque,
    transpose=_opaque,
    batch=_opaque,
    multiple_results=True,
    doc="calls a program that was exported",
)
