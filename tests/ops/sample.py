"""A sample: one way to call a primitive, with what is known about the answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Sample:
    """Operands and parameters for one primitive, and what must come out.

    Attributes:
        primitive: the primitive (the object that ``define`` returned).
        args: the operands, as NumPy arrays.
        params: the parameters of ``bind``.
        reference: a NumPy function of the operands; None leaves the value unchecked.
        tol: relative and absolute tolerance for the value; None takes one that fits the dtype.
        static_error: ``(class, text)`` that binding must raise; nothing else is then checked.
        grad_tol: tolerance of the finite-difference test; None takes one that fits, 0 leaves the test out
            (at a kink, or where the rule is checked elsewhere).
        name: told apart by this in test names.
    """

    primitive: Any
    args: tuple[Any, ...]
    params: dict[str, Any] = field(default_factory=dict)
    reference: Callable[..., Any] | None = None
    tol: float | None = None
    static_error: tuple[type[BaseException], str] | None = None
    grad_tol: float | None = None
    name: str = ""

    def __str__(self) -> str:
        if self.name:
            return f"{self.primitive.name}-{self.name}"
        types = "-".join(f"{np.asarray(a).dtype.name}{list(np.shape(a))}".replace(" ", "") for a in self.args)
        return f"{self.primitive.name}-{types}" + ("-error" if self.static_error else "")
