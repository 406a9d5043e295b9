"""Calls that register a process as a worker, as in flows.engine.registration."""

from __future__ import annotations

from collections.abc import Sequence

from workers.client.statement import Command, Statement, texts

_REGISTER = Statement(
    "wed_register", "select wedsql.register_worker($1::text, $2::text, $3::text, $4::int, $5::text[])"
)
_HEARTBEAT = Statement("wed_heartbeat", "select wedsql.heartbeat($1::bigint, $2::boolean)")
_UNREGISTER = Statement("wed_unregister", "select wedsql.unregister_worker($1::bigint)")
_PROBLEMS = Statement("wed_problems", "select wedsql.report_problems($1::bigint, $2::text)")
_NEVER_OFFERED = Statement(
    "wed_never_offered",
    "select serves, flow, near, message, hint from wedsql.never_offered($1::text[])",
)
# The flows whose jobs need a key that the session has not, of names 'flow:transition' and ':transition'.
_WITHOUT_KEY = Statement(
    "wed_without_key",
    "select f.name, string_agg(distinct t.trname, ', '),"
    " coalesce(current_setting('wedsql.worker_login', true), '') = 'on'"
    " from wedsql.flow f join wedsql.trig t on t.flow_id = f.id"
    " where f.worker_keys and not t.cfinal and t.integrity is null and not t.signal and t.child is null"
    " and t.performer = 'worker' and ($2::text[] = '{}' or f.name = any ($2))"
    " and (f.name || ':' || t.trname = any ($1::text[]) or ':' || t.trname = any ($1))"
    " and not wedsql.may_work(f.name, t.trname) group by f.name order by f.name",
)


def register_worker(kind: str, name: str, host: str, pid: int, serves: Sequence[str]) -> Command:
    """Return the call that registers a process for 'flow:transition' names and answers its number."""
    return _REGISTER, (kind.encode(), name.encode(), host.encode(), str(pid).encode(), texts(serves))


def heartbeat(worker: int | None, waiting: bool) -> Command:
    """Return the call that reports the worker as alive, idle or not; false means: register again."""
    return _HEARTBEAT, (str(worker).encode(), b"t" if waiting else b"f")


def unregister_worker(worker: int) -> Command:
    """Return the call that removes a worker."""
    return _UNREGISTER, (str(worker).encode(),)


def report_problems(worker: int | None, text: str) -> Command:
    """Return the call that reports which handlers the worker cannot serve, and why."""
    return _PROBLEMS, (str(worker).encode(), text.encode("utf-8", "replace"))


def never_offered(serves: Sequence[str]) -> Command:
    """Return the call that answers which of the served names no worker gets a job of, and why."""
    return _NEVER_OFFERED, (texts(serves),)


def without_key(names: Sequence[str], flows: Sequence[str]) -> Command:
    """Return the query for the flows, of these or of all, whose jobs the key of this session is not for."""
    return _WITHOUT_KEY, (texts(names), texts(flows))
