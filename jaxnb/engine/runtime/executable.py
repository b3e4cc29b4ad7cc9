"""Compiled programs: from a jaxpr to something that runs, and running it.

Lives here: compilation for execution, donation, argument checks. Caches by function stand in ``dispatch.py``.
"""

from __future__ import annotations

import contextvars
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
from jaxnb.engine.runtime.capture_report import warn_of_captured
from jaxnb.engine.runtime.donation import Donation, match_donated, warn_of_unusable
from jaxnb.engine.runtime.key_arrays import key_array
from jaxnb.engine.runtime.lower import LoweredModule, lower_module, symbol_name
from jaxnb.engine.runtime.persistent import compile_or_load
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
        device: where it will run.
        executables: what it was compiled to, by options.
        record: the record of the trace it comes from.
    """

    __slots__ = (
        "const_args",
        "device",
        "donated",
        "donation",
        "executables",
        "in_avals",
        "jaxpr",
        "kept",
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
        device: Device,
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
        self.device = device
        self.executables: dict[Any, CompiledProgram] = {}
        self.record = record


def lower_jaxpr(
    name: str,
    jaxpr: Jaxpr,
    *,
    donated: Sequence[bool] | None = None,
    keep_unused: bool = False,
    device: Device | None = None,
    result_paths: Sequence[str] | None = None,
    tagged: bool = False,
    given: tuple[Sequence[bool], Sequence[bool]] = ((), ()),
    platforms: Sequence[str] = (),
) -> LoweredProgram:
    """Returns the module of a program, its dead code and (unless kept) its unused parameters removed.

    Args:
        name: the function's name.
        jaxpr: the program.
        donated: for each parameter, whether its buffer may be reused.
        keep_unused: whether unused parameters stay.
        device: where it will run.
        result_paths: where in the function's result each output stands; by default what the program knows itself.
        tagged: whether locations carry equation identities in place of name stacks.
        given: for each parameter and each result, whether the user said where it is.
        platforms: the platforms to lower for; by default the device's own.
    """
    device = default_device() if device is None else device
    live, kept = dce_jaxpr(jaxpr, [True] * len(jaxpr.outvars), keep_unused)
    warn_of_captured(live)
    may = [False] * len(jaxpr.invars) if donated is None else list(donated)
    donation = match_donated(live.in_avals, live.out_avals, [d for d, k in zip(may, kept, strict=True) if k])
    if result_paths is None and jaxpr.debug_info is not None:
        result_paths = jaxpr.debug_info.result_paths  # pyright: ignore[reportAssignmentType]
    given_in, given_out = given
    module = lower_module(
        name,
        live,
        platforms=tuple(platforms) or (device.platform,),  # pyright: ignore[reportOptionalMemberAccess]
        donors=donation.donors,
        result_paths=result_paths,
        tagged=tagged,
        aliases=donation.aliases,
        given_in=[g for g, k in zip(given_in, kept, strict=True) if k] if given_in else (),
        given_out=given_out,
    )
    warn_of_unusable(donation.unusable)
    record = jaxpr._cache.get("record")
    return LoweredProgram(name, live, jaxpr.in_avals, kept, may, donation, module, device, record)


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
    """An executable on one device."""

    __slots__ = (
        "__weakref__",
        "const_args",
        "effects",
        "empty_results",
        "executable",
        "handlers",
        "has_effects",
        "in_avals",
        "key_results",
        "lowered",
        "out_avals",
        "sharding",
    )

    def __init__(self, lowered: LoweredProgram, executable: compile_door.Executable):
        self.lowered = lowered
        self.executable = executable
        self.sharding = array_door.single_device_sharding(lowered.device)
        self.out_avals = lowered.out_avals
        self.in_avals = lowered.in_avals
        device = lowered.device
        self.const_args = [
            put_on_device(c, ShapedArray(c.shape, c.dtype), device) for c in lowered.const_args
        ]
        self.effects = ordered(lowered.jaxpr.effects)
        self.has_effects = bool(lowered.module.callbacks)
        self.handlers = self._handlers(False)
        kinds = [_dtype_of(a) for a in self.out_avals]
        self.key_results = [i for i, kind in enumerate(kinds) if dtypes.is_extended(kind)]
        self.empty_results = [i for i, kind in enumerate(kinds) if kind == dtypes.float0]

    def _handlers(self, committed: bool) -> list[Any]:
        return [array_door.result_handler(_in_memory(a), self.sharding, committed) for a in self.out_avals]

    def committed_handlers(self) -> list[Any]:
        """Returns the handlers for results of committed arguments."""
        return self._handlers(True)

    def call(self, leaves: Sequence[Any], committed: bool = False) -> list[Any]:
        """Returns the results for one value a parameter (dropped parameters included)."""
        device = self.lowered.device
        args = list(self.const_args)
        sharding = self.sharding
        for x, aval, kept in zip(leaves, self.in_avals, self.lowered.kept, strict=True):
            if kept:
                if type(x) is ArrayImpl and x._sharding is sharding and not x.is_deleted():
                    args.append(x)
                else:
                    args.append(put_on_device(x, aval, device, device_of(x) is not None))  # pyright: ignore[reportArgumentType]
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
        device = self.lowered.device
        calling_context.context = contextvars.copy_context()
        tokens = [runtime_tokens.take(e, device) for e in self.effects]
        results = self.executable.execute_sharded([*tokens, *args], with_tokens=True)
        runtime_tokens.unordered[device] = results.consume_token()
        token_handler = array_door.result_handler(runtime_tokens.aval, self.sharding, False)
        out = results.consume_with_handlers([*[token_handler] * len(self.effects), *handlers])
        for effect, token in zip(self.effects, out, strict=False):
            runtime_tokens.ordered[effect, device] = token
        return out[len(self.effects) :]

    def fastpath(self, out_tree: Any, committed: bool) -> FastpathData | None:
        """Returns what C++ needs to run later calls alone; None for one that calls back or returns what Python makes."""
        if self.has_effects or self.key_results or self.empty_results:
            return None
        n = len(self.const_args)
        sharding = self.sharding
        kept = [True] * n + self.lowered.kept
        n_in = sum(kept)
        return FastpathData(
            self.executable.raw,
            out_tree,
            [sharding] * n_in,
            [sharding] * len(self.out_avals),
            self.out_avals,
            [committed] * len(self.out_avals),
            kept,
            [None] * n_in,
            self.const_args,
        )


def compile_options(
    lowered: LoweredProgram, compiler_options: Sequence[tuple[str, Any]] = ()
) -> compile_door.CompileOptions:
    """Returns how a lowered program is compiled: on its device, layouts and shardings left to XLA."""
    return compile_door.CompileOptions.create(
        [lowered.device.id],
        compiler_options=dict(compiler_options),
        propagate_to_outputs=(True,) * len(lowered.out_avals),
        propagate_to_parameters=(True,) * (len(lowered.const_args) + sum(lowered.kept)),
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
    return CompiledProgram(lowered, compile_or_load(name, lowered.module, lowered.device, options))
