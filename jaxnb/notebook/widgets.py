"""A live panel: the linked view with buttons that stop and retry.

Lives here: the widget and its messages. The model travels as binary messages, never in the synced state: state is kept
in the notebook's file. Must not live here: the static form; a panel and a static form are two outputs, never one.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from jaxnb.explorer.model.escaping import visible_json
from jaxnb.explorer.view import View
from jaxnb.notebook.updates import Follower

__all__ = ["CHUNK_BYTES", "ExplorationWidget"]

CHUNK_BYTES = 8 * 1024 * 1024
"""The largest buffer of one message."""


class ExplorationWidget(anywidget.AnyWidget):
    """Shows an exploration, follows it, and passes the page's wishes on to it.

    Args:
        exploration: What is shown.
        panes: Which panes are open at first; empty for all.
    """

    _esm = Path(__file__).parents[1] / "_static" / "widget.js"
    text = traitlets.Unicode("").tag(sync=True)

    def __init__(self, exploration: View, *, panes: Sequence[str] = ()) -> None:
        super().__init__(text=exploration.text())
        self.exploration = exploration
        self._panes = tuple(panes)
        self._sent = b""
        self._number = 0
        self._follower = Follower(exploration, self._refresh)
        exploration.opened()
        self.on_msg(self._receive)

    def close(self) -> None:
        """Takes the panel away; the exploration goes on."""
        self._follower.close()
        self.exploration.closed()
        super().close()

    def _receive(self, _: Any, content: Any, buffers: Any) -> None:
        kind = content.get("kind") if isinstance(content, dict) else None
        if kind == "ready":
            self._send_model(self._pack())
        elif kind == "stop":
            self.exploration.cancel()
        elif kind == "retry":
            self.exploration.retry()

    def _refresh(self) -> None:
        if self.exploration.is_settled:
            self.text = self.exploration.text()
        packed = self._pack()
        if packed != self._sent:
            self._send_model(packed)

    def _pack(self) -> bytes:
        model = self.exploration.model()
        if self._panes:
            model["open"] = list(self._panes)
        text = visible_json(json.dumps(model, ensure_ascii=False, separators=(",", ":")))
        return gzip.compress(text.encode(), compresslevel=6, mtime=0)

    def _send_model(self, packed: bytes) -> None:
        """Sends a model in parts, to every view of this widget."""
        self._sent = packed
        self._number += 1
        starts = range(0, len(packed), CHUNK_BYTES)
        for part, start in enumerate(starts):
            message = {"kind": "model", "id": self._number, "part": part, "parts": len(starts)}
            self.send(message, buffers=[memoryview(packed)[start : start + CHUNK_BYTES]])

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        bundle = super()._repr_mimebundle_(**options)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        if data:
            # what a front end without widgets shows, and a code host
            data = {**data, "text/plain": self.exploration.text()}
        return data or {}, metadata
