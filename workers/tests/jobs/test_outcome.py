"""What handlers may return, and the texts of their errors."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from uuid import UUID

import psycopg
import pytest

from workers.client.claims import _read
from workers.context import Abort
from workers.jobs.outcome import BadResult, HandlerTimeout, Lost, describe, kind_of, read_result, sqlstate_of


def test_a_dict_becomes_json_with_values_postgresql_reads_back() -> None:
    changes, sets = read_result(
        {
            "when": datetime(2026, 1, 2, 3, 4, tzinfo=UTC),
            "day": date(2026, 1, 2),
            "for": timedelta(days=1, seconds=2, microseconds=3),
            "price": Decimal("12345678901234567890.12"),
            "who": UUID(int=1),
            "text": 'a "quoted" \\ text',
            "none": None,
        }
    )
    assert sets is None and changes is not None
    assert json.loads(changes) == {
        "when": "2026-01-02T03:04:00+00:00",
        "day": "2026-01-02",
        "for": "1 days 2.000003 seconds",
        "price": "12345678901234567890.12",
        "who": "00000000-0000-0000-0000-000000000001",
        "text": 'a "quoted" \\ text',
        "none": None,
    }


def test_a_text_is_a_set_clause_and_an_empty_dict_changes_nothing() -> None:
    assert read_result("a2 = 'done'") == (None, "a2 = 'done'")
    assert read_result({}) == ("{}", None)


@pytest.mark.parametrize("nothing", [None, "", "   "])
def test_nothing_aborts(nothing: object) -> None:
    with pytest.raises(Abort):
        read_result(nothing)


@pytest.mark.parametrize(
    "bad", [5, ["a"], object(), {"a": object()}, {"a": {1, 2}}, {"a": float("nan")}, {"a": "x\0y"}]
)
def test_values_that_a_state_cannot_hold_are_rejected(bad: object) -> None:
    with pytest.raises((BadResult, ValueError)):
        read_result(bad)


def test_a_failure_has_message_and_place() -> None:
    try:
        raise ZeroDivisionError("by zero\0")
    except ZeroDivisionError as error:
        text = describe(error)
    assert text.startswith("ZeroDivisionError: by zero\\0 (test_outcome.py:")
    assert "\0" not in text
    assert len(describe(ValueError("x" * 10_000))) == 2000


def test_the_kinds_of_failure() -> None:
    assert kind_of(Abort("no")) == "aborted"
    assert kind_of(HandlerTimeout()) == "timeout"
    assert kind_of(Lost()) == "lost"
    assert kind_of(ValueError()) == kind_of(SystemExit(1)) == "failed"
    assert sqlstate_of(psycopg.errors.UniqueViolation()) == "23505"
    assert sqlstate_of(ValueError()) == ""


def test_a_state_with_a_number_of_any_length_is_read() -> None:
    state = _read('{"a": ' + "9" * 5000 + ', "b": 7, "c": 1.50}')
    assert state == {"a": Decimal("9" * 5000), "b": 7, "c": Decimal("1.50")} and isinstance(state["b"], int)
