"""Errors read as JAX's do, and stand in the tree that their file draws."""

from __future__ import annotations

import re

import pytest

from jaxnb.base import errors

ORIGIN = (
    "\nThe error occurred while tracing the function f at cell.py:1 for jit. This concrete value was not available "
    "in Python because it depends on the value of the argument x."
)


class FakeTracer:
    def _error_repr(self):
        return "traced array with shape float32[]"

    def _origin_msg(self):
        return ORIGIN


def page(name: str) -> str:
    return f"See {errors._page}#jax.errors.{name}"


TEXTS = [
    (
        errors.TracerBoolConversionError(FakeTracer()),
        f"Attempted boolean conversion of traced array with shape float32[].{ORIGIN}\n"
        + page("TracerBoolConversionError"),
    ),
    (
        errors.ConcretizationTypeError(FakeTracer(), "The problem arose with the `int` function."),
        "Abstract tracer value encountered where concrete value is expected: traced array with shape float32[]\n"
        f"The problem arose with the `int` function.{ORIGIN}\n\n" + page("ConcretizationTypeError"),
    ),
    (
        errors.TracerArrayConversionError(FakeTracer()),
        "The numpy.ndarray conversion method __array__() was called on traced array with shape float32[]"
        f"{ORIGIN}\n" + page("TracerArrayConversionError"),
    ),
    (
        errors.TracerIntegerConversionError(FakeTracer()),
        f"The __index__() method was called on traced array with shape float32[]{ORIGIN}\n"
        + page("TracerIntegerConversionError"),
    ),
    (
        errors.NonConcreteBooleanIndexError("bool[3]"),
        "Array boolean indices must be concrete; got bool[3]\n\n" + page("NonConcreteBooleanIndexError"),
    ),
    (errors.UnexpectedTracerError("what leaked"), "what leaked\n" + page("UnexpectedTracerError")),
    (errors.KeyReuseError("which key"), "which key\n" + page("KeyReuseError")),
    (errors.JaxprTypeError("which equation"), "which equation"),
]


@pytest.mark.parametrize(("error", "text"), TEXTS, ids=lambda v: type(v).__name__)
def test_the_text_is_jaxs(error, text):
    assert str(error) == text


def test_a_leak_names_the_function_the_line_and_the_last_frames_in_order():
    frames = [f"cell.py:{n}:4 (f{n})" for n in range(7)]  # innermost first
    text = errors.leaked_tracer_text(
        "float32[]", "DynamicJaxprTracer", "f at cell.py:9 traced for jit", frames
    )
    assert text == (
        "Encountered an unexpected tracer. A function transformed by JAX had a side effect, allowing for a reference "
        "to an intermediate value with type float32[] wrapped in a DynamicJaxprTracer to escape the scope of the "
        "transformation.\n"
        "JAX transformations require that functions explicitly return their outputs, and disallow saving intermediate "
        "values to global state.\n"
        "The function being traced when the value leaked was f at cell.py:9 traced for jit.\n"
        "------------------------------\n"
        "The leaked intermediate value was created on line cell.py:0:4 (f0). \n"
        "------------------------------\n"
        "When the value was created, the final 5 stack frames (most recent last) excluding JAX-internal frames were:\n"
        "------------------------------\n"
        "cell.py:4:4 (f4)\ncell.py:3:4 (f3)\ncell.py:2:4 (f2)\ncell.py:1:4 (f1)\ncell.py:0:4 (f0)\n"
        "------------------------------\n\n"
        "To catch the leak earlier, try setting the environment variable JAX_CHECK_TRACER_LEAKS or using the "
        "`jax.checking_leaks` context manager."
    )


def test_a_leak_of_which_nothing_is_known_says_what_to_do():
    text = errors.leaked_tracer_text("float32[]", "BatchTracer")
    assert text.splitlines()[2].startswith("To catch the leak earlier")


def test_the_tree_at_the_top_of_the_file_is_the_classes():
    row = re.compile(r"^ {4}([│├└─ ]*)(\w+)(?: \((\w+)\))?(?: {2,}.*)?$", re.MULTILINE)
    drawn = row.findall(errors.__doc__ or "")
    classes = {n: c for n, c in vars(errors).items() if n in errors.__all__ and isinstance(c, type)}
    assert {name for _, name, _ in drawn} == set(classes)
    open_branch: list[tuple[int, str]] = []
    for lead, name, builtin in drawn:
        open_branch = [(depth, parent) for depth, parent in open_branch if depth < len(lead)]
        if open_branch:
            assert classes[open_branch[-1][1]] in classes[name].__bases__
        if builtin:
            assert builtin in {base.__name__ for base in classes[name].__mro__}
        open_branch.append((len(lead), name))


def test_users_see_the_public_module():
    assert {
        getattr(errors, n).__module__ for n in errors.__all__ if isinstance(getattr(errors, n), type)
    } == {"jaxnb.errors"}
