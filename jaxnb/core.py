"""Jaxprs as data, for interpreters of one's own: walk, check, evaluate, drop dead code. Only re-exports.

JAX keeps these names in `jax.core`, `jax.extend.core` and `jax.interpreters.partial_eval`.
"""

from __future__ import annotations

from jaxnb.base.errors import InconclusiveDimensionOperation, JaxprTypeError
from jaxnb.engine.core.avals import AbstractValue, ShapedArray
from jaxnb.engine.core.jaxpr import ClosedJaxpr, DebugInfo, DropVar, Jaxpr, JaxprEqn, Literal, Var
from jaxnb.engine.core.primitive import Primitive
from jaxnb.engine.core.trace import Trace, Tracer
from jaxnb.engine.transforms.check import check_jaxpr
from jaxnb.engine.transforms.dce import dce_jaxpr
from jaxnb.engine.transforms.evaluate import eval_jaxpr, jaxpr_as_fun

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
    "dce_jaxpr",
    "eval_jaxpr",
    "jaxpr_as_fun",
]
