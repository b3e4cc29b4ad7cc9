"""What a front end hands over of an error that happened while a function was traced: plain frozen data.

What lives here: the records. What must not: what to do about the error.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from jaxnb.explorer.capture.failing_code import FailingCode
from jaxnb.explorer.capture.protocol import CapturedTrace, SourceSpan

__all__ = [
    "CapturedFailure",
    "CapturedHolder",
    "CapturedOperand",
    "CapturedProgram",
    "CapturedStep",
]


@dataclass(frozen=True, slots=True)
class CapturedStep:
    """A step on the way from an argument to the line that failed.

    Attributes:
        label: An argument's name, or a primitive's.
        type: The short type of its value.
        source: Where the user wrote it; None for an argument.
        key: The pivot that it is; "" for one of a program around.
        function: Whose argument it is, if it is one.
    """

    label: str
    type: str
    source: SourceSpan | None = None
    key: str = ""
    function: str = ""


@dataclass(frozen=True, slots=True)
class CapturedOperand:
    """A value that the expression that failed was given.

    Attributes:
        type: Its short type.
        shape: Its dimensions.
        dtype: The name of its element type.
    """

    type: str
    shape: tuple[int, ...]
    dtype: str


@dataclass(frozen=True, slots=True)
class CapturedProgram:
    """A program around the one that failed, as far as it was traced.

    Attributes:
        function: The function's name.
        traced_for: What it was traced for: ``jit``, ``scan``, ….
        jaxpr: The program's text.
    """

    function: str
    traced_for: str
    jaxpr: str


@dataclass(frozen=True, slots=True)
class CapturedHolder:
    """Where a traced value is kept that should not be: ``keep['acts'][0]``.

    Attributes:
        path: The way to it, the variable's name first.
        type: The value's short type.
        scope: Whose variable that is: ``global``, ``closure``, ``local``, ``self`` or ``default``.
        source: Where the value was made.
        chain: Who holds whom on that way, the variable first: (the way so far, what is there).
        function: The function whose trace the value belongs to, or that seems to have kept it; "" if none is known.
        traced_for: What that function was traced for: ``jit``, ``scan``, ``grad``, ``vmap``, ….
        is_jitted: Whether that happened while a program was traced.
    """

    path: str
    type: str
    scope: str
    source: SourceSpan | None = None
    chain: tuple[tuple[str, str], ...] = ()
    function: str = ""
    traced_for: str = ""
    is_jitted: bool = False


@dataclass(frozen=True, slots=True)
class CapturedFailure:
    """An error while tracing.

    Attributes:
        error: The name of its class.
        message: Its first line.
        detail: All of its text.
        trace: The function as far as it was traced; no program at all where nothing was recorded.
        place: The user's expression that failed.
        code: That expression as it is written.
        attribute: The name that the traced value has not, if the error is about that.
        is_of_arrays: Whether arrays have it.
        similar: What the traced value has that is called much the same.
        steps: From the arguments, or from operations that depend on none, to the values that were asked for.
        depends_on: The names of all arguments of the function that the values depend on.
        roots: The names of the arguments of the outermost program that they depend on, where that is another one.
        traced_for: What the function was traced for: ``jit``, ``scan``, ….
        can_be_static: Whether the function's arguments can be made static: nothing but ``jit`` was given it.
        value_type: The short type of the value that was asked for, "" if no value is known.
        operands: What the expression was given, in order, as far as that is known.
        around: The programs around the one that failed, the next one first.
        holders: Where a leaked value is kept.
    """

    error: str
    message: str
    trace: CapturedTrace
    detail: str = ""
    place: SourceSpan | None = None
    code: FailingCode = field(default_factory=FailingCode)
    attribute: str = ""
    is_of_arrays: bool = True
    similar: tuple[str, ...] = ()
    steps: tuple[CapturedStep, ...] = ()
    depends_on: tuple[str, ...] = ()
    roots: tuple[str, ...] = ()
    traced_for: str = ""
    can_be_static: bool = False
    value_type: str = ""
    operands: tuple[CapturedOperand, ...] = ()
    around: tuple[CapturedProgram, ...] = ()
    holders: tuple[CapturedHolder, ...] = ()

    @property
    def statement(self) -> str:
        """The expression as it is written."""
        return self.code.statement

    @property
    def kind(self) -> str:
        """What the expression does."""
        return self.code.kind

    @property
    def callee(self) -> str:
        """The name of the function it calls."""
        return self.code.callee

    @property
    def parts(self) -> tuple[str, ...]:
        """What it is made of."""
        return self.code.parts
