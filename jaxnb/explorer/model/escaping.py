"""Lone surrogates, which a Python string may hold and no file can: they are shown as they would be written.

Lives here: the escaping, and what it does to columns. What must not: where texts come from.
"""

from __future__ import annotations

import re

__all__ = ["utf16_length", "visible", "visible_json"]

_LONE = re.compile("[\ud800-\udfff]")


def visible(text: str) -> str:
    r"""A text with each lone surrogate written ``\ud800``."""
    return text if text.isascii() else _LONE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def visible_json(text: str) -> str:
    r"""JSON with each lone surrogate written ``\\ud800``, so that who reads it finds no surrogate in it either."""
    return text if text.isascii() else _LONE.sub(lambda found: f"\\\\u{ord(found[0]):04x}", text)


def utf16_length(text: str) -> int:
    """How many UTF-16 units a text has once it can be seen."""
    return len(visible(text).encode("utf-16-le")) // 2
