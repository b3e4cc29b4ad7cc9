"""Jacobians and Hessians, column by column and row by row."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jaxnb.engine.api.flat import check_callable, split_argnums, to_argnums
from jaxnb.engine.api.grad import _check_inputs, _check_output, jvp, vjp
from jaxnb.engine.api.vmap import vmap
from jaxnb.engine.core import dtypes
from jaxnb.engine.core.trace import shaped_aval
from jaxnb.engine.ops.arithmetic import add
from jaxnb.engine.ops.comparison import eq
from jaxnb.engine.ops.conversion import convert_element_type, convert_element_type_p
from jaxnb.engine.ops.filling import broadcasted_iota
from jaxnb.engine.ops.joining import split
from jaxnb.engine.ops.shape import reshape
from jaxnb.xla import pytree

__all__ = ["hessian", "jacfwd", "jacobian", "jacrev"]


def _eye(n: int, dtype: Any) -> Any:
    rows = broadcasted_iota(np.int32, (n, n), 0)
    columns = broadcasted_iota(np.int32, (n, n), 1)
    return convert_element_type(eq(add(rows, np.int32(0)), columns), dtype)


def _std_basis(tree: Any) -> Any:
    """Returns one basis vector a row, each row in the structure of ``tree``."""
    leaves, treedef = pytree.flatten(tree)
    n = sum(math.prod(shaped_aval(x).shape) for x in leaves)
    dtype = dtypes.result_type(*leaves)
    flat = _eye(n, dtype)
    return _unravel(treedef, leaves, 1, flat, convert=True)


def _unravel(treedef: Any, leaves: Sequence[Any], axis: int, arr: Any, convert: bool) -> Any:
    """Returns an array cut along an axis into the leaves' shapes."""
    avals: list[Any] = [shaped_aval(x) for x in leaves]
    axis %= arr.ndim
    shape = arr.shape
    sizes = [np.int64(math.prod(a.shape)) for a in avals]
    parts = split(arr, sizes, axis)
    out = []
    for part, aval in zip(parts, avals, strict=True):
        new = (*shape[:axis], *aval.shape, *shape[axis + 1 :])
        part = part if part.shape == new else reshape(part, new)
        if convert:
            part = convert_element_type_p.bind(
                part, new_dtype=aval.dtype, weak_type=aval.weak_type, sharding=None
            )
        out.append(part)
    return pytree.unflatten(treedef, out)


def _tree_map(fun: Callable[[Any], Any], tree: Any) -> Any:
    leaves, treedef = pytree.flatten(tree)
    return pytree.unflatten(treedef, [fun(x) for x in leaves])


def jacfwd(
    fun: Callable[..., Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
) -> Callable[..., Any]:
    """Returns a function that computes the Jacobian column by column, in forward mode.

    Args:
        fun: the function.
        argnums: the positions to differentiate by.
        has_aux: whether ``fun`` returns a pair ``(result, auxiliary data)``.
        holomorphic: whether ``fun`` is a holomorphic function of complex arguments.
    """
    check_callable(fun)
    argnums = to_argnums(argnums)

    @functools.wraps(
        fun, assigned=("__module__", "__name__", "__qualname__", "__annotations__"), updated=("__dict__",)
    )
    def jacfun(*args: Any, **kwargs: Any) -> Any:
        _, chosen, merge = split_argnums(argnums, args)
        dyn = tuple(chosen)
        for x in pytree.flatten(dyn)[0]:
            _check_inputs("jacfwd", holomorphic, False, x)

        def partial_fun(*xs: Any) -> Any:
            return fun(*merge(xs), **kwargs)

        def push(t: Any) -> Any:
            return jvp(partial_fun, dyn, t, has_aux=has_aux)

        result = vmap(push, out_axes=(None, -1, None) if has_aux else (None, -1))(_std_basis(dyn))
        y, jac = result[0], result[1]
        for x in pytree.flatten(y)[0]:
            _check_output("jacfwd", holomorphic, shaped_aval(x))
        example = dyn[0] if isinstance(argnums, int) else dyn
        leaves, treedef = pytree.flatten(example)
        out = _tree_map(lambda j: _unravel(treedef, leaves, -1, j, convert=False), jac)
        return (out, result[2]) if has_aux else out

    return jacfun


def jacrev(
    fun: Callable[..., Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    allow_int: bool = False,
) -> Callable[..., Any]:
    """Returns a function that computes the Jacobian row by row, in reverse mode; see ``jacfwd`` for the arguments."""
    check_callable(fun)

    @functools.wraps(
        fun, assigned=("__module__", "__name__", "__qualname__", "__annotations__"), updated=("__dict__",)
    )
    def jacfun(*args: Any, **kwargs: Any) -> Any:
        _, chosen, merge = split_argnums(to_argnums(argnums), args)
        dyn = tuple(chosen)
        for x in pytree.flatten(dyn)[0]:
            _check_inputs("jacrev", holomorphic, allow_int, x)

        def partial_fun(*xs: Any) -> Any:
            return fun(*merge(xs), **kwargs)

        result = vjp(partial_fun, *dyn, has_aux=has_aux)
        y, pullback = result[0], result[1]
        for x in pytree.flatten(y)[0]:
            _check_output("jacrev", holomorphic, shaped_aval(x))
        jac = vmap(pullback)(_std_basis(y))
        jac = jac[0] if isinstance(argnums, int) else jac
        y_leaves, y_tree = pytree.flatten(y)
        example = dyn[0] if isinstance(argnums, int) else dyn
        x_leaves, x_tree = pytree.flatten(example)
        rows = [_unravel(y_tree, y_leaves, 0, j, convert=False) for j in pytree.flatten(jac)[0]]
        by_y = [[pytree.flatten(r)[0][i] for r in rows] for i in range(len(y_leaves))]
        del x_leaves
        out = pytree.unflatten(y_tree, [pytree.unflatten(x_tree, r) for r in by_y])
        return (out, result[2]) if has_aux else out

    return jacfun


jacobian = jacrev


def hessian(
    fun: Callable[..., Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
) -> Callable[..., Any]:
    """Returns a function that computes the Hessian: forward over reverse mode."""
    return jacfwd(
        jacrev(fun, argnums, has_aux=has_aux, holomorphic=holomorphic),
        argnums,
        has_aux=has_aux,
        holomorphic=holomorphic,
    )
