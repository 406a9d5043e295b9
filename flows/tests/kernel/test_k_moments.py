"""A condition that casts a text to a date does not read the clock for "today" (docs/reliability.md, F7)."""

from __future__ import annotations

from datetime import date, timedelta

import psycopg
import pytest

from flows.tests.kit import Kit, refused

pytestmark = pytest.mark.kernel
CLOCK = ("now", "TODAY", " tomorrow", "yesterday ", "today 12:00", "10:00 today", "10:00 PM today", "now utc",
         "EST now", "today America/Sao_Paulo", "today at 10:00", "friday today", "today12:00", "10:00today",
         "CET today")  # fmt: skip
UTC_DAY = "select to_char(transaction_timestamp() at time zone 'UTC', 'YYYY-MM-DD')"
OTHER = ("pay now", "nowhere", "now and then", "yesterdays", "know", "")


@pytest.fixture
def dated(kit: Kit) -> Kit:
    """A flow whose conditions cast a text and JSON to dates, and also use texts in other ways."""
    for name, kind in (("due", "text"), ("kind", "text"), ("data", "jsonb"), ("met", "date")):
        kit.attr(name, None, kind)
    kit.trig("tr_due", "due::timestamptz < '2999-01-01' and kind is not null")
    kit.trig("tr_data", "cast(data ->> 'due' as date) < '2999-01-01'")
    kit.trig("tr_call", "date(due) < '2999-01-01'", on_error="false")
    kit.trig("tr_kind", "kind in ('now', 'today')")
    kit.trig("tr_met", "met < '2999-01-01'")
    kit.trig("tr_always", "true")
    return kit


def fired(kit: Kit, **state: object) -> set[str]:
    """Return what a new instance fires, except tr_always."""
    return set(kit.jobs(kit.start(**state))) - {"tr_always"}


def reads_the_clock(kit: Kit, word: str, kind: str) -> bool:
    """Return whether PostgreSQL accepts the word as a value of the type."""
    try:
        return bool(kit.one(f"select %s::{kind} is not null", [word]))
    except psycopg.DataError:
        return False


@pytest.mark.parametrize("word", CLOCK)
def test_f7_a_text_that_says_today_is_no_date(dated: Kit, word: str) -> None:
    assert any(reads_the_clock(dated, word, kind) for kind in ("timestamptz", "timestamp", "time"))
    assert fired(dated, due=word, kind="x") == set()
    assert fired(dated, data={"due": word}) == set()


def test_f7_the_trace_names_the_attribute(dated: Kit) -> None:
    wid = dated.start(due="now", kind="x")
    errors = {error["trigger"]: error for error in dated.trace(wid)[-1].errors}
    assert set(errors) == {"tr_due", "tr_call"}
    assert errors["tr_due"]["sqlstate"] == "22007"
    assert "due is no fixed moment: now" in errors["tr_due"]["message"]


def test_f7_fixed_dates_are_read_as_before(dated: Kit) -> None:
    assert fired(dated, due="2026-01-01", kind="x") == {"tr_due", "tr_call"}
    assert fired(dated, due="epoch", kind="x") == {"tr_due", "tr_call"}
    assert fired(dated, data={"due": "2026-01-01", "note": "pay now", "then": ["may", "now and then"]}) == {
        "tr_data"
    }
    assert fired(dated) == set()


@pytest.mark.parametrize("text", OTHER)
def test_f7_other_texts_of_such_a_condition_say_what_they_like(dated: Kit, text: str) -> None:
    assert fired(dated, due="2026-01-01", kind=text) == {"tr_due", "tr_call"}


def test_f7_where_no_date_is_made_the_words_are_words(dated: Kit) -> None:
    assert fired(dated, kind="now") == {"tr_kind"}
    assert fired(dated, kind="today") == {"tr_kind"}


@pytest.mark.parametrize("zone", ["Etc/GMT+12", "UTC", "Etc/GMT-14"])
def test_f7_a_date_attribute_keeps_the_day_on_which_it_was_written(dated: Kit, zone: str) -> None:
    """The day is that of UTC in every time zone of the session; at every hour some zone has another day."""
    dated.rows("select set_config('timezone', %s, false)", [zone])
    with dated.conn.transaction():  # midnight may pass between two transactions
        wid = dated.start(met="today")
        today = dated.one(UTC_DAY)
    assert dated.state(wid)["met"] == today
    assert "tr_met" in dated.jobs(wid)
    with dated.conn.transaction():
        dated.complete(dated.take("tr_always", wid), {"met": "tomorrow"})
        today = dated.one(UTC_DAY)
    assert date.fromisoformat(dated.state(wid)["met"]) == date.fromisoformat(today) + timedelta(days=1)


def test_f7_a_failing_commit_can_be_asked_for(dated: Kit) -> None:
    dated.rows("update {f}.wed_trig set on_error = 'abort' where trname = 'tr_call'")
    with refused("WD106") as why:
        dated.start(due="tomorrow")
    assert "no fixed moment" in why.message


def test_f7_an_attribute_that_becomes_a_text_is_looked_at(dated: Kit) -> None:
    dated.trig("tr_again", "met::text::date < '2999-01-01'")
    dated.rows("update {f}.wed_attr set type = 'text' where aname = 'met'")
    assert fired(dated, met="yesterday") == set()
    assert fired(dated, met="2026-01-01") == {"tr_met", "tr_again"}
