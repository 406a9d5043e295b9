"""Proofs for the guards of taking: a job is handed out once."""

from __future__ import annotations

import threading

from chaos.guarded import Bench, must, until_waiting
from flows.types import ClaimedJob


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
    found: list[ClaimedJob] = []
    with holder.transaction():
        holder.execute("select pg_advisory_xact_lock(424242)")
        thread = threading.Thread(target=lambda: found.extend(b.take("tr_a", slow)))
        thread.start()
        until_waiting(b, slow)
        b.sql("delete from wedsql.job_pool where wid = %s and trname = 'tr_a'", wid)
    thread.join(10)
    must(not found, "a job that is gone was handed out")
