"""Samples of ``dot_general``."""

from __future__ import annotations

import string

import ml_dtypes
import numpy as np

from jaxnb.engine.ops.contraction import dot_general_p
from jaxnb.engine.ops.precision import DotAlgorithmPreset, Precision
from tests.ops.sample import Sample

SAMPLES: list[Sample] = []

NONE = ((), ())
MATRICES = (((1,), (0,)), NONE)


def _values(shape, dtype, seed):
    rng = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return rng.random(shape) < 0.5
    if dtype.kind in "iu":
        return rng.integers(-9 * (dtype.kind == "i"), 10, shape).astype(dtype)
    x = rng.normal(size=shape)
    return (x + 1j * rng.normal(size=shape) if dtype.kind == "c" else x).astype(dtype)


def _product(dimension_numbers, dtype):
    """The reference: every axis gets a letter, paired axes the same one."""
    (lhs_contracting, rhs_contracting), (lhs_batch, rhs_batch) = dimension_numbers

    def reference(x, y):
        letters = iter(string.ascii_lowercase)
        a, b = [next(letters) for _ in x.shape], [next(letters) for _ in y.shape]
        for i, j in zip((*lhs_contracting, *lhs_batch), (*rhs_contracting, *rhs_batch), strict=True):
            b[j] = a[i]
        batch = [a[i] for i in lhs_batch]
        free = [a[i] for i in range(x.ndim) if i not in (*lhs_contracting, *lhs_batch)]
        free += [b[j] for j in range(y.ndim) if j not in (*rhs_contracting, *rhs_batch)]
        equation = f"{''.join(a)},{''.join(b)}->{''.join(batch + free)}"
        if x.dtype == y.dtype == dtype and dtype.kind in "biu":
            return np.einsum(equation, x, y)  # integers wrap, and a sum of booleans is an "or"
        wide = np.complex128 if "c" in x.dtype.kind + y.dtype.kind else np.float64
        return np.einsum(equation, x.astype(wide), y.astype(wide))

    return reference


def _add(
    lhs,
    rhs,
    dimension_numbers,
    *,
    lhs_dtype=np.float32,
    rhs_dtype=None,
    preferred=None,
    precision=None,
    **fields,
):
    x = _values(lhs, lhs_dtype, 0)
    y = _values(rhs, lhs_dtype if rhs_dtype is None else rhs_dtype, 1)
    params = {
        "dimension_numbers": dimension_numbers,
        "precision": precision,
        "preferred_element_type": None if preferred is None else np.dtype(preferred),
        "out_sharding": None,
    }
    if "static_error" not in fields:
        result = np.dtype(preferred) if preferred is not None else np.result_type(x, y)
        fields["reference"] = _product(dimension_numbers, result)
    SAMPLES.append(Sample(dot_general_p, (x, y), params, **fields))


LAYOUTS = {
    "vectors": ((4,), (4,), (((0,), (0,)), NONE)),
    "matrices": ((2, 3), (3, 4), MATRICES),
    "matrix-vector": ((2, 3), (3,), MATRICES),
    "outer": ((2,), (3,), (NONE, NONE)),
    "batch": ((2, 3, 4), (2, 4, 5), (((2,), (1,)), ((0,), (0,)))),
    # free, contracting and batch axes in every place, and pairs in no order
    "two-contracting": ((2, 3, 4), (4, 5, 2), (((2, 0), (0, 2)), NONE)),
    "two-contracting-crossed": ((3, 2, 4), (2, 4, 3), (((0, 2), (2, 1)), NONE)),
    "two-batch": ((3, 2, 4, 5), (5, 4, 3, 2), (((3,), (0,)), ((2, 0), (1, 2)))),
    "all": ((2, 3, 4, 5, 2), (3, 5, 2, 3, 4), (((4, 1), (2, 3)), ((2, 3), (4, 1)))),
    "only-batch": ((2, 3), (3, 2), (NONE, ((0, 1), (1, 0)))),
    "nothing-to-sum": ((2, 0), (0, 3), MATRICES),
}


def _layouts():
    for name, (lhs, rhs, numbers) in LAYOUTS.items():
        _add(lhs, rhs, numbers, name=name)
        if name in ("matrices", "two-contracting", "all"):
            _add(lhs, rhs, numbers, lhs_dtype=np.complex64, name=f"{name}-complex64", tol=1e-5)
            _add(lhs, rhs, numbers, lhs_dtype=np.int32, name=f"{name}-int32")


def _types():
    for dtype in (np.int8, np.uint8, np.bool_, np.float16, ml_dtypes.bfloat16):
        tol = {"float16": 5e-3, "bfloat16": 3e-2}.get(np.dtype(dtype).name)
        _add((2, 3), (3, 4), MATRICES, lhs_dtype=dtype, name=np.dtype(dtype).name, tol=tol)
    for lhs, rhs in [
        (np.int8, np.float32), (np.float32, np.int32), (np.float32, np.complex64), (np.complex64, np.float32),
        (np.bool_, np.float32),
    ]:  # fmt: skip
        name = f"{np.dtype(lhs).name}-{np.dtype(rhs).name}"
        _add((2, 3), (3, 4), MATRICES, lhs_dtype=lhs, rhs_dtype=rhs, name=name, tol=1e-5)
    f8, f8_wide = ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2
    # the quotient of differences would be taken in the preferred type, too coarse for it
    for lhs, rhs, preferred, tol in [
        (np.int8, np.int8, np.int32, None), (np.uint8, np.uint8, np.uint32, None), (np.int8, np.int8, np.float32, None),
        (np.float16, np.float16, np.float32, 1e-5), (ml_dtypes.bfloat16, ml_dtypes.bfloat16, np.float32, 1e-5),
        (np.float32, np.float32, ml_dtypes.bfloat16, 3e-2), (np.float32, np.float32, np.complex64, 1e-5),
        (f8, f8, np.float32, 1e-5), (f8, f8_wide, np.float32, 1e-5),
    ]:  # fmt: skip
        name = f"{np.dtype(lhs).name}-{np.dtype(rhs).name}-to-{np.dtype(preferred).name}"
        _add(
            (2, 3), (3, 4), MATRICES, lhs_dtype=lhs, rhs_dtype=rhs, preferred=preferred, name=name, tol=tol, grad_tol=0,
        )  # fmt: skip


def _precisions():
    _add((2, 3), (3, 4), MATRICES, precision=(Precision.HIGHEST, Precision.DEFAULT), name="precision")
    algorithm = DotAlgorithmPreset.BF16_BF16_F32
    _add((2, 3), (3, 4), MATRICES, precision=algorithm, name="algorithm", tol=3e-2, grad_tol=0)


def _refused():
    def refuse(name, lhs, rhs, dimension_numbers, text, **fields):
        _add(lhs, rhs, dimension_numbers, name=f"{name}-error", static_error=(TypeError, text), **fields)

    refuse(
        "contracted-sizes", (2, 3), (2, 3), MATRICES,
        "dot_general requires contracting dimensions to have the same shape, got (3,) and (2,).",
    )  # fmt: skip
    refuse(
        "axis", (2, 3), (2, 3), (((2,), (0,)), NONE),
        "dot_general requires lhs dimension numbers to be nonnegative and less than the number of axes of the lhs "
        "value, got lhs_batch of () and lhs_contracting of (2,) for lhs of rank 2",
    )  # fmt: skip
    refuse(
        "batch-count", (2, 3), (2, 3), (((1,), (1,)), ((0,), ())),
        "dot_general requires equal numbers of lhs_batch and rhs_batch dimensions, got lhs_batch (0,) and rhs_batch ().",
    )  # fmt: skip
    refuse(
        "repeated", (2, 3), (2, 3), (((1, 1), (1, 1)), NONE),
        "dot_general requires lhs contracting dimensions to be distinct, got lhs_contracting (1, 1).",
    )  # fmt: skip
    refuse(
        "both", (2, 3), (2, 3), (((1,), (1,)), ((1,), (0,))),
        "dot_general requires lhs batch dimensions to be disjoint from contracting dimensions, got lhs_batch (1,) and "
        "lhs_contracting (1,).",
    )  # fmt: skip
    refuse(
        "batch-sizes", (2, 3), (3, 2), (NONE, ((0,), (0,))),
        "dot_general requires lhs batch dimensions and rhs batch dimensions to have the same shape, "
        "got (2,) and (3,).",
    )  # fmt: skip
    refuse(
        "narrower", (2, 3), (3, 2), MATRICES,
        "`preferred_element_type` must not be narrower than the original type, got preferred_element_type of int8 for "
        "result type of int32.", lhs_dtype=np.int32, preferred=np.int8,
    )  # fmt: skip


_layouts()
_types()
_precisions()
_refused()
