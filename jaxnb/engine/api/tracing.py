"""Looking at programs: ``make_jaxpr`` and ``eval_shape``."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from jaxnb.engine.api import stages
from jaxnb.engine.api.jit import info_of, jit_info
from jaxnb.engine.core.boundary import api_boundary
from jaxnb.engine.core.functions import fun_name, held
from jaxnb.engine.runtime.signature import JitInfo

__all__ = ["eval_shape", "make_jaxpr"]


def make_jaxpr(
    fun: Callable[..., Any],
    static_argnums: int | Sequence[int] = (),
    axis_env: Sequence[tuple[Any, int]] | None = None,
    return_shape: bool = False,
) -> Callable[..., Any]:
    """Returns a function with ``fun``'s arguments whose result is the program ``fun`` traces to.

    Args:
        fun: the function.
        static_argnums: positions of arguments that stay Python values.
        axis_env: names and sizes of mapped axes that ``fun`` may refer to.
        return_shape: whether the result is ``(jaxpr, shapes and dtypes of the results)``.

    Raises:
        TypeError: where ``fun`` is not callable.
    """
    if not callable(fun):
        raise TypeError("the first argument must be callable")
    made: list[JitInfo] = []

    @api_boundary
    @functools.wraps(fun, assigned=("__doc__", "__annotations__"), updated=())
    def make_jaxpr_f(*args: Any, **kwargs: Any) -> Any:
        if not made:  # wrong numbers are told of at the first call
            made.append(jit_info(held(fun), static_argnums=static_argnums))
        with stages.named_axes(axis_env or ()):
            traced = stages.trace(made[0], *args, **kwargs)
        closed = traced._closed_jaxpr()
        return (closed, traced.out_info) if return_shape else closed

    make_jaxpr_f.__module__ = "jaxnb"
    make_jaxpr_f.__name__ = make_jaxpr_f.__qualname__ = f"make_jaxpr({fun_name(fun)})"
    return make_jaxpr_f


@api_boundary
def eval_shape(fun: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Returns the shapes and dtypes of ``fun``'s results for arguments of these types; computes nothing.

    Raises:
        TypeError: where ``fun`` is not callable, or where it would raise for real arguments.
    """
    if not callable(fun):
        raise TypeError(f"Expected a callable value, got {fun}")
    info = info_of(fun) or jit_info(held(fun))
    return stages.trace(info, *args, **kwargs).out_info
