"""Jaxprs of our engine as the explorer's plain data: equations with their paths and places, text, the user's source.

What lives here: reading a jaxpr and a function's source. What must not: tracing, lowering, compiling.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from types import CodeType
from typing import Any

from jaxnb.doc import layout
from jaxnb.engine.core.jaxpr import Jaxpr, JaxprEqn, Literal, sub_jaxprs
from jaxnb.engine.core.printer import WIDTH, PrintOptions, jaxpr_document
from jaxnb.engine.core.source import is_user_file
from jaxnb.explorer.capture.labels import as_written, cell_of, file_label
from jaxnb.explorer.capture.protocol import CapturedEquation, CapturedSource, SourceSpan, TextSpan
from jaxnb.xla import traceback as tb_door

__all__ = ["Frames", "code_of", "equations_of", "jaxpr_text", "source_of", "walk"]

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

# ---- equations -------------------------------------------------------------------------------------------------------


def walk(jaxpr: Jaxpr, prefix: str) -> Iterator[tuple[str, JaxprEqn]]:
    for eqn in jaxpr.eqns:
        path = f"{prefix}q{eqn.id}"
        yield path, eqn
        if eqn.primitive.name in CALLS:
            for sub in sub_jaxprs(eqn):
                yield from walk(sub, f"{path}/")


def code_of(fun: Callable[..., Any]) -> CodeType | None:
    """Returns the code of the user's function that a callable stands for."""
    while hasattr(fun, "__wrapped__") or (not hasattr(fun, "__code__") and hasattr(fun, "func")):
        fun = fun.__wrapped__ if hasattr(fun, "__wrapped__") else fun.func  # pyright: ignore[reportFunctionMemberAccess]
    return getattr(fun, "__code__", None)


class Frames:
    """Captured stacks as source spans, innermost first, from the operation to the explored function."""

    def __init__(self, fun: Callable[..., Any] | CodeType | None):
        self.code = fun if fun is None or isinstance(fun, CodeType) else code_of(fun)
        self.found: dict[int, tuple[SourceSpan, ...]] = {}
        self.kept: list[Any] = []
        self.starts: dict[str, set[int]] = {}
        self.users: dict[int, bool] = {}
        self.spans: dict[tuple[int, int], SourceSpan] = {}

    def _span(self, code: CodeType, lasti: int) -> SourceSpan:
        span = self.spans.get((id(code), lasti))
        if span is None:
            f = tb_door.resolve(code, lasti)
            span = SourceSpan(f.file, f.line, f.end_line, f.col_start, f.col_end, f.function)
            self.spans[id(code), lasti] = span
        return span

    def of(self, traceback: Any) -> tuple[SourceSpan, ...]:
        """Returns the user's frames of a capture."""
        if traceback is None:
            return ()
        spans = self.found.get(id(traceback))
        if spans is None:
            out = []
            # Most frames are the engine's: they are told by their code, and only the user's are resolved.
            for code, lasti in zip(*tb_door.raw_frames(traceback), strict=True):
                is_users = self.users.get(id(code))  # hashing a code object looks at all of its constants
                if is_users is None:
                    is_users = self.users[id(code)] = is_user_file(code.co_filename)
                    if is_users:
                        self.starts.setdefault(code.co_filename, set()).add(code.co_firstlineno)
                if is_users:
                    out.append(self._span(code, lasti))
                if code is self.code:
                    break
            spans = self.found[id(traceback)] = tuple(out)
            self.kept.append(traceback)  # keeps the id from being used again
        return spans


def equations_of(jaxpr: Jaxpr, root: str, frames: Frames) -> Iterator[CapturedEquation]:
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
            spans = frames.of(info.traceback) + outer
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


def jaxpr_text(jaxpr: Jaxpr, equations: Sequence[CapturedEquation]) -> tuple[str, tuple[TextSpan, ...]]:
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


# ---- source ----------------------------------------------------------------------------------------------------------


def source_of(
    fun: Callable[..., Any] | CodeType, equations: Sequence[CapturedEquation], frames: Frames
) -> CapturedSource | None:
    """Returns the function's source; with it, of the same file, the lines where its equations were made."""
    code = fun if isinstance(fun, CodeType) else code_of(fun)
    if code is None:
        return None
    try:
        lines, first = inspect.getsourcelines(code)
        whole = inspect.findsource(code)[0]
    except (OSError, TypeError):
        return None
    first = max(first, 1)
    last = first + len(lines) - 1
    file = code.co_filename
    cell = cell_of(file)
    if cell is not None:
        whole = as_written(whole, cell)
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
    text = "".join(whole[first - 1 : last]).rstrip("\n")
    return CapturedSource(text=text, first_line=first, file=file, label=file_label(file), cell=cell)
