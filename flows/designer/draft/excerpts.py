"""The characters of a condition that a problem concerns."""

from __future__ import annotations

from typing import Any

EXCERPT = 60


def excerpt(text: str, position: Any) -> tuple[str, str] | None:
    """Return the line of the text at a 1-based position and a line with a caret; None without a position."""
    if not isinstance(position, int) or not 1 <= position <= len(text) + 1:
        return None
    at = position - 1
    begin = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    left = text[begin:at][-EXCERPT:]
    right = text[at : len(text) if end < 0 else end][:EXCERPT]
    return left + right, "".join("\t" if c == "\t" else " " for c in left) + "^"
