"""Tables as text."""

from __future__ import annotations

from collections.abc import Sequence


def table(rows: Sequence[Sequence[str]], head: bool = True) -> str:
    """Return the rows as text: columns padded to their widest cell, figures right-aligned."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["  " + "  ".join(_cell(row[i], widths[i]) for i in range(len(row))).rstrip() for row in rows]
    if head:
        lines.insert(1, "  " + "  ".join("─" * width for width in widths))
    return "\n".join(lines)


def _cell(text: str, width: int) -> str:
    return text.rjust(width) if text[:1].isdigit() else text.ljust(width)
