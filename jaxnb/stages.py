"""The steps of a compilation as objects: `jit(f).trace(x).lower().compile()`. Only re-exports."""

from __future__ import annotations

from jaxnb.engine.api.stages import ArgInfo, Compiled, CompilerOptions, Lowered, Traced, Wrapped

__all__ = ["ArgInfo", "Compiled", "CompilerOptions", "Lowered", "Traced", "Wrapped"]
