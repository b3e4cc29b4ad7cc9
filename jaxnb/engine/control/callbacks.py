"""Primitives that call back into Python: printing, debugging, pure functions and input/output.

Lives here: the primitives and the functions users call. How a compiled program calls back is in ``ops/host_calls.py``.
"""

from __future__ import annotations

import copy
import logging
import string
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jaxnb.engine.control.repetition import map as loop_map
from jaxnb.engine.core import dtypes, rules
from jaxnb.engine.core.ad import Zero
from jaxnb.engine.core.avals import ShapedArray
from jaxnb.engine.core.effects import (
    Effect,
    debug_effect,
    io_effect,
    ordered_debug_effect,
    ordered_io_effect,
)
from jaxnb.engine.core.rules import Undefined, define
from jaxnb.engine.core.source import is_user_file
from jaxnb.engine.core.trace import shaped_aval
from jaxnb.engine.ops.host_calls import emit_host_call
from jaxnb.engine.ops.joining import concatenate
from jaxnb.engine.ops.shape import broadcast_in_dim, expand_dims, squeeze
from jaxnb.engine.ops.slicing import slice_p
from jaxnb.engine.transforms.batch import axis_size_of, to_dim
from jaxnb.xla import client, pytree
from jaxnb.xla.array import CopySemantics

__all__ = [
    "debug_callback",
    "debug_callback_p",
    "debug_log",
    "debug_print",
    "debug_print_p",
    "io_callback",
    "io_callback_p",
    "pure_callback",
    "pure_callback_p",
]


def _received(values: Sequence[Any]) -> list[Any]:
    """Returns what a callback is given: arrays on the CPU, as those are that users have, and not the program's buffers."""
    if not values:
        return []
    n = len(values)
    place = client.devices("cpu")[0]
    return rules.primitives["device_put"].bind(
        *values, devices=(place,) * n, srcs=(None,) * n, copy_semantics=(CopySemantics.REUSE_INPUT,) * n
    )


class FlatCallback:
    """A user's function of pytrees as a function of flat arrays; equal where the function is the same."""

    def __init__(self, callback_func: Callable[..., Any], in_tree: Any):
        self.callback_func = callback_func
        self.in_tree = in_tree

    def __call__(self, *flat: Any) -> list[Any]:
        args, kwargs = pytree.unflatten(self.in_tree, _received(flat))
        return pytree.flatten(self.callback_func(*args, **kwargs))[0]

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, FlatCallback)
            and self.callback_func is other.callback_func
            and self.in_tree == other.in_tree
        )

    def __hash__(self) -> int:
        return hash((id(self.callback_func), self.in_tree))

    def __repr__(self) -> str:
        return f"_FlatCallback(callback_func={self.callback_func}, in_tree={self.in_tree})"


# ---- one at a time: how callbacks without results are mapped ----------------------------------------------------------


def _element(x: Any, dim: int | None, i: int) -> Any:
    if dim is None:
        return x
    shape = shaped_aval(x).shape
    start = tuple(i if d == dim else 0 for d in range(len(shape)))
    limit = tuple(i + 1 if d == dim else n for d, n in enumerate(shape))
    return squeeze(
        slice_p.bind(x, start_indices=start, limit_indices=limit, strides=(1,) * len(shape)), (dim,)
    )


def _one_by_one(prim: Callable[[], Any]) -> Callable[..., Any]:
    def batch(args: Any, dims: Any, **params: Any) -> tuple[list[Any], list[Any]]:
        for i in range(axis_size_of(args, dims)):
            prim().bind(*[_element(x, d, i) for x, d in zip(args, dims, strict=True)], **params)
        return [], []

    return batch


def _only_value(prim: Callable[[], Any]) -> Callable[..., Any]:
    def jvp(primals: Any, tangents: Any, **params: Any) -> tuple[list[Any], list[Any]]:
        prim().bind(*primals, **params)
        return [], []

    return jvp


_no_cotangent = Undefined("it has no results, so nothing flows back through it")

# ---- debug.callback --------------------------------------------------------------------------------------------------


def _run_debug_callback(*args: Any, callback: Callable[..., Any], **_: Any) -> list[Any]:
    callback(*args)
    return []


def _lower_debug_callback(ctx: Any, *values: Any, callback: Any, effect: Effect, **_: Any) -> list[Any]:
    def fun(*args: Any) -> tuple:
        callback(*args)
        return ()

    return emit_host_call(ctx, fun, values, effect=effect, name="debug_callback")


debug_callback_p = define(
    "debug_callback",
    abstract=lambda *avals, **_: [],
    lower=_lower_debug_callback,
    jvp=_only_value(lambda: debug_callback_p),
    transpose=_no_cotangent,
    batch=_one_by_one(lambda: debug_callback_p),
    multiple_results=True,
    impl=_run_debug_callback,
    effects=lambda *avals, effect, **_: {effect},
    doc="calls a Python function while the program runs",
)


def _refuse_early(name: str, args: Any, kwargs: Any) -> None:
    """Raises JAX's TypeError where options alone were expected, because a second call will bring the rest."""
    if args or kwargs:
        raise TypeError(
            f"{name} received unexpected arguments in the two-call form: args={args} kwargs={kwargs}"
        )


def debug_callback(
    callback: Callable[..., None] | None = None,
    *args: Any,
    ordered: bool = False,
    partitioned: bool = False,
    **kwargs: Any,
) -> Callable[..., None] | None:
    """Calls ``callback`` with the values of the arguments whenever this point of the program runs.

    Without a function, returns one that takes it and the arguments, and has these options.

    Args:
        callback: a function whose result is ignored.
        args: arrays and pytrees of arrays.
        ordered: whether calls happen in program order.
        partitioned: whether it is called once for each shard.
        kwargs: keyword arguments, likewise.

    Raises:
        TypeError: where ``callback`` is not callable.
    """
    if callback is None:
        _refuse_early("debug_callback", args, kwargs)

        def _debug_callback(callback: Callable[..., None], *args: Any, **kwargs: Any) -> None:
            _bind_callback(callback, args, kwargs, ordered, partitioned)

        return _debug_callback
    _bind_callback(callback, args, kwargs, ordered, partitioned)


def _bind_callback(
    callback: Callable[..., None], args: tuple, kwargs: dict[str, Any], ordered: bool, partitioned: bool
) -> None:
    if not callable(callback):
        raise TypeError(
            "first argument to jax.debug.callback must be callable, "
            + f"but got an object of type {type(callback)}"
        )
    flat, in_tree = pytree.flatten((args, kwargs))
    static = {i: x for i, x in enumerate(flat) if not _is_arraylike(x)}
    dynamic = [x for i, x in enumerate(flat) if i not in static]

    def _flat_callback(*values: Any) -> None:
        it = iter(_received(values))
        full = [static[i] if i in static else next(it) for i in range(len(flat))]
        a, k = pytree.unflatten(in_tree, full)
        callback(*a, **k)

    _flat_callback.__qualname__ = "debug_callback.<locals>._debug_callback.<locals>._flat_callback"
    debug_callback_p.bind(
        *dynamic,
        callback=_flat_callback,
        effect=ordered_debug_effect if ordered else debug_effect,
        partitioned=partitioned,
    )


def _is_arraylike(x: Any) -> bool:
    try:
        shaped_aval(x)
    except TypeError:
        return False
    return True


# ---- debug.print -----------------------------------------------------------------------------------------------------


class _Formatter(string.Formatter):
    """Formats as ``str.format`` does and notices positional arguments that no field used."""

    def check_unused_args(self, used_args: Any, args: Any, kwargs: Any) -> None:
        unused = [arg for i, arg in enumerate(args) if i not in used_args]
        unused_names = [k for k in kwargs if k not in used_args]
        if unused:
            raise ValueError(f"Unused positional arguments to `jax.debug.print`: {unused}")
        if unused_names:
            raise ValueError(
                f"Unused keyword arguments to `jax.debug.print`: {unused_names}. You may be passing an f-string "
                '(i.e, `f"{x}"`) into `jax.debug.print` and instead should pass in a regular string.'
            )


class _FieldCheck(_Formatter):
    """Looks only at which fields there are: a tracer has no digits to format."""

    def format_field(self, value: Any, format_spec: str) -> str:
        return ""


def _begins_with_field(fmt: str) -> bool:
    """Returns whether a field ends the first part of a format: JAX formats no other."""
    first = next(iter(_formatter.parse(fmt)), None)
    return first is not None and first[1] is not None


_formatter = string.Formatter()  # where it prints, nobody looks for arguments without a field any more
_field_check = _FieldCheck()


def _print_now(
    *args: Any,
    fmt: str,
    in_tree: Any,
    static_args: Any,
    np_printoptions: Any,
    has_placeholders: bool,
    logging_record: logging.LogRecord | None,
    **_: Any,
) -> list[Any]:
    values = [to_array_port(np.asarray(v) if isinstance(v, np.generic) else v) for v in args]
    for i, value in static_args:
        values.insert(i, value)
    a, k = pytree.unflatten(in_tree, values)
    options = {k2: v for k2, v in np_printoptions if k2 in _numpy_options}
    with np.printoptions(**options):
        text = _formatter.vformat(fmt, a, k) if has_placeholders else " ".join([fmt, *map(str, a)])
    if logging_record is None:
        sys.stdout.write(text + "\n")
    else:
        record = copy.copy(logging_record)
        record.msg = text
        _logger.handle(record)
    return []


_logger = logging.getLogger(__name__)


def _record_here() -> logging.LogRecord:
    """Returns a message without a text that comes from the user's line."""
    frame = sys._getframe()
    while frame.f_back is not None and not is_user_file(frame.f_code.co_filename):
        frame = frame.f_back
    name = frame.f_code.co_name
    return _logger.makeRecord(
        _logger.name, logging.INFO, frame.f_code.co_filename, frame.f_lineno, "", (), None, name
    )


_numpy_options = frozenset(np.get_printoptions()) - {"legacy", "override_repr"}


def _lower_print(ctx: Any, *values: Any, ordered: bool, **params: Any) -> list[Any]:
    def fun(*args: Any) -> tuple:
        _print_now(*args, **params)
        return ()

    effect = ordered_debug_effect if ordered else debug_effect
    return emit_host_call(ctx, fun, values, effect=effect, name="debug_print")


debug_print_p = define(
    "debug_print",
    abstract=lambda *avals, **_: [],
    lower=_lower_print,
    jvp=_only_value(lambda: debug_print_p),
    transpose=_no_cotangent,
    batch=_one_by_one(lambda: debug_print_p),
    multiple_results=True,
    impl=_print_now,
    effects=lambda *avals, ordered, **_: {ordered_debug_effect if ordered else debug_effect},
    doc="prints values while the program runs",
)


def debug_print(
    fmt: str | None = None,
    *args: Any,
    ordered: bool = False,
    partitioned: bool = False,
    skip_format_check: bool = False,
    _use_logging: bool = False,
    **kwargs: Any,
) -> Callable[..., None] | None:
    """Prints ``fmt.format(*args, **kwargs)`` with the values of the arguments whenever this point of the program runs.

    Without a text, returns a function that takes it and the arguments, and has these options.

    Args:
        fmt: the text with fields for the arguments.
        args: arrays and pytrees of arrays.
        ordered: whether the text appears in program order.
        partitioned: whether it is printed once for each shard.
        skip_format_check: whether ``fmt`` may hold no fields for its arguments.
        _use_logging: whether the text goes to the package's logger, at the level of information.
        kwargs: keyword arguments, likewise.

    Raises:
        TypeError: where ``fmt`` is not a string.
        ValueError: where an argument has no field.
    """
    options = (ordered, partitioned, skip_format_check, _use_logging)
    if fmt is None:
        _refuse_early("debug_print", args, kwargs)

        def _debug_print(fmt: str, *args: Any, **kwargs: Any) -> None:
            _bind_print(fmt, args, kwargs, *options)

        return _debug_print
    _bind_print(fmt, args, kwargs, *options)


def debug_log(
    fmt: str | None = None,
    *args: Any,
    ordered: bool = False,
    partitioned: bool = False,
    skip_format_check: bool = False,
    _use_logging: bool = True,
    **kwargs: Any,
) -> Callable[..., None] | None:
    """As ``debug_print``, to the package's logger at the level of information."""
    options = {"ordered": ordered, "partitioned": partitioned, "skip_format_check": skip_format_check}
    return debug_print(fmt, *args, _use_logging=_use_logging, **options, **kwargs)


def _bind_print(
    fmt: str,
    args: tuple,
    kwargs: dict[str, Any],
    ordered: bool,
    partitioned: bool,
    skip_format_check: bool,
    logs: bool,
) -> None:
    if not isinstance(fmt, str):
        raise TypeError(f"expected str, got {type(fmt).__name__}")
    if not skip_format_check:
        _field_check.format(fmt, *args, **kwargs)
    flat, in_tree = pytree.flatten((args, kwargs))
    static = tuple((i, x) for i, x in enumerate(flat) if not _is_arraylike(x))
    positions = {i for i, _ in static}
    debug_print_p.bind(
        *[x for i, x in enumerate(flat) if i not in positions],
        fmt=fmt,
        has_placeholders=_begins_with_field(fmt),
        in_tree=in_tree,
        logging_record=_record_here() if logs else None,
        np_printoptions=tuple(np.get_printoptions().items()),
        ordered=ordered,
        partitioned=partitioned,
        static_args=static,
    )


# ---- pure_callback ---------------------------------------------------------------------------------------------------


def _result_avals(shapes: Any) -> tuple[tuple[ShapedArray, ...], Any]:
    leaves, tree = pytree.flatten(shapes)
    if any(dtypes.canonicalize_dtype(x.dtype) != x.dtype for x in leaves):
        raise ValueError("result_shape_dtypes cannot specify 64-bit types when `jax_enable_x64` is disabled")
    return tuple(ShapedArray(tuple(x.shape), np.dtype(x.dtype)) for x in leaves), tree


def to_array_port(x: np.ndarray) -> Any:
    """Returns a host value as an array; ``stage`` does it in every trace."""
    return rules.primitives["stage"].bind(x)


def _lower_pure(ctx: Any, *values: Any, callback: Any, **_: Any) -> list[Any]:
    return emit_host_call(ctx, callback, values, effect=None, name="pure_callback")


def _pure_jvp(primals: Any, tangents: Any, **params: Any) -> Any:
    if all(type(t) is Zero for t in tangents):
        out = pure_callback_p.bind(*primals, **params)
        return out, [Zero.from_primal_value(o) for o in out]
    raise ValueError(
        "Pure callbacks do not support JVP. Please use `jax.custom_jvp` to use callbacks while taking gradients."
    )


def _pure_batch(
    args: Any, dims: Any, *, callback: Any, sharding: Any, vmap_method: Any, result_avals: Any
) -> Any:
    size = axis_size_of(args, dims)
    if vmap_method in ("expand_dims", "broadcast_all", "legacy_vectorized"):
        moved = []
        for x, d in zip(args, dims, strict=True):
            if d is not None:
                moved.append(to_dim(x, d, size, 0))
            elif vmap_method == "legacy_vectorized":
                moved.append(x)
            elif vmap_method == "expand_dims":
                moved.append(expand_dims(x, (0,)))
            else:
                shape = shaped_aval(x).shape
                moved.append(broadcast_in_dim(x, (size, *shape), tuple(range(1, len(shape) + 1))))
        avals = tuple(a.update(shape=(size, *a.shape)) for a in result_avals)
        out = pure_callback_p.bind(
            *moved, callback=callback, result_avals=avals, sharding=sharding, vmap_method=vmap_method
        )
        return out, [0] * len(out)
    if vmap_method in ("sequential", "sequential_unrolled"):
        params = {
            "callback": callback, "result_avals": result_avals, "sharding": sharding, "vmap_method": vmap_method,
        }  # fmt: skip
        return _sequential(args, dims, vmap_method, pure_callback_p, params)
    raise NotImplementedError(
        "vmap is only supported for the pure_callback primitive when vmap_method is one of 'sequential', "
        "'sequential_unrolled', 'expand_dims', 'broadcast_all', or 'legacy_vectorized'. "
        f"Got vmap_method={vmap_method}."
    )


def _sequential(args: Any, dims: Any, method: str, prim: Any, params: dict[str, Any]) -> Any:
    """Maps a callback one element after the other, in a loop or written out."""
    size = axis_size_of(args, dims)
    rows = [to_dim(x, d, size, 0) for x, d in zip(args, dims, strict=True) if d is not None]

    def call(mapped: Sequence[Any]) -> list[Any]:
        left = iter(mapped)
        return prim.bind(*(x if d is None else next(left) for x, d in zip(args, dims, strict=True)), **params)

    if method == "sequential":
        out = loop_map(call, rows)
    else:
        each = [call([_element(x, 0, i) for x in rows]) for i in range(size)]
        out = [concatenate([expand_dims(o, (0,)) for o in column], 0) for column in zip(*each, strict=True)]
    return out, [0] * len(out)


pure_callback_p = define(
    "pure_callback",
    abstract=lambda *avals, result_avals, **_: list(result_avals),
    lower=_lower_pure,
    jvp=_pure_jvp,
    transpose=Undefined("pure callbacks have no derivative of their own"),
    batch=_pure_batch,
    multiple_results=True,
    doc="calls a Python function without side effects and uses its results",
)


def pure_callback(
    callback: Callable[..., Any],
    result_shape_dtypes: Any,
    *args: Any,
    sharding: Any = None,
    vmap_method: str | None = None,
    **kwargs: Any,
) -> Any:
    """Returns what ``callback`` computes in Python, as part of a traced program.

    Args:
        callback: a function without side effects; it may be called any number of times, or never.
        result_shape_dtypes: the shapes and dtypes of its results, in their structure.
        args: arrays and pytrees of arrays.
        sharding: the sharding of the devices it is called for.
        vmap_method: how it is mapped: ``sequential``, ``sequential_unrolled``, ``expand_dims``, ``broadcast_all``.
        kwargs: keyword arguments, likewise.
    """
    allowed = ["sequential", "sequential_unrolled", "expand_dims", "broadcast_all", "legacy_vectorized", None]
    if vmap_method not in allowed:
        raise ValueError(f"vmap_method must be on of the allowed methods {allowed}, but got: {vmap_method}")
    flat, in_tree = pytree.flatten((args, kwargs))
    avals, out_tree = _result_avals(result_shape_dtypes)
    out = pure_callback_p.bind(
        *flat,
        callback=FlatCallback(callback, in_tree),
        result_avals=avals,
        sharding=sharding,
        vmap_method=vmap_method,
    )
    return pytree.unflatten(out_tree, out)


# ---- io_callback -----------------------------------------------------------------------------------------------------


def _lower_io(ctx: Any, *values: Any, callback: Any, ordered: bool, **_: Any) -> list[Any]:
    effect = ordered_io_effect if ordered else io_effect
    return emit_host_call(ctx, callback, values, effect=effect, name="io_callback")


def _io_jvp(primals: Any, tangents: Any, **_: Any) -> Any:
    raise ValueError("IO callbacks do not support JVP.")


def _io_batch(args: Any, dims: Any, *, ordered: bool, **params: Any) -> Any:
    if ordered:
        raise ValueError("Cannot `vmap` ordered IO callback.")
    return _sequential(args, dims, "sequential_unrolled", io_callback_p, {**params, "ordered": ordered})


io_callback_p = define(
    "io_callback",
    abstract=lambda *avals, result_avals, **_: list(result_avals),
    lower=_lower_io,
    jvp=_io_jvp,
    transpose=Undefined("IO callbacks have no derivative"),
    batch=_io_batch,
    multiple_results=True,
    effects=lambda *avals, ordered, **_: {ordered_io_effect if ordered else io_effect},
    doc="calls a Python function that may read or change the world",
)


def io_callback(
    callback: Callable[..., Any],
    result_shape_dtypes: Any,
    *args: Any,
    sharding: Any = None,
    ordered: bool = False,
    **kwargs: Any,
) -> Any:
    """Returns what ``callback`` returns; it is called exactly once for each run of this point of the program.

    Args:
        callback: a function; it may have side effects.
        result_shape_dtypes: the shapes and dtypes of its results, in their structure.
        args: arrays and pytrees of arrays.
        sharding: the sharding of the devices it is called for.
        ordered: whether calls happen in program order.
        kwargs: keyword arguments, likewise.
    """
    flat, in_tree = pytree.flatten((args, kwargs))
    avals, out_tree = _result_avals(result_shape_dtypes)
    out = io_callback_p.bind(
        *flat,
        callback=FlatCallback(callback, in_tree),
        ordered=ordered,
        result_avals=avals,
        sharding=sharding,
    )
    return pytree.unflatten(out_tree, out)
