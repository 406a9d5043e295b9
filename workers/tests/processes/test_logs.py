"""What workers and the reaper log about a job identifies it and never contains values of its state."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest

from flows import api
from testkit.processes import Processes
from testkit.waiting import until
from workers.reaper import report
from workers.tests.conftest import Shop

SECRET = "Ana-Silva-4111"


def fields(record: logging.LogRecord) -> dict[str, Any]:
    names = ("flow", "wid", "job", "transition", "worker", "outcome")
    return {name: getattr(record, name) for name in names if hasattr(record, name)}


def test_the_logger_of_a_handler_names_its_job(shop: Shop, caplog: pytest.LogCaptureFixture) -> None:
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


def quoting(ctx: Any) -> Any:
    raise ValueError(SECRET)


def giving_up(ctx: Any) -> Any:
    ctx.abort(SECRET)


def writing(ctx: Any) -> Any:
    ctx.connection.execute("select %s::integer", [SECRET])


def returning(ctx: Any) -> Any:
    return {"n": SECRET}


def setting(ctx: Any) -> Any:
    return f"n = '{SECRET}'"


def committing(ctx: Any) -> Any:
    """The COMMIT fails, and its error quotes the key."""
    ctx.connection.execute("create temp table twice (x text unique deferrable initially deferred)")
    ctx.connection.execute("insert into twice values (%s), (%s)", [SECRET, SECRET])
    return {"a": "x"}


@pytest.mark.parametrize("size", [1, 5])
@pytest.mark.parametrize(
    ("act", "outcome", "expected_text"),
    [
        (quoting, "failed", "ValueError (test_logs.py"),
        (giving_up, "aborted", "Abort ("),
        (writing, "failed", "InvalidTextRepresentation (22P02"),
        (returning, "", ""),
        (setting, "", ""),
        (committing, "failed", "UniqueViolation (23505"),
    ],
)
def test_a_failure_names_its_job_and_not_what_was_in_it(
    shop: Shop, caplog: pytest.LogCaptureFixture, act: Any, outcome: str, expected_text: str, size: int
) -> None:
    shop.on("tr_one", lambda state, ctx: act(ctx))
    (wid,) = shop.start()
    job = shop.one("select id from wedsql.job_pool where wid = %s", wid)
    with caplog.at_level(logging.DEBUG):
        shop.work(size)
    assert SECRET in shop.log(wid)[0][2], "the history has it"
    assert SECRET not in caplog.text
    named = {"flow": shop.flow, "wid": wid, "job": job, "transition": "tr_one", "worker": "tester"}
    own = [record for record in caplog.records if getattr(record, "wid", 0) == wid]
    assert own and all(fields(one).items() >= named.items() for one in own)
    assert any(
        getattr(one, "outcome", "").startswith(outcome) and expected_text in one.getMessage() for one in own
    )


LOG = """
insert into wed_attr (aname, adv) values ('kind', null), ('a', null);
insert into wed_trig (tgname, trname, cpred, timeout, max_attempts) values
  ('log', 'act_log', $$ a is null $$, '10 s', 1);
insert into wed_trig (cpred, cfinal) values ($$ a is not null $$, true);
"""


@pytest.mark.slow
def test_every_line_of_a_worker_is_json_without_a_state(
    processes: Processes, loaded: Any, connect: Any
) -> None:
    flow, db = loaded(LOG), connect()
    (wid,) = [one.wid for one in api.instances.start_many(flow, [{"kind": SECRET}], conn=db)]
    pool = processes.manage("wedworker", "--flow", flow, "--once", WEDSQL_LOG_FORMAT="json")
    assert pool.wait(60) == 0, processes.output()
    lines = [json.loads(line) for line in processes.output().splitlines()]
    own = [line for line in lines if line.get("wid") == wid]
    assert {line["logger"] for line in own} == {"workers.handler", "workers.runner"}
    assert {(line["flow"], line["transition"], line["process"]) for line in own} == {
        (flow, "act_log", "worker")
    }
    assert len({(line["job"], line["worker"]) for line in own}) == 1
    assert SECRET not in processes.output()


def test_the_reaper_logs_jobs_that_exceeded_their_time(shop: Shop, caplog: pytest.LogCaptureFixture) -> None:
    (wid,) = shop.start()
    job = api.jobs.lease_many(shop.flow, ["tr_one"], 1, "bob", conn=shop.db)[0]
    shop.one("update wedsql.job_pool set lease_until = wedsql.now() where wid = %s returning 1", wid)
    until(lambda: api.maintenance.reap(conn=shop.db)["expired"], what="the lease ran out")
    with caplog.at_level(logging.INFO, "workers.reaper"):
        report.log_round(shop.db, {"expired": 1})
        report.log_round(shop.db, {"expired": 1})
        report.log_round(shop.db, {"expired": 0, "timers": 0})
    named = {"flow": shop.flow, "wid": wid, "job": job.id, "transition": "tr_one"}
    mine = [fields(one) for one in caplog.records if getattr(one, "wid", 0) == wid]
    assert mine == [named | {"worker": "reaper", "outcome": "expired"}], "once"


def test_the_reaper_logs_violated_invariants(shop: Shop, caplog: pytest.LogCaptureFixture) -> None:
    (wid,) = shop.start()
    with caplog.at_level(logging.INFO, "workers.reaper"):
        report.check(shop.db)
        assert [one for one in caplog.records if getattr(one, "wid", 0) == wid] == []
        with shop.db.transaction(force_rollback=True):
            shop.db.execute("delete from wedsql.job_pool where wid = %s", [wid])
            report.check(shop.db)
    broken = [one.getMessage() for one in caplog.records if getattr(one, "wid", 0) == wid]
    assert broken == ["invariant I1 is broken 1 times", "invariant I2 is broken 1 times"]
