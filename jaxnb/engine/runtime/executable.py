"""Compiled programs: from a jaxpr to something that runs, and running it.

Lives here: compilation for execution, donation, argument checks. Caches by function stand in ``dispatch.py``.
"""

from __future__ import annotations

import contextvars
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from jaxnb.base import config
from jaxnb.engine.core import dtypes
from jaxnb.engine.core.avals import AbstractValue, ShapedArray
from jaxnb.engine.core.effects import ordered
from jaxnb.engine.core.jaxpr import Jaxpr
from jaxnb.engine.ops.host_calls import calling_context
from jaxnb.engine.runtime.arrays import ArrayImpl, default_device, device_of, put_on_device
from jaxnb.engine.runtime.call_devices import Mark
from jaxnb.engine.runtime.capture_report import warn_of_captured
from jaxnb.engine.runtime.donation import Donation, match_donated, on_several_devices, warn_of_unusable
from jaxnb.engine.runtime.key_arrays import key_array
from jaxnb.engine.runtime.lower import LoweredModule, lower_module, symbol_name
from jaxnb.engine.runtime.persistent import compile_or_load
from jaxnb.engine.runtime.placement import put
from jaxnb.engine.runtime.program_shardings import shardings_of_program, what_is_left_open
from jaxnb.engine.transforms.dce import dce_jaxpr
from jaxnb.xla import array as array_door
from jaxnb.xla import compile as compile_door
from jaxnb.xla.client import Device
from jaxnb.xla.dispatch import FastpathData

__all__ = ["CompiledProgram", "LoweredProgram", "compile_jaxpr", "compile_options", "lower_jaxpr"]


class LoweredProgram:
    """A module and how its parameters correspond to the program's.

    Attributes:
        name: the function's name.
        jaxpr: the program without dead code and unused parameters.
        in_avals: the types of all parameters, unused ones included.
        kept: which of them the module has.
        donated: which of them may be overwritten.
        donation: what becomes of the kept ones' buffers, and why some cannot be used.
        module: the module, its constants and its callbacks.
        const_args: the captured arrays that are the module's first parameters.
        devices: where it will run.
        marks: what the module says of where each of the kept parameters and each result lies.
        executables: what it was compiled to, by options.
        record: the record of the trace it comes from.
    """

    __slots__ = (
        "const_args",
        "devices",
        "donated",
        "donation",
        "executables",
        "in_avals",
        "jaxpr",
        "kept",
        "marks",
        "module",
        "name",
        "out_avals",
        "record",
    )

    def __init__(
        self,
        name: str,
        jaxpr: Jaxpr,
        in_avals: Sequence[AbstractValue],
        kept: Sequence[bool],
        donated: Sequence[bool],
        donation: Donation,
        module: LoweredModule,
        devices: tuple[Device, ...],
        marks: tuple[Sequence[Mark], Sequence[Mark]] = ((), ()),
        record: Any = None,
    ):
        self.name = name
        self.jaxpr = jaxpr
        self.in_avals = list(in_avals)
        self.kept = list(kept)
        self.donated = list(donated)
        self.donation = donation
        self.module = module
        self.const_args = module.const_args
        self.out_avals = jaxpr.out_avals
        self.devices = devices
        self.marks = marks
        self.executables: dict[Any, CompiledProgram] = {}
        self.record = record


def lower_jaxpr(
    name: str,
    jaxpr: Jaxpr,
    *,
    donated: Sequence[bool] | None = None,
    keep_unused: bool = False,
    devices: Sequence[Device] = (),
    result_paths: Sequence[str] | None = None,
    tagged: bool = False,
    marks: tuple[Sequence[Mark], Sequence[Mark]] = ((), ()),
    platforms: Sequence[str] = (),
) -> LoweredProgram:
    """Returns the module of a program, its dead code and (unless kept) its unused parameters removed.

    Args:
        name: the function's name.
        jaxpr: the program.
        donated: for each parameter, whether its buffer may be reused.
        keep_unused: whether unused parameters stay.
        devices: where it will run; by default on the default device.
        result_paths: where in the function's result each output stands; by default what the program knows itself.
        tagged: whether locations carry equation identities in place of name stacks.
        marks: what the module says of where each parameter and each result lies.
        platforms: the platforms to lower for; by default the device's own.
    """
    on = tuple(devices) or (default_device(),)
    live, kept = dce_jaxpr(jaxpr, [True] * len(jaxpr.outvars), keep_unused)
    warn_of_captured(live)
    may = [False] * len(jaxpr.invars) if donated is None else list(donated)
    donation = match_donated(live.in_avals, live.out_avals, [d for d, k in zip(may, kept, strict=True) if k])
    if len(on) > 1:
        donation = on_several_devices(donation)
        if one_at_a_time := ordered(live.effects):
            raise ValueError(
                f"The following ordered effects are not supported for more than 1 device: {list(one_at_a_time)}"
            )
    if result_paths is None and jaxpr.debug_info is not None:
        result_paths = jaxpr.debug_info.result_paths  # pyright: ignore[reportAssignmentType]
    of_args, of_results = marks
    of_args = [mark for mark, k in zip(of_args, kept, strict=True) if k] if of_args else ()
    module = lower_module(
        name,
        live,
        platforms=tuple(platforms) or (next(iter(on)).platform,),
        devices=on,
        donors=donation.donors,
        result_paths=result_paths,
        tagged=tagged,
        aliases=donation.aliases,
        marks=(of_args, of_results),
    )
    warn_of_unusable(donation.unusable)
    record = jaxpr._cache.get("record")
    return LoweredProgram(
        name, live, jaxpr.in_avals, kept, may, donation, module, on, (of_args, of_results), record
    )


class RuntimeTokens:
    """The tokens of effects that have been started and may not have ended."""

    def __init__(self) -> None:
        self.ordered: dict[Any, Any] = {}
        self.unordered: dict[Any, Any] = {}
        self.aval = ShapedArray((0,), np.dtype(np.bool_))

    def take(self, effect: Any, device: Device) -> Any:
        """Returns the newest token of an ordered effect."""
        found = self.ordered.get((effect, device))
        if found is None:
            found = put_on_device(np.zeros(0, np.bool_), self.aval, device)
        return found

    def wait(self) -> None:
        """Waits until all effects that were started have happened."""
        array_door.block_until_ready(list(self.ordered.values()))
        for token in list(self.unordered.values()):
            token.block_until_ready()
        self.unordered.clear()


runtime_tokens = RuntimeTokens()


def _dtype_of(aval: AbstractValue) -> Any:
    return getattr(aval, "dtype", None)


def _in_memory(aval: AbstractValue) -> AbstractValue:
    """Returns the type of what stands in memory: words, for keys."""
    if not dtypes.is_extended(_dtype_of(aval)):
        return aval
    shape, dtype = dtypes.physical_aval(_dtype_of(aval))
    return ShapedArray((*aval.shape, *shape), dtype)  # pyright: ignore[reportAttributeAccessIssue]


class CompiledProgram:
    """An executable on its devices.

    Attributes:
        in_shardings: where the module's parameters must lie: captured arrays, then the kept arguments.
        out_shardings: where its results will lie.
    """

    __slots__ = (
        "__weakref__",
        "const_args",
        "effects",
        "empty_results",
        "executable",
        "handlers",
        "has_effects",
        "in_avals",
        "in_shardings",
        "key_results",
        "lowered",
        "out_avals",
        "out_shardings",
    )

    def __init__(self, lowered: LoweredProgram, executable: compile_door.Executable):
        self.lowered = lowered
        self.executable = executable
        self.out_avals = lowered.out_avals
        self.in_avals = lowered.in_avals
        self.in_shardings, self.out_shardings = shardings_of_program(lowered, executable)
        self.const_args = [
            put(c, ShapedArray(c.shape, c.dtype), sharding, False)
            for c, sharding in zip(lowered.const_args, self.in_shardings, strict=False)
        ]
        self.effects = ordered(lowered.jaxpr.effects)
        self.has_effects = bool(lowered.module.callbacks)
        self.handlers = self._handlers(False)
        kinds = [_dtype_of(a) for a in self.out_avals]
        self.key_results = [i for i, kind in enumerate(kinds) if dtypes.is_extended(kind)]
        self.empty_results = [i for i, kind in enumerate(kinds) if kind == dtypes.float0]

    def _handlers(self, committed: bool) -> list[Any]:
        committed = committed or len(self.lowered.devices) > 1
        return [
            array_door.result_handler(_in_memory(a), sharding, committed)
            for a, sharding in zip(self.out_avals, self.out_shardings, strict=True)
        ]

    def committed_handlers(self) -> list[Any]:
        """Returns the handlers for results of committed arguments."""
        return self._handlers(True)

    def call(self, leaves: Sequence[Any], committed: bool = False) -> list[Any]:
        """Returns the results for one value a parameter (dropped parameters included)."""
        args = list(self.const_args)
        shardings = itertools.islice(self.in_shardings, len(args), None)
        for x, aval, kept in zip(leaves, self.in_avals, self.lowered.kept, strict=True):
            if kept:
                sharding = next(shardings)
                if type(x) is ArrayImpl and x._sharding is sharding and not x.is_deleted():
                    args.append(x)
                else:
                    args.append(put(x, aval, sharding, device_of(x) is not None))
        handlers = self.committed_handlers() if committed else self.handlers
        if self.has_effects:
            out = self._call_with_effects(args, handlers)
        else:
            out = self.executable.execute_sharded(args).consume_with_handlers(handlers)
        for i in self.key_results:
            out[i] = key_array(self.out_avals[i].dtype._impl, out[i])  # pyright: ignore[reportAttributeAccessIssue]
        for i in self.empty_results:  # no device has such elements
            out[i] = np.zeros(self.out_avals[i].shape, dtypes.float0)  # pyright: ignore[reportAttributeAccessIssue]
        return out

    def _call_with_effects(self, args: list[Any], handlers: list[Any]) -> list[Any]:
        """Runs a program that calls back: ordered effects wait for their tokens, and someone can wait for all."""
        device = self.lowered.devices[0]
        calling_context.context = contextvars.copy_context()
        tokens = [runtime_tokens.take(e, device) for e in self.effects]
        results = self.executable.execute_sharded([*tokens, *args], with_tokens=True)
        runtime_tokens.unordered[device] = results.consume_token()
        here = array_door.single_device_sharding(device)
        token_handler = array_door.result_handler(runtime_tokens.aval, here, False)
        out = results.consume_with_handlers([*[token_handler] * len(self.effects), *handlers])
        for effect, token in zip(self.effects, out, strict=False):
            runtime_tokens.ordered[effect, device] = token
        return out[len(self.effects) :]

    def fastpath(self, out_tree: Any, committed: bool) -> FastpathData | None:
        """Returns what C++ needs to run later calls alone; None for one that calls back or returns what Python makes."""
        if self.has_effects or self.key_results or self.empty_results:
            return None
        committed = committed or len(self.lowered.devices) > 1
        return FastpathData(
            self.executable.raw,
            out_tree,
            self.in_shardings,
            self.out_shardings,
            self.out_avals,
            [committed] * len(self.out_avals),
            [True] * len(self.const_args) + self.lowered.kept,
            [None] * len(self.in_shardings),
            self.const_args,
        )


def compile_options(
    lowered: LoweredProgram, compiler_options: Sequence[tuple[str, Any]] = ()
) -> compile_door.CompileOptions:
    """Returns how a lowered program is compiled: on its devices, layouts and what it does not say left to XLA."""
    of_params, of_results = what_is_left_open(lowered)
    return compile_door.CompileOptions.create(
        [device.id for device in lowered.devices],
        num_partitions=len(lowered.devices),
        compiler_options=dict(compiler_options),
        propagate_to_outputs=of_results,
        propagate_to_parameters=of_params,
        disable_most_optimizations=config.disable_most_optimizations.value,
    )


def compile_jaxpr(
    lowered: LoweredProgram, compiler_options: Sequence[tuple[str, Any]] = ()
) -> CompiledProgram:
    """Returns the executable of a lowered program.

    Raises:
        JaxRuntimeError: where XLA refuses the program or an option.
    """
    options = compile_options(lowered, compiler_options)
    name = f"jit_{symbol_name(lowered.name)}"
    return CompiledProgram(lowered, compile_or_load(name, lowered.module, lowered.devices, options))
