"""The programs that every figure is quoted on are, in text and in value, what they are in real jax."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

from tests.differential.texts import assert_same_text
from tests.requirements import find_oracle

pytestmark = pytest.mark.oracle
ROOT = pathlib.Path(__file__).resolve().parents[2]


def show(python: str, package: str, name: str, folder: pathlib.Path) -> pathlib.Path:
    """Runs the program in a process of its own; returns the folder with its texts and values."""
    folder.mkdir()
    env = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    env |= {"JAX_USE_SIMPLIFIED_JAXPR_CONSTANTS": "1", "JAX_PLATFORMS": "cpu"}
    command = [python, "-m", "tests.differential.show_program", package, name, str(folder), "values"]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return folder


@pytest.fixture(scope="module", params=["a", "b", pytest.param("c", marks=pytest.mark.slow)])
def both(request, tmp_path_factory):
    """What the two sides say of one program."""
    base = tmp_path_factory.mktemp(f"program_{request.param}")
    oracle = find_oracle()
    assert oracle, "no oracle: `make oracle`, or name a python with jax in JAXNB_ORACLE_PYTHON"
    ours = show(sys.executable, "jaxnb", request.param, base / "jaxnb")
    return ours, show(oracle, "jax", request.param, base / "jax")


@pytest.mark.timeout(600)
@pytest.mark.parametrize("text", ["jaxpr", "stablehlo"])
def test_the_text_is_jaxs(both, text):
    ours, theirs = ((folder / f"{text}.txt").read_text() for folder in both)
    assert_same_text(ours, theirs)


def test_the_values_are_jaxs(both):
    ours, theirs = (np.load(folder / "values.npz") for folder in both)
    assert ours.files == theirs.files
    for name in ours.files:
        assert ours[name].dtype == theirs[name].dtype
        np.testing.assert_allclose(ours[name], theirs[name], rtol=1e-5, atol=1e-6)
