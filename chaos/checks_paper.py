"""Proofs for the guards of the paper's statements: what is refused, what follows, whose a lock is."""

from __future__ import annotations

import psycopg
from psycopg.conninfo import make_conninfo

from chaos.guarded import FLOW, Bench, Connection, must, refused
from flows import api

COLUMNS = {
    "wed_attr": "aname",
    "wed_trig": "trname",
    "job_pool": "wid",
    "wed_trace": "wid",
    "st_status": "wid",
}
A_JOB = "from job_pool where trname = 'tr_a'"


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


def one_instance(b: Bench) -> None:
    """One UPDATE over two held instances is refused."""
    wids = [b.start(), b.start()]
    with refused("WD202"), b.conn.transaction():
        b.sql(
            "select count(pg_try_advisory_xact_lock(wid, tgid)) from wedsql.job_pool"
            " where wid = any (%s) and trname = 'tr_a'", wids
        )  # fmt: skip
        b.sql("update wed_flow set a = '1' where wid = any (%s)", wids)


def never_deleted(b: Bench) -> None:
    """An instance is not deleted by hand."""
    wid = b.start()
    with refused("WD301"):
        b.sql("delete from wed_flow where wid = %s", wid)


def stale_refused(b: Bench) -> None:
    """An UPDATE for a job whose condition no longer holds (revalidate = at_take) is refused."""
    _refused_as_stale(b)


def stale_dropped(b: Bench) -> None:
    """The reaper drops a job for which an UPDATE was refused as stale, though the rollback took all back."""
    wid = _refused_as_stale(b)
    api.reap(conn=b.conn)
    must(not _has(b, wid, "tr_b"), "the stale job stays")


def stale_held(b: Bench) -> None:
    """A stale job that somebody holds is left to him until he lets it go."""
    wid = _refused_as_stale(b)
    holder = b.session()
    with holder.transaction():
        _lock(b, wid, "tr_b", holder)
        api.reap(conn=b.conn)
        must(_has(b, wid, "tr_b"), "a job was dropped that somebody holds")


def stale_waits(b: Bench) -> None:
    """A refusal of an instance that is locked waits for a later round."""
    wid = _refused_as_stale(b)
    other = b.session()
    with other.transaction():
        other.execute("select from wed_flow where wid = %s for update", [wid])
        api.reap(conn=b.conn)
    api.reap(conn=b.conn)
    must(not _has(b, wid, "tr_b"), "the refusal is forgotten")


def poisoned_refusal(b: Bench) -> None:
    """A refusal that cannot be acted on does not end the reaper's round."""
    _refused_as_stale(b)
    poison(b, "before delete on wedsql.job_pool", "true")
    api.reap(conn=b.conn)
    told = b.sql("select count(*) from wedsql.trouble where kind = 'refused'")
    must(told == 1, "nobody is told")


def final_blocked(b: Bench) -> None:
    """Jobs of the paper's clients that block each other become an exception."""
    b.sql("update wed_trig set writes = null")
    wid = b.start()
    for transition in ("tr_a", "tr_b"):
        with refused("WD103"), b.conn.transaction():
            _update(b, wid, transition, "a = 'end'")
        api.reap(conn=b.conn)
    must(b.sql("select status = 'E' from wedsql.instance where wid = %s", wid), "they wait for ever")


def lock_of_a_worker(b: Bench) -> None:
    """The lock that <flow>.hold took is the session's, whatever the session itself may lock."""
    _by_session(b, "select from hold(array['tr_a'], 1)")


def lock_of_a_session(b: Bench) -> None:
    """A lock of the session is no lock of the transaction, for a role that may take one."""
    _by_session(b, f"select pg_advisory_lock(wid, tgid) {A_JOB}")


def lock_that_was_tried(b: Bench) -> None:
    """Nor is one that did not wait."""
    _by_session(b, f"select pg_try_advisory_lock(wid, tgid) {A_JOB}")


def leaky_view(b: Bench) -> None:
    """A cheap function in the WHERE of a flow's role is given no row of another flow."""
    b.start()
    api.create_flow("secret", conn=b.conn)
    b.sql("insert into secret.wed_attr (aname, adv) values ('sesame', 'sesame')")
    b.sql("insert into secret.wed_trig (trname, cpred) values ('tr_sesame', 'sesame = ''sesame''')")
    b.sql("select setval('wedsql.wid_seq', 7000000)")  # no other number is like it
    wid = api.start("secret", {}, conn=b.conn)
    flow = own_session(b)
    told: list[str] = []
    flow.add_notice_handler(lambda diagnostic: told.append(diagnostic.message_primary or ""))
    flow.execute(
        "create function pg_temp.leak(p anyelement) returns boolean language plpgsql cost 0.0000001"
        " as $$ begin raise notice '%', p; return true; end $$"
    )
    try:
        for view, column in COLUMNS.items():
            for index in ("off", "on"):
                flow.execute(f"set enable_indexscan = {index}; set enable_bitmapscan = {index}")
                flow.execute(f"select from {view} r where pg_temp.leak(r.{column})")
            must(not {"sesame", "tr_sesame", str(wid)} & {*told}, f"{view} showed a row of another flow")
    finally:
        close_role(b, flow)


def lock_of_a_view(b: Bench) -> None:
    """The role of a flow locks none of the tables behind its views, which belong to all flows."""
    flow = own_session(b)
    try:
        for view in COLUMNS:
            with refused("42501"), flow.transaction():
                flow.execute(f"lock table {view} in access exclusive mode")
    finally:
        close_role(b, flow)


def poison(b: Bench, moment: str, condition: str) -> None:
    """Let a statement of the kernel fail where the condition is true of the row."""
    b.sql("create function poison() returns trigger language plpgsql as $$ begin raise 'poisoned'; end $$")
    b.sql(f"create trigger poison {moment} for each row when ({condition}) execute function poison()")


def _by_session(b: Bench, lock: str) -> None:
    """Take a lock for the session, as the flow's role, and have the UPDATE refused."""
    wid = b.start()
    b.sql("select wedsql.close_advisory_locks()")
    flow = own_session(b)
    function = lock.removeprefix("select ").split("(")[0]
    if function.startswith("pg_"):
        b.sql(f"grant execute on function {function}(integer, integer) to {FLOW}")
    try:
        flow.execute(lock)
        with refused("WD207"):
            flow.execute("update wed_flow set a = '1' where wid = %s", [wid])
    finally:
        close_role(b, flow)


def _refused_as_stale(b: Bench) -> int:
    b.sql("update wed_trig set revalidate = 'at_take', writes = null where trname = 'tr_b'")
    wid = b.start()
    with b.conn.transaction():
        _update(b, wid, "tr_a", "b = '1'")
    with refused("WD205"), b.conn.transaction():
        _update(b, wid, "tr_b", "c = 'late'")
    return wid


def _update(b: Bench, wid: int, transition: str, change: str) -> None:
    _lock(b, wid, transition, b.conn)
    b.sql(f"update wed_flow set {change} where wid = %s", wid)  # noqa: S608 - written here


def _lock(b: Bench, wid: int, transition: str, conn: Connection) -> None:
    query = "select pg_try_advisory_xact_lock(wid, tgid) from job_pool where wid = %s and trname = %s"
    must(conn.execute(query, [wid, transition]).fetchone() == (True,), "the job is not free")


def _has(b: Bench, wid: int, transition: str) -> bool:
    return bool(b.sql("select count(*) from job_pool where wid = %s and trname = %s", wid, transition))


def own_session(b: Bench) -> Connection:
    """Return a session of the flow's own role."""
    b.sql("select wedsql.open_flow_role(%s)", FLOW)
    uri = make_conninfo(b.dsn, user=FLOW, options="")
    session = psycopg.connect(uri, autocommit=True, prepare_threshold=None)
    b.opened.append(session)
    return session


def close_role(b: Bench, *sessions: Connection) -> None:
    """Close sessions of the flow's own role, and the role."""
    for session in sessions:
        session.close()
    b.sql("select wedsql.close_flow_role(%s)", FLOW)
