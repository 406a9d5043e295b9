"""Clocks of SLAs: what follows from the history, live and computed later, compared with Python."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from flows import api
from flows.capabilities.sla.api import Calendar, Clock, SavedSla, Sla
from flows.capabilities.sla.tests.kernel.sla_history import plain
from flows.capabilities.sla.tests.kernel.test_k_calendars import OFFICE, works
from flows.tests.kit import Connection, Kit, refused

pytestmark = pytest.mark.kernel

BERLIN = Calendar("office", "Europe/Berlin", OFFICE)
SLA = Sla("answer", 4 * 3600, "a = 'open'", "a = 'done'", "n > 5", "office")
FIELDS = (
    "wid, started_seq, seq, started_at, changed_at, used, state, risk_at, due_at, breached_at, stopped_at,"
    " last"
)


@pytest.fixture
def desk(kit: Kit) -> Kit:
    """A flow whose transition fires after each step."""
    # psycopg reads times in other forms as those of the zone with which the connection began.
    kit.rows("set timezone = 'UTC'; set datestyle = 'ISO'")
    kit.attr("a", "new")
    kit.attr("n", 0, "integer")
    kit.trig("tr_set", "a <> 'end'")
    kit.final("a = 'end'")
    return kit


@pytest.fixture
def reaper(desk: Kit) -> Iterator[Connection]:
    yield desk.connect("wed_reaper")


def advance(conn: Connection, most: int = 2000) -> int:
    """Advance all clocks, in rounds of `most` steps; return how many rounds."""
    for rounds in range(1, 1000):
        found = api.sla.advance(most, conn=conn)
        if found is not None and not found["more"]:
            return rounds
    raise AssertionError("the rounds have no end")


def saved(kit: Kit, sla: Sla = SLA, replaced: int | None = None) -> SavedSla:
    if sla.calendar and not api.sla.list_calendars([kit.name], conn=kit.conn):
        api.sla.save_calendar(kit.name, BERLIN, "olga", conn=kit.conn)
    return api.sla.save(kit.name, sla, "olga", replaced, conn=kit.conn)


def clocks(kit: Kit, sla: SavedSla) -> list[Any]:
    return kit.rows(f"select {FIELDS} from wedsql.sla_clock where sla_id = %s order by 1, 2", [sla.id])


def clock(kit: Kit, wid: int) -> Clock:
    return api.sla.list_clocks(wid, conn=kit.conn)[0]


def again(kit: Kit, sla: SavedSla, reaper: Connection, most: int = 2000) -> list[Any]:
    """Compute the clocks of an SLA for the past and return them."""
    kit.rows("update wedsql.sla set below = 2147483647 where id = %s", [sla.id])
    kit.rows("update wedsql.sla_clock set used = used + interval '1 day' where sla_id = %s", [sla.id])
    advance(reaper, most)
    return clocks(kit, sla)


def seen(kit: Kit, sla: SavedSla, wid: int) -> list[dict[str, Any]]:
    """Return the clocks of an instance in the form of `plain`."""
    return [
        {"seq": c.started_seq, "started": c.started_at, "used": c.used, "breached": c.breached_at,
         "state": c.state, "stopped": c.stopped_at}
        for c in clocks(kit, sla) if c.wid == wid
    ]  # fmt: skip


def live(kit: Kit, chosen: random.Random, wids: list[int]) -> None:
    """Perform a random step of a random instance, some minutes or hours later, seldom earlier."""
    minutes = chosen.choice([1, 7, 45, 170, 600, 1500, -30])
    offset = kit.one(
        "select coalesce(nullif(current_setting('wedsql.test_offset', true), ''), '0')::interval"
    )
    kit.clock(f"{(offset + timedelta(minutes=minutes)).total_seconds()} seconds")
    wid = chosen.choice(wids)
    status = kit.status(wid)
    what = chosen.random()
    if status == "S":
        api.operations.resume(wid, "Go on.", conn=kit.conn)
    elif status == "R" and what < 0.08:
        api.operations.suspend(wid, "Wait.", conn=kit.conn)
    elif status == "R" and what < 0.11:
        api.instances.cancel(wid, "Enough.", conn=kit.conn)
    elif status == "R":
        a = chosen.choice(["open"] * 4 + ["new", "done", "done"] + ["end"] * (what > 0.95))
        kit.run("tr_set", wid, a=a, n=chosen.choice([0, 0, 9]))


@pytest.mark.parametrize("seed", [1])
def test_clocks_are_what_the_history_says_live_and_computed_later(
    desk: Kit, reaper: Connection, seed: int
) -> None:
    chosen = random.Random(seed)  # noqa: S311 - no secret depends on it
    sla = saved(desk)
    wids = [desk.start(a=chosen.choice(["new", "open"])) for _ in range(4)]
    for _ in range(45):
        live(desk, chosen, wids)
        if chosen.random() < 0.3:
            api.sla.advance(chosen.choice([1, 3, 2000]), conn=reaper)
    advance(reaper, chosen.choice([1, 2, 2000]))
    kept = clocks(desk, sla)
    assert len(kept) > 4 and {c.state for c in kept} >= {"met", "breached"}
    assert again(desk, sla, reaper) == kept
    assert again(desk, sla, reaper, 10) == kept
    day = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=2)
    minute = timedelta(minutes=1)
    spans = [(at, at + minute) for at in (day + minute * n for n in range(45 * 1440)) if works(BERLIN, at)]
    for wid in wids:
        assert seen(desk, sla, wid) == plain(desk, wid, SLA, spans)


def test_a_clock_runs_pauses_and_is_met_or_breached(desk: Kit, reaper: Connection) -> None:
    sla = saved(desk, Sla("answer", 3600, "a = 'open'", "a = 'done'", "n > 5"))
    met, late = desk.start(a="open"), desk.start(a="open")
    advance(reaper)
    assert clock(desk, met).state == "running"
    start = clock(desk, met).started_at
    assert clock(desk, met).due_at == start + timedelta(hours=1)
    desk.clock("49 minutes")
    assert (clock(desk, met).state, clock(desk, met).due_at) == ("at_risk", start + timedelta(hours=1))
    assert 49 * 60 <= clock(desk, met).used < 50 * 60
    desk.run("tr_set", met, n=9)
    desk.clock("10 hours")
    assert clock(desk, late).state == "breached"
    advance(reaper)
    assert (clock(desk, met).state, clock(desk, met).due_at) == ("paused", None)
    desk.run("tr_set", met, a="done")
    desk.run("tr_set", late, a="done")
    advance(reaper)
    assert (clock(desk, met).state, clock(desk, late).state) == ("met", "breached")
    assert clock(desk, late).breached_at == clock(desk, late).due_at
    desk.run("tr_set", late, a="open")
    advance(reaper)
    assert [each.state for each in api.sla.list_clocks(late, conn=desk.conn)] == ["running", "breached"]
    assert [c.last for c in clocks(desk, sla) if c.wid == late] == [False, True]


def test_it_starts_and_stops_with_the_instance_without_conditions(desk: Kit, reaper: Connection) -> None:
    saved(desk, Sla("all", 3600))
    final, cancelled = desk.start(), desk.start()
    desk.run("tr_set", final, a="end")
    api.instances.cancel(cancelled, "Enough.", conn=desk.conn)
    advance(reaper)
    assert (clock(desk, final).state, clock(desk, cancelled).state) == ("met", "cancelled")


def test_the_clock_of_a_suspended_instance_stands_still(desk: Kit, reaper: Connection) -> None:
    saved(desk, Sla("all", 3600))
    wid = desk.start()
    api.operations.suspend(wid, "Wait.", conn=desk.conn)
    desk.clock("10 hours")
    advance(reaper)
    assert clock(desk, wid).state == "paused"
    api.operations.resume(wid, "Go on.", conn=desk.conn)
    advance(reaper)
    assert clock(desk, wid).state == "running" and clock(desk, wid).used < 600


def test_a_step_that_is_committed_late_is_not_left_out(desk: Kit, reaper: Connection) -> None:
    sla = saved(desk, Sla("all", 3600, "a = 'open'"))
    late = desk.connect()
    late.execute("begin")
    late.execute('select wedsql.start(%s, \'{"a": "open"}\')', [desk.name])
    desk.start(a="open")
    advance(reaper, 1)
    assert len(clocks(desk, sla)) == 1
    desk.start(a="open")
    advance(reaper, 1)
    late.execute("commit")
    advance(reaper, 1)
    kept = clocks(desk, sla)
    assert len(kept) == 3 and again(desk, sla, reaper) == kept


def test_a_reaper_that_ends_before_the_commit_loses_nothing(desk: Kit, reaper: Connection) -> None:
    sla = saved(desk, Sla("all", 3600, "a = 'open'"))
    advance(reaper)
    wids = [desk.start(a="open") for _ in range(5)]
    killed = desk.connect("wed_reaper")
    killed.autocommit = False
    assert (api.sla.advance(2, conn=killed) or {})["steps"] > 0
    assert api.sla.advance(2, conn=reaper) is None
    desk.rows("select pg_terminate_backend(%s)", [killed.info.backend_pid])
    while desk.one("select 1 from pg_stat_activity where pid = %s", [killed.info.backend_pid]):
        pass
    assert clocks(desk, sla) == []
    advance(reaper, 2)
    assert [c.wid for c in clocks(desk, sla)] == wids


def test_two_rounds_of_one_slice_change_nothing(desk: Kit, reaper: Connection) -> None:
    sla = saved(desk, Sla("all", 3600, "a = 'open'", "a = 'done'"))
    wid = desk.start(a="open")
    advance(reaper)
    before = desk.one("select counted::text from wedsql.sla_state")
    for a in ("done", "open", "done", "open"):
        desk.run("tr_set", wid, a=a)
    advance(reaper)
    kept = clocks(desk, sla)
    desk.rows("update wedsql.sla_state set counted = %s::pg_snapshot", [before])
    desk.rows("update wedsql.sla_state set own_xid = xmin::text::bigint")
    advance(reaper)
    assert clocks(desk, sla) == kept and len(kept) == 3


def test_a_change_computes_the_clocks_again_but_a_name_does_not(desk: Kit, reaper: Connection) -> None:
    sla = saved(desk)
    wid = desk.start(a="open")
    advance(reaper)
    assert api.sla.list([desk.name], conn=desk.conn)[0].computed == 1
    renamed = saved(desk, Sla(**vars(SLA) | {"name": "other"}), sla.id)
    assert (renamed.computed, renamed.revision) == (1, 2)
    assert saved(desk, Sla(**vars(SLA) | {"duration": 3600}), sla.id).computed == 0
    advance(reaper)
    assert clock(desk, wid).duration == 3600
    (calendar,) = api.sla.list_calendars([desk.name], conn=desk.conn)
    api.sla.save_calendar(desk.name, Calendar("office", "UTC", {"7": [["00:00", "24:00"]]}), "olga",
                      calendar.id, conn=desk.conn)  # fmt: skip
    assert api.sla.list([desk.name], conn=desk.conn)[0].computed == 0
    advance(reaper)
    due = clock(desk, wid).due_at
    assert due is not None and (due - timedelta(microseconds=1)).isoweekday() == 7


def test_an_attribute_that_is_gone_stops_one_sla_and_no_other(desk: Kit, reaper: Connection) -> None:
    desk.attr("gone")
    broken = saved(desk, Sla("broken", 3600, "gone = '1'"))
    other = saved(desk, Sla("other", 3600))
    advance(reaper)
    desk.rows("delete from {f}.wed_attr where aname = 'gone'")
    wid = desk.start()
    advance(reaper)
    found = {each.name: each for each in api.sla.list([desk.name], conn=desk.conn)}
    assert "gone" in (found["broken"].error or "") and found["other"].error is None
    assert [c.wid for c in clocks(desk, other)] == [wid]
    desk.attr("gone", "1")
    advance(reaper)
    advance(reaper)
    assert api.sla.list([desk.name], conn=desk.conn)[0].error is None
    assert broken.id and clock(desk, wid).sla in ("broken", "other")


def test_a_condition_that_fails_on_a_state_does_not_hold_there(desk: Kit, reaper: Connection) -> None:
    sla = saved(desk, Sla("all", 3600, "10 / n > 1"))
    wids = [desk.start(n=n) for n in (0, 5, None)]
    advance(reaper)
    assert [c.wid for c in clocks(desk, sla)] == wids[1:2]


def test_a_restored_database_computes_its_clocks_again(desk: Kit, reaper: Connection) -> None:
    sla = saved(desk, Sla("all", 3600))
    desk.start()
    advance(reaper)
    kept = clocks(desk, sla)
    desk.rows("delete from wedsql.sla_clock where sla_id = %s", [sla.id])
    x = 2**40 + 5
    desk.rows("update wedsql.sla_state set own_xid = 1, counted = format('%%s:%%s:', %s::bigint, %s::bigint)"
              "::pg_snapshot", [x, x])  # fmt: skip
    advance(reaper)
    assert clocks(desk, sla) == kept
    desk.start()
    advance(reaper)
    assert len(clocks(desk, sla)) == 2


def test_clocks_go_with_their_instance_their_sla_and_their_flow(desk: Kit, reaper: Connection) -> None:
    sla = saved(desk)
    other = saved(desk, Sla("other", 3600))
    wid = desk.start(a="open")
    desk.run("tr_set", wid, a="end")
    advance(reaper)
    assert len(clocks(desk, sla)) == len(clocks(desk, other)) == 1
    api.sla.delete(desk.name, other.id, conn=desk.conn)
    assert clocks(desk, other) == []
    desk.policy(retention="1 day")
    desk.clock("3 days")
    assert desk.one("select wedsql.retire(%s, array[%s])", [desk.name, wid]) == 1
    assert clocks(desk, sla) == []


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"name": " "}, "WD512"),
        ({"name": "x" * 81}, "WD512"),
        ({"duration": 59}, "WD512"),
        ({"duration": -1}, "WD512"),
        ({"duration": float("1e300")}, "WD512"),
        ({"calendar": "none"}, "WD512"),
        ({"start_when": "a = "}, "WD005"),
        ({"stop_when": "b = 1"}, "WD005"),
        ({"pause_when": "n = 'x' or true); drop table wedsql.sla; --"}, "WD005"),
        ({"start_when": "exists (select 1 from pg_user)"}, "WD005"),
        ({"start_when": "a = '" + "x" * 4000 + "'"}, "WD512"),
    ],
)
def test_an_sla_that_makes_no_sense_is_rejected(desk: Kit, changed: dict[str, Any], code: str) -> None:
    given: dict[str, Any] = {"name": "s", "duration": 3600} | changed
    with refused(code):
        saved(desk, Sla(**given))
    assert api.sla.list([desk.name], conn=desk.conn) == []


def test_only_pages_and_the_reaper_may_use_them(desk: Kit) -> None:
    sla = saved(desk)
    for role in ("wed_worker", "wed_monitor", "wed_reaper"):
        with refused("42501"):
            api.sla.delete(desk.name, sla.id, conn=desk.connect(role))
    for role in ("wed_worker", "wed_monitor", "wed_web"):
        with refused("42501"):
            api.sla.advance(conn=desk.connect(role))
    with refused("WD513"):
        api.sla.delete(desk.name, sla.id + 1, conn=desk.connect("wed_web"))


@pytest.mark.parametrize(
    ("start", "stop"),
    [
        ("a = 'x'", "a = 'x'"),
        ("a  =  'x'", "a='x'"),
        ("false", ""),
        ("a = 'x' and a = 'y'", ""),
        ("a = 'x'", "true"),
    ],
)
def test_a_clock_that_can_never_start_is_rejected(desk: Kit, start: str, stop: str) -> None:
    with refused("WD512") as why:
        api.sla.save(desk.name, Sla("never", 3600, start, stop), "olga", conn=desk.conn)
    assert "would never start" in why.message
