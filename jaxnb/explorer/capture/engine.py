"""The adapter to our own engine: from a function and its arguments to the explorer's plain data.

The only module of the explorer that reaches into the engine.
"""

from __future__ import annotations

import inspect
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from jaxnb.doc import layout
from jaxnb.engine.api.jit import info_of, jit_info
from jaxnb.engine.core import dtypes
from jaxnb.engine.core.jaxpr import Jaxpr, JaxprEqn, Literal, sub_jaxprs
from jaxnb.engine.core.printer import WIDTH, PrintOptions, jaxpr_document
from jaxnb.engine.core.source import is_user_file
from jaxnb.engine.runtime.arrays import ArrayImpl, default_device, device_of, put_on_device
from jaxnb.engine.runtime.constants import is_hoistable
from jaxnb.engine.runtime.dispatch import JitInfo, TracedCall, adopt_program, trace_call
from jaxnb.engine.runtime.executable import CompiledProgram, LoweredProgram, compile_options, lower_jaxpr
from jaxnb.explorer.capture.protocol import (
    CapturedArgument,
    CapturedCompilation,
    CapturedConstant,
    CapturedEquation,
    CapturedLowering,
    CapturedRun,
    CapturedSource,
    CapturedTrace,
    SourceSpan,
    TextSpan,
)
from jaxnb.xla import array as array_door
from jaxnb.xla import compile as compile_door
from jaxnb.xla import pytree
from jaxnb.xla import traceback as tb_door
from jaxnb.xla.client import backend
from jaxnb.xla.mlir import module_text, module_to_bytecode
from jaxnb.xla.version import JAXLIB_VERSION_TEXT

__all__ = ["EngineFrontEnd", "name_cells"]

CALLS = frozenset(
    {
        "jit",
        "custom_jvp_call",
        "custom_vjp_call",
        "while",
        "scan",
        "cond",
        "checkpoint",
        "closed_call",
        "core_call",
    }
)
"""Primitives whose operations are those of the programs they call."""

LOOPS = frozenset({"while", "scan"})

MOST_SOURCE_LINES = 600

_cell_of: Callable[[str], int | None] = lambda file: None  # noqa: E731


def name_cells(cell_of: Callable[[str], int | None]) -> None:
    """Says how to find the number of the notebook cell that a file name stands for (None: no cell)."""
    global _cell_of
    _cell_of = cell_of


class EngineFrontEnd:
    """A function of ours and the arguments to look at it with.

    Args:
        fun: A function, jitted or not.
        args: Its arguments.
        kwargs: Its keyword arguments.
        compiler_options: XLA's options by name.
        title: What to call the program; by default the function's name.
    """

    def __init__(
        self,
        fun: Callable[..., Any],
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        compiler_options: Mapping[str, Any] | None = None,
        title: str | None = None,
    ):
        known = info_of(fun)
        self.info: JitInfo = known if known is not None else _plain_info(fun)
        if compiler_options:
            merged = {**dict(self.info.compiler_options), **compiler_options}
            self.info = self.info._replace(compiler_options=tuple(sorted(merged.items())))
        self.args = tuple(args)
        self.kwargs = dict(kwargs)
        self.title = title or self.info.name
        self.call: TracedCall | None = None
        self.lowered: LoweredProgram | None = None

    # -- trace -------------------------------------------------------------------------------------------------------

    def trace(self) -> CapturedTrace:
        """Traces the function, or takes the trace that an earlier call left."""
        start = time.perf_counter()
        call = self.call = trace_call(self.info, self.args, self.kwargs)
        seconds = time.perf_counter() - start
        jaxpr = call.traced.jaxpr
        frames = _Frames(self.info.fun)
        equations = tuple(_equations(jaxpr, f"jit({self.info.name})", frames))
        text, spans = _jaxpr_text(jaxpr, equations)
        names = call.traced.debug_info.arg_names or tuple(f"argument {i}" for i in range(len(call.avals)))
        arguments = tuple(
            CapturedArgument(str(name), aval.str_short(True), _nbytes(aval))
            for name, aval in zip(names, call.avals, strict=False)
        )
        device = self._device()
        return CapturedTrace(
            function=self.info.name,
            title=self.title,
            source=_source(self.info.fun, equations, frames),
            jaxpr=text,
            jaxpr_spans=spans,
            equations=equations,
            arguments=arguments,
            constants=tuple(self._constants(jaxpr, equations)),
            output_types=tuple(a.str_short(True) for a in jaxpr.out_avals),
            output_bytes=sum(_nbytes(a) for a in jaxpr.out_avals),
            device=f"{device.platform}:{device.id}",
            versions={"jaxlib": JAXLIB_VERSION_TEXT},
            seconds=seconds,
        )

    def _device(self) -> Any:
        assert self.call is not None
        chosen = self.info.device or next(
            (d for d in map(device_of, self.call.leaves) if d is not None), None
        )
        return chosen or default_device()

    def _constants(self, jaxpr: Jaxpr, equations: Sequence[CapturedEquation]) -> Iterator[CapturedConstant]:
        users: dict[int, list[str]] = {}
        values: dict[int, Any] = {}
        by_path = {e.path: e for e in equations}
        for path, eqn in _walk(jaxpr, ""):
            for atom in eqn.invars:
                if type(atom) is Literal and getattr(atom.val, "ndim", 0) > 0:
                    values[id(atom.val)] = atom.val
                    users.setdefault(id(atom.val), []).append(path)
        for atom in jaxpr.outvars:
            if type(atom) is Literal and getattr(atom.val, "ndim", 0) > 0:
                values.setdefault(id(atom.val), atom.val)
                users.setdefault(id(atom.val), [])
        self.constant_ids = list(values)
        for key, value in values.items():
            first = by_path.get(users[key][0]) if users[key] else None
            shape = ",".join(map(str, value.shape))
            yield CapturedConstant(
                name=_variable_of(self.info.fun, value) or f"{value.dtype.name}[{shape}]",
                type=f"{_short(value)}[{shape}]",
                nbytes=int(value.nbytes),
                source=first.source if first is not None else None,
                users=tuple(users[key]),
                is_hoisted=is_hoistable(value),
            )

    # -- lower -------------------------------------------------------------------------------------------------------

    def lower(self) -> CapturedLowering:
        """Lowers the program with identity tags as locations; the text has none of them."""
        assert self.call is not None
        call, info = self.call, self.info
        start = time.perf_counter()
        lowered = self.lowered = lower_jaxpr(
            info.name,
            call.traced.jaxpr,
            donated=call.donated,
            keep_unused=info.keep_unused,
            device=self._device(),
            result_paths=_result_paths(call.traced.out_tree),
            tagged=True,
        )
        seconds = time.perf_counter() - start
        module = lowered.module.module
        text = module_text(module)
        numbers = {key: i for i, key in enumerate(self.constant_ids)}
        parameters = [f"constant:{numbers[id(c)]}" if id(c) in numbers else "" for c in lowered.const_args]
        parameters += [f"argument:{i}" for i, kept in enumerate(lowered.kept) if kept]
        reason = "it calls back into Python" if lowered.module.callbacks else ""
        return CapturedLowering(
            text=text,
            line_names=_line_names(module_text(module, debug_info=True), text.count("\n") + 1),
            module=module_to_bytecode(module),
            parameters=tuple(parameters),
            options=compile_options(lowered, info.compiler_options),
            must_compile_here=reason,
            seconds=seconds,
        )

    # -- compile and run ---------------------------------------------------------------------------------------------

    def compile_here(self) -> CapturedCompilation:
        """Compiles in this process."""
        lowered = self.lowered
        assert lowered is not None
        assert self.call is not None
        start = time.perf_counter()
        executable = compile_door.compile_module(
            backend(lowered.device.platform),
            lowered.module.module,
            [lowered.device],
            compile_options(lowered, self.info.compiler_options),
            lowered.module.callbacks,
        )
        seconds = time.perf_counter() - start
        self.program = adopt_program(self.info, self.call, CompiledProgram(lowered, executable))
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
                backend(lowered.device.platform),
                compilation.executable,
                [lowered.device],
                compile_options(lowered, self.info.compiler_options),
            )
            self.program = adopt_program(self.info, call, CompiledProgram(lowered, executable))
        leaves = [
            _copy(x) if donated and type(x) is ArrayImpl else x
            for x, donated in zip(call.leaves, call.donated, strict=True)
        ]
        committed = any(device_of(x) is not None for x in leaves)
        start = time.perf_counter()
        out = self.program.call(leaves, committed)
        array_door.block_until_ready(out)
        seconds = time.perf_counter() - start
        return CapturedRun(pytree.unflatten(call.traced.out_tree, out), seconds)


def _plain_info(fun: Callable[..., Any]) -> JitInfo:
    return jit_info(
        fun,
        static_argnums=None,
        static_argnames=None,
        donate_argnums=None,
        donate_argnames=None,
        keep_unused=False,
        inline=False,
        device=None,
        compiler_options=None,
    )


def _copy(x: Any) -> Any:
    return put_on_device(array_door.to_numpy(x), x.aval, default_device(), device_of(x) is not None)


def _nbytes(aval: Any) -> int:
    return int(aval.size * getattr(aval.dtype, "itemsize", 4))


def _short(value: Any) -> str:
    aval = getattr(value, "aval", None)
    text = aval.str_short(True) if aval is not None else dtypes.short_dtype_name(value.dtype)
    return text.partition("[")[0]


def _variable_of(fun: Callable[..., Any], value: Any) -> str | None:
    """Returns the name under which a function finds a value: in its closure, then in its globals."""
    fun = inspect.unwrap(fun)
    code = getattr(fun, "__code__", None)
    if code is None:
        return None
    for name, cell in zip(code.co_freevars, fun.__closure__ or (), strict=True):
        try:
            if cell.cell_contents is value:
                return name
        except ValueError:  # an empty cell
            continue
    for name in code.co_names:
        if fun.__globals__.get(name) is value:
            return name
    return next(
        (name for name, v in fun.__globals__.items() if v is value and not name.startswith("_")), None
    )


def _result_paths(out_tree: Any) -> list[str]:
    tree = pytree.unflatten(out_tree, range(out_tree.num_leaves))
    return [f"result{pytree.keystr(path)}" for path, _ in pytree.flatten_with_path(tree)[0]]


# ---- equations -------------------------------------------------------------------------------------------------------


def _walk(jaxpr: Jaxpr, prefix: str) -> Iterator[tuple[str, JaxprEqn]]:
    for eqn in jaxpr.eqns:
        path = f"{prefix}q{eqn.id}"
        yield path, eqn
        if eqn.primitive.name in CALLS:
            for sub in sub_jaxprs(eqn):
                yield from _walk(sub, f"{path}/")


class _Frames:
    """Captured stacks as source spans, innermost first, from the operation to the explored function."""

    def __init__(self, fun: Callable[..., Any]):
        self.code = getattr(inspect.unwrap(fun), "__code__", None)
        self.found: dict[int, tuple[SourceSpan, ...]] = {}
        self.kept: list[Any] = []
        self.starts: dict[str, set[int]] = {}

    def of(self, traceback: Any) -> tuple[SourceSpan, ...]:
        """Returns the user's frames of a capture."""
        if traceback is None:
            return ()
        spans = self.found.get(id(traceback))
        if spans is None:
            out = []
            for f in tb_door.frames(traceback):
                if is_user_file(f.file):
                    out.append(SourceSpan(f.file, f.line, f.end_line, f.col_start, f.col_end, f.function))
                    self.starts.setdefault(f.file, set()).add(f.code.co_firstlineno)
                if f.code is self.code:
                    break
            spans = self.found[id(traceback)] = tuple(out)
            self.kept.append(traceback)  # keeps the id from being used again
        return spans


def _equations(jaxpr: Jaxpr, root: str, frames: _Frames) -> Iterator[CapturedEquation]:
    """Yields all equations with their paths, callers before the equations they call."""
    used: set[str] = set()
    _mark_used(jaxpr, "", [True] * len(jaxpr.outvars), used)

    def visit(
        program: Jaxpr, prefix: str, scope: str, outer: tuple[SourceSpan, ...]
    ) -> Iterator[CapturedEquation]:
        made: dict[Any, str] = {}
        for eqn in program.eqns:
            path = f"{prefix}q{eqn.id}"
            info = eqn.source_info
            spans = frames.of(info.traceback) or outer
            stack = str(info.name_stack)
            name = eqn.primitive.name
            calls = name in CALLS
            where = f"{scope}/{stack}" if stack else scope
            yield CapturedEquation(
                path=path,
                primitive=name,
                source=spans[0] if spans else None,
                name_stack=stack,
                op_name=f"{where}/{name}",
                in_types=tuple(a.aval.str_short(True) for a in eqn.invars),
                out_types=tuple(v.aval.str_short(True) for v in eqn.outvars),
                is_leaf=not calls,
                parents=tuple(
                    dict.fromkeys(made[a] for a in eqn.invars if type(a) is not Literal and a in made)
                ),
                callers=spans[1:],
                is_used=path in used,
            )
            made.update((v, path) for v in eqn.outvars)
            if calls:
                inner = eqn.params.get("name")
                inner_scope = (
                    f"{where}/{name}({inner})" if isinstance(inner, str) and name == "jit" else where
                )
                for sub in sub_jaxprs(eqn):
                    yield from visit(sub, f"{path}/", inner_scope, spans)

    yield from visit(jaxpr, "", root, ())


def _mark_used(jaxpr: Jaxpr, prefix: str, wanted: Sequence[bool], used: set[str]) -> list[bool]:
    """Adds the paths of what the wanted results depend on; returns which parameters they depend on."""
    needed = {
        v for v, is_wanted in zip(jaxpr.outvars, wanted, strict=True) if is_wanted and type(v) is not Literal
    }
    for eqn in reversed(jaxpr.eqns):
        outs = [v in needed for v in eqn.outvars]
        if not any(outs) and not eqn.effects:
            continue
        path = f"{prefix}q{eqn.id}"
        used.add(path)
        operands = [True] * len(eqn.invars)
        if eqn.primitive.name in CALLS:
            subs = list(sub_jaxprs(eqn))
            # A loop feeds its results to itself: there, one wanted result may need all.
            fits = (
                eqn.primitive.name not in LOOPS
                and len(subs) == 1
                and len(subs[0].invars) == len(operands)
                and len(subs[0].outvars) == len(outs)
            )
            for sub in subs:
                inner = _mark_used(sub, f"{path}/", outs if fits else [True] * len(sub.outvars), used)
                if fits:
                    operands = inner
        needed.update(
            v
            for v, is_needed in zip(eqn.invars, operands, strict=True)
            if is_needed and type(v) is not Literal
        )
    return [v in needed for v in jaxpr.invars]


def _jaxpr_text(jaxpr: Jaxpr, equations: Sequence[CapturedEquation]) -> tuple[str, tuple[TextSpan, ...]]:
    """Returns the printed program and where each equation stands; one in a shared program stands for all its calls."""
    by_last: dict[str, list[str]] = {}
    for e in equations:
        by_last.setdefault(e.path.rpartition("/")[2], []).append(e.path)
    page = layout(jaxpr_document(jaxpr, PrintOptions(marks=True)), WIDTH)
    spans: list[TextSpan] = []
    for mark in page.marks:
        if mark.role != "equation":
            continue
        last = str(mark.entity).rpartition(".")[2]
        paths = tuple(by_last.get(f"q{last}", ()))
        if paths:
            spans += [TextSpan(s.line, s.start, s.end, paths) for s in page.spans(mark.start, mark.end)]
    return page.text, tuple(spans)


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


# ---- source ----------------------------------------------------------------------------------------------------------


def _source(
    fun: Callable[..., Any], equations: Sequence[CapturedEquation], frames: _Frames
) -> CapturedSource | None:
    """Returns the function's source; with it, of the same file, the lines where its equations were made."""
    fun = inspect.unwrap(fun)
    while not hasattr(fun, "__code__") and hasattr(fun, "func"):
        fun = fun.func  # pyright: ignore[reportFunctionMemberAccess]
    code = getattr(fun, "__code__", None)
    if code is None:
        return None
    try:
        lines, first = inspect.getsourcelines(fun)
        whole = inspect.findsource(fun)[0]
    except (OSError, TypeError):
        return None
    first = max(first, 1)
    last = first + len(lines) - 1
    file = code.co_filename
    cell = _cell_of(file)
    if cell is not None and len(whole) <= MOST_SOURCE_LINES:
        first, last = 1, len(whole)
    else:
        touched = [
            at
            for e in equations
            for span in (e.source, *e.callers)
            if span is not None and span.file == file
            for at in (span.line, span.end_line)
        ]
        low, high = min([first, *touched, *frames.starts.get(file, ())]), max([last, *touched])
        if high - low < MOST_SOURCE_LINES:
            first, last = low, high
    label = f"cell {cell}" if cell is not None else file.rpartition("/")[2]
    text = "".join(whole[first - 1 : last]).rstrip("\n")
    return CapturedSource(text=text, first_line=first, file=file, label=label, cell=cell)
