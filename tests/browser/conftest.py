"""One JupyterLab and one Chromium for all browser tests, a new page for each; a screenshot of each is kept."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import sync_playwright

from tests.browser.lab import CHROMIUM_FLAGS, OUT, running_lab
from tests.requirements import find_chromium


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    with running_lab(tmp_path_factory.mktemp("lab")) as running:
        yield running


@pytest.fixture(scope="session")
def chromium():
    path = find_chromium()
    assert path, "no Chromium: install chromium, or name one in JAXNB_CHROMIUM"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, headless=True, args=CHROMIUM_FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def page(chromium, request):
    """A page in light or, with `@pytest.mark.parametrize("page", ["dark"], indirect=True)`, dark colours.

    `page.errors` collects what the page reports; `page.requests` every address it asks for.
    """
    context = chromium.new_context(
        viewport={"width": 1400, "height": 1200},
        reduced_motion="reduce",
        color_scheme=getattr(request, "param", "light"),
    )
    opened = context.new_page()
    opened.set_default_timeout(30_000)
    opened.errors, opened.requests = [], []
    opened.on("pageerror", lambda error: opened.errors.append(str(error)))
    opened.on("console", lambda m: opened.errors.append(m.text) if m.type == "error" else None)
    opened.on("request", lambda r: opened.requests.append(r.url))
    yield opened
    OUT.mkdir(exist_ok=True)
    opened.screenshot(path=OUT / (re.sub(r"[^\w.-]+", "_", request.node.name) + ".png"))
    context.close()
