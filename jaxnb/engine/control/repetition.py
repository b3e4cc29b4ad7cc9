"""``while_loop``, ``fori_loop``, ``scan`` and ``map``: the user's functions for repetition."""

from __future__ import annotations

import functools
import operator
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from jaxnb.base import config
from jaxnb.base.errors import ConcretizationTypeError
from jaxnb.engine.control.bodies import (
    Body,
    avals_of,
    body_info,
    forwarded_results,
    trace_body,
    with_const_invars,
)
from jaxnb.engine.control.loops import while_p
from jaxnb.engine.control.mismatch import check_carry
from jaxnb.engine.control.scan_structure import scan_structure
from jaxnb.engine.control.scans import scan_p
from jaxnb.engine.control.without_jit import fori_in_python, scan_in_python, while_in_python
from jaxnb.engine.core import dtypes
from jaxnb.engine.core.avals import ShapedArray, typematch
from jaxnb.engine.core.boundary import api_boundary
from jaxnb.engine.core.jaxpr import DebugInfo, Jaxpr, Literal, close
from jaxnb.engine.core.trace import Tracer, concrete_value, current_trace_is_eval, shaped_aval
from jaxnb.engine.ops.arithmetic import add
from jaxnb.engine.ops.comparison import lt
from jaxnb.engine.ops.conversion import convert_element_type
from jaxnb.engine.ops.filling import copy_p
from jaxnb.engine.ops.joining import concatenate
from jaxnb.engine.ops.shape import reshape
from jaxnb.engine.ops.slicing import slice
from jaxnb.engine.transforms.batch import batch_flat, to_dim
from jaxnb.xla import pytree

__all__ = ["fori_loop", "map", "scan", "while_loop"]


def _promoted(values: list[Any], avals: list[Any], out_avals: list[Any]) -> list[Any] | None:
    """Returns a carry whose weakly typed values have the types that the body returned, or None if none changes."""
    if len(avals) != len(out_avals):
        return None
    weak = [
        i
        for i, (a, b) in enumerate(zip(avals, out_avals, strict=True))
        if isinstance(a, ShapedArray) and a.weak_type and isinstance(b, ShapedArray) and not typematch(a, b)
    ]
    if not weak:
        return None
    new = list(values)
    for i in weak:
        new[i] = convert_element_type(values[i], dtypes.result_type(values[i], out_avals[i]))
    return new


# ---- while -----------------------------------------------------------------------------------------------------------


@api_boundary
def while_loop(cond_fun: Callable[[Any], Any], body_fun: Callable[[Any], Any], init_val: Any) -> Any:
    """Returns what ``val = body_fun(val)``, repeated from ``init_val`` on while ``cond_fun(val)`` holds, leaves.

    Args:
        cond_fun: a function of the carry whose result is a boolean without dimensions.
        body_fun: a function of the carry whose result has the same structure and types.
        init_val: a tree of arrays.

    Raises:
        TypeError: where a function is none, or returns something of the wrong type.
    """
    if not (callable(body_fun) and callable(cond_fun)):
        raise TypeError("lax.while_loop: body_fun and cond_fun arguments should be callable.")
    return _while_loop(cond_fun, body_fun, init_val)


def _while_loop(
    cond_fun: Callable[[Any], Any],
    body_fun: Callable[[Any], Any],
    init_val: Any,
    body_says: Callable[[], DebugInfo] | None = None,
) -> Any:
    """Returns the loop's result; ``body_says`` makes what messages say of a body that is not the user's function."""
    if config.disable_jit.value:
        is_done, result = while_in_python(cond_fun, body_fun, init_val)
        if is_done:
            return result
    init, in_tree = pytree.flatten((init_val,))
    carry_tree = pytree.flatten(init_val)[1]

    def traced(values: list[Any]) -> tuple[list[Any], Body, Body]:
        avals = avals_of(values)
        cond = trace_body(cond_fun, "while_cond", in_tree, avals)
        body = trace_body(body_fun, "while_body", in_tree, avals, body_says)
        if cond.out_tree != _leaf_tree:
            raise TypeError(f"cond_fun must return a boolean scalar, but got pytree {cond.out_tree}.")
        pred: Any = cond.jaxpr.out_avals[0]
        if not (isinstance(pred, ShapedArray) and pred.strip_weak_type() == _bool_scalar):
            raise TypeError(
                f"cond_fun must return a boolean scalar, but got output type(s) {cond.jaxpr.out_avals}."
            )
        return avals, cond, body

    avals, cond, body = traced(init)
    if body.out_tree == carry_tree:
        promoted = _promoted(init, avals, body.jaxpr.out_avals)
        if promoted is not None:
            init = promoted
            avals, cond, body = traced(init)
    check_carry("while_loop", body_fun, body.debug, carry_tree, avals, body.out_tree, body.jaxpr.out_avals)

    cond_jaxpr, body_jaxpr = with_const_invars(cond.jaxpr), with_const_invars(body.jaxpr)
    a, b = len(cond.consts), len(body.consts)
    # A part of the carry that never changes, and that the condition does not look at, is a constant of the body.
    looked_at = {x for e in cond_jaxpr.eqns for x in e.invars if type(x) is not Literal}
    looked_at.update(v for v in cond_jaxpr.outvars if type(v) is not Literal)
    fixed = [
        f == b + i and cond_jaxpr.invars[a + i] not in looked_at
        for i, f in enumerate(forwarded_results(body_jaxpr))
    ]
    moved = [x for x, m in zip(init, fixed, strict=True) if m]
    if moved:
        cond_jaxpr, body_jaxpr = _fix(cond_jaxpr, body_jaxpr, a, b, fixed)
    out = iter(
        while_p.bind(
            *cond.consts,
            *moved,
            *body.consts,
            *(x for x, m in zip(init, fixed, strict=True) if not m),
            cond_nconsts=a,
            cond_jaxpr=close(cond_jaxpr),
            body_nconsts=b + len(moved),
            body_jaxpr=close(body_jaxpr),
        )
    )
    return pytree.unflatten(carry_tree, [x if m else next(out) for x, m in zip(init, fixed, strict=True)])


_leaf_tree = pytree.flatten(0)[1]
_bool_scalar = ShapedArray((), np.dtype(bool))


def _fix(cond: Jaxpr, body: Jaxpr, a: int, b: int, fixed: list[bool]) -> tuple[Jaxpr, Jaxpr]:
    """Returns the two programs with the flagged parts of the carry among the body's constants."""
    c, v = cond.invars, body.invars
    new_cond = cond.replace(invars=[*c[:a], *(x for x, m in zip(c[a:], fixed, strict=True) if not m)])
    new_body = body.replace(
        invars=[
            *(x for x, m in zip(v[b:], fixed, strict=True) if m),
            *v[:b],
            *(x for x, m in zip(v[b:], fixed, strict=True) if not m),
        ],
        outvars=[o for o, m in zip(body.outvars, fixed, strict=True) if not m],
    )
    return new_cond, new_body


# ---- fori ------------------------------------------------------------------------------------------------------------


@api_boundary
def fori_loop(
    lower: Any, upper: Any, body_fun: Callable[[Any, Any], Any], init_val: Any, *, unroll: Any = None
) -> Any:
    """Returns what ``val = body_fun(i, val)``, done for ``i`` from ``lower`` to ``upper`` (not included), leaves.

    Args:
        lower: the first index.
        upper: the index after the last; where both are known the loop is a scan, which has a gradient.
        body_fun: a function of the index and the carry whose result has the carry's structure and types.
        init_val: a tree of arrays.
        unroll: how many steps stand in one iteration; only where the bounds are known.

    Raises:
        TypeError: where the bounds differ in type or the body is no function.
        ValueError: where ``unroll`` is given although the bounds are not known.
    """
    if not callable(body_fun):
        raise TypeError("lax.fori_loop: body_fun argument should be callable.")
    dtype = _bounds_dtype(lower, upper)
    known = _known_int(lower), _known_int(upper)
    if config.disable_jit.value and known[0] is not None and known[1] is not None:
        return fori_in_python(known[0], known[1], body_fun, init_val)
    lower, upper = (_bound_of(x, dtype) for x in (lower, upper))
    step, advance = _steps_of(body_fun)
    if known[0] is not None and known[1] is not None:
        (_, result), _ = _scan(
            step,
            (lower, init_val),
            None,
            length=max(known[1] - known[0], 0),
            unroll=1 if unroll is None else unroll,
            body_says=lambda: _fori_info(body_fun, init_val),
        )
        return result
    if unroll is not None and unroll is not False and unroll != 1:
        raise ValueError("Can only use `unroll` in `fori_loop` if the loop bounds are statically known.")

    def says() -> DebugInfo:
        info = _fori_info(body_fun, init_val)
        return info._replace(arg_names=(info.arg_names[0], "", *info.arg_names[1:]))

    _, _, result = _while_loop(_holds, advance, (lower, upper, init_val), says)
    return result


def _holds(loop_carry: Any) -> Any:
    i, last, _ = loop_carry
    return lt(i, last)


_steps: weakref.WeakKeyDictionary[Any, tuple[Callable[..., Any], Callable[..., Any]]] = (
    weakref.WeakKeyDictionary()
)


def _steps_of(body_fun: Callable[[Any, Any], Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Returns a loop's body as the body of a scan and as that of a while loop; always the same for the same body."""
    try:
        found = _steps.get(body_fun)
        if found is None:
            # What is remembered for a body must not keep it alive.
            found = _steps[body_fun] = _make_steps(weakref.ref(body_fun))
    except TypeError:  # a body that cannot be hashed or weakly referenced
        found = _make_steps(lambda: body_fun)
    return found


def _make_steps(body: Callable[[], Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    def step(loop_carry: Any, _: Any) -> Any:
        i, x = loop_carry
        return (add(i, _one(i)), body()(i, x)), None

    def advance(loop_carry: Any) -> Any:
        i, last, x = loop_carry
        return add(i, _one(i)), last, body()(i, x)

    return step, advance


def _fori_info(body_fun: Callable[[Any, Any], Any], init_val: Any) -> DebugInfo:
    return body_info(body_fun, "fori_loop", pytree.flatten((0, init_val))[1])


def _one(i: Any) -> Any:
    aval: Any = shaped_aval(i)
    return 1 if aval.weak_type else aval.dtype.type(1)


def _bound_of(x: Any, dtype: Any) -> Any:
    return x if dtypes.dtype(x, canonicalize=True) == dtype else convert_element_type(x, dtype)


def _bounds_dtype(lower: Any, upper: Any) -> Any:
    a, b = (dtypes.dtype(x, canonicalize=True) for x in (lower, upper))
    if a == b:
        return a
    for x, other in ((lower, b), (upper, a)):
        if isinstance(x, int) and dtypes.issubdtype(other, np.integer):
            return other
    raise TypeError(
        f"lower and upper arguments to fori_loop must have equal types, got {a.name} and {b.name}"
    )


def _known_int(x: Any) -> int | None:
    value = concrete_value(x)
    if value is None or np.ndim(value):
        return None
    try:
        return operator.index(value.item() if hasattr(value, "item") else value)
    except TypeError:
        return None


# ---- scan ------------------------------------------------------------------------------------------------------------


@api_boundary
def scan(
    f: Callable[[Any, Any], tuple[Any, Any]],
    init: Any,
    xs: Any = None,
    length: Any = None,
    reverse: bool = False,
    unroll: int | bool = 1,
    _split_transpose: bool = False,
) -> tuple[Any, Any]:
    """Returns the last carry and the stacked results of ``carry, y = f(carry, x)`` done for every row ``x`` of ``xs``.

    Args:
        f: a function of the carry and a row whose result is a pair: the next carry, of the same structure and types,
            and a tree of arrays.
        init: the first carry.
        xs: a tree of arrays ``[length, ...]``; None for no rows.
        length: how many steps; needed where ``xs`` has no arrays.
        reverse: whether the last row comes first.
        unroll: how many steps stand in one iteration of the loop; True for all.

    Raises:
        TypeError: where ``f`` is no function or returns something of the wrong type.
        ValueError: where lengths differ or are missing.
    """
    if not callable(f):
        raise TypeError("lax.scan: f argument should be a callable.")
    return _scan(f, init, xs, length=length, reverse=reverse, unroll=unroll)


def _scan(
    f: Callable[[Any, Any], tuple[Any, Any]],
    init: Any,
    xs: Any,
    *,
    length: Any,
    reverse: bool = False,
    unroll: int | bool = 1,
    body_says: Callable[[], DebugInfo] | None = None,
) -> tuple[Any, Any]:
    """Returns the scan's results; ``body_says`` makes what messages say of a body that is not the user's function."""
    carry, carry_tree = pytree.flatten(init)
    rows = pytree.flatten(xs)[0]
    _, in_tree = pytree.flatten((init, xs))
    row_avals = _row_avals(rows)
    length = _length_of(rows, length)
    if isinstance(unroll, bool):
        unroll = max(length, 1) if unroll else 1
    if unroll < 0:
        raise ValueError("`unroll` must be a `bool` or a non-negative `int`.")
    if config.disable_jit.value:
        return scan_in_python(f, init, xs, length, reverse)

    avals = avals_of(carry)
    body, out_carry_tree, n = _traced_step(f, in_tree, [*avals, *row_avals], body_says)
    if out_carry_tree == carry_tree:
        promoted = _promoted(carry, avals, body.jaxpr.out_avals[:n])
        if promoted is not None:
            carry = promoted
            avals = avals_of(carry)
            body, out_carry_tree, n = _traced_step(f, in_tree, [*avals, *row_avals], body_says)
    check_carry("scan", f, body.debug, carry_tree, avals, out_carry_tree, body.jaxpr.out_avals[:n])

    k = len(body.consts)
    jaxpr = with_const_invars(body.jaxpr)
    forwarded = forwarded_results(jaxpr)
    # A part of the carry that never changes is a constant; a row that is handed back needs no stacking.
    fixed = [i < n and f_ == k + i for i, f_ in enumerate(forwarded)][:n]
    handed_back = [f_ - k - n if f_ is not None and f_ >= k + n else None for f_ in forwarded[n:]]
    jaxpr = _reduced(jaxpr, k, n, fixed, handed_back)
    moved = [x for x, m in zip(carry, fixed, strict=True) if m]
    out = iter(
        scan_p.bind(
            *moved,
            *body.consts,
            *(x for x, m in zip(carry, fixed, strict=True) if not m),
            *rows,
            jaxpr=close(jaxpr),
            length=length,
            reverse=bool(reverse),
            unroll=unroll,
            num_consts=k + len(moved),
            num_carry=n - len(moved),
            **scan_structure(k + len(moved), n - len(moved), len(rows), [h is None for h in handed_back]),
        )
    )
    last = [x if m else next(out) for x, m in zip(carry, fixed, strict=True)]
    ys = [next(out) if i is None else _as_result(rows[i]) for i in handed_back]
    return pytree.unflatten(body.out_tree, [*last, *ys])


def _as_result(rows: Any) -> Any:
    """Rows that are handed back as they came: results are arrays, where the caller's may be NumPy's."""
    return copy_p.bind(rows) if isinstance(rows, np.ndarray) and current_trace_is_eval() else rows


def _row_avals(rows: list[Any]) -> list[Any]:
    avals_of([x for x in rows if not hasattr(x, "shape")])  # what is no array at all is told of
    without = [str(x) for x in rows if not hasattr(x, "shape")]
    if without:
        raise ValueError(f"scan got value with no leading axis to scan over: {', '.join(without)}.")
    avals = avals_of(rows)
    return [a.update(shape=a.shape[1:]) for a in avals]  # pyright: ignore[reportAttributeAccessIssue]


def _length_of(rows: list[Any], length: Any) -> int:
    lengths = [x.shape[0] for x in rows]
    if length is not None:
        if isinstance(length, Tracer) and length.concrete() is None:
            raise ConcretizationTypeError(
                length,
                "The `length` argument to `scan` expects a concrete `int` value. For scan-like iteration with a "
                "dynamic length, use `while_loop` or `fori_loop`.",
            )
        length = int(length)
        if not all(length == n for n in lengths):
            raise ValueError(
                f"scan got `length` argument of {length} which disagrees with leading axis sizes {lengths}."
            )
        return length
    if not lengths:
        raise ValueError("scan got no values to scan over and `length` not provided.")
    if len(set(lengths)) > 1:
        raise ValueError(
            f"scan got values with different leading axis sizes: {', '.join(str(n) for n in lengths)}."
        )
    return lengths[0]


def _traced_step(
    f: Callable[..., Any], in_tree: Any, avals: list[Any], body_says: Callable[[], DebugInfo] | None
) -> tuple[Body, Any, int]:
    """Returns the traced step, the structure of the carry that it returns, and how many arrays that has."""
    body = trace_body(f, "scan", in_tree, avals, body_says)
    out = pytree.unflatten(body.out_tree, body.jaxpr.out_avals)
    if not isinstance(out, tuple) or len(out) != 2:
        raise TypeError(f"scan body output must be a pair, got {out}.")
    leaves, tree = pytree.flatten(out[0])
    return body, tree, len(leaves)


def _reduced(jaxpr: Jaxpr, k: int, n: int, fixed: list[bool], handed_back: list[int | None]) -> Jaxpr:
    """Returns the step with the fixed parts of the carry first among its constants, and without rows that come back."""
    if not any(fixed) and all(h is None for h in handed_back):
        return jaxpr
    key = ("reduced", k, n, tuple(fixed), tuple(handed_back))
    found = jaxpr._cache.get(key)
    if found is None:
        v = jaxpr.invars
        carry = v[k : k + n]
        found = jaxpr._cache[key] = jaxpr.replace(
            invars=[
                *(x for x, m in zip(carry, fixed, strict=True) if m),
                *v[:k],
                *(x for x, m in zip(carry, fixed, strict=True) if not m),
                *v[k + n :],
            ],
            outvars=[
                *(o for o, m in zip(jaxpr.outvars[:n], fixed, strict=True) if not m),
                *(o for o, h in zip(jaxpr.outvars[n:], handed_back, strict=True) if h is None),
            ],
        )
    return found


# ---- map -------------------------------------------------------------------------------------------------------------


@api_boundary
def map(f: Callable[[Any], Any], xs: Any, *, batch_size: int | None = None) -> Any:
    """Returns the stacked results of ``f`` applied to every row of ``xs``, one after the other or in mapped batches.

    Args:
        f: a function of a row.
        xs: a tree of arrays ``[length, ...]``.
        batch_size: how many rows are computed at once.
    """
    if batch_size is None:
        return scan(lambda _, x: ((), f(x)), (), xs)[1]
    leaves, tree = pytree.flatten(xs)
    n = shaped_aval(leaves[0]).shape[0]  # pyright: ignore[reportAttributeAccessIssue]
    batches, rest = divmod(n, batch_size)
    mapped = functools.partial(_mapped, f)
    if not batches:
        return mapped(xs)
    whole = batches * batch_size
    blocks = []
    for x in leaves:
        shape = shaped_aval(x).shape  # pyright: ignore[reportAttributeAccessIssue]
        part = slice(x, (0,) * len(shape), (whole, *shape[1:])) if rest else x
        blocks.append(reshape(part, (batches, batch_size, *shape[1:])))
    last = []
    for x in leaves if rest else ():
        shape = shaped_aval(x).shape  # pyright: ignore[reportAttributeAccessIssue]
        last.append(slice(x, (whole, *(0,) * (len(shape) - 1)), shape))
    _, ys = scan(lambda _, x: ((), mapped(x)), (), pytree.unflatten(tree, blocks))
    tail = pytree.flatten(mapped(pytree.unflatten(tree, last)))[0] if rest else []
    out, out_tree = pytree.flatten(ys)
    out = [reshape(y, (whole, *shaped_aval(y).shape[2:])) for y in out]  # pyright: ignore[reportAttributeAccessIssue]
    if rest:
        out = [concatenate([y, t], 0) for y, t in zip(out, tail, strict=True)]
    return pytree.unflatten(out_tree, out)


def _mapped(f: Callable[[Any], Any], xs: Any) -> Any:
    leaves, tree = pytree.flatten(xs)
    size = shaped_aval(leaves[0]).shape[0]  # pyright: ignore[reportAttributeAccessIssue]
    out_tree: list[Any] = []

    def flat(*row: Any) -> list[Any]:
        out, structure = pytree.flatten(f(pytree.unflatten(tree, row)))
        out_tree.append(structure)
        return out

    out, dims = batch_flat(flat, leaves, [0] * len(leaves), size)
    return pytree.unflatten(out_tree[0], [to_dim(o, d, size, 0) for o, d in zip(out, dims, strict=True)])
