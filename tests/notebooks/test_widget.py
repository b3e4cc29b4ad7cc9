"""The live panel: little state, the model in binary parts, and the page's wishes."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest

from jaxnb import lax
from jaxnb.explorer.explore import explore
from jaxnb.notebook import ExplorationWidget, widgets


@pytest.fixture
def exploration():
    made = explore(lambda x: lax.sin(x), np.ones(8, np.float32))
    made.start()
    made.wait()
    return made


@pytest.fixture
def widget(exploration, monkeypatch):
    sent = []
    monkeypatch.setattr(
        ExplorationWidget,
        "send",
        lambda self, content, buffers=None: sent.append((content, bytes(buffers[0]))),
    )
    made = ExplorationWidget(exploration, panes=["source", "hlo"])
    made.sent = sent
    yield made
    made.close()


def test_the_state_has_the_text_and_not_the_model(widget, exploration):
    state = widget.get_state()
    assert state["text"] == exploration.text()
    ours = {
        k: v for k, v in state.items() if not k.startswith("_") and k not in ("layout", "tooltip", "tabbable")
    }
    assert set(ours) == {"text"}


def test_a_view_that_is_ready_gets_the_model(widget):
    widget._handle_custom_msg({"kind": "ready"}, [])
    [(message, body)] = widget.sent
    assert message == {"kind": "model", "id": 1, "part": 0, "parts": 1}
    model = json.loads(gzip.decompress(body))
    assert model["open"] == ["source", "hlo"]
    assert model["status"]["run"] == "done"


def test_a_large_model_comes_in_parts(widget, monkeypatch):
    monkeypatch.setattr(widgets, "CHUNK_BYTES", 500)
    widget._handle_custom_msg({"kind": "ready"}, [])
    messages = [message for message, _ in widget.sent]
    assert len(messages) > 1
    assert [message["part"] for message in messages] == list(range(len(messages)))
    assert {(message["id"], message["parts"]) for message in messages} == {(1, len(messages))}
    assert json.loads(gzip.decompress(b"".join(body for _, body in widget.sent)))["schema"] == 1


def test_the_same_model_is_not_sent_again_unless_a_view_asks(widget):
    widget._refresh()
    widget._refresh()
    assert len(widget.sent) == 1
    widget._handle_custom_msg({"kind": "ready"}, [])
    assert [message["id"] for message, _ in widget.sent] == [1, 2]


@pytest.mark.parametrize("kind", ["stop", "retry"])
def test_wishes_reach_the_exploration(widget, exploration, monkeypatch, kind):
    asked = []
    for name in ("cancel", "retry"):
        monkeypatch.setattr(exploration, name, lambda name=name: asked.append(name))
    widget._handle_custom_msg({"kind": kind}, [])
    assert asked == [{"stop": "cancel", "retry": "retry"}[kind]]


@pytest.mark.parametrize("content", [None, "ready", {"kind": "other"}, {}])
def test_what_it_does_not_know_it_passes_over(widget, content):
    widget._handle_custom_msg(content, [])
    assert widget.sent == []


def test_the_bundle_has_a_widget_and_text_and_no_static_form(widget, exploration):
    data, _ = widget._repr_mimebundle_()
    assert set(data) == {"application/vnd.jupyter.widget-view+json", "text/plain"}
    assert data["text/plain"] == exploration.text()
