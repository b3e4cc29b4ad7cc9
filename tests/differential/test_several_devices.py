"""On several devices the same is shown as by real jax; both in processes of their own, which have the devices."""

from __future__ import annotations

import sys

import pytest

from tests.differential.oracle import Oracle
from tests.differential.several_devices import PROGRAMS
from tests.requirements import find_oracle

pytestmark = pytest.mark.oracle


@pytest.fixture(scope="module")
def sides():
    python = find_oracle()
    assert python is not None
    running = Oracle(python, devices=4), Oracle(sys.executable, package="jaxnb", devices=4)
    yield running
    for one in running:
        one.close()


@pytest.mark.parametrize("program", PROGRAMS, ids=[p.name for p in PROGRAMS])
def test_a_program_shows_what_the_oracle_shows(program, sides):
    theirs, ours = (side.ask(program) for side in sides)
    assert ours == theirs
