"""Write the tables of options in docs/defining-flows.md: python -m flows.definition.table"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from django.conf import settings

from flows.definition import ATTRIBUTE, FLOW, TRIGGER, Option, Options

PAGE = Path(__file__).parents[2] / "docs" / "defining-flows.md"
SECTIONS = {
    "What an attribute can have": ATTRIBUTE,
    "What a trigger can have": TRIGGER,
    "What a flow can have": FLOW,
}


def with_tables(page: str) -> str:
    """Return the page with the first table of each section regenerated."""
    for title, options in SECTIONS.items():
        place = rf"(?<=^## {title}\n\n)(?:\|.*\n)+"
        found = re.search(place, page, re.MULTILINE)
        if not found:
            raise ValueError(f"{PAGE.name} has no table under “{title}”.")
        page = page[: found.start()] + table(options) + page[found.end() :]
    return page


def table(options: Options) -> str:
    """Return the shown options as a Markdown table."""
    head = (("option", "column", "meaning", "default"), ("---", "---", "---", "---"))
    rows = (*head, *map(_row, options.shown))
    return "".join(f"| {' | '.join(cells)} |\n".replace("|  |", "| |") for cells in rows)


def _row(option: Option) -> tuple[str, ...]:
    column = "same" if option.column == option.name else f"`{option.column}`"
    meaning = " ".join([str(option.help), *_choices(option)])
    return f"`{option.name}`", column, meaning, _default(option.default)


def _choices(option: Option) -> list[str]:
    listed = ", ".join(f"`{value}` ({label})" for value, label in option.choices.items())
    return [f"One of {listed}."] if listed else []


def _default(value: Any) -> str:
    if value is None or value == "":
        return ""
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


if __name__ == "__main__":
    settings.configure(USE_I18N=False)
    PAGE.write_text(with_tables(PAGE.read_text()))
