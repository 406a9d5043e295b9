"""The columns of a table in the form of a task, as rows that a designer types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext_lazy

from flows import json_text

LONGEST = 2000
MOST = 20
SPARE = 2  # empty rows for further columns
TYPES: dict[str, Any] = {
    "text": gettext_lazy("text"),
    "integer": gettext_lazy("integer"),
    "numeric": gettext_lazy("number"),
    "boolean": gettext_lazy("yes or no"),
    "date": gettext_lazy("date"),
    "choice": gettext_lazy("one of several options"),
}


def text_of(value: Any) -> str:
    """Return a value of a draft as the text of a control."""
    return value if isinstance(value, str) else "" if value is None else json_text.encode(value)


def as_row(column: Mapping[str, Any]) -> dict[str, Any]:
    """Return a column as the texts of its row."""
    options = column.get("options")
    return {
        "name": text_of(column.get("name")),
        "label": text_of(column.get("label")),
        "type": text_of(column.get("type")) or "text",
        "required": column.get("required") is True,
        "options": ", ".join(map(str, options)) if isinstance(options, list) else "",
    }


def typed(given: Mapping[str, Any], keep_empty: bool = False) -> Iterator[dict[str, Any]]:
    """Yield the rows of columns that a form has sent."""
    for n in range(MOST):
        if f"column-{n}-name" not in given:
            return
        texts = {part: str(given.get(f"column-{n}-{part}", "")) for part in ("name", "label", "options")}
        row = {part: text.strip()[:LONGEST].replace("\x00", "") for part, text in texts.items()}
        kind = str(given.get(f"column-{n}-type", "text"))
        row["type"] = kind if kind in TYPES else "text"
        if keep_empty or any(row[part] for part in texts):
            yield row | {"required": f"column-{n}-required" in given}


def as_column(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a typed row as a column of a table."""
    found: dict[str, Any] = {"name": row["name"]}
    found |= {"label": row["label"]} if row["label"] else {}
    found |= {"type": row["type"]} if row["type"] != "text" else {}
    if row["type"] == "choice":
        found["options"] = [text for each in row["options"].split(",") if (text := each.strip())]
    return found | ({"required": True} if row["required"] else {})
