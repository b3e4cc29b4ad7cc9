"""The exceptions of the project, in JAX's words where JAX has them.

    JaxnbError                              what JAX has no word for
    └── JaxLoadedError (RuntimeError)       the engine cannot start in a process that has loaded jax
    JAXTypeError (TypeError)
    ├── ConcretizationTypeError             a traced value where a concrete one is needed
    │   └── TracerBoolConversionError       … by `if`, `while`, `and`, `bool()`
    ├── TracerArrayConversionError          … by NumPy
    ├── TracerIntegerConversionError        … as an index or a `range`
    ├── UnexpectedTracerError               a tracer that outlived its trace
    └── KeyReuseError                       a random key used twice
    JAXIndexError (IndexError)
    └── NonConcreteBooleanIndexError        `x[mask]` with a traced mask
    JaxprTypeError (TypeError)              `check_jaxpr` found a mistake
    InternalFloatingPointError (FloatingPointError)  a compiled program's result holds what `debug_nans` forbids
    InvalidInputException (TypeError)       `vjp` of what is no array
    IndivisibleError (ValueError)           a dimension is no multiple of the parts it is to be divided into
    DuplicateSpecError                      a partition spec names an axis twice
    InconclusiveDimensionOperation          a comparison of symbolic dimensions that has no answer

Lives here: the classes and their texts. Must not live here: code that finds out why; a constructor is handed
what its text needs. `JaxRuntimeError` belongs to jaxlib and comes through the door (`jaxnb.errors` shows it).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

__all__ = [
    "ConcretizationTypeError",
    "DuplicateSpecError",
    "InconclusiveDimensionOperation",
    "IndivisibleError",
    "InternalFloatingPointError",
    "InvalidInputException",
    "JAXIndexError",
    "JAXTypeError",
    "JaxLoadedError",
    "JaxnbError",
    "JaxprTypeError",
    "KeyReuseError",
    "NonConcreteBooleanIndexError",
    "TracerArrayConversionError",
    "TracerBoolConversionError",
    "TracerIntegerConversionError",
    "UnexpectedTracerError",
    "leaked_tracer_text",
    "set_errors_page",
]


class TracerLike(Protocol):
    """What an error needs to know of a tracer."""

    def _error_repr(self) -> str:
        """Such as `traced array with shape float32[]`."""
        ...

    def _origin_msg(self) -> str:
        """Where the value comes from: empty, or a text that begins with a line break."""
        ...


_page = "https://docs.jax.dev/en/latest/errors.html"


def set_errors_page(address: str) -> None:
    """Sets the page the errors point at; it moved between JAX versions, so the door says which one holds."""
    global _page
    _page = address


class JaxnbError(Exception):
    """Base of the errors that JAX has no word for."""


class JaxLoadedError(JaxnbError, RuntimeError):
    """Raised when the engine is asked to start in a process that has already loaded jax."""


class _ExplainedError:
    """Adds the line that says where the error is explained."""

    tracer: Any = None
    """The traced value that it is about, where it is known."""

    def __init__(self, message: str):
        page = f"{_page}#jax.errors.{type(self).__name__}"
        super().__init__(f"{message}\nSee {page}")  # pyright: ignore[reportCallIssue]


class JAXTypeError(_ExplainedError, TypeError):
    """Base of the explained type errors."""


class JAXIndexError(_ExplainedError, IndexError):
    """Base of the explained index errors."""


class ConcretizationTypeError(JAXTypeError):
    """Raised when a traced value is used where a concrete value is needed.

    The value of a traced array is not known while the function is traced. Mark the argument as static
    (`static_argnums`, `static_argnames`), or write the step with array operations.
    """

    def __init__(self, tracer: TracerLike, context: str = ""):
        super().__init__(
            "Abstract tracer value encountered where concrete value is expected: "
            f"{tracer._error_repr()}\n{context}{tracer._origin_msg()}\n"
        )
        self.tracer = tracer


class TracerBoolConversionError(ConcretizationTypeError):
    """Raised when Python asks a traced value whether it is true.

    Use `jnp.where` to choose by element, `lax.cond` to choose between computations, or a static argument.
    """

    def __init__(self, tracer: TracerLike):
        JAXTypeError.__init__(
            self, f"Attempted boolean conversion of {tracer._error_repr()}.{tracer._origin_msg()}"
        )
        self.tracer = tracer


class TracerArrayConversionError(JAXTypeError):
    """Raised when NumPy asks a traced value for its elements; call the `jnp` function instead."""

    def __init__(self, tracer: TracerLike):
        super().__init__(
            "The numpy.ndarray conversion method __array__() was called on "
            f"{tracer._error_repr()}{tracer._origin_msg()}"
        )
        self.tracer = tracer


class TracerIntegerConversionError(JAXTypeError):
    """Raised when a traced value is used as an index: make the index static, or the sequence an array."""

    def __init__(self, tracer: TracerLike):
        super().__init__(f"The __index__() method was called on {tracer._error_repr()}{tracer._origin_msg()}")
        self.tracer = tracer


class NonConcreteBooleanIndexError(JAXIndexError):
    """Raised for a traced mask as index: the result's shape would depend on values.

    Use `jnp.where`, or reductions with their `where` argument.
    """

    def __init__(self, mask: Any):
        super().__init__(f"Array boolean indices must be concrete; got {mask}\n")
        self.tracer = mask


class UnexpectedTracerError(JAXTypeError):
    """Raised when a tracer is used after its trace has ended; `leaked_tracer_text` makes its text."""


class KeyReuseError(JAXTypeError):
    """Raised when a random key is used twice; `jax.random.split` makes new ones."""


class InvalidInputException(TypeError):
    """An argument is no array; the name is JAX's, which has two classes for this."""


class InternalFloatingPointError(FloatingPointError):
    """A compiled program's result holds NaN or infinity; whoever called it may look for the operation.

    Attributes:
        name: the program's name.
        ty: ``nan`` or ``inf``.
    """

    def __init__(self, name: str, ty: str):
        self.name = name
        self.ty = ty
        super().__init__(name, ty)

    def not_found(self) -> FloatingPointError:
        """Returns the error of a program whose operations, one by one, give no such value."""
        return FloatingPointError(
            f"{self}. Because jax_config.debug_nans.value and/or config.jax_debug_infs is set, the de-optimized function "
            "(i.e., the function as if the `jit` decorator were removed) was called in an attempt to get a more precise "
            "error message. However, the de-optimized function did not produce invalid values during its execution. This "
            "behavior can result from `jit` optimizations causing the invalid value to be produced. It may also arise from "
            "having nan/inf literals as inputs or outputs, like `jax.jit(lambda ...: jax.numpy.nan)(...)`. \n\n"
            "It may be possible to avoid the invalid value by removing the `jit` decorator, at the cost of losing "
            "optimizations. \n\n"
            "If you see this error, consider opening a bug report at https://github.com/jax-ml/jax."
        )


class DuplicateSpecError(Exception):
    """A partition spec divides two dimensions along the same axis of a mesh."""


class IndivisibleError(ValueError):
    """A dimension of an array cannot be divided into equal parts as a sharding says."""


class JaxprTypeError(TypeError):
    """Raised when a jaxpr is not well formed."""


class InconclusiveDimensionOperation(Exception):
    """Raised when symbolic dimensions cannot be compared."""


_RULE = "------------------------------\n"


def leaked_tracer_text(
    aval: object,
    tracer_class: str,
    function: str | None = None,
    frames: Sequence[str] = (),
    frame_limit: int = 5,
) -> str:
    """The text of an `UnexpectedTracerError`.

    Args:
        aval: the leaked value's type, such as `float32[]`.
        tracer_class: the name of the tracer's class.
        function: what was traced, such as `f at file.py:3 traced for jit`; None if that is not known, and
            then nothing is said about the place either.
        frames: the stack where the value was made, innermost first, without the engine's own frames; each
            such as `file.py:4:8 (f)`.
        frame_limit: how many of these frames are shown.
    """
    text = (
        "Encountered an unexpected tracer. A function transformed by JAX had a side effect, allowing for a "
        f"reference to an intermediate value with type {aval} wrapped in a {tracer_class} to escape the "
        "scope of the transformation.\n"
        "JAX transformations require that functions explicitly return their outputs, and disallow saving "
        "intermediate values to global state.\n"
    )
    if function is not None:
        line = frames[0] if frames else ""
        shown = "\n".join(reversed(frames[:frame_limit]))
        text += (
            f"The function being traced when the value leaked was {function}.\n"
            f"{_RULE}The leaked intermediate value was created on line {line}. \n"
            f"{_RULE}When the value was created, the final {frame_limit} stack frames (most recent last) "
            f"excluding JAX-internal frames were:\n"
            f"{_RULE}{shown}\n{_RULE}\n"
        )
    return text + (
        "To catch the leak earlier, try setting the environment variable JAX_CHECK_TRACER_LEAKS or using the "
        "`jax.checking_leaks` context manager."
    )


for _name in __all__:
    if isinstance(globals()[_name], type):
        globals()[_name].__module__ = "jaxnb.errors"  # where users find it, and what a traceback prints
