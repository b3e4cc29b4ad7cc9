"""The MIME bundle of an exploration: every front end finds a form that it can show.

What lives here: which forms there are. What must not: a widget; a live view is another output.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jaxnb.explorer.model.assemble import MIME_TYPE
from jaxnb.explorer.model.escaping import visible
from jaxnb.explorer.render.html import make_envelope, make_output


def make_bundle(model: Mapping[str, Any], text: str) -> dict[str, Any]:
    """Plain text, HTML, and the packed model for JupyterLab's renderer."""
    envelope = make_envelope(model, "")
    return {"text/plain": visible(text), "text/html": make_output(envelope, text), MIME_TYPE: envelope}
