"""Instances that start at times which the flow names."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from flows import api
from flows.tests.kit import Kit, refused

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", why="no job is taken here")]
NEXT = "select wedsql._next_start(wedsql._repetition(%s), %s, %s)"


@pytest.fixture
def daily(kit: Kit) -> Kit:
    """A flow whose instances have a job."""
    kit.attrs("a")
    kit.trig("tr_x", "a is null")
    return kit


def started(kit: Kit) -> int:
    return int(kit.one("select count(*) from {f}.wed_flow"))


def moment(kit: Kit, offset: str) -> str:
    """Return the moment this long from now, as ISO 8601 has it, in whole seconds."""
    found: datetime = kit.one("select date_trunc('second', wedsql.now() + %s::interval)", [offset])
    return found.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def due(kit: Kit) -> list[datetime | None]:
    rows = kit.rows("select due_at from wedsql.start_time where flow_id = %s order by entry", [kit.id])
    return [row.due_at for row in rows]


def test_an_instance_starts_at_the_moment_and_once(daily: Kit) -> None:
    at = moment(daily, "1 day")
    daily.policy(start_at=[at])
    assert daily.reap("23 hours")["starts"] == 0
    assert daily.one("select wedsql.next_due()") == datetime.fromisoformat(at)
    assert (daily.reap("25 hours")["starts"], daily.reap("26 hours")["starts"]) == (1, 0)
    (wid,) = (row.wid for row in daily.rows("select wid from {f}.wed_flow"))
    assert (daily.jobs(wid), daily.trace(wid)[0].actor, due(daily)) == (["tr_x"], "reaper", [None])
    last = daily.rows("select last_at, last_wid from wedsql.start_time where flow_id = %s", [daily.id])
    assert last == [(datetime.fromisoformat(at), wid)]


def test_a_repetition_begins_one_duration_after_it_is_published(daily: Kit) -> None:
    daily.policy(start_at=["R3/PT1H"])
    for offset, expected in (("59 minutes", 0), ("61 minutes", 1), ("119 minutes", 1), ("121 minutes", 2)):
        daily.reap(offset)
        assert started(daily) == expected, offset
    daily.reap("181 minutes")
    assert (started(daily), due(daily)) == (3, [None]), "it repeats three times"
    assert daily.reap("10 days")["starts"] == 0


def test_times_that_passed_while_nothing_ran_start_one_instance(daily: Kit) -> None:
    daily.policy(start_at=["R/PT1H", "R10/PT1H"])
    assert daily.reap("5 hours 30 minutes")["starts"] == 2
    assert started(daily) == 2, "one of each"
    assert daily.reap("5 hours 59 minutes")["starts"] == 0
    assert daily.reap("9 hours 1 minute")["starts"] == 2
    assert daily.reap("20 hours")["starts"] == 2, "the tenth time of the second is one of those that passed"
    assert daily.reap("21 hours")["starts"] == 1


def test_what_lies_in_the_past_when_it_is_published_starts_nothing(daily: Kit) -> None:
    daily.policy(start_at=[moment(daily, "-1 day"), f"R/{moment(daily, '-90 minutes')}/PT1H"])
    assert daily.reap()["starts"] == 0
    assert daily.reap("29 minutes")["starts"] == 0
    assert daily.reap("31 minutes")["starts"] == 1


def test_an_entry_that_stays_keeps_its_time_and_one_that_goes_loses_it(daily: Kit) -> None:
    daily.policy(start_at=["R/PT1H", "R/PT3H"])
    before = due(daily)
    definition = api.flows.definition(daily.name, conn=daily.conn)
    assert definition["start_at"] == ["R/PT1H", "R/PT3H"]
    api.flows.publish(daily.name, definition | {"start_at": ["R/PT1H", "R/PT2H"]}, conn=daily.conn)
    after = due(daily)
    assert after[0] == before[0] and len(after) == 2
    api.flows.publish(daily.name, definition | {"start_at": None}, conn=daily.conn)
    assert due(daily) == [] and daily.reap("1 day")["starts"] == 0


def test_a_start_that_fails_is_tried_again_and_is_not_lost(daily: Kit) -> None:
    daily.rows("select wedsql.create_flow('other_of_' || %s)", [daily.name])
    daily.policy(start_at=[moment(daily, "1 hour")])
    daily.trig("tr_y", "1 / (case when a is null then 0 else 1 end) = 1", on_error="abort")
    assert daily.reap("61 minutes")["starts"] == 0
    query = "select kind from wedsql.trouble where flow_id = %s"
    assert [row.kind for row in daily.rows(query, [daily.id])] == ["starts"]
    assert (started(daily), due(daily)[0] is not None) == (0, True)
    daily.rows("update wedsql.trig set enabled = false where flow_id = %s and trname = 'tr_y'", [daily.id])
    assert daily.reap("2 hours")["starts"] == 1
    assert daily.rows(query, [daily.id]) == []
    daily.rows("select wedsql.drop_flow('other_of_' || %s, true)", [daily.name])


def test_two_reapers_start_it_once(daily: Kit) -> None:
    daily.policy(start_at=[moment(daily, "1 hour")])
    other = daily.connect()
    daily.reap()
    for conn in (daily.conn, other):
        daily.clock("61 minutes", conn)
    with daily.conn.transaction():
        assert api.maintenance.reap(conn=daily.conn)["starts"] == 1
        assert api.maintenance.reap(conn=other)["starts"] == 0
    assert (api.maintenance.reap(conn=other)["starts"], started(daily)) == (0, 1)


@pytest.mark.parametrize(
    ("entry", "after", "expected"),
    [
        ("R/PT1H", "2027-01-01T00:00", "2027-01-01T01:00"),
        ("R/PT1H", "2057-01-01T00:30", "2057-01-01T01:00"),
        ("R/PT1S", "2057-01-01T00:30:00", "2057-01-01T00:30:01"),
        ("R/P1D", "2030-05-05T12:00", "2030-05-06T00:00"),
        ("R/P1W", "2027-01-07T23:59", "2027-01-08T00:00"),
        ("R/P1M", "2027-01-31T00:00", "2027-02-01T00:00"),
        ("R/P1M", "2099-12-02T00:00", "2100-01-01T00:00"),
        ("R/P1Y", "2099-12-02T00:00", "2100-01-01T00:00"),
        ("R/P1Y1M2DT3H", "2027-01-01T00:00", "2028-02-03T03:00"),
        ("R2/PT1H", "2027-01-01T00:59", "2027-01-01T01:00"),
        ("R2/PT1H", "2027-01-01T01:00", None),
        ("R2/PT1H", "2026-01-01T01:00", "2027-01-01T00:00"),
        ("2027-01-01T00:00Z", "2026-12-31T23:59", "2027-01-01T00:00"),
        ("2027-01-01T00:00Z", "2027-01-01T00:00", None),
    ],
)
def test_the_next_moment_of_a_repetition(kit: Kit, entry: str, after: str, expected: str | None) -> None:
    base = datetime(2027, 1, 1, tzinfo=UTC)
    found = kit.one(NEXT, [entry, base, datetime.fromisoformat(after).replace(tzinfo=UTC)])
    assert found == (expected and datetime.fromisoformat(expected).replace(tzinfo=UTC))


def test_moments_are_those_that_are_counted_one_by_one(kit: Kit) -> None:
    base = datetime(2027, 1, 31, 6, tzinfo=UTC)
    for every in ("P1M", "P1M1D", "P17DT5H", "PT7M"):
        query = "select (%s::timestamptz at time zone 'UTC' + n * %s::interval) at time zone 'UTC' as at"
        each = kit.rows(f"{query} from generate_series(1, 300) n", [base, every])
        at = base
        for row in each:
            at = kit.one(NEXT, [f"R/{every}", base, at])
            assert at == row.at
        assert kit.one(NEXT, [f"R/{every}", base, at - timedelta(seconds=1)]) == at


@pytest.mark.parametrize(
    "entry",
    ["", "tomorrow", "PT1H", "R/PT", "R/P", "R/PT0S", "R0/PT1H", "R1000000000/PT1H", "2027-02-30T00:00Z",
     "2027-01-01T00:00", "R/2027-01-01T00:00ZPT1H", "R/2027-01-01T00:00Z", "2027-01-01T00:00Z/PT1H",
     "R/P9999Y", "R/PT1.5S", " R/PT1H", "R/PT1H\n", "R/PT-1H", "R/P99999999999D"],
)  # fmt: skip
def test_what_is_no_time_is_refused_with_its_place(kit: Kit, entry: str) -> None:
    kit.attrs("a")
    with refused("WD009") as why:
        kit.policy(start_at=["R/PT1H", entry])
    assert why.facts["column"] == "start_at" and "R/PT1H" in why.hint
    definition = {"attributes": [{"name": "a"}], "triggers": [], "start_at": ["R/PT1H", entry]}
    (problem,) = api.conditions.check_definition(kit.name, definition, conn=kit.conn)
    assert problem.path == ("start_at",) and problem.code == "WD009", problem
    assert due(kit) == []


def test_a_flow_has_at_most_20_times(kit: Kit) -> None:
    kit.policy(start_at=[f"R/PT{n}H" for n in range(1, 21)] + ["R/PT1H"][:0])
    with refused("WD009") as why:
        kit.policy(start_at=[f"R/PT{n}H" for n in range(1, 22)])
    assert "20" in why.message and len(due(kit)) == 20


def test_an_instance_has_what_started_it(daily: Kit) -> None:
    daily.attr("by")
    daily.rows("update {f}.wed_attr set start_source = true where aname = 'by'")
    daily.policy(start_at=[moment(daily, "1 hour")], start_by=["paid", "ordered"])
    given = api.signals.send(daily.name, "ordered", {"a": None, "by": "x"}, conn=daily.conn).wid
    other = api.signals.send(daily.name, "paid", {}, conn=daily.conn).wid
    assert given is not None and other is not None
    daily.reap("2 hours")
    (entry,) = (row.entry for row in daily.rows("select entry from wedsql.start_time"))
    by = [daily.state(wid)["by"] for wid in (given, other, other + 1, daily.start(), daily.start(by="me"))]
    assert by == ["ordered", "paid", entry, None, "me"]


def test_what_started_an_instance_is_a_text(kit: Kit) -> None:
    kit.attr("by", kind="integer")
    with refused("WD009") as why:
        kit.rows("update {f}.wed_attr set start_source = true where aname = 'by'")
    assert why.facts["column"] == "start_source" and "is a text or an option." in why.hint
    definition = {"attributes": [{"name": "by", "type": "integer", "start_source": True}], "triggers": []}
    (problem,) = api.conditions.check_definition(kit.name, definition, conn=kit.conn)
    assert problem.path == ("attributes", 0, "start_source") and problem.code == "WD009"
