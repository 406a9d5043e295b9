"""The examples of docs/monitoring.md are filters."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from flows.filters import parse
from flows.filters.fields import PARTS, PROPERTIES, STATUSES
from flows.filters.filter import MAX_WHERE
from flows.filters.grammar import MAX_CONDITIONS, MAX_DEPTH, MAX_TEXT, MAX_VALUE, MAX_VALUES

DOCUMENT = (Path(__file__).resolve().parents[2] / "docs" / "monitoring.md").read_text()
TABLE = DOCUMENT.partition("| written |")[2].partition("\n\n")[0]
EXAMPLES = [
    text for line in TABLE.splitlines()[2:] for text in re.findall(r"`([^`]+)`", line.split(" | ")[0])
]


@pytest.mark.parametrize("text", EXAMPLES)
def test_each_example_of_the_table_is_a_filter(text: str) -> None:
    chosen = parse(text)
    assert chosen and parse(chosen.text()) == chosen


def test_the_worked_example_is_a_filter_of_four_parts() -> None:
    example = re.search(r"```\n(status:exception .*)\n```", DOCUMENT)
    assert example is not None
    chosen = parse(example[1])
    assert chosen.text() == example[1] and len(chosen.parts) == 4


def test_every_part_and_limit_is_described() -> None:
    named = set(re.findall(r"`([a-z.]+)`", DOCUMENT)) | {"", "where"}
    assert PARTS.keys() <= named
    assert all(word in DOCUMENT for word in (*STATUSES, *PROPERTIES))
    for limit in (MAX_TEXT, MAX_CONDITIONS, MAX_DEPTH, MAX_WHERE, MAX_VALUE, MAX_VALUES):
        assert f"{limit:,}" in DOCUMENT
