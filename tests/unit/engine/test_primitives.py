"""What a primitive remembers of its typing rule."""

from __future__ import annotations

import numpy as np
import pytest

from jaxnb import lax, make_jaxpr
from jaxnb.engine.core.avals import ShapedArray
from jaxnb.engine.core.jaxpr import ClosedJaxpr
from jaxnb.engine.ops.sorting import top_k_p


def test_parameters_given_in_another_order_are_not_taken_for_each_other():
    avals = (ShapedArray((2, 3, 4), np.dtype(np.float32)),)
    one = top_k_p.abstract_eval(avals, {"k": 1, "axis": 2})
    two = top_k_p.abstract_eval(avals, {"axis": 1, "k": 2})
    assert (one[0].shape, two[0].shape) == ((2, 3, 1), (2, 2, 4))


def test_a_number_of_another_type_is_another_parameter():
    x = np.ones(3, np.float32)
    assert make_jaxpr(lambda x: lax.concatenate((x, x), 0))(x).out_avals[0].shape == (6,)
    with pytest.raises(TypeError, match="slice indices must be integers"):
        make_jaxpr(lambda x: lax.concatenate((x, x), 0.0))(x)


def test_a_closed_program_has_a_value_for_each_of_its_constants_variables():
    program = make_jaxpr(lambda x: x)(1.0)
    with pytest.raises(AssertionError):
        ClosedJaxpr(program.jaxpr, [1])
