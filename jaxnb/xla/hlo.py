"""HLO modules: text, protocol buffers, and the HLO of a StableHLO module before optimisation.

What must not live here: compiling (see ``compile``), and reading structure out of HLO text.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from jaxlib import _hlo, _jax

from jaxnb.xla.client import backend

__all__ = [
    "HloModule",
    "HloPrintOptions",
    "HloSharding",
    "OpSharding",
    "PrintOptions",
    "XlaComputation",
    "dot_graph",
    "memory_stats_dict",
    "module_cost_analysis",
    "module_from_proto",
    "module_from_text",
    "module_text",
    "module_to_proto",
    "print_options",
    "stablehlo_from_hlo",
    "unoptimized_computation",
    "unoptimized_module",
    "unoptimized_text",
]

HloModule: TypeAlias = _hlo.HloModule
HloPrintOptions: TypeAlias = _hlo.HloPrintOptions
PrintOptions: TypeAlias = _hlo.HloPrintOptions
HloSharding: TypeAlias = _hlo.HloSharding
OpSharding: TypeAlias = _hlo.OpSharding
XlaComputation: TypeAlias = _hlo.XlaComputation


def print_options(
    *,
    metadata: bool = True,
    operand_shapes: bool = False,
    result_shapes: bool = True,
    layouts: bool = True,
    large_constants: bool = False,
    backend_config: bool = True,
    control_dependencies: bool = True,
    extra_attributes: bool = True,
    percent: bool = True,
    program_shape: bool = True,
    compact_operands: bool = False,
    canonical: bool = False,
) -> HloPrintOptions:
    """Returns options for :func:`module_text`.

    Args:
      metadata: ``op_name`` and source positions.
      operand_shapes: the shape of each operand where it is used.
      result_shapes: the shape of each result.
      layouts: ``{1,0}`` after shapes.
      large_constants: constants in full, not as ``{...}``.
      backend_config: what the backend noted on an instruction.
      control_dependencies: orders that no data says.
      extra_attributes: everything else after the operands.
      percent: ``%`` before names.
      program_shape: the signature of each computation.
      compact_operands: elided long operand lists.
      canonical: names and order that do not depend on how the module came about.
    """
    options = HloPrintOptions.canonical() if canonical else HloPrintOptions()
    options.print_metadata = metadata
    options.print_operand_shape = operand_shapes
    options.print_result_shape = result_shapes
    options.include_layout_in_shapes = layouts
    options.print_large_constants = large_constants
    options.print_backend_config = backend_config
    options.print_control_dependencies = control_dependencies
    options.print_extra_attributes = extra_attributes
    options.print_percent = percent
    options.print_program_shape = program_shape
    options.compact_operands = compact_operands
    return options


def module_text(module: HloModule, options: HloPrintOptions | None = None) -> str:
    """Returns a module as text; without options, as ``Compiled.as_text()`` prints it."""
    return module.to_string() if options is None else module.to_string(options)


def module_from_text(text: str) -> HloModule:
    """Returns the module written in HLO text."""
    return _hlo.hlo_module_from_text(text)


def module_to_proto(module: HloModule) -> bytes:
    """Returns a module as a serialised ``HloModuleProto``."""
    return module.as_serialized_hlo_module_proto()


def module_from_proto(proto: bytes) -> HloModule:
    """Returns the module of a serialised ``HloModuleProto``."""
    return HloModule.from_serialized_hlo_module_proto(proto)


def dot_graph(module: HloModule) -> str:
    """Returns XLA's own drawing of a module, in the DOT language."""
    return _hlo.hlo_module_to_dot_graph(module)


def unoptimized_computation(stablehlo: bytes | str) -> XlaComputation:
    """Returns a StableHLO module (bytecode or text) as XLA reads it, before any pass."""
    return _jax.mlir.mlir_module_to_xla_computation(stablehlo, use_tuple_args=False, return_tuple=False)


def unoptimized_module(stablehlo: bytes | str) -> HloModule:
    """Returns the HLO module of a StableHLO module, before any pass."""
    return unoptimized_computation(stablehlo).as_hlo_module()


def unoptimized_text(
    stablehlo: bytes | str, options: HloPrintOptions | None = None, *, metadata: bool = False
) -> str:
    """Returns the HLO text of a StableHLO module, before any pass.

    Without options it is the short form, as ``Lowered.as_text("hlo")`` prints it; with ``metadata`` as it does with
    ``debug_info``.
    """
    computation = unoptimized_computation(stablehlo)
    if options is None:
        if not metadata:
            return computation.as_hlo_text()
        options = HloPrintOptions.short_parsable()
        options.print_metadata = True  # pyright: ignore[reportOptionalMemberAccess]
    return module_text(computation.as_hlo_module(), options)


def module_cost_analysis(stablehlo: bytes | str) -> dict[str, float]:
    """Returns XLA's estimates for a StableHLO module before any pass: ``flops``, ``bytes accessed``, …"""
    return dict(_jax.hlo_module_cost_analysis(backend(), unoptimized_module(stablehlo)))


def stablehlo_from_hlo(computation: XlaComputation) -> bytes:
    """Returns the StableHLO bytecode of an HLO computation."""
    return _jax.mlir.hlo_to_stablehlo(computation.as_serialized_hlo_module_proto())


def memory_stats_dict(stats: Any) -> dict[str, int]:
    """Returns memory statistics as plain numbers [bytes]; the names differ a little between versions."""
    return {
        name: value
        for name in dir(stats)
        if not name.startswith("_") and isinstance(value := getattr(stats, name), int)
    }
