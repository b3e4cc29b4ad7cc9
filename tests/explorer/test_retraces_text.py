"""The table of traces as plain text: nothing of a reason is cut, however little room there is."""

from __future__ import annotations

import jaxnb
import jaxnb.numpy as jnp
from jaxnb.explorer.render.panel_text import panel_text
from jaxnb.explorer.retraces import explore_retraces

WIDTH = 112
offset = 1.0


def check(function, *said):
    table = explore_retraces(function).panels()[0]
    lines = panel_text(table).splitlines()
    assert max(map(len, lines)) <= WIDTH
    words = " ".join(lines).split()
    for row in table.rows[1:]:
        assert all(word in words for word in f"{row.cells[-1]} {row.detail}".split())
        assert any(row.cells[-1].startswith(one) for one in said)


def test_a_reason_goes_on_in_the_next_line():
    global offset
    f = jaxnb.jit(lambda x, a_long_name, another_long_name: x + offset)
    f(jnp.ones((3, 4)), jnp.ones((3, 4)), jnp.ones((3, 4)))
    offset += 1
    check(f, "first trace, out of date")


def test_what_differs_goes_on_in_the_next_line():
    f = jaxnb.jit(lambda x, y: x)
    f(1.0, {"a_long_key": 1.0})
    f(1.0, {"a_long_key": 1.0, "one_more_of_them": 2.0, "and_yet_another_one": 3.0})
    check(f, "first trace", "another structure")


def test_a_long_signature_goes_on_for_some_lines():
    f = jaxnb.jit(lambda x, first_of_them, second_of_them: x)
    f(jnp.ones((3, 4)), jnp.ones((3, 4)), jnp.ones((3, 4)))
    text = " ".join(explore_retraces(f).text().split())
    assert "first_of_them:" in text
    assert "second_of_them:" in text
