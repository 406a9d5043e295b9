"""Each moment that a table has is known, and none that a clock planned waits for one that was set back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from flows.tests.kit import Kit

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]
RULE, HOOK = {"kind": "count", "sign": ">"}, {"events": "{started}"}
# What a round of the reaper, a sender or a claim waits for, and what else of a row says that it waits. Once
# the clock that planned it is set back, it is due, or as soon as if it were planned now.
PLANNED: dict[str, dict[str, Any]] = {
    "alert_rule.measured_at": RULE, "alert_rule.next_at": RULE, "alert_rule.since": RULE,
    "case_digest.next_at": {"every": "day"}, "case_digest.since": {"every": "day"},
    "delivery.next_at": {"channel": "mail", "event_id": 1},
    "job_pool.lease_until": {}, "job_pool.not_before": {},
    "late_result.look_at": {"state": "kept"},
    "lock_seen.ended_at": {"xact_seen": "ahead"}, "lock_seen.first_seen": {"xact_seen": "ahead"},
    "lock_seen.xact_seen": {},
    "move.next_at": {"state": "released"}, "policy_wait.due_at": {},
    "repair_case.lease_until": {"state": "claimed"},
    "task.arrived_at": {"tgid": "trigger"}, "task.owned_at": {"tgid": "trigger"},
    "watch.seen_at": {}, "worker.seen_at": {},
    "webhook.failing_since": HOOK, "webhook.read_after": HOOK, "webhook.retry_at": HOOK,
}  # fmt: skip
# Where what reads them takes a time that is too late for one that was planned by a wrong clock.
READ_SO = {
    "attr_index.tried_at", "beat.seen_at", "bulk_row.tried_at", "child_job.due_at", "paper_client.seen_at",
    "person.seen_at", "trouble.retry_at", "task_watch.next_at",
}  # fmt: skip
# Moments that a person, a definition or another installation has set, or that follow from such; timers are
# moved with the jump (test_k_clock.py).
PROMISED = {
    "absence.from_at", "absence.until_at", "alert_rule.silenced_until", "calendar_span.from_at",
    "calendar_span.to_at", "commit_by.until", "delegation.begins_at", "delegation.ends_at",
    "device.away_until", "move.expires_at", "proposal.expires_at", "publication.publish_at",
    "repair_case.due_at", "repair_case.waits_until", "signal.keep_until", "sla_clock.due_at",
    "sla_clock.risk_at", "start_time.base_at", "start_time.due_at", "task.due_at", "task.hidden_until",
    "task_watch.due_at", "timer.due_at", "worker_key.expires_at", "worker_secret.valid_until",
}  # fmt: skip
# Names of columns that say when something happened; nothing waits for it.
HAPPENED = {
    "acknowledged_at", "added_at", "applied_at", "arrived_at", "assigned_at", "at", "away_since",
    "backend_start", "began_at", "begun_at", "blocked_at", "breached_at", "changed_at", "closed_at",
    "connected_at", "counted_at", "created_at", "decided_at", "done_at", "ended_at", "fired_at",
    "first_at", "finished_at", "given_at", "held_at", "last_at", "made_at", "opened_at", "paused_at",
    "proposed_at", "read_at", "received_at", "registered_at", "reported_at", "requested_at",
    "restored_at", "revoked_at", "saved_at", "sent_at", "settled_at", "started_at", "state_at",
    "stopped_at", "tstmp", "tx_at", "used_at", "xact_start",
}  # fmt: skip
HAPPENED_HERE = {"device.seen_at", "moved.since", "publication.tried_at"}
COLUMNS = """
select c.relname, a.attname, a.atttypid::regtype::text as type, a.attnotnull and not a.atthasdef
       and a.attidentity = '' as needed
from pg_attribute a join pg_class c on c.oid = a.attrelid
where c.relnamespace = 'wedsql'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
  and a.attnum > 0 and not a.attisdropped order by 1, a.attnum
"""
FILL = {
    "timestamp with time zone": "2000-01-01Z", "uuid": "12345678-1234-1234-1234-123456789012", "jsonb": "{}",
    "boolean": "false", "interval": "1 day", "pg_snapshot": "1:1:", '"char"': "O", "xid8": "1", "bytea": "x",
    "text": "x",
}  # fmt: skip


def test_each_moment_is_planned_promised_or_past(kit: Kit) -> None:
    known = {*PLANNED, *READ_SO, *PROMISED, *HAPPENED_HERE}
    found = [row for row in kit.rows(COLUMNS) if row.type == "timestamp with time zone"]
    others = [f"{row.relname}.{row.attname}" for row in found if row.attname not in HAPPENED]
    assert len(found) > 150
    assert [name for name in others if name not in known] == [], "planned by the clock, or not? See PLANNED."
    assert {*known} <= {f"{row.relname}.{row.attname}" for row in found}


@contextmanager
def inserted(kit: Kit, table: str, values: dict[str, Any]) -> Iterator[None]:
    """Insert a row that has only what it must have besides these values, and roll that back."""
    for row in kit.rows(COLUMNS):
        if row.relname == table and row.needed and row.attname not in values:
            values[row.attname] = "{}" if row.type.endswith("[]") else FILL.get(row.type, "1")
    names, marks = ", ".join(values), ", ".join(["%s"] * len(values))
    kit.rows("begin")
    try:
        kit.rows("set local session_replication_role = replica")  # without what the row refers to
        kit.rows(f"insert into wedsql.{table} ({names}) values ({marks})", [*values.values()])
        yield
    finally:
        kit.rows("rollback")


@pytest.mark.parametrize("column", PLANNED)
def test_f7_what_a_clock_planned_does_not_wait_for_it(kit: Kit, column: str) -> None:
    table, _dot, name = column.partition(".")
    ahead = kit.one("select wedsql.now() + interval '30 days'")
    meant = {"ahead": ahead, "trigger": kit.numbered_trig("tr_x", "true")}
    values = {each: meant.get(value, value) for each, value in PLANNED[column].items()}
    with inserted(kit, table, {**values, name: ahead}):
        kit.one("select wedsql._plan_back('30 days', wedsql.now())")
        left = kit.one(f"select extract(epoch from {name} - wedsql.now()) from wedsql.{table}")
    most = {"repair_case.lease_until": 1800, "case_digest.next_at": 86400}.get(column, 0)
    assert left <= most + 1
