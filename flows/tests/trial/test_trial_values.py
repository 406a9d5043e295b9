"""Texts of the fields of a trial that are no values, and the time that a trial may take."""

from __future__ import annotations

import pytest
from django.db import OperationalError, connection

from flows.designer.trial import path, values
from flows.designer.trial.values import LONGEST_VALUE, BadValue


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("x" * (LONGEST_VALUE + 1), "text"),
        ("a\0b", "text"),
        ('{"a": ', "jsonb"),
        ("[" * LONGEST_VALUE, "jsonb"),
    ],
    ids=["too long", "NUL", "half an object", "nested without end"],
)
def test_a_text_that_is_no_value_is_rejected(text: str, kind: str) -> None:
    with pytest.raises(BadValue):
        values.as_value(text, kind)
    assert values.as_value("x" * LONGEST_VALUE, "text")


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00+10:00", "9999-12-31T23:59:59-10:00"])
def test_a_time_that_is_in_no_calendar_in_utc_is_left_to_the_database(text: str) -> None:
    assert values.as_value(text, "timestamptz") == text


@pytest.mark.django_db
def test_what_a_page_evaluates_ends_at_its_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(path, "PAGE_TIMEOUT_MS", 20)

    with pytest.raises(OperationalError), path.limited(), connection.cursor() as cursor:
        cursor.execute("select pg_sleep(60)")

    with connection.cursor() as cursor:  # the transaction around it can be used
        cursor.execute("select 1")
