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
