"""Every row of what the engine promises has programs enough, and they use more than one operation."""

from __future__ import annotations

import importlib
import pathlib
import re
from collections import defaultdict

import pytest

import jaxnb
from tests.differential.scripts import PRELUDE

ROWS = [
    f"{letter}{number}"
    for letter, count in (("T", 9), ("J", 8), ("A", 8), ("C", 7), ("D", 3), ("O", 4))
    for number in range(1, count + 1)
]
ROWS.remove(
    "O3"
)  # it compares with the mode that JAX has no longer: `tests/explorer/test_omnistaging.py` looks at it
FEWEST_PROGRAMS = 15
FEWEST_PRIMITIVES = 3


def read_bodies() -> dict[str, list[str]]:
    """The sources of the programs whose names begin with a row, by row, without the prelude they share."""
    bodies = defaultdict(list)
    for path in sorted(pathlib.Path(__file__).parent.glob("programs_*.py")):
        for program in importlib.import_module(f"tests.differential.{path.stem}").PROGRAMS:
            row = program.name.partition(" ")[0]
            if row in ROWS:
                bodies[row].append(eval(program.args)[0].removeprefix(PRELUDE))
    return bodies


BODIES = read_bodies()


@pytest.mark.parametrize("row", ROWS)
def test_a_row_has_enough_programs_and_no_two_are_equal(row):
    assert len(set(BODIES[row])) == len(BODIES[row]) >= FEWEST_PROGRAMS


@pytest.mark.parametrize("row", ROWS)
def test_a_row_uses_several_primitives(row):
    """Only functions of `lax` that stand for one primitive of the same name count."""
    named = set(re.findall(r"\blax\.(\w+)", "\n".join(BODIES[row])))
    primitives = {name for name in named if hasattr(jaxnb.lax, f"{name}_p")}
    assert len(primitives) >= FEWEST_PRIMITIVES, primitives
