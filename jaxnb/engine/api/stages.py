"""The steps of compilation as objects: ``Traced``, ``Lowered``, ``Compiled``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from jaxnb.base import config
from jaxnb.engine.core import dtypes
from jaxnb.engine.core.avals import ShapedArray
from jaxnb.engine.core.jaxpr import ClosedJaxpr, Jaxpr, close
from jaxnb.engine.core.trace import Tracer, shaped_aval, trace_context
from jaxnb.engine.runtime.arrays import device_of
from jaxnb.engine.runtime.dispatch import JitInfo, TracedCall, trace_call
from jaxnb.engine.runtime.executable import CompiledProgram, LoweredProgram, compile_jaxpr, lower_jaxpr
from jaxnb.engine.transforms.constants import with_constvars
from jaxnb.xla import pytree
from jaxnb.xla.hlo import unoptimized_text
from jaxnb.xla.mlir import module_text, module_to_bytecode

__all__ = [
    "ArgInfo",
    "Compiled",
    "Lowered",
    "ShapeDtypeStruct",
    "Stage",
    "Traced",
    "Wrapped",
    "eval_shape_of",
    "named_axes",
    "trace",
]


class ShapeDtypeStruct:
    """A shape and a dtype in an array's place."""

    __slots__ = ("dtype", "shape", "sharding", "weak_type")

    def __init__(self, shape: Any, dtype: Any, *, sharding: Any = None, weak_type: bool = False):
        if dtype is None:
            raise ValueError("ShapeDtypeStruct: dtype must be specified.")
        self.shape = tuple(shape)
        self.dtype = dtype if dtypes.is_extended(dtype) else np.dtype(dtype)
        self.sharding = sharding
        self.weak_type = weak_type

    size = property(lambda self: int(np.prod(self.shape)), doc="How many elements there are.")
    ndim = property(lambda self: len(self.shape), doc="How many dimensions there are.")

    @staticmethod
    def like(x: Any) -> ShapeDtypeStruct:
        """Returns the shape and dtype of ``x``."""
        if isinstance(x, ShapeDtypeStruct):
            return x
        aval: Any = shaped_aval(x)
        return ShapeDtypeStruct(aval.shape, aval.dtype, weak_type=aval.weak_type)

    def update(self, **kwargs: Any) -> ShapeDtypeStruct:
        """Returns a copy with fields replaced."""
        fields = {k: kwargs.pop(k, getattr(self, k)) for k in ("shape", "dtype", "sharding", "weak_type")}
        if kwargs:
            raise ValueError(f"ShapeDtypeStruct.update got unexpected fields {sorted(kwargs)}")
        return ShapeDtypeStruct(fields.pop("shape"), fields.pop("dtype"), **fields)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __repr__(self) -> str:
        sharding = f", sharding={self.sharding}" if self.sharding is not None else ""
        weak = f", weak_type={self.weak_type}" if self.weak_type else ""
        return f"ShapeDtypeStruct(shape={self.shape}, dtype={getattr(self.dtype, 'name', self.dtype)}{sharding}{weak})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ShapeDtypeStruct) and (
            (self.shape, self.dtype, self.sharding, self.weak_type)
            == (other.shape, other.dtype, other.sharding, other.weak_type)
        )

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype, self.sharding, self.weak_type))


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
    """What the steps share: the arguments."""

    args_info: Any

    @property
    def in_tree(self) -> Any:
        """The structure of the arguments."""
        return pytree.flatten(self.args_info, is_leaf=lambda x: isinstance(x, ArgInfo))[1]

    @property
    def in_avals(self) -> Any:
        """The types of the arguments, in their structure."""
        leaves, tree = pytree.flatten(self.args_info, is_leaf=lambda x: isinstance(x, ArgInfo))
        return pytree.unflatten(tree, [a._aval for a in leaves])

    @property
    def donate_argnums(self) -> tuple[int, ...]:
        """The flat positions of donated arguments."""
        leaves = pytree.flatten(self.args_info, is_leaf=lambda x: isinstance(x, ArgInfo))[0]
        return tuple(i for i, a in enumerate(leaves) if a.donated)


def _args_info(call: TracedCall) -> Any:
    return pytree.unflatten(
        call.in_tree, [ArgInfo(a, d) for a, d in zip(call.avals, call.donated, strict=True)]
    )


class Traced(Stage):
    """A function traced for one signature."""

    __slots__ = ("_call", "_info", "args_info", "fun_name", "jaxpr")

    def __init__(self, info: JitInfo, call: TracedCall):
        self._info = info
        self._call = call
        self.fun_name = info.name
        self.jaxpr: ClosedJaxpr = _shown(call.traced.jaxpr)
        self.args_info = _args_info(call)

    def closed_jaxpr(self) -> ClosedJaxpr:
        """Returns the program; traced values that the function closed over are its constants."""
        traced = self._call.traced
        if not traced.consts:
            return self.jaxpr
        n = len(traced.consts)
        jaxpr = traced.jaxpr
        shown = _shown(jaxpr.replace(constvars=jaxpr.invars[:n], invars=jaxpr.invars[n:]))
        return ClosedJaxpr(shown.jaxpr, [*shown.consts, *traced.consts])

    @property
    def out_info(self) -> Any:
        """The results' shapes and dtypes, in the function's result structure."""
        leaves = [
            ShapeDtypeStruct(a.shape, a.dtype, weak_type=a.weak_type)
            for a in self._call.traced.jaxpr.out_avals
        ]
        return pytree.unflatten(self._call.traced.out_tree, leaves)

    @property
    def out_avals(self) -> Any:
        """The results' types, in the function's result structure."""
        return pytree.unflatten(self._call.traced.out_tree, self._call.traced.jaxpr.out_avals)

    @property
    def out_tree(self) -> Any:
        """The structure of the results."""
        return self._call.traced.out_tree

    @property
    def effects(self) -> Any:
        """The program's effects."""
        return self._call.traced.jaxpr.effects

    def lower(self, *, lowering_platforms: Sequence[str] | None = None, _tagged: bool = False) -> Lowered:
        """Returns the program as a StableHLO module."""
        call, info = self._call, self._info
        if call.traced.consts:
            raise UnexpectedConstants(info.name)
        device = info.device or next((d for d in map(device_of, call.leaves) if d is not None), None)
        program = lower_jaxpr(
            info.name,
            call.traced.jaxpr,
            donated=call.donated,
            keep_unused=info.keep_unused,
            device=device,
            result_paths=result_paths(call.traced.out_tree),
            tagged=_tagged,
        )
        return Lowered(info, call, program)


def _shown(jaxpr: Jaxpr) -> ClosedJaxpr:
    """Returns the program as users see it: its captured arrays where the setting says."""
    return close(jaxpr) if config.use_simplified_jaxpr_constants.value else with_constvars(jaxpr)


class UnexpectedConstants(TypeError):
    """A function that closes over a tracer cannot be lowered by itself."""

    def __init__(self, name: str):
        super().__init__(f"{name} closes over a traced value and cannot be lowered on its own.")


def result_paths(out_tree: Any) -> list[str]:
    """Returns where in the function's result each output stands, ``result[0]['w']`` for example."""
    tree = pytree.unflatten(out_tree, range(out_tree.num_leaves))
    return [f"result{pytree.keystr(path)}" for path, _ in pytree.flatten_with_path(tree)[0]]


class Lowered(Stage):
    """A program as a StableHLO module."""

    __slots__ = ("_call", "_info", "_program", "args_info", "out_tree")

    def __init__(self, info: JitInfo, call: TracedCall, program: LoweredProgram):
        self._info = info
        self._call = call
        self._program = program
        self.args_info = _args_info(call)
        self.out_tree = call.traced.out_tree

    @property
    def out_info(self) -> Any:
        """The results' shapes and dtypes, in the function's result structure."""
        return Traced(self._info, self._call).out_info

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
            return unoptimized_text(module_to_bytecode(self._program.module.module))
        raise ValueError(f"unknown dialect: {dialect}")

    def compiler_ir(self, dialect: str | None = None) -> Any:
        """Returns the module itself (``stablehlo``), or None for a dialect it does not exist in."""
        return self._program.module.module if dialect in (None, "stablehlo") else None

    def compile(self, compiler_options: dict[str, Any] | None = None) -> Compiled:
        """Returns the executable.

        Args:
            compiler_options: XLA's options by name, over those given to ``jit``.

        Raises:
            JaxRuntimeError: where XLA refuses the program or an option.
        """
        options = {**dict(self._info.compiler_options), **(compiler_options or {})}
        return Compiled(self._info, self._call, compile_jaxpr(self._program, tuple(options.items())))

    def cost_analysis(self) -> Any:
        """Returns XLA's estimate for the module before optimisation, or None."""
        return None


class Compiled(Stage):
    """A compiled program for one signature."""

    __slots__ = ("_call", "_info", "_program", "args_info", "out_tree")

    def __init__(self, info: JitInfo, call: TracedCall, program: CompiledProgram):
        self._info = info
        self._call = call
        self._program = program
        self.args_info = _args_info(call)
        self.out_tree = call.traced.out_tree

    @property
    def out_info(self) -> Any:
        """The results' shapes and dtypes, in the function's result structure."""
        return Traced(self._info, self._call).out_info

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

    @property
    def input_shardings(self) -> Any:
        """The arguments' shardings: ``(positional, keyword)``."""
        n = len(self._call.leaves)
        return pytree.unflatten(self._call.in_tree, [self._program.sharding] * n)

    @property
    def output_shardings(self) -> Any:
        """The results' shardings."""
        return pytree.unflatten(self.out_tree, [self._program.sharding] * self.out_tree.num_leaves)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the program.

        Raises:
            TypeError: where the arguments are not of the types it was compiled for, or are tracers.
        """
        leaves, tree = pytree.flatten((args, kwargs))
        if tree != self._call.in_tree:
            raise TypeError(pytree_mismatch(self._call.in_tree, tree))
        for x in leaves:
            if isinstance(x, Tracer):
                raise TypeError(
                    "Cannot apply JAX transformations to a function lowered and compiled for a particular signature. "
                    f"Detected argument of Tracer type {type(x)}."
                )
        avals = [shaped_aval(x) for x in leaves]
        wrong = [
            f"Argument '{name}' compiled with {want.str_short()} and called with {got.str_short()}"
            for name, want, got in zip(
                self._call.traced.debug_info.arg_names, self._call.avals, avals, strict=False
            )
            if (want.shape, want.dtype) != (got.shape, got.dtype)
        ]
        if wrong:
            raise TypeError(
                "Argument types differ from the types for which this computation was compiled. Perhaps you are calling the "
                "compiled executable with a different enable_x64 mode than when it was AOT compiled? "
                "The mismatches are:\n" + "\n".join(wrong)
            )
        device = next((d for d in map(device_of, leaves) if d is not None), None)
        return pytree.unflatten(self.out_tree, self._program.call(leaves, device is not None))


def pytree_mismatch(compiled: Any, called: Any) -> str:
    """Returns the text that says how two argument structures differ."""
    return (
        "Function compiled with input pytree does not match the input pytree it was called with. "
        f"Function was compiled with:\n  {compiled}\nbut called with:\n  {called}"
    )


@contextmanager
def named_axes(axes: Sequence[tuple[Any, int]]) -> Iterator[None]:
    """Brings named axes into scope."""
    before = trace_context.axis_env
    trace_context.axis_env = {**before, **dict(axes)}
    try:
        yield
    finally:
        trace_context.axis_env = before


def trace(info: JitInfo, *args: Any, **kwargs: Any) -> Traced:
    """Returns a jitted function traced for arguments of these types; objects with shape and dtype will do."""
    return Traced(info, trace_call(info, args, kwargs))


def eval_shape_of(info: JitInfo, *args: Any, **kwargs: Any) -> Any:
    """Returns the results' shapes and dtypes without computing anything."""
    return trace(info, *args, **kwargs).out_info
