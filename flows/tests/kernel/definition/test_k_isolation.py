"""What one flow's role can reach of another flow: every relation, function, channel and lock.

They are found in the catalogs: a new view or function of a flow's schema is tested automatically, and one
whose arguments are unknown to these tests makes them fail.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql

from flows import api
from flows.tests.kit import Connection, Kit
from testkit.waiting import until

pytestmark = pytest.mark.kernel
SECRET = "sesame"  # in all data of the other flow
MODES = (
    *("access share", "row share", "row exclusive", "share update exclusive"),
    *("share", "share row exclusive", "exclusive", "access exclusive"),
)
HARMLESS = {"AccessShareLock", "RowShareLock", "RowExclusiveLock"}  # reads and writes take these, too
VIEWS = ("job_pool", "st_status", "wed_attr", "wed_trace", "wed_trig")
PLANS = (
    "set enable_indexscan = off; set enable_bitmapscan = off; set enable_indexonlyscan = off",
    "set enable_indexscan = on; set enable_bitmapscan = on; set enable_seqscan = off",
)
NOT_OURS = "n.nspname not in ('pg_catalog', 'information_schema')"


@pytest.fixture
def other(connect: Callable[..., Connection]) -> Iterator[Kit]:
    """Another flow, with an instance that is waiting, one that is leased and one that is an exception."""
    name = "other_flow"
    admin = connect()
    api.flows.create(name, label=SECRET, conn=admin)
    admin.execute(
        "select setval('wedsql.wid_seq', 7000000 + nextval('wedsql.wid_seq'))"
    )  # numbers that occur nowhere else
    kit = Kit(name, connect)
    kit.attr("word", SECRET)
    kit.attr("n", None, "integer")
    kit.trig("tr_pay", f"word like '{SECRET}%%'", label=SECRET)
    kit.trig("tr_shut", "n = 1")
    kit.trig("tr_more", "n = 7")
    kit.final("n = 9")
    api.instances.start_many(
        name, [{}] * 3, actor=SECRET, keys=[f"{SECRET}{i}" for i in range(3)], conn=admin
    )
    kit.lease("tr_pay")
    kit.run("tr_pay", None, word="open")
    yield kit
    api.flows.drop(name, force=True, conn=admin)


@pytest.fixture
def spy(one: Kit, other: Kit, dsn: str) -> Iterator[Connection]:
    """A session of the role of `one`, with a function that raises its argument as a notice."""
    one.one("select wedsql.open_flow_role(%s)", [one.name])
    one.start(a="1")
    uri = psycopg.conninfo.make_conninfo(dsn, user=one.name, options="")
    with closing(psycopg.connect(uri, autocommit=True)) as session:
        session.execute(
            "create function pg_temp.leak(p text) returns boolean language plpgsql cost 0.0000001"
            " as $$ begin raise notice '%', p; return true; end $$"
        )
        yield session
    one.one("select wedsql.close_flow_role(%s)", [one.name])


def reached(kit: Kit, role: str) -> list[str]:
    """Return the relations outside the catalogs on which the role has any right."""
    return kit.one(
        "select array_agg(format('%%I.%%I', n.nspname, c.relname) order by 1)"
        " from pg_class c join pg_namespace n on n.oid = c.relnamespace"
        f" where {NOT_OURS} and n.nspname !~ '^pg_' and has_schema_privilege(%s, n.oid, 'usage')"
        " and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S') and case c.relkind"
        " when 'S' then has_sequence_privilege(%s, c.oid, 'usage, select, update')"
        " else has_any_column_privilege(%s, c.oid, 'select, insert, update, references')"
        " or has_table_privilege(%s, c.oid, 'delete, truncate, trigger') end",
        [role] * 4,
    )


def snapshot(other: Kit) -> Any:
    """Return everything that is stored of the other flow, except the times of reading it."""
    tables = ("attr", "trig", "instance", "job_pool", "timer", "job_log", "wed_trace", "condition_error")
    found = {t: other.one(f"select jsonb_agg(to_jsonb(x) order by to_jsonb(x)::text) from wedsql.{t} x"
                          " where flow_id = %s", [other.id]) for t in tables}  # fmt: skip
    found["flow"] = other.one("select to_jsonb(f) from wedsql.flow f where id = %s", [other.id])
    found["wed_flow"] = other.one("select jsonb_agg(to_jsonb(w) order by wid) from {f}.wed_flow w")
    return found


def seen_by(spy: Connection, statement: str) -> list[str]:
    """Return the rows that a leaky function was called with, and the result of the statement."""
    seen: list[str] = []
    keep = lambda diagnostic: seen.append(diagnostic.message_primary or "")  # noqa: E731
    spy.add_notice_handler(keep)
    try:
        with spy.transaction(force_rollback=True):
            cursor = spy.execute(statement)  # type: ignore[call-overload]
            seen += [str(row) for row in cursor.fetchall()] if cursor.description else []
    except psycopg.Error as error:
        seen += [str(error), str(error.diag.message_detail)]
    finally:
        spy.remove_notice_handler(keep)
    return seen


def looks(kit: Kit, relation: str) -> list[str]:
    """Return every statement in which rows of a relation reach a function before they are filtered."""
    columns = kit.one(
        "select array_agg(quote_ident(attname) order by attnum) from pg_attribute"
        " where attrelid = %s::regclass and attnum > 0 and not attisdropped",
        [relation],
    )
    rows = [f"pg_temp.leak(r.{column}::text)" for column in columns] + ["pg_temp.leak(r::text)"]
    return [
        *(f"select * from {relation} r where {row}" for row in rows),
        f"select * from {relation} r where {rows[-1]} for update",
        f"select * from {relation} r order by pg_temp.leak(r::text)",
        f"delete from {relation} r where {rows[-1]}",
        *(f"update {relation} r set {column} = {column} where {rows[-1]}" for column in columns),
    ]


@pytest.mark.parametrize("plan", PLANS, ids=["without indexes", "with indexes"])
def test_no_function_in_a_where_sees_another_flow(one: Kit, other: Kit, spy: Connection, plan: str) -> None:
    before = snapshot(other)
    relations = reached(one, one.name)
    assert {
        f"{one.name}.{view}" for view in ("job_pool", "st_status", "wed_attr", "wed_trace", "wed_trig")
    } < {*relations}
    other_wids = {str(row.wid) for row in other.rows("select wid from {f}.wed_flow")}
    spy.execute(plan)  # type: ignore[call-overload]
    cases = 0
    for relation in relations:
        assert relation.startswith(f"{one.name}."), "this needs a test of its own"
        for statement in looks(one, relation):
            seen = " ".join(seen_by(spy, statement))
            assert SECRET not in seen and not other_wids & {*re.findall(r"[0-9]+", seen)}, statement
            cases += 1
    assert cases > 100 and snapshot(other) == before


def test_no_lock_of_a_flows_role_stops_another_flow(one: Kit, other: Kit, spy: Connection) -> None:
    """A lock on a view also locks the tables that it reads, and those belong to all flows."""
    granted = 0
    for relation in reached(one, one.name):
        for mode in MODES:
            try:
                with spy.transaction(force_rollback=True):
                    spy.execute(f"lock table {relation} in {mode} mode")  # type: ignore[call-overload]
                    beyond = spy.execute(
                        "select c.oid::regclass::text, l.mode"
                        " from pg_locks l join pg_class c on c.oid = l.relation"
                        " where l.pid = pg_backend_pid() and c.relnamespace not in"
                        " (%s::regnamespace, 'pg_catalog'::regnamespace)",
                        [one.name],
                    ).fetchall()
            except psycopg.errors.InsufficientPrivilege:
                continue
            granted += 1
            assert {held for _, held in beyond} <= HARMLESS, f"{relation} in {mode} mode: {beyond}"
    assert granted > 0


# Arguments for the functions of a flow, with the numbers of another flow.
ASKED: dict[str, str] = {
    "p_transitions": "array['tr_pay', 'tr_x', '_EXCPT']",
    "p_limit": "100",
    "p_actor": f"'{SECRET}'",
    "p_for": "'session'",
    "p_holder": "'spy'",
    "p_duration": "interval '1 minute'",
    "p_states": "array['{}'::jsonb]",
    "p_state": "'{}'::jsonb",
    "p_messages": "array_fill('no'::text, array[3])",
    "p_sqlstates": "array_fill(''::text, array[3])",
    "p_outcome": "'failed'",
    "p_kind": "'process'",
    "p_name": "'spy'",
    "p_host": "''",
    "p_pid": "1",
    "p_serves": "array['other_flow:tr_pay']",
    "p_waiting": "true",
}


def asked(other: Kit) -> dict[str, str]:
    """Return a value for each argument by name, taken from the other flow where it identifies something."""
    jobs = other.rows("select * from wedsql.job_pool where flow_id = %s order by wid, tgid", [other.id])[:3]
    wids, ids = [job.wid for job in jobs], [job.id for job in jobs]
    claims = [job.claim for job in jobs]
    claim = next(c for c in claims if c)

    def text(values: list[Any], kind: str) -> str:
        return f"array[{', '.join('null' if v is None else str(v) for v in values)}]::{kind}[]"

    return ASKED | {
        "p_wids": text(wids, "integer"),
        "p_job_ids": text(ids, "bigint"),
        "p_claims": text(claims, "bigint"),
        "p_changes": "array_fill('{}'::jsonb, array[3])",
        "p_sets": "array_fill('word = ''x'''::text, array[3])",
        "p_keys": f"array['{SECRET}0']",
        "p_key": f"'{SECRET}0'",
        "p_wid": str(next(j.wid for j in jobs if j.claim)),
        "p_job_id": str(next(j.id for j in jobs if j.claim)),
        "p_claim": str(claim),
        "p_set": "null",
        "p_worker": "1",
    }


def test_no_function_of_a_flow_reaches_another(one: Kit, other: Kit, spy: Connection) -> None:
    functions = one.rows(
        "select p.oid::regprocedure::text as name, format('%%I.%%I', n.nspname, p.proname) as call,"
        " p.proargnames as names,"
        " p.pronargs as n, p.pronargdefaults as defaults"
        f" from pg_proc p join pg_namespace n on n.oid = p.pronamespace where {NOT_OURS}"
        " and n.nspname !~ '^pg_'"
        " and has_schema_privilege(%s, n.oid, 'usage') and has_function_privilege(%s, p.oid, 'execute')"
        " order by 1",
        [one.name, one.name],
    )
    values, before, tried = asked(other), snapshot(other), 0
    assert len(functions) >= 5
    for function in functions:
        names = list(function.names or ())[: function.n]
        assert {*names} <= {*values}, f"{function.name}: how is it tried with what another flow has?"
        for known in range(function.n - function.defaults, function.n + 1):
            given = ", ".join(f"{name} => {values[name]}" for name in names[:known])
            seen = " ".join(seen_by(spy, f"select * from {function.call}({given})"))
            assert SECRET not in seen.replace(f"{SECRET}0", ""), function.name
            assert snapshot(other) == before, function.name
            tried += 1
    assert tried >= 10
    page = (Path(__file__).resolve().parents[4] / "docs" / "operating.md").read_text(encoding="utf-8")
    seen = page.split("call its functions (")[1].split(")")[0]
    assert {*re.findall(r"`(\w+)`", seen)} == {
        function.call.split(".")[1].strip('"') for function in functions
    }


CHANNELS = {"'wedsql_w' || w.id", "'wedsql_trace'", "'wedsql_flow'", "j.trname"}


def test_every_channel_carries_numbers_alone(one: Kit, other: Kit, spy: Connection) -> None:
    """Any role can listen to any channel: where there is one of another flow, no message has a state."""
    query = "select string_agg(prosrc, ' ') from pg_proc where pronamespace = 'wedsql'::regnamespace"
    sources = one.one(query)
    assert {*re.findall(r"pg_notify\(([^,]+),", sources)} == CHANNELS, "a new channel is listened to here"
    one.rows("delete from wedsql.worker")  # of other tests, which would be woken instead
    worker = api.workers.register("process", SECRET, SECRET, 1, ["other_flow:tr_more"], conn=one.conn)
    api.workers.heartbeat(worker, True, conn=one.conn)
    one.one("select wedsql.watch(null, %s)", [SECRET])
    channels = ("tr_pay", "tr_shut", "_EXCPT", "wedsql_trace", "wedsql_flow", f"wedsql_w{worker}")
    for channel in channels:
        spy.execute(sql.SQL("listen {}").format(sql.Identifier(channel)))
    before = other.rows("select wid from {f}.wed_flow")
    everything_happens(other)
    seen = list(spy.notifies(timeout=2))
    assert len(before) == 3 and {note.channel for note in seen} == {*channels}
    for note in seen:
        if note.channel.startswith("wedsql_"):
            assert re.fullmatch(r"[0-9:]*", note.payload), note
        else:
            job = json.loads(note.payload)
            named = {"id", "wid", "tgid", "trname", "timeout"}
            assert {key for key, value in job.items() if value is not None} <= named
            assert job["trname"] == note.channel and SECRET not in note.payload


def everything_happens(other: Kit) -> None:
    """Cause each kind of message."""
    api.instances.start(other.name, {"word": f"{SECRET} two"}, conn=other.conn)
    other.run("tr_pay", None, n="1", word="open")
    other.run("tr_shut", None, n="7")
    other.run("tr_more", None, n="2")
    other.trig("tr_late", "n = 8")


@pytest.mark.parametrize(
    "lock", ["pg_try_advisory_xact_lock(wid, tgid)", "pg_try_advisory_xact_lock(wid, -1)"]
)
def test_the_lock_of_another_flows_job_counts_as_no_attempt(
    one: Kit, other: Kit, spy: Connection, lock: str
) -> None:
    """A session with foreign locks is ended in the reaper's next round, long before the job's timeout."""
    jobs = other.rows("select wid, tgid from wedsql.job_pool where flow_id = %s", [other.id])
    spy.execute("begin")
    for job in jobs:
        taken = lock.replace("wid", str(job.wid)).replace("tgid", str(job.tgid))
        assert spy.execute(f"select {taken}").fetchone() == (True,)  # type: ignore[call-overload]
    before = snapshot(other)
    assert other.reap("0 seconds")["ended"] == 1
    until(lambda: not other.one("select 1 from pg_stat_activity where pid = %s", [spy.info.backend_pid]))
    other.reap("40 seconds")
    assert snapshot(other) == before and other.one("select count(*) from wedsql.lock_seen") == 0
    assert other.run("tr_pay", None, word="open").ok
    other.clock("0")


def test_no_session_fills_the_servers_table_of_locks(one: Kit, spy: Connection) -> None:
    """Its share is a quarter; a flow's own role, which may work on its jobs, has no more."""
    share = one.one("select wedsql._lock_share()")
    assert share == one.one(
        "select setting::integer / 4 * current_setting('max_connections')::integer"
        " from pg_settings where name = 'max_locks_per_transaction'"
    )
    spy.execute("begin")
    query = "select count(*) from generate_series(1, %s) n, pg_advisory_xact_lock(0, n)"
    spy.execute(query, [share])
    assert one.reap()["ended"] == 0
    spy.execute("select pg_advisory_xact_lock(0, 0)")
    assert one.reap()["ended"] == 1
    until(lambda: not one.one("select 1 from pg_stat_activity where pid = %s", [spy.info.backend_pid]))


def test_advisory_locks_are_for_those_who_work_with_them(one: Kit, spy: Connection) -> None:
    """Check each function that takes or releases an advisory lock, for each role."""
    roles = ["wed_web", "wed_worker", "wed_reaper", "wed_monitor", "wed_eval", "pg_monitor", one.name]
    functions = one.rows(
        "select r.role, p.oid::regprocedure::text as lock,"
        " has_function_privilege(r.role, p.oid, 'execute') as open"
        " from pg_proc p, unnest(%s::text[]) r (role)"
        " where p.pronamespace = 'pg_catalog'::regnamespace and p.proname like '%%advisory%%'",
        [roles],
    )
    assert len(functions) >= 7 * 21
    assert {(row.role, row.lock) for row in functions if row.open} == {
        (one.name, "pg_advisory_xact_lock(integer,integer)"),
        (one.name, "pg_try_advisory_xact_lock(integer,integer)"),
    }


@pytest.mark.parametrize("plan", PLANS, ids=["without indexes", "with indexes"])
def test_no_cheap_function_sees_an_instance_of_another_flow(
    one: Kit, other: Kit, spy: Connection, plan: str
) -> None:
    """A function that costs less than the comparison with the flow would be called before it."""
    other_wids = {str(row.wid) for row in other.rows("select wid from {f}.wed_flow")}
    shown: list[str] = []
    spy.add_notice_handler(lambda diagnostic: shown.append(diagnostic.message_primary or ""))
    spy.execute(
        "create function pg_temp.cheap(p anyelement) returns boolean language plpgsql cost 0.0000001"
        " as $$ begin raise notice '%', p; return true; end $$"
    )
    spy.execute(plan)  # type: ignore[call-overload]
    for view in ("job_pool", "st_status", "wed_trace"):
        spy.execute(f"select from {one.name}.{view} r where pg_temp.cheap(r.wid)")
    assert other_wids and not other_wids & {*shown}
