"""What workers and the reaper log of a job names it, and never tells what is in its state."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from flows import api
from workers.reaper import told
from workers.tests.conftest import Shop, until

SECRET = "Ana-Silva-4111"


def fields(record: logging.LogRecord) -> dict[str, Any]:
    names = ("flow", "wid", "job", "transition", "worker", "outcome")
    return {name: getattr(record, name) for name in names if hasattr(record, name)}


def test_a_handler_s_logger_names_its_job(shop: Shop, caplog: pytest.LogCaptureFixture) -> None:
    jobs: list[int] = []

    def handler(state: Any, ctx: Any) -> Any:
        jobs.append(ctx.job_id)
        ctx.logger.info("charged")
        return {"a": "x"}

    shop.on("tr_one", handler)
    (wid,) = shop.start()
    with caplog.at_level(logging.INFO, "workers.handler"):
        shop.work()
    (record,) = [one for one in caplog.records if one.name == "workers.handler"]
    named = {"flow": shop.flow, "wid": wid, "job": jobs[0], "transition": "tr_one", "worker": "tester"}
    assert fields(record) == named


def test_the_reaper_tells_whose_time_was_over(shop: Shop, caplog: pytest.LogCaptureFixture) -> None:
    (wid,) = shop.start()
    job = api.lease_many(shop.flow, ["tr_one"], 1, "bob", conn=shop.db)[0]
    shop.one("update wedsql.job_pool set lease_until = wedsql.now() where wid = %s returning 1", wid)
    until(lambda: api.reap(conn=shop.db)["expired"], what="the lease ran out")
    with caplog.at_level(logging.INFO, "workers.reaper"):
        told.tell(shop.db, {"expired": 1})
        told.tell(shop.db, {"expired": 1})
        told.tell(shop.db, {"expired": 0, "timers": 0})
    named = {"flow": shop.flow, "wid": wid, "job": job.id, "transition": "tr_one"}
    mine = [fields(one) for one in caplog.records if getattr(one, "wid", 0) == wid]
    assert mine == [named | {"worker": "reaper", "outcome": "expired"}], "once"


def test_the_reaper_tells_of_broken_invariants(shop: Shop, caplog: pytest.LogCaptureFixture) -> None:
    (wid,) = shop.start()
    with caplog.at_level(logging.INFO, "workers.reaper"):
        told.check(shop.db)
        assert [one for one in caplog.records if getattr(one, "wid", 0) == wid] == []
        with shop.db.transaction(force_rollback=True):
            shop.db.execute("delete from wedsql.job_pool where wid = %s", [wid])
            told.check(shop.db)
    broken = [one.getMessage() for one in caplog.records if getattr(one, "wid", 0) == wid]
    assert broken == ["invariant I1 is broken 1 times", "invariant I2 is broken 1 times"]
