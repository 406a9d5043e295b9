"""One commit per step with several held jobs: how many, for how long, and what happens to the rest."""

from __future__ import annotations

import time
from typing import Any

import pytest

from flows import api
from workers.jobs import steps
from workers.tests.conftest import Shop

JOB_LOCKS = (
    "select count(*) from pg_locks where locktype = 'advisory' and objsubid = 2 and objid < 4294967295"
    " and pid = %s and granted"
)


def in_hand(shop: Shop) -> int:
    """Return how many jobs the runner's session holds."""
    return int(shop.one(JOB_LOCKS, shop.runner.wire.connection.info.backend_pid))


def test_quick_handlers_hold_more_and_more_jobs_up_to_the_limit(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps, "QUICK", 60.0)  # quick on a busy machine, too
    seen: list[int] = []

    def handler(state: Any, ctx: Any) -> Any:
        seen.append(in_hand(shop))
        return {"a": "done"}

    shop.runner.most_held = 4
    shop.runner.ahead = 1
    shop.on("tr_one", handler)
    wids = shop.start(12)
    shop.drain()
    assert {shop.status(wid) for wid in wids} == {"F"}
    assert seen[0] == 1 and max(seen) == 4
    assert in_hand(shop) == 0


def test_a_slow_handler_keeps_no_other_job_from_other_workers(shop: Shop) -> None:
    seen: list[int] = []

    def handler(state: Any, ctx: Any) -> Any:
        seen.append(in_hand(shop))
        time.sleep(0.02)
        return {"a": "done"}

    shop.runner.ahead = 8
    shop.on("tr_one", handler)
    shop.start(12)
    shop.drain()
    assert seen[0] == 8 and seen[8:] == [1] * 4


def test_jobs_that_were_not_begun_are_free_when_the_worker_stops(shop: Shop, connect: Any) -> None:
    def handler(state: Any, ctx: Any) -> Any:
        shop.runner.stopping = True
        return {"a": "done"}

    shop.runner.ahead = 4
    shop.on("tr_one", handler)
    wids = shop.start(4)
    assert shop.work() == 1
    assert [shop.status(wid) for wid in wids] == ["F", "R", "R", "R"]
    assert in_hand(shop) == 0
    assert len(api.jobs.take_many(shop.flow, ["tr_one"], 5, conn=connect())) == 3


def test_each_step_is_a_transaction_of_its_own(shop: Shop) -> None:
    shop.runner.ahead = 5
    shop.on("tr_one", lambda state, ctx: {"a": "done"})
    wids = shop.start(5)
    shop.drain()
    rows = shop.db.execute(
        "select distinct xmin::text, tx_at from wedsql.wed_trace where wid = any(%s) and trw = 'tr_one'",
        [wids],
    ).fetchall()
    assert len(rows) == 5


def test_set_strings_are_finished_while_the_job_is_held(shop: Shop, connect: Any) -> None:
    runs: list[int] = []

    def handler(state: Any, ctx: Any) -> Any:
        runs.append(ctx.wid)
        return "a = 'worded', n = n + 1"

    shop.runner.ahead = 4
    shop.on("tr_one", handler)
    wids = shop.start(4)
    alone, shop.runner.settle_individually = shop.runner.settle_individually, None  # type: ignore[assignment, method-assign]
    shop.drain()
    shop.runner.settle_individually = alone  # type: ignore[method-assign]
    assert {shop.status(wid) for wid in wids} == {"F"} and sorted(runs) == wids
