"""The house stands as its plan says: layers, sizes, doors, public names, and what the README promises."""

from __future__ import annotations

import ast
import importlib
import json
import pathlib
import re
import subprocess
import sys
import tomllib

import pytest

import jaxnb

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PACKAGE = sorted((ROOT / "jaxnb").rglob("*.py"))
NOTEBOOK_PACKAGES = {"IPython", "ipywidgets", "anywidget", "traitlets"}


def contract(name: str) -> list[list[str]]:
    """The layers of an import contract, from the top; each layer a list of names."""
    contracts = PROJECT["tool"]["importlinter"]["contracts"]
    layers = next(c["layers"] for c in contracts if c["name"].startswith(name))
    return [[re.sub(r"[()\s]", "", part) for part in layer.split("|")] for layer in layers]


def documented(name: str) -> list[list[str]]:
    """The same list as docs/architecture.md shows it."""
    text = (ROOT / "docs" / "architecture.md").read_text()
    block = re.search(rf"```layers {name}\n(.*?)```", text, re.DOTALL)
    assert block, f"docs/architecture.md has no list of {name}"
    return [[part.strip() for part in line.split(",")] for line in block[1].splitlines()]


def imports(path: pathlib.Path) -> set[str]:
    """Every module that a file imports, by its full name."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module)
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return found


def importers(*packages: str) -> set[str]:
    """The rooms whose files import one of these packages."""
    rooms = set()
    for path in PACKAGE:
        if {name.split(".")[0] for name in imports(path)} & set(packages):
            rooms.add(path.relative_to(ROOT / "jaxnb").parts[0])
    return rooms


def test_the_documented_layers_are_the_import_contracts():
    faces = sorted(documented("faces"))
    house = [sorted(layer) for layer in contract("the house")]
    shown = [[n for [n] in faces] if layer == ["faces"] else sorted(layer) for layer in documented("house")]
    assert shown == house
    assert documented("engine") == contract("the engine")


def test_every_room_is_in_the_plan():
    planned = {name for layer in contract("the house") for name in layer} | {"_surface", "__init__"}
    rooms = {p.relative_to(ROOT / "jaxnb").parts[0].removesuffix(".py") for p in PACKAGE}
    assert rooms <= planned


def test_only_the_door_imports_jaxlib():
    assert importers("jaxlib") <= {"xla"}


def test_only_the_notebook_room_imports_the_notebook():
    assert importers(*NOTEBOOK_PACKAGES) <= {"notebook"}


def test_nothing_imports_jax():
    assert not importers("jax")


def test_nothing_inside_imports_the_root():
    public = set(jaxnb.__all__)
    for path in PACKAGE:
        for name in imports(path):
            package, _, attribute = name.rpartition(".")
            inside = path.name == "__init__.py" and path.parent == ROOT / "jaxnb"
            is_module = (ROOT / "jaxnb" / attribute).is_dir() or (ROOT / "jaxnb" / f"{attribute}.py").exists()
            assert inside or package != "jaxnb" or (attribute not in public or is_module), f"{path}: {name}"


def test_no_file_is_too_long():
    sources = [*PACKAGE, *(ROOT / "tests").rglob("*.py"), *(ROOT / "bench").rglob("*.py")]
    sources += (ROOT / "labextension" / "src").rglob("*.ts")
    lengths = {str(p.relative_to(ROOT)): len(p.read_text().splitlines()) for p in sources}
    assert {name: n for name, n in lengths.items() if n > 600} == {}


def test_no_room_for_odds_and_ends():
    odd = {"util", "utils", "misc", "helpers", "common"}
    assert not [p for p in PACKAGE if odd & set(p.with_suffix("").parts)]


def test_every_module_says_what_lives_in_it():
    silent = [str(p.relative_to(ROOT)) for p in PACKAGE if not ast.get_docstring(ast.parse(p.read_text()))]
    assert silent == []


def test_no_hole_is_left_unspoken():
    # Put together here, so that this file does not find itself. A NotImplementedError with a text is JAX's own answer.
    words = [
        "TO" + "DO",
        "FIX" + "ME",
        r"pytest\.ski" + "p",
        "xfai" + "l",
        r"raise NotImplementedError(?:\(\))?$",
    ]
    holes = re.compile("|".join(words), re.MULTILINE)
    sources = [*PACKAGE, *(ROOT / "tests").rglob("*.py"), *(ROOT / "labextension" / "src").rglob("*.ts")]
    found = {str(p.relative_to(ROOT)): holes.findall(p.read_text()) for p in sources}
    assert {name: words for name, words in found.items() if words} == {}


def test_the_first_array_needs_no_mlir_and_no_search_for_contraction_orders():
    code = (
        "import sys, jaxnb.numpy as jnp; jnp.ones(1).block_until_ready(); "
        "print([m for m in ('jaxlib.mlir.ir', 'jaxlib.mlir.dialects', 'opt_einsum') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("statement", ["from jaxnb import lax", "import jaxnb.lax as lax"])
def test_operators_are_there_whichever_module_comes_first(statement):
    done = subprocess.run(
        [sys.executable, "-c", f"{statement}; print(lax.add(1.0, 2.0) + 1)"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "4.0"


def test_importing_the_package_loads_nothing_else():
    code = (
        "import json, sys; before = set(sys.modules); import jaxnb; new = set(sys.modules) - before; "
        "print(json.dumps(sorted({n.split('.')[0] for n in new})))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    third_party = set(json.loads(done.stdout)) - {"jaxnb"} - sys.stdlib_module_names
    assert third_party == set()


@pytest.mark.parametrize("name", sorted(jaxnb.__all__))
def test_a_public_name_leads_somewhere(name):
    assert getattr(jaxnb, name) is not None


@pytest.mark.parametrize("face", sorted(n for [n] in documented("faces")))
def test_a_face_shows_what_it_says(face):
    module = importlib.import_module(f"jaxnb.{face}")
    shown = {
        n
        for n, v in vars(module).items()
        if not n.startswith("_") and n != "annotations" and type(v).__name__ != "module"
    }
    assert set(module.__all__) >= shown
    assert [n for n in module.__all__ if not hasattr(module, n)] == []


def test_the_readme_names_what_exists():
    readme = (ROOT / "README.md").read_text()
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"make ([a-z]+)", readme)) <= targets
    for path in re.findall(r"\]\(([^)#:]+)\)", readme) + re.findall(r"`((?:[\w.]+/)[\w./]*)`", readme):
        assert (ROOT / path).exists(), path
    assert PROJECT["project"]["requires-python"] == ">=3.11"
    assert "Python 3.11" in readme


def test_the_two_setup_commands_come_first():
    block = re.search(r"## Set up\n\n```\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert block
    assert [line.split("#")[0].strip() for line in block[1].splitlines()] == ["make lab", "make test"]


def test_the_readmes_first_cell_is_the_courses():
    readme = (ROOT / "README.md").read_text()
    cell = re.search(r"```python\n(%%jit.*?)```", readme, re.DOTALL)
    assert cell
    notebook = json.loads((ROOT / "notebooks" / "00_first_cell.ipynb").read_text())
    assert cell[1].strip() in {"".join(c["source"]).strip() for c in notebook["cells"]}


def test_the_licence_is_the_one_declared():
    assert PROJECT["project"]["license"] == "BSD-3-Clause"
    assert (ROOT / "LICENSE").read_text().startswith("BSD 3-Clause License")


def test_the_version_is_the_same_everywhere():
    changelog = (ROOT / "CHANGELOG.md").read_text()
    assert jaxnb.__version__ == PROJECT["project"]["version"]
    assert f"## {jaxnb.__version__}" in changelog
