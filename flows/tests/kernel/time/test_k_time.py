"""Timeouts, leases, timers and pickup deadlines, with a clock that the test moves.

K-09, K-37, K-43, K-56, K-57, K-62.
"""

from __future__ import annotations

import json
import threading
from contextlib import suppress

import psycopg
import pytest

from flows import api
from flows.tests.kit import Kit, refused
from testkit.waiting import until

pytestmark = pytest.mark.kernel


def test_k09_late(one: Kit) -> None:
    wid = one.start(a="1")
    with refused("WD204"), one.conn.transaction():
        job = one.take("tr_x", wid)
        one.clock("61 seconds")
        one.complete(job, {"a": "2"})
    assert (one.state(wid), one.status(wid), one.jobs(wid)) == ({"a": "1"}, "R", ["tr_x"])


def test_k09_just_in_time(one: Kit) -> None:
    wid = one.start(a="1")
    with one.conn.transaction():
        job = one.take("tr_x", wid)
        one.clock("55 seconds")
        assert one.complete(job, {"a": "2"}).status == "F"


def test_k09_the_clock_starts_with_the_take_not_with_the_transaction(one: Kit) -> None:
    one.start(a="1")
    with one.conn.transaction():
        one.rows("select 1")
        one.clock("10 minutes")
        assert one.complete(one.take("tr_x"), {"a": "2"}).status == "F"


def test_k09_late_by_the_papers_protocol_without_a_reaper(one: Kit) -> None:
    wid = one.start(a="1")
    with refused("WD204"), one.conn.transaction():
        one.lock(one.conn, wid, one.pending(wid)[0].tgid)
        one.clock("61 seconds")
        one.rows("update {f}.wed_flow set a = '2' where wid = %s", [wid])
    assert one.state(wid) == {"a": "1"}


def test_k09_a_lock_taken_late_in_a_long_transaction_has_its_whole_time(one: Kit) -> None:
    """The reaper looked at the locks just before: a lock that it did not see is younger than that."""
    wid = one.start(a="1")
    reaper = one.connect()
    one.clock("10 minutes", reaper)
    with one.conn.transaction():
        one.rows("select 1")
        api.maintenance.reap(conn=reaper)
        one.clock("10 minutes")
        one.lock(one.conn, wid, one.pending(wid)[0].tgid)
        one.rows("update {f}.wed_flow set a = '2' where wid = %s", [wid])
    assert one.status(wid) == "F"


def test_k09_a_lock_the_reaper_saw_has_its_time_from_there(one: Kit) -> None:
    wid = one.start(a="1")
    reaper = one.connect()
    with refused("WD204"), one.conn.transaction():
        one.lock(one.conn, wid, one.pending(wid)[0].tgid)
        one.clock("10 minutes", reaper)
        api.maintenance.reap(conn=reaper)
        one.clock("30 seconds", reaper)
        one.clock("11 minutes 1 second")
        one.rows("update {f}.wed_flow set a = '2' where wid = %s", [wid])


@pytest.mark.mode("single", "batch", "held", why="a lease ends by itself")
def test_k09_the_reaper_ends_an_idle_holder(one: Kit) -> None:
    wid = one.start(a="1")
    holder = one.connect(user="wed_worker")
    holder.autocommit = False
    job = one.take("tr_x", wid, holder)
    one.reap()
    assert one.reap("61 seconds")["ended"] == 1
    with pytest.raises(psycopg.OperationalError):
        holder.execute("select 1")
    assert one.logged(wid) == ["timeout"]
    assert one.pending(wid)[0].attempts == 1
    until(lambda: bool(api.jobs.take_many(one.name, ["tr_x"], 1, job_ids=[job.id], conn=one.conn)))


@pytest.mark.mode("single", "batch", "held", why="a lease ends by itself")
def test_k09_the_reaper_cancels_a_running_statement_only(one: Kit) -> None:
    wid = one.start(a="1")
    holder, watcher = one.connect(user="wed_worker"), one.connect()
    one.take("tr_x", wid, holder)  # outside a transaction: it only shows that the role has the right
    why: list[str | None] = []

    def work() -> None:
        try:
            with holder.transaction():
                one.take("tr_x", wid, holder)
                holder.execute("select pg_sleep(30)")
        except psycopg.Error as error:
            why.append(error.sqlstate)

    thread = threading.Thread(target=work)
    thread.start()
    pid = holder.info.backend_pid
    until(
        lambda: one.one("select wait_event from pg_stat_activity where pid = %s", [pid], watcher) == "PgSleep"
    )
    api.maintenance.reap(conn=watcher)
    one.clock("61 seconds", watcher)
    assert api.maintenance.reap(conn=watcher)["ended"] == 1
    thread.join(10)
    assert why == ["57014"]
    assert holder.execute("select 1").fetchone() == (1,), "the session itself lives on"


def test_k09_a_session_that_may_not_be_ended_does_not_stop_the_reaper(one: Kit) -> None:
    """Only a superuser may end a superuser's session; the rest of the round is done all the same."""
    wid, leased = one.start(a="1"), one.start(a="1")
    holder = one.connect()
    with holder.transaction(force_rollback=True):
        one.lock(holder, wid, one.pending(wid)[0].tgid)
        api.jobs.lease_many(one.name, ["tr_x"], 1, "h", conn=one.conn)
        one.reap()
        done = one.reap("61 seconds")
    assert (done["ended"], done["expired"]) == (0, 1)
    assert one.logged(leased) == ["expired"]


def test_k09_the_reaper_leaves_those_in_time(one: Kit) -> None:
    wid = one.start(a="1")
    holder = one.connect()
    holder.autocommit = False
    job = one.take("tr_x", wid, holder)
    one.reap()
    assert one.reap("59 seconds")["ended"] == 0
    one.complete(job, {"a": "2"}, conn=holder)
    holder.commit()
    assert one.status(wid) == "F"


@pytest.mark.mode("single", "batch", "held", why="a lease has an end, whatever the job")
def test_k62_the_exception_job_has_no_timeout(one: Kit) -> None:
    wid = one.start(a="1")
    one.run("tr_x", wid, a="0")
    assert one.pending(wid)[0].timeout is None
    with one.conn.transaction():
        job = one.take("_EXCPT", wid)
        one.clock("30 days")
        assert one.complete(job, {"a": "2"}).status == "F"


def test_k43_reap_is_bounded(one: Kit) -> None:
    api.instances.start_many(one.name, [{"a": "1"}] * 5, conn=one.conn)
    api.jobs.lease_many(one.name, ["tr_x"], 5, "h", conn=one.conn)
    one.clock("2 minutes")
    assert [api.maintenance.reap(2, conn=one.conn)["expired"] for _ in range(4)] == [2, 2, 1, 0]


@pytest.mark.mode("single", "held", why="others end with their transaction")
def test_k09_a_session_that_swallows_the_cancellation_is_ended(one: Kit) -> None:
    wid = one.start(a="1")
    holder, watcher = one.connect(user="wed_worker"), one.connect()
    ready = threading.Event()

    def work() -> None:
        with suppress(psycopg.Error), one.step(holder):
            one.take("tr_x", wid, holder)
            ready.set()
            holder.execute(
                "do $$ begin loop begin perform pg_sleep(30);"
                " exception when query_canceled then null; end; end loop; end $$"
            )

    thread = threading.Thread(target=work)
    thread.start()
    assert ready.wait(10)
    pid = holder.info.backend_pid
    until(lambda: sleeps(one, pid, watcher))
    api.maintenance.reap(conn=watcher)
    one.clock("61 seconds", watcher)
    assert api.maintenance.reap(conn=watcher)["ended"] == 1
    until(lambda: sleeps(one, pid, watcher))
    one.clock("64 seconds", watcher)
    api.maintenance.reap(conn=watcher)
    thread.join(10)
    assert holder.broken
    assert one.logged(wid) == ["timeout"], "one attempt, not two"


def sleeps(kit: Kit, pid: int, watcher: psycopg.Connection) -> bool:
    """Return whether the session is in pg_sleep now."""
    return (
        kit.one("select wait_event from pg_stat_activity where pid = %s", [pid], watcher) == "PgSleep"  # type: ignore[no-any-return]
    )


def test_k09_a_session_that_is_never_idle_for_long_is_ended(one: Kit) -> None:
    """Each of its statements is a transaction; what counts is how long it holds the job."""
    wid = one.start(a="1")
    holder = one.connect(user="wed_worker")
    assert one.rows("select * from {f}.hold(array['tr_x'])", conn=holder)
    for offset in ("0", "50 seconds", "100 seconds"):
        holder.execute("select 1")
        assert one.reap(offset)["ended"] == 0
    holder.execute("select 1")
    assert one.reap("121 seconds")["ended"] == 1
    assert one.logged(wid) == ["timeout"]
    with pytest.raises(psycopg.OperationalError):
        holder.execute("select 1")


def test_k09_a_job_taken_again_by_the_same_session_has_its_whole_time(one: Kit) -> None:
    wid = one.start(a="1")
    holder = one.connect(user="wed_worker")
    for offset in ("0", "50 seconds", "100 seconds"):
        with holder.transaction(force_rollback=True):
            assert api.jobs.take_many(one.name, ["tr_x"], 1, conn=holder)
            assert one.reap(offset)["ended"] == 0
    assert one.logged(wid) == []


@pytest.mark.mode("single", "batch", "lease", why="a held job is a commit of its own")
def test_k09_a_commit_that_comes_late(one: Kit) -> None:
    wid = one.start(a="1")
    with refused("WD204"), one.conn.transaction():
        one.complete(one.take("tr_x", wid), {"a": "2"})
        one.clock("61 seconds")
    one.clock("0")
    assert (one.state(wid), one.status(wid), one.jobs(wid)) == ({"a": "1"}, "R", ["tr_x"])


@pytest.mark.mode("single", "batch", "lease", why="a held job is a commit of its own")
def test_k09_a_commit_in_time_leaves_no_row(one: Kit) -> None:
    wid = one.start(a="1")
    with one.conn.transaction():
        one.complete(one.take("tr_x", wid), {"a": "2"})
        one.clock("55 seconds")
    assert (one.status(wid), one.one("select count(*) from wedsql.commit_by")) == ("F", 0)


@pytest.mark.mode("single", "batch", "lease", why="a held job is a commit of its own")
def test_k09_a_set_string_whose_commit_comes_late(one: Kit) -> None:
    wid = one.start(a="1")
    with refused("WD204"), one.conn.transaction():
        one.complete(one.take("tr_x", wid), set_text="a = '2'")
        one.clock("61 seconds")
    assert one.state(wid) == {"a": "1"}


@pytest.mark.mode("single", why="a batch of its own")
def test_k09_the_shortest_time_of_a_batch_is_that_of_its_commit(one: Kit) -> None:
    one.trig("tr_slow", "a = '1'", timeout="10 minutes")
    wids = [one.start(a="1") for _ in range(3)]
    with refused("WD204") as caught, one.conn.transaction():
        jobs = [one.take(name, wid) for name, wid in zip(["tr_slow", "tr_x", "tr_slow"], wids, strict=True)]
        numbers = [list(column) for column in zip(*((j.wid, j.id) for j in jobs), strict=True)]
        changes = [json.dumps({"a": "1"})] * 3
        results = "select * from {f}.complete_many(%s, %s, array_fill(null::bigint, array[3]), %s::jsonb[])"
        assert all(row.ok for row in one.rows(results, [*numbers, changes]))
        one.clock("61 seconds")
    assert str(wids[1]) in caught.message
    assert [one.state(wid) for wid in wids] == [{"a": "1"}] * 3


def test_k09_a_late_commit_by_the_papers_protocol(one: Kit) -> None:
    wid = one.start(a="1")
    with refused("WD204"), one.conn.transaction():
        one.lock(one.conn, wid, one.pending(wid)[0].tgid)
        one.rows("update {f}.wed_flow set a = '2' where wid = %s", [wid])
        one.clock("61 seconds")
    one.clock("0")
    assert (one.state(wid), one.status(wid), one.jobs(wid)) == ({"a": "1"}, "R", ["tr_x"])
    assert one.one("select count(*) from wedsql.commit_by") == 0


def test_k28_one_statement_over_two_held_instances(one: Kit) -> None:
    wids = [one.start(a="1"), one.start(a="1")]
    with refused("WD202"), one.conn.transaction():
        for wid in wids:
            assert one.lock(one.conn, wid, one.pending(wid)[0].tgid)
        one.rows("update {f}.wed_flow set a = '2' where wid = any (%s)", [wids])
    assert [one.state(wid) for wid in wids] == [{"a": "1"}] * 2


def test_k09_a_late_result_is_refused_at_once_and_not_only_by_the_commit(one: Kit) -> None:
    wid = one.start(a="1")
    with one.conn.transaction(force_rollback=True):
        job = one.take("tr_x", wid)
        one.clock("61 seconds")
        with refused("WD204"):
            one.complete(job, {"a": "2"})
