"""The population as of a moment, compared with the states that were recorded then."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest

from flows import api
from flows.tests.kit import Kit

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="a mode only makes the history")]

STEPS = 80
OPERATIONS = (
    "start start end stuck again again fail fail cancel suspend suspend resume repair repair retire".split()
)
LIVE = (
    "select i.wid, i.status::text as status, i.seq, to_jsonb(w.*) - 'wid' as state"
    " from wedsql.instance i join {f}.wed_flow w on w.wid = i.wid where i.flow_id = %s"
)
THEN = (
    "select i.wid, s.status::text as status, s.seq, s.state, to_jsonb(r.*) - 'wid' as again"
    " from wedsql.instance i cross join lateral wedsql.last_step("
    "i.wid, wedsql.search_from(i.started_at, i.changed_at, %(at)s), %(at)s) s"
    " cross join lateral wedsql.past_row(null::{f}.wed_flow, i.wid, s.state) r"
    " where i.flow_id = %(flow)s and i.wid < wedsql.wids_until(%(flow)s, %(at)s)"
)
LIVING = "RESX"


@pytest.fixture
def loop(kit: Kit) -> Kit:
    """A flow whose transitions lead to each other, to the end, to an exception, or fail."""
    kit.attr("a", "go")
    kit.attr("n", "0", "integer")
    kit.trig("tr_x", "a = 'go'", max_attempts=1, backoff="0")
    kit.trig("tr_y", "a = 'wait'", max_attempts=1, backoff="0")
    kit.final("a = 'end'")
    kit.policy(retention="2 days")
    return kit


def operate(kit: Kit, chance: random.Random) -> str:
    """Do something at random, and return what it was."""
    rows = {row.wid: row for row in kit.rows(LIVE, [kit.id])}
    running = [wid for wid, row in rows.items() if row.status == "R"]
    living = [wid for wid, row in rows.items() if row.status in LIVING]
    suspended = [wid for wid, row in rows.items() if row.status == "S"]
    what, again = chance.choice(OPERATIONS), chance.choice(("go", "wait"))
    one = chance.choice(running) if running else 0
    job = {"go": "tr_x", "wait": "tr_y"}[rows[one].state["a"]] if one else ""
    if what in ("end", "stuck", "again") and one:
        kit.run(job, one, a=again if what == "again" else what, n=chance.randint(1, 99))
    elif what == "fail" and one:
        kit.fail(job, one)
    elif what == "repair" and (excepted := [wid for wid, row in rows.items() if row.status == "E"]):
        kit.run("_EXCPT", chance.choice(excepted), a=again)
    elif what == "cancel" and living:
        api.instances.cancel(chance.choice(living), reason="No longer wanted.", conn=kit.conn)
    elif what == "suspend" and (some := [wid for wid in living if wid not in suspended]):
        kit.rows("select wedsql.suspend(%s, 'Wait.')", [chance.choice(some)])
    elif what == "resume" and suspended:
        kit.rows("select wedsql.resume(%s, 'Go on.')", [chance.choice(suspended)])
    elif what == "retire":
        wids = [row.wid for row in kit.rows("select wid from wedsql.retirable(%s)", [kit.name])]
        return "retire" if kit.one("select wedsql.retire(%s, %s)", [kit.name, wids]) else "nothing"
    else:
        kit.start(n=str(chance.randint(100, 199)))
        return "start"
    return what


@dataclass(frozen=True)
class Moment:
    """The instances of a moment with their jobs (instance, trigger)."""

    at: Any
    was: dict[int, tuple[str, int, Any]]
    jobs: list[tuple[int, int]]


def recorded(kit: Kit) -> Moment:
    was = {row.wid: (row.status, row.seq, row.state) for row in kit.rows(LIVE, [kit.id])}
    jobs = kit.rows("select wid, tgid from wedsql.job_pool where flow_id = %s and tgid > 0", [kit.id])
    return Moment(kit.one("select wedsql.now()"), was, [tuple(row) for row in jobs])


def test_the_population_of_each_moment_is_what_was_recorded_then(loop: Kit) -> None:
    chance = random.Random(11)  # noqa: S311
    done, moments = Counter[str](), []
    for step in range(STEPS):
        loop.clock(f"{step * 3} hours")
        done[operate(loop, chance)] += 1
        moments.append(recorded(loop))
    kept = moments[-1].was
    assert set(OPERATIONS) <= set(done), done
    statuses = {status for moment in moments for status, _seq, _state in moment.was.values()}
    assert statuses == set("RESFC")
    for at, was, jobs in ((moment.at, moment.was, moment.jobs) for moment in moments):
        then = loop.rows(THEN, {"at": at, "flow": loop.id})  # type: ignore[arg-type]
        found = {row.wid: (row.status, row.seq, row.state) for row in then}
        assert found == {wid: row for wid, row in was.items() if wid in kept}
        assert all(row.again == row.state for row in then)
        assert population(loop, at) == Counter(status for status, _seq, _state in found.values())
        places = api.figures.places_at(loop.name, at, conn=loop.conn)
        assert {t: o.n for t, o in places.jobs.items()} == Counter(t for wid, t in jobs if wid in kept)
    assert population(loop, moments[0].at - timedelta(days=30)) == {}
    assert population(loop, "infinity") == Counter(status for status, _seq, _state in kept.values())
    live, places = (
        api.reasons.count_holding(loop.name, conn=loop.conn),
        api.figures.places_at(loop.name, at, conn=loop.conn),
    )
    assert (places.examined, places.holds) == (live.examined, live.holds) and not places.more
    loop.clock("0")


def population(kit: Kit, at: Any, most: int | None = None) -> dict[str, int]:
    found = kit.rows(
        "select status::text, n, capped from wedsql.population(%s, %s, %s)", [kit.name, at, most]
    )
    return {row.status: row.n for row in found if row.capped is False}


def test_a_count_that_stops_says_so(loop: Kit) -> None:
    for place in range(6):
        wid = loop.start()
        if place % 2:
            loop.run("tr_x", wid, a="end")
    loop.start()
    statement = "select status::text, n, capped from wedsql.population(%s, wedsql.now(), %s)"
    assert {r[0]: r[1:] for r in loop.rows(statement, [loop.name, 3])} == {
        "R": (3, True), "F": (3, False),
    }  # fmt: skip


def test_a_value_that_no_longer_fits_its_attribute_is_null(kit: Kit) -> None:
    kit.attrs("a", "b")
    kit.attr("c", None, "integer")
    state = '{"a": "x", "b": "y", "c": "no number", "gone": 1}'
    found = kit.one("select to_jsonb(wedsql.past_row(null::{f}.wed_flow, 7, %s))", [state])
    assert found == {"wid": 7, "a": "x", "b": "y", "c": None}
