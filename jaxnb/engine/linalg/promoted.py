"""Arithmetic as operators of arrays do it: the operands come to one dtype and one weakness first.

For functions that are written out in arithmetic. The operators themselves are above the engine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jaxnb.engine.core import dtypes, operators
from jaxnb.engine.ops import arithmetic, comparison, magnitude
from jaxnb.engine.ops.conversion import convert

Binary = Callable[[Any, Any], Any]


def _promoting(op: Binary) -> Binary:
    def apply(x: Any, y: Any) -> Any:
        dtype, weak = dtypes.result_type(x, y, return_weak_type_flag=True)
        return op(convert(x, dtype, weak), convert(y, dtype, weak))

    return apply


add, sub = _promoting(arithmetic.add), _promoting(arithmetic.sub)
mul, div = _promoting(arithmetic.mul), _promoting(arithmetic.div)
above = _promoting(comparison.gt)


def remainder(x: Any, y: Any) -> Any:
    """``x % y`` for integers that are not negative: the operator itself, as in JAX."""
    return operators.method("__mod__")(x, y)


def quotient(x: Any, y: Any) -> Any:
    """``x // y`` for integers that are not negative: the operator itself."""
    return operators.method("__floordiv__")(x, y)
