"""Moments that PostgreSQL has and clients have not are rejected, or shown as the closest that they have."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from flows import api
from flows.tests.kit import Kit

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken")]
EXTREME = (
    "200000-01-01 00:00Z", "10000-01-01 00:00Z", "0044-03-15 00:00Z BC", "infinity", "-infinity",
    "0001-01-01 00:00+14", "9999-12-31 23:59:59-12",
)  # fmt: skip
# What stores a moment that a client gives: the call, with one parameter for the moment. A text says why a
# function needs no such test.
DAY = "wedsql.now() + interval '1 day'"
SETTERS = {
    "set_absence": (
        f"select wedsql.set_absence('ana', 'bob', %s, {DAY}, 'ana')",
        "select wedsql.set_absence('ana', 'bob', wedsql.now(), %s, 'ana')",
    ),
    "delegate_approvals": (
        f"select wedsql.delegate_approvals({{n}}, 'ana', 'bob', %s, {DAY}, 'ana')",
        "select wedsql.delegate_approvals({n}, 'ana', 'bob', wedsql.now(), %s, 'ana')",
    ),
    "put_task_aside": ("select wedsql.put_task_aside({task}, 'ana', %s)",),
    "extend_task_deadline": ("select wedsql.extend_task_deadline({task}, 'ana', %s, true)",),
    "wait_case": ("select wedsql.wait_case({case}, %s, 'ana', 'So.')",),
    "change_case": ("select wedsql.change_case({case}, jsonb_build_object('due_at', %s::text), 'ana')",),
    "request_publication": ("select wedsql.request_publication({n}, 'main', 1, '', false, %s)",),
    "request_rollback": ("select wedsql.request_rollback({n}, 1, '', false, %s)",),
    "create_worker_key": (
        "select wedsql.create_worker_key('shown', jsonb_build_object({n}, '[]'::jsonb), %s)",
    ),
    "silence_alert": "the moment is within a year, as here that of wait_case",
    "what_if": "it is read only", "proposed_rule": "it is read only",
    "settle_alert_rule": "the moment is that of the reaper",
    "queue_case_digest": "the moment is that of the reaper", "case_digest_sent": "it is read only",
    "watch": "a client gives none",
}  # fmt: skip
OPEN = """
select table_name, column_name from information_schema.columns join information_schema.tables t
using (table_schema, table_name) where table_schema = 'wedsql' and data_type like 'timestamp with%%'
and t.table_type = 'BASE TABLE'
"""


def strange(kit: Kit) -> set[str]:
    """Return the columns in which a moment is that clients cannot show."""
    found = set()
    for table, column in kit.rows(OPEN):
        outside = f"not {column} between '0002-01-01' and '9999-01-02'"
        if kit.one(f'select count(*) from wedsql."{table}" where isfinite({column}) and {outside}'):
            found.add(f"{table}.{column}")
        if kit.one(f'select count(*) from wedsql."{table}" where not isfinite({column})'):
            found.add(f"{table}.{column}, without end")
    return found


@pytest.fixture
def desk(kit: Kit) -> dict[str, Any]:
    """A task that ana holds, a case, and a draft."""
    kit.attrs("a", "b")
    kit.attr("d", kind="timestamptz")
    kit.trig("tr_p", "a is null", performer="person", role="X", deadline="1 day")
    kit.trig("tr_later", "a = 'later' and b is null", due_attr="d")
    kit.final("b is not null")
    (task,) = api.tasks.of_instance(kit.start(), conn=kit.conn)
    api.tasks.take(task.job_id, "ana", ["r:X"], conn=kit.conn)
    (other,) = api.tasks.of_instance(kit.start(), conn=kit.conn)
    api.tasks.take(other.job_id, "ana", ["r:X"], conn=kit.conn)
    api.tasks.complete(other.job_id, "ana", {"a": "nowhere"}, conn=kit.conn)
    api.drafts.open(kit.name, conn=kit.conn)
    (case,) = api.cases.list([kit.name], conn=kit.conn)
    return {"kit": kit, "task": task.job_id, "case": case.number}


@pytest.mark.parametrize("name", [name for name, given in SETTERS.items() if not isinstance(given, str)])
def test_no_moment_is_stored_that_clients_cannot_show(desk: dict[str, Any], name: str) -> None:
    kit = desk["kit"]
    before = strange(kit)
    for call in SETTERS[name]:
        statement = call.replace("{task}", str(desk["task"])).replace("{case}", str(desk["case"]))
        for moment in EXTREME:
            with kit.conn.transaction(force_rollback=True):
                try:
                    kit.rows(statement, [moment])
                except psycopg.Error as error:
                    assert (error.sqlstate or "").startswith("WD"), (call, moment, error)
                    continue
                assert strange(kit) == before, (call, moment)


@pytest.mark.parametrize("moment", EXTREME)
def test_a_rule_that_waits_for_ever_stops_neither_the_reaper_nor_a_page(kit: Kit, moment: str) -> None:
    kit.attrs("a")
    kit.attr("d", kind="timestamptz")
    kit.trig("tr_later", "a is null", due_attr="d")
    kit.final("a is not null")
    wid = kit.start(d=moment)
    found = api.reasons.explain_instance(wid, conn=kit.conn)
    assert found.rules[0].due_at is None or found.rules[0].due_at.year in (2, 9998)
    due = kit.one("select wedsql.next_due()")
    assert due is None or due.year < 9999
    api.maintenance.reap(conn=kit.conn)


def test_each_function_that_takes_a_moment_is_tried_or_needs_no_test(kit: Kit) -> None:
    found = kit.rows(
        "select proname from pg_proc where pronamespace = 'wedsql'::regnamespace and proname !~ '^_'"
        " and provolatile = 'v' and 'timestamptz'::regtype = any (proargtypes)"
        " and prosrc ~ '(insert into|update) wedsql[.]|perform wedsql[.]|request'"
    )
    assert {each.proname for each in found} <= {*SETTERS}, "add it to SETTERS"
