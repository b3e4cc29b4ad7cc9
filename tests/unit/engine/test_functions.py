"""A function's parameters are those that ``inspect.signature`` tells, by whichever way they are found."""

from __future__ import annotations

import functools
import inspect

import pytest

from jaxnb.engine.core.functions import fun_parameters


def plain(a, b=1): ...


def every_kind(a, /, b, *rest, c, d=2, **extra): ...


def keywords_only(*, x, y=0): ...


@functools.wraps(every_kind)
def wrapped(*args, **kwargs): ...


def told(*args): ...


told.__signature__ = inspect.signature(plain)


class Callable:
    def __call__(self, x, *, k): ...


SUBJECTS = [
    plain, every_kind, keywords_only, wrapped, told, Callable(), Callable().__call__, Callable,
    functools.partial(every_kind, 1, c=3), lambda x, *ys: x, sorted, len,
]  # fmt: skip


@pytest.mark.parametrize("fun", SUBJECTS, ids=lambda f: getattr(f, "__name__", type(f).__name__))
def test_parameters_are_those_of_the_signature(fun):
    found = fun_parameters(fun)
    assert found is not None
    assert [(p.name, p.kind) for p in found] == [
        (p.name, p.kind) for p in inspect.signature(fun).parameters.values()
    ]


def test_where_python_cannot_tell_there_are_none():
    with pytest.raises(ValueError, match="signature"):
        inspect.signature(max)
    assert fun_parameters(max) is None
