"""What a front end hands to the explorer: plain frozen data, stage by stage.

What lives here: the records and the ``FrontEnd`` protocol that fills them. What must not: anything of a particular
front end; adapters stand beside this file, one each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from jaxnb.explorer.capture.program import Program
from jaxnb.explorer.capture.signature import CapturedParameter


class SourceSpan(NamedTuple):
    """A stretch of Python source; lines count from 1, columns from 0 [UTF-8 bytes]."""

    file: str
    line: int
    end_line: int
    column: int
    end_column: int
    function: str


class TextSpan(NamedTuple):
    """A stretch of one line of a text that stands for some equations; lines and columns count from 0."""

    line: int
    start: int
    end: int
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CapturedEquation:
    """An equation.

    Attributes:
        path: Its identity path ``q3/q17``; ids are unique over all jaxprs of the program.
        primitive: The primitive's name.
        source: Where the user wrote it; None if not known.
        is_used: Whether a result of the program or an effect depends on it, as the jaxpr says.
        callers: Where the user's functions around it were called, innermost first.
        name_stack: Its scopes, such as ``layer/attention``.
        op_name: What JAX would write into HLO metadata for it.
        in_types: The short types of its operands.
        out_types: The short types of its results.
        is_leaf: Whether it computes by itself: it calls no other jaxpr of the program.
        parents: Paths of the equations whose results it uses, as far as they are known.
    """

    path: str
    primitive: str
    source: SourceSpan | None
    name_stack: str
    op_name: str
    in_types: tuple[str, ...]
    out_types: tuple[str, ...]
    is_leaf: bool = True
    parents: tuple[str, ...] = ()
    callers: tuple[SourceSpan, ...] = ()
    is_used: bool = True


@dataclass(frozen=True, slots=True)
class CapturedArgument:
    """An argument of the program, a leaf of what the user passed."""

    name: str
    type: str
    nbytes: int


@dataclass(frozen=True, slots=True)
class CapturedConstant:
    """An array that the function closed over.

    Attributes:
        name: The variable's name where it is known, else a description.
        type: Its short type.
        nbytes: Its size [bytes].
        source: Where it is first used.
        users: Paths of the equations that use it.
        is_hoisted: Whether it became an argument of the compiled program.
        place: Where the program keeps it: ``argument``, ``embedded`` because it is small, or ``inlined``.
        holder: What held it: ``Array``, with how it is divided if it lies on several devices, or ``ndarray``.
    """

    name: str
    type: str
    nbytes: int
    source: SourceSpan | None = None
    users: tuple[str, ...] = ()
    is_hoisted: bool = True
    place: str = "argument"
    holder: str = "Array"


@dataclass(frozen=True, slots=True)
class CapturedExecution:
    """An operation that was executed while the function was traced.

    Attributes:
        primitive: The primitive's name.
        out_types: The short types of its results.
        nbytes: Their size [bytes].
        source: Where the user wrote it.
    """

    primitive: str
    out_types: tuple[str, ...]
    nbytes: int
    source: SourceSpan | None = None


@dataclass(frozen=True, slots=True)
class CapturedSource:
    """The function's own source.

    Attributes:
        text: Its lines.
        first_line: The number of its first line in ``file``.
        file: The file, or the name that the notebook gave to the cell.
        label: What a reader calls it: ``cell 3`` or a file name.
        cell: The number of the cell, if it is one.
    """

    text: str
    first_line: int
    file: str
    label: str
    cell: int | None = None


@dataclass(frozen=True, slots=True)
class CapturedTrace:
    """What tracing gives.

    Attributes:
        function: The function's name.
        title: Such as ``selu(x)``.
        source: Its source, None if there is none.
        jaxpr: The jaxpr's text.
        jaxpr_spans: Where equations stand in it.
        equations: All equations, callers before the equations they call.
        arguments: The arguments in order.
        constants: The arrays that were closed over.
        output_types: The short types of the results.
        output_bytes: The size of the results [bytes].
        device: Where it will run, such as ``cpu:0``.
        versions: Versions worth showing: ``{"jaxlib": "0.10.2"}``.
        seconds: How long tracing took.
        executed: The operations that tracing executed at once, in order.
        repeats: How many more only made one number repeated, which the program makes itself.
        omnistaging: Whether every operation was staged.
    """

    function: str
    title: str
    source: CapturedSource | None
    jaxpr: str
    jaxpr_spans: tuple[TextSpan, ...]
    equations: tuple[CapturedEquation, ...]
    arguments: tuple[CapturedArgument, ...]
    constants: tuple[CapturedConstant, ...] = ()
    output_types: tuple[str, ...] = ()
    output_bytes: int = 0
    device: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    executed: tuple[CapturedExecution, ...] = ()
    repeats: int = 0
    omnistaging: bool = True


@dataclass(frozen=True, slots=True)
class CapturedLowering:
    """What lowering gives.

    Attributes:
        text: The StableHLO text as JAX prints it, without locations.
        line_names: For each line the location name of the operation that ends there, ``""`` where none does.
        module: The bytecode to compile; its location names are identity tags.
        parameters: For each parameter of main the pivot it is: ``"argument:0"``, ``"constant:1"``, ``""``.
        options: How to compile it; the front end's own object, handed to the compiler untouched.
        must_compile_here: Why the worker process cannot compile it (host callbacks), ``""`` if it can.
        seconds: How long lowering took.
        host_bytes: How much memory of the host lowering keeps: the module, its bytecode, and the arrays copied into both;
            None where that cannot be measured.
    """

    text: str
    line_names: tuple[str, ...]
    module: bytes
    parameters: tuple[str, ...]
    options: Any = None
    must_compile_here: str = ""
    seconds: float = 0.0
    host_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class CapturedCompilation:
    """What the compiler gave back, from the worker process or from this one.

    Attributes:
        text: The optimised HLO as XLA prints it, tags in its metadata.
        executable: The serialised executable, None if it is already loaded here.
        memory: Sizes by name: ``argument_size_in_bytes``, …
        cost: XLA's own estimates, such as ``flops``.
        seconds: How long compiling took.
    """

    text: str
    executable: bytes | None
    memory: Mapping[str, int] = field(default_factory=dict)
    cost: Mapping[str, float] = field(default_factory=dict)
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class CapturedRun:
    """What running gave.

    Attributes:
        result: As the user's function would return it.
        seconds: How long the first run took.
        best_seconds: How long the fastest of a few runs took; the first one, where running again might do something.
        leaves: The arrays in the result.
    """

    result: Any
    seconds: float
    best_seconds: float = 0.0
    leaves: tuple[Any, ...] = ()


class FrontEnd(Protocol):
    """A traced function on its way down; each step may raise what the user's program deserves."""

    def trace(self) -> CapturedTrace:
        """Traces the function on its arguments."""
        ...

    def program(self) -> Program:
        """What was traced, in the form that programs are compared in."""
        ...

    def constant_values(self) -> Sequence[Any]:
        """The arrays that the function captured, in the order of the trace's constants."""
        ...

    def lower(self) -> CapturedLowering:
        """Lowers what was traced."""
        ...

    def signature(self) -> tuple[CapturedParameter, ...]:
        """What became of each argument of what was lowered."""
        ...

    def lowered_cost(self) -> Mapping[str, float]:
        """XLA's own estimates for what was lowered, before any pass."""
        ...

    def compile_here(self) -> CapturedCompilation:
        """Compiles in this process; for programs that the worker cannot compile."""
        ...

    def compile_error(self, message: str) -> Exception:
        """The error to raise for a program that the compiler rejected with ``message``."""
        ...

    def run(self, compilation: CapturedCompilation) -> CapturedRun:
        """Loads the compiled program, makes it the one that later calls use, and runs it on the arguments."""
        ...
