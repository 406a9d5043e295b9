"""Proofs for the guards of results: who may give which one, and when."""

from __future__ import annotations

import threading

import psycopg

from chaos.guarded import Bench, must, refused, until_waiting
from flows import api
from flows.errors import WedError


def fence(b: Bench) -> None:
    """A result with the claim of an earlier lease is refused."""
    b.start()
    old = b.lease("tr_a")
    api.release(old, conn=b.conn)
    b.lease("tr_a")
    with refused("WD203"):
        api.complete(old, {"a": "1"}, conn=b.conn)


def fence_of_failures(b: Bench) -> None:
    """A failure told with the claim of an earlier lease does not take the job from its holder."""
    b.start()
    old = b.lease("tr_a")
    api.release(old, conn=b.conn)
    new = b.lease("tr_a")
    api.fail(old, "late", conn=b.conn)
    api.complete(new, {"a": "1"}, conn=b.conn)


def lease_expiry(b: Bench) -> None:
    """The result of a lease that has run out is refused, even before the reaper came."""
    b.start()
    job = b.lease("tr_a")
    b.sql("set wedsql.test_offset = '2 minutes'")
    with b.conn.transaction(force_rollback=True), refused("WD204"):
        api.complete(job, {"a": "1"}, conn=b.conn)


def timeout_at_commit(b: Bench) -> None:
    """The result of a transaction that took longer than the timeout is refused."""
    b.start()
    with b.conn.transaction(force_rollback=True), refused("WD204"):
        job = b.take("tr_a", b.conn)[0]
        b.sql("set local wedsql.test_offset = '2 minutes'")
        api.complete(job, {"a": "1"}, conn=b.conn)


def late_commit(b: Bench) -> None:
    """A result in time whose commit comes late is refused."""
    b.start()
    with refused("WD204"), b.conn.transaction():
        api.complete(b.take("tr_a", b.conn)[0], {"a": "1"}, conn=b.conn)
        b.sql("set local wedsql.test_offset = '2 minutes'")


def other_result(b: Bench) -> None:
    """A second result for a job, with other values, is not answered as the first one was."""
    b.start()
    job = b.lease("tr_a")
    api.complete(job, {"a": "1"}, conn=b.conn)
    with refused("WD205"):
        api.complete(job, {"a": "2"}, conn=b.conn)


def repeated_result(b: Bench) -> None:
    """A result that is sent again gets the first answer and is applied once."""
    b.start()
    job = b.lease("tr_a")
    first = api.complete(job, {"a": "1"}, actor="checks", conn=b.conn)
    again = api.complete(job, {"a": "1"}, actor="checks", conn=b.conn)
    must(first.seq == again.seq, "the second answer is another one")


def own_job(b: Bench) -> None:
    """A result for a job that this transaction did not take is refused."""
    b.start()
    with b.conn.transaction():
        job = b.take("tr_a", b.conn)[0]
    with refused("WD201"):
        api.complete(job, {"a": "1"}, conn=b.conn)


def taken_here(b: Bench) -> None:
    """A result for a job of an earlier transaction is refused, though this one took another job."""
    b.start()
    with b.conn.transaction():
        job = b.take("tr_a", b.conn)[0]
    with refused("WD201"), b.conn.transaction():
        b.take("tr_b", b.conn)
        api.complete(job, {"a": "1"}, conn=b.conn)


def others_job(b: Bench) -> None:
    """A result for a job that another transaction holds is refused."""
    b.start()
    other = b.session()
    with other.transaction():
        job = b.take("tr_a", other)[0]
        with refused("WD203"), b.conn.transaction():
            b.take("tr_b", b.conn)
            api.complete(job, {"a": "1"}, conn=b.conn)


def own_job_leaves(b: Bench) -> None:
    """The job of a finished transition leaves the pool, so that it cannot be done again."""
    wid = b.start()
    api.complete(b.lease("tr_a"), {"a": "1"}, conn=b.conn)
    must(b.sql("select count(*) from job_pool where wid = %s and trname = 'tr_a'", wid) == 0, "the job stays")


def write_set(b: Bench) -> None:
    """A result that writes what its trigger does not declare is refused."""
    b.start()
    with refused("WD210"):
        api.complete(b.lease("tr_b"), {"a": "1"}, conn=b.conn)


def held_failure(b: Bench) -> None:
    """A failure of a job that nobody holds counts nothing."""
    b.start()
    with b.conn.transaction():
        job = b.take("tr_a", b.conn)[0]
    must(api.fail(job, "no", conn=b.conn) is None, "an attempt was counted")


def attempts_end(b: Bench) -> None:
    """After its attempts a job is parked, and the instance is an exception."""
    wid = b.start()
    b.sql("update wed_trig set max_attempts = 1 where trname = 'tr_a'")
    api.fail(b.lease("tr_a"), "no", conn=b.conn)
    must(b.sql("select status = 'E' from wedsql.instance where wid = %s", wid), "it goes on for ever")


def instance_first(b: Bench) -> None:
    """A result that waits for a cancellation sees it, and is refused."""
    wid = b.start()
    other = b.session()
    answers: list[str | None] = []
    job = b.lease("tr_a")

    def finish() -> None:
        try:
            answers.append(api.complete(job, {"a": "1"}, conn=b.session()).status)
        except (WedError, psycopg.Error) as error:
            answers.append(error.code if isinstance(error, WedError) else error.sqlstate)

    with other.transaction():
        api.cancel(wid, "changed my mind", conn=other)
        thread = threading.Thread(target=finish)
        thread.start()
        until_waiting(b)
    thread.join(10)
    must(answers in (["WD105"], ["WD205"]), f"the result was answered with {answers}")


def final_pending(b: Bench) -> None:
    """A result that would end the instance while other work is pending is refused."""
    b.start()
    with refused("WD103"):
        api.complete(b.lease("tr_a"), {"a": "end"}, conn=b.conn)
