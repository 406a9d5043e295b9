"""The waiting and running times of jobs are summed by transition, over all workers."""

from __future__ import annotations

import json
from typing import Any

import psycopg
import pytest

from flows.tests.kit import Kit, refused
from flows.timing import BOUNDS

pytestmark = pytest.mark.kernel
PLACES = len(BOUNDS) + 1


def counts(**places: int) -> list[int]:
    """Return counts of buckets: `counts(p3=2)` has two in the fourth."""
    return [places.get(f"p{n}", 0) for n in range(PLACES)]


def report(kit: Kit, *entries: dict[str, Any], conn: Any = None) -> None:
    filled = [{"transition": "tr_a2", "counts": counts(), "seconds": 0, "waits": []} | one for one in entries]
    kit.one("select wedsql.count_times(%s, %s)", [kit.name, json.dumps(filled)], conn)


def kept(kit: Kit) -> dict[tuple[str, str], tuple[list[int], float]]:
    found = kit.rows("select trname, kind, counts, seconds from wedsql.timing where flow_id = %s", [kit.id])
    return {(row.trname, row.kind): (row.counts, row.seconds) for row in found}


def test_the_bounds_are_the_workers_and_the_metrics(kit: Kit) -> None:
    assert tuple(kit.one("select wedsql._time_bounds()")) == BOUNDS


def test_runs_are_added_up(fig2: Kit) -> None:
    report(fig2, {"counts": counts(p0=2, p3=1), "seconds": 0.5})
    report(
        fig2,
        {"counts": counts(p3=1), "seconds": 0.25},
        {"transition": "tr_a3", "counts": counts(p12=1), "seconds": 9e3},
    )
    assert kept(fig2) == {
        ("tr_a2", "run"): (counts(p0=2, p3=2), 0.75),
        ("tr_a3", "run"): (counts(p12=1), 9e3),
    }


def test_a_wait_goes_from_the_firing_to_the_handler_s_begin(fig2: Kit) -> None:
    """The job is found, done or still pending; the handler began four of the ten minutes ago."""
    wid = fig2.start()
    jobs = dict(fig2.rows("select trname, id from wedsql.job_pool where wid = %s", [wid]))
    fig2.run("tr_a2", wid, a2="x")
    fig2.clock("10 minutes")
    report(
        fig2,
        {"waits": [[wid, jobs["tr_a2"], 240]]},
        {"transition": "tr_a3", "waits": [[wid, jobs["tr_a3"], 0]]},
    )
    found = kept(fig2)
    assert found["tr_a2", "wait"][0] == counts(p11=1) and 359 < found["tr_a2", "wait"][1] < 370
    assert found["tr_a3", "wait"][0] == counts(p11=1) and 599 < found["tr_a3", "wait"][1] < 610
    fig2.clock("0")


def test_what_is_not_known_is_not_counted(fig2: Kit) -> None:
    wid = fig2.start()
    report(
        fig2,
        {"waits": [[wid, 10**12, 1], [10**6, 1, 1]]},
        {"transition": "unserved", "counts": counts(p1=1)},
        {"transition": "tr_a3", "counts": [1]},
        {"transition": "tr_final", "counts": counts(p1=-1)},
    )
    assert kept(fig2) == {("tr_a2", "run"): (counts(), 0)}


def test_the_clock_of_a_worker_makes_no_wait_negative(fig2: Kit) -> None:
    wid = fig2.start()
    job = fig2.one("select id from wedsql.job_pool where wid = %s and trname = 'tr_a2'", [wid])
    report(fig2, {"waits": [[wid, job, 9999]]})
    assert kept(fig2)["tr_a2", "wait"] == (counts(p0=1), 0)


def test_counters_belong_to_workers(fig2: Kit, connect: Any) -> None:
    worker = connect("wed_worker")
    report(fig2, {"counts": counts(p1=1)}, conn=worker)
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        worker.execute("update wedsql.timing set seconds = 0")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        report(fig2, {"counts": counts(p1=1)}, conn=connect("wed_monitor"))
    with refused("WD001"):
        fig2.one("select wedsql.count_times('no_such_flow', '[]')")
