"""The history of traces of our engine as plain data, and counting calls.

What lives here: reading the records. What must not: what is said about them.
"""

from __future__ import annotations

import functools
import inspect
import sys
from types import MethodType
from typing import Any

from jaxnb.engine.api.jit import info_of
from jaxnb.engine.core.functions import fun_src_info
from jaxnb.engine.core.source import is_user_file
from jaxnb.engine.runtime import history
from jaxnb.explorer.capture.history import CapturedChange, CapturedTraceRecord
from jaxnb.explorer.capture.labels import without_run

__all__ = ["captured_records", "history_mark", "source_of_function", "watch"]

watch = history.watch


def source_of_function(function: Any) -> str:
    """Where a function is defined, as records have it."""
    return fun_src_info(getattr(function, "__wrapped__", function))


def captured_records(source: str | None = None) -> list[CapturedTraceRecord]:
    """The traces of all function objects of one source; of all functions of the user where none is named."""
    wanted = None if source is None else without_run(source)
    return [
        _captured(one)
        for one in history.records()
        if (_is_users(one) if wanted is None else without_run(one.source) == wanted)
    ]


def history_mark() -> tuple[int, int, int]:
    """Something that changes when there is more to tell."""
    records = history.records()
    newest = records[-1].number if records else 0
    done = sum((one.lower_seconds is not None) + (one.compile_seconds is not None) for one in records)
    return newest, done, sum(one.hits for one in records)


def _is_users(record: history.TraceRecord) -> bool:
    return is_user_file(record.source.partition(" at ")[2].rpartition(":")[0])


def _signature(record: history.TraceRecord) -> str:
    """The types of the arguments by name, those that yield to others marked ``~``, and the static ones by value."""
    parts = [
        f"{name}: {'~' if getattr(aval, 'weak_type', False) else ''}{aval.str_short(True)}"
        for name, aval in zip(record.names, record.avals, strict=False)
    ]
    parts += [f"{name}={value}" for name, value in record.statics]
    return ", ".join(parts)


def _captured(record: history.TraceRecord) -> CapturedTraceRecord:
    why = record.why()
    changes = record.changes()
    reads = record.reads if record.is_alive else None
    return CapturedTraceRecord(
        number=record.number,
        name=record.name,
        source=record.source,
        function=record.fun_id,
        signature=_signature(record),
        call=str(record.call_site),
        trace_s=record.trace_seconds,
        lower_s=record.lower_seconds,
        compile_s=record.compile_seconds,
        hits=record.hits,
        is_alive=record.is_alive,
        kinds=why.kinds if why is not None else (),
        differences=tuple(one.replace("({})", "") for one in why.details) if why is not None else (),
        changes=tuple(CapturedChange(*one) for one in changes),
        effects=tuple(CapturedChange(*one) for one in record.reads.effects)
        if record.reads is not None
        else (),
        donated=record.donated,
        compared=len(reads) if reads is not None else 0,
        is_whole=reads is None or reads.is_whole,
        written=_written(reads.function) if reads is not None and changes else "",
    )


def _written(fun: Any) -> str:
    """What the user calls the compiled form of a function: a variable, or an attribute of a class; "" if neither has it."""
    inner = fun
    while isinstance(inner, functools.partial):
        inner = inner.func
    inner = inspect.unwrap(inner) if callable(inner) else inner
    main = vars(sys.modules["__main__"])
    for names in (getattr(inner, "__globals__", main), main):
        for name, value in list(names.items()):
            if not name.startswith("_") and _is_compiled(value, fun):
                return name
        place = getattr(inner, "__qualname__", "").split(".")
        value = names.get(place[0])
        for name in place[1:]:
            value = vars(value).get(name) if isinstance(value, type) else None
        if len(place) > 1 and _is_compiled(value, fun):
            return ".".join(place)
    return ""


def _is_compiled(value: Any, fun: Any) -> bool:
    info = info_of(value)
    # A method is made anew each time it is asked for.
    return info is not None and (info.fun is fun or (isinstance(fun, MethodType) and info.fun == fun))
