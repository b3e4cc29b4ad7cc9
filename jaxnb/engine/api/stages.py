"""The steps of compilation as objects: ``Traced``, ``Lowered``, ``Compiled``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from jaxnb.base import config
from jaxnb.engine.core.avals import ShapedArray, get_aval
from jaxnb.engine.core.jaxpr import ClosedJaxpr, Jaxpr, close
from jaxnb.engine.core.trace import Tracer, trace_context
from jaxnb.engine.core.tree_differences import structure_differences
from jaxnb.engine.runtime.call_devices import Placement, place_call
from jaxnb.engine.runtime.dispatch import JitInfo, TracedCall, make_checked, trace_call
from jaxnb.engine.runtime.executable import CompiledProgram, LoweredProgram
from jaxnb.engine.runtime.layouts import Format, Layout
from jaxnb.engine.runtime.named_shardings import is_same_placement
from jaxnb.engine.runtime.placement import sharding_of
from jaxnb.engine.runtime.programs import compiled, lowered_call
from jaxnb.engine.runtime.shapes import ShapeDtypeStruct
from jaxnb.engine.runtime.signature import UNSPECIFIED
from jaxnb.engine.transforms.constants import with_constvars, with_key_constvars
from jaxnb.engine.transforms.evaluate import eval_jaxpr
from jaxnb.xla import pytree
from jaxnb.xla.client import Device
from jaxnb.xla.hlo import module_cost_analysis, unoptimized_computation, unoptimized_text
from jaxnb.xla.mlir import module_text
from jaxnb.xla.version import JAXLIB_VERSION

__all__ = [
    "ArgInfo",
    "Compiled",
    "CompilerOptions",
    "LoJax",
    "Lowered",
    "ShapeDtypeStruct",
    "Stage",
    "Traced",
    "Wrapped",
    "named_axes",
    "trace",
]


CompilerOptions = dict[str, Any] if JAXLIB_VERSION >= (0, 12) else dict[str, str | bool]
"""XLA's options by name."""


@dataclass(frozen=True)
class ArgInfo:
    """What is known of one argument's leaf."""

    _aval: ShapedArray
    donated: bool

    @property
    def shape(self) -> tuple[int, ...]:
        """The dimensions."""
        return self._aval.shape

    @property
    def dtype(self) -> Any:
        """The element type."""
        return self._aval.dtype


@runtime_checkable
class Wrapped(Protocol):
    """A function that can be called, traced and lowered."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the function."""
        ...

    def trace(self, *args: Any, **kwargs: Any) -> Traced:
        """Traces the function for arguments of these types."""
        ...

    def lower(self, *args: Any, **kwargs: Any) -> Lowered:
        """Traces and lowers the function for arguments of these types."""
        ...


class Stage:
    """What the steps share: the call they come from."""

    __slots__ = ("__weakref__", "_call", "_info", "args_info", "out_tree")

    def __init__(self, info: JitInfo, call: TracedCall):
        self._info = info
        self._call = call
        self.out_tree = call.traced.out_tree
        self.args_info = pytree.unflatten(
            call.in_tree, [ArgInfo(a, d) for a, d in zip(call.avals, call.donated, strict=True)]
        )

    @property
    def in_tree(self) -> Any:
        """The structure of the arguments: ``(positional, keyword)``."""
        return self._call.in_tree

    @property
    def in_avals(self) -> Any:
        """The types of the arguments, in their structure."""
        return pytree.unflatten(self._call.in_tree, self._call.avals)

    @property
    def donate_argnums(self) -> tuple[int, ...]:
        """The flat positions of donated arguments."""
        return tuple(i for i, d in enumerate(self._call.donated) if d)


@dataclass(frozen=True)
class LoJax:
    """A program in terms that can be lowered; JAX has others, of which it is made, and here they are one."""

    jaxpr: ClosedJaxpr


class Traced(Stage):
    """A function traced for one signature."""

    __slots__ = ("_jaxpr",)

    def __init__(self, info: JitInfo, call: TracedCall):
        super().__init__(info, call)
        self._jaxpr: ClosedJaxpr | None = None

    @property
    def fun_name(self) -> str:
        """The function's name."""
        return self._info.name

    @property
    def jaxpr(self) -> ClosedJaxpr:
        """The program."""
        if self._jaxpr is None:
            self._jaxpr = _shown(self._call.traced.jaxpr)
        return self._jaxpr

    @property
    def lojax(self) -> LoJax:
        """The program in terms that can be lowered, as it is here."""
        return LoJax(self.jaxpr)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Applies the program to arguments of the structure that it was traced for, operation by operation."""
        leaves, tree = pytree.flatten((args, kwargs))
        assert tree == self._call.in_tree
        traced = self._call.traced
        return pytree.unflatten(self.out_tree, eval_jaxpr(traced.jaxpr, (), *traced.consts, *leaves))

    def _closed_jaxpr(self) -> ClosedJaxpr:
        """Returns the program; traced values that the function closed over are its constants."""
        traced = self._call.traced
        if not traced.consts:
            return self.jaxpr
        n = len(traced.consts)
        shown = _shown(traced.jaxpr)
        jaxpr = shown.jaxpr
        jaxpr = jaxpr.replace(constvars=[*jaxpr.constvars, *jaxpr.invars[:n]], invars=jaxpr.invars[n:])
        return ClosedJaxpr(jaxpr, [*shown.consts, *traced.consts])

    @property
    def out_info(self) -> Any:
        """The results' shapes and dtypes, in the structure of the function's result."""
        avals = self._call.traced.jaxpr.out_avals
        return pytree.unflatten(
            self.out_tree, [ShapeDtypeStruct(a.shape, a.dtype, weak_type=a.weak_type) for a in avals]
        )

    @property
    def out_avals(self) -> Any:
        """The results' types, in the structure of the function's result."""
        return pytree.unflatten(self.out_tree, self._call.traced.jaxpr.out_avals)

    if JAXLIB_VERSION >= (0, 12):

        @property
        def effects(self) -> Any:
            """The program's effects."""
            return self._call.traced.jaxpr.effects

    def lower(self, *, lowering_platforms: tuple[str, ...] | None = None) -> Lowered:
        """Returns the program as a StableHLO module.

        Args:
            lowering_platforms: the platforms to lower for; by default the one it would run on.

        Raises:
            ValueError: where arguments, shardings and captured arrays disagree on the device.
        """
        place = place_call(self._info, self._call)
        lowered = lowered_call(self._info, self._call, place, tuple(lowering_platforms or ()))
        return Lowered(self._info, self._call, place, lowered)


def _shown(jaxpr: Jaxpr) -> ClosedJaxpr:
    """Returns the program as users see it: its captured arrays where the setting says."""
    simplified = config.use_simplified_jaxpr_constants.value
    return with_key_constvars(jaxpr) if simplified else with_constvars(jaxpr)


class Lowered(Stage):
    """A program as a StableHLO module."""

    __slots__ = ("_place", "_program")

    def __init__(self, info: JitInfo, call: TracedCall, place: Placement, program: LoweredProgram):
        super().__init__(info, call)
        self._place = place
        self._program = program

    @property
    def out_info(self) -> Any:
        """The results' shapes and dtypes, and where ``jit`` was told to put them."""
        avals = self._program.out_avals
        given = self._place.given_out or (UNSPECIFIED,) * len(avals)
        infos = [
            ShapeDtypeStruct(a.shape, a.dtype, sharding=None if s is UNSPECIFIED else s)
            for a, s in zip(avals, given, strict=True)
        ]
        return pytree.unflatten(self.out_tree, infos)

    def as_text(self, dialect: str | None = None, *, debug_info: bool = False) -> str:
        """Returns the module's text.

        Args:
            dialect: ``stablehlo`` (the default) or ``hlo``.
            debug_info: whether locations are printed.

        Raises:
            ValueError: where the dialect is unknown.
        """
        if dialect in (None, "stablehlo"):
            return module_text(self._program.module.module, debug_info=debug_info)
        if dialect == "hlo":
            return unoptimized_text(self._program.module.bytecode, metadata=debug_info)
        raise ValueError(f"unknown dialect: {dialect}")

    def compiler_ir(self, dialect: str | None = None) -> Any:
        """Returns the program as jaxlib's own object: an MLIR module (``stablehlo``) or a computation (``hlo``).

        Raises:
            ValueError: where the dialect is unknown.
        """
        if dialect in (None, "stablehlo"):
            return self._program.module.module
        if dialect == "hlo":
            return unoptimized_computation(self._program.module.bytecode)
        raise ValueError(f"unknown dialect: {dialect}")

    def compile(
        self,
        compiler_options: dict[str, Any] | None = None,
        *,
        device_assignment: tuple[Device, ...] | None = None,
    ) -> Compiled:
        """Returns the executable, which calls of the function then use too.

        Args:
            compiler_options: XLA's options by name, after those given to ``jit``.
            device_assignment: the devices, which must be those that arguments and shardings tell.

        Raises:
            ValueError: where ``device_assignment`` names others.
            JaxRuntimeError: where XLA refuses the program or an option.
        """
        if device_assignment is not None:
            self._check_assignment(device_assignment)
        options = self._info.compiler_options
        if compiler_options is not None:
            options += tuple(compiler_options.items())
        program = compiled(self._program, options)
        return Compiled(self._info, self._call, self._place, program)

    def _check_assignment(self, given: tuple[Device, ...]) -> None:
        own = self._program.devices
        if tuple(given) != own:
            told, found = (
                f"{[d.id for d in ds]} on platform {ds[0].platform.upper()}" for ds in (given, own)
            )
            raise ValueError(
                "device_assignment passed to `.compile` must match the device_assignment calculated from array shardings "
                f"and out_shardings. Got device ids passed to compile {told} and devices ids calculated from array "
                f"shardings and out_shardings {found}"
            )

    def cost_analysis(self) -> dict[str, float]:
        """Returns XLA's estimate for the module before optimisation."""
        return module_cost_analysis(self._program.module.bytecode)


class Compiled(Stage):
    """A compiled program for one signature."""

    __slots__ = ("_place", "_program", "_run")

    def __init__(self, info: JitInfo, call: TracedCall, place: Placement, program: CompiledProgram):
        super().__init__(info, call)
        self._place = place
        self._program = program
        self._run: Any = None

    @property
    def out_info(self) -> Any:
        """The results' shapes and dtypes, their shardings and layouts."""
        formats = self._output_formats()
        infos = [
            ShapeDtypeStruct(a.shape, a.dtype, sharding=f)
            for a, f in zip(self._program.out_avals, formats, strict=True)
        ]
        return pytree.unflatten(self.out_tree, infos)

    def as_text(self) -> str:
        """Returns the optimised HLO."""
        return self._program.executable.hlo_text()

    def cost_analysis(self) -> dict[str, float]:
        """Returns XLA's estimate for the optimised program."""
        return self._program.executable.cost_analysis()

    def memory_analysis(self) -> Any:
        """Returns XLA's account of the program's memory, in bytes."""
        return self._program.executable.memory_stats_raw()

    def runtime_executable(self) -> Any:
        """Returns jaxlib's own object."""
        return self._program.executable.raw

    def _kept(self) -> list[bool]:
        return self._program.lowered.kept[len(self._call.traced.consts) :]

    @property
    def input_shardings(self) -> Any:
        """The arguments' shardings, ``(positional, keyword)``; None for one that the program does not use."""
        shardings = iter(self._input_shardings())
        return pytree.unflatten(self._call.in_tree, [next(shardings) if k else None for k in self._kept()])

    @property
    def output_shardings(self) -> Any:
        """The results' shardings."""
        return pytree.unflatten(self.out_tree, self._program.out_shardings)

    def _input_shardings(self) -> list[Any]:
        """Returns the shardings of the arguments that the program uses."""
        return self._program.in_shardings[len(self._program.const_args) :]

    @property
    def input_formats(self) -> Any:
        """The arguments' shardings and layouts, ``(positional, keyword)``; empty for one that is not used."""
        layouts = self._program.executable.parameter_layouts()[len(self._program.const_args) :]
        used = zip(layouts, self._input_shardings(), strict=True)
        formats = [_format(*next(used)) if k else Format() for k in self._kept()]
        return pytree.unflatten(self._call.in_tree, formats)

    @property
    def output_formats(self) -> Any:
        """The results' shardings and layouts."""
        return pytree.unflatten(self.out_tree, self._output_formats())

    def _output_formats(self) -> list[Format]:
        layouts = self._program.executable.output_layouts()
        return [_format(*pair) for pair in zip(layouts, self._program.out_shardings, strict=True)]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the program.

        Raises:
            TypeError: where the arguments are not of the types it was compiled for, or are tracers.
            ValueError: where an argument was put on another device.
        """
        if self._run is None:
            self._run = make_checked(self._info.name, self._checked_call, self._no_function)
        return self._run(*args, **kwargs)

    def _no_function(self, *_: Any, **__: Any) -> Any:
        raise ValueError(
            f"Disable jit is not supported in the AOT path since the function is not available for (jit({self._info.name}))"
        )

    def _checked_call(self, args: tuple, kwargs: dict[str, Any]) -> tuple[Any, Any]:
        """Runs the program on arguments that were not seen before; returns what C++ needs to run it on such ones."""
        call = self._call
        leaves, tree = pytree.flatten((args, kwargs))
        if tree != call.in_tree:
            raise TypeError(_structure_mismatch(call.in_tree, tree))
        for x in leaves:
            if isinstance(x, Tracer):
                raise TypeError(
                    "Cannot apply JAX transformations to a function lowered and compiled for a particular signature. "
                    f"Detected argument of Tracer type {type(x)}."
                )
        names = call.traced.debug_info.arg_names
        self._check_types(leaves, names)
        self._check_devices(leaves, names)
        committed = self._place.committed
        out = pytree.unflatten(self.out_tree, self._program.call(leaves, committed))
        return out, self._program.fastpath(self.out_tree, committed)

    call = __call__

    def _check_types(self, leaves: Sequence[Any], names: Sequence[str | None]) -> None:
        wrong = []
        for i, (x, want) in enumerate(zip(leaves, self._call.avals, strict=True)):
            got = get_aval(x)
            if (want.shape, want.dtype) != (got.shape, got.dtype):
                name = names[i] if i < len(names) else f"args[{i}]"
                wrong.append(
                    f"Argument '{name}' compiled with {want.str_short()} and called with {got.str_short()}"
                )
        if wrong:
            few = len(wrong) < _MOST
            mismatches = "mismatches" if few else f"first {_MOST} of {len(wrong)} mismatches"
            raise TypeError(
                "Argument types differ from the types for which this computation was compiled. Perhaps you are calling the "
                "compiled executable with a different enable_x64 mode than when it was AOT compiled? "
                f"The {mismatches} are:\n" + "\n".join(wrong[:_MOST])
            )

    def _check_devices(self, leaves: Sequence[Any], names: Sequence[str | None]) -> None:
        shardings = iter(self._input_shardings())
        wrong = []
        for i, (x, kept) in enumerate(zip(leaves, self._kept(), strict=True)):
            wanted, passed = next(shardings) if kept else None, sharding_of(x)
            if kept and passed is not None and not is_same_placement(passed, wanted, np.ndim(x)):
                wrong.append(
                    f"Argument {names[i]} with shape {get_aval(x).str_short()}:\n"
                    f"  Passed sharding: {passed}\n  Required sharding: {wanted}"
                )
        if wrong:
            raise ValueError(
                "Computation was compiled for input shardings that disagree with the shardings of arguments passed to "
                f"it. Here are the {len(wrong)} mismatches:\n" + "\n".join(wrong)
            )


def _format(layout: tuple[Any, ...], sharding: Any) -> Format:
    return Format(Layout(*layout), sharding)


_MOST = 5  # mismatches that a message lists


def _structure_mismatch(compiled_for: Any, called_with: Any) -> str:
    """Returns the text that says how two argument structures differ."""
    found = structure_differences(compiled_for, called_with)
    lines = []
    for d in found:
        where = ("args", "kwargs")[d.path[0].idx] + pytree.keystr(d.path[1:])
        lines.append(f"    * at {where}, seen {d.first} but now given {d.second}, {d.why}")
    return (
        "Function compiled with input pytree does not match the input pytree it was called with. There are "
        f"{len(found)} mismatches, including:\n" + "\n".join(lines)
    )


@contextmanager
def named_axes(axes: Sequence[tuple[Any, int]]) -> Iterator[None]:
    """Brings named axes into scope."""
    before = trace_context.axis_env
    trace_context.axis_env = {**before, **{name: size for name, size in axes}}  # noqa: C416  (its errors are JAX's)
    try:
        yield
    finally:
        trace_context.axis_env = before


def trace(info: JitInfo, *args: Any, **kwargs: Any) -> Traced:
    """Returns a jitted function traced for arguments of these types; objects with shape and dtype will do."""
    return Traced(info, trace_call(info, args, kwargs, ahead=True))


for _stage in (ArgInfo, LoJax, Traced, Lowered, Compiled):
    _stage.__module__ = "jaxnb.stages"
