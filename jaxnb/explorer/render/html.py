"""HTML that needs nothing else: a whole page, and the form that stands in a notebook's output.

What lives here: filling the templates, safely. What must not: what is shown, which the model says and the viewer draws;
HTML itself, which stands in ``templates``.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Mapping
from functools import cache
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from jaxnb.explorer.model.escaping import visible, visible_json

_TEMPLATES = Path(__file__).with_name("templates")
_VIEWER = Path(__file__).parents[2] / "_static" / "page.js"
_HEIGHT = 620

_WHY_STATIC = (
    "This is the static form of an exploration. It is shown because scripts did not run here: "
    "in an untrusted notebook they are removed. Trust the notebook, or run the cell again, to explore it."
)
_NO_VIEWER = "This is the static form of an exploration: the viewer, jaxnb/_static/page.js, is not installed."


def make_envelope(model: Mapping[str, Any], text: str) -> dict[str, Any]:
    """The value of the MIME entry: the model packed, with a title and a text for those who cannot unpack it."""
    packed = visible_json(
        json.dumps(model, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    ).encode()
    # What is shown while a stage runs is soon replaced, and should be there soon.
    level = 1 if {"running", "pending"} & set(map(str, model["status"].values())) else 6
    return {
        "schema": model["schema"],
        "title": visible(model["title"]),
        "text": visible(text),
        "z": base64.b64encode(gzip.compress(packed, compresslevel=level, mtime=0)).decode(),
    }


def make_page(model: Mapping[str, Any], text: str) -> str:
    """A whole page: model and viewer inlined, no network; the text shows where scripts do not run."""
    return _page(make_envelope(model, ""), text)


def _page(envelope: Mapping[str, Any], text: str) -> str:
    viewer = _viewer()
    return _template("page.html").substitute(
        title=escape(envelope["title"]),
        envelope=_in_script(envelope),
        reason=escape(_WHY_STATIC if viewer else _NO_VIEWER),
        text=escape(visible(text)),
        viewer=viewer,
        loader=_template("loader.js").template if viewer else "",
    )


def make_output(envelope: Mapping[str, Any], text: str) -> str:
    """The form for a notebook's output: the page in a sandboxed frame, the text where that is removed."""
    if not _viewer():
        return _template("static.html").substitute(reason=escape(_NO_VIEWER), text=escape(visible(text)))
    return _template("output.html").substitute(
        title=escape(envelope["title"]),
        reason=escape(_WHY_STATIC),
        text=escape(visible(text)),
        height=_HEIGHT,
        page=escape(_page(envelope, "")),
        listener=_template("listener.js").template,
    )


def _in_script(value: object) -> str:
    """JSON that may stand in a script element: nothing in it can end the element."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


@cache
def _template(name: str) -> Template:
    return Template((_TEMPLATES / name).read_text(encoding="utf-8"))


@cache
def _viewer() -> str:
    """The viewer packed as the page's loader unpacks it, ``""`` if it is not there."""
    if not _VIEWER.exists():
        return ""
    return base64.b64encode(gzip.compress(_VIEWER.read_bytes(), compresslevel=9, mtime=0)).decode()
