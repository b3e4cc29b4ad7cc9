"""Functions with derivatives of their own, under JAX's names: only re-exports."""

from __future__ import annotations

from jaxnb.engine.control.custom_calls import custom_jvp_call_p, custom_vjp_call_p
from jaxnb.engine.control.custom_rules import custom_gradient, custom_jvp, custom_vjp

__all__ = ["custom_gradient", "custom_jvp", "custom_jvp_call_p", "custom_vjp", "custom_vjp_call_p"]
