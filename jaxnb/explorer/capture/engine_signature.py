"""The signature of a lowered program of our engine: what became of each argument.

What lives here: reading it off the call and the module. What must not: lowering.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from jaxnb.engine.core.effects import ordered
from jaxnb.engine.runtime.dispatch import JitInfo, TracedCall
from jaxnb.engine.runtime.executable import LoweredProgram
from jaxnb.explorer.capture.protocol import CapturedTrace
from jaxnb.explorer.capture.signature import CapturedParameter

__all__ = ["captured_signature"]


def captured_signature(
    info: JitInfo,
    call: TracedCall,
    lowered: LoweredProgram,
    trace: CapturedTrace,
    constant_ids: Sequence[int],
) -> tuple[CapturedParameter, ...]:
    """The parameters of a program in their order, then the arguments that are none."""
    first = len(ordered(lowered.jaxpr.effects))
    return (
        *_constants(lowered, trace, constant_ids, first),
        *_arguments(call, lowered, trace, first + len(lowered.const_args)),
        *_statics(info, call),
    )


def _constants(
    lowered: LoweredProgram, trace: CapturedTrace, constant_ids: Sequence[int], first: int
) -> Iterator[CapturedParameter]:
    for place, value in enumerate(lowered.const_args):
        at = list(constant_ids).index(id(value)) if id(value) in constant_ids else -1
        known = trace.constants[at] if at >= 0 else None
        yield CapturedParameter(
            path=known.name if known is not None else "a captured array",
            type=known.type if known is not None else f"{value.dtype}{list(value.shape)}",
            kind="constant",
            key=f"constant:{at}" if at >= 0 else "",
            parameter=first + place,
        )


def _arguments(
    call: TracedCall, lowered: LoweredProgram, trace: CapturedTrace, first: int
) -> Iterator[CapturedParameter]:
    donation = lowered.donation
    reasons = {one.parameter: one.reason for one in donation.unusable}
    results = call.traced.debug_info.result_paths or ()
    kept = 0
    for at, argument in enumerate(trace.arguments):
        is_kept = lowered.kept[at] if at < len(lowered.kept) else True
        alias = donation.aliases[kept] if is_kept else None
        remark = ""
        if is_kept and kept in reasons:
            remark = f"the donated buffer cannot be used: {reasons[kept]}"
        elif is_kept and donation.donors[kept]:
            remark = "XLA may use the buffer for another result"
        yield CapturedParameter(
            path=argument.name,
            type=argument.type,
            kind="argument",
            key=f"argument:{at}",
            is_donated=at < len(call.donated) and call.donated[at],
            is_dropped=not is_kept,
            parameter=first + kept if is_kept else -1,
            aliased_to="" if alias is None else _result(results, alias),
            remark=remark if is_kept else "the program does not use it",
        )
        kept += is_kept


def _result(paths: Sequence[Any], number: int) -> str:
    return str(paths[number]) if number < len(paths) and paths[number] else f"result {number}"


def _statics(info: JitInfo, call: TracedCall) -> Iterator[CapturedParameter]:
    names = [p.name for p in info.parameters or ()]
    for where, _, value in call.traced.key.statics:
        name = (
            where if isinstance(where, str) else names[where] if where < len(names) else f"argument {where}"
        )
        yield CapturedParameter(name, repr(value), "static", remark="part of the program, by its value")
