"""``debug_nans`` and ``debug_infs``: every result is looked at, and a bad one is traced back to its operation.

Lives here: the hook that C++ dispatch calls after each call while one of the two settings is on.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from jaxnb.base import config
from jaxnb.base.errors import InternalFloatingPointError
from jaxnb.base.setting import PythonSlot
from jaxnb.engine.core import dtypes
from jaxnb.engine.core.trace import Tracer
from jaxnb.engine.runtime.signature import JitInfo
from jaxnb.xla import array as array_door
from jaxnb.xla import pytree
from jaxnb.xla.array import ArrayImpl
from jaxnb.xla.state import post_hook_state, unset

__all__ = ["call_step_by_step", "check_result", "special_value"]


def special_value(tree: Any) -> str | None:
    """Returns ``nan`` or ``inf`` where an array holds a value that the settings forbid, else None."""
    for x in pytree.flatten(tree)[0]:
        if type(x) is not ArrayImpl or x.is_deleted() or not dtypes.issubdtype(x.dtype, np.inexact):
            continue
        value = array_door.to_numpy(x)
        if value.dtype.kind not in "fc":
            value = value.astype(np.float32)
        if config.debug_nans.value and np.isnan(value).any():
            return "nan"
        if config.debug_infs.value and np.isinf(value).any():
            return "inf"
    return None


def _after_call(fun: Any, args: tuple, kwargs: dict[str, Any], out: Any) -> None:
    check_result(getattr(fun, "_jit_info", None), getattr(fun, "__name__", "a function"), args, kwargs, out)


def check_result(info: JitInfo | None, name: str, args: tuple, kwargs: dict[str, Any], out: Any) -> None:
    """Raises FloatingPointError where a result holds what the settings forbid; the operation that made it is looked for.

    Args:
        info: the options of the function that was called; None where it cannot be called in another way.
        name: the function's name.
        args: what it was called with.
        kwargs: what it was called with by name.
        out: its result.
    """
    if any(isinstance(x, Tracer) for x in pytree.flatten(out)[0]):
        return
    kind = special_value(out)
    if kind is None:
        return
    if info is None:
        raise InternalFloatingPointError(f"jit({name})", kind)
    if info.is_primitive:
        raise FloatingPointError(f"invalid value ({kind}) encountered in {info.name}")
    call_step_by_step(info, args, kwargs, InternalFloatingPointError(f"jit({name})", kind))


def call_step_by_step(
    info: JitInfo, args: tuple, kwargs: dict[str, Any], error: InternalFloatingPointError
) -> NoReturn:
    """Calls a function without ``jit``, so that the operation which makes a forbidden value raises.

    Args:
        info: the function's options.
        args: what it was called with.
        kwargs: what it was called with by name.
        error: what the compiled function raised.
    """
    # JAX's words, which speak of nan whatever was found
    print(
        "Invalid nan value encountered in the output of a jax.jit function. Calling the de-optimized version."
    )
    try:
        info.fun(*args, **kwargs)
    except (FloatingPointError, ZeroDivisionError) as found:
        raise found from None
    raise error.not_found() from None


class _WatchedSlot(PythonSlot):
    """A setting's storage that puts the hook where C++ finds it while the setting is on."""

    __slots__ = ()

    def set_global(self, value: Any) -> None:
        super().set_global(value)
        _refresh()

    def set_local(self, value: Any) -> None:
        super().set_local(value)
        _refresh()

    def swap_local(self, value: Any) -> Any:
        before = super().swap_local(value)
        _refresh()
        return before


def _refresh() -> None:
    everywhere = config.debug_nans.slot.get_global() or config.debug_infs.slot.get_global()
    post_hook_state.set_global(_after_call if everywhere else None)
    here = config.debug_nans.value or config.debug_infs.value
    post_hook_state.set_local(unset if bool(here) == bool(everywhere) else _after_call if here else None)


for _setting in (config.debug_nans, config.debug_infs):
    _setting.bind(_WatchedSlot(_setting.value))
