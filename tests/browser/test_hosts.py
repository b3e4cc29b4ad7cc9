"""Hosts without the extension: the view in a frame of its own; in an untrusted notebook text, and why."""

from __future__ import annotations

import nbformat
import pytest

from tests.browser.lab import OUT, running_lab
from tests.browser.view import View

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]

CELLS = (
    "%load_ext jaxnb\nimport numpy as np, jaxnb.lax as lax\nx = np.ones(8, np.float32)",
    "%%jit --wait quick(x)\ndef quick(x):\n    return lax.sin(lax.mul(x, x))",
)


@pytest.fixture(scope="module")
def plain_lab(tmp_path_factory):
    with running_lab(tmp_path_factory.mktemp("plain"), extension=False) as running:
        yield running


def test_the_frame_is_linked_and_asks_for_nothing(page, plain_lab):
    plain_lab.write_notebook("framed.ipynb", *CELLS)
    plain_lab.open_notebook(page, "framed.ipynb")
    plain_lab.run_all(page)
    frame = page.frame_locator("iframe[title='quick(x)']")
    shown = View(frame, "quick(x)").wait()
    shown.hover("jaxpr", "= sin", "c")
    assert any("lax.sin" in line for line in shown.lit("source"))
    assert page.locator(".jaxnb-output [data-jaxnb-static]").first.is_hidden()
    assert not [
        url for url in page.requests if not url.startswith((plain_lab.url, "data:", "blob:", "about:"))
    ]
    shown.picture("framed")


def test_an_untrusted_notebook_shows_the_text_and_why(page, plain_lab):
    plain_lab.write_notebook("mine.ipynb", *CELLS)
    plain_lab.open_notebook(page, "mine.ipynb")
    plain_lab.run_all(page)
    View(page.frame_locator("iframe[title='quick(x)']"), "quick(x)").wait()
    plain_lab.save(page, "mine.ipynb")
    # what somebody else sent: the same with another output, so that no signature fits
    notebook = nbformat.read(plain_lab.root / "mine.ipynb", as_version=4)
    notebook.cells[1].outputs[0].data["text/plain"] += " "
    nbformat.write(notebook, plain_lab.root / "theirs.ipynb")
    plain_lab.open_notebook(page, "theirs.ipynb", kernel=False)
    output = page.locator(".jp-NotebookPanel:visible .jaxnb-output")
    output.get_by_text("scripts did not run here: in an untrusted notebook they are removed").wait_for()
    assert "quick(x) · cpu:0" in output.inner_text()
    assert page.locator(".jp-NotebookPanel:visible iframe").count() == 0
    OUT.mkdir(exist_ok=True)
    output.screenshot(path=OUT / "untrusted.png")
