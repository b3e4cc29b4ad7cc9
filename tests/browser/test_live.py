"""A live view: what is seen before the compiler is done, stopping, retrying, and the side panel."""

from __future__ import annotations

import pytest

from tests.browser.view import View

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]

SETUP = "%load_ext jaxnb\nimport numpy as np, jaxnb, jaxnb.lax as lax\nx = np.ones((8, 8), np.float32)"
QUICK = "%%jit quick(x)\ndef quick(x):\n    return lax.sin(lax.mul(x, x))"
SLOW = (
    "%%jit {options} slow(x)\ndef slow(x):\n    for i in range(2000):\n"
    "        x = lax.add(lax.pow(lax.dot(x, x), x), x)\n    return x"
)


def run(page, lab, name, *cells):
    """Runs a new notebook; each cell but the first has one view."""
    lab.write_notebook(name, SETUP, *cells)
    lab.open_notebook(page, name)
    lab.run_all(page)


def own_errors(page):
    return [error for error in page.errors if "jaxnb" in error.lower()]


def test_source_and_jaxpr_are_seen_while_the_rest_is_compiled(page, lab):
    run(page, lab, "slow.ipynb", SLOW.format(options=""), "print('still ' + 'free')")
    shown = View(page, "slow(x)").wait("compile", "running")
    page.get_by_text("still free", exact=True).wait_for()
    assert shown.text("source").startswith("%%jit  slow(x)\ndef slow(x):")
    assert "dot_general" in shown.text("jaxpr")
    shown.wait("lower", "done")
    shown.hover("source", "x = lax.add", "lax.dot(x, x)")
    assert any("dot_general" in line for line in shown.lit("jaxpr"))
    shown.picture("slow_running")
    page.locator(".jp-NotebookPanel-toolbar [data-jp-item-name=interrupt] >> visible=true").click()
    shown.wait("compile", "cancelled", timeout_ms=5_000)
    assert (
        shown.message()
        == "the compilation was interrupted; .retry() compiles again (_.retry() in the next cell)"
    )
    shown.picture("slow_interrupted")
    assert own_errors(page) == []


def test_a_panel_stops_and_retries(page, lab):
    run(page, lab, "panel.ipynb", SLOW.format(options="-w"))
    shown = View(page, "slow(x)").wait("compile", "running")
    shown.root.get_by_role("button", name="Stop").click()
    shown.wait("compile", "cancelled", timeout_ms=10_000)
    assert "was cancelled" in shown.message()
    shown.picture("panel_stopped")
    shown.root.get_by_role("button", name="Retry").click()
    shown.wait("compile", "running")
    shown.root.get_by_role("button", name="Stop").click()
    shown.wait("compile", "cancelled", timeout_ms=10_000)
    assert own_errors(page) == []


def test_a_panel_shows_what_an_output_shows(page, lab):
    run(page, lab, "panel_quick.ipynb", QUICK.replace("%%jit", "%%jit -w"))
    shown = View(page, "quick(x)").wait()
    shown.hover("jaxpr", "= sin", "c")
    assert any("lax.sin" in line for line in shown.lit("source"))
    assert any("stablehlo.sine" in line for line in shown.lit("stablehlo"))


def test_one_stage_opens_its_panes(page, lab):
    run(page, lab, "stages.ipynb", "q = lambda x: lax.sin(x)", "%jaxpr q(x)")
    shown = View(page, "q(x)").wait("trace")
    assert [shown.is_open(name) for name in ("source", "jaxpr", "stablehlo")] == [True, True, False]
    assert shown.root.locator("[data-toggle=stablehlo]").count() == 0
    shown.picture("jaxpr_alone")


def test_markup_is_shown_as_text(page, lab):
    evil = "</script><script>window.evil=1</script><img src=x onerror=window.evil=1>"
    run(
        page,
        lab,
        "markup.ipynb",
        f"d = {{'{evil}': x}}",
        f"%%jit f(d)\ndef f(d):\n    return lax.sin(d['{evil}'])",
    )
    shown = View(page, "f(d)").wait()
    assert evil in shown.text("source")
    assert page.evaluate("window.evil") is None
    assert all(frame.evaluate("window.evil") is None for frame in page.frames)


def test_the_side_panel_lists_the_notebooks_compilations(page, lab):
    run(page, lab, "history.ipynb", QUICK, QUICK.replace("quick", "second"))
    View(page, "second(x)").wait()
    page.get_by_role("tab", name="Compilations of this notebook (jaxnb)").click()
    panel = page.locator("#jaxnb-panel")
    panel.get_by_text("second(x)").wait_for()
    assert panel.locator(".jaxnb-panel-entry").count() == 2
    page.screenshot(path=View(page, "second(x)").picture("side_panel").with_name("side_panel_page.png"))
