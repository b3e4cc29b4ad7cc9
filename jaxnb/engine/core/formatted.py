"""Programs printed by jaxlib: in colour, as HTML, at another width, or with a map of where each stretch comes from.

Lives here: documents handed to jaxlib's printer. What they say is in `printer.py`.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Sequence
from typing import Any

from jaxnb.base import config
from jaxnb.doc import model
from jaxnb.xla.pretty import printer

__all__ = ["can_use_color", "formatted"]


def can_use_color() -> bool:
    """Returns whether what is printed now is seen in colour: in a notebook, or on a terminal."""
    if not config.pprint_use_color.value:
        return False
    shell = getattr(builtins, "get_ipython", None)
    kind = type(shell()) if shell is not None else None
    if kind is not None and (kind.__name__ == "ZMQInteractiveShell" or "colab" in str(kind)):
        return True
    return hasattr(sys.stdout, "isatty") and sys.stdout.isatty()


def formatted(
    doc: Any,
    sources: Sequence[Any],
    width: Any = 80,
    *,
    use_color: Any = None,
    output_format: Any = None,
    separable_lines: Any = False,
    annotation_prefix: Any = " # ",
    source_map: Any = None,
) -> str:
    """Returns the text of a document with roles.

    Args:
        doc: the document.
        sources: what the entities of its stretches with the role ``source`` stand for.
        width: of a line, where groups allow it.
        use_color: whether there are ANSI colours; where they can be seen if None.
        output_format: one of jaxlib's formats, or the name of one: ``TEXT`` or ``HTML``.
        separable_lines: whether each line sets its own colours.
        annotation_prefix: what stands before the remarks at the ends of lines.
        source_map: a list that gets, for each line, what its stretches come from: ``(start, end, source)``.
    """
    if output_format is None or isinstance(output_format, str):
        output_format = getattr(printer.OutputFormat, (output_format or "text").upper())
    return _handed_over(doc, sources)._format(
        width,
        use_color=can_use_color() if use_color is None else use_color,
        output_format=output_format,
        separable_lines=separable_lines,
        annotation_prefix=annotation_prefix,
        source_map=source_map,
    )


def _handed_over(doc: Any, sources: Sequence[Any]) -> Any:
    """Returns a document as jaxlib's."""
    if isinstance(doc, str):
        return printer.text(doc)
    if isinstance(doc, model.Text):
        entity = str(doc.entity)
        anchor, href = {"binder": (entity, None), "use": (None, f"#{entity}")}.get(
            doc.role or "", (None, None)
        )
        return _in_role(printer.text(doc.text, doc.annotation, anchor, href), doc.role)
    if isinstance(doc, model.Line):
        return printer.brk(doc.flat or "")
    if isinstance(doc, model.Cat):
        whole = printer.concat([_handed_over(child, sources) for child in doc.children])
        return printer.source_map(whole, sources[int(doc.entity)]) if doc.role == "source" else whole  # pyright: ignore[reportArgumentType]
    if isinstance(doc, model.Nest):
        return printer.nest(doc.indent, _handed_over(doc.child, sources))
    inner = _handed_over(doc.child, sources)
    return printer.group(inner) if isinstance(doc, model.Group) else inner


def _in_role(text: Any, role: str | None) -> Any:
    if role == "keyword":
        return printer.color(text, foreground=printer.Color.BLUE, intensity=printer.Intensity.BRIGHT)
    if role == "type":
        return printer.color(text, foreground=printer.Color.MAGENTA, intensity=printer.Intensity.NORMAL)
    return text
