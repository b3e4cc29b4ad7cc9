"""How far the results of two programs lie apart.

What lives here: numbers about numbers. What must not: what they mean for a user.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

__all__ = ["LARGEST_RELATIVE", "NumericDifference", "compare_results"]

LARGEST_RELATIVE = 1e-2
"""No tolerance above this is ever proposed: what differs by more was not rounded."""

_LARGEST_CANCELLED = 1e-4
"""Of the largest value: what results near zero may differ by."""


class NumericDifference(NamedTuple):
    """What differs between two lists of arrays.

    Attributes:
        elements: How many elements there are.
        differing: How many of them differ.
        largest: The largest absolute difference.
        relative: The largest difference relative to the larger of the two values.
        ulps: The largest difference in units of the last place of the larger value; None where none is a float.
        problem: Why they cannot be compared, if they cannot.
        scale: The largest absolute value of the arrays that differ.
        is_inexact: Whether all that differ are floats: whole numbers and truth values are never rounded.
    """

    elements: int
    differing: int
    largest: float
    relative: float
    ulps: float | None
    problem: str = ""
    scale: float = 0.0
    is_inexact: bool = True

    @property
    def tolerance(self) -> tuple[float, float] | None:
        """A relative and an absolute tolerance that take the difference in; None where it is too large for rounding."""
        if self.problem or not self.is_inexact:
            return None
        relative = max(self.relative * 10, 1e-6)
        if relative <= LARGEST_RELATIVE:
            return relative, 0.0
        if self.scale > 0 and self.largest <= _LARGEST_CANCELLED * self.scale:
            return 1e-6, self.largest * 10  # large numbers that cancel leave their rounding behind
        return None

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
    largest = relative = scale = 0.0
    is_inexact = True
    ulps: float | None = None
    for a, b in zip(map(np.asarray, left), map(np.asarray, right), strict=True):
        if a.shape != b.shape or a.dtype != b.dtype:
            problem = f"{a.dtype}{list(a.shape)} against {b.dtype}{list(b.shape)}"
            return NumericDifference(total, differing, largest, relative, ulps, problem)
        total += a.size
        is_float = a.dtype.kind not in "biu" and not a.dtype.name.startswith(("int", "uint"))
        if a.dtype.kind not in "biufc":
            a, b = a.astype(np.float32), b.astype(np.float32)  # narrow floats, which NumPy cannot subtract
        unequal = (a != b) & ~((a != a) & (b != b))
        if not unequal.any():
            continue
        differing += int(unequal.sum())
        is_inexact = is_inexact and is_float
        wide = np.complex128 if a.dtype.kind == "c" else np.float64
        x, y = a[unequal].astype(wide), b[unequal].astype(wide)
        gap, size = np.abs(x - y), np.maximum(np.abs(x), np.abs(y))
        largest = max(largest, float(gap.max()))
        sizes = np.abs(a).astype(np.float64)
        scale = max(scale, float(sizes[np.isfinite(sizes)].max(initial=0.0)))
        with np.errstate(divide="ignore", invalid="ignore"):
            relative = max(relative, float(np.nan_to_num(gap / size, nan=0.0).max()))
            if a.dtype.kind == "f":
                unit = np.spacing(np.maximum(np.abs(a[unequal]), np.abs(b[unequal]))).astype(np.float64)
                ulps = max(ulps or 0.0, float(np.nan_to_num(gap / unit, nan=0.0).max()))
    return NumericDifference(total, differing, largest, relative, ulps, "", scale, is_inexact)
