"""A condition means the same for a state whenever it is read: no text in it or in the state is "today".

PostgreSQL reads four words as moments that depend on when they are read (Date/Time Input, special values).
"""

from __future__ import annotations

import itertools
from datetime import date, timedelta

import psycopg
import pytest
from psycopg import sql

from flows import api
from flows.tests.kernel.faults.test_k_settings import ODD
from flows.tests.kit import Connection, Kit, refused
from testkit.cases import some

pytestmark = pytest.mark.kernel
CLOCK = ("now", "TODAY", " tomorrow", "yesterday ", "today 12:00", "10:00 today", "10:00 PM today", "now utc",
         "EST now", "today America/Sao_Paulo", "today at 10:00", "friday today", "today12:00", "10:00today",
         "CET today")  # fmt: skip
UTC_DAY = "select to_char(transaction_timestamp() at time zone 'UTC', 'YYYY-MM-DD')"
TYPES = ("date", "time", "timestamp", "timestamptz", "timestamp with time zone",
         "time without time zone")  # fmt: skip
FORMS = (
    "{type} '{text}'", "'{text}'::{type}", "cast('{text}' as {type})", "('{text}')::{type}",
    "('{text}'::text)::{type}", "cast('{first}' || '{rest}' as {type})", "('{first}' || '{rest}')::{type}",
    "lower('{text}')::text::{type}", "(array['{text}'])[1]::{type}", "coalesce('{text}'::text, due)::{type}",
    "(case when due is null then '{text}' else due end)::{type}",
    "case when due is null then '{text}'::text else due end::{type}",
)  # fmt: skip
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
    assert errors["tr_due"]["message"] == '"now" is no fixed moment.'


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


@pytest.mark.parametrize("word", some(CLOCK, one_in=4))
@pytest.mark.parametrize("kind", TYPES)
def test_no_spelling_of_a_moment_in_a_condition_is_read_when_it_is_defined(
    dated: Kit, kind: str, word: str
) -> None:
    """Each form is accepted with a fixed moment, and with the word it is rejected or fails on every state."""
    if not reads_the_clock(dated, word, kind):
        word = "now"
    fixed = "10:00" if kind.startswith("time ") or kind == "time" else "2026-01-01 10:00"
    for form in FORMS:
        accepted(dated, condition(form, kind, fixed))
        try:
            accepted(dated, condition(form, kind, word))
        except psycopg.Error as error:
            assert error.sqlstate in ("WD005", "WD006")
            continue
        change = "update {f}.wed_trig set cpred = %s where trname = 'tr_call'"
        dated.rows(change, [condition(form, kind, word)])
        error = dated.trace(dated.start(kind="x"))[-1].errors[-1]
        assert (error["sqlstate"], "no fixed moment" in error["message"]) == ("22007", True)


def condition(form: str, kind: str, text: str) -> str:
    """Return a condition with this form of a moment."""
    return f"{form.format(type=kind, text=text, first=text[:2], rest=text[2:])} is not null"


def accepted(kit: Kit, predicate: str) -> None:
    """Define a trigger with this condition and take it back."""
    with kit.conn.transaction(force_rollback=True):
        kit.trig("tr_form", predicate)


@pytest.mark.parametrize("text", ["2026-03-04 10:00 EST", "10:00 BRT", "Mar 4 2026 10:00 IST"])
def test_an_abbreviation_of_a_zone_is_rejected_or_fails(dated: Kit, text: str) -> None:
    """What it stands for is a setting of the session, timezone_abbreviations."""
    with refused("WD005") as why:
        dated.trig("tr_form", f"met < timestamptz '{text}'")
    assert why.facts["reason"] == "zone_literal"
    errors = {error["trigger"]: error for error in dated.trace(dated.start(due=text, kind="x"))[-1].errors}
    assert errors["tr_due"]["sqlstate"] == "22007"
    assert errors["tr_due"]["message"] == f'"{text}" is no fixed moment.'


def test_a_conversion_to_an_abbreviated_zone_is_rejected_or_fails(dated: Kit) -> None:
    with refused("WD005"):
        dated.trig("tr_form", "met::timestamptz at time zone 'EST' is not null")
    dated.trig("tr_zone", "met::timestamptz at time zone kind < '2999-01-01'", on_error="exception")
    assert "tr_zone" in dated.jobs(dated.start(kind="America/Bogota", met="2026-03-04"))
    errors = dated.trace(dated.start(kind="IST", met="2026-03-04"))[-1].errors
    assert [error["sqlstate"] for error in errors if error["trigger"] == "tr_zone"] == ["22023"]


def test_a_word_that_is_composed_with_a_state_fails_on_that_state(dated: Kit) -> None:
    dated.trig("tr_made", "('to' || kind)::date is not null", on_error="exception")
    errors = dated.trace(dated.start(kind="day"))[-1].errors
    assert [error["sqlstate"] for error in errors if error["trigger"] == "tr_made"] == ["22007"]
    with refused("WD106"):
        dated.rows("update {f}.wed_trig set on_error = 'abort' where trname = 'tr_made'")
        dated.start(kind="morrow")


READ = (
    "due::date = '2026-03-04'", "due::timestamptz < '2026-03-04 12:00'", "met < '2026-03-05'",
    "met::text = '2026-03-04'", "met::timestamptz = '2026-03-04'", "met + interval '1 month' > '2026-04-01'",
    "(data ->> 'due')::timestamp < '2026-03-04 12:00'", "(data ->> 'due')::time < '12:00'",
    "due::timestamptz at time zone 'Asia/Tokyo' > '2026-03-04 12:00'", "due::interval < '1 day'",
    "extract(hour from due::timestamptz) = 5", "date_trunc('day', due::timestamptz) = '2026-03-04'",
    "due::timestamptz::date = met", "due < 'a'", "lower(due) = due", "due::boolean", "due::numeric = 1.50",
    "(data ->> 'due')::jsonb is null", "data @? '$.due ? (@.datetime() < \"2030-01-01\".datetime())'",
    "array[due]::date[] = array[met]", "date(due) = met", "time '05:06:07' = due::time",
)  # fmt: skip
STATES = (
    "2026-03-04", "2026-03-04 05:06:07", "2026-03-04 23:30-05", "04.03.2026", "03/04/2026", "1 day", "1.50",
    "1,5", "true", "today", "10:00", "2026-03-04 10:00 EST", "epoch", "P1D", "ä",
)  # fmt: skip


@pytest.fixture
def two(kit: Kit) -> tuple[Connection, Connection]:
    """A session as usual, and one with other settings, which plans the conditions for itself."""
    other = kit.connect()
    for name, value in ODD.items():
        other.execute(sql.SQL("set {} = {}").format(sql.Identifier(*name.split(".")), value))
    return kit.conn, other


def test_two_sessions_agree_about_every_state(dated: Kit, two: tuple[Connection, Connection]) -> None:
    """What PostgreSQL accepts of the corpus has one value, whatever the session is set to."""
    for number, predicate in enumerate(READ):
        dated.trig(f"tr_read{number}", predicate, on_error="exception")
    found: list[list[object]] = []
    for session, text in itertools.product(two, STATES):
        wid = api.instances.start(
            dated.name, {"due": text, "data": {"due": text}, "met": "2026-03-04"}, conn=session
        )
        errors = {(error["trigger"], error["sqlstate"]) for error in dated.trace(wid)[-1].errors}
        found.append([text, sorted(dated.jobs(wid)), sorted(errors)])
    half = len(STATES)
    assert found[:half] == found[half:]
    assert len({str(each[1]) for each in found}) > half // 2
