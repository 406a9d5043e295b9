"""The paper's protocol in plain SQL: which session may update an instance, and when.

K-07, K-08, K-14, K-27 to K-29, K-44 to K-46.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from flows import api
from flows.tests.kit import Kit, refused, tgid
from flows.types import ClaimedJob, Completion
from testkit.waiting import until

pytestmark = pytest.mark.kernel
UPDATE_A2 = "update {f}.wed_flow set a2 = 'done' where wid = %s"


@pytest.fixture
def worker(fig2: Kit) -> Iterator[psycopg.Connection[Any]]:
    """A session that uses only the paper's protocol; its statements share one transaction."""
    connection = fig2.connect()
    connection.autocommit = False
    yield connection
    connection.close()


def test_w086_lock_update_commit(fig2: Kit, worker: psycopg.Connection[Any]) -> None:
    wid = fig2.start()
    assert fig2.lock(worker, wid, tgid(fig2, "tr_a2"))
    fig2.rows(UPDATE_A2, [wid], worker)
    worker.commit()
    assert fig2.state(wid)["a2"] == "done"
    row = fig2.trace(wid)[-1]
    assert (row.trw, row.before, row.cause_seq) == ("tr_a2", {"a2": None}, 1)
    assert fig2.jobs(wid) == ["tr_a3"]


def test_k07_update_without_lock(fig2: Kit, worker: psycopg.Connection[Any]) -> None:
    wid = fig2.start()
    with refused("WD201"):
        fig2.rows(UPDATE_A2, [wid], worker)
    worker.rollback()
    assert fig2.state(wid)["a2"] is None
    assert len(fig2.trace(wid)) == 1


def test_k07_update_with_the_lock_of_another_instance(fig2: Kit, worker: psycopg.Connection[Any]) -> None:
    wid, other = fig2.start(), fig2.start()
    fig2.lock(worker, other, tgid(fig2, "tr_a2"))
    with refused("WD202"):
        fig2.rows(UPDATE_A2, [wid], worker)


def test_k07_lock_on_no_pending_job(fig2: Kit, worker: psycopg.Connection[Any]) -> None:
    wid = fig2.start()
    fig2.lock(worker, wid, tgid(fig2, "tr_final"))
    with refused("WD201"):
        fig2.rows(UPDATE_A2, [wid], worker)


def test_k07_the_lock_of_another_session(fig2: Kit, worker: psycopg.Connection[Any]) -> None:
    wid = fig2.start()
    holder = fig2.connect()
    with holder.transaction():
        assert fig2.lock(holder, wid, tgid(fig2, "tr_a2"))
        assert not fig2.lock(worker, wid, tgid(fig2, "tr_a2"))
        with refused("WD201"):
            fig2.rows(UPDATE_A2, [wid], worker)


@pytest.mark.parametrize(
    ("lock", "code"),
    [
        ("select pg_advisory_xact_lock_shared(%s, %s)", "WD208"),
        ("select pg_advisory_lock(%s, %s)", "WD207"),
        ("select pg_advisory_lock_shared(%s, %s)", "WD208"),
    ],
)
def test_k08_only_an_exclusive_lock_of_the_transaction_counts(
    fig2: Kit, worker: psycopg.Connection[Any], lock: str, code: str
) -> None:
    wid = fig2.start()
    fig2.rows(lock, (wid, tgid(fig2, "tr_a2")), worker)
    with refused(code):
        fig2.rows(UPDATE_A2, [wid], worker)


def test_k08_a_64_bit_key_is_another_lock(fig2: Kit, worker: psycopg.Connection[Any]) -> None:
    wid = fig2.start()
    fig2.one("select pg_try_advisory_xact_lock(%s::bigint << 32 | %s)", (wid, tgid(fig2, "tr_a2")), worker)
    with refused("WD201"):
        fig2.rows(UPDATE_A2, [wid], worker)


def test_k44_two_locks_of_one_instance_are_ambiguous(fig2: Kit, worker: psycopg.Connection[Any]) -> None:
    wid = fig2.start()
    fig2.lock(worker, wid, tgid(fig2, "tr_a2"))
    fig2.lock(worker, wid, tgid(fig2, "tr_a3"))
    with refused("WD206"):
        fig2.rows(UPDATE_A2, [wid], worker)


def test_k44_the_job_may_be_named(fig2: Kit, worker: psycopg.Connection[Any]) -> None:
    wid = fig2.start()
    fig2.lock(worker, wid, tgid(fig2, "tr_a2"))
    fig2.lock(worker, wid, tgid(fig2, "tr_a3"))
    job = fig2.pending(wid)[0].id
    fig2.one("select set_config('wedsql.job', %s, true)", [str(job)], worker)
    fig2.rows(UPDATE_A2, [wid], worker)
    worker.commit()
    assert fig2.trace(wid)[-1].trw == "tr_a2"


def test_k44_locks_of_two_instances_do_not_disturb(fig2: Kit, worker: psycopg.Connection[Any]) -> None:
    wid, other = fig2.start(), fig2.start()
    for one in (wid, other):
        fig2.lock(worker, one, tgid(fig2, "tr_a2"))
    for one in (wid, other):
        fig2.rows(UPDATE_A2, [one], worker)
    worker.commit()
    assert fig2.jobs(wid) == fig2.jobs(other) == ["tr_a3"]


def test_k45_second_update_in_one_transaction(kit: Kit) -> None:
    kit.attr("n", "0", "integer")
    loop = kit.numbered_trig("tr_n", "n < 9")
    wid = kit.start()
    with kit.conn.transaction(force_rollback=True):
        kit.lock(kit.conn, wid, loop)
        kit.rows("update {f}.wed_flow set n = 1 where wid = %s", [wid])
        with refused("WD209"):
            kit.rows("update {f}.wed_flow set n = 2 where wid = %s", [wid])


@pytest.mark.mode("single", "batch", "lease", why="complete_held repeated is an error that changes nothing")
def test_k45_second_complete_in_one_transaction(kit: Kit) -> None:
    kit.attr("n", "0", "integer")
    kit.trig("tr_n", "n < 9")
    wid = kit.start()
    with kit.conn.transaction():
        first = kit.take("tr_n", wid)
        kit.complete(first, {"n": 1})
        again = kit.complete(first, {"n": 1})
        assert again.seq == 2, "the same result again has the first answer"
        with refused("WD205"):
            kit.complete(first, {"n": 2})
    assert kit.state(wid) == {"n": 1}


def test_k28_one_update_over_several_rows(fig2: Kit, worker: psycopg.Connection[Any]) -> None:
    wid, other = fig2.start(), fig2.start()
    fig2.lock(worker, wid, tgid(fig2, "tr_a2"))
    with refused("WD201", "WD202"):
        fig2.rows("update {f}.wed_flow set a2 = 'done' where a1 = 'ready'", conn=worker)
    worker.rollback()
    assert fig2.state(wid)["a2"] is None and fig2.state(other)["a2"] is None


def test_k29_the_number_never_changes(fig2: Kit, worker: psycopg.Connection[Any]) -> None:
    wid = fig2.start()
    fig2.lock(worker, wid, tgid(fig2, "tr_a2"))
    with refused("WD202"):
        fig2.rows("update {f}.wed_flow set wid = 0, a2 = 'x' where wid = %s", [wid], worker)


@pytest.mark.parametrize(
    "statement", ["delete from {f}.wed_flow", "truncate {f}.wed_flow", "truncate {f}.wed_flow cascade"]
)
def test_k29_rows_are_not_deleted(fig2: Kit, statement: str) -> None:
    wid = fig2.start()
    with refused("WD301"):
        fig2.rows(statement)
    assert fig2.status(wid) == "R"


def test_k29_upsert_cannot_write_past_the_kernel(fig2: Kit) -> None:
    wid = fig2.start()
    fig2.rows(
        "insert into {f}.wed_flow (wid) values (%s) on conflict (wid) do update set a2 = 'forged'", [wid]
    )
    assert fig2.state(wid)["a2"] is None, "the number asked for was not used, so a new instance was started"


def test_k47_update_of_a_final_instance(fig2: Kit, worker: psycopg.Connection[Any]) -> None:
    wid = fig2.start(a1="over")
    assert fig2.status(wid) == "F"
    fig2.lock(worker, wid, tgid(fig2, "tr_a2"))
    with refused("WD102"):
        fig2.rows(UPDATE_A2, [wid], worker)


def test_k27_the_old_notification_does_not_finish_a_job_fired_again(kit: Kit) -> None:
    kit.attr("n", "0", "integer")
    kit.trig("tr_n", "n < 9")
    wid = kit.start()
    with kit.conn.transaction(force_rollback=True):
        stale = kit.take("tr_n", wid)
    kit.run("tr_n", wid, n=1)
    with kit.conn.transaction():
        fresh = kit.take("tr_n", wid)
        assert (fresh.payload, fresh.id > stale.id) == ({"n": 1}, True)
        with refused("WD205"):
            kit.complete(stale, {"n": 1}, actor="the late one")
    assert kit.state(wid) == {"n": 1}
    assert len(kit.trace(wid)) == 2


def test_k14_the_second_waits_and_matches_the_merged_state(fig2: Kit) -> None:
    wid = fig2.start()
    first, second = fig2.connect(), fig2.connect()
    first.autocommit = False
    fig2.lock(first, wid, tgid(fig2, "tr_a2"))
    fig2.rows(UPDATE_A2, [wid], first)

    def finish_second() -> None:
        with second.transaction():
            fig2.lock(second, wid, tgid(fig2, "tr_a3"))
            fig2.rows("update {f}.wed_flow set a3 = 'done' where wid = %s", [wid], second)

    thread = threading.Thread(target=finish_second)
    thread.start()
    wait_until_blocked(fig2, second)
    first.commit()
    thread.join(10)
    assert fig2.trace(wid)[-1].state == {"a1": "ready", "a2": "done", "a3": "done"}
    assert fig2.trace(wid)[-1].trf == ["tr_final"]


@pytest.mark.mode("single", why="the jobs of a batch are taken and completed by the test itself")
def test_k14_a_refused_result_keeps_its_instance_until_its_failure_is_counted(fig2: Kit) -> None:
    """Of two batches over the same instances the second waits for the first as a whole: no deadlock."""
    wids = [fig2.start(), fig2.start()]
    second = fig2.connect()
    accepted: list[bool] = []

    def give(session: psycopg.Connection[Any], transition: str, *results: dict[str, Any]) -> list[ClaimedJob]:
        jobs = api.jobs.take_many(fig2.name, [transition], len(results), conn=session)
        done = [Completion(job, changes) for job, changes in zip(jobs, results, strict=True)]
        accepted.extend(a.ok for a in api.jobs.complete_many(fig2.name, done, conn=session))
        return jobs

    def finish_second() -> None:
        with second.transaction():
            give(second, "tr_a3", {"a3": "done"}, {"a3": "done"})

    thread = threading.Thread(target=finish_second)
    with fig2.conn.transaction():
        jobs = give(fig2.conn, "tr_a2", {"nowhere": "done"}, {"a2": "done"})
        thread.start()
        wait_until_blocked(fig2, second)
        api.jobs.fail(jobs[0], "refused", conn=fig2.conn)
    thread.join(10)
    assert accepted == [False, True, True, True]
    assert [fig2.state(wid)["a3"] for wid in wids] == ["done", "done"]


def wait_until_blocked(kit: Kit, waiter: psycopg.Connection[Any]) -> None:
    """Return when the session waits for a lock."""
    until(lambda: kit.one("select cardinality(pg_blocking_pids(%s)) > 0", [waiter.info.backend_pid]))
