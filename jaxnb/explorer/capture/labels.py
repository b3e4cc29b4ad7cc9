"""What a file is called on screen: a notebook's cell by its number, any other file by its name.

What lives here: the one place that knows which files are cells. What must not: IPython, which says so through
``name_cells``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

__all__ = ["as_written", "cell_of", "file_label", "name_cells", "place_label", "without_run"]

_PLACE = re.compile(r"^(?P<file>.+?):(?P<line>\d+)(?::\d+)?(?P<rest> \(.*\))?$")

_MAGIC = re.compile(r"<%+\w+>$")
"""What the call in a magic's line is from, which is no code of a cell."""

_RUN = re.compile(r"<ipython-input-\d+-(?=[0-9a-f]+>)")

_cell_of: Callable[[str], int | None] = lambda file: None  # noqa: E731
_text_of: Callable[[int], str] = lambda cell: ""  # noqa: E731


def name_cells(cell_of: Callable[[str], int | None], text_of: Callable[[int], str] = lambda cell: "") -> None:
    """Says how to find the number of the notebook cell that a file name stands for, and the text of a cell.

    Args:
        cell_of: Returns the number, None where the file is no cell.
        text_of: Returns what the user wrote in the cell of a number, ``""`` where that is not known.
    """
    global _cell_of, _text_of
    _cell_of, _text_of = cell_of, text_of


def cell_of(file: str) -> int | None:
    """The number of the cell that a file name stands for; None for any other file."""
    return _cell_of(file)


def as_written(lines: Sequence[str], cell: int) -> list[str]:
    """A cell's lines as the user wrote them: a shell runs, and keeps, calls in the place of line magics."""
    written = _text_of(cell).splitlines(keepends=True)
    if len(written) != len(lines):
        return list(lines)
    return [mine if "get_ipython()" in line else line for line, mine in zip(lines, written, strict=True)]


def without_run(place: str) -> str:
    """A place as it is for every run of an unchanged cell: a shell's file names count the runs beside the cell's text."""
    return _RUN.sub("<ipython-input-", place)


def file_label(file: str) -> str:
    """``cell 3``, or the name of the file without its folders."""
    cell = _cell_of(file)
    return f"cell {cell}" if cell is not None else file.rpartition("/")[2]


def place_label(place: str) -> str:
    """A place such as ``/a/b.py:3:8 (f)`` without folders and column; of a cell ``cell 3, line 3 (f)``."""
    found = _PLACE.match(place)
    if found is None:
        return place
    if _MAGIC.match(found["file"]):
        return f"the {found['file'][1:-1]} line"
    cell = _cell_of(found["file"])
    file = f"cell {cell}, line " if cell is not None else file_label(found["file"]) + ":"
    return f"{file}{found['line']}{found['rest'] or ''}"
