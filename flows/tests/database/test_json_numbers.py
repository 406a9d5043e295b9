"""Numbers of JSON that a few letters make larger than any database holds are rejected when they are read."""

from __future__ import annotations

import ast
from decimal import Decimal
from pathlib import Path

import pytest
from django.conf import settings

from flows import json_text

TOO_LARGE = [
    "1e99999999", "-1e99999999", "1e-99999999", "0e99999999", "1e131073", "1e9999999999999999999",
    "1e-9999999999999999999", "1.5e99999999",
]  # fmt: skip
HELD = ["1e131072", "1e-16383", "0.1", "1e2", "321588685435836431.123456789", "0e5", "-0.0"]
PACKAGES = ("flows", "monitor", "pages", "wedsql_site", "workers")


@pytest.mark.parametrize("text", TOO_LARGE)
def test_a_number_that_no_database_holds_is_not_json(text: str) -> None:
    for each in (text, f"[{text}]", f'{{"a": [{text}, {"9" * 5000}]}}'):
        with pytest.raises(ValueError, match="131072 digits"):
            json_text.decode(each)


@pytest.mark.parametrize("text", HELD)
def test_every_number_that_a_database_holds_keeps_its_digits(text: str) -> None:
    assert json_text.decode(text) == Decimal(text)


def test_no_reader_of_json_makes_decimals_of_any_size() -> None:
    found = [
        f"{path.relative_to(settings.BASE_DIR)}:{call.lineno}"
        for package in PACKAGES
        for path in sorted((Path(settings.BASE_DIR) / package).rglob("*.py"))
        for call in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(call, ast.keyword) and call.arg == "parse_float"
        if isinstance(call.value, ast.Name) and call.value.id == "Decimal"
    ]
    assert found == [], "read them by json_text.fraction"


# Pages show what was typed again, and cannot show half of a character.
NOT_TYPED = {
    "monitor/api/responses.py": "programs get their answer as JSON",
    "monitor/api/values.py": "programs get their answer as JSON",
    "monitor/export/formats.py": "values of the database",
    "monitor/offline/departure.py": "a device gets its answer as JSON",
    "monitor/offline/views.py": "a device gets its answer as JSON",
    "monitor/tasks/endpoints.py": "an answer that was kept",
}


def test_what_pages_read_as_json_can_be_shown_again() -> None:
    found = {
        str(path.relative_to(settings.BASE_DIR))
        for package in ("flows/designer", "flows/admin", "monitor", "pages")
        for path in sorted((Path(settings.BASE_DIR) / package).rglob("*.py"))
        if "/tests/" not in str(path) and "json_text.decode(" in path.read_text("utf-8")
    }
    assert found == {*NOT_TYPED}, "read it by json_text.decode_typed"


@pytest.mark.parametrize(
    "text", ['"\\ud800"', '["\\uDC00"]', '{"\\udbff": 1}', '{"a": ["x\\ud800y"]}', '"\ud800"']
)
def test_half_of_a_character_is_not_typed(text: str) -> None:
    with pytest.raises(ValueError, match="half of a character"):
        json_text.decode_typed(text)


@pytest.mark.parametrize("text", ['"\\ud83d\\ude00"', '"\\\\ud800"', '"ud800"', '["\\ud7ff", 0.1]'])
def test_whole_characters_are_typed_however_they_are_written(text: str) -> None:
    assert json_text.decode_typed(text) == json_text.decode(text)
