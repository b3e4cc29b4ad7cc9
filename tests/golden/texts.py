"""Golden texts: kept in files, compared line by line, written anew by `--accept` and reviewed as a diff.

A text too long to be read is kept as its digest and its number of lines; the differential tests show the difference.
"""

from __future__ import annotations

import difflib
import hashlib
import pathlib

HERE = pathlib.Path(__file__).parent
WHOLE_TEXT_LIMIT = 60_000  # characters


class GoldenTexts:
    """The kept texts; `accept` writes instead of comparing."""

    def __init__(self, accept: bool):
        self.accept = accept

    def compare(self, name: str, text: str) -> None:
        """Fails, with a diff, unless `text` is what is kept under `name` (a path below tests/golden)."""
        path = HERE / name
        shown = as_kept(text)
        if self.accept:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(shown, encoding="utf-8")
            return
        if not path.exists():
            raise AssertionError(f"no golden text {name}; `make accept` writes it")
        kept = path.read_text(encoding="utf-8")
        if kept != shown:
            diff = difflib.unified_diff(
                kept.splitlines(), shown.splitlines(), "kept", "now", n=2, lineterm=""
            )
            raise AssertionError(f"{name} has changed:\n" + "\n".join(list(diff)[:60]))


def as_kept(text: str) -> str:
    """The text as a file keeps it."""
    text = text if text.endswith("\n") else text + "\n"
    if len(text) <= WHOLE_TEXT_LIMIT:
        return text
    digest = hashlib.sha256(text.encode()).hexdigest()
    return f"{text.count(chr(10))} lines, {len(text)} characters, sha256 {digest}\n"
