"""How long until something is seen, in a real page, and how much of it is saved.

A JupyterLab and a Chromium of their own; the kernel's engine has run one cell before the one that is timed. Times run
from the execute request to the moment the page has painted.
"""

from __future__ import annotations

import json
import pathlib
import tempfile
from typing import Any

from playwright.sync_api import sync_playwright

from bench.measure import ROOT, interpreters, once
from tests.browser.lab import CHROMIUM_FLAGS, Lab, running_lab
from tests.requirements import find_chromium

FIRST = {"source", "jaxpr"}
FULL = {"source", "jaxpr", "stablehlo", "hlo", "graph"}
BOUNDS = {"a": {"first_view_s": 0.5, "saved_bytes": 100_000}, "c": {"first_view_of_jax_trace": 1.5}}
TIMED = 3  # the cell that is timed
SETTLED_MS = 1000  # after the run is shown as done, its last update comes

WARM = "%%jit warm(1.0)\ndef warm(x):\n    return x + 1"
RUN = """async ([cell, first, full]) => {
  const notebook = jupyterapp.shell.currentWidget.content;
  notebook.activeCellIndex = cell;
  performance.clearMarks('jaxnb:painted');
  const begin = performance.now();
  void jupyterapp.commands.execute('notebook:run-cell');
  // the cell before, whose view may be painted again meanwhile, is not meant
  const painted = names => performance.getEntriesByName('jaxnb:painted').find(
    mark => !mark.detail.title.startsWith('warm') && names.every(name => mark.detail.panes.includes(name)));
  const until = async names => {
    while (!painted(names)) await new Promise(next => setTimeout(next, 20));
    return (painted(names).startTime - begin) / 1000;
  };
  return [await until(first), await until(full)];
}"""


def cells(name: str) -> list[str]:
    """The notebook: the extension, one cell for the engine, the program, and the cell that is timed."""
    program = (
        f"import sys\nsys.path.insert(0, {str(ROOT)!r})\nfrom bench import programs\n"
        f"fun, args = programs.load('jaxnb')[{name!r}]()"
    )
    return ["%load_ext jaxnb\nimport jaxnb", WARM, program, "%jit fun(*args)"]


def views(names: tuple[str, ...]) -> dict[str, dict[str, float]]:
    """For each program: seconds to the first and to the full view, and the bytes its cell leaves in the notebook."""
    chromium = find_chromium()
    if chromium is None:
        raise FileNotFoundError("no Chromium: install chromium, or name one in JAXNB_CHROMIUM")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        base = pathlib.Path(folder)
        with running_lab(base, "--LabApp.expose_app_in_browser=True") as lab:
            browser = playwright.chromium.launch(executable_path=chromium, headless=True, args=CHROMIUM_FLAGS)
            try:
                return {name: view(lab, browser, name) for name in names}
            finally:
                browser.close()


def view(lab: Lab, browser: Any, name: str) -> dict[str, float]:
    """One program, in a kernel and a page of its own."""
    lab.write_notebook(f"{name}.ipynb", *cells(name))
    page = browser.new_page(viewport={"width": 1600, "height": 1000})
    page.set_default_timeout(240_000)
    try:
        lab.open_notebook(page, f"{name}.ipynb")
        for cell in range(TIMED):
            page.evaluate(
                "async cell => { jupyterapp.shell.currentWidget.content.activeCellIndex = cell;"
                " await jupyterapp.commands.execute('notebook:run-cell'); }",
                cell,
            )
        first, full = page.evaluate(RUN, [TIMED, sorted(FIRST), sorted(FULL)])
        page.locator(".jx-chip[data-stage=run].jx-done").nth(1).wait_for(
            state="attached"
        )  # the first is the warm cell's
        page.wait_for_timeout(SETTLED_MS)
        page.evaluate("async () => { await jupyterapp.commands.execute('docmanager:save'); }")
    finally:
        page.close()
    saved = json.loads((lab.root / f"{name}.ipynb").read_text())["cells"][TIMED]["outputs"]
    found = {"first_view_s": first, "full_view_s": full, "saved_bytes": len(json.dumps(saved).encode())}
    trace = once("jax", interpreters()["jax"], "cold", name)["make_jaxpr_wall"]
    return found | {"jax_trace_s": trace, "first_view_of_jax_trace": first / trace}


def broken(found: dict[str, dict[str, float]]) -> list[str]:
    """The bounds that are not kept."""
    return [
        f"({name}) {measure} is {found[name][measure]:.3g}, more than {bound:g}"
        for name, bounds in BOUNDS.items()
        for measure, bound in bounds.items()
        if name in found and found[name][measure] > bound
    ]


def table(found: dict[str, dict[str, float]]) -> str:
    """The figures as text."""
    rows = [f"{'program':<10}{'first view':>12}{'full view':>12}{'saved':>12}{'of jax trace':>14}"]
    for name, f in found.items():
        rows.append(
            f"{name:<10}{f['first_view_s']:>10.2f} s{f['full_view_s']:>10.2f} s{f['saved_bytes'] / 1000:>9.1f} KB"
            f"{f['first_view_of_jax_trace']:>14.2f}"
        )
    return "\n".join(rows)
