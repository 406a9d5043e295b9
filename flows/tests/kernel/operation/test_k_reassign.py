"""A job that an operator assigned to a worker: only it takes the job, in each of the ways to take jobs."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest

from flows import api
from flows.capabilities.reasons import sentences
from flows.tests.kit import Connection, Kit, broken, refused

pytestmark = pytest.mark.kernel

ANN, BOB = "wedworker#1@print:812", "wedworker#1@desk:77"


@pytest.fixture
def shop(kit: Kit) -> Kit:
    kit.attrs("a", "b")
    kit.trig("tr_x", "a = '1'", backoff="1 hour", max_attempts=2)
    kit.final("a = '2'")
    kit.rows("delete from wedsql.worker")  # those of other tests
    return kit


def assign(kit: Kit, wid: int, to: str = ANN, **options: Any) -> int:
    job = int(kit.pending(wid)[0].id)
    api.operations.reassign_job(
        wid, job, to, "The printer.", actor="olga", conn=options.get("conn", kit.conn)
    )
    return job


def last(kit: Kit, wid: int) -> tuple[str, str, str]:
    query = "select trw, actor, reason from wedsql.wed_trace where wid = %s order by seq desc limit 1"
    return tuple(kit.rows(query, [wid])[0])


def offered(kit: Kit, actor: str) -> list[int]:
    return [job.wid for job in api.jobs.offer(kit.name, ["tr_x"], actor=actor, conn=kit.conn)]


def taken(kit: Kit, actor: str, conn: Connection | None = None) -> list[int]:
    conn = conn or kit.conn
    with conn.transaction(force_rollback=True):
        return [job.wid for job in api.jobs.take_many(kit.name, ["tr_x"], 5, actor=actor, conn=conn)]


def held(kit: Kit, actor: str, conn: Connection | None = None) -> list[int]:
    found = [row.wid for row in kit.rows("select wid from {f}.hold(array['tr_x'], 5, %s)", [actor], conn)]
    kit.rows("select pg_advisory_unlock_all()", conn=conn)
    return found


def leased(kit: Kit, actor: str, conn: Connection | None = None) -> list[int]:
    conn = conn or kit.conn
    with conn.transaction(force_rollback=True):
        return [job.wid for job in api.jobs.lease_many(kit.name, ["tr_x"], 5, actor, conn=conn)]


def worked(kit: Kit, actor: str) -> list[int]:
    """Do all jobs as a client of the paper's protocol, whose name is the setting wedsql.actor."""
    wids = [row.wid for row in kit.rows("select wid from wedsql.job_pool where trname = 'tr_x' order by id")]
    return [wid for wid in wids if _written(kit, wid, actor)]


def _written(kit: Kit, wid: int, actor: str) -> bool:
    client = kit.connect()
    try:
        with client.transaction(force_rollback=True):
            kit.rows("select set_config('wedsql.actor', %s, true)", [actor], client)
            query = "select pg_try_advisory_xact_lock(wid, tgid) from {f}.job_pool where wid = %s"
            kit.rows(query, [wid], client)
            kit.rows("update {f}.wed_flow set a = '2' where wid = %s", [wid], client)
    except psycopg.Error as error:
        assert (error.sqlstate, "is assigned to" in str(error)) == ("WD203", True)
        return False
    finally:
        client.close()
    return True


@pytest.mark.parametrize("way", [offered, taken, held, leased, worked])
def test_r13_only_the_worker_of_the_name_takes_it(shop: Kit, way: Callable[[Kit, str], list[int]]) -> None:
    first, second = shop.start(a="1"), shop.start(a="1")
    assign(shop, first)
    assert way(shop, BOB) == [second]
    assert way(shop, ANN) == [first, second]
    assert last(shop, first) == ("_RECOVER:reassign", "olga", f"tr_x * -> {ANN}: The printer.")
    assign(shop, first, "  ")
    assert way(shop, BOB) == [first, second]
    assert last(shop, first)[2] == f"tr_x {ANN} -> *: The printer."
    assert broken(shop) == []


@pytest.mark.parametrize("name", ["wedworker#1@print", "@print"])
def test_r13_a_name_that_several_workers_have(shop: Kit, name: str) -> None:
    wid = shop.start(a="1")
    assign(shop, wid, name)
    assert taken(shop, "wedworker#1@print:4711") == [wid]
    assert taken(shop, BOB) == taken(shop, "print") == taken(shop, "") == []


def test_r13_many_assigned_jobs_do_not_hide_the_others(shop: Kit) -> None:
    wids = [shop.start(a="1") for _ in range(12)]
    for wid in wids[:-1]:
        assign(shop, wid)
    assert offered(shop, BOB) == taken(shop, BOB) == held(shop, BOB) == leased(shop, BOB) == wids[-1:]


def test_r13_it_stays_assigned_when_it_is_tried_again(shop: Kit) -> None:
    wid = shop.start(a="1")
    job = assign(shop, wid)
    for hours in (0, 3):
        shop.clock(f"{hours} hours")
        with shop.conn.transaction():
            (found,) = api.jobs.take_many(shop.name, ["tr_x"], 1, actor=ANN, conn=shop.conn)
            api.jobs.fail(found, "broken", conn=shop.conn)
    assert shop.status(wid) == "E"
    api.operations.retry_job(wid, job, "Again.", conn=shop.conn)
    assert (taken(shop, BOB), taken(shop, ANN)) == ([], [wid])
    api.operations.suspend(wid, "Wait.", conn=shop.conn)
    with refused("WD105"):
        assign(shop, wid, "")
    api.operations.resume(wid, "Go on.", conn=shop.conn)
    shop.clock("9 hours")
    assert (taken(shop, BOB), taken(shop, ANN)) == ([], [wid])
    assert broken(shop) == []


def test_r13_a_job_that_is_held_is_released_first(shop: Kit) -> None:
    wid = shop.start(a="1")
    job = shop.pending(wid)[0].id
    (lease,) = api.jobs.lease_many(shop.name, ["tr_x"], 1, BOB, conn=shop.conn)
    with refused("WD203") as said:
        assign(shop, wid)
    assert "Release a lease first" in said.hint
    api.operations.release_job(wid, job, "Lost.", conn=shop.conn)
    assign(shop, wid)
    with refused("WD203"):
        api.jobs.complete(lease, {"a": "2"}, conn=shop.conn)
    worker = shop.connect()
    with worker.transaction(force_rollback=True):
        api.jobs.take_many(shop.name, ["tr_x"], 1, actor=ANN, conn=worker)
        with refused("WD203"):
            assign(shop, wid, "")


def test_r13_what_cannot_be_assigned_is_rejected(shop: Kit) -> None:
    wid = shop.start(a="1")
    job = shop.pending(wid)[0].id
    for to, reason in (("x" * 201, "x"), ("a\nb", "x"), (ANN, " ")):
        with refused("WD009"):
            api.operations.reassign_job(wid, job, to, reason, conn=shop.conn)
    with refused("WD205"):
        api.operations.reassign_job(wid, job + 1_000_000, ANN, "x", conn=shop.conn)
    other = shop.start(a="1")
    shop.run("tr_x", other, a="7")
    with refused("WD212"):
        assign(shop, other)


@pytest.mark.parametrize("way", [taken, held])
def test_r13_a_job_that_is_assigned_while_another_looks_for_jobs(kit: Kit, way: Callable[..., Any]) -> None:
    """The worker has seen the job as free and waits for a table before it locks the job."""
    kit.attrs("a", "b")
    kit.trig("tr_x", "a = '1'")
    kit.trig("tr_x", "b = '1'")
    wid, blocker, worker = kit.start(a="1"), kit.connect(), kit.connect()
    assert way(kit, BOB, worker) == [wid]
    waits = "select exists (select from pg_locks where not granted and relation = 'wedsql.trig'::regclass)"
    with ThreadPoolExecutor(1) as pool:
        with blocker.transaction():
            blocker.execute("lock table wedsql.trig in access exclusive mode")
            looking = pool.submit(way, kit, BOB, worker)
            while not kit.one(waits):
                assert not looking.done()
            assign(kit, wid)
        assert looking.result() == []


def register(kit: Kit, name: str, kind: str = "test") -> tuple[int, Connection]:
    """Register a worker that sleeps, and return its number and the connection on which it listens."""
    conn = kit.connect()
    number = api.workers.register(kind, name, "here", 1, [f"{kit.name}:tr_x"], conn=conn)
    kit.rows("select wedsql.heartbeat(%s, true)", [number], conn)
    conn.execute(f"listen wedsql_w{number:d}")
    return number, conn


def woken(*workers: tuple[int, Connection]) -> list[bool]:
    """Return which of them got a notification; earlier ones arrive before the second answer."""
    for _number, conn in workers:
        conn.execute("select 1")
        conn.execute("select 1")
    return [bool(list(conn.notifies(timeout=0))) for _number, conn in workers]


def test_r13_exactly_the_worker_to_which_it_is_assigned_is_notified(shop: Kit) -> None:
    wid = shop.start(a="1")
    workers = register(shop, BOB), register(shop, ANN), register(shop, "orders")
    woken(*workers)
    job = assign(shop, wid)
    assert woken(*workers) == [False, True, False]
    (lease,) = api.jobs.lease_many(shop.name, ["tr_x"], 1, ANN, conn=shop.conn)
    api.jobs.release(lease, conn=shop.conn)
    assert woken(*workers) == [False, True, False]
    api.jobs.lease_many(shop.name, ["tr_x"], 1, ANN, conn=shop.conn)
    api.operations.release_job(wid, job, "Lost.", conn=shop.conn)
    assert woken(*workers) == [False, True, False]
    api.operations.suspend(wid, "Wait.", conn=shop.conn)
    api.operations.resume(wid, "Go on.", conn=shop.conn)
    assert woken(*workers) == [False, True, False]
    assign(shop, wid, "@desk")
    assert woken(*workers) == [True, False, False]
    assign(shop, wid, "")
    assert sum(woken(*workers)) == 1


def why(kit: Kit, wid: int) -> tuple[str, dict[str, Any], str]:
    (job,) = api.reasons.explain_jobs(wid, conn=kit.conn)
    return job.waits_for, dict(job.facts), sentences.waiting(job)


def test_r13_it_says_to_whom_it_is_assigned_and_whether_that_worker_lives(shop: Kit) -> None:
    wid = shop.start(a="1")
    register(shop, BOB)
    assign(shop, wid)
    reason, facts, said = why(shop, wid)
    assert (reason, facts["to"], facts["by"], facts["seen"]) == ("no_assignee", ANN, "olga", None)
    assert facts["since"] and ANN in said and "no worker of this name" in said
    number, _conn = register(shop, f"{ANN} {shop.name}", "process")
    reason, facts, said = why(shop, wid)
    assert (reason, bool(facts["seen"]), facts["ahead"]) == ("assigned", True, 0)
    assert "no worker" not in said
    shop.rows("update wedsql.worker set seen_at = seen_at - interval '1 minute' where id = %s", [number])
    assert (why(shop, wid)[0], bool(why(shop, wid)[1]["seen"])) == ("no_assignee", True)


def test_r13_the_name_of_a_cluster_is_that_of_its_processes(shop: Kit) -> None:
    """The process that a cluster registers takes no job itself, so its own name counts as absent."""
    register(shop, f"qcluster@print:5 {shop.name}", "cluster")
    wid = shop.start(a="1")
    names = shop.rows("select n from wedsql.assignable_workers(%s, 'tr_x') n", [shop.id])
    assert [row.n for row in names] == ["qcluster@print", "@print"]
    for name, reason in (("qcluster@print", "assigned"), ("qcluster@print:5", "no_assignee")):
        assign(shop, wid, name)
        assert why(shop, wid)[0] == reason
