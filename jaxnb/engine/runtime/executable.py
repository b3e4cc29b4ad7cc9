"""Compiled programs: from a jaxpr to something that runs, and running it.

Lives here: compilation for execution, donation, argument checks. Caches by function stand in ``dispatch.py``.
"""

from __future__ import annotations

import contextvars
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from jaxnb.engine.core.avals import AbstractValue, ShapedArray
from jaxnb.engine.core.effects import ordered
from jaxnb.engine.core.jaxpr import Jaxpr
from jaxnb.engine.ops.host_calls import calling_context
from jaxnb.engine.runtime.arrays import ArrayImpl, default_device, device_of, put_on_device
from jaxnb.engine.runtime.lower import LoweredModule, lower_module
from jaxnb.engine.transforms.dce import dce_jaxpr
from jaxnb.xla import array as array_door
from jaxnb.xla import compile as compile_door
from jaxnb.xla.client import Device, backend
from jaxnb.xla.dispatch import FastpathData

__all__ = ["CompiledProgram", "LoweredProgram", "compile_jaxpr", "compile_options", "lower_jaxpr"]


class LoweredProgram:
    """A module and how its parameters correspond to the program's."""

    __slots__ = (
        "aliases",
        "const_args",
        "device",
        "donated",
        "in_avals",
        "jaxpr",
        "kept",
        "module",
        "name",
        "out_avals",
        "unusable",
    )

    def __init__(
        self,
        name: str,
        jaxpr: Jaxpr,
        in_avals: Sequence[AbstractValue],
        kept: Sequence[bool],
        donated: Sequence[bool],
        module: LoweredModule,
        device: Device,
        aliases: Sequence[int | None],
        unusable: Sequence[AbstractValue],
    ):
        self.name = name
        self.jaxpr = jaxpr
        self.in_avals = list(in_avals)
        self.kept = list(kept)
        self.donated = list(donated)
        self.module = module
        self.const_args = module.const_args
        self.out_avals = jaxpr.out_avals
        self.device = device
        self.aliases = list(aliases)
        self.unusable = list(unusable)


def lower_jaxpr(
    name: str,
    jaxpr: Jaxpr,
    *,
    donated: Sequence[bool] | None = None,
    keep_unused: bool = False,
    device: Device | None = None,
    result_paths: Sequence[str] | None = None,
    tagged: bool = False,
) -> LoweredProgram:
    """Returns the module of a program, its dead code and (unless kept) its unused parameters removed."""
    device = default_device() if device is None else device
    live, kept = dce_jaxpr(jaxpr, [True] * len(jaxpr.outvars), keep_unused)
    given = [False] * len(jaxpr.invars) if donated is None else list(donated)
    live_donated = [d for d, k in zip(given, kept, strict=True) if k]
    aliases, unusable = _aliases(live, live_donated)
    module = lower_module(
        name,
        live,
        platform=device.platform,
        donated=live_donated,
        result_paths=result_paths,
        tagged=tagged,
        aliases=aliases,
    )
    if unusable:
        shapes = ", ".join(a.str_short() for a in unusable)
        warnings.warn(
            f"Some donated buffers were not usable: {shapes}.\nSee an explanation at "
            "https://docs.jax.dev/en/latest/faq.html#buffer-donation.",
            stacklevel=2,
        )
    return LoweredProgram(name, live, jaxpr.in_avals, kept, given, module, device, aliases, unusable)


def _aliases(jaxpr: Jaxpr, donated: Sequence[bool]) -> tuple[list[int | None], list[AbstractValue]]:
    """Returns for each parameter the result that takes its buffer, and the donated types that none can take."""
    free: dict[AbstractValue, list[int]] = {}
    for i, (v, d) in enumerate(zip(jaxpr.invars, donated, strict=True)):
        if d:
            free.setdefault(v.aval.strip_weak_type(), []).append(i)
    out: list[int | None] = [None] * len(jaxpr.invars)
    for j, v in enumerate(jaxpr.outvars):
        waiting = free.get(v.aval.strip_weak_type())
        if waiting:
            out[waiting.pop(0)] = j
    unusable = [jaxpr.invars[i].aval for rest in free.values() for i in rest]
    return out, unusable


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


class CompiledProgram:
    """An executable on one device."""

    __slots__ = (
        "__weakref__",
        "const_args",
        "effects",
        "executable",
        "has_effects",
        "handlers",
        "in_avals",
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
        self.handlers = [array_door.result_handler(a, self.sharding, False) for a in self.out_avals]

    def committed_handlers(self) -> list[Any]:
        """Returns the handlers for results of committed arguments."""
        return [array_door.result_handler(a, self.sharding, True) for a in self.out_avals]

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
            return self._call_with_effects(args, handlers)
        return self.executable.execute_sharded(args).consume_with_handlers(handlers)

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
        """Returns what C++ needs to run later calls alone; None for a program that calls back into Python."""
        if self.has_effects:
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
    )


def compile_jaxpr(
    lowered: LoweredProgram, compiler_options: Sequence[tuple[str, Any]] = ()
) -> CompiledProgram:
    """Returns the executable of a lowered program.

    Raises:
        JaxRuntimeError: where XLA refuses the program or an option.
    """
    device = lowered.device
    module = lowered.module
    executable = compile_door.compile_module(
        backend(device.platform),
        module.module,
        [device],
        compile_options(lowered, compiler_options),
        module.callbacks,
    )
    return CompiledProgram(lowered, executable)
