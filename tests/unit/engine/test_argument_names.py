"""What the leaves of a function's arguments are called."""

from __future__ import annotations

import functools

import pytest

from jaxnb.engine.core.argument_names import argument_names
from jaxnb.engine.core.functions import fun_parameters


def plain(x, params, *rest, flag=None, **more):
    pass


def positional_only(x, /, y):
    pass


@pytest.mark.parametrize(
    ("fun", "args", "kwargs", "names"),
    [
        (plain, (1, {"w": 2, "b": (3, 4)}), {}, ("x", "params['b'][0]", "params['b'][1]", "params['w']")),
        (plain, (1, 2, 3, [4]), {}, ("x", "params", "rest[0]", "rest[1][0]")),
        (plain, (), {"x": 1, "flag": 2, "other": 3}, ("flag", "more['other']", "x")),
        (plain, (None, 1), {}, ("params",)),
        (positional_only, (1, 2), {}, ("x", "y")),
        (functools.partial(plain, 0), (1,), {}, ("params",)),
        (lambda *a: None, (1, 2), {}, ("a[0]", "a[1]")),
    ],
)
def test_a_leaf_is_called_what_the_user_calls_it(fun, args, kwargs, names):
    assert argument_names(fun_parameters(fun), args, kwargs) == names


def test_without_a_signature_arguments_are_counted():
    assert argument_names(None, (1, {"a": 2}), {}) == ("args[0]", "args[1]['a']")
