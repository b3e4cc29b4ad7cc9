"""jaxlib's pretty printer: colours, HTML, and the source of each stretch of a text.

What must not live here: what a document says.
"""

from __future__ import annotations

from typing import Any

from jaxnb.base.lazy import lazy_module

__all__ = ["printer"]

printer: Any = lazy_module("jaxlib._pretty_printer")
"""The module, which has no types."""
