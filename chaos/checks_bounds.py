"""Proofs that neither a condition, a SET string nor a state takes what the server cannot give."""

from __future__ import annotations

from chaos.guarded import FLOW, Bench, must, refused
from flows import api
from flows.types import Completion

LIMIT = 1024 * 1024
COSTLY = "string_to_array(a, null) && string_to_array(b, null)"
LARGE = "repeat(a, 60) || repeat(b, 60) <> 'x'"
SIGNS = "a like any (string_to_array(b, ','))"


def costly_condition(b: Bench) -> None:
    """A condition that PostgreSQL could compute for minutes and not interrupt is refused."""
    with refused("WD006"):
        b.sql("select wedsql.check_predicate(%s, %s)", FLOW, COSTLY)


def large_condition(b: Bench) -> None:
    """A condition that could take gigabytes is refused."""
    with refused("WD006"):
        b.sql("select wedsql.check_predicate(%s, %s)", FLOW, LARGE)


def costly_set_string(b: Bench) -> None:
    """A SET string that could be computed for minutes is refused before it is."""
    b.start()
    with b.conn.transaction(force_rollback=True), refused("WD211"):
        b.sql("select wedsql._set_on(%s, %s, '{}')", FLOW, "c = translate(a, b, 'x')")


def large_start(b: Bench) -> None:
    """A first state is as small as any, its defaults included."""
    with refused("WD107"):
        api.start(FLOW, {"c": "x" * LIMIT}, conn=b.conn)
    b.sql("insert into wed_attr (aname, adv) values ('d', repeat('y', 9000))")
    with refused("WD107"):
        api.start(FLOW, {"c": "x" * (LIMIT - 5000)}, conn=b.conn)


def large_result(b: Bench) -> None:
    """A result that would make the state too large is refused."""
    api.start(FLOW, {"c": "x" * (LIMIT // 2)}, conn=b.conn)
    with refused("WD107"):
        api.complete(b.lease("tr_a"), {"b": "x" * (LIMIT // 2)}, conn=b.conn)


def large_results(b: Bench) -> None:
    """Of results that are given together one that would make its state too large is refused."""
    for _ in range(2):
        api.start(FLOW, {"c": "x" * (LIMIT // 2)}, conn=b.conn)
    jobs = api.lease_many(FLOW, ["tr_a"], 2, "checks", conn=b.conn)
    done = [Completion(job, {"b": "x" * (LIMIT // 2)}) for job in jobs]
    results = api.complete_many(FLOW, done, conn=b.conn)
    codes = [result.error.code if result.error else "" for result in results]
    must(codes == ["WD107", "WD107"], f"the results were answered with {codes}")


def large_insert(b: Bench) -> None:
    """A plain INSERT of a state that is too large is refused."""
    with refused("WD107"):
        b.sql("insert into wed_flow (c) values (repeat('x', %s))", LIMIT)


def large_update(b: Bench) -> None:
    """A plain UPDATE to a state that is too large is refused."""
    wid = b.start()
    with refused("WD107"), b.conn.transaction():
        b.sql("select pg_advisory_xact_lock(wid, tgid) from job_pool where wid = %s and trname = 'tr_a'", wid)
        b.sql("update wed_flow set c = repeat('x', %s) where wid = %s", LIMIT, wid)


def long_number(b: Bench) -> None:
    """A number that is short only as it is written is refused."""
    b.sql("insert into wed_attr (aname, type) values ('n', 'numeric')")
    with refused("WD003"):
        b.sql("select wedsql.start(%s, '{\"n\": 1e5000}')", FLOW)
    b.start()
    job = b.lease("tr_a")
    with refused("WD003"):
        api.complete(job, {"n": "1e5000"}, conn=b.conn)
