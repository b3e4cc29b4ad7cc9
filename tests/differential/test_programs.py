"""Every program of every list shows the same in our engine as in real jax of the same jaxlib."""

from __future__ import annotations

import importlib
import json
import pathlib

import numpy as np
import pytest

import jaxnb
from tests.differential.differences import KNOWN
from tests.differential.evaluate import evaluate
from tests.differential.oracle import shared_oracle
from tests.differential.texts import settled

pytestmark = pytest.mark.oracle

LISTS = sorted(path.stem for path in pathlib.Path(__file__).parent.glob("programs_*.py"))
PROGRAMS = [
    pytest.param(program, id=f"{name.removeprefix('programs_')}: {program.name}")
    for name in LISTS
    for program in importlib.import_module(f"tests.differential.{name}").PROGRAMS
]


@pytest.fixture(scope="session")
def oracle():
    running = shared_oracle()
    yield running
    running.close()


def names_of_ours():
    return {
        "jax": jaxnb, "jnp": jaxnb.numpy, "lax": jaxnb.lax, "nn": jaxnb.nn, "random": jaxnb.random, "np": np,
    }  # fmt: skip


def assert_same_values(ours, theirs):
    assert [kind for kind, _ in ours] == [kind for kind, _ in theirs]
    for (kind, x), (_, y) in zip(ours, theirs, strict=True):
        tol = (
            2e-2 if "16" in kind or "float8" in kind else 1e-12 if "64[" in kind and "c" not in kind else 2e-5
        )
        if x and isinstance(x[0], str):
            assert x == y
        else:
            np.testing.assert_allclose(x, y, rtol=tol, atol=tol, err_msg=kind)


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_shows_what_the_oracle_shows(program, oracle):
    theirs = oracle.ask(program)
    ours = json.loads(json.dumps(evaluate(names_of_ours(), program.as_dict())))
    assert_same(program, ours, theirs)


def test_the_known_differences_are_few_and_of_programs_that_are_run():
    programs = {param.values[0].name for param in PROGRAMS}
    known = {name for name, _ in KNOWN}
    assert known <= programs
    assert len(known) <= 0.03 * len(programs)


def assert_same(program, ours, theirs):
    ours, theirs = settled(ours), settled(theirs)
    for want in program.wants:
        if (program.name, want) in KNOWN:
            assert ours[want] != theirs[want], "no longer differs: take it off the list"
        elif want == "value" and isinstance(ours[want], list) and isinstance(theirs[want], list):
            assert_same_values(ours[want], theirs[want])
        else:
            assert ours[want] == theirs[want]
