"""The syntax of a source that may be a notebook's cell.

What lives here: parsing around the lines that are no Python. What must not: what is looked for in the tree.
"""

from __future__ import annotations

import ast
import re

__all__ = ["parse_cell"]

_MAGIC = re.compile(r"^([ \t]*)[%!?].*$", re.MULTILINE)


def parse_cell(text: str) -> ast.Module:
    """The syntax tree of a text, at the text's own lines; magics and shell commands in it are passed over.

    Raises:
        SyntaxError: Where the rest is no Python either.
    """
    try:
        return ast.parse(text)
    except SyntaxError:
        return ast.parse(_MAGIC.sub(r"\1pass", text))
