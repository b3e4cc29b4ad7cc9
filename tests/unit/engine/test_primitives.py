"""What a primitive remembers of its typing rule."""

from __future__ import annotations

import numpy as np

from jaxnb.engine.core.avals import ShapedArray
from jaxnb.engine.ops.sorting import top_k_p


def test_parameters_given_in_another_order_are_not_taken_for_each_other():
    avals = (ShapedArray((2, 3, 4), np.dtype(np.float32)),)
    one = top_k_p.abstract_eval(avals, {"k": 1, "axis": 2})
    two = top_k_p.abstract_eval(avals, {"axis": 1, "k": 2})
    assert (one[0].shape, two[0].shape) == ((2, 3, 1), (2, 2, 4))
