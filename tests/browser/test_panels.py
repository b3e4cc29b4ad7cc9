"""The panels for staging in a page: what opens first, what it says, and that it is linked like any other view."""

from __future__ import annotations

import pytest

from tests.browser.view import View

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]

SETUP = (
    "%load_ext jaxnb\nimport jaxnb, jaxnb.numpy as jnp\nx = jnp.arange(8.0)\n"
    "W = jnp.ones((256, 256))\nb = jnp.linspace(0.0, 1.0, 256)"
)
MASKED = (
    "%%omnistaging masked(x)\ndef masked(x):\n    mask = jnp.arange(8) < 4\n"
    "    return jnp.where(mask, x, 0.0) * jnp.sin(jnp.ones(8))"
)
CLOSURE = "%%constants layer(b)\ndef layer(v):\n    return jnp.tanh(W @ v + b)"
CALLS = "%%retrace h\n@jaxnb.jit\ndef h(x):\n    return x * 2\nh(1.0); h(2); h(x); h(x)"
STEPS = "%%aot affine({'w': W, 'b': b}, b)\ndef affine(p, v):\n    return p['w'] @ v + p['b']"
FAILS = "%%jit sign(x)\ndef sign(x):\n    y = jnp.sin(x)\n    if y[0] > 0:\n        return y\n    return -y"


@pytest.fixture
def opened(page, lab, request):
    """A page in which one panel has been made; as a function of the cell and the panel's title."""

    def opened(cell: str, title: str) -> View:
        name = f"{title.split('(')[0].split(':')[0]}.ipynb"
        lab.write_notebook(name, SETUP, cell)
        lab.open_notebook(page, name)
        lab.run_all(page)
        shown = View(page, title)
        shown.root.wait_for()
        return shown

    yield opened
    assert [error for error in page.errors if "jaxnb" in error.lower()] == []


def rows(shown: View, pane: str) -> list[str]:
    """A table's rows, the cells of each set apart by bars."""
    return (
        shown.pane(pane)
        .locator("tbody tr")
        .evaluate_all("rows => rows.map(r => [...r.cells].map(c => c.textContent.trim()).join(' | '))")
    )


def cards(shown: View, pane: str) -> list[str]:
    """What the cards of a pane say."""
    return shown.pane(pane).locator(".jx-card").all_inner_texts()


def open_panes(shown: View) -> list[str]:
    """The panes that are open, in their order."""
    return shown.root.locator("[data-pane]:visible").evaluate_all("panes => panes.map(p => p.dataset.pane)")


@pytest.mark.parametrize("page", ["light", "dark"], indirect=True)
def test_omnistaging_off_and_on_stand_side_by_side(opened, page, request):
    shown = opened(MASKED, "masked(x): omnistaging off | on").wait()
    shown.picture(f"omnistaging_{request.node.callspec.params['page']}")
    assert open_panes(shown) == ["summary", "executed", "diff-jaxpr", "diff-unoptimized"]
    executed = rows(shown, "executed")
    assert [row.split(" | ")[1] for row in executed] == ["iota", "lt", "broadcast_in_dim", "sin"]
    assert "line 3: mask = jnp.arange(8) < 4" in executed[0]
    assert any(row.startswith("results") and "equal, bit for bit" in row for row in rows(shown, "summary"))
    added = shown.pane("diff-jaxpr").locator(".jx-d-added").all_inner_texts()
    assert [any(name in row for row in added) for name in ("iota", " lt ", " sin ")] == [True] * 3
    shown.pane("diff-jaxpr").locator(".jx-d-added", has_text="iota").hover()
    assert any("iota" in row for row in _lit(shown, "diff-unoptimized"))


def _lit(shown: View, pane: str) -> list[str]:
    return shown.pane(pane).locator("[data-item].jx-lit").all_inner_texts()


def test_captured_arrays_and_what_to_write_instead(opened, page):
    shown = opened(CLOSURE, "layer(b): captured arrays").wait()
    shown.picture("constants")
    assert open_panes(shown) == ["constants", "modes", "rewrite", "source", "jaxpr"]
    found = [row for row in rows(shown, "constants") if "hidden argument" in row]
    assert [row.split(" | ")[:3] for row in found] == [
        ["W", "f32[256,256]", "262 kB"],
        ["b", "f32[256]", "1.02 kB"],
    ]
    [card] = cards(shown, "rewrite")
    assert "def layer(W, b, v):" in card
    assert "layer(W, b, b)" in card
    shown.pane("constants").locator("tr.jx-linked", has_text="f32[256,256]").hover()
    assert any("dot_general" in line for line in shown.lit("jaxpr")), "the equation that uses it"
    assert any("W @ v" in line for line in shown.lit("source"))


def test_traces_with_their_reasons(opened, page):
    shown = opened(CALLS, "h: traces")
    shown.picture("retraces")
    table = [row.split(" | ") for row in rows(shown, "retraces") if row.count(" | ") > 3]
    assert [row[1] for row in table] == ["x: ~f32[]", "x: ~i32[]", "x: f32[8]"]
    assert [row[6] for row in table] == ["1", "1", "2"], "each call is counted inside the cell"
    assert [row[7] for row in table] == ["first trace", "another type", "another type"]


def test_the_four_steps(opened, page):
    shown = opened(STEPS, "affine({'w': W, 'b': b}, b): ahead of time").wait()
    shown.picture("steps")
    assert open_panes(shown) == ["steps", "signature", "stablehlo"]
    made = [card.split("\n")[0] for card in cards(shown, "steps")]
    assert [title.split("→")[0].strip() for title in made[:3]] == ["trace", "lower", "compile"]
    assert [row.split(" | ")[0] for row in rows(shown, "signature")] == ["p['b']", "p['w']", "v"]
    assert "stablehlo.dot_general" in shown.text("stablehlo")
    shown.pane("signature").locator("tr.jx-linked", has_text="f32[256,256]").hover()
    assert any("%arg1: tensor<256x256xf32>" in line for line in shown.lit("stablehlo"))


def test_an_error_while_tracing_says_how_it_came_about(opened, page):
    shown = opened(FAILS, "sign: TracerBoolConversionError").wait("trace", "failed")
    shown.picture("failure")
    first = cards(shown, "diagnosis")[0]
    assert "line 4: if y[0] > 0:" in first
    assert any("jnp.where(y[0] > 0, if_true, if_false)" in card for card in cards(shown, "diagnosis"))
    assert [row.split(" | ")[0] for row in rows(shown, "path")] == [
        "x",
        "sin",
        "slice",
        "squeeze",
        "gt",
        "if",
    ]
    assert "gt d 0.0" in shown.text("jaxpr")
    shown.pane("path").locator("tr.jx-linked", has_text="sin").first.hover()
    assert any("= sin a" in line for line in shown.lit("jaxpr"))
