"""What a machine lacks is named, and can be made a failure."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

from tests.requirements import demanded

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run_without_an_oracle(**env: str) -> subprocess.CompletedProcess[str]:
    selection = ["tests/differential/test_quoted_programs.py", "-k", "text and a-jaxpr"]
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *selection],
        cwd=ROOT,
        env=os.environ | {"JAXNB_ORACLE_PYTHON": "/nowhere", "JAXNB_REQUIRE": ""} | env,
        capture_output=True,
        text=True,
    )


def test_tests_that_cannot_run_are_listed_at_the_end():
    done = run_without_an_oracle()
    assert "NOT RUN: 1 oracle test; to run them, make oracle, or name a python with jax" in done.stdout
    assert "skipped" not in done.stdout


def test_what_is_required_and_missing_fails():
    done = run_without_an_oracle(JAXNB_REQUIRE="oracle")
    assert done.returncode == 1
    assert "no oracle: `make oracle`" in done.stdout
    assert "NOT RUN" not in done.stdout


def test_an_unknown_requirement_is_refused(monkeypatch):
    monkeypatch.setenv("JAXNB_REQUIRE", "oracle,telescope")
    with pytest.raises(ValueError, match="JAXNB_REQUIRE names what no test needs: telescope"):
        demanded()
