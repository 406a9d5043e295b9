"""Run times of handlers are counted in the process and reported to the kernel; errors do not stop work."""

from __future__ import annotations

import time
from typing import Any

import pytest

from flows.timing import BOUNDS
from testkit.processes import Processes
from testkit.waiting import until
from workers.jobs import times
from workers.process.presence import Presence
from workers.process.service import Service
from workers.tests.conftest import Shop
from workers.tests.processes.test_cluster import Db, cluster, db, start
from workers.tests.processes.test_cluster import flow as handler_flow

__all__ = ["db", "handler_flow"]


def good(state: Any, ctx: Any) -> Any:
    return {"a": "x"}


def reported(shop: Shop, kind: str) -> tuple[list[int], float]:
    found = shop.db.execute(
        "select t.counts, t.seconds from wedsql.timing t join wedsql.flow f on f.id = t.flow_id"
        " where f.name = %s and t.trname = 'tr_one' and t.kind = %s",
        [shop.flow, kind],
    ).fetchone()
    return found or ([], 0.0)


@pytest.mark.parametrize("size", [1, 10])
def test_runs_and_waits_are_reported(shop: Shop, size: int) -> None:
    shop.on("tr_one", good)
    shop.start(7)
    shop.drain(size)
    assert reported(shop, "run") == ([], 0.0), "not at every step"
    shop.runner.times.report(shop.runner.wire)
    counts, seconds = reported(shop, "run")
    assert sum(counts) == 7 and 0 < seconds < 1 and len(counts) == len(BOUNDS) + 1
    counts, seconds = reported(shop, "wait")
    assert sum(counts) == 7 and seconds > 0


def test_a_leased_job_is_measured_the_same_way(shop: Shop) -> None:
    shop.on("tr_one", good)
    shop.start(3)
    assert shop.runner.work_leased(shop.flow, ["tr_one"], 3, 30) == 3
    shop.runner.times.report(shop.runner.wire)
    assert sum(reported(shop, "run")[0]) == sum(reported(shop, "wait")[0]) == 3


def test_a_failed_run_counts_and_a_second_attempt_has_no_waiting_time(shop: Shop) -> None:
    def bad(state: Any, ctx: Any) -> Any:
        raise ValueError

    shop.on("tr_one", bad)
    (wid,) = shop.start()
    shop.work()
    shop.db.execute("update wedsql.job_pool set not_before = null where wid = %s", [wid])
    shop.work()
    shop.runner.times.report(shop.runner.wire)
    assert sum(reported(shop, "run")[0]) == 2 and sum(reported(shop, "wait")[0]) == 1


def test_only_a_sample_of_waits_is_looked_up(shop: Shop) -> None:
    shop.on("tr_one", good)
    shop.start(times.WAITS + 5)
    shop.drain(20)
    shop.runner.times.report(shop.runner.wire)
    assert sum(reported(shop, "run")[0]) == times.WAITS + 5 and sum(reported(shop, "wait")[0]) == times.WAITS


def test_times_are_reported_every_ten_seconds_and_at_the_end(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.on("tr_one", good)
    for count in (1, 2):
        shop.start()
        shop.drain()
        shop.runner.times.report(shop.runner.wire)
        assert sum(reported(shop, "run")[0]) == 1, f"the {count}. within ten seconds"
    shop.runner.stopping = True
    service(shop).run()
    assert sum(reported(shop, "run")[0]) == 2


def test_a_service_reports_while_it_runs(shop: Shop) -> None:
    shop.on("tr_one", good)
    shop.start()
    shop.drain()
    assert service(shop)._run_once(once=True, wake=None)
    assert sum(reported(shop, "run")[0]) == 1


def test_a_dropped_flow_does_not_stop_the_report_of_others(shop: Shop) -> None:
    shop.on("tr_one", good)
    shop.start()
    shop.drain()
    shop.runner.times.add("no_such_flow", _Job(), time.monotonic(), True)
    shop.runner.times.report(shop.runner.wire)
    assert sum(reported(shop, "run")[0]) == 1


@pytest.mark.slow
def test_the_cluster_reports_times(processes: Processes, handler_flow: str, db: Db) -> None:
    start(db, handler_flow, "mark", 3)
    cluster(processes)
    query = (
        "select sum((select sum(n) from unnest(t.counts) n))::int from wedsql.timing t"
        " join wedsql.flow f on f.id = t.flow_id where f.name = %s and t.kind = 'run'"
    )
    until(lambda: (db.execute(query, [handler_flow]).fetchone() or (0,))[0], what=processes.output)


class _Job:
    wid, job_id, trname = 1, 1, "tr_one"


def service(shop: Shop) -> Service:
    presence = Presence(shop.runner.wire, shop.registry, kind="process", actor="tester", flows=[shop.flow])
    return Service(shop.runner, presence)
