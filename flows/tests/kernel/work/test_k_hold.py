"""Jobs that a session holds, each completed in a transaction of its own (K-07, K-09, K-23)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from flows.tests.kit import Connection, Kit, refused
from testkit.waiting import until

pytestmark = pytest.mark.kernel


def hold(kit: Kit, conn: Connection, limit: int = 1) -> list[tuple[int, int]]:
    rows = kit.rows("select wid, job_id from {f}.hold('{{tr_x}}', %s, 'ann')", [limit], conn)
    return [(row.wid, row.job_id) for row in rows]


def finish(kit: Kit, conn: Connection, job: tuple[int, int], a: str = "2") -> int:
    return int(kit.one("select {f}.complete_held(%s, %s, %s, 'ann')", [*job, f'{{"a": "{a}"}}'], conn))


def test_what_a_session_holds_is_kept_from_others_over_its_commits(one: Kit) -> None:
    wids = [one.start(a="1") for _ in range(3)]
    mine, other = one.connect(), one.connect()
    held = hold(one, mine, 2)
    assert [wid for wid, _ in held] == wids[:2]
    assert finish(one, mine, held[0]) == 2
    assert [wid for wid, _ in hold(one, other, 5)] == wids[2:], "the second is still held"
    assert finish(one, mine, held[1]) == 2
    assert [one.status(wid) for wid in wids] == ["F", "F", "R"]
    assert [(row.trw, row.actor) for row in one.trace(wids[0])][1:] == [("tr_x", "ann")]


def test_a_job_whose_result_is_not_committed_yet_is_kept_from_others(one: Kit) -> None:
    one.start(a="1")
    mine = one.connect()
    (job,) = hold(one, mine)
    with mine.transaction():
        finish(one, mine, job)
        assert hold(one, one.connect()) == []


def test_a_held_job_of_an_instance_that_runs_no_more_is_not_finished(one: Kit) -> None:
    wid = one.start(a="1")
    (job,) = hold(one, one.conn)
    one.rows("update wedsql.instance set status = 'S' where wid = %s", [wid])
    with refused("WD105"):
        finish(one, one.conn, job)


def test_one_result_undone_leaves_the_others(one: Kit) -> None:
    wids = [one.start(a="1") for _ in range(3)]
    mine = one.connect()
    held = hold(one, mine, 3)
    finish(one, mine, held[0])
    with pytest.raises(psycopg.Error), mine.transaction():
        finish(one, mine, held[1])
        mine.execute("select 1 / 0")
    finish(one, mine, held[2])
    assert [one.status(wid) for wid in wids] == ["F", "R", "F"]
    assert one.jobs(wids[1]) == ["tr_x"]


def test_a_new_hold_lets_the_old_one_go_and_a_hold_of_none_all(one: Kit) -> None:
    one.start(a="1")
    mine, other = one.connect(), one.connect()
    (job,) = hold(one, mine)
    assert hold(one, mine) == [job] and hold(one, other) == []
    assert hold(one, mine, 0) == []
    assert hold(one, other) == [job]
    with refused("WD203"):
        finish(one, mine, job)


def test_a_job_that_was_let_go_is_not_finished_though_it_is_free(one: Kit) -> None:
    wid = one.start(a="1")
    (job,) = hold(one, one.conn)
    hold(one, one.conn, 0)
    with refused("WD203"):
        finish(one, one.conn, job)
    assert one.status(wid) == "R"


def test_a_finished_job_that_fires_again_is_free(one: Kit) -> None:
    wid = one.start(a="1")
    (job,) = hold(one, one.conn)
    finish(one, one.conn, job, "1")
    again = one.pending(wid)[0].id
    assert hold(one, one.connect()) == [(wid, again)]


def test_f1_a_repeated_result_is_an_error_that_changes_nothing(one: Kit) -> None:
    wid = one.start(a="1")
    (job,) = hold(one, one.conn)
    finish(one, one.conn, job, "1")
    before = one.trace(wid)
    with refused("WD205"):
        finish(one, one.conn, job, "2")
    assert (one.trace(wid), one.state(wid)) == (before, {"a": "1"})


def test_a_job_that_was_never_held_is_not_finished(one: Kit) -> None:
    wid = one.start(a="1")
    (job,) = one.pending(wid)
    with refused("WD201"):
        finish(one, one.connect(), (wid, job.id))
    assert one.status(wid) == "R"


@pytest.mark.mode("single", "batch", why="a session holds a job, and a lease is held, over transactions")
def test_k07_a_job_of_an_ended_transaction_is_not_finished_in_one_that_took_another(one: Kit) -> None:
    wids = [one.start(a="1") for _ in range(2)]
    with one.conn.transaction():
        old = one.take("tr_x", wids[0])
    with refused("WD201"), one.conn.transaction():
        one.take("tr_x", wids[1])
        one.complete(old, {"a": "2"})
    assert [one.status(wid) for wid in wids] == ["R", "R"]


@pytest.mark.mode("single", "batch", "lease", why="a new hold lets the old one go")
def test_k07_jobs_taken_one_after_the_other_are_finished_together(one: Kit) -> None:
    wids = [one.start(a="1") for _ in range(3)]
    with one.conn.transaction():
        jobs = [one.take("tr_x", wid) for wid in wids]
        for job in jobs:
            one.complete(job, {"a": "2"})
    assert [one.status(wid) for wid in wids] == ["F", "F", "F"]


def test_k09_a_held_job_has_its_time(one: Kit) -> None:
    wid = one.start(a="1")
    mine = one.connect()
    (job,) = hold(one, mine)
    one.clock("61 seconds", mine)
    with refused("WD204"):
        finish(one, mine, job)
    assert (one.status(wid), one.jobs(wid)) == ("R", ["tr_x"])


def test_k09_the_reaper_ends_a_session_that_sits_on_a_job(one: Kit) -> None:
    wid = one.start(a="1")
    mine = one.connect(user="wed_worker")
    (job,) = hold(one, mine)
    one.reap("0")
    assert one.reap("61 seconds")["ended"] == 1
    assert one.logged(wid) == ["timeout"]
    with pytest.raises(psycopg.OperationalError):
        finish(one, mine, job)
    one.clock("10 minutes")
    until(lambda: hold(one, one.conn) == [job])


def test_a_parallel_step_sees_what_the_other_made(kit: Kit) -> None:
    """Two sessions hold two branches at once: the second commit sees the first and ends the instance."""
    kit.attrs("a", "b")
    kit.trig("tr_x", "a is null")
    kit.trig("tr_y", "b is null")
    kit.final("a = '2' and b = '2'")
    wid = kit.start()
    sessions = [kit.connect(), kit.connect()]
    names = ["tr_x", "tr_y"]
    held = [
        kit.rows("select wid, job_id from {f}.hold(%s, 1)", [[name]], conn)[0]
        for name, conn in zip(names, sessions, strict=True)
    ]
    for job, conn, name in zip(held, sessions, "ab", strict=True):
        kit.one("select {f}.complete_held(%s, %s, %s)", [*job, f'{{"{name}": "2"}}'], conn)
    assert kit.status(wid) == "F"
    assert [row.before for row in kit.trace(wid)][1:] == [{"a": None}, {"b": None}]


@pytest.mark.mode("single", "lease", why="what is tried is the look at a job, before a lock on it")
def test_a_job_that_is_done_between_the_look_and_the_lock_is_not_handed_out(one: Kit) -> None:
    """For a transition with two conditions the kernel checks for an older job: there the session waits."""
    one.trig("tr_x", "a = '9'")
    wid = one.start(a="1")
    slow, holder = one.connect(), one.connect()
    whole = one.one("select pg_get_functiondef('wedsql._waits(integer, bigint)'::regprocedure)")
    one.rows(
        "create or replace function wedsql._waits(p_wid integer, p_id bigint) returns boolean"
        " language plpgsql as $$ begin perform pg_advisory_xact_lock_shared(424242); return false; end $$"
    )
    try:
        with ThreadPoolExecutor(1) as pool:
            with holder.transaction():
                holder.execute("select pg_advisory_xact_lock(424242)")
                answer = pool.submit(one.mode.take, slow, "tr_x", None)
                waiting = "select count(*) from pg_locks where not granted and pid = %s"
                until(lambda: one.one(waiting, [slow.info.backend_pid]) > 0)
                one.rows("delete from wedsql.job_pool where wid = %s", [wid])
            assert answer.result(10) is None
    finally:
        one.rows(whole)
