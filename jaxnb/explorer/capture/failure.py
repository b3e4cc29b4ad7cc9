"""What a front end hands over of an error that happened while a function was traced: plain frozen data.

What lives here: the records. What must not: what to do about the error.
"""

from __future__ import annotations

from dataclasses import dataclass

from jaxnb.explorer.capture.protocol import CapturedTrace, SourceSpan

__all__ = ["CapturedFailure", "CapturedHolder", "CapturedStep", "CapturedWrite"]


@dataclass(frozen=True, slots=True)
class CapturedStep:
    """A step on the way from an argument to the line that failed.

    Attributes:
        label: An argument's name, or a primitive's.
        type: The short type of its value.
        source: Where the user wrote it; None for an argument.
        key: The pivot that it is.
    """

    label: str
    type: str
    source: SourceSpan | None = None
    key: str = ""


@dataclass(frozen=True, slots=True)
class CapturedHolder:
    """Where a traced value is kept that should not be: ``keep['acts'][0]``.

    Attributes:
        path: The way to it, the variable's name first.
        type: The value's short type.
        scope: Whose variable that is: ``global``, ``closure``, ``self`` or ``default``.
        source: Where the value was made.
    """

    path: str
    type: str
    scope: str
    source: SourceSpan | None = None


@dataclass(frozen=True, slots=True)
class CapturedWrite:
    """A variable outside of a function that the function assigned while it was traced.

    Attributes:
        name: The variable.
        source: The assignment.
        is_traced: Whether it was given a traced value.
    """

    name: str
    source: SourceSpan | None
    is_traced: bool


@dataclass(frozen=True, slots=True)
class CapturedFailure:
    """An error while tracing.

    Attributes:
        error: The name of its class.
        message: Its first line.
        trace: The function as far as it was traced.
        place: The user's expression that failed.
        statement: That expression as it is written, "" where the source is not to be had.
        kind: What the expression does: ``if``, ``while``, ``and``, ``or``, ``not``, ``compare``, ``call``, ``index``, ….
        callee: The name of the function it calls, if it is a call.
        parts: What the expression is made of, as written: operands, arguments, or a container and its index.
        attribute: The name of what arrays have and the traced value has not, if the error is about that.
        steps: From an argument, or from an operation that depends on none, to the value that was asked for.
        depends_on: The names of all arguments that the value depends on.
        value_type: The short type of that value, "" if no value is known.
        holders: Where a leaked value is kept.
    """

    error: str
    message: str
    trace: CapturedTrace
    place: SourceSpan | None = None
    statement: str = ""
    kind: str = ""
    callee: str = ""
    parts: tuple[str, ...] = ()
    attribute: str = ""
    steps: tuple[CapturedStep, ...] = ()
    depends_on: tuple[str, ...] = ()
    value_type: str = ""
    holders: tuple[CapturedHolder, ...] = ()
