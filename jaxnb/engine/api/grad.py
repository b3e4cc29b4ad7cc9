"""Derivatives: ``grad``, ``value_and_grad``, ``jvp``, ``vjp``, ``linearize``, ``linear_transpose`` and Jacobians."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jaxnb.base.errors import InvalidInputException
from jaxnb.engine.api.flat import (
    Flat,
    check_argnums,
    check_arraylike,
    check_callable,
    debug_of,
    split_argnums,
    to_argnums,
)
from jaxnb.engine.core import dtypes
from jaxnb.engine.core.ad import UndefinedPrimal, Zero
from jaxnb.engine.core.avals import typematch
from jaxnb.engine.core.boundary import api_boundary
from jaxnb.engine.core.rules import instantiate_zeros
from jaxnb.engine.core.trace import shaped_aval
from jaxnb.engine.core.tree_differences import structure_differences
from jaxnb.engine.ops.staging import stage
from jaxnb.engine.transforms.evaluate import eval_jaxpr
from jaxnb.engine.transforms.jvp import jvp_flat
from jaxnb.engine.transforms.linearize import LinearizeTracer, linearize_flat
from jaxnb.engine.transforms.stage import trace_to_jaxpr
from jaxnb.engine.transforms.transpose import backward_pass
from jaxnb.xla import pytree
from jaxnb.xla.version import JAXLIB_VERSION

__all__ = ["grad", "jvp", "linear_transpose", "linearize", "value_and_grad", "vjp"]

# newer JAX tells more in some errors, and parts their sentences
_ADVICE = (
    " To get the gradient, reduce the output to a scalar with output.sum(), or use jax.jacobian to differentiate a "
    "function with a non-scalar output."
    if JAXLIB_VERSION >= (0, 12)
    else ""
)
_SPACE = " " if JAXLIB_VERSION >= (0, 12) else ""


def _inexact(x: Any) -> bool:
    return dtypes.issubdtype(shaped_aval(x).dtype, np.inexact)


def _primal(x: Any) -> Any:
    """Returns an auxiliary result without its tangent."""
    return x.primal if type(x) is LinearizeTracer else x


def _aux_value(flat: Flat) -> Any:
    return pytree.unflatten(flat.aux_tree, [_primal(x) for x in flat.aux])


def _check_inputs(name: str, holomorphic: bool, allow_int: bool, x: Any) -> None:
    check_arraylike([x], ".")
    dtype = shaped_aval(x).dtype
    text = getattr(dtype, "name", str(dtype))
    if dtypes.is_extended(dtype) and name == "jacfwd":
        raise TypeError(f"{name} with input element type {text}")
    if holomorphic:
        if not dtypes.issubdtype(dtype, np.complexfloating):
            raise TypeError(
                f"{name} with holomorphic=True requires inputs with complex dtype, but got {text}."
            )
        return
    if name == "jacfwd":
        if not dtypes.issubdtype(dtype, np.floating):
            raise TypeError(
                f"{name} requires real-valued inputs (input dtype that is a sub-dtype of np.floating), but got {text}. For "
                "holomorphic differentiation, pass holomorphic=True. For differentiation of non-holomorphic functions "
                "involving complex inputs or integer inputs, use jax.jvp directly."
            )
    elif not allow_int and not dtypes.issubdtype(dtype, np.inexact):
        raise TypeError(
            f"{name} requires real- or complex-valued inputs (input dtype that is a sub-dtype of np.inexact), but got "
            f"{text}. If you want to use Boolean- or integer-valued inputs, use vjp or set allow_int to True."
        )


def _check_scalar(out: Any, tree: Any, flat: Sequence[Any], name: str, holomorphic: bool) -> None:
    if len(flat) != 1 or tree != pytree.leaf_treedef:
        raise TypeError(f"Gradient only defined for scalar-output functions. Output was {out}.")
    aval: Any = shaped_aval(flat[0])
    if aval.shape != ():
        raise TypeError(
            f"Gradient only defined for scalar-output functions. Output had shape: {aval.shape}.{_ADVICE}"
        )
    _check_output(name, holomorphic, aval)


def _check_output(name: str, holomorphic: bool, aval: Any) -> None:
    """Raises TypeError for a result that cannot be differentiated in reverse, or forward where the name says so."""
    text = getattr(aval.dtype, "name", str(aval.dtype))
    if holomorphic:
        if not dtypes.issubdtype(aval.dtype, np.complexfloating):
            raise TypeError(
                f"{name} with holomorphic=True requires outputs with complex dtype, but got {text}."
            )
    elif name == "jacfwd":
        return
    elif dtypes.issubdtype(aval.dtype, np.complexfloating):
        raise TypeError(
            f"{name} requires real-valued outputs (output dtype that is a sub-dtype of np.floating), but got {text}. "
            "For holomorphic differentiation, pass holomorphic=True. For differentiation of non-holomorphic functions "
            "involving complex outputs, use jax.vjp directly."
        )
    elif not dtypes.issubdtype(aval.dtype, np.floating):
        raise TypeError(
            f"{name} requires real-valued outputs (output dtype that is a sub-dtype of np.floating), but got {text}. "
            "For differentiation of functions with integer outputs, use jax.vjp directly."
        )


def value_and_grad(
    fun: Callable[..., Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    allow_int: bool = False,
    reduce_axes: Sequence[Any] = (),
) -> Callable[..., Any]:
    """Returns a function with ``fun``'s arguments whose result is ``(fun's result, gradient)``.

    Args:
        fun: a function with a scalar result.
        argnums: the positions to differentiate by.
        has_aux: whether ``fun`` returns a pair ``(result, auxiliary data)``.
        holomorphic: whether ``fun`` is a holomorphic function of complex arguments.
        allow_int: whether integer arguments are allowed; their gradients are of dtype float0.
        reduce_axes: must be empty.

    Raises:
        TypeError: where the result is no real scalar or an argument is not of a differentiable dtype.
    """
    check_callable(fun)
    argnums = to_argnums(argnums)
    if reduce_axes:
        raise NotImplementedError("reduce_axes argument to grad is deprecated")

    @api_boundary
    @functools.wraps(
        fun, assigned=("__module__", "__name__", "__qualname__", "__annotations__"), updated=("__dict__",)
    )
    def value_and_grad_f(*args: Any, **kwargs: Any) -> Any:
        return _value_and_grad(fun, argnums, has_aux, holomorphic, allow_int, "value_and_grad", args, kwargs)

    return value_and_grad_f


def _value_and_grad(
    fun: Callable[..., Any],
    argnums: int | tuple[int, ...],
    has_aux: bool,
    holomorphic: bool,
    allow_int: bool,
    name: str,
    args: tuple,
    kwargs: dict[str, Any],
) -> Any:
    check_argnums(argnums, args)
    _, chosen, merge = split_argnums(argnums, args)
    leaves, in_tree = pytree.flatten(tuple(chosen))
    for x in leaves:
        _check_inputs(name, holomorphic, allow_int, x)

    def partial_fun(*dyn: Any) -> Any:
        return fun(*merge(dyn), **kwargs)

    flat = Flat(partial_fun, in_tree, has_aux=has_aux)
    nonzeros = [_inexact(x) for x in leaves]
    out, nz_out, jaxpr, consts = linearize_flat(flat, leaves, nonzeros, debug_of(fun, name))
    _check_scalar(pytree.unflatten(flat.out_tree, out), flat.out_tree, out, name, holomorphic)
    seed = _one_like(shaped_aval(out[0]))
    grads = _pull_back(jaxpr, consts, [shaped_aval(x) for x in leaves], nonzeros, nz_out, [seed])
    g: Any = pytree.unflatten(in_tree, grads)
    g = g[0] if isinstance(argnums, int) else g
    value = pytree.unflatten(flat.out_tree, out)
    return ((value, _aux_value(flat)), g) if has_aux else (value, g)


def _one_like(aval: Any) -> Any:
    """Returns 1 as an array of a type, weak where that is."""
    one = np.ones((), aval.dtype)[()]
    return stage(dtypes.scalar_type_of(one)(one) if aval.weak_type else one)


def _pull_back(
    jaxpr: Any,
    consts: Sequence[Any],
    avals: Sequence[Any],
    nonzeros: Sequence[bool],
    nz_out: Sequence[bool],
    cts: Sequence[Any],
) -> list[Any]:
    """Returns the cotangents of all leaves, zeros made into arrays."""
    args = [UndefinedPrimal(v.aval) for v in jaxpr.invars]
    given = [c for c, nz in zip(cts, nz_out, strict=True) if nz]
    found = iter(backward_pass(jaxpr, consts, args, given))
    out = []
    for x, nz in zip(avals, nonzeros, strict=True):
        if nz:
            out.append(instantiate_zeros(next(found)))
        else:
            out.append(np.zeros(x.shape, dtypes.float0))
    return out


def grad(
    fun: Callable[..., Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    allow_int: bool = False,
    reduce_axes: Sequence[Any] = (),
) -> Callable[..., Any]:
    """Returns a function with ``fun``'s arguments whose result is the gradient; see ``value_and_grad``."""
    check_callable(fun)
    argnums = to_argnums(argnums)
    if reduce_axes:
        raise NotImplementedError("reduce_axes argument to grad is deprecated")

    @api_boundary
    @functools.wraps(
        fun, assigned=("__module__", "__name__", "__qualname__", "__annotations__"), updated=("__dict__",)
    )
    def grad_f(*args: Any, **kwargs: Any) -> Any:
        value, g = _value_and_grad(fun, argnums, has_aux, holomorphic, allow_int, "grad", args, kwargs)
        return (g, value[1]) if has_aux else g

    return grad_f


@api_boundary
def jvp(fun: Callable[..., Any], primals: Any, tangents: Any, has_aux: bool = False) -> Any:
    """Returns ``(fun(*primals), tangent of the result)``, and the auxiliary data with ``has_aux``.

    Raises:
        TypeError: where primals and tangents differ in structure or dtype.
        ValueError: where they differ in shape.
    """
    check_callable(fun)
    if not isinstance(primals, tuple | list) or not isinstance(tangents, tuple | list):
        raise TypeError(
            "primal and tangent arguments to jax.jvp must be tuples or lists; "
            f"found {type(primals).__name__} and {type(tangents).__name__}."
        )
    trees = tuple(pytree.flatten(given)[1] for given in (primals, tangents))
    if trees[0] != trees[1]:
        raise TypeError(
            "primal and tangent arguments to jax.jvp must have the same tree structure; primals have tree structure "
            f"{trees[0]} whereas tangents have tree structure {trees[1]}."
        )
    (ps, tree), (ts, _) = (pytree.flatten(tuple(given)) for given in (primals, tangents))
    check_arraylike([*ps, *ts])
    for p, t in zip(ps, ts, strict=True):
        want: Any = shaped_aval(p).to_tangent_aval()
        got: Any = shaped_aval(t)
        if want.dtype != got.dtype:
            raise TypeError(
                "primal and tangent arguments to jax.jvp do not match; dtypes must be equal, or in case of int/bool "
                f"primal dtype the tangent dtype must be float0.{_SPACE}Got primal dtype {shaped_aval(p).dtype} and so "
                f"expected tangent dtype {want.dtype!s}, but got tangent dtype {got.dtype!s} instead."
            )
        if want.shape != got.shape:
            raise ValueError(
                f"jvp called with different primal and tangent shapes;{_SPACE}Got primal shape {want.shape} and tangent "
                f"shape as {got.shape}"
            )
    flat = Flat(fun, tree, has_aux=has_aux)
    zeros = [
        Zero(shaped_aval(p).to_tangent_aval()) if not _inexact(p) else t for p, t in zip(ps, ts, strict=True)
    ]
    out, t_out = jvp_flat(flat, ps, zeros)
    full = [instantiate_zeros(t) for t in t_out]
    result = pytree.unflatten(flat.out_tree, out), pytree.unflatten(flat.out_tree, full)
    if has_aux:
        aux = pytree.unflatten(flat.aux_tree, [getattr(x, "primal", x) for x in flat.aux])
        return (*result, aux)
    return result


class VJP:
    """The function that takes cotangents of results to cotangents of arguments; a pytree of its residuals."""

    def __init__(self, data: tuple, consts: Sequence[Any]):
        self.data = data
        self.consts = list(consts)

    def __call__(self, *cts: Any) -> tuple:
        jaxpr, leaves, nonzeros, nz_out, in_tree, out_tree, out_avals, name = self.data
        if not cts:
            raise TypeError("VJP.__call__() missing 1 required positional argument: 'out_ct'")
        if len(cts) != 1:
            raise TypeError(_splatted(name, len(cts)))
        given, tree = pytree.flatten(cts[0])
        if tree != out_tree:
            raise ValueError(
                "unexpected tree structure.\n\nThe argument to a VJP function returned by `jax.vjp` must match the "
                f"pytree\nstructure of the differentiated function {name}.\n\nBut the tree structures differ:\n"
                + "\n".join(
                    f"  * out{pytree.keystr(d.path)} was a {d.first} in the original output, but a {d.second} here, {d.why}."
                    for d in structure_differences(out_tree, tree)
                )
            )
        for c, aval in zip(given, out_avals, strict=True):
            want: Any = aval.to_tangent_aval()
            got: Any = shaped_aval(c)
            if (want.shape, want.dtype) != (got.shape, got.dtype):
                raise ValueError(
                    "unexpected JAX type (e.g. shape/dtype) for argument to VJP function: got "
                    f"{got.str_short()}, but expected {want.str_short()} because the corresponding output of the "
                    f"differentiated function had JAX type {aval.str_short()}"
                )
        grads = _pull_back(jaxpr, self.consts, leaves, nonzeros, nz_out, given)
        return pytree.unflatten(in_tree, grads)

    def __repr__(self) -> str:
        return f"VJP(fun={self.data[7]}, residuals={self.consts})"


def _splatted(name: str, n: int) -> str:
    return (
        f"\nThe function returned by `jax.vjp` applied to {name.split(' at ')[0]} was called with {n} arguments,\n"
        "but functions returned by `jax.vjp` must be called with a single argument\n"
        "corresponding to the single value returned by the function being differentiated\n"
        "(even if that returned value is a tuple or other container).\n\nFor example, if we have:\n\n"
        "  def f(x):\n    return (x, x)\n  _, f_vjp = jax.vjp(f, 1.0)\n\n"
        "the function `f` returns a single tuple as output, and so we call `f_vjp` with a\n"
        "single tuple as its argument:\n\n  x_bar, = f_vjp((2.0, 2.0))\n\n"
        "If we instead call `f_vjp(2.0, 2.0)`, with the values 'splatted out' as\n"
        "arguments rather than in a tuple, this error can arise.\n"
    )


pytree.register_node(VJP, lambda f: (f.consts, f.data), lambda data, consts: VJP(data, consts))


@api_boundary
def vjp(
    fun: Callable[..., Any], *primals: Any, has_aux: bool = False, reduce_axes: Sequence[Any] = ()
) -> Any:
    """Returns ``(fun(*primals), pull-back)``, and the auxiliary data with ``has_aux``.

    The pull-back takes a cotangent of the result and returns a tuple with one cotangent an argument.
    """
    check_callable(fun)
    if reduce_axes:
        raise NotImplementedError("reduce_axes argument to vjp is deprecated")
    leaves, in_tree = pytree.flatten(primals)
    check_arraylike(leaves, ".", InvalidInputException)
    flat = Flat(fun, in_tree, has_aux=has_aux)
    nonzeros = [_inexact(x) for x in leaves]
    out, nz_out, jaxpr, consts = linearize_flat(flat, leaves, nonzeros, debug_of(fun, "vjp"))
    avals = tuple(shaped_aval(x) for x in leaves)
    data = (
        jaxpr,
        avals,
        tuple(nonzeros),
        tuple(nz_out),
        in_tree,
        flat.out_tree,
        tuple(shaped_aval(o) for o in out),
        debug_of(fun, "vjp").func_src_info,
    )
    result = pytree.unflatten(flat.out_tree, out), VJP(data, consts)
    return (*result, _aux_value(flat)) if has_aux else result


@api_boundary
def linearize(fun: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """Returns ``(fun(*primals), linear function of tangents)``, and the auxiliary data with ``has_aux``."""
    check_callable(fun)
    leaves, in_tree = pytree.flatten(primals)
    check_arraylike(leaves)
    flat = Flat(fun, in_tree, has_aux=has_aux)
    nonzeros = [_inexact(x) for x in leaves]
    out, nz_out, jaxpr, consts = linearize_flat(flat, leaves, nonzeros, debug_of(fun, "linearize"))
    avals = [shaped_aval(x) for x in leaves]
    out_avals = [shaped_aval(o) for o in out]
    out_tree = flat.out_tree

    def lifted(*tangents: Any) -> Any:
        ts, tree = pytree.flatten(tangents)
        if tree != in_tree:
            raise TypeError(f"expected {in_tree}, got {tree}")
        for t, aval in zip(ts, avals, strict=True):
            want, got = aval.to_tangent_aval(), shaped_aval(t)
            if (want.shape, want.dtype) != (got.shape, got.dtype):
                raise ValueError(
                    "linearized function called on tangent values inconsistent with the original primal values:\n"
                    f"Got tangent aval {got} for primal aval {aval} but expected {want}."
                )
        found = iter(eval_jaxpr(jaxpr, consts, *[t for t, nz in zip(ts, nonzeros, strict=True) if nz]))
        full = [
            next(found) if nz else instantiate_zeros(Zero(a.to_tangent_aval()))
            for nz, a in zip(nz_out, out_avals, strict=True)
        ]
        return pytree.unflatten(out_tree, full)

    result = pytree.unflatten(out_tree, out), lifted
    return (*result, _aux_value(flat)) if has_aux else result


@api_boundary
def linear_transpose(
    fun: Callable[..., Any], *primals: Any, reduce_axes: Sequence[Any] = ()
) -> Callable[..., Any]:
    """Returns the transpose of a linear function of arguments of these types."""
    if not callable(fun):
        raise TypeError("the first argument must be callable")
    if reduce_axes:
        raise NotImplementedError("reduce_axes argument to transpose is deprecated")
    leaves, in_tree = pytree.flatten(primals)
    avals = [
        shaped_aval(x) if not hasattr(x, "shape") or not hasattr(x, "dtype") else _duck_aval(x)
        for x in leaves
    ]
    dtypes_in = [a.dtype for a in avals]
    if any(not dtypes.issubdtype(d, np.inexact) for d in dtypes_in) and not all(
        dtypes.issubdtype(d, np.integer) for d in dtypes_in
    ):
        raise TypeError(
            "linear_transpose only supports [float or complex] -> [float or complex], and integer -> integer functions, "
            f"but got {dtypes_in} -> ."
        )
    flat = Flat(fun, in_tree)
    jaxpr, consts = trace_to_jaxpr(flat, avals, debug_of(fun, "linear_transpose"))

    def transposed(ct: Any) -> tuple:
        cts, tree = pytree.flatten(ct)
        if tree != flat.out_tree:
            raise TypeError(
                f"cotangent tree does not match function output, expected {flat.out_tree} but got {tree}"
            )
        if not all(typematch(a, shaped_aval(c)) for a, c in zip(jaxpr.out_avals, cts, strict=True)):
            raise TypeError(
                f"cotangent type does not match function output, expected {tuple(jaxpr.out_avals)} but got {cts}"
            )
        out = backward_pass(jaxpr, consts, [UndefinedPrimal(a) for a in avals], cts)
        return pytree.unflatten(in_tree, [instantiate_zeros(c) for c in out])

    return transposed


def _duck_aval(x: Any) -> Any:
    aval = getattr(x, "aval", None)
    if aval is not None:
        return aval
    from_dtype = dtypes.canonicalize_dtype(x.dtype)
    return _make_aval(tuple(x.shape), from_dtype)


def _make_aval(shape: tuple[int, ...], dtype: Any) -> Any:
    return shaped_aval(np.broadcast_to(np.zeros((), dtype), shape))
