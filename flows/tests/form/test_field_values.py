"""Values as texts of form fields and back: each value has a text from which the same value is made."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest

from flows.designer.trial import values

VALUES: list[tuple[str, Any]] = [
    *(("text", text) for text in ("", "'", "''", "'''", "''''", "a\nb", "a\r\nb", "\r", " ", "null")),
    *(("enum", text) for text in ("", "''", "a\r\nb")),
    *(("jsonb", value) for value in ("", "''", "5", "a\r\nb", "true", 5, True, [], {"a": None})),
    *(("jsonb", Decimal(text)) for text in ("1.50", "0.00000012", "321588685435836431.123456789")),
    ("jsonb", {"id": Decimal("321588685435836431.123456789"), "k": [Decimal("-0.10"), 10**1200]}),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "value"), VALUES, ids=lambda one: repr(one)[:40])
def test_each_value_has_a_text_from_which_the_same_value_is_made(kind: str, value: Any) -> None:
    found = values.as_value(values.as_text(value, kind), kind)
    assert (found, type(found)) == (value, type(value))
    assert str(found) == str(value), "every digit"


def sent(text: str, was: str) -> str:
    """Return what a form says of a field that was filled with `was` and came back as `text`."""
    return values.posted({"value-a": text, "was-value-a": was, "csrfmiddlewaretoken": "x"})["value-a"]


@pytest.mark.parametrize(
    ("text", "was", "meant"),
    [
        ("a\r\nb", "", "a\nb"),
        ("a\r\nb", json.dumps("a\rb"), "a\rb"),
        ("a\r\nc", json.dumps("a\r\nb"), "a\r\nc"),
        ("a\r\nc", json.dumps("a\r\nb\nd"), "a\nc"),
        ("2024-01-01T10:00", json.dumps("2024-01-01T10:00:00.000001"), "2024-01-01T10:00:00.000001"),
        ("2024-01-01T10:01", json.dumps("2024-01-01T10:00:00.000001"), "2024-01-01T10:01"),
        ("", json.dumps("a\rb"), ""),
        *(("x\r\n", bad, "x\n") for bad in ("{", "[]", "5", "[" * 100_000)),
    ],
)  # fmt: skip
def test_what_was_not_changed_is_as_it_was_and_a_new_line_break_is_a_line_feed(
    text: str, was: str, meant: str
) -> None:
    assert sent(text, was) == meant


@pytest.mark.parametrize("text", ["tr", "YES", " t "])
def test_a_list_of_options_has_the_value_of_its_field(text: str) -> None:
    (field,) = values.fields({"attributes": [{"name": "a", "type": "boolean"}]}, {"a": text})
    assert field.text in [value for value, _title in field.options]
