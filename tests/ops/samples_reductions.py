"""Samples of the primitives that combine the elements along axes to one."""

from __future__ import annotations

import numpy as np

from jaxnb.engine.ops import reductions
from tests.ops.sample import Sample

X = np.array([[1.5, -0.5, 2.25], [0.75, 3.0, -1.25]], np.float32)
Z = (X + 1j * X[::-1]).astype(np.complex64)
I = np.array([[1, -6, 3], [12, 5, -7]], np.int8)
B = I > 0

SAMPLES: list[Sample] = []


def _add(primitive, x, axes, reference, **fields):
    params = {"axes": axes} | ({"out_sharding": None} if primitive is reductions.reduce_sum_p else {})
    SAMPLES.append(Sample(primitive, (x,), params, reference=lambda x: reference(x, axis=axes), **fields))


for _axes in ((0,), (1,), (0, 1), ()):
    for _x in (X, I, Z):
        _add(reductions.reduce_sum_p, _x, _axes, lambda x, axis: np.sum(x, axis, dtype=x.dtype))
        _add(reductions.reduce_prod_p, _x, _axes, lambda x, axis: np.prod(x, axis, dtype=x.dtype), tol=1e-5)
    for _x in (X, I, B):
        _add(reductions.reduce_max_p, _x, _axes, np.max)
        _add(reductions.reduce_min_p, _x, _axes, np.min)
    for _x in (I, B):
        _add(reductions.reduce_and_p, _x, _axes, np.bitwise_and.reduce)
        _add(reductions.reduce_or_p, _x, _axes, np.bitwise_or.reduce)
        _add(reductions.reduce_xor_p, _x, _axes, np.bitwise_xor.reduce)
