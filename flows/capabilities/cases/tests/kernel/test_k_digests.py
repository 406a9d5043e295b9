"""Mails about open cases: when they are due, that each is queued once, and what they count."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from flows import api
from flows.capabilities.cases.api import CaseRule
from flows.capabilities.cases.digests import DueDigest
from flows.capabilities.cases.tests.kernel.test_k_case_people import desk, stuck, together
from flows.tests.kit import Connection, Kit, refused

pytestmark = pytest.mark.kernel
__all__ = ["desk"]

HOUR = 6
MAIL = {"name": "cases", "flow": "", "event": "digest", "subject": "s", "text": "t"}


@pytest.fixture
def user(desk: Kit) -> Iterator[int]:
    """The number of an account that no other test has; its mails are removed."""
    user = 1_000_000 + desk.id
    yield user
    desk.rows("delete from wedsql.case_digest where user_id = %s", [user])
    desk.rows("delete from wedsql.delivery where target = %s", [target(user)])


def target(user: int) -> str:
    return f"u{user}@example.org"


def choose(desk: Kit, user: int, queue: str = "", every: str = "day", flow: str | None = "") -> None:
    name = desk.name if flow == "" else flow
    api.cases.save_digest(user, name, queue, every, "en", HOUR, conn=desk.conn)


def due(user: int, reaper: Connection) -> list[DueDigest]:
    return [one for one in api.cases.due_digests(10_000, conn=reaper) if one.user == user]


def queued(desk: Kit, user: int) -> list[Any]:
    found = "select message ->> 'subject', status from wedsql.delivery where target = %s"
    return desk.rows(found, [target(user)])


def later(desk: Kit, offset: str = "8 days") -> Connection:
    reaper = desk.connect("wed_reaper")
    desk.clock(offset, reaper)
    return reaper


@pytest.mark.parametrize(
    ("every", "now", "following"),
    [  # 2026-11-23 is a Monday
        ("day", "2026-11-23 05:59:59", "2026-11-23 06:00"), ("day", "2026-11-23 06:00", "2026-11-24 06:00"),
        ("day", "2026-12-31 23:00", "2027-01-01 06:00"), ("week", "2026-11-23 05:59", "2026-11-23 06:00"),
        ("week", "2026-11-23 06:00", "2026-11-30 06:00"), ("week", "2026-11-29 23:59", "2026-11-30 06:00"),
    ],
)  # fmt: skip
def test_mails_are_due_at_an_hour_of_each_day_or_monday(
    kit: Kit, every: str, now: str, following: str
) -> None:
    found = kit.one(
        "select to_char(wedsql._next_digest(%s, %s, %s::timestamp at time zone 'UTC') at time zone 'UTC',"
        " 'YYYY-MM-DD HH24:MI')",
        [every, HOUR, now],
    )
    assert found == following


def test_a_mail_is_chosen_changed_and_ended(desk: Kit, user: int) -> None:
    choose(desk, user)
    choose(desk, user, "cards", "week")
    choose(desk, user, flow=None)
    before = api.cases.list_digests(user, conn=desk.conn)
    assert [(one.flow, one.queue, one.every) for one in before] == [
        (None, "", "day"), (desk.name, "", "day"), (desk.name, "cards", "week"),
    ]  # fmt: skip
    now = datetime.now(UTC)
    assert all(now - timedelta(hours=1) < one.since_at <= one.next_at for one in before)
    assert [(one.next_at.hour, one.next_at.weekday()) for one in before if one.every == "week"] == [(HOUR, 0)]
    choose(desk, user, every="week")
    after = api.cases.list_digests(user, conn=desk.conn)
    assert (after[1].every, after[1].id, after[1].since_at) == ("week", before[1].id, before[1].since_at)
    choose(desk, user, every="")
    assert [one.queue for one in api.cases.list_digests(user, conn=desk.conn)] == ["", "cards"]
    assert api.cases.list_digests(user + 1, conn=desk.conn) == [], "of another user"
    for queue, every, flow, code in (
        ("", "hour", desk.name, "WD514"), ("No Queue", "day", desk.name, "WD514"),
        ("", "day", "none", "WD001"),
    ):  # fmt: skip
        with refused(code):
            choose(desk, user, queue, every, flow)


def test_a_user_chooses_at_most_fifty_mails(desk: Kit, user: int) -> None:
    for number in range(50):
        choose(desk, user, f"q{number}")
    with refused("WD514") as why:
        choose(desk, user, "q50")
    assert why.facts["limit"] == 50 and len(api.cases.list_digests(user, conn=desk.conn)) == 50
    choose(desk, user, "q49", "week")


def test_a_mail_is_queued_once_by_one_of_two_reapers(desk: Kit, user: int) -> None:
    choose(desk, user)
    choose(desk, user, "cards", "week")
    one, other = later(desk), later(desk)
    assert due(user, desk.connect("wed_reaper")) == [], "not yet"
    [found], [same] = due(user, one), due(user, other)
    assert [each.queue for each in found.items] == ["", "cards"] and found.language == "en"
    assert api.cases.queue_digest(found, HOUR, target(user), MAIL, conn=one)
    assert not api.cases.queue_digest(same, HOUR, target(user), MAIL, conn=other)
    assert queued(desk, user) == [("s", "waiting")]
    for each in api.cases.list_digests(user, conn=desk.conn):
        assert each.since_at == found.at < each.next_at, "the next mail is about what opens from now on"
    assert due(user, one) == due(user, other) == []
    [after] = due(user, later(desk, "16 days"))
    assert api.cases.queue_digest(after, HOUR, target(user), None, conn=later(desk, "16 days"))
    assert len(queued(desk, user)) == 1, "there was nothing to say"


def test_of_two_reapers_at_the_same_time_one_queues_a_mail(desk: Kit, user: int) -> None:
    choose(desk, user)
    desk.rows("update wedsql.case_digest set next_at = wedsql.now() where user_id = %s", [user])
    [found] = due(user, desk.conn)

    def queue(conn: Connection) -> bool:
        return api.cases.queue_digest(found, HOUR, target(user), MAIL, conn=conn)

    first, second = together(desk, queue, queue)
    assert first and not second.result(10) and queued(desk, user) == [("s", "waiting")]


def test_what_changes_meanwhile_is_not_queued(desk: Kit, user: int) -> None:
    choose(desk, user)
    reaper = later(desk)
    [found] = due(user, reaper)
    choose(desk, user, every="")
    assert not api.cases.queue_digest(found, HOUR, target(user), MAIL, conn=reaper) and not queued(desk, user)
    choose(desk, user)
    choose(desk, user, flow=None)
    api.cases.delete_digests(user, conn=reaper)
    assert api.cases.list_digests(user, conn=desk.conn) == [], "the account was deleted"


def test_the_open_cases_of_a_queue_are_counted(desk: Kit, user: int) -> None:
    rules = [CaseRule("cards", "place = 'far'", priority=90, due_after=60), CaseRule("orders")]
    api.cases.save_rules(desk.name, rules, "ann", conn=desk.conn)
    near, far = stuck(desk), stuck(desk, "far")
    reaper, begin = later(desk), datetime.now(UTC) - timedelta(hours=1)

    def count(queue: str = "", since: datetime = begin, flows: list[str] | None = None) -> dict[str, Any]:
        chosen = [desk.name] if flows is None else flows
        at = datetime.now(UTC) + timedelta(hours=1)
        return api.cases.digest(chosen, queue, since, at, conn=reaper)

    every = count()
    assert (every["open"], every["new"], every["overdue"]) == (2, 2, 1)
    assert every["causes"] == [{"flow": desk.name, "cause": "STUCK", "open": 2}]
    assert [each["number"] for each in every["urgent"]] == [far.number, near.number]
    assert set(every["urgent"][0]) == {"number", "flow", "wid", "cause", "due_at"}, "no values"
    assert every["urgent"][0]["due_at"] is not None and every["urgent"][1]["due_at"] is None
    assert count("orders", datetime.now(UTC) + timedelta(hours=1))["new"] == 0
    assert count("orders")["urgent"][0]["number"] == near.number
    assert count(flows=[])["open"] == 0 == count("none")["open"]
    api.repairs.repair(far.wid, "accept", {}, "A test.", actor="bob", conn=desk.conn)
    assert (count()["open"], count("cards")["open"]) == (1, 0), "closed"
    assert api.cases.queues([desk.name], conn=desk.conn) == ["cards", "default", "orders"]
    assert api.cases.queues([], conn=desk.conn) == ["default"]


def test_a_mail_is_sent_as_those_of_alerts_and_removed_a_week_later(desk: Kit, user: int) -> None:
    choose(desk, user)
    reaper = later(desk)
    assert api.cases.queue_digest(due(user, reaper)[0], HOUR, target(user), MAIL, conn=reaper)
    desk.rows("update wedsql.delivery set next_at = '2000-01-01' where target = %s", [target(user)])
    taken = api.alerts.take_delivery(conn=reaper)
    assert taken is not None and (taken.channel, taken.target) == ("mail", target(user))
    assert taken.message == MAIL | {"id": taken.message["id"]}
    api.alerts.settle_delivery(taken, conn=reaper)
    assert queued(desk, user) == [("s", "sent")]
    api.cases.remove_old_digests(conn=later(desk, "14 days"))
    assert len(queued(desk, user)) == 1, "not yet a week ago"
    assert api.cases.remove_old_digests(conn=later(desk, "16 days")) >= 1 and not queued(desk, user)


def test_only_the_web_chooses_and_only_the_reaper_queues(desk: Kit) -> None:
    for role in ("wed_web", "wed_worker", "wed_reaper", "wed_monitor"):
        assert not desk.one("select has_table_privilege(%s, 'wedsql.case_digest', 'select')", [role])
        for call, allowed in (
            ("save_case_digest(bigint,text,text,text,text,integer,text,text)", "wed_web"),
            ("list_case_digests(bigint,text)", "wed_web"),
            ("queue_case_digest(bigint,bigint[],integer,timestamptz,text,jsonb)", "wed_reaper"),
            ("case_digest(text[],text,timestamptz,timestamptz)", "wed_reaper"),
        ):
            found = desk.one("select has_function_privilege(%s, 'wedsql.' || %s, 'execute')", [role, call])
            assert found == (role == allowed), (role, call)
