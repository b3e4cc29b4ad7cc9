"""The program of a function that failed where nothing was recorded: traced once more, or taken from a loop's body.

What lives here: what a traceback still holds of functions and programs. What must not: reading the error itself.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import CodeType, FrameType, TracebackType
from typing import Any

from jaxnb.engine.api.flat import is_arraylike
from jaxnb.engine.api.vmap import vmap
from jaxnb.engine.control.bodies import Body
from jaxnb.engine.core.argument_names import argument_names
from jaxnb.engine.core.functions import fun_name, fun_parameters, fun_src_info
from jaxnb.engine.core.jaxpr import DebugInfo, Jaxpr, Var
from jaxnb.engine.core.source import is_user_file
from jaxnb.engine.core.trace import current_trace_is_eval, shaped_aval
from jaxnb.engine.transforms.stage import StageTrace, trace_to_jaxpr
from jaxnb.explorer.capture.engine_effects import without_side_effects
from jaxnb.explorer.capture.engine_jaxpr import code_of
from jaxnb.xla import pytree

__all__ = ["Again", "ReturnedBody", "body_that_returned", "trace_again"]

_CALLS = {"vmap_f": "vmap", "value_and_grad_f": "grad", "grad_f": "grad"}
"""The functions that a transformation returns, and what messages say of what they trace."""


@dataclass(frozen=True)
class Again:
    """A function that was traced once more.

    Attributes:
        trace: Its program, as far as it came.
        results: What it returned, if it did.
        error: What it raised; None if it returned.
        code: Its code.
        failed_inside: Whether the function itself had raised the error, and not whoever called it.
    """

    trace: StageTrace
    results: Sequence[Any]
    error: Exception | None
    code: CodeType | None
    failed_inside: bool


def trace_again(traceback: TracebackType | None) -> Again | None:
    """Traces the function that was being mapped or differentiated, without its output and its side effects.

    The result is None where the traceback shows no such function, or where it was not called from outside of any trace.
    """
    frame, failed_inside = _called(traceback)
    if frame is None or not current_trace_is_eval():
        return None
    held = frame.f_locals
    fun, args, kwargs = held["fun"], held["args"], held["kwargs"]
    traced_for = _CALLS[frame.f_code.co_name]
    call: Callable[..., Any] = fun
    if traced_for == "vmap":
        names = ("in_axes", "out_axes", "axis_name", "axis_size", "spmd_axis_name")
        call = vmap(fun, **{name: held[name] for name in names if name in held})
    leaves, tree = pytree.flatten((args, kwargs))
    if not all(map(is_arraylike, leaves)):
        return None
    results: list[Any] = []
    traces: list[StageTrace] = []

    def flat(*new: Any) -> list[Any]:
        traces.append(new[0]._trace)
        positional, named = pytree.unflatten(tree, new)
        results.extend(x for x in pytree.flatten(call(*positional, **named))[0] if is_arraylike(x))
        return []

    names = argument_names(fun_parameters(fun), args, kwargs)
    info = DebugInfo(traced_for, fun_src_info(fun), fun_name(fun), names)
    error: Exception | None = None
    with without_side_effects(fun), contextlib.redirect_stdout(io.StringIO()):
        try:
            trace_to_jaxpr(flat, [shaped_aval(x) for x in leaves], info)
        except Exception as raised:
            error = raised
    return Again(traces[0], results, error, code_of(fun), failed_inside) if traces else None


def _called(traceback: TracebackType | None) -> tuple[FrameType | None, bool]:
    """The frame of the first transformed function that the user called, and whether the user's own code failed in it."""
    found: FrameType | None = None
    while traceback is not None:
        frame = traceback.tb_frame
        is_users = is_user_file(frame.f_code.co_filename)
        if (
            found is None
            and not is_users
            and frame.f_code.co_name in _CALLS
            and {"fun", "args", "kwargs"} <= set(frame.f_locals)
        ):
            found = frame
        elif is_users and found is not None:
            return found, True
        traceback = traceback.tb_next
    return found, False


# ---- bodies of loops -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ReturnedBody:
    """The body of a loop that was traced to its end, and returned what the loop cannot take.

    Attributes:
        jaxpr: Its program.
        debug: What messages say of it.
        code: Its code.
        differing: The results that are not of their carry's type; all results where the structures differ.
        frame: The frame of the loop's function.
    """

    jaxpr: Jaxpr
    debug: DebugInfo
    code: CodeType | None
    differing: list[Any]
    leaves: Sequence[Any]

    def given(self, trace: StageTrace) -> Sequence[Any]:
        """What the loop gives to the body's parameters."""
        del trace
        return self.leaves


_BODIES = {"scan": "f", "fori_loop": "body_fun", "while_loop": "body_fun"}
_CARRIES = {"scan": ("init", "xs"), "fori_loop": ("lower", "init_val"), "while_loop": ("init_val",)}


def body_that_returned(error: BaseException, entries: Sequence[TracebackType]) -> ReturnedBody | None:
    """The body that an error about a loop's carry is about."""
    if " carry input and carry output must" not in str(error):
        return None
    frames = [one.tb_frame for one in entries]
    loop = next(
        (
            f
            for f in reversed(frames)
            if f.f_code.co_name in _BODIES and not is_user_file(f.f_code.co_filename)
        ),
        None,
    )
    body = next(
        (
            value
            for f in reversed(frames)
            for value in f.f_locals.values()
            if isinstance(value, Body) and value.debug is not None
        ),
        None,
    )
    if loop is None or body is None:
        return None
    name = loop.f_code.co_name
    leaves = pytree.flatten([loop.f_locals.get(one) for one in _CARRIES[name]])[0]
    fits = len(leaves) == len(body.jaxpr.invars)
    carry = len(pytree.flatten(loop.f_locals.get(_CARRIES[name][-1] if name != "scan" else "init"))[0])
    first = len(body.jaxpr.invars) - carry if name == "fori_loop" else 0
    pairs = zip(
        body.jaxpr.outvars[first : first + carry], body.jaxpr.invars[first : first + carry], strict=False
    )
    differing = [out for out, into in pairs if type(out) is Var and _type(out.aval) != _type(into.aval)]
    results = [out for out in body.jaxpr.outvars if type(out) is Var]
    return ReturnedBody(
        body.jaxpr,
        body.debug,
        code_of(loop.f_locals[_BODIES[name]]),
        list(dict.fromkeys(differing or results)),
        leaves if fits else (),
    )


def _type(aval: Any) -> tuple[Any, Any]:
    return aval.shape, aval.dtype
