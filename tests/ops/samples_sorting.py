"""Samples of the primitives about order: sort, top_k, argmax and argmin."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from jaxnb.engine.ops.arg_extrema import argmax_p, argmin_p
from jaxnb.engine.ops.sorting import sort_p, top_k_p
from jaxnb.xla.version import JAXLIB_VERSION
from tests.ops.sample import Sample

# no two elements are equal
X = np.array([[0.5, -1.25, 2.0, 1.75], [-0.25, 1.5, -2.5, 3.0], [1.1, -0.6, 0.4, -1.9]], np.float32)
Y = np.array([[9.0, 7.5, -3.0, 2.5], [0.1, -0.2, 0.3, -0.4], [5.5, 6.5, -7.5, 8.5]], np.float32)
Z = (X + 1j * Y).astype(np.complex64)
HALF_TIED = (np.trunc(X) + 1j * Y).astype(np.complex64)  # equal real parts, and the imaginary ones decide
CUBE = np.stack([X, 0.8 * X[::-1, ::-1] + np.float32(0.03)]).astype(np.float32)
I = np.array([[3, -2, 7, 5], [-4, 1, 6, -7]], np.int8)
N = np.array([200, 3, 100, 250], np.uint8)
B = np.array([[True, False, True, False], [False, False, True, True]])
GROUPS = np.array([[1, 0, 1, 0], [2, 1, 2, 2], [0, 0, 0, 0]], np.int32)
SPECIAL = np.array([np.nan, 1.0, -np.inf, -0.5, np.inf, -np.nan, 2.0], np.float32)
HALF = np.array([1.5, -0.25, 2.0, 0.5], ml_dtypes.bfloat16)

SAMPLES: list[Sample] = []


def _add(primitive, args, params, reference, name, **fields):
    types = "-".join(f"{x.dtype.name}{list(x.shape)}" for x in args).replace(" ", "")
    SAMPLES.append(Sample(primitive, args, params, reference, name=f"{types}-{name}", **fields))


def _sorted(dimension, num_keys):
    def reference(*xs):
        keys = [k for x in xs[:num_keys] for k in ((x.real, x.imag) if x.dtype.kind == "c" else (x,))]
        order = np.lexsort([np.moveaxis(k, dimension, -1) for k in keys[::-1]], axis=-1)
        order = np.moveaxis(order, -1, dimension)
        return [np.take_along_axis(x, order, dimension) for x in xs]

    return reference


def _sorts():
    def add(*xs, dimension, num_keys=1, is_stable=True, **fields):
        params = {"dimension": dimension, "is_stable": is_stable, "num_keys": num_keys}
        name = f"{dimension}-{num_keys}{'' if is_stable else '-unstable'}"
        _add(sort_p, xs, params, _sorted(dimension, num_keys), name, **fields)

    for stable in (True, False):
        add(X, dimension=1, is_stable=stable)
        add(X, dimension=0, is_stable=stable)
        add(X, Y, dimension=1, is_stable=stable)
    for x in (CUBE, Z, I, B):
        add(x, dimension=1)
    for x in (N, HALF):
        add(x, dimension=0)
    add(SPECIAL, dimension=0, grad_tol=0)
    add(HALF_TIED, dimension=1, grad_tol=0)
    add(HALF_TIED, X, dimension=1, grad_tol=0)
    add(X[:, :0], dimension=1)
    add(X[:, :1], Y[:, :1], dimension=1)
    add(X, GROUPS, Y, dimension=0)
    add(GROUPS, X, dimension=1)  # equal keys: their order stays
    add(GROUPS, X, dimension=1, num_keys=2)
    add(GROUPS, X, Y, dimension=1, num_keys=2)
    add(B, I, dimension=0, num_keys=2)
    add(Z, X, dimension=1)


def _greatest(k, axis):
    def reference(x):
        order = np.argsort(-x.astype(np.float64), axis, kind="stable")
        order = np.take(order, range(k), axis)
        return [np.take_along_axis(x, order, axis), order]

    return reference


STABILITY = [{}] if JAXLIB_VERSION < (0, 12) else [{"is_stable": True}, {"is_stable": False}]


def _top_ks():
    cases = [
        (X, 2, 1), (X, 4, 1), (X, 2, 0), (X, 0, 1), (CUBE, 2, 1), (CUBE, 1, 2), (I, 3, 1), (I, 1, 0), (N, 2, 0),
        (HALF, 3, 0),
    ]  # fmt: skip
    for stability in STABILITY:
        suffix = "" if stability.get("is_stable", True) else "-unstable"
        for x, k, axis in cases:
            _add(top_k_p, (x,), {"k": k, "axis": axis} | stability, _greatest(k, axis), f"{k}-{axis}{suffix}")
    for x, k, axis in [(B, 3, 1), (GROUPS, 3, 1)]:  # of equal elements, the first
        _add(top_k_p, (x,), {"k": k, "axis": axis} | STABILITY[0], _greatest(k, axis), f"{k}-{axis}")


def _positions():
    for primitive, reference in ((argmax_p, np.argmax), (argmin_p, np.argmin)):
        for x, axis, index_dtype in [
            (X, 0, np.int32), (X, 1, np.int32), (X, 1, np.uint8), (CUBE, 1, np.int32), (I, 1, np.int16), (N, 0, np.int32),
            (B, 1, np.int32), (GROUPS, 1, np.int32), (HALF, 0, np.int32), (SPECIAL, 0, np.int32), (SPECIAL[1:5], 0, np.int32),
        ]:  # fmt: skip
            params = {"axes": (axis,), "index_dtype": np.dtype(index_dtype)}
            _add(
                primitive, (x,), params, lambda x, axis=axis, reference=reference: reference(x, axis),
                f"{axis}-{np.dtype(index_dtype).name}",
            )  # fmt: skip


def _refused():
    def refuse(primitive, args, params, kind, text):
        _add(primitive, args, params, None, "error", static_error=(kind, text))

    refuse(
        sort_p, (X, X.T), {"dimension": 1, "is_stable": True, "num_keys": 1}, TypeError,
        "Arguments to sort must have equal shapes, got: (3, 4) (4, 3)",
    )  # fmt: skip
    for x, k, kind, text in [
        (X, -1, ValueError, "k argument to top_k must be nonnegative, got -1"),
        (X, 5, ValueError,
         "k argument to top_k must be no larger than size along axis; got k=5 with shape=[3, 4] and axis=1"),
        (Z, 1, ValueError, "top_k is not compatible with complex inputs."),
        (np.asarray(X[0, 0]), 1, TypeError, "top_k operand must have >= 1 dimension, got ()"),
    ]:  # fmt: skip
        refuse(top_k_p, (x,), {"k": k, "axis": 1} | STABILITY[0], kind, text)
    for primitive in (argmax_p, argmin_p):
        for x, axis, index_dtype, kind, text in [
            (X, 2, np.int32, ValueError, "Invalid axis 2 for operand shape (3, 4)"),
            (X[:0], 0, np.int32, ValueError,
             "argmin and argmax require non-empty reduced dimension. operand.shape=(0, 4) axis=0"),
            (X, 0, np.float32, TypeError, "index_dtype must be an integer type, but got float32"),
        ]:  # fmt: skip
            refuse(primitive, (x,), {"axes": (axis,), "index_dtype": np.dtype(index_dtype)}, kind, text)
        # the comparison that the lowering makes refuses; its words for the accepted types changed order
        accepted = "integer, bool, floating" if JAXLIB_VERSION >= (0, 12) else "integer, floating, bool"
        comparison = "gt" if primitive is argmax_p else "lt"
        refuse(
            primitive, (Z,), {"axes": (0,), "index_dtype": np.dtype(np.int32)}, TypeError,
            f"{comparison} does not accept dtype complex64 at position 0. Accepted dtypes at position 0 are subtypes "
            f"of {accepted}.",
        )  # fmt: skip


_sorts()
_top_ks()
_positions()
_refused()
