"""Two cells with the same text make functions that Python holds for equal; each has its own place."""

from __future__ import annotations

import jaxnb
import jaxnb.numpy as jnp

TEXT = "def same(x):\n    return jnp.sin(x)\n"


def test_a_cell_that_is_run_again_is_named_in_places():
    shown = []
    for file in ("<ipython-input-41-aa>", "<ipython-input-42-aa>"):
        names = {"jnp": jnp}
        exec(compile(TEXT, file, "exec"), names)
        shown.append(jaxnb.make_jaxpr(names["same"])(1.0).pretty_print(source_info=True))
    assert "ipython-input-41" in shown[0]
    assert "ipython-input-42" in shown[1]
