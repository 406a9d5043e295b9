"""The sample flows of the tests, as SQL."""

from __future__ import annotations

import re
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]


def sql_of(text: str) -> str:
    """Return the SQL of the sample with this name; a text that is no name is SQL already."""
    if not re.fullmatch(r"[\w.-]+", text):
        return text
    for directory in ("flows/tests/sql", "flows/tests/flows", "workers/demo/flows"):
        path = CHECKOUT / directory / f"{text}.sql"
        if path.exists():
            return path.read_text(encoding="utf-8")
    raise LookupError(f"no sample flow {text}.sql")
