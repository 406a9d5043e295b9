"""Proofs for jobs that a session holds, and for results that take the shortest way into the history."""

from __future__ import annotations

from typing import Any

import psycopg

from chaos.guarded import FLOW, Bench, must, refused
from flows import api


def hold(conn: psycopg.Connection[Any], name: str) -> tuple[int, int] | None:
    """(instance, job) that this session holds now, if any."""
    row = conn.execute(f"select wid, job_id from {FLOW}.hold(%s, 1)", [[name]]).fetchone()  # noqa: S608
    return (row[0], row[1]) if row else None


def finish(conn: psycopg.Connection[Any], job: tuple[int, int] | None) -> None:
    """The result of a held job, a transaction of its own."""
    conn.execute(f"select {FLOW}.complete_held(%s, %s, %s)", [*(job or (0, 0)), '{"a": "1"}'])


def one_holder(b: Bench) -> None:
    """Two sessions do not hold the same job."""
    b.start()
    must(hold(b.session(), "tr_a"), "nobody got it")
    must(hold(b.session(), "tr_a") is None, "both got it")


def own_hold(b: Bench) -> None:
    """A result for a job that this session let go is refused."""
    b.start()
    job = hold(b.conn, "tr_a")
    hold(b.conn, "tr_b")
    with refused("WD203"):
        finish(b.conn, job)


def stopped(b: Bench) -> None:
    """The result of a job whose instance was stopped is refused."""
    wid = b.start()
    job = hold(b.conn, "tr_a")
    b.sql("update wedsql.instance set status = 'S' where wid = %s", wid)
    with refused("WD105"):
        finish(b.conn, job)


def fuse(b: Bench) -> None:
    """A cycle comes to its end however short the way of its results is."""
    b.sql("update wedsql.flow set max_firings = 3")
    b.sql("insert into wed_trig (trname, cpred) values ('tr_round', 'a in (''r'', ''s'')')")
    wid = api.start(FLOW, {"a": "r", "b": "1"}, conn=b.conn)
    for turn in range(8):
        job = hold(b.conn, "tr_round")
        if job is None:
            break
        b.conn.execute(f"select {FLOW}.complete_held(%s, %s, %s)", [*job, f'{{"a": "{"rs"[turn % 2]}"}}'])
    must(b.sql("select status = 'E' from wedsql.instance where wid = %s", wid), "it turns for ever")


def told_error(b: Bench) -> None:
    """A predicate that fails on a result is named in the history."""
    b.sql("insert into wed_trig (trname, cpred) values ('tr_bad', '1 / (length(c) - 1) = 1')")
    wid = b.start()
    job = hold(b.conn, "tr_b")
    b.conn.execute(f"select {FLOW}.complete_held(%s, %s, %s)", [*(job or (0, 0)), '{"b": "1", "c": "x"}'])
    must(b.sql("select errors from wedsql.wed_trace where wid = %s and seq = 2", wid), "nothing is told")


def kept_to_the_commit(b: Bench) -> None:
    """A job whose result is written but not committed yet is given to nobody else."""
    b.start()
    job = hold(b.conn, "tr_a")
    with b.conn.transaction():
        finish(b.conn, job)
        must(hold(b.session(), "tr_a") is None, "another got it before the commit")


def timeout_of_held(b: Bench) -> None:
    """The result of a job that the session held for longer than its timeout is refused."""
    b.start()
    job = hold(b.conn, "tr_a")
    b.sql("set wedsql.test_offset = '2 minutes'")
    with refused("WD204"):
        finish(b.conn, job)


def fires_itself(b: Bench) -> None:
    """A trigger that holds again after its own step fires again, as new work."""
    b.sql("insert into wed_trig (trname, cpred) values ('tr_on', 'a <> ''end'' and c is not null')")
    wid = api.start(FLOW, {"a": "x", "b": "x", "c": "x"}, conn=b.conn)
    first = hold(b.conn, "tr_on")
    finish(b.conn, first)
    second = hold(b.conn, "tr_on")
    must(first and second and first[1] != second[1] and second[0] == wid, "it does not go on")
