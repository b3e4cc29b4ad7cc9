"""The adapter to our own engine: from a function and its arguments to the explorer's plain data.

This and the other ``engine_…`` modules beside it are the only ones of the explorer that reach into the engine.
"""

from __future__ import annotations

import functools
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import CodeType
from typing import Any

from jaxnb.base import config, heap
from jaxnb.base.collection import collection_paused, collection_rare
from jaxnb.engine.api.jit import info_of, jit_info
from jaxnb.engine.api.transfer import block_until_ready
from jaxnb.engine.core.functions import held
from jaxnb.engine.core.jaxpr import DebugInfo, Jaxpr
from jaxnb.engine.runtime import history
from jaxnb.engine.runtime.arrays import ArrayImpl, device_of
from jaxnb.engine.runtime.call_devices import place_call
from jaxnb.engine.runtime.dispatch import JitInfo, TracedCall, adopt_program, trace_call
from jaxnb.engine.runtime.executable import CompiledProgram, LoweredProgram, compile_options, lower_jaxpr
from jaxnb.engine.runtime.nan_checks import check_result
from jaxnb.engine.runtime.placement import put
from jaxnb.engine.runtime.signature import CallCache
from jaxnb.engine.transforms.constants import with_constvars
from jaxnb.engine.transforms.dependent import record_executed
from jaxnb.explorer.capture.engine_constants import captured_constants, constants_of
from jaxnb.explorer.capture.engine_jaxpr import Frames, equations_of, jaxpr_text, source_of
from jaxnb.explorer.capture.engine_program import jaxpr_program
from jaxnb.explorer.capture.engine_signature import captured_signature
from jaxnb.explorer.capture.labels import name_cells as name_cells
from jaxnb.explorer.capture.program import Program
from jaxnb.explorer.capture.protocol import (
    CapturedArgument,
    CapturedCompilation,
    CapturedExecution,
    CapturedLowering,
    CapturedRun,
    CapturedTrace,
)
from jaxnb.explorer.capture.signature import CapturedParameter
from jaxnb.numpy import array_methods as array_methods  # so that no trace's time has the import in it
from jaxnb.xla import array as array_door
from jaxnb.xla import compile as compile_door
from jaxnb.xla import pytree
from jaxnb.xla.client import Device, backend
from jaxnb.xla.hlo import module_cost_analysis
from jaxnb.xla.mlir import lowering_context, module_text, module_to_bytecode
from jaxnb.xla.version import JAXLIB_VERSION_TEXT

__all__ = ["EngineFrontEnd", "name_cells", "trace_of"]


MOST_RERUN_S = 0.02
"""A program that runs longer than this is run once [s]."""

RUNS_AGAIN = 4

_measured = threading.Lock()
"""Two programs that are lowered at once would count each other's memory."""


class EngineFrontEnd:
    """A function of ours and the arguments to look at it with.

    Args:
        fun: A function, jitted or not.
        args: Its arguments.
        kwargs: Its keyword arguments.
        compiler_options: XLA's options by name.
        title: What to call the program; by default the function's name.
        is_fresh: Whether to trace anew, whatever was traced before; what is compiled then serves no later call.
    """

    def __init__(
        self,
        fun: Callable[..., Any],
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        compiler_options: Mapping[str, Any] | None = None,
        title: str | None = None,
        is_fresh: bool = False,
    ):
        known = info_of(fun)
        self.info: JitInfo = known if known is not None else _plain_info(fun)
        if compiler_options:
            merged = {**dict(self.info.compiler_options), **compiler_options}
            self.info = self.info._replace(compiler_options=tuple(sorted(merged.items())))
        self.fun = self.info.fun
        if is_fresh:
            self.info = _anew(self.info)
        self.args = tuple(args)
        self.kwargs = dict(kwargs)
        self.title = title or self.info.name
        self.call: TracedCall | None = None
        self.lowered: LoweredProgram | None = None
        self.cost: Mapping[str, float] | None = None

    # -- trace -------------------------------------------------------------------------------------------------------

    def trace(self) -> CapturedTrace:
        """Traces the function, or takes the trace that an earlier call left."""
        newest = max((record.number for record in history.records()[-1:]), default=0)
        start = time.perf_counter()
        with record_executed() as rows, collection_rare():
            call = self.call = trace_call(self.info, self.args, self.kwargs)
        seconds = time.perf_counter() - start
        jaxpr = call.traced.jaxpr
        if not config.omnistaging.value and "executed" not in jaxpr._cache:
            record = call.traced.record
            if record is not None and record.number <= newest:
                # It was traced when nobody looked: what was executed then comes to light when it is traced again.
                with record_executed() as rows:
                    trace_call(_anew(self.info), self.args, self.kwargs)
            jaxpr._cache["executed"] = tuple(rows)
        frames = Frames(self.fun)
        self.place = place_call(self.info, call)
        with collection_paused():
            captured, self.constant_ids = trace_of(
                jaxpr, call.traced.debug_info, self.fun, frames, call.avals
            )
        captured = self.captured = replace(
            captured,
            title=self.title,
            device=_said(self.place.devices),
            seconds=seconds,
            executed=tuple(
                CapturedExecution(
                    row.primitive,
                    row.out_types,
                    row.size_bytes,
                    next(iter(frames.of(row.source.traceback)), None),
                )
                for row in jaxpr._cache.get("executed", ())
                if not row.is_staged
            ),
            repeats=sum(row.is_staged for row in jaxpr._cache.get("executed", ())),
        )
        return captured

    def program(self) -> Program:
        """What was traced, in the form that programs are compared in."""
        assert self.call is not None
        jaxpr = self.call.traced.jaxpr
        keys = {value: f"constant:{at}" for at, value in enumerate(self.constant_ids)}
        return jaxpr_program(jaxpr, keys)

    def constant_values(self) -> Sequence[Any]:
        """The arrays that the function captured, in the order of the trace's constants."""
        assert self.call is not None
        return list(constants_of(self.call.traced.jaxpr)[0].values())

    # -- lower -------------------------------------------------------------------------------------------------------

    def lower(self) -> CapturedLowering:
        """Lowers the program with identity tags as locations; the text has none of them."""
        assert self.call is not None
        call, info = self.call, self.info
        with _measured:
            lowering_context()  # one is made every so often, of more than a megabyte: that is not this program's
            before = heap.used_bytes()
            start = time.perf_counter()
            lowered = self.lowered = lower_jaxpr(
                info.name,
                call.traced.jaxpr,
                donated=call.donated,
                keep_unused=info.keep_unused,
                devices=self.place.devices,
                marks=self.place.marks,
                result_paths=_result_paths(call.traced.out_tree),
                tagged=True,
            )
            seconds = time.perf_counter() - start
            module = lowered.module.module
            bytecode = module_to_bytecode(module)
            after = heap.used_bytes()
        history.add_seconds(lowered.record, "lower", seconds)
        text = module_text(module)
        numbers = {key: i for i, key in enumerate(self.constant_ids)}
        parameters = [f"constant:{numbers[id(c)]}" if id(c) in numbers else "" for c in lowered.const_args]
        parameters += [f"argument:{i}" for i, kept in enumerate(lowered.kept) if kept]
        calls_back = lowered.module.callbacks or lowered.module.inspections
        reason = "it calls back into Python" if calls_back else ""
        return CapturedLowering(
            text=text,
            line_names=_line_names(module_text(module, debug_info=True), text.count("\n") + 1),
            module=bytecode,
            parameters=tuple(parameters),
            options=compile_options(lowered, info.compiler_options),
            must_compile_here=reason,
            seconds=seconds,
            host_bytes=None if before is None or after is None else max(0, after - before),
        )

    def signature(self) -> tuple[CapturedParameter, ...]:
        """What became of each argument of what was lowered."""
        assert self.call is not None
        assert self.lowered is not None
        return captured_signature(self.info, self.call, self.lowered, self.captured, self.constant_ids)

    def lowered_cost(self) -> Mapping[str, float]:
        """XLA's own estimates for what was lowered, before any pass."""
        assert self.lowered is not None
        if self.cost is None:
            self.cost = module_cost_analysis(self.lowered.module.bytecode)
        return self.cost

    # -- compile and run ---------------------------------------------------------------------------------------------

    def compile_here(self) -> CapturedCompilation:
        """Compiles in this process."""
        lowered = self.lowered
        assert lowered is not None
        assert self.call is not None
        start = time.perf_counter()
        executable = compile_door.compile_module(
            backend(lowered.devices[0].platform),
            lowered.module.module,
            lowered.devices,
            compile_options(lowered, self.info.compiler_options),
            lowered.module.callbacks,
        )
        seconds = time.perf_counter() - start
        history.add_seconds(lowered.record, "compile", seconds)
        self.executable = adopt_program(self.info, self.call, CompiledProgram(lowered, executable))
        return CapturedCompilation(
            text=executable.hlo_text(),
            executable=None,
            memory=executable.memory_stats(),
            cost=executable.cost_analysis(),
            seconds=seconds,
        )

    def compile_error(self, message: str) -> Exception:
        """Returns the error that compiling in this process would have raised."""
        return compile_door.JaxRuntimeError(message)

    def run(self, compilation: CapturedCompilation) -> CapturedRun:
        """Loads what the worker compiled, hands it to the function's own dispatch, and runs it."""
        lowered, call = self.lowered, self.call
        assert lowered is not None
        assert call is not None
        if compilation.executable is not None:
            executable = compile_door.load_executable(
                backend(lowered.devices[0].platform),
                compilation.executable,
                lowered.devices,
                compile_options(lowered, self.info.compiler_options),
            )
            history.add_seconds(lowered.record, "compile", compilation.seconds)
            self.executable = adopt_program(self.info, call, CompiledProgram(lowered, executable))
        leaves = [
            _copy(x) if donated and type(x) is ArrayImpl else x
            for x, donated in zip(call.leaves, call.donated, strict=True)
        ]
        committed = any(device_of(x) is not None for x in leaves)
        start = time.perf_counter()
        out = self.executable.call(leaves, committed)
        block_until_ready(out)
        seconds = time.perf_counter() - start
        result = pytree.unflatten(call.traced.out_tree, out)
        if config.debug_nans.value or config.debug_infs.value:
            check_result(self.info, self.info.name, self.args, self.kwargs, result)
        best = min([seconds, *self._run_again(leaves, committed, seconds)])
        return CapturedRun(result, seconds, best, tuple(out))

    def _run_again(self, leaves: Sequence[Any], committed: bool, first_s: float) -> Iterator[float]:
        """Yields how long further runs take; none where a run costs much, or does more than compute its result."""
        if (
            first_s > MOST_RERUN_S
            or self.executable.has_effects
            or any(self.call.donated if self.call else ())
        ):
            return
        for _ in range(RUNS_AGAIN):
            start = time.perf_counter()
            block_until_ready(self.executable.call(leaves, committed))
            yield time.perf_counter() - start


def _said(devices: Sequence[Device]) -> str:
    return f"{devices[0].platform}:{','.join(str(device.id) for device in devices)}"


def _plain_info(fun: Callable[..., Any]) -> JitInfo:
    return jit_info(
        held(fun),
        static_argnums=None,
        static_argnames=None,
        donate_argnums=None,
        donate_argnames=None,
        keep_unused=False,
        inline=False,
        device=None,
        compiler_options=None,
    )


def _anew(info: JitInfo) -> JitInfo:
    """Returns the same options for a function object that nothing is remembered of."""
    fun = info.fun

    @functools.wraps(fun)
    def again(*args: Any, **kwargs: Any) -> Any:
        return fun(*args, **kwargs)

    return info._replace(fun=again, calls=CallCache())


def trace_of(
    jaxpr: Jaxpr,
    debug_info: DebugInfo | None,
    fun: Callable[..., Any] | CodeType | None,
    frames: Frames,
    avals: Sequence[Any] | None = None,
) -> tuple[CapturedTrace, list[int]]:
    """Returns a program as plain data, and the identities of the arrays that it captured.

    Args:
        jaxpr: The program.
        debug_info: What messages say of it.
        fun: The function it was traced from, or its code; None where neither is to be had.
        frames: Reads captured stacks.
        avals: The arguments' types; those of the program's parameters by default.
    """
    name = debug_info.func_name if debug_info is not None else "program"
    avals = jaxpr.in_avals if avals is None else avals
    equations = tuple(equations_of(jaxpr, f"jit({name})", frames))
    shown = jaxpr if config.use_simplified_jaxpr_constants.value else with_constvars(jaxpr).jaxpr
    text, spans = jaxpr_text(shown, equations)
    names = (debug_info.arg_names if debug_info is not None else ()) or [
        f"argument {i}" for i in range(len(avals))
    ]
    constants, ids = captured_constants(jaxpr, equations, None if isinstance(fun, CodeType) else fun)
    trace = CapturedTrace(
        function=name,
        title=name,
        source=source_of(fun, equations, frames) if fun is not None else None,
        jaxpr=text,
        jaxpr_spans=spans,
        equations=equations,
        arguments=tuple(
            CapturedArgument(str(n), a.str_short(True), _nbytes(a))
            for n, a in zip(names, avals, strict=False)
        ),
        constants=constants,
        output_types=tuple(a.str_short(True) for a in jaxpr.out_avals),
        output_bytes=sum(_nbytes(a) for a in jaxpr.out_avals),
        versions={"jaxlib": JAXLIB_VERSION_TEXT},
        omnistaging=config.omnistaging.value,
    )
    return trace, ids


def _copy(x: Any) -> Any:
    return put(array_door.to_numpy(x), x.aval, x._sharding, device_of(x) is not None)


def _nbytes(aval: Any) -> int:
    return int(aval.size * getattr(aval.dtype, "itemsize", 4))


def _result_paths(out_tree: Any) -> list[str]:
    tree = pytree.unflatten(out_tree, range(out_tree.num_leaves))
    return [f"result{pytree.keystr(path)}" for path, _ in pytree.flatten_with_path(tree)[0]]


# ---- text of the module ----------------------------------------------------------------------------------------------

_DEFINITION = re.compile(r'^(#loc\d*) = loc\((?:"((?:[^"\\]|\\.)*)")?')
_REFERENCE = re.compile(r" loc\((#loc\d*|unknown)\)$")


def _line_names(text: str, expected: int) -> tuple[str, ...]:
    """Returns for each line of a module the name in the location of the operation that ends there.

    Args:
        text: The module printed with locations.
        expected: How many lines the text without locations has.
    """
    names: dict[str, str] = {}
    body: list[str] = []
    for line in text.split("\n"):
        match = _DEFINITION.match(line)
        if match is not None:
            names[match[1]] = match[2] or ""
        else:
            body.append(line)
    out = []
    for line in body[:expected]:
        match = _REFERENCE.search(line)
        out.append(names.get(match[1], "") if match is not None else "")
    out += [""] * (expected - len(out))
    return tuple(out)
