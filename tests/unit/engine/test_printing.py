"""What of a jaxpr is printed, beyond JAX's own options."""

from __future__ import annotations

import numpy as np
import pytest

import jaxnb
from jaxnb import lax


def nested(x):
    def body(c, a):
        return c + a, c * a

    total, _ = lax.scan(body, 0.0, x)
    return lax.cond(total > 0, lambda v: v * 2, lambda v: lax.sin(v) + 1, total)


@pytest.mark.parametrize("custom_rules", [True, False])
def test_programs_inside_can_be_left_out(custom_rules):
    closed = jaxnb.make_jaxpr(nested)(np.ones(3, np.float32))
    text = closed.pretty_print(sub_jaxprs=False, custom_pp_eqn_rules=custom_rules)
    assert text.count("lambda") == 1
    assert "branches=({ 2 equations } { 1 equation })" in text
    assert "jaxpr={ 4 equations }" in text
    assert closed.pretty_print(custom_pp_eqn_rules=custom_rules).count("lambda") > 1
