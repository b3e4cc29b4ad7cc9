"""The examples of the documentation run, from the first to the last, as a reader would run them."""

from __future__ import annotations

import pathlib
import re

import pytest

from jaxnb.base.config import config

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize("page", ["engine.md"])
def test_the_examples_of_a_page_run(page):
    text = (DOCS / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert blocks
    namespace = {"__name__": "__main__"}
    for number, block in enumerate(blocks, 1):
        exec(compile(block, f"{page}, example {number}", "exec"), namespace)


def test_the_names_of_settings_in_the_engines_page_exist():
    names = {setting.name for setting in config}
    text = (DOCS / "engine.md").read_text(encoding="utf-8")
    said = set(re.findall(r"`(jax_[a-z_0-9]+)`", text))
    assert said
    assert said <= names
