"""Samples of the running sums, products, extrema and log-sum-exps."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from jaxnb.engine.linalg.log_sum_exp import cumlogsumexp_p
from jaxnb.engine.ops.cumulative import cummax_p, cummin_p, cumprod_p, cumsum_p
from jaxnb.xla.version import JAXLIB_VERSION
from tests.ops.sample import Sample

# no two elements are equal, and extrema stand neither first nor last
X = np.array(
    [[0.5, -1.25, 2.0, 1.75, -0.75], [-0.25, 1.5, -2.5, 3.0, 0.9], [1.1, -0.6, 0.4, -1.9, 2.2]], np.float32
)
Z = (X + 1j * X[::-1, ::-1]).astype(np.complex64)
CUBE = np.stack([X, 0.8 * X[::-1, ::-1] + np.float32(0.03)]).astype(np.float32)
I = np.array([[3, -2, 7, 5], [-4, 1, 6, -7]], np.int8)
N = np.array([200, 3, 100, 250], np.uint8)
HALF = np.array([1.5, 0.25, 2.0], ml_dtypes.bfloat16)

SAMPLES: list[Sample] = []


def _reference(running, axis, reverse):
    def reference(x):
        back = np.flip(x, axis) if reverse else x
        out = running(back, axis)
        return np.flip(out, axis) if reverse else out

    return reference


def _in_own_type(accumulate):
    """Sums and products of small integers wrap, where NumPy would widen."""
    return lambda x, axis: accumulate(x, axis, dtype=x.dtype)


def _lexicographic(wins):
    """The running extremum of complex numbers, by real part and then by imaginary part."""

    def running(x, axis):
        moved = np.moveaxis(np.array(x), axis, 0)
        for k in range(1, len(moved)):
            a, b = moved[k - 1], moved[k]
            first = np.where(a.real == b.real, wins(a.imag, b.imag), wins(a.real, b.real))
            moved[k] = np.where(first, a, b)
        return np.moveaxis(moved, 0, axis)

    return running


def _log_sum_exp(x, axis):
    wide = x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)
    return np.log(np.cumsum(np.exp(wide), axis))


def _add(primitive, x, axis, reverse, running, **fields):
    name = f"{x.dtype.name}{list(x.shape)}-{axis}{'-reverse' if reverse else ''}".replace(" ", "")
    params = {"axis": axis, "reverse": reverse}
    SAMPLES.append(Sample(primitive, (x,), params, _reference(running, axis, reverse), name=name, **fields))


def _running():
    kinds = [
        (cumsum_p, _in_own_type(np.add.accumulate), _in_own_type(np.add.accumulate)),
        (cumprod_p, _in_own_type(np.multiply.accumulate), _in_own_type(np.multiply.accumulate)),
        (cummax_p, np.maximum.accumulate, _lexicographic(np.greater)),
        (cummin_p, np.minimum.accumulate, _lexicographic(np.less)),
    ]
    for primitive, running, complex_running in kinds:
        for reverse in (False, True):
            for x, axes in [
                (X, (0, 1)),
                (CUBE, (1,)),
                (X[0, :4], (0,)),
                (X[:, :1], (1,)),
                (I, (0, 1)),
                (N, (0,)),
            ]:
                for axis in axes:
                    _add(primitive, x, axis, reverse, running)
            # from jaxlib 0.12, as in JAX, the derivative of an extremum has no order of complex numbers
            ordered = JAXLIB_VERSION < (0, 12) or primitive in (cumsum_p, cumprod_p)
            _add(primitive, Z, 1, reverse, complex_running, grad_tol=None if ordered else 0)
        _add(primitive, X[:, :0], 1, False, running)
        _add(primitive, HALF, 0, False, running, tol=2e-2)


def _log_sums():
    large = np.array([-200.0, 90.0, 88.5, -1000.0, 90.5], np.float32)
    for reverse in (False, True):
        for x, axis in [(X, 0), (X, 1), (CUBE, 1), (X[0, :4], 0), (X[:, :1], 1)]:
            _add(cumlogsumexp_p, x, axis, reverse, _log_sum_exp)
        _add(cumlogsumexp_p, large, 0, reverse, _log_sum_exp)
        # imaginary parts that stay in one turn
        _add(
            cumlogsumexp_p, (Z.real + 0.3j * Z.imag).astype(np.complex64), 1, reverse, _log_sum_exp, tol=1e-4
        )
    _add(cumlogsumexp_p, HALF, 0, False, _log_sum_exp, tol=2e-2)


def _refused():
    def refuse(primitive, x, axis, kind, text):
        fields = {"static_error": (kind, text), "name": f"{x.dtype.name}-{axis}-error"}
        SAMPLES.append(Sample(primitive, (x,), {"axis": axis, "reverse": False}, **fields))

    for primitive in (cumsum_p, cumprod_p, cummax_p, cummin_p, cumlogsumexp_p):
        refuse(primitive, X, -1, ValueError, "XLA operations do not allow negative axes")
        refuse(primitive, X, 2, ValueError, "axis 2 is out of bounds for array of shape (3, 5)")
        refuse(
            primitive, X > 0, 0, TypeError,
            f"{primitive.name} does not accept dtype bool. Accepted dtypes are subtypes of number.",
        )  # fmt: skip
    for x in (I, N):
        refuse(cumlogsumexp_p, x, 0, OverflowError, "cannot convert float infinity to integer")


_running()
_log_sums()
_refused()
