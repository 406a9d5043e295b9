"""Values and texts as literals of SQL."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from flows import json_text


def literal(value: Any) -> str:
    """Return a value as an SQL literal."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float, Decimal)):
        return str(value)
    if isinstance(value, list):
        return f"ARRAY[{', '.join(literal(item) for item in value)}]::text[]"
    if isinstance(value, dict):
        value = json_text.encode(value)
    return "'" + str(value).replace("'", "''") + "'"


def quoted(text: str) -> str:
    """Return a text in dollar quotes, with a tag where the text itself contains dollar signs."""
    for tag in ("", *(f"q{n}" for n in range(1, len(text) + 2))):
        quote = f"${tag}$"
        if (text + quote).index(quote) == len(text):
            break
    return quote + text + quote
