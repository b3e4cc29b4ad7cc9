"""How exact a transcendental function must be: the values of ``accuracy=``.

Must not define primitives.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from jaxnb.xla.mlir import hlo, ir


@dataclass(frozen=True, repr=False)
class Tolerance:
    """Bounds on the error of a result: absolute, relative, in units in the last place."""

    atol: float = 0.0
    rtol: float = 0.0
    ulps: int = 0

    def __post_init__(self) -> None:
        if self.atol < 0 or self.rtol < 0 or self.ulps < 0:
            raise ValueError("Tolerances must be non-negative.")
        if self.atol == 0 and self.rtol == 0 and self.ulps == 0:
            raise ValueError("At least one of atol, rtol, or ulps must be set.")


class AccuracyMode(enum.Enum):
    """A named accuracy: the best there is, or the usual one."""

    HIGHEST = 1
    DEFAULT = 2


Accuracy = Tolerance | AccuracyMode | None


def accuracy_attribute(accuracy: Tolerance | AccuracyMode) -> ir.Attribute:
    """The ``result_accuracy`` attribute.

    Raises:
        NotImplementedError: it is neither a tolerance nor a mode.
    """
    if isinstance(accuracy, AccuracyMode):
        return hlo.ResultAccuracyAttr.get(0.0, 0.0, 0, accuracy.name)
    if isinstance(accuracy, Tolerance):
        return hlo.ResultAccuracyAttr.get(accuracy.atol, accuracy.rtol, int(accuracy.ulps), "TOLERANCE")
    raise NotImplementedError(f"Accuracy {accuracy} not supported")
