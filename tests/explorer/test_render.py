"""What is written can be shown anywhere: text, HTML without a network, JSON that the schema describes."""

from __future__ import annotations

import base64
import gzip
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import jsonschema
import numpy as np
import pytest

import jaxnb
from jaxnb import lax
from jaxnb.explorer.constants import explore_constants
from jaxnb.explorer.explore import explore
from jaxnb.explorer.model.assemble import MIME_TYPE
from jaxnb.explorer.render import html
from jaxnb.explorer.retraces import explore_retraces

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "labextension" / "schema" / "exploration.schema.json").read_text())
X = np.arange(8, dtype=np.float32)


def wave(x, shift=1.5):
    return lax.mul(lax.exp(x), lax.add(lax.tanh(x), shift))


def unpack(envelope: dict) -> dict:
    return json.loads(gzip.decompress(base64.b64decode(envelope["z"])))


class Page(HTMLParser):
    """The scripts, attributes and text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str | None]] = []
        self.texts: list[str] = []
        self.scripts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]

    def handle_data(self, data):
        (self.scripts if self.tags and self.tags[-1] == "script" else self.texts).append(data)

    def handle_endtag(self, tag):
        self.tags.append("/" + tag)


@pytest.fixture(scope="module")
def exploration():
    done = explore(wave, X)
    done.facts()
    return done


def test_the_model_is_as_the_schema_says(exploration):
    jsonschema.validate(exploration.model(), SCHEMA)
    jsonschema.validate(explore(wave, X).model(), SCHEMA)


def test_the_bundle_has_a_form_for_every_front_end(exploration):
    bundle = exploration._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html", MIME_TYPE}
    envelope = bundle[MIME_TYPE]
    jsonschema.validate(envelope, {"$ref": "#/$defs/envelope", "$defs": SCHEMA["$defs"]})
    assert unpack(envelope)["title"] == exploration.trace.title


def test_spans_lie_in_their_lines_and_are_sorted(exploration):
    model = exploration.model()
    for document in model["documents"]:
        lines = document["text"].split("\n")
        spans = [tuple(document["spans"][at : at + 4]) for at in range(0, len(document["spans"]), 4)]
        assert spans
        assert spans == sorted(spans, key=lambda span: (span[0], span[1], -span[2]))
        for line, start, end, number in spans:
            assert 0 <= start < end <= len(lines[line])
            assert 0 <= number < len(model["sets"])


def test_an_equation_is_linked_in_all_four_texts_and_the_graph(exploration):
    model = exploration.model()
    pivot = model["pivots"]["label"].index("tanh")
    for document in model["documents"]:
        lines = document["text"].split("\n")
        hit = [
            lines[line][start:end]
            for line, start, end, number in zip(*[iter(document["spans"])] * 4, strict=True)
            if pivot in model["sets"][number]
        ]
        assert any("tanh" in text for text in hit), document["id"]
    nodes = [node for group in model["graph"]["groups"].values() for node in group["nodes"]]
    assert any(node["set"] is not None and pivot in model["sets"][node["set"]] for node in nodes)


def test_the_page_needs_no_network(exploration, tmp_path):
    path = exploration.save(tmp_path / "wave.html")
    page = Page(path.read_text(encoding="utf-8"))
    assert not [value for _, name, value in page.attributes if name in ("src", "href")]
    assert not re.search(r"\b(fetch|import)\s*\(", " ".join(page.scripts[-2:]))
    envelope = next(json.loads(script) for script in page.scripts if script.startswith("{"))
    assert unpack(envelope)["documents"][0]["id"] == "source"
    viewer = next(script for script in page.scripts if script.startswith("H4sI"))
    assert gzip.decompress(base64.b64decode(viewer)) == (ROOT / "jaxnb" / "_static" / "page.js").read_bytes()


def test_the_output_is_a_sandboxed_frame_with_its_static_form_beside_it(exploration):
    output = Page(exploration._repr_mimebundle_()["text/html"])
    frame = {name: value for tag, name, value in output.attributes if tag == "iframe"}
    assert frame["sandbox"] == "allow-scripts"
    assert "src" not in frame
    assert any("scripts did not run here" in text for text in output.texts)
    assert any("4 equations, 4 linked" in text for text in output.texts)
    inner = Page(frame["srcdoc"] or "")
    assert MIME_TYPE in [value for tag, name, value in inner.attributes if (tag, name) == ("script", "type")]


def test_without_the_viewer_the_static_form_says_so(exploration, monkeypatch):
    monkeypatch.setattr(html, "_viewer", lambda: "")
    output = html.make_output(html.make_envelope(exploration.model(), ""), exploration.text())
    assert "<iframe" not in output
    assert "is not installed" in output


def test_names_and_strings_with_markup_are_shown_as_text():
    evil = "</script><script>alert(1)</script>&quot;'"

    def hurt(x):
        note = "</script><script>alert(2)</script>"
        return lax.exp(x), note

    def wrapped(x):
        return hurt(x)[0]

    wrapped.__name__ = evil
    exploration = explore(wrapped, X)
    bundle = exploration._repr_mimebundle_()
    assert evil in bundle["text/plain"]
    output = Page(bundle["text/html"])
    frame = next(value for tag, name, value in output.attributes if (tag, name) == ("iframe", "srcdoc"))
    for page in (output, Page(frame or "")):
        assert not [script for script in page.scripts if script.strip().startswith("alert")]
    inner = Page(frame or "")
    envelope = next(json.loads(script) for script in inner.scripts if script.startswith("{"))
    model = unpack(envelope)
    assert model["function"] == evil
    assert "alert(2)" in model["documents"][0]["text"]


def test_columns_are_counted_in_utf16_units():
    def 𝒻(ξ):
        return lax.exp(lax.neg(ξ))  # 🙂

    model = explore(𝒻, X).model()
    source = model["documents"][0]
    units = source["text"].split("\n")[1].encode("utf-16-le")
    found = {
        units[2 * start : 2 * end].decode("utf-16-le")
        for line, start, end, _ in zip(*[iter(source["spans"])] * 4, strict=True)
        if line == 1
    }
    assert {"lax.neg(ξ)", "lax.exp(lax.neg(ξ))"} <= found
    assert source["text"].endswith("🙂")


def test_a_lone_surrogate_is_shown_escaped_and_raises_nowhere(tmp_path):
    def renamed(x):
        jaxnb.debug.print("\ud83d{x} \U0001f600", x=x)  # half of a pair, then a whole one
        return {"\udc00": lax.sin(x)}

    renamed.__name__ = renamed.__qualname__ = "ren\ud800med"
    held = {"\ud801": np.ones(20, np.float32)}
    made = explore(renamed, np.float32(1))
    captured = explore_constants(lambda x: x + held["\ud801"], np.ones(20, np.float32))
    static = jaxnb.jit(lambda x, s: x, static_argnums=1)
    static(1.0, "\ud802")
    for view, shown in (
        (made, "ren\\ud800med"),
        (captured, "\\ud801"),
        (explore_retraces(static), "\\ud802"),
    ):
        bundle = view._repr_mimebundle_()
        model = unpack(bundle[MIME_TYPE])
        jsonschema.validate(model, SCHEMA)
        as_json = json.dumps(model, ensure_ascii=False)
        for text in (view.text(), repr(view), bundle["text/plain"], bundle["text/html"], as_json):
            text.encode()  # which no lone surrogate survives
        assert shown in view.text()
        assert shown in as_json.replace("\\\\", "\\")
        assert view.save(tmp_path / "page.html").read_text(encoding="utf-8")
    model = unpack(made._repr_mimebundle_()[MIME_TYPE])
    jaxpr = next(one for one in model["documents"] if one["id"] == "jaxpr")
    lines = jaxpr["text"].split("\n")
    assert r"\ud83d{x} 😀" in jaxpr["text"]
    spans = [jaxpr["spans"][at : at + 4] for at in range(0, len(jaxpr["spans"]), 4)]
    assert all(end <= len(lines[line].encode("utf-16-le")) // 2 for line, _, end, _ in spans)


def test_the_text_says_what_matters(exploration):
    text = exploration.text()
    assert text.startswith(f"{exploration.trace.title} · cpu:0 · jaxlib ")
    assert "4 equations, 4 linked · " in text
    assert "\nJaxpr\n  { lambda ; a:f32[8]. let" in text
    assert "f32[8]: exp, tanh, add, mul" in text


def test_a_long_program_is_cut_in_text_and_says_so():
    def many(x):
        for _ in range(100):
            x = lax.sin(x)
        return x

    exploration = explore(many, X)
    assert "… 42 more lines" in exploration.text()
    assert exploration.jaxpr.count("sin") == 100
