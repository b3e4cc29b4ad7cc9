"""Functions and methods that are imported when they are first used."""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys

import pytest

import jaxnb
from jaxnb.engine.core import operators, rules
from jaxnb.engine.runtime.arrays import ArrayImpl
from jaxnb.numpy import array_methods


def said(code: str) -> str:
    """What a fresh process prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_the_first_array_loads_no_function_that_it_does_not_need():
    loaded = (
        "print([m for m in ('joining', 'polynomials', 'array_methods') if f'jaxnb.numpy.{m}' in sys.modules])"
    )
    assert said(f"import sys, jaxnb.numpy as jnp; jnp.ones(1).block_until_ready(); {loaded}") == "[]"


@pytest.mark.parametrize("module", [jaxnb.lax, jaxnb.numpy], ids=["lax", "numpy"])
def test_each_line_of_a_stub_is_a_name_of_its_module(module):
    file = pathlib.Path(module.__file__)
    lines = [line for line in file.with_suffix(".pyi").read_text().splitlines() if not line.startswith("#")]
    names = [re.fullmatch(r"from (\S+) import (\w+) as \2", line)[2] for line in lines]
    assert len(set(names)) == len(names)
    assert set(module.__all__) <= set(names)
    for name in module.__all__:
        getattr(module, name)
    assert set(module.__all__) <= set(dir(module))
    # a module of the package with a function's name would take its place once it is imported
    assert file.stem != "__init__" or not {path.stem for path in file.parent.glob("*.py")} & set(names)


def test_a_rule_of_a_primitive_comes_with_the_primitive():
    """A module that gives a rule to the primitive of another one is where the primitive's name leads to."""
    engine = pathlib.Path(jaxnb.__file__).parent / "engine"
    ours = {"jit_p", "stage_p", "random_wrap_p", "random_unwrap_p"}  # the runtime's, which is always there
    stub = pathlib.Path(jaxnb.lax.__file__).with_suffix(".pyi").read_text()
    homes = {name: home for home, name in re.findall(r"from (\S+) import (\w+_p) as", stub)}
    for path in engine.rglob("*.py"):
        text = path.read_text()
        for name in re.findall(r"_rules\[(\w+_p)\] = ", text):
            if name not in ours and not re.search(rf"^{name} = ", text, re.MULTILINE):
                module = ".".join(("jaxnb", *path.relative_to(engine.parent).with_suffix("").parts))
                assert homes.get(name) == module, f"{module} gives {name} a rule"


@pytest.mark.parametrize("module", ["jaxnb.lax", "jaxnb.numpy"])
def test_a_name_that_is_not_there_is_an_error(module):
    with pytest.raises(AttributeError, match=f"module '{module}' has no attribute 'nothing'"):
        getattr(sys.modules[module], "nothing")


def test_the_methods_waited_for_are_those_of_the_table():
    assert sorted(operators.NAMES) == sorted(array_methods.table)


FIRST = {
    "x + 1": "[2. 2.]",
    "1 - x": "[0. 0.]",
    "-x": "[-1. -1.]",
    "x == 1": "[ True  True]",
    "x[0]": "1.0",
    "list(x)[0]": "1.0",
    "x.T": "[1. 1.]",
    "x.at[0].set(3)": "[3. 1.]",
    "x.sum()": "2.0",
    "type(x).mean(x)": "1.0",
    "np.ones(2) + x": "[2. 2.]",
    "jaxnb.jit(lambda y: y.sum())(x)": "2.0",
    "jaxnb.grad(lambda y: (2 * y).sum())(x)": "[2. 2.]",
    "jaxnb.vmap(lambda y: y + 1)(x)": "[2. 2.]",
    "jaxnb.random.key(0).reshape(1).shape": "(1,)",
}
"""An expression that is the first of its process, and what it gives."""

EACH_IN_ITS_PROCESS = """
import os, sys
import numpy as np, jaxnb, jaxnb.numpy as jnp
for first in sys.argv[1:]:  # no array has been made, and nothing but these two modules has been imported
    if not (child := os.fork()):
        x = jnp.ones(2)
        print(eval(first), flush=True)
        os._exit(0)
    os.waitpid(child, 0)
"""


def test_whichever_method_comes_first():
    done = subprocess.run(
        [sys.executable, "-c", EACH_IN_ITS_PROCESS, *FIRST], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == list(FIRST.values()), done.stderr


ALONE = {
    "jaxnb.grad(lambda x: x * x)(3.0)": "6.0",
    "jaxnb.jit(lambda x: x + 1)(1.0)": "2.0",
    "jaxnb.vmap(lambda x: -x)(np.ones(2))": "[-1. -1.]",
    "jaxnb.make_jaxpr(lambda x: x[0])(np.ones(2)).out_avals": "[ShapedArray(float32[])]",
    "jaxnb.lax.fori_loop(0, 3, lambda i, c: c * 2, 1.0)": "8.0",
    "jaxnb.lax.scan(lambda c, x: (c + x, x.T), 0.0, np.ones(2))[0]": "2.0",
    "jaxnb.lax.add(1.0, 2.0) + 1": "4.0",
    "jaxnb.lax.cond(True, lambda x: x + 1, lambda x: x, 1.0)": "2.0",
    "jaxnb.eval_shape(lambda x: x.sum(), np.ones(2)).shape": "()",
    "jaxnb.jvp(lambda x: x ** 2, (3.0,), (1.0,))[1]": "6.0",
    "jaxnb.random.key(0) == jaxnb.random.key(0)": "True",
    "jaxnb.nn.relu(np.float32(-1))": "0.0",
    "jaxnb.device_put(1.0) + 1": "2.0",
    "jaxnb.grad(lambda x: x[np.array([0])].sum())(np.ones(2))": "[1. 0.]",
    "jaxnb.grad(lambda x: jaxnb.lax.sort(x)[0])(np.ones(2))": "[1. 0.]",
    "jaxnb.explore(lambda x: x * 2, np.ones(2)).facts()['equations']['total']": "1",
}
"""The same with nothing imported but the package."""


def test_primitives_that_are_asked_for_by_name_are_found_wherever_nothing_else_is_loaded():
    engine = pathlib.Path(jaxnb.__file__).parent
    asked = {
        name
        for path in engine.rglob("*.py")
        for name in re.findall(r"primitives\[\"([\w-]+)\"\]", path.read_text())
    }
    assert asked <= set(rules._ASKED_FOR)
    code = "from jaxnb.engine.core.rules import _ASKED_FOR, primitives; print([primitives[n].name for n in _ASKED_FOR])"
    assert said(code) == str(list(rules._ASKED_FOR))


def test_whichever_function_comes_first():
    code = EACH_IN_ITS_PROCESS.replace(", jaxnb.numpy as jnp", "").replace("        x = jnp.ones(2)\n", "")
    done = subprocess.run([sys.executable, "-c", code, *ALONE], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == list(ALONE.values()), done.stderr


def test_a_property_refuses_assignment_before_its_first_use_too():
    code = "import jaxnb.numpy as jnp\ntry: jnp.ones(2).T = 3\nexcept AttributeError as e: print(e)"
    with pytest.raises(AttributeError) as later:
        jaxnb.numpy.ones(2).T = 3
    assert said(code) == str(later.value)
    assert isinstance(vars(ArrayImpl)["T"], property)
