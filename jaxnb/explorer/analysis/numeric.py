"""How far the results of two programs lie apart.

What lives here: numbers about numbers. What must not: what they mean for a user.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

__all__ = ["NumericDifference", "compare_results"]


class NumericDifference(NamedTuple):
    """What differs between two lists of arrays.

    Attributes:
        elements: How many elements there are.
        differing: How many of them differ.
        largest: The largest absolute difference.
        relative: The largest difference relative to the larger of the two values.
        ulps: The largest difference in units of the last place of the larger value; None where none is a float.
        problem: Why they cannot be compared, if they cannot.
    """

    elements: int
    differing: int
    largest: float
    relative: float
    ulps: float | None
    problem: str = ""

    def __str__(self) -> str:
        if self.problem:
            return self.problem
        if not self.differing:
            return "equal, bit for bit"
        ulps = "" if self.ulps is None else f" ({self.ulps:.3g} ulp)"
        return f"{self.differing} of {self.elements} differ by at most {self.largest:.2g}{ulps}"


def compare_results(left: Sequence[Any], right: Sequence[Any]) -> NumericDifference:
    """The difference of two results, flattened."""
    if len(left) != len(right):
        return NumericDifference(0, 0, 0.0, 0.0, None, f"{len(left)} results against {len(right)}")
    total = differing = 0
    largest = relative = 0.0
    ulps: float | None = None
    for a, b in zip(map(np.asarray, left), map(np.asarray, right), strict=True):
        if a.shape != b.shape or a.dtype != b.dtype:
            problem = f"{a.dtype}{list(a.shape)} against {b.dtype}{list(b.shape)}"
            return NumericDifference(total, differing, largest, relative, ulps, problem)
        total += a.size
        if a.dtype.kind not in "biufc":
            a, b = a.astype(np.float32), b.astype(np.float32)  # narrow floats, which NumPy cannot subtract
        unequal = (a != b) & ~((a != a) & (b != b))
        if not unequal.any():
            continue
        differing += int(unequal.sum())
        wide = np.complex128 if a.dtype.kind == "c" else np.float64
        x, y = a[unequal].astype(wide), b[unequal].astype(wide)
        gap, size = np.abs(x - y), np.maximum(np.abs(x), np.abs(y))
        largest = max(largest, float(gap.max()))
        with np.errstate(divide="ignore", invalid="ignore"):
            relative = max(relative, float(np.nan_to_num(gap / size, nan=0.0).max()))
            if a.dtype.kind == "f":
                unit = np.spacing(np.maximum(np.abs(a[unequal]), np.abs(b[unequal]))).astype(np.float64)
                ulps = max(ulps or 0.0, float(np.nan_to_num(gap / unit, nan=0.0).max()))
    return NumericDifference(total, differing, largest, relative, ulps)
