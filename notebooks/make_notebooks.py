"""Writes the course's notebooks from the chapters in `chapters/`, and runs them.

    python notebooks/make_notebooks.py [chapter …]

A chapter is Markdown. A fenced block of `python` is a code cell; words after `python` are the cell's tags. What stands
between such blocks is a text cell, and a line of dashes begins another. Outputs of cells tagged `nbval-ignore-output`
are dropped: timings are in them, and seeing them come is the point.

An exercise is a cell tagged `exercise`, a cell tagged `check` that says "Right" or "Not yet", and a text cell with a solution
in a fenced block of `py`, folded away. Tests run each notebook as it is and with the solutions.
"""

from __future__ import annotations

import pathlib
import re
import sys

import nbformat
from nbclient import NotebookClient

HERE = pathlib.Path(__file__).parent
BLOCK = re.compile(r"^```python(?P<tags>[^\n]*)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
METADATA = {
    "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
    "language_info": {"name": "python"},
}


def read_chapter(path: pathlib.Path) -> nbformat.NotebookNode:
    """Returns a chapter as a notebook that has not been run."""
    text = path.read_text()
    cells: list[nbformat.NotebookNode] = []

    def add_text(part: str) -> None:
        cells.extend(
            nbformat.v4.new_markdown_cell(one.strip())
            for one in re.split(r"^---$", part, flags=re.M)
            if one.strip()
        )

    at = 0
    for block in BLOCK.finditer(text):
        add_text(text[at : block.start()])
        tags = block["tags"].split()
        cells.append(
            nbformat.v4.new_code_cell(block["code"].rstrip("\n"), metadata={"tags": tags} if tags else {})
        )
        at = block.end()
    add_text(text[at:])
    for number, cell in enumerate(cells):
        cell.id = f"cell-{number}"  # the same each time, so that a diff shows what was changed
    return nbformat.v4.new_notebook(cells=cells, metadata=METADATA)


def make(path: pathlib.Path) -> pathlib.Path:
    """Writes a chapter's notebook, run, and returns its path."""
    notebook = read_chapter(path)
    NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(HERE)}}).execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code" and "nbval-ignore-output" in cell.metadata.get("tags", ()):
            cell.outputs = []
    notebook.metadata = nbformat.from_dict(METADATA)
    target = HERE / f"{path.stem}.ipynb"
    nbformat.write(notebook, target)
    return target


if __name__ == "__main__":
    wanted = sys.argv[1:]
    for chapter in sorted((HERE / "chapters").glob("*.md")):
        if wanted and chapter.stem not in wanted:
            continue
        print(make(chapter), file=sys.stderr)
