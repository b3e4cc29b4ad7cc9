"""The first notebook of the course in JupyterLab: run all, point, click, save, reopen, export."""

from __future__ import annotations

import shutil
import subprocess
import sys

import nbformat
import pytest

from tests.browser.lab import ROOT
from tests.browser.view import View

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]

NOTEBOOK = ROOT / "notebooks" / "00_first_cell.ipynb"
MIME = "application/vnd.jaxnb.exploration+json"


@pytest.fixture(scope="module")
def course(lab, chromium):
    """The notebook, run once from top to bottom and saved; what is opened afterwards has no kernel."""
    shutil.copy(NOTEBOOK, lab.root / "running.ipynb")
    context = chromium.new_context(viewport={"width": 1400, "height": 1000}, reduced_motion="reduce")
    page = context.new_page()
    lab.open_notebook(page, "running.ipynb")
    lab.run_all(page)
    for title in ("selu(x)", "step(params, batch)", "gelu(x)"):
        view(page, title)
    lab.save(page, "running.ipynb")
    context.close()
    shutil.copy(lab.root / "running.ipynb", lab.root / "course.ipynb")
    return "course.ipynb"


def view(page, title):
    """A view that is complete, brought on screen: JupyterLab draws what is near."""
    found = View(page, title)
    for _ in range(60):
        if found.root.count():
            break
        page.locator(".jp-WindowedPanel-outer").last.hover()
        page.mouse.wheel(0, 500)
        page.wait_for_timeout(100)
    return found.wait()


def own_errors(page):
    return [error for error in page.errors if "jaxnb" in error.lower()]


@pytest.fixture
def selu(page, lab, course):
    lab.open_notebook(page, course, kernel=False)
    return view(page, "selu(x)")


@pytest.fixture
def step(page, lab, course):
    lab.open_notebook(page, course, kernel=False)
    return view(page, "step(params, batch)")


def test_everything_is_there_after_run_all(selu, page):
    assert all(selu.is_open(name) for name in ("source", "jaxpr", "stablehlo", "hlo", "graph"))
    assert selu.text("source").startswith("%%jit selu(x)\ndef selu(x, alpha=1.67, lambda_=1.05):")
    assert "f32[1000000] = exp a" in selu.text("jaxpr")
    head = selu.root.locator("header.jx-head").inner_text()
    for figure in (
        "cpu:0",
        "x: f32[1000000]",
        "trace",
        "lower",
        "compile",
        "run",
        "instructions",
        "fusions",
        "4 MB",
    ):
        assert figure in head
    assert own_errors(page) == []
    selu.picture("selu_light_1400")


def test_a_piece_of_source_lights_its_counterparts_everywhere(selu):
    selu.hover("source", "return lambda_", "jnp.exp(x)")
    lit = selu.all_lit()
    assert lit["source"] == []
    assert (
        lit["jaxpr"] == ["d:f32[1000000] = exp a"]
        or [line for line in lit["jaxpr"] if "= exp a" in line] == lit["jaxpr"]
    )
    assert all("stablehlo.exponential" in line for line in lit["stablehlo"])
    assert len(lit["stablehlo"]) == 1
    assert any("exponential(" in line for line in lit["hlo"])
    assert len(lit["graph"]) >= 1
    selu.picture("selu_hover_exp")


@pytest.mark.parametrize(
    ("pane", "line", "wanted"),
    [("jaxpr", "= exp a", None), ("stablehlo", "stablehlo.exponential", None), ("hlo", "exponential(", None)],
)
def test_it_works_both_ways(selu, pane, line, wanted):
    selu.hover(pane, line, wanted)
    lit = selu.all_lit()
    assert lit[pane] == []
    assert [line for line in lit["source"] if "jnp.exp(x)" in line]
    for other, text in {
        "jaxpr": "exp a",
        "stablehlo": "stablehlo.exponential",
        "hlo": "exponential(",
    }.items():
        assert other == pane or any(text in line for line in lit[other]), (other, lit)


def test_a_node_lights_the_lines_it_stands_for(selu):
    selu.pane("graph").locator(".jx-node", has_text="exponential").first.hover()
    lit = selu.all_lit()
    assert lit["graph"] == []
    assert any("exp a" in line for line in lit["jaxpr"])
    assert any("return lambda_" in line for line in lit["source"])
    assert any("stablehlo.exponential" in line for line in lit["stablehlo"])


def test_a_click_pins_and_escape_lets_go(selu, page):
    selu.click("source", "return lambda_", "jnp.exp(x)")
    selu.leave()
    assert any("exp a" in line for line in selu.lit("jaxpr"))
    page.keyboard.press("Escape")
    selu.leave()
    assert selu.lit("jaxpr") == []


def test_what_is_lit_out_of_view_is_marked_beside_the_pane(step):
    step.click("source", "x = nn.relu(x @ w + b)", "x @ w")
    ruler = step.pane("jaxpr").locator(".jx-ruler")
    assert ruler.locator(":scope > *").count() >= 2
    assert any("dot_general" in line for line in step.lit("jaxpr"))
    step.picture("step_pinned_product")


def test_the_gradient_belongs_to_the_line_whose_derivative_it_is(step):
    step.click("source", "return nn.log_softmax", "x @ w")
    step.leave()
    marks = step.pane("jaxpr").locator(".jx-ruler > *").count()
    assert marks >= 2  # once forwards, and the two products backwards side by side
    assert any("dot_general" in line for line in step.lit("jaxpr"))
    assert any("stablehlo.dot_general" in line for line in step.lit("stablehlo"))


def test_all_equations_of_the_first_cell_are_linked(selu):
    head = selu.root.locator("header.jx-head").inner_text().replace("\n", " ")
    words = head.split("linked ")[1].split()
    assert words[0] == words[2]


@pytest.mark.parametrize("page", ["dark"], indirect=True)
def test_in_dark_colours(selu, page):
    page.wait_for_selector("body[data-jp-theme-light=false]", state="attached")
    colours = selu.root.evaluate("e => [getComputedStyle(e).backgroundColor, getComputedStyle(e).color]")
    background, foreground = (sum(map(float, c[c.index("(") + 1 : -1].split(",")[:3])) for c in colours)
    assert background < foreground
    selu.hover("source", "return lambda_", "jnp.exp(x)")
    selu.picture("selu_dark")


@pytest.mark.parametrize("width", [1400, 700])
def test_in_a_wide_and_a_narrow_window(page, lab, course, width):
    page.set_viewport_size({"width": width, "height": 1300})
    lab.open_notebook(page, course, kernel=False)
    for title in ("selu(x)", "step(params, batch)"):
        shown = view(page, title)
        box = shown.root.bounding_box()
        assert box["width"] <= width
        assert shown.root.evaluate("e => e.scrollWidth <= e.clientWidth + 1")
        shown.picture(f"{title.split('(')[0]}_{width}")


def test_a_saved_notebook_needs_no_kernel(selu, page, lab, course):
    assert not lab.has_kernel(page, course)
    selu.hover("jaxpr", "= exp a")
    assert [line for line in selu.lit("source") if "jnp.exp(x)" in line]


def test_what_the_first_cell_saves_is_small(lab, course):
    notebook = nbformat.read(lab.root / course, as_version=4)
    cell = next(c for c in notebook.cells if c.source.startswith("%%jit selu(x)"))
    [output] = cell.outputs
    assert set(output.data) == {"text/plain", "text/html", MIME}
    assert sum(len(str(value)) for value in output.data.values()) <= 100_000


def test_exported_html_works_without_a_network(chromium, lab, course, tmp_path):
    command = [
        sys.executable,
        "-m",
        "nbconvert",
        "--to",
        "html",
        "--output-dir",
        str(tmp_path),
        str(lab.root / course),
    ]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    context = chromium.new_context(viewport={"width": 1400, "height": 1000}, reduced_motion="reduce")
    asked = []
    context.route(
        lambda url: not url.startswith("file:"),
        lambda route: (asked.append(route.request.url), route.abort()),
    )
    page = context.new_page()
    page.goto((tmp_path / course).with_suffix(".html").as_uri(), wait_until="domcontentloaded")
    frame = page.frame_locator("iframe[title='selu(x)']").first
    shown = View(frame, "selu(x)").wait()
    shown.hover("jaxpr", "= exp a")
    assert [line for line in shown.lit("source") if "jnp.exp(x)" in line]
    assert any("stablehlo.exponential" in line for line in shown.lit("stablehlo"))
    assert not [url for url in asked if "jaxnb" in url]
    shown.picture("selu_exported")
    context.close()
