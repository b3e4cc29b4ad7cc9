"""The texts of the programs that every figure is quoted on, for each jaxlib version that is kept here."""

from __future__ import annotations

import jaxlib.version
import pytest

import jaxnb
from bench import programs

VERSION = ".".join(jaxlib.version.__version__.split(".")[:3])


@pytest.fixture(scope="module", params=["a", "b", "c"])
def program(request):
    return request.param, *programs.load("jaxnb")[request.param]()


def test_the_jaxpr_is_the_one_kept(program, golden):
    name, fun, args = program
    golden(f"programs/{VERSION}/{name}.jaxpr.txt", str(jaxnb.make_jaxpr(fun)(*args)))


def test_the_stablehlo_is_the_one_kept(program, golden):
    name, fun, args = program
    golden(f"programs/{VERSION}/{name}.stablehlo.txt", jaxnb.jit(fun).lower(*args).as_text())
