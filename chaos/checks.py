"""One small proof for each guard of the kernel: AssertionError when the guard is not there."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import psycopg

from chaos.guarded import FLOW, Bench, must, refused, until_waiting
from flows import api
from flows.errors import WedError
from flows.types import Job


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


def held_failure(b: Bench) -> None:
    """A failure of a job that nobody holds counts nothing."""
    b.start()
    with b.conn.transaction():
        job = b.take("tr_a", b.conn)[0]
    must(api.fail(job, "no", conn=b.conn) is None, "an attempt was counted")


def one_instance(b: Bench) -> None:
    """One UPDATE over two held instances is refused."""
    wids = [b.start(), b.start()]
    with refused("WD202"), b.conn.transaction():
        b.sql(
            "select count(pg_try_advisory_xact_lock(wid, tgid)) from wedsql.job_pool"
            " where wid = any (%s) and trname = 'tr_a'", wids
        )  # fmt: skip
        b.sql("update wed_flow set a = '1' where wid = any (%s)", wids)


def reaper_isolates(b: Bench) -> None:
    """A lease that cannot be given back keeps no other from it."""
    sick, well = b.start(), b.start()
    api.lease_many(FLOW, ["tr_a"], 2, "checks", conn=b.conn)
    b.sql("create function poison() returns trigger language plpgsql as $$ begin raise 'poisoned'; end $$")
    b.sql(
        "create trigger poison after insert on wedsql.job_log for each row"
        f" when (new.wid = {sick}) execute function poison()"
    )
    b.sql("set wedsql.test_offset = '2 minutes'")
    api.reap(conn=b.conn)
    query = "select count(*) from wedsql.job_log where wid = %s and outcome = 'expired'"
    must(b.sql(query, well) == 1, "the other lease was not given back")


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


def one_taker(b: Bench) -> None:
    """Two transactions do not get the same job."""
    b.start()
    other = b.session()
    with other.transaction(), b.conn.transaction():
        must(b.take("tr_a", other), "nobody got it")
        must(not b.take("tr_a", b.conn), "both got it")


def taken_afresh(b: Bench) -> None:
    """A job that somebody finished between the look and the lock is not handed out a second time."""
    wid = b.start()
    b.sql(
        "insert into wed_trig (trname, cpred) values ('tr_a', 'a = ''never''')"
    )  # a shared name: _waits is asked
    b.sql(
        "create or replace function wedsql._waits(p_wid integer, p_id bigint) returns boolean"
        " language plpgsql as $$ begin perform pg_advisory_xact_lock_shared(424242); return false; end $$"
    )
    holder, slow = b.session(), b.session()
    found: list[Job] = []
    with holder.transaction():
        holder.execute("select pg_advisory_xact_lock(424242)")
        thread = threading.Thread(target=lambda: found.extend(b.take("tr_a", slow)))
        thread.start()
        until_waiting(b, slow)
        b.sql("delete from wedsql.job_pool where wid = %s and trname = 'tr_a'", wid)
    thread.join(10)
    must(not found, "a job that is gone was handed out")


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


def paper_lock(b: Bench) -> None:
    """A plain UPDATE of wed_flow without the lock of a job is refused."""
    wid = b.start()
    with refused("WD201"):
        b.sql("update wed_flow set a = '1' where wid = %s", wid)


def paper_insert(b: Bench) -> None:
    """A plain INSERT into wed_flow is a settled instance."""
    wid = b.sql("insert into wed_flow default values returning wid")
    must(b.sql("select count(*) from wedsql.job_pool where wid = %s", wid) == 2, "nothing fired")


def paper_session_lock(b: Bench) -> None:
    """A lock of the session instead of the transaction is refused."""
    wid = b.start()
    tgid = b.sql("select tgid from job_pool where wid = %s and trname = 'tr_a'", wid)
    b.sql("select pg_advisory_lock(%s, %s)", wid, tgid)
    with refused("WD207"):
        b.sql("update wed_flow set a = '1' where wid = %s", wid)


def final_pending(b: Bench) -> None:
    """A result that would end the instance while other work is pending is refused."""
    b.start()
    with refused("WD103"):
        api.complete(b.lease("tr_a"), {"a": "end"}, conn=b.conn)


def first_state(b: Bench) -> None:
    """A first state that matches nothing starts nothing."""
    with refused("WD101"):
        api.start(FLOW, {"a": "1", "b": "1"}, conn=b.conn)


def key_once(b: Bench) -> None:
    """Two starts with one key are one start."""
    must(b.start(key="k") == b.start(key="k"), "the key started two instances")


def repeated_result(b: Bench) -> None:
    """A result that is sent again gets the first answer and is applied once."""
    b.start()
    job = b.lease("tr_a")
    first = api.complete(job, {"a": "1"}, actor="checks", conn=b.conn)
    again = api.complete(job, {"a": "1"}, actor="checks", conn=b.conn)
    must(first.seq == again.seq, "the second answer is another one")


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


def attempts_end(b: Bench) -> None:
    """After its attempts a job is parked, and the instance is an exception."""
    wid = b.start()
    b.sql("update wed_trig set max_attempts = 1 where trname = 'tr_a'")
    api.fail(b.lease("tr_a"), "no", conn=b.conn)
    must(b.sql("select status = 'E' from wedsql.instance where wid = %s", wid), "it goes on for ever")


def reaper_returns(b: Bench) -> None:
    """A lease that has run out is offered again."""
    b.start()
    b.lease("tr_a")
    b.sql("set wedsql.test_offset = '2 minutes'")
    api.reap(conn=b.conn)
    must(b.sql("select count(*) from job_pool where state = 'P' and trname = 'tr_a'") == 1, "the lease stays")


def definition_rematches(b: Bench) -> None:
    """A trigger that is added by SQL fires on running instances at the commit."""
    b.start()
    b.sql("insert into wed_trig (trname, cpred) values ('tr_new', 'a = ''0''')")
    must(not _broken(b), f"broken: {_broken(b)}")


def pending_trigger_stays(b: Bench) -> None:
    """A trigger with pending work is not deleted."""
    b.start()
    with refused("WD007"):
        b.sql("delete from wed_trig where trname = 'tr_a'")


def dangerous_pattern(b: Bench) -> None:
    """A pattern that would take for ever is refused."""
    with refused("WD005"):
        b.sql("insert into wed_trig (trname, cpred) values ('tr_x', 'a ~ ''((a{1,100}){1,100}){1,100}''')")


def closed_vocabulary(b: Bench) -> None:
    """A predicate with a sub-query or a function out of the vocabulary is refused."""
    for text in ("a = (select 1)", "pg_sleep(1) is null", "a = current_user"):
        with refused("WD005"):
            b.sql("select wedsql.check_predicate(%s, %s)", FLOW, text)


def powerless_matcher(b: Bench) -> None:
    """Predicates are evaluated by a role that may read nothing."""
    owner = b.sql(
        "select pg_get_userbyid(p.proowner) from pg_proc p join wedsql.flow f on f.name = %s"
        " where p.proname = 'f_' || f.id and p.prosecdef", FLOW
    )  # fmt: skip
    must(owner == "wed_eval", f"the matcher runs as {owner}")


def never_deleted(b: Bench) -> None:
    """An instance is not deleted by hand."""
    wid = b.start()
    with refused("WD301"):
        b.sql("delete from wed_flow where wid = %s", wid)


def failing_predicate(b: Bench) -> None:
    """A predicate that fails at run time does not stop the others."""
    b.sql("insert into wed_trig (trname, cpred) values ('tr_bad', '1 / (length(a) - 1) = 1')")
    must(b.start(), "nothing was started")


def _broken(b: Bench) -> list[Any]:
    return b.conn.execute("select name, example from wedsql.invariants() where not ok").fetchall()


Check = Callable[[Bench], None]


def little_room(b: Bench) -> None:
    """Nothing is started on a disk that is nearly full; what runs goes on."""
    b.start()
    b.sql("select wedsql.report_disk(4, 100)")
    api.complete(b.lease("tr_a"), {"a": "1"}, conn=b.conn)
    with refused("WD905"):
        b.start()
