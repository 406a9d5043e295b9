"""Proofs that the reaper returns what is overdue, and that one item never stops a round or the retention."""

from __future__ import annotations

from chaos.checks_paper import close_role, own_session, poison
from chaos.guarded import FLOW, Bench, Connection, must
from flows import api

RAISES = (
    "create or replace function wedsql.{} returns {} language plpgsql as $$ begin raise 'poisoned'; end $$"
)


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


def reaper_returns(b: Bench) -> None:
    """A lease that has run out is offered again."""
    b.start()
    b.lease("tr_a")
    b.sql("set wedsql.test_offset = '2 minutes'")
    api.reap(conn=b.conn)
    must(b.sql("select count(*) from job_pool where state = 'P' and trname = 'tr_a'") == 1, "the lease stays")


def kind_fails(b: Bench) -> None:
    """What cannot even be looked for in one flow ends neither the round nor its other kinds."""
    b.start()
    job = b.lease("tr_a")
    b.sql("update wed_trig set pickup_deadline = '1 minute' where trname = 'tr_b'")
    b.sql("update wedsql.job_pool set not_before = '294276-12-31 23:59:59' where trname = 'tr_b'")
    must(_expired(b) == [job.wid], "the lease of the other transition was not given back")


def locked_flow(b: Bench) -> None:
    """A table that somebody locks keeps the reaper from no other flow."""
    api.create_flow("other", conn=b.conn)
    b.sql("insert into other.wed_attr (aname) values ('a')")
    b.sql("insert into other.wed_trig (trname, cpred) values ('tr_x', 'a is null')")
    api.start("other", {}, conn=b.conn)
    job = api.lease_many("other", ["tr_x"], 1, "checks", conn=b.conn)[0]
    b.start()
    b.lease("tr_a")
    locker = b.session()
    with locker.transaction():
        locker.execute("lock table wed_flow")
        b.sql("set lock_timeout = '300ms'")
        must(_expired(b, "6 minutes") == [job.wid], "the lease of the other flow was not given back")


def sums_fail(b: Bench) -> None:
    """Failed conditions that cannot be added up do not end the round."""
    _survives(b, "_fold_condition_errors(p_max integer)", "void")


def sessions_fail(b: Bench) -> None:
    """Sessions that cannot be looked through do not end the round."""
    _survives(b, "_see_locks(p_now timestamptz)", "void")


def strangers_fail(b: Bench) -> None:
    """Locks that cannot be looked through do not end the round."""
    _survives(b, "_reap_locks(p_max integer)", "integer")


def holder_fails(b: Bench) -> None:
    """A session whose attempt cannot be counted keeps no other from being ended."""
    sick, well = b.start(), b.start()
    poison(b, "after insert on wedsql.job_log", f"new.wid = {sick}")
    sessions = []
    for wid in (sick, well):
        sessions.append(_hold(b, wid))
        api.reap(conn=b.conn)  # sees it now: the first is the first to be ended
    b.sql("set wedsql.test_offset = '2 minutes'")
    try:
        api.reap(conn=b.conn)
    finally:
        close_role(b, *sessions)
    ended = b.sql("select count(*) from wedsql.job_log where wid = %s and outcome = 'timeout'", well)
    must(ended == 1, "the other session holds its job for ever")


def endless_item(b: Bench) -> None:
    """After an item that statement_timeout ended, the round does nothing more, as nothing would end that."""
    for _ in range(2):
        b.start()
        b.lease("tr_a")
    b.sql(
        "create function endless() returns trigger language plpgsql as"
        " $$ begin perform pg_sleep(1.2); return new; end $$"
    )
    b.sql("create trigger endless after insert on wedsql.job_log for each row execute function endless()")
    b.sql("set statement_timeout = '600ms'")
    must(_expired(b) == [], "the next item was begun without a limit")


def retired_alone(b: Bench) -> None:
    """An instance that cannot leave the database keeps no other from it."""
    wids = [b.start() for _ in range(3)]
    for _ in wids:
        api.complete(b.lease("tr_b"), {"b": "1"}, conn=b.conn)
        api.complete(b.lease("tr_a"), {"a": "end"}, conn=b.conn)
    b.sql("update wedsql.flow set retention = '1 day' where name = %s", FLOW)
    poison(b, "before delete on wedsql.instance", f"old.wid = {wids[1]}")
    b.sql("set wedsql.test_offset = '2 days'")
    must(b.sql("select wedsql.retire(%s, %s)", FLOW, wids) == 2, "the others stay")
    must(b.sql("select count(*) from wedsql.wed_trace where wid = %s", wids[1]) == 3, "it lost its history")
    told = b.sql("select count(*) from wedsql.trouble where kind = 'retired' and wid = %s", wids[1])
    must(told == 1, "nobody is told")


def _survives(b: Bench, function: str, answer: str) -> None:
    """Let a function of the kernel fail: a lease is given back all the same."""
    b.sql(RAISES.format(function, answer))
    wid = b.start()
    b.lease("tr_a")
    must(_expired(b) == [wid], "the lease was not given back")


def _expired(b: Bench, later: str = "2 minutes") -> list[int]:
    """Return the instances whose leases a round after that time gave back."""
    b.sql("select set_config('wedsql.test_offset', %s, false)", later)
    api.reap(conn=b.conn)
    rows = b.conn.execute("select wid from wedsql.job_log where outcome = 'expired' order by wid").fetchall()
    return [row[0] for row in rows]


def _hold(b: Bench, wid: int) -> Connection:
    """Return a session in whose open transaction a job of the instance is held."""
    session = own_session(b)
    session.execute("begin")
    query = "select pg_advisory_xact_lock(wid, tgid) from job_pool where wid = %s and trname = 'tr_a'"
    session.execute(query, [wid])
    return session
