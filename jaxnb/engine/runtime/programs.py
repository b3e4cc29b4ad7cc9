"""Lowered and compiled programs, each made once: remembered by jaxpr, options and settings.

Lives here: the two caches, the log line of a compilation, and executables that were compiled elsewhere. How a program is
lowered and run is in ``executable.py``.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, NamedTuple

from jaxnb.base import config
from jaxnb.engine.core.avals import ShapedArray
from jaxnb.engine.core.jaxpr import Jaxpr
from jaxnb.engine.runtime import history
from jaxnb.engine.runtime.call_devices import Mark, Placement, place_call, shardings_of_arguments
from jaxnb.engine.runtime.constants import jaxpr_const_args
from jaxnb.engine.runtime.executable import CompiledProgram, LoweredProgram, compile_jaxpr, lower_jaxpr
from jaxnb.engine.runtime.program_shardings import marks_of_constants
from jaxnb.engine.runtime.signature import UNSPECIFIED, JitInfo
from jaxnb.engine.runtime.timing import COMPILE, LOWER, log_level, timed
from jaxnb.engine.runtime.traces import TracedCall
from jaxnb.engine.transforms.dce import dce_jaxpr
from jaxnb.xla.client import Device
from jaxnb.xla.state import trace_context as settings_context

__all__ = [
    "ProgramKey",
    "adopt_program",
    "compiled",
    "compiled_call",
    "compiled_program",
    "lowered_call",
    "lowered_program",
    "program_key",
]

_log = logging.getLogger(__name__)

CompilerOptions = tuple[tuple[str, Any], ...]


class ProgramKey(NamedTuple):
    """What a program is lowered for, beside the jaxpr itself."""

    name: str
    """The function's name."""
    donated: tuple[bool, ...]
    """For each parameter, whether its buffer may be reused."""
    keep_unused: bool
    """Whether parameters that the program does not use stay."""
    devices: tuple[Device, ...]
    """Where it will run."""
    marks: tuple[tuple[Mark, ...], tuple[Mark, ...]]
    """What the module says of where each parameter and each result lies; empty where it says nothing."""
    platforms: tuple[str, ...]
    """The platforms it is lowered for; empty for the device's own."""
    context: tuple[Any, ...]
    """The values of all settings that change what a program does."""


def program_key(
    name: str,
    donated: tuple[bool, ...],
    keep_unused: bool,
    devices: tuple[Device, ...],
    marks: tuple[tuple[Mark, ...], tuple[Mark, ...]] = ((), ()),
    platforms: tuple[str, ...] = (),
) -> ProgramKey:
    """Returns the key of a program lowered under the settings of now."""
    return ProgramKey(name, donated, keep_unused, devices, marks, platforms, settings_context())


def _executables(jaxpr: Jaxpr, key: ProgramKey) -> dict[Any, CompiledProgram]:
    """Returns the executables of a program by compiler options; they outlive the module they were compiled from."""
    return jaxpr._cache.setdefault(("executables", key), {})


def lowered_program(jaxpr: Jaxpr, key: ProgramKey, shardings: Sequence[Any] | None = None) -> LoweredProgram:
    """Returns a program's module.

    Args:
        jaxpr: the program.
        key: what it is lowered for.
        shardings: what is known of the parameters' places, for the log.
    """
    found: LoweredProgram | None = jaxpr._cache.get(("lowered", key))
    if found is None:
        level = log_level()
        if _log.isEnabledFor(level):
            _log.log(level, _compiling(jaxpr, key, shardings))
        with timed(LOWER, f"jit({key.name})") as time:
            lowered = lower_jaxpr(
                key.name,
                jaxpr,
                donated=key.donated,
                keep_unused=key.keep_unused,
                devices=key.devices,
                marks=key.marks,
                platforms=key.platforms,
            )
        lowered.executables = _executables(jaxpr, key)
        history.add_seconds(jaxpr._cache.get("record"), "lower", time.seconds)
        return jaxpr._cache.setdefault(("lowered", key), lowered)
    return found


def _compiling(jaxpr: Jaxpr, key: ProgramKey, shardings: Sequence[Any] | None) -> str:
    live, kept = dce_jaxpr(jaxpr, [True] * len(jaxpr.outvars), key.keep_unused)
    consts = jaxpr_const_args(live)
    types = [ShapedArray(c.shape, c.dtype) for c in consts] + live.in_avals
    places = [UNSPECIFIED] * len(jaxpr.invars) if shardings is None else shardings
    placed = [UNSPECIFIED] * len(consts)
    if len(key.devices) > 1:
        placed = [mark or UNSPECIFIED for mark in marks_of_constants(consts, len(key.devices))]
    mapping = placed + [s for s, k in zip(places, kept, strict=False) if k]
    return f"Compiling jit({key.name}) with global shapes and types {tuple(types)}. Argument mapping: {tuple(mapping)}."


def compiled(lowered: LoweredProgram, compiler_options: CompilerOptions) -> CompiledProgram:
    """Returns a lowered program's executable.

    Args:
        lowered: the program.
        compiler_options: XLA's options by name.

    Raises:
        JaxRuntimeError: where XLA refuses the program or an option.
    """
    key = _options_key(compiler_options)
    found = lowered.executables.get(key)
    if found is None:
        with timed(COMPILE, f"jit({lowered.name})") as time:
            program = compile_jaxpr(lowered, compiler_options)
        history.add_seconds(lowered.record, "compile", time.seconds)
        lowered.module.release()
        found = lowered.executables.setdefault(key, program)
    return found


def _options_key(compiler_options: CompilerOptions) -> tuple[Any, ...]:
    return compiler_options, config.disable_most_optimizations.value


def _key_of_call(
    info: JitInfo, call: TracedCall, place: Placement, platforms: tuple[str, ...] = ()
) -> ProgramKey:
    hidden = (False,) * len(call.traced.consts)
    of_args, of_results = place.marks
    marks = (hidden + of_args if of_args else (), of_results)
    return program_key(info.name, hidden + call.donated, info.keep_unused, place.devices, marks, platforms)


def lowered_call(
    info: JitInfo, call: TracedCall, place: Placement, platforms: tuple[str, ...] = ()
) -> LoweredProgram:
    """Returns the module of a traced call; ``platforms`` are those to lower for, if not the device's own."""
    shardings = None
    if _log.isEnabledFor(log_level()):
        shardings = [UNSPECIFIED] * len(call.traced.consts) + shardings_of_arguments(call, place.given_in)
    return lowered_program(call.traced.jaxpr, _key_of_call(info, call, place, platforms), shardings)


def compiled_call(info: JitInfo, call: TracedCall, place: Placement) -> CompiledProgram:
    """Returns the executable of a traced call; a module is made only where there is none yet."""
    known = _executables(call.traced.jaxpr, _key_of_call(info, call, place))
    found = known.get(_options_key(info.compiler_options))
    return compiled(lowered_call(info, call, place), info.compiler_options) if found is None else found


def compiled_program(jaxpr: Jaxpr, key: ProgramKey, compiler_options: CompilerOptions) -> CompiledProgram:
    """Returns the executable of a program that is no call of a jitted function."""
    found = _executables(jaxpr, key).get(_options_key(compiler_options))
    return compiled(lowered_program(jaxpr, key), compiler_options) if found is None else found


def adopt_program(info: JitInfo, call: TracedCall, program: CompiledProgram) -> CompiledProgram:
    """Makes an executable that was compiled elsewhere the one that later calls of the function run.

    One that is there already stays.
    """
    key = _key_of_call(info, call, place_call(info, call))
    return _executables(call.traced.jaxpr, key).setdefault(_options_key(info.compiler_options), program)
