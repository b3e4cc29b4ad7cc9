"""The course's notebooks are what their chapters say."""

from __future__ import annotations

import importlib.util

import nbformat
import pytest

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
