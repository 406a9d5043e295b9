"""docs/bpmn.md: its tables are those of the tests.

WEDSQL_WRITE_DOCS=1 writes the tables.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from flows.languages.bpmn import BadBpmn, compile_process, read
from flows.tests.bpmn.files.bpmn_conformance import REFUSED, SUPPORTED
from flows.tests.bpmn.habits.bpmn_completed import COMPLETED
from flows.tests.feel import feel_kinds
from flows.tests.feel.feel_corpus import KINDS, feelin

PAGE = Path(__file__).parents[3] / "docs" / "bpmn.md"


def reason(content: bytes) -> str:
    with pytest.raises(BadBpmn) as caught:
        compile_process(read(content)[0])
    return caught.value.problems[0].message.replace("|", "\\|")


def said(content: bytes) -> str:
    process, warnings = read(content)
    found = [*warnings, *compile_process(process).warnings]
    return " ".join(dict.fromkeys(each.message for each in found)).replace("|", "\\|")


def with_tables(page: str) -> str:
    """Return the page with its tables as the tests have them."""
    answers = feelin()
    tables: dict[str, list[tuple[str, ...]]] = {
        "Other engines of FEEL": [
            (each.what, f"`{each.example}`", json.dumps(answers[each.example]).strip('"'), each.source)
            for each in KINDS
        ],
        "What is supported": [(what, becomes) for what, (_file, becomes) in SUPPORTED.items()],
        "What is not BPMN": [(what, said(content)) for what, content in COMPLETED.items()],
        "What is refused": [(what, reason(content)) for what, content in REFUSED.items()],
    }
    for title, rows in tables.items():
        table = r"(?:(?:[^|\n].*\n)+\n)?(\|.*\n\|.*\n)((?:\|.*\n)*)"
        place = re.search(rf"(?<=^## {title}\n\n){table}", page, re.MULTILINE)
        assert place is not None
        page = (
            page[: place.start(2)]
            + "".join(f"| {' | '.join(row)} |\n" for row in rows)
            + page[place.end(2) :]
        )
    head = "| engine | difference | example | followed here: DMN 1.5 |\n|---|---|---|---|\n"
    before, after = page.split(head)
    kinds = "".join(
        f"| {engine} | {each.what} | `{each.example}` | {each.followed} |\n"
        for engine, found in feel_kinds.KINDS.items()
        for each in found
    )
    return before + head + kinds + re.sub(r"\A(?:\|.*\n)*", "", after)


def test_the_tables_of_the_page_are_those_of_the_tests() -> None:
    page = PAGE.read_text(encoding="utf-8")
    if os.environ.get("WEDSQL_WRITE_DOCS"):
        PAGE.write_text(with_tables(page), encoding="utf-8")
        return
    assert with_tables(page) == page
