"""docs/pdl.md: its tables are those of the tests.

WEDSQL_WRITE_DOCS=1 writes the tables.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from flows.languages.pdl import check, read
from flows.tests.pdl.pdl_conformance import ERRORS, SPELLINGS, WARNINGS
from flows.tests.pdl.test_pdl_reader import problems

PAGE = Path(__file__).parents[3] / "docs" / "pdl.md"


def message(text: str, code: str) -> str:
    """Return what is said about a text."""
    found = next(each.message for each in problems(text) if each.code == code)
    shown = found if len(found) <= 160 else f"{found[:159]}…"
    return shown.replace("|", "\\|").replace("\0", "")


def with_tables(page: str) -> str:
    """Return the page with its tables as the tests have them."""
    tables = [
        [(what, example) for what, (example, _text) in SPELLINGS.items()],
        [(f"`{code}`", message(text, code)) for code, text in ERRORS.items()],
        [(f"`{code}`", message(text, code)) for code, text in WARNINGS.items()],
    ]
    start = page.index("## What is tolerated")
    heads = [*re.finditer(r"^\|---\|---\|\n((?:\|.*\n)*)", page[start:], re.MULTILINE)]
    assert len(heads) == len(tables)
    for found, rows in [*zip(heads, tables, strict=True)][::-1]:
        made = "".join(f"| {' | '.join(row)} |\n" for row in rows)
        page = page[: start + found.start(1)] + made + page[start + found.end(1) :]
    return page


def test_the_tables_of_the_page_are_those_of_the_tests() -> None:
    page = PAGE.read_text(encoding="utf-8")
    if os.environ.get("WEDSQL_WRITE_DOCS"):
        PAGE.write_text(with_tables(page), encoding="utf-8")
        return
    assert with_tables(page) == page


def test_the_text_of_the_page_is_strict_and_has_no_problems() -> None:
    found = re.search(r"```pdl\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    library, warnings = read(found[1], strict=True)
    assert [*warnings, *check(library)] == []
