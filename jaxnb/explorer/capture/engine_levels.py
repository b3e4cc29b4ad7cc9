"""A traced value of ours, looked at from inside of its trace: what it holds, and what Python may do with it.

What lives here: reading tracers, and trying operations on a stand-in of the same type in a trace of its own, so that
nothing is added to the user's. What must not: words about levels, or a tracer in what is returned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from jaxnb.engine.core import dtypes
from jaxnb.engine.core.avals import ShapedArray
from jaxnb.engine.core.jaxpr import DebugInfo, Jaxpr
from jaxnb.engine.core.trace import Tracer, concrete_value, shaped_aval
from jaxnb.engine.transforms.batch import BatchTracer
from jaxnb.engine.transforms.jvp import JVPTracer, TangentTracer
from jaxnb.engine.transforms.stage import StagedTracer, StageTrace, trace_to_jaxpr
from jaxnb.explorer.capture.levels import CapturedAttempt, CapturedLayer, CapturedLevels, CapturedNeighbour
from jaxnb.numpy import zeros

__all__ = ["capture_levels"]

_MOST_SHOWN = 8  # elements of a value, rows of a loop
_MOST_LINES = 12
_REFUSED = "refused"  # by which error depends on the version of JAX


def capture_levels(x: Any) -> CapturedLevels:
    """What is known of a value, traced or not, at this moment.

    Raises:
        TypeError: ``x`` is no array, number or traced value.
    """
    try:
        aval = shaped_aval(x)
    except TypeError:
        aval = None
    if not isinstance(aval, ShapedArray):
        raise TypeError(
            "explore_levels takes one array, number or traced value, "
            f"and was given a {type(x).__name__}. Of a dictionary or a list, give it one of the leaves."
        )
    known = concrete_value(x)
    is_as_given = dtypes.is_extended(aval.dtype) or (known is x and not hasattr(x, "dtype"))
    value = known if known is None or is_as_given else np.asarray(known).astype(aval.dtype)
    return CapturedLevels(
        type=_short(aval),
        dtype=aval.dtype.name,
        is_weak=aval.weak_type,
        shape=aval.shape,
        sized_type=_sized(aval, aval.shape),
        value="" if known is None else _value_text(value),
        layers=tuple(_layers(x)),
        attempts=tuple(_tried(one, aval, value) for one in _attempts(aval)),
        neighbours=tuple(_neighbours(aval)),
    )


def _short(aval: ShapedArray) -> str:
    return ("~" if aval.weak_type else "") + aval.str_short(True)


def _sized(aval: ShapedArray, shape: tuple[int, ...]) -> str:
    """The type of this shape with the first size as ``n``, which JAX takes to be at least 1."""
    if not shape or not shape[0]:
        return ""
    return (
        f"{_short(ShapedArray((), aval.dtype, aval.weak_type))[:-2]}[{','.join(['n', *map(str, shape[1:])])}]"
    )


def _value_text(value: Any) -> str:
    if np.size(value) > _MOST_SHOWN:
        return f"{np.size(value):,} numbers"
    return " ".join(str(value).split())


# ---- stand-ins -------------------------------------------------------------------------------------------------------


def _layers(x: Any) -> Iterator[CapturedLayer]:
    while isinstance(x, Tracer):
        name = repr(x).partition("(")[0]  # as it calls itself, not as its class is called
        if isinstance(x, StagedTracer) and isinstance(x._trace, StageTrace):
            info = x._trace.debug_info
            made_by = info.traced_for if info is not None else "a trace"
            yield CapturedLayer(name, made_by, _short(x.aval), _variable(x, x._trace), _program(x, x._trace))
            return
        if isinstance(x, BatchTracer):
            whole = shaped_aval(x.value)
            holds = f"{whole.shape[x.dim]} values at once, stacked along axis {x.dim} of {_short(whole)}"
            yield CapturedLayer(name, "vmap", _short(x.aval), holds)
            x = x.value
        elif isinstance(x, TangentTracer):
            made_by = "jvp" if isinstance(x, JVPTracer) else "grad"
            yield CapturedLayer(name, made_by, _short(x.aval), "a primal, which is the next, and a tangent")
            x = x.primal
        else:
            yield CapturedLayer(name, "a trace", _short(x.aval), "what only its own trace knows")
            return
    yield CapturedLayer("a plain value", "", _short(shaped_aval(x)), _value_text(x))


def _variable(x: StagedTracer, trace: StageTrace) -> str:
    info = trace.debug_info
    function = f" of {info.func_name}" if info is not None and info.func_name else ""
    for at, variable in enumerate(trace.invars):
        if variable is x.atom:
            names = info.arg_names if info is not None else ()
            name = names[at] if at < len(names) else None
            return f"a variable of the jaxpr: argument {name or at}{function}"
    for eqn in reversed(trace.eqns):
        if any(one is x.atom for one in eqn.outvars):
            return f"a variable of the jaxpr: the result of {eqn.primitive.name}"
    return "a variable of the jaxpr"


def _program(x: StagedTracer, trace: StageTrace) -> str:
    constvars = [v for v, _ in trace.constvars.values()]
    so_far = Jaxpr(constvars, list(trace.invars), [x.atom], list(trace.eqns), trace.effects, trace.debug_info)
    lines = str(so_far).split("\n")
    if len(lines) > _MOST_LINES:
        half = _MOST_LINES // 2
        lines = [*lines[:half], f"  … {len(lines) - 2 * half} more lines", *lines[-half:]]
    return "\n".join(lines)


# ---- attempts --------------------------------------------------------------------------------------------------------


class _Attempt(NamedTuple):
    code: str
    asks: str
    run: Callable[[Any], Any]
    with_size: str = ""
    """What JAX's own symbolic sizes give; where empty, what the type gives."""


def _attempts(aval: ShapedArray) -> Iterator[_Attempt]:
    shape = aval.shape
    rest = ", ".join(map(str, shape[1:]))
    yield _Attempt("x.dtype", "type", lambda x: x.dtype)
    yield _Attempt("x.ndim", "type", lambda x: x.ndim)
    yield _Attempt("x.shape", "type", lambda x: x.shape, f"(n, {rest})" if rest else "(n,)")
    if shape:
        yield _Attempt("2 * x.shape[0]", "type", lambda x: 2 * x.shape[0], "2*n")
        yield _Attempt("len(x)", "type", len, _REFUSED)
        if shape[0] <= _MOST_SHOWN and not dtypes.is_extended(aval.dtype):
            yield _Attempt("[row for row in x]", "type", list, _REFUSED)
    if dtypes.is_extended(aval.dtype):
        return
    yield _Attempt("jnp.zeros(x.shape)", "program", lambda x: zeros(x.shape), _traced_size(shape))
    yield _Attempt("x + 1", "program", lambda x: x + 1, f"traced {_sized(aval, shape)}")
    if shape and shape[0]:
        yield _Attempt("x[0]", "program", lambda x: x[0])
    if shape:
        yield _Attempt("if (x > 0).all(): …", "value", lambda x: bool((x > 0).all()))
        if len(shape) == 1:
            yield _Attempt("x[x > 0]", "value", lambda x: x[x > 0])
    else:
        yield _Attempt("if x > 0: …", "value", lambda x: bool(x > 0))
        name = {"b": "bool", "i": "int", "u": "int", "c": "complex"}.get(aval.dtype.kind, "float")
        number = {"bool": bool, "int": int, "float": float, "complex": complex}[name]
        yield _Attempt(f"{name}(x)", "value", number)
        if name == "int":
            yield _Attempt("for _ in range(x): …", "value", range)
            yield _Attempt("[10, 20][x % 2]", "value", lambda x: [10, 20][x % 2])
    yield _Attempt("np.asarray(x)", "value", np.asarray)


def _traced_size(shape: tuple[int, ...]) -> str:
    return f"traced f32[{','.join(['n', *map(str, shape[1:])])}]"


def _tried(attempt: _Attempt, aval: ShapedArray, value: Any) -> CapturedAttempt:
    found: list[str] = []

    def run(x: Any) -> list[Any]:
        found.append(_outcome(attempt.run(x)))
        return []

    try:
        # A trace of its own, of which nothing is kept: the user's has no equation more for it.
        trace_to_jaxpr(run, [aval], DebugInfo("explore_levels", attempt.code, "x", ("x",)), stage_all=True)
        refused = ""
    except Exception as error:
        refused = type(error).__name__
    with_value = ""
    if value is not None:
        # Asked of NumPy: an operation of the engine's would be written into the trace that is going on.
        is_operation = attempt.asks == "program"
        with_value = "done at once" if is_operation else _outcome_of(attempt.run, _as_scalar(value))
    return CapturedAttempt(
        code=attempt.code,
        asks=attempt.asks,
        with_value=with_value,
        with_type=refused or found[0],
        is_refused=bool(refused),
        with_size=(attempt.with_size or (_REFUSED if refused else found[0]))
        if _sized(aval, aval.shape)
        else "",
    )


def _as_scalar(value: Any) -> Any:
    return value[()] if isinstance(value, np.ndarray) and not value.ndim else value


def _outcome_of(run: Callable[[Any], Any], value: Any) -> str:
    try:
        return _outcome(run(value))
    except Exception as error:
        return type(error).__name__


def _outcome(result: Any) -> str:
    if isinstance(result, Tracer):
        return f"traced {_short(result.aval)}"
    if isinstance(result, list) and result and isinstance(result[0], Tracer | np.ndarray | np.generic):
        kind = "traced values" if isinstance(result[0], Tracer) else "values"
        return f"{len(result)} {kind}"
    if isinstance(result, np.ndarray | np.generic):
        return _value_text(np.asarray(result))
    return str(result)


# ---- neighbours ------------------------------------------------------------------------------------------------------


def _neighbours(aval: ShapedArray) -> Iterator[CapturedNeighbour]:
    def neighbour(what: str, other: ShapedArray, is_same: bool = False) -> CapturedNeighbour:
        no_size = (
            other.dtype == aval.dtype
            and other.weak_type == aval.weak_type
            and other.ndim == aval.ndim
            and other.shape[1:] == aval.shape[1:]
        )
        return CapturedNeighbour(what, _short(other), is_same, other is aval or other == aval, no_size)

    yield neighbour("the same value", aval, is_same=True)
    if aval.size:
        yield neighbour("another value of this type", aval)
    if aval.shape:
        first, *rest = aval.shape
        yield neighbour("another size", aval.update(shape=(first + 1, *rest)))
    yield neighbour("one axis more", aval.update(shape=(2, *aval.shape)))
    if dtypes.is_extended(aval.dtype):
        return
    if aval.weak_type:
        yield neighbour("one of a dtype that was asked for", aval.strip_weak_type())
    elif not aval.shape and aval.dtype.kind != "b":
        number = {"i": 0, "u": 0, "c": 0j}.get(aval.dtype.kind, 0.0)
        yield neighbour("a Python number", shaped_aval(number))
    other = np.dtype(np.int32 if aval.dtype != np.int32 else np.float32)
    yield neighbour("another dtype", aval.update(dtype=other))
