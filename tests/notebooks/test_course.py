"""The course's notebooks are what their chapters say."""

from __future__ import annotations

import collections
import contextlib
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


# ---- answers ---------------------------------------------------------------------------------------------------------


class Student:
    """A kernel in which a chapter was run, without its exercises."""

    def __init__(self, client: NotebookClient, notebook: nbformat.NotebookNode) -> None:
        self.client = client
        self.exercises = exercises(notebook)
        left_out = [cell.id for task, check, _ in self.exercises for cell in (task, check)]
        for at, cell in enumerate(notebook.cells):
            if cell.cell_type == "code" and cell.id not in left_out:
                client.execute_cell(cell, at)
        client.allow_errors = True

    def run(self, code: str) -> nbformat.NotebookNode:
        cell = nbformat.v4.new_code_cell(code)
        self.client.nb.cells.append(cell)
        return self.client.execute_cell(cell, len(self.client.nb.cells) - 1)

    def answer(self, number: int, code: str | None) -> str:
        """What the check says to an answer; without one to the solution."""
        task, check, solution = self.exercises[number - 1]
        self.run(task.source)
        self.run(solution if code is None else code)
        checked = self.run(check.source)
        assert not [one for one in checked.outputs if one.output_type == "error"], checked.outputs
        return printed(checked)


@pytest.fixture(scope="module")
def students(read_chapter):
    """Gives the kernel of a chapter; one at a time is alive, since the answers come in the chapters' order."""
    with contextlib.ExitStack() as running:
        of: dict[str, Student] = {}

        def student_of(stem: str) -> Student:
            if stem not in of:
                running.close()
                of.clear()
                notebook = read_chapter(ROOT / "notebooks" / "chapters" / f"{stem}.md")
                resources = {"metadata": {"path": str(ROOT / "notebooks")}}
                client = NotebookClient(notebook, timeout=120, resources=resources)
                running.enter_context(client.setup_kernel())
                of[stem] = Student(client, notebook)
            return of[stem]

        yield student_of


def answers():
    """Chapter, exercise, ``right`` or ``wrong``, and the cell; where it is None, the solution."""
    for path in CHAPTERS:
        for number in range(1, path.read_text().count("```python exercise") + 1):
            yield path.stem, number, "right", None
        text = (ROOT / "tests" / "notebooks" / "answers" / f"{path.stem}.txt").read_text()
        cells = re.split(r"^# %% (\d+) (right|wrong)\n", text, flags=re.MULTILINE)[1:]
        for number, kind, code in zip(cells[::3], cells[1::3], cells[2::3], strict=True):
            yield path.stem, int(number), kind, code.strip()


ANSWERS = [
    pytest.param(*answer, id=f"{answer[0]}-{answer[1]}-{answer[2]}-{at}")
    for at, answer in enumerate(answers())
]


@pytest.mark.parametrize(("stem", "number", "kind", "code"), ANSWERS)
def test_an_answer_is_judged(students, stem, number, kind, code):
    said = students(stem).answer(number, code)
    verdict = "Right" if kind == "right" else "Not yet"
    assert re.search(rf"^{verdict}: .{{15}}", said, re.MULTILINE), (
        said
    )  # below what the answer itself printed
    assert "Traceback" not in said
    assert len(said) < 400


def test_every_exercise_is_given_right_and_wrong_answers():
    counts = collections.Counter(answer[:3] for answer in answers())
    for stem, number, *_ in answers():
        assert counts[stem, number, "right"] >= 3
        assert counts[stem, number, "wrong"] >= 8
