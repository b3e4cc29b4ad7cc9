"""Questions about where arrays lie, as far as one device raises them."""

from __future__ import annotations

import sys

import pytest

import jaxnb
import jaxnb.numpy as jnp


def test_c39_a_picture_has_one_or_two_dimensions(capsys):
    jaxnb.debug.visualize_array_sharding(jnp.ones((4, 4)))
    assert "CPU 0" in capsys.readouterr().out
    for shape in ((4, 4, 4), ()):
        with pytest.raises(ValueError, match="only works for shapes with 1 and 2 dimensions"):
            jaxnb.debug.visualize_array_sharding(jnp.ones(shape))


def test_c39_without_rich_the_error_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "rich.console", None)
    with pytest.raises(ValueError, match="`visualize_sharding` requires `rich` to be installed"):
        jaxnb.debug.visualize_array_sharding(jnp.ones((4, 4)))
