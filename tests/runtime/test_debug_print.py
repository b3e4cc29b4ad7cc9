"""`debug.print`: what it takes, and when it prints."""

from __future__ import annotations

import pytest

import jaxnb
import jaxnb.numpy as jnp


def test_a_value_may_be_formatted_with_digits(capfd):
    @jaxnb.jit
    def f(x):
        jaxnb.debug.print("sin is {y:.3f}", y=jnp.sin(x))

    f(1.0)
    f(2.0)
    jaxnb.effects_barrier()
    assert capfd.readouterr().out == "sin is 0.841\nsin is 0.909\n"


def test_an_argument_without_a_field_is_an_error_while_tracing():
    with pytest.raises(ValueError, match="Unused positional arguments"):
        jaxnb.make_jaxpr(lambda x: jaxnb.debug.print("x is", x))(1.0)
