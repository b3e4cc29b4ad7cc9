"""Explorations as text: plain for saved notebooks and code hosts, coloured for a terminal.

Lives here: which text a magic shows, and its colours. Must not live here: the sentences, which the explorer writes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pygments import highlight
from pygments.formatters import TerminalFormatter
from pygments.lexer import Lexer
from pygments.lexers.python import PythonLexer

from jaxnb.doc import layout, tag, text, to_ansi
from jaxnb.explorer.render.lexers import HLOLexer, JaxprLexer, StableHLOLexer
from jaxnb.explorer.stages import Status, error_text
from jaxnb.explorer.view import View
from jaxnb.notebook.magics import Magic

__all__ = ["make_colored", "make_plain"]

MOST_LINES = 200
"""Longer texts are cut in outputs: the view has them whole, and so have the exploration's attributes."""

_LEXERS: dict[str, type[Lexer]] = {"jaxpr": JaxprLexer, "stablehlo": StableHLOLexer, "hlo": HLOLexer}
_STAGES = {"jaxpr": "trace", "stablehlo": "lower", "hlo": "compile"}
_SECTIONS: dict[str, type[Lexer] | None] = {"Source": PythonLexer, "Jaxpr": JaxprLexer, "Fused": None}


def make_plain(exploration: View, magic: Magic, model: Mapping[str, Any]) -> str:
    """Returns what a magic shows where nothing can be drawn, as far as it has come.

    Args:
        exploration: What is shown.
        magic: What of it.
        model: The exploration's model.
    """
    document = _document(magic)
    if document is None:
        return exploration.text()
    shown = _text_of(document, model)
    return _reason(document, exploration.status) if shown is None else _cut(shown, document)


def make_colored(exploration: View, magic: Magic) -> str:
    """Returns the same with ANSI colours."""
    document = _document(magic)
    if document is None:
        return _color_sections(exploration.text())
    shown = _text_of(document, exploration.model())
    if shown is None:
        return _role(_reason(document, exploration.status), "error")
    return _color(_cut(shown, document), _LEXERS[document])


def _document(magic: Magic) -> str | None:
    """The document that a magic is about; None for all of them, and for the graph."""
    return next((pane for pane in magic.panes if pane in _LEXERS), None)


def _text_of(document: str, model: Mapping[str, Any]) -> str | None:
    return next((one["text"].rstrip("\n") for one in model["documents"] if one["id"] == document), None)


def _reason(document: str, status: Status) -> str:
    """Returns in brackets why there is no such text."""
    stage = _STAGES[document]
    error = status.errors.get(stage)
    message = error_text(error) if error is not None else status.message
    return f"({stage}: {status.states[stage]}{': ' + message if message else ''})"


def _cut(shown: str, document: str) -> str:
    lines = shown.split("\n")
    if len(lines) <= MOST_LINES:
        return shown
    rest = len(lines) - MOST_LINES
    return "\n".join([*lines[:MOST_LINES], f"… {rest} more lines: print(_.{document}) has them all"])


def _color_sections(shown: str) -> str:
    """Colours the sections of an exploration's text, each by its language."""
    parts = []
    for place, part in enumerate(shown.split("\n\n")):
        title, _, content = part.partition("\n")
        lexer = _SECTIONS.get(title.split(" ")[0])
        if place == 0:
            parts.append(f"{_role(title, 'heading')}\n{_mark_failures(content)}")
        elif lexer is not None:
            parts.append(f"{_role(title, 'heading')}\n{_color(content, lexer)}")
        elif content and not title.startswith(" "):
            parts.append(f"{_role(title, 'heading')}\n{content}")
        else:
            parts.append(part)
    return "\n\n".join(parts)


def _mark_failures(content: str) -> str:
    return "\n".join(_role(line, "error") if " failed: " in line else line for line in content.split("\n"))


def _role(shown: str, role: str) -> str:
    return to_ansi(layout(tag(text(shown), role)))


def _color(shown: str, lexer: type[Lexer]) -> str:
    return highlight(shown, lexer(stripnl=False, ensurenl=False), TerminalFormatter())
