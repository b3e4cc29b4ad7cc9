"""The tables of derivatives, under JAX's names: only re-exports.

A jvp rule is ``(primals, tangents, **params) -> (out, tangent_out)``, where a tangent may be a ``Zero``; a transpose rule is
``(ct, *operands, **params) -> a cotangent, or None, for each operand``, where the linear operands are ``UndefinedPrimal``.
"""

from __future__ import annotations

from jaxnb.engine.core.ad import UndefinedPrimal, Zero, is_undefined_primal
from jaxnb.engine.core.rules import instantiate_zeros
from jaxnb.engine.core.rules import jvp_rules as primitive_jvps
from jaxnb.engine.core.rules import transpose_rules as primitive_transposes

__all__ = [
    "UndefinedPrimal",
    "Zero",
    "instantiate_zeros",
    "is_undefined_primal",
    "primitive_jvps",
    "primitive_transposes",
]
