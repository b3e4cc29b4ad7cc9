"""How several arguments of a function come to one rank and one dtype, by NumPy's rules as JAX has them."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from jaxnb.base.config import config
from jaxnb.engine.api.jit import jit
from jaxnb.engine.core import dtypes
from jaxnb.engine.core.avals import get_aval
from jaxnb.engine.ops.axes import broadcast_shapes
from jaxnb.engine.ops.shape import broadcast_to_rank
from jaxnb.numpy.arguments import (
    check_arraylike,
    promote_dtypes,
    promote_dtypes_inexact,
    promote_dtypes_numeric,
)
from jaxnb.xla.version import JAXLIB_VERSION

inlined: Callable[..., Any] = functools.partial(jit, inline=True)
"""Compiled as a whole when called with arrays; no call of its own in a traced program."""

_DOCS = "https://docs.jax.dev/en/latest/" + ("101/" if JAXLIB_VERSION >= (0, 12) else "")


def promote_shapes(name: str, *args: Any) -> list[Any]:
    """The arguments with one rank, where more than one rank above zero occurs."""
    shapes = [np.shape(x) for x in args]
    ranks = {len(shape) for shape in shapes}
    if len(ranks) == 1 or len(ranks - {0}) < 2:
        return list(args)
    if config.numpy_rank_promotion.value != "allow":
        _report_rank_promotion(name, shapes)
    rank = len(broadcast_shapes(*shapes))
    return [broadcast_to_rank(x, rank) for x in args]


def _report_rank_promotion(name: str, shapes: list[tuple[int, ...]]) -> None:
    listed = " ".join(map(str, shapes))
    if config.numpy_rank_promotion.value == "warn":
        warnings.warn(
            f"Following NumPy automatic rank promotion for {name} on shapes {listed}. Set the jax_numpy_rank_promotion "
            "config option to 'allow' to disable this warning; for more information, see "
            f"{_DOCS}rank_promotion_warning.html.",
            stacklevel=5,
        )
    else:
        raise ValueError(
            f"Operands could not be broadcast together for {name} on shapes {listed} and with the config option "
            "jax_numpy_rank_promotion='raise'. For more information, see "
            f"{_DOCS}rank_promotion_warning.html."
        )


def promote_args(name: str, *args: Any) -> list[Any]:
    """The arguments, checked, with one dtype and one rank."""
    check_arraylike(name, *args)
    if any(dtypes.is_extended(getattr(x, "dtype", None)) for x in args):
        found = [dtypes.dtype(x, canonicalize=True) for x in args]
        if any(d != found[0] for d in found):
            raise TypeError(f"{name} does not accept dtypes {', '.join(map(str, found))}.")
    return promote_shapes(name, *promote_dtypes(*args))


def promote_args_inexact(name: str, *args: Any) -> list[Any]:
    """The arguments, checked, with one inexact dtype and one rank."""
    check_arraylike(name, *args)
    return promote_shapes(name, *promote_dtypes_inexact(*args))


def promote_args_numeric(name: str, *args: Any) -> list[Any]:
    """The arguments, checked, with one dtype that is not bool and one rank."""
    check_arraylike(name, *args)
    return promote_shapes(name, *promote_dtypes_numeric(*args))


def constant_like(x: Any, value: Any) -> Any:
    """A scalar of ``x``'s dtype, strongly typed."""
    return np.asarray(value, get_aval(x).dtype)[()]  # pyright: ignore[reportAttributeAccessIssue]


def one_argument(name: str, doc: str, fun: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function of one positional argument under JAX's name, compiled as a whole."""

    def unary(x, /):
        return fun(x)

    return inlined(_called(name, doc, unary))


def two_arguments(
    name: str, doc: str, fun: Callable[[Any, Any], Any], params: str = "x1 x2"
) -> Callable[[Any, Any], Any]:
    """A function of two positional arguments under JAX's names, compiled as a whole."""
    if params == "x y":

        def binary(x, y, /):
            return fun(x, y)
    else:

        def binary(x1, x2, /):
            return fun(x1, x2)

    return inlined(_called(name, doc, binary))


def _called(name: str, doc: str, fun: Callable[..., Any]) -> Callable[..., Any]:
    fun.__name__ = fun.__qualname__ = name
    fun.__module__ = "jaxnb.numpy"
    fun.__doc__ = doc
    return fun
