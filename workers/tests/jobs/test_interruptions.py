"""Lost connections, serialization failures, leases: transient errors do not count as attempts."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from flows import api
from testkit.waiting import until
from workers.context import JobLost
from workers.tests.conftest import Shop

BATCH = 10


def count_runs(shop: Shop, act: Any = None) -> list[int]:
    runs: list[int] = []

    def handler(state: Any, ctx: Any) -> Any:
        runs.append(ctx.wid)
        if act is not None:
            act(ctx, len(runs))
        return {"a": "done"}

    shop.on("tr_one", handler)
    return runs


def cut(shop: Shop) -> None:
    """End the runner's session, as a restart of the server does, and wait until it is gone."""
    pid = shop.runner.wire.connection.info.backend_pid
    shop.db.execute("select pg_terminate_backend(%s)", [pid])
    until(lambda: not shop.one("select count(*) from pg_stat_activity where pid = %s", pid))


@pytest.mark.parametrize("size", [1, BATCH])
def test_a_connection_lost_before_the_commit_costs_neither_work_nor_attempts(shop: Shop, size: int) -> None:
    wids = shop.start(4)
    runs = count_runs(shop, lambda ctx, number: cut(shop) if number == 3 else None)
    shop.finish(wids, size)
    assert sorted(runs) == wids, "results of handlers that wrote nothing are kept"
    assert {len(shop.log(wid)) for wid in wids} == {0}


def test_a_handler_that_wrote_with_the_lost_transaction_runs_again(shop: Shop) -> None:
    shop.db.execute("create table if not exists worker_notes (wid integer, text text)")
    wids = shop.start(3)

    def act(ctx: Any, number: int) -> None:
        ctx.connection.execute("insert into worker_notes values (%s, 'x')", [ctx.wid])
        if number == 2:
            cut(shop)

    runs = count_runs(shop, act)
    shop.finish(wids, BATCH)
    assert len(runs) > 3
    rows = shop.db.execute("select wid from worker_notes where wid = any(%s) order by 1", [wids]).fetchall()
    assert rows == [(wid,) for wid in wids], "once each, whatever ran twice"


@pytest.mark.parametrize("size", [1, BATCH])
def test_a_commit_whose_answer_is_lost_is_not_applied_twice(
    shop: Shop, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    wids = shop.start(3)
    runs = count_runs(shop)
    real, torn = shop.runner.wire._exchange, []

    def lose_answer(pgconn: Any, commands: Any, apart: bool) -> Any:
        results = real(pgconn, commands, apart)
        closing = (b"wed_commit", b"wed_complete_held")
        if any(statement.name.startswith(closing) for statement, _ in commands) and not torn:
            torn.append(1)
            cut(shop)
            raise __import__("psycopg").OperationalError("the answer was lost")
        return results

    monkeypatch.setattr(shop.runner.wire, "_exchange", lose_answer)
    shop.finish(wids, size)
    assert torn and sorted(runs) == wids
    steps = shop.one("select count(*) from wedsql.wed_trace where trw = 'tr_one' and wid = any(%s)", wids)
    assert steps == 3
    assert {len(shop.log(wid)) for wid in wids} == {0}


def test_a_row_lock_of_another_session_is_waited_for_and_is_no_attempt(
    shop: Shop, connect: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.jobs.runner.TRIES", 3)
    wids = shop.start(3)
    shop.runner.wire.connection.execute("set lock_timeout = '50ms'")
    other = connect()
    other.execute("begin")
    other.execute(f"select 1 from {shop.flow}.wed_flow where wid = %s for update", [wids[1]])
    released: list[int] = []
    runs = count_runs(shop)
    settle = shop.runner.settle_individually

    def release(flow: str, done: Any) -> None:
        settle(flow, done)
        released.append(len(done))
        if len(released) == 1:
            other.execute("rollback")

    shop.runner.settle_individually = release  # type: ignore[method-assign]
    shop.work(BATCH)
    shop.finish(wids, BATCH)
    assert released[0] == 3 and {len(shop.log(wid)) for wid in wids} == {0}
    assert runs.count(wids[0]) == runs.count(wids[2]) == 1


def test_a_leased_job_is_finished_by_its_token_and_can_be_extended(shop: Shop) -> None:
    moved: list[Any] = []

    def handler(state: Any, ctx: Any) -> Any:
        assert shop.one("select state::text from wedsql.job_pool where id = %s", ctx.job_id) == "L"
        assert shop.one("select count(*) from pg_locks where locktype = 'advisory' and objsubid = 2") == 0
        before = ctx.deadline
        moved.append(ctx.extend(timedelta(minutes=10)) - before)
        assert ctx.remaining() > timedelta(minutes=9)
        return {"a": "leased"}

    shop.on("tr_one", handler)
    wids = shop.start(2)
    assert shop.runner.work_leased(shop.flow, ["tr_one"], 2, 20.0) == 2
    assert {shop.status(wid) for wid in wids} == {"F"}
    assert all(step > timedelta(minutes=9) for step in moved)


@pytest.mark.parametrize("leased", [True, False])
def test_t068_after_a_failure_the_next_host_is_tried(shop: Shop, leased: bool) -> None:
    tried: list[Any] = []

    def handler(state: Any, ctx: Any) -> Any:
        tried.append((ctx.attempt, ctx.host))
        return {"a": "leased"} if len(tried) == 3 else ctx.abort("host down")

    hosts = {"tasks": {"tr_one": {"application": {"hosts": ["iguacu", "tuiuiu"]}}}}
    source = {"language": "pdl", "format": "", "text": "", "map": hosts}
    api.flows.keep_source(shop.flow, source, conn=shop.db)
    shop.on("tr_one", handler)
    (wid,) = shop.start(1)
    for _ in range(3):
        if leased:
            shop.runner.work_leased(shop.flow, ["tr_one"], 1, 20.0)
        else:
            shop.work(BATCH)
        shop.db.execute("update wedsql.job_pool set not_before = null where wid = %s", [wid])
    assert tried == [(1, "iguacu"), (2, "tuiuiu"), (3, "iguacu")] and shop.status(wid) == "F"


def test_a_failing_leased_job_is_counted_and_the_unstarted_ones_go_back(shop: Shop) -> None:
    runs: list[int] = []

    def handler(state: Any, ctx: Any) -> Any:
        runs.append(ctx.wid)
        shop.runner.stopping = True
        raise ValueError("broken")

    shop.on("tr_one", handler)
    wids = shop.start(3)
    shop.runner.work_leased(shop.flow, ["tr_one"], 3, 20.0)
    assert runs == wids[:1]
    assert [[row[0] for row in shop.log(wid)] for wid in wids] == [["failed"], ["released"], ["released"]]
    assert shop.one("select count(*) from wedsql.job_pool where state = 'L' and wid = any(%s)", wids) == 0


def test_the_lease_of_a_long_handler_is_kept_alive(shop: Shop) -> None:
    def handler(state: Any, ctx: Any) -> Any:
        first = shop.one("select lease_until from wedsql.job_pool where id = %s", ctx.job_id)
        query = "select lease_until from wedsql.job_pool where id = %s"
        until(lambda: shop.one(query, ctx.job_id) > first, what="a renewal")
        return {"a": "long"}

    shop.on("tr_one", handler)
    (wid,) = shop.start()
    shop.runner.work_leased(shop.flow, ["tr_one"], 1, 0.6)
    assert shop.status(wid) == "F"


def test_a_handler_is_told_that_its_job_was_withdrawn(shop: Shop) -> None:
    """By the commit that made its condition false; nothing is counted, as no attempt failed."""
    stopped: list[str] = []
    shop.db.execute(f"update {shop.flow}.wed_trig set revalidate = 'withdraw'")
    shop.db.execute(f"insert into {shop.flow}.wed_trig (trname, cpred) values ('tr_two', 'b is null')")

    def handler(state: Any, ctx: Any) -> Any:
        ctx.check()
        with shop.db.transaction():
            (other,) = api.jobs.take_many(shop.flow, ["tr_two"], 1, conn=shop.db)
            api.jobs.complete(other, {"a": "other"}, conn=shop.db)
        until(lambda: ctx.lost, what="a rejected renewal")
        try:
            ctx.check()
        except JobLost as error:
            stopped.append(str(error))
            raise

    shop.on("tr_one", handler)
    (wid,) = shop.start()
    shop.runner.work_leased(shop.flow, ["tr_one"], 1, 0.6)
    assert len(stopped) == 1 and shop.status(wid) == "F"
    assert [row[0] for row in shop.log(wid)] == ["withdrawn"]
    assert not shop.runner.lease_renewer.lost, "which begins again with the next jobs"


def test_a_token_that_is_no_longer_current_changes_nothing(shop: Shop) -> None:
    def handler(state: Any, ctx: Any) -> Any:
        shop.db.execute(
            "select wedsql.release(%s, %s, %s, 'another')", [ctx.wid, ctx.job_id, ctx.taken.claim]
        )
        shop.db.execute("select * from wedsql.lease(%s, array['tr_one'], 1, 'thief')", [shop.flow])
        return {"a": "stolen"}

    shop.on("tr_one", handler)
    (wid,) = shop.start()
    shop.runner.work_leased(shop.flow, ["tr_one"], 1, 20.0)
    assert shop.status(wid) == "R" and shop.state(wid)["a"] is None
    assert shop.one("select lckid from wedsql.job_pool where wid = %s", wid) == "thief"
    assert [row[0] for row in shop.log(wid)] == ["released"], "a stranger's attempt is not counted"


@pytest.mark.parametrize("size", [1, BATCH])
def test_an_instance_that_was_stopped_meanwhile_is_no_failed_attempt(shop: Shop, size: int) -> None:
    def handler(state: Any, ctx: Any) -> Any:
        shop.db.execute("update wedsql.instance set status = 'S' where wid = %s", [ctx.wid])
        return {"a": "too late"}

    shop.on("tr_one", handler)
    (wid,) = shop.start()
    shop.work(size, seconds=0.0)
    assert shop.status(wid) == "S" and shop.state(wid)["a"] is None
    assert shop.log(wid) == []
    shop.db.execute("delete from wedsql.job_pool where wid = %s", [wid])
