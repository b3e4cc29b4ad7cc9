"""Calls taken apart: the function, its arguments, and what is said where there is none."""

from __future__ import annotations

import traceback

import pytest
from IPython.core.error import UsageError

from jaxnb.notebook.calls import evaluate, parse_call


def taken(text, **namespace):
    """The function, the arguments and the keyword arguments of a call."""
    return evaluate(parse_call(text, "%jaxpr"), "cell", namespace, "%jaxpr", lambda f, *a, **k: (f, a, k))


def refusal(text, **namespace):
    with pytest.raises(UsageError) as caught:
        taken(text, **namespace)
    return str(caught.value)


def f(*args, **kwargs):
    raise AssertionError("the function itself is not called")


def test_a_call_is_split_into_function_and_arguments():
    assert taken("f(x, 2, y=x + 1)", f=f, x=1) == (f, (1, 2), {"y": 2})


def test_stars_and_keywords_with_any_name_are_passed_on():
    assert taken("f(*xs, **{'function': 1, 'handler': 2})", f=f, xs=(1, 2)) == (
        f,
        (1, 2),
        {"function": 1, "handler": 2},
    )


def test_the_function_may_be_any_expression():
    def double(g):
        return (g, g)

    assert taken("double(f)[0](3)", f=f, double=double) == (f, (3,), {})
    assert taken("(lambda x: x)(3)")[1] == (3,)
    assert parse_call("jax.grad(f)(x)", "%jaxpr").callee == "jax.grad(f)"
    assert parse_call("jax.grad(f)(x)", "%jaxpr").names == {"jax", "f"}


def test_an_assignment_in_the_call_reaches_the_notebook():
    namespace = {"f": f}
    call = parse_call("f(y := 3)", "%jaxpr")
    assert evaluate(call, "cell", namespace, "%jaxpr", lambda g, y: y) == 3
    assert namespace["y"] == 3
    assert not [name for name in namespace if "jaxnb" in name]


def test_errors_of_the_arguments_point_at_the_line():
    call = parse_call("f(1 / 0)", "%%jit", column=10)
    with pytest.raises(ZeroDivisionError) as caught:
        evaluate(call, "cell", {"f": f}, "%%jit", f)
    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert (last.filename, last.lineno, last.colno, last.end_colno) == ("cell", 1, 12, 17)


def test_what_is_not_python_is_refused_with_the_place():
    assert refusal("f(x").startswith(
        "%jaxpr: the call is not Python: '(' was never closed\n    f(x\n     ^\n"
    )


def test_a_function_alone_is_refused_with_the_call_to_write():
    assert refusal("f", f=f) == (
        "%jaxpr: `f` without arguments cannot be traced; write the call, such as `%jaxpr f(x)`."
    )
    assert refusal("lambda x: x").endswith("write the call, such as `%jaxpr (lambda x: x)(x)`.")


def test_an_expression_that_is_no_call_is_refused():
    assert refusal("x + 1", x=1) == (
        "%jaxpr: `x + 1` is not a call of a function; write one, such as `%jaxpr f(x)`, "
        "or make it one: `%jaxpr (lambda: x + 1)()`."
    )


def test_a_function_that_does_not_exist_is_refused_with_the_nearest():
    assert refusal("sleu(1)", selu=f) == "%jaxpr: there is no function `sleu`; did you mean `selu`?"
    assert refusal("f(1)") == (
        "%jaxpr: there is no function `f`; define it in an earlier cell, or in this one below the magic."
    )


def test_the_functions_of_the_cell_are_proposed():
    call = parse_call("g(1)", "%%jit")
    with pytest.raises(UsageError, match="the cell defines `selu`, `relu`"):
        evaluate(call, "cell", {}, "%%jit", f, ("selu", "relu"))


def test_a_variable_that_does_not_exist_is_refused():
    assert refusal("f(scle)", f=f, scale=1) == "%jaxpr: there is no variable `scle`; did you mean `scale`?"


def test_a_name_missing_inside_a_called_function_is_the_users_error():
    def broken():
        return missing  # noqa: F821

    with pytest.raises(NameError):
        taken("f(broken())", f=f, broken=broken)


def test_what_is_no_function_is_refused():
    assert refusal("x(1)", x=3) == "%jaxpr: `x` is no function, but of type int; write `%jaxpr f(x)`."


def test_builtins_are_found():
    assert taken("abs(-1)")[:2] == (abs, (-1,))
