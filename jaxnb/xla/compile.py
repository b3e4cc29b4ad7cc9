"""Compiling a StableHLO module, and what is known about the result.

What must not live here: caches of executables, the layout of arguments, and running (see ``dispatch``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from jaxlib import _hlo, _jax, xla_client

from jaxnb.xla import hlo
from jaxnb.xla.client import Client, Device, device_list
from jaxnb.xla.mlir import ir, parse_module

__all__ = [
    "CompileOptions",
    "Executable",
    "JaxRuntimeError",
    "OptionValue",
    "XlaRuntimeError",
    "compile_module",
    "inspection_key",
    "load_executable",
]

JaxRuntimeError = _jax.JaxRuntimeError
"""The error that XLA raises, at compile time and at run time."""

JaxRuntimeError.__module__ = "jaxnb.errors"  # where users find it, and what a traceback prints

XlaRuntimeError = _jax.JaxRuntimeError
"""The same class under its older name."""

OptionValue: TypeAlias = str | bool | int | float

# What the front end that we imitate asks for; it shows in the header of the optimised module.
_MEMORY_FITTING_LEVEL = 29
_PROFILE_VERSION = -1


@dataclass(frozen=True, slots=True)
class CompileOptions:
    """How to compile: plain data, which can be compared, hashed and sent to another process.

    Attributes:
      device_ids: the devices, replica by replica; there are ``num_replicas * num_partitions``.
      num_replicas: how many copies run the same program on different data.
      num_partitions: over how many devices one copy is partitioned.
      compiler_options: XLA options by name, as ``(name, value)`` pairs.
      propagate_to_outputs: for each output, whether XLA may choose its sharding.
      propagate_to_parameters: for each parameter, whether XLA may choose its sharding.
      use_spmd_partitioning: whether the SPMD partitioner runs.
      use_shardy: whether shardings are propagated by Shardy.
      optimization_level: the level of effort, 0 for the default.
      disable_most_optimizations: whether to skip what costs compile time.
    """

    device_ids: tuple[int, ...] = (0,)
    num_replicas: int = 1
    num_partitions: int = 1
    compiler_options: tuple[tuple[str, OptionValue], ...] = ()
    propagate_to_outputs: tuple[bool, ...] = ()
    propagate_to_parameters: tuple[bool, ...] = ()
    use_spmd_partitioning: bool = True
    use_shardy: bool = True
    optimization_level: int = 0
    disable_most_optimizations: bool = False

    @classmethod
    def create(
        cls,
        device_ids: Sequence[int] = (0,),
        *,
        compiler_options: Mapping[str, OptionValue] | None = None,
        **fields: Any,
    ) -> CompileOptions:
        """Returns options with ``compiler_options`` given as a mapping."""
        pairs = tuple((compiler_options or {}).items())
        return cls(device_ids=tuple(device_ids), compiler_options=pairs, **fields)

    def build(self) -> _jax.CompileOptions:
        """Returns the C++ options.

        Raises:
          TypeError: the value of a compiler option is not a string, bool, int or float.
        """
        options = xla_client.CompileOptions()
        options.num_replicas = self.num_replicas
        options.num_partitions = self.num_partitions
        options.profile_version = _PROFILE_VERSION
        options.device_assignment = xla_client.DeviceAssignment.create(
            np.asarray(self.device_ids, np.int64).reshape(self.num_replicas, self.num_partitions)
        )
        build = options.executable_build_options
        build.use_spmd_partitioning = self.use_spmd_partitioning
        build.use_auto_spmd_partitioning = False
        build.use_shardy_partitioner = self.use_shardy
        build.memory_fitting_level = _MEMORY_FITTING_LEVEL
        build.optimization_level = self.optimization_level
        if self.propagate_to_outputs:
            build.allow_spmd_sharding_propagation_to_output = list(self.propagate_to_outputs)
        if self.propagate_to_parameters:
            build.allow_spmd_sharding_propagation_to_parameters = list(self.propagate_to_parameters)
        debug = build.debug_options
        debug.xla_detailed_logging = False
        if self.disable_most_optimizations:
            debug.xla_backend_optimization_level = 0
            debug.xla_llvm_disable_expensive_passes = True
            debug.xla_test_all_input_layouts = False
        if self.compiler_options:
            options.env_option_overrides = list(self.compiler_options)
        return options

    def to_bytes(self) -> bytes:
        """Returns the options as the serialised protocol buffer that another process can read."""
        return self.build().SerializeAsString()


class Executable:
    """A compiled and loaded program.

    Attributes:
      raw: jaxlib's own object, which the C++ dispatch wants.
      execute_sharded: runs it on a list of arrays; ``.consume_with_handlers(handlers)`` of the result gives
        arrays.
    """

    __slots__ = ("__weakref__", "_modules", "execute_sharded", "raw")

    def __init__(self, raw: _jax.LoadedExecutable) -> None:
        self.raw = raw
        self.execute_sharded: Callable[..., Any] = raw.execute_sharded
        self._modules: list[_hlo.HloModule] | None = None

    def execute(self, args: Sequence[Any], handlers: Sequence[Any]) -> list[Any]:
        """Runs the program on arrays and returns what the handlers make of its results."""
        return self.execute_sharded(args).consume_with_handlers(handlers)

    def hlo_modules(self) -> list[_hlo.HloModule]:
        """Returns the optimised modules, one per partition that differs; on CPU, one."""
        if self._modules is None:
            self._modules = list(self.raw.hlo_modules())
        return self._modules

    def hlo_text(self, options: _hlo.HloPrintOptions | None = None) -> str:
        """Returns the optimised program as HLO text, metadata included unless the options say otherwise."""
        return "\n\n".join(hlo.module_text(module, options) for module in self.hlo_modules())

    def cost_analysis(self) -> dict[str, float]:
        """Returns XLA's estimates: ``flops``, ``bytes accessed``, …"""
        return dict(self.raw.cost_analysis())

    def memory_stats_raw(self) -> _jax.CompiledMemoryStats:
        """Returns jaxlib's own object of sizes; it prints like the one of ``Compiled.memory_analysis()``."""
        return self.raw.get_compiled_memory_stats()

    def memory_stats(self) -> dict[str, int]:
        """Returns the sizes of arguments, outputs, temporaries, … [bytes]."""
        return hlo.memory_stats_dict(self.memory_stats_raw())

    def buffer_assignment(self) -> bytes:
        """Returns the serialised protocol buffer that says where each value lives."""
        return self.memory_stats_raw().serialized_buffer_assignment_proto

    def serialize(self) -> bytes:
        """Returns the program in a form that :func:`load_executable` reads, on the same jaxlib and CPU."""
        return self.raw.serialize()

    @property
    def fingerprint(self) -> bytes | None:
        """A hash of the module; it changes with locations."""
        return self.raw.fingerprint

    def parameter_layouts(self) -> list[tuple[tuple[int, ...], tuple[tuple[int, ...], ...], int]]:
        """Returns each parameter's dimensions from major to minor, its tiles, and the bits of an element below a byte."""
        return [_layout(x) for x in self.raw.get_parameter_layouts()]

    def output_layouts(self) -> list[tuple[tuple[int, ...], tuple[tuple[int, ...], ...], int]]:
        """Returns the same for each result."""
        return [_layout(x) for x in self.raw.get_output_layouts()]

    def parameter_shardings(self) -> list[_hlo.OpSharding] | None:
        """Returns the shardings of the parameters, as protocol buffers, or None for one device."""
        return self.raw.get_parameter_shardings()

    def output_shardings(self) -> list[_hlo.OpSharding] | None:
        """Returns the shardings of the results, as protocol buffers, or None for one device."""
        return self.raw.get_output_shardings()


def _layout(pjrt_layout: Any) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...], int]:
    layout = pjrt_layout._xla_layout()
    return (
        tuple(reversed(layout.minor_to_major())),
        tuple(tuple(t) for t in layout.tiling()),
        layout.element_size_in_bits(),
    )


def compile_module(
    client: Client,
    module: ir.Module | bytes | str,
    devices: Sequence[Device],
    options: CompileOptions,
    host_callbacks: Sequence[Callable[..., Any]] = (),
) -> Executable:
    """Returns the compiled program.

    Args:
      client: whose devices to compile for.
      module: a StableHLO module, its bytecode or its text.
      devices: the devices it will run on, in the order of ``options.device_ids``.
      options: how to compile.
      host_callbacks: the Python functions that the module calls, by index. Each must return a tuple of arrays
        of exactly the declared shapes and dtypes: XLA does not check, and reads out of bounds otherwise.

    Raises:
      JaxRuntimeError: XLA rejects the module, or an option's name or value.
    """
    built = options.build()
    on = device_list(tuple(devices))
    if not host_callbacks:
        return Executable(client.compile_and_load(module, on, built))
    if not isinstance(module, ir.Module):
        module = parse_module(module)
    return Executable(client.compile_and_load(module, on, built, list(host_callbacks)))


def inspection_key(tell: Callable[[Any], None]) -> bytes:
    """Returns the text of an ``InspectSharding`` call with which the compiler calls ``tell`` with an ``HloSharding``.

    It is an address in this process: ``tell`` must be alive when the module is compiled, and compiled here.
    """
    return _jax.encode_inspect_sharding_callback(tell)


def load_executable(
    client: Client,
    data: bytes,
    devices: Sequence[Device],
    options: CompileOptions,
    host_callbacks: Sequence[Callable[..., Any]] = (),
) -> Executable:
    """Returns the program that :meth:`Executable.serialize` wrote.

    jaxlib does not check that ``data`` was written by the same version for the same CPU: the caller must.
    """
    on = device_list(tuple(devices))
    raw = client.deserialize_executable(data, on, options.build(), list(host_callbacks))
    return Executable(raw)
