"""Errors by message: attempts that failed for the same reason are one error, counted once."""

from __future__ import annotations

from typing import Any

import pytest

from flows.tests.kit import Connection, Kit

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="attempts fail, none is completed")]

GROUPS = """
select x.kind, x.message, y.n, y.trname, y.versions, y.workers
from wedsql.failure x join wedsql.failure_flow y on y.failure_id = x.id
where y.flow_id = %s order by x.kind, x.message
"""
TEXTS = {
    "The card service does not answer": ["The card service does not answer"],
    "Order ... of customer ... has no ... articles": [
        "Order 17 of customer 'O' has no 3 articles",
        'Order ORD-2026-0012 of customer "Ana Ü" has no 1,000.50 articles',
    ],
    "HTTP 503 from ...": ["HTTP 503 from https://cards.example/pay?order=12", "HTTP 503 from http://a.b/"],
    "HTTP 404 from ...": ["HTTP 404 from https://cards.example/pay"],
    "status=500 after ... s": ["status=500 after 12.5 s", "status=500 after 3 s"],
    "Key (id)=(...) already exists.": [
        "Key (id)=(42) already exists.",
        "Key (id)=(8f14e45f-ceea-467f-a0e6-9dba6c0d1b2f) already exists.",
    ],
    "No parcel at ...": ["No parcel at 2026-11-29T10:20:00+00:00", "No parcel at 10:20"],
    "mail to ... was refused": ["mail to ana.b+c@example.org was refused", "mail to x@y.z was refused"],
    "cannot decode utf8 at byte ...": ["cannot decode utf8 at byte 0xff", "cannot decode utf8 at byte 17"],
    "it doesn't fit and can't be sent": ["it doesn't fit and can't be sent"],
    "The first line counts": ["The first line counts\nfile a, line 1", "The first line counts\r\nsecond"],
    "": ["", "   "],
}


@pytest.fixture
def counter(kit: Kit) -> Connection:
    connection = kit.connect("wed_reaper")
    count(connection)
    return connection


def count(connection: Connection) -> None:
    while (found := connection.execute("select wedsql.count_history()").fetchone()) and found[0]["more"]:
        pass


@pytest.fixture
def failing(kit: Kit) -> Kit:
    kit.attrs("a")
    kit.trig("tr_x", "a = '1'", max_attempts=1000)
    kit.final("a = '2'")
    return kit


def log(kit: Kit, wid: int, message: str, *, outcome: str = "failed", actor: str = "w1") -> None:
    """Write an attempt into the log as the kernel does."""
    kit.rows(
        "insert into wedsql.job_log"
        " (job_id, wid, tgid, flow_id, trname, at, outcome, actor, message, attempt)"
        " select 1, %s, g.tgid, g.flow_id, g.trname, wedsql.now(), %s, %s, %s, 1 from wedsql.trig g"
        " where g.flow_id = %s and g.trname = 'tr_x' limit 1",
        [wid, outcome, actor, message, kit.id],
    )


def groups(kit: Kit) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in kit.rows(GROUPS, [kit.id])]


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text[:30] or "empty")
def test_what_varies_in_a_message_is_taken_out(kit: Kit, text: str) -> None:
    found = {each: kit.one("select wedsql._failure_message(%s)", [each]) for each in TEXTS[text]}
    assert set(found.values()) == {text}, found


@pytest.mark.parametrize(
    ("message", "kind", "text"),
    [
        (
            "workers.demo.CardServiceDown: no answer (transitions.py:50 in charge)",
            "CardServiceDown",
            "no answer",
        ),
        ("KeyError: 'total' (a.py:3 in f)", "KeyError", "..."),
        ("AssertionError", "AssertionError", ""),
        ("card 12 is unknown", "failed", "card ... is unknown"),
        ("note: nothing", "failed", "note: nothing"),
    ],
)
def test_the_kind_is_the_class_of_the_error(kit: Kit, message: str, kind: str, text: str) -> None:
    assert kit.one("select wedsql._failure_kind('failed', %s)", [message]) == kind
    assert kit.one("select wedsql._failure_message(%s)", [message]) == text


@pytest.mark.parametrize("text", ["(" * 2000, "'" * 1999, "1." * 1000, "a@" * 1000, "; 1 " * 500, "x" * 2000])
def test_the_text_of_an_error_has_a_limit(kit: Kit, text: str) -> None:
    assert len(kit.one("select wedsql._failure_message(%s)", [text])) <= 200
    assert len(kit.one("select wedsql._failure_kind('failed', %s)", [text])) <= 100


def test_attempts_that_fail_for_the_same_reason_are_one_error(failing: Kit, counter: Connection) -> None:
    wids = [failing.start(a="1") for _n in range(3)]
    for n, wid in enumerate(wids):
        log(failing, wid, f"Down: card {n}", actor=f"w{n % 2}")
        log(failing, wid, f"Down: card {n + 9}", actor="w0")
    log(failing, wids[0], "The lease expired.", outcome="expired", actor="")
    log(failing, wids[0], "not an attempt", outcome="parked")
    count(counter)
    count(counter)
    found = groups(failing)
    assert [each[:4] for each in found] == [
        ("Down", "card ...", 6, "tr_x"), ("expired", "The lease expired.", 1, "tr_x"),
    ]  # fmt: skip
    assert found[0][5] == ["w0", "w1"]
    assert found[0][4] == [
        failing.one("select max(version) from wedsql.flow_version where flow_id = %s", [failing.id])
    ]
    instances = failing.rows(
        "select i.wid, i.n from wedsql.failure_instance i join wedsql.failure x on x.id = i.failure_id"
        " where i.flow_id = %s and x.kind = 'Down' order by 1",
        [failing.id],
    )
    assert [tuple(row) for row in instances] == [(wid, 2) for wid in wids]
    hours = failing.one("select sum(n) from wedsql.failure_hour where flow_id = %s", [failing.id])
    assert hours == 7


def test_a_job_that_fails_is_found_by_its_error(failing: Kit, counter: Connection) -> None:
    wid = failing.start(a="1")
    failing.fail("tr_x", wid, "Boom: order 7 (h.py:1 in f)")
    count(counter)
    assert [each[:3] for each in groups(failing)] == [("Boom", "order ...", 1)]
    assert failing.one("select wid from wedsql.failure_instance where flow_id = %s", [failing.id]) == wid


def test_a_flow_has_a_limit_of_messages(failing: Kit, counter: Connection) -> None:
    wid = failing.start(a="1")
    words = ["".join(chr(97 + int(digit)) for digit in f"{n:04}") for n in range(700)]
    for word in words:
        log(failing, wid, f"Unlike {word}")
    count(counter)
    log(failing, wid, "Unlike zzz")
    count(counter)
    assert failing.one("select count(*) from wedsql.failure_flow where flow_id = %s", [failing.id]) == 501
    assert failing.one("select sum(n) from wedsql.failure_flow where flow_id = %s", [failing.id]) == 701
    other = [each[:3] for each in groups(failing) if each[0] == "other"]
    assert other == [("other", "", 201)]


def test_instances_that_are_removed_stay_counted(failing: Kit, counter: Connection) -> None:
    wid = failing.start(a="1")
    log(failing, wid, "Down: 1")
    count(counter)
    log(failing, wid, "Down: 2")
    with failing.conn.transaction():
        failing.rows("select wedsql._call_retired(array[%s])", [wid])
        failing.rows("delete from wedsql.job_log where wid = %s", [wid])
    count(counter)
    assert [each[:3] for each in groups(failing)] == [("Down", "...", 2)]
    assert failing.rows("select 1 from wedsql.failure_instance where wid = %s", [wid]) == []


def test_what_is_old_is_removed(failing: Kit, counter: Connection) -> None:
    wid = failing.start(a="1")
    log(failing, wid, "Down: 1")
    count(counter)
    failing.rows(
        "update wedsql.failure_hour set at = at - interval '15 days' where flow_id = %s", [failing.id]
    )
    counter.execute("select wedsql.maintain()")
    assert failing.rows("select 1 from wedsql.failure_hour where flow_id = %s", [failing.id]) == []
    assert groups(failing)
    failing.rows(
        "update wedsql.failure_flow set last_at = last_at - interval '91 days' where flow_id = %s",
        [failing.id],
    )
    counter.execute("select wedsql.maintain()")
    assert groups(failing) == []
    assert failing.rows("select 1 from wedsql.failure_instance where flow_id = %s", [failing.id]) == []
