"""MLIR: contexts, dialect bindings, modules in and out, passes and locations.

``ir`` and the dialects (``hlo`` is StableHLO) are loaded when something of them is first used: they are a noticeable
part of start-up time, and the first array needs none of them. What must not live here: what any operation
means.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from functools import cache
from threading import enumerate as enumerate_threads
from threading import get_ident
from typing import TYPE_CHECKING, Any

from jaxlib import _jax

from jaxnb.base.lazy import lazy_module

if TYPE_CHECKING:
    from jaxlib.mlir import ir, passmanager
    from jaxlib.mlir._mlir_libs import _chlo, _jax_mlir_ext, _mlirHlo, _sdy, _stablehlo
    from jaxlib.mlir.dialects import chlo, func, sdy
    from jaxlib.mlir.dialects import stablehlo as hlo
else:
    ir = lazy_module("jaxlib.mlir.ir")
    _chlo, _jax_mlir_ext, _mlirHlo, _sdy, _stablehlo = (
        lazy_module(f"jaxlib.mlir._mlir_libs.{name}")
        for name in ("_chlo", "_jax_mlir_ext", "_mlirHlo", "_sdy", "_stablehlo")
    )
    hlo = lazy_module("jaxlib.mlir.dialects.stablehlo")
    chlo = lazy_module("jaxlib.mlir.dialects.chlo")
    func = lazy_module("jaxlib.mlir.dialects.func")
    sdy = lazy_module("jaxlib.mlir.dialects.sdy")
    passmanager = lazy_module("jaxlib.mlir.passmanager")

__all__ = [
    "callsite_location",
    "chlo",
    "current_stablehlo_version",
    "deserialize_portable_artifact",
    "file_location",
    "func",
    "hlo",
    "inlined_call",
    "ir",
    "make_context",
    "minimum_stablehlo_version",
    "module_text",
    "module_to_bytecode",
    "lowering_context",
    "name_location",
    "parse_module",
    "passmanager",
    "retire_context",
    "run_passes",
    "sdy",
    "serialize_portable_artifact",
    "stablehlo_version_for",
    "thread_context",
]


def inlined_call(*args: Any) -> Any:
    """Copies a function operation's body to the insertion point: ``inlined_call(func_op, operands, block)``."""
    return _jax_mlir_ext.inlined_func_call(*args)


@cache
def _dialect_registry() -> ir.DialectRegistry:
    registry = ir.DialectRegistry()
    _jax_mlir_ext.register_dialects(registry)
    return registry


def make_context() -> ir.Context:
    """Returns a new MLIR context with every dialect a program of ours may use.

    A context keeps each attribute it has ever seen, large constants too: lower into a new one, and let it go.
    """
    # The stub of this class lacks the argument.
    context = ir.Context(load_on_create_dialects=[])  # pyright: ignore[reportCallIssue]
    context.append_dialect_registry(_dialect_registry())
    context.load_all_available_dialects()
    context.enable_multithreading(False)
    _sdy.register_dialect(context)
    _mlirHlo.register_mhlo_dialect(context)
    _chlo.register_dialect(context)
    _stablehlo.register_dialect(context)
    return context


class _OfThread:
    """The contexts of one thread."""

    def __init__(self) -> None:
        self.context: ir.Context | None = None
        self.lowering: ir.Context | None = None
        self.uses = 0


_of_threads: dict[int, _OfThread] = {}


def _mine() -> _OfThread:
    """Returns the calling thread's contexts.

    They are no thread-local values: where a thread of XLA's has called Python and leaves it, Python 3.11 throws such values
    away without a thread, and the end of an MLIR object there ends the process.
    """
    found = _of_threads.get(get_ident())
    if found is None:
        alive = {thread.ident for thread in enumerate_threads()}
        for ident in [one for one in _of_threads if one not in alive]:
            _of_threads.pop(ident, None)
        found = _of_threads[get_ident()] = _OfThread()
    return found


def thread_context() -> ir.Context:
    """Returns the calling thread's own long-lived context, for small modules and for types."""
    mine = _mine()
    if mine.context is None:
        mine.context = make_context()
    return mine.context


LOWERINGS_PER_CONTEXT = 64


def lowering_context() -> ir.Context:
    """Returns a context to lower one module into: the calling thread's, a new one every so often.

    Making a context costs milliseconds, keeping one costs a megabyte. What holds a module holds its context: write the
    module as bytecode to be rid of it.
    """
    mine = _mine()
    if mine.lowering is None or mine.uses >= LOWERINGS_PER_CONTEXT:
        mine.lowering, mine.uses = make_context(), 0
    mine.uses += 1
    return mine.lowering


def retire_context() -> None:
    """Makes the calling thread's next lowering begin a new context: this one has seen something large."""
    _mine().uses = LOWERINGS_PER_CONTEXT


def module_to_bytecode(module: ir.Module) -> bytes:
    """Returns a module as MLIR bytecode, locations included."""
    out = io.BytesIO()
    module.operation.write_bytecode(file=out)
    return out.getvalue()


def parse_module(source: str | bytes, context: ir.Context | None = None) -> ir.Module:
    """Returns the module written in ``source`` (text or bytecode).

    Raises:
      MLIRError: the text is not a valid module; the message has line and column.
    """
    context = thread_context() if context is None else context
    return ir.Module.parse(source, context)


def module_text(
    module: ir.Module | ir.Operation, debug_info: bool = False, large_elements_limit: int | None = None
) -> str:
    """Returns a module (or one operation) as text.

    Args:
      module: what to print.
      debug_info: whether to print locations.
      large_elements_limit: the most elements of a constant that are written out; larger ones are elided.
    """
    operation = module.operation if isinstance(module, ir.Module) else module
    text = operation.get_asm(enable_debug_info=debug_info, large_elements_limit=large_elements_limit)
    return str(text)


@cache
def _register_passes() -> None:
    """Makes the StableHLO and MHLO passes known to the pass manager; it is process-wide, so once."""
    _stablehlo.register_stablehlo_passes()
    _mlirHlo.register_mhlo_passes()


def run_passes(module: ir.Module, pipeline: str) -> ir.Module:
    """Runs a pass pipeline over a module in place, and returns it.

    Args:
      module: the module.
      pipeline: for example ``"builtin.module(func.func(chlo-legalize-to-stablehlo),canonicalize,cse)"``.

    Raises:
      ValueError: the pipeline names no known pass.
    """
    _register_passes()
    manager = passmanager.PassManager.parse(pipeline, module.context)
    manager.run(module.operation)
    return module


def current_stablehlo_version() -> str:
    """Returns the StableHLO version that this jaxlib writes."""
    return _stablehlo.get_current_version()


def minimum_stablehlo_version() -> str:
    """Returns the oldest StableHLO version that this jaxlib can write."""
    return _stablehlo.get_minimum_version()


def stablehlo_version_for(requirement: str) -> str:
    """Returns the StableHLO version for a compatibility of ``NONE``, ``WEEK_4``, ``WEEK_12`` or ``MAX``."""
    member = getattr(_stablehlo.StablehloCompatibilityRequirement, requirement)
    return _stablehlo.get_version_from_compatibility_requirement(member)


def serialize_portable_artifact(
    module: ir.Module | bytes | str, version: str | None = None, *, mixed: bool = True
) -> bytes:
    """Returns a module in the versioned form that other releases can read; the module is left as it was.

    Args:
      module: an MLIR module, its bytecode or its text.
      version: the StableHLO version to write; the current one by default.
      mixed: whether operations of other dialects may stay as they are.
    """
    # The dialect's own function of this name destroys its argument, so it is never used.
    target = current_stablehlo_version() if version is None else version
    return _jax.mlir.serialize_portable_artifact(module, target, mixed)


def deserialize_portable_artifact(artifact: bytes, context: ir.Context | None = None) -> ir.Module:
    """Returns the module that :func:`serialize_portable_artifact` wrote."""
    context = thread_context() if context is None else context
    return _jax.mlir.deserialize_portable_artifact(artifact, context)


def name_location(
    name: str, child: ir.Location | None = None, context: ir.Context | None = None
) -> ir.Location:
    """Returns the location ``loc("name"(child))``; XLA reads the name as ``op_name``."""
    return ir.Location.name(name, childLoc=child, context=context)


def file_location(
    file: str,
    line: int,
    col: int,
    end_line: int | None = None,
    end_col: int | None = None,
    context: ir.Context | None = None,
) -> ir.Location:
    """Returns a position in a file, or, with an end, a range."""
    if end_line is None or end_col is None:
        return ir.Location.file(file, line, col, context=context)
    return ir.Location.file(file, line, col, end_line, end_col, context=context)


def callsite_location(
    callee: ir.Location, callers: Sequence[ir.Location], context: ir.Context | None = None
) -> ir.Location:
    """Returns the location of ``callee``, called at ``callers`` (innermost first)."""
    if not callers:
        return callee
    return ir.Location.callsite(callee, list(callers), context=context)
