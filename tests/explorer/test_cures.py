"""Every class of error while tracing: all cures that the panel shows, and for each a program that follows it, and runs."""

from __future__ import annotations

import functools
import linecache
from typing import Any

import jsonschema
import numpy as np
import pytest

import jaxnb
import jaxnb.numpy as jnp
from jaxnb import lax
from jaxnb.explorer import explain_error
from tests.explorer.cure_cases import VALUES
from tests.explorer.cure_cases_of_shapes import SHAPES
from tests.explorer.test_diagnosis import SCHEMA

CASES = {**VALUES, **SHAPES}


def run(program: str, name: str = "") -> Any:
    """Runs a program from a file that has its text; the value of its last line."""
    file = name or f"/cell/{abs(hash(program))}.py"
    linecache.cache[file] = (len(program), None, program.splitlines(keepends=True), file)
    body, _, last = program.rstrip().rpartition("\n")
    names: dict[str, Any] = {
        "__name__": "__main__", "jaxnb": jaxnb, "jnp": jnp, "np": np, "lax": lax, "functools": functools,
    }  # fmt: skip
    exec(compile(body, file, "exec"), names)
    blank = "\n" * body.count("\n") + "\n" * bool(body)
    return eval(compile(blank + last, file, "eval"), names)


@pytest.mark.parametrize("name", list(CASES))
def test_each_error_has_its_cures_and_each_cure_works(name):
    case = CASES[name]
    with pytest.raises(Exception) as raised:
        run(case.fails)
    failure = explain_error(raised.value)
    assert failure is not None
    assert failure.diagnosis.kind == case.kind
    jsonschema.validate(failure.model(), SCHEMA)
    shown = [cure.code for cure in failure.diagnosis.cures]
    assert shown == [code for code, _, _ in case.cured]
    for code, program, wanted in case.cured:
        got = run(program)
        if wanted is not None:
            np.testing.assert_allclose(np.asarray(got), np.asarray(wanted), err_msg=code)
