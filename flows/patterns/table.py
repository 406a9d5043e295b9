"""Write the table of docs/patterns.md: python -m flows.patterns.table"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import django

PAGE = Path(__file__).parents[2] / "docs" / "patterns.md"
# Which patterns other systems express. WED-SQL v1: by its published examples; v2: by running it with workers
# in random orders; WorkToDo: by the rules of its definitions; BPE: by its sources, not by running it.
OTHERS: Mapping[str, frozenset[int]] = {
    "WED-SQL v1": frozenset({2, 3, 4, 5, 6, 7, 8, 9, 13, 30, 41, 42}),
    "WED-SQL v2": frozenset({*range(1, 12), 13, 21, 28, 30, 31, 33, 37, 38, 41, 42}),
    "WorkToDo": frozenset({1, 2, 3, 4, 5, 9, 11}),
    "synrc BPE": frozenset({1, 2, 3, 4, 5, 8, 10, 11}),
}
_TABLE = re.compile(r"(?<=<!-- table -->\n).*?(?=<!-- end -->)", re.DOTALL)


def with_table(page: str) -> str:
    """Return the page with its table regenerated."""
    return _TABLE.sub(lambda _old: "\n".join([*_lines(), "", ""]), page)


def _lines() -> Iterator[str]:
    from flows.patterns import catalogue, patterns

    numbered = {each.number: each for each in patterns().values()}
    head = ("", "pattern", "with attributes and conditions", "proved", *OTHERS)
    for group in catalogue():
        yield from ("", f"### {group.english_title}", "", _row(head), _row(["---"] * len(head)))
        for entry in group.entries:
            pattern = numbered.get(entry.number)
            how, proved = (pattern.how, "yes") if pattern else (f"needs {entry.needs}", "not yet")
            others = ["x" if entry.number in found else "" for found in OTHERS.values()]
            yield _row((str(entry.number), entry.english_title, how, proved, *others))


def _row(cells: list[str] | tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |".replace("|  |", "| |").replace("|  |", "| |")


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "wedsql_site.settings")
    django.setup()
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
