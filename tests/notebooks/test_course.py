"""The course's notebooks are what their chapters say."""

from __future__ import annotations

import importlib.util
import re

import nbformat
import pytest
from nbclient import NotebookClient

from tests.notebooks.kernel import ROOT

CHAPTERS = sorted((ROOT / "notebooks" / "chapters").glob("*.md"))


@pytest.fixture(scope="module")
def read_chapter():
    path = ROOT / "notebooks" / "make_notebooks.py"
    spec = importlib.util.spec_from_file_location("make_notebooks", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.read_chapter


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_a_notebook_is_its_chapter(read_chapter, chapter):
    written = read_chapter(chapter)
    kept = nbformat.read(ROOT / "notebooks" / f"{chapter.stem}.ipynb", as_version=4)
    assert [(c.cell_type, c.id, c.source) for c in kept.cells] == [
        (c.cell_type, c.id, c.source) for c in written.cells
    ]


def test_every_notebook_has_a_chapter():
    assert {path.stem for path in (ROOT / "notebooks").glob("*.ipynb")} == {path.stem for path in CHAPTERS}


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_views_are_not_kept_in_the_repository(chapter):
    kept = nbformat.read(ROOT / "notebooks" / f"{chapter.stem}.ipynb", as_version=4)
    shown = [output for cell in kept.cells for output in cell.get("outputs", ())]
    assert not [
        output for output in shown if "application/vnd.jaxnb.exploration+json" in output.get("data", {})
    ]


def exercises(notebook):
    """The exercises of a notebook: the cell to be changed, the one that checks it, and a solution."""
    tagged = [c for c in notebook.cells if {"exercise", "check"} & {*c.metadata.get("tags", ())}]
    found = []
    for task, check in zip(tagged[::2], tagged[1::2], strict=True):
        assert "exercise" in task.metadata.tags
        assert "check" in check.metadata.tags
        after = notebook.cells[notebook.cells.index(check) + 1]
        solution = re.match(
            r"<details><summary>A solution</summary>\n\n```py\n(.*?)\n```\n\n</details>",
            after.source,
            re.DOTALL,
        )
        assert solution, check.source
        found.append((task, check, solution[1]))
    return found


def printed(cell):
    return "".join(one.text for one in cell.outputs if one.output_type == "stream")


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_an_exercise_says_what_is_missing_until_it_is_solved(chapter):
    kept = nbformat.read(ROOT / "notebooks" / f"{chapter.stem}.ipynb", as_version=4)
    said = [printed(check) for _, check, _ in exercises(kept)]
    assert len(said) >= 2
    assert all(re.match(r"Not yet: .{20}", text) for text in said), said


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_a_solution_solves_its_exercise(read_chapter, chapter):
    notebook = read_chapter(chapter)
    for task, _, solution in exercises(notebook):
        task.source = solution
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(ROOT / "notebooks")}}).execute()
    said = [printed(check) for _, check, _ in exercises(notebook)]
    assert all(text.startswith("Right") for text in said), said
