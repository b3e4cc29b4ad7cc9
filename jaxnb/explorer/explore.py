"""``explore``: the plain-Python form of the magics.

What lives here: from a function and arguments to an ``Exploration``. What must not: stages, or anything of IPython.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from jaxnb.base.config import omnistaging as omnistaging_setting
from jaxnb.base.config import use_simplified_jaxpr_constants
from jaxnb.explorer.capture.engine import EngineFrontEnd
from jaxnb.explorer.capture.program import Program
from jaxnb.explorer.capture.protocol import (
    CapturedCompilation,
    CapturedLowering,
    CapturedRun,
    CapturedTrace,
    FrontEnd,
)
from jaxnb.explorer.capture.signature import CapturedParameter
from jaxnb.explorer.exploration import Exploration


def explore(
    f: Callable[..., Any],
    /,
    *args: Any,
    omnistaging: bool | None = None,
    simplified_constants: bool | None = None,
    compiler_options: Mapping[str, Any] | None = None,
    **kwargs: Any,
) -> Exploration:
    """An exploration of ``f(*args, **kwargs)``: traced now, lowered, compiled and run when that is asked for.

    Args:
        f: A function, jitted or not.
        *args: The arguments to trace and run it with.
        omnistaging: Whether every operation is staged, or only those that depend on arguments; None for the setting.
        simplified_constants: Whether arrays closed over become arguments of the compiled program; None for the setting.
        compiler_options: XLA's options by name.
        **kwargs: The keyword arguments to trace and run it with.

    Returns:
        The exploration: ``.jaxpr``, ``.stablehlo``, ``.hlo``, ``.graph``, ``.links``, ``.facts()``, ``.show()``, ….

    Raises:
        Exception: What tracing ``f`` raises.
    """
    return Exploration(
        make_front_end(
            f,
            args,
            kwargs,
            omnistaging=omnistaging,
            simplified_constants=simplified_constants,
            compiler_options=compiler_options,
        )
    )


def make_front_end(
    f: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    *,
    omnistaging: bool | None = None,
    simplified_constants: bool | None = None,
    compiler_options: Mapping[str, Any] | None = None,
    title: str | None = None,
    is_fresh: bool = False,
) -> FrontEnd:
    """The front end of a function of ours, under settings of its own where some are given."""
    front_end: FrontEnd = EngineFrontEnd(f, args, kwargs, compiler_options, title, is_fresh)
    settings = {
        omnistaging_setting: omnistaging,
        use_simplified_jaxpr_constants: simplified_constants,
    }
    chosen = {setting: value for setting, value in settings.items() if value is not None}
    return _WithSettings(front_end, chosen) if chosen else front_end


class _WithSettings:
    """A front end that works under settings of its own, whichever thread it is called from."""

    def __init__(self, front_end: FrontEnd, settings: Mapping[Any, bool]) -> None:
        self.front_end = front_end
        self.settings = settings

    def under(self) -> ExitStack:
        stack = ExitStack()
        for setting, value in self.settings.items():
            stack.enter_context(setting(value))
        return stack

    def trace(self) -> CapturedTrace:
        with self.under():
            return self.front_end.trace()

    def program(self) -> Program:
        with self.under():
            return self.front_end.program()

    def constant_values(self) -> Sequence[Any]:
        return self.front_end.constant_values()

    def lower(self) -> CapturedLowering:
        with self.under():
            return self.front_end.lower()

    def signature(self) -> tuple[CapturedParameter, ...]:
        return self.front_end.signature()

    def lowered_cost(self) -> Mapping[str, float]:
        with self.under():
            return self.front_end.lowered_cost()

    def compile_here(self) -> CapturedCompilation:
        with self.under():
            return self.front_end.compile_here()

    def compile_error(self, message: str) -> Exception:
        return self.front_end.compile_error(message)

    def run(self, compilation: CapturedCompilation) -> CapturedRun:
        with self.under():
            return self.front_end.run(compilation)
