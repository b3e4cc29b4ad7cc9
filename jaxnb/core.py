"""Jaxprs as data, for interpreters of one's own: walk, check, evaluate. Only re-exports.

JAX keeps these names in `jax.core` and `jax.extend.core`.
"""

from __future__ import annotations

from jaxnb.base.errors import InconclusiveDimensionOperation, JaxprTypeError
from jaxnb.engine.core.avals import AbstractValue, ShapedArray
from jaxnb.engine.core.jaxpr import ClosedJaxpr, DebugInfo, DropVar, Jaxpr, JaxprEqn, Literal, Var
from jaxnb.engine.core.primitive import Primitive
from jaxnb.engine.core.trace import Trace, Tracer
from jaxnb.engine.transforms.check import check_jaxpr
from jaxnb.engine.transforms.evaluate import eval_jaxpr

__all__ = [
    "AbstractValue",
    "ClosedJaxpr",
    "DebugInfo",
    "DropVar",
    "InconclusiveDimensionOperation",
    "Jaxpr",
    "JaxprEqn",
    "JaxprTypeError",
    "Literal",
    "Primitive",
    "ShapedArray",
    "Trace",
    "Tracer",
    "Var",
    "check_jaxpr",
    "eval_jaxpr",
]
