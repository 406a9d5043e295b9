"""The door: the only Python that calls the kernel's functions.

Every function works on Django's default connection, or on the psycopg connection given as `conn`, inside
whatever transaction that connection is in. What the kernel refuses is raised as a class of flows.errors;
the *_many functions answer with one result an item instead, so that one refusal touches nobody else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from flows.calls import JSON, quoted, rows, to_json, value
from flows.errors import WedError, error_for
from flows.types import Completion, FailResult, Failure, Job, Offer, PublishReport, StartResult, StepResult

State = Mapping[str, Any]


def create_flow(name: str, *, label: str = "", final_when_pending: str = "reject", conn: Any = None) -> int:
    """Create an empty flow with its schema; its id. Raises BadName."""
    return value(conn, "select wedsql.create_flow(%s, %s, %s)", (name, label, final_when_pending))


def drop_flow(name: str, *, force: bool = False, conn: Any = None) -> None:
    """Remove a flow, with `force` its instances and history too. Raises UnknownFlow, AttributeInUse."""
    value(conn, "select wedsql.drop_flow(%s, %s)", (name, force))


def definition(flow: str, *, conn: Any = None) -> dict[str, Any]:
    """Read a flow's whole definition, in an order that never changes by itself. Raises UnknownFlow."""
    return value(conn, "select wedsql.definition(%s)", (flow,))


def publish(
    flow: str,
    definition: State,
    *,
    dry_run: bool = False,
    reopen_final: bool = False,
    actor: str = "",
    reason: str = "",
    conn: Any = None,
) -> PublishReport:
    """Make the flow what the definition says and re-match living instances; with dry_run only tell."""
    report = value(
        conn,
        "select wedsql.publish(%s, %s, %s, %s, %s, %s)",
        (flow, JSON(definition), dry_run, reopen_final, actor, reason),
    )
    return PublishReport(**report)


def rematch(
    flow: str,
    wids: Sequence[int] | None = None,
    *,
    reopen_final: bool = False,
    actor: str = "",
    reason: str = "",
    conn: Any = None,
) -> dict[str, Any]:
    """Try the conditions again on living instances; counts of what followed. Raises UnknownFlow, LockBusy."""
    numbers = None if wids is None else list(wids)
    return value(
        conn,
        "select wedsql.rematch(%s, %s::integer[], %s, %s, %s)",
        (flow, numbers, reopen_final, actor, reason),
    )


def start(
    flow: str, state: State | None = None, *, actor: str = "", key: str | None = None, conn: Any = None
) -> int:
    """Start an instance; its number. The same key again gives the same number.

    Raises UnknownFlow, UnknownAttribute, WrongType, NoMatch, ConditionError.
    """
    result = start_many(flow, [state or {}], actor=actor, keys=[key], conn=conn)[0]
    if result.error is not None:
        raise result.error
    assert result.wid is not None  # noqa: S101 - the kernel answers with a number or an error
    return result.wid


def start_many(
    flow: str,
    states: Iterable[State],
    *,
    actor: str = "",
    keys: Sequence[str | None] | None = None,
    conn: Any = None,
) -> list[StartResult]:
    """Start many instances in one go; one result a state, in their order. Raises UnknownFlow."""
    texts = [to_json(state) for state in states]
    found = rows(
        conn,
        "select ord, wid, status, sqlstate, message, hint, detail"
        " from wedsql.start_many(%s, %s::jsonb[], %s, %s::text[])",
        (flow, texts, actor, list(keys) if keys else None),
    )
    return [
        StartResult(ord, wid, status, _error(*why))
        for ord, wid, status, *why in sorted(found, key=lambda row: row[0])
    ]


def take(flow: str, transitions: Sequence[str], *, actor: str = "", conn: Any = None) -> Job | None:
    """Take one ready job for the current transaction, None when there is none."""
    return next(iter(take_many(flow, transitions, 1, actor=actor, conn=conn)), None)


def take_many(
    flow: str,
    transitions: Sequence[str],
    limit: int,
    *,
    actor: str = "",
    job_ids: Sequence[int] | None = None,
    conn: Any = None,
) -> list[Job]:
    """Take up to `limit` ready jobs of different instances for this transaction; nothing is written."""
    found = rows(
        conn,
        "select * from wedsql.take(%s, %s::text[], %s::integer, %s, %s::bigint[])",
        (flow, list(transitions), limit, actor, None if job_ids is None else list(job_ids)),
    )
    return [_job(flow, row) for row in found]


def lease_many(
    flow: str,
    transitions: Sequence[str],
    limit: int,
    holder: str,
    *,
    duration: timedelta | None = None,
    job_ids: Sequence[int] | None = None,
    conn: Any = None,
) -> list[Job]:
    """Claim up to `limit` ready jobs durably, each with a token and an expiry; commit before the work."""
    found = rows(
        conn,
        "select * from wedsql.lease(%s, %s::text[], %s::integer, %s, %s::interval, %s::bigint[])",
        (flow, list(transitions), limit, holder, duration, None if job_ids is None else list(job_ids)),
    )
    return [_job(flow, row) for row in found]


def complete(
    job: Job, changes: State | None = None, *, set_text: str | None = None, actor: str = "", conn: Any = None
) -> StepResult:
    """Commit the result of a job: changed attributes or the paper's SET string.

    Raises NotOwner, Timeout, StaleJob, FinalPending, UnknownAttribute, WrongType, WriteSet, BadSet ...
    """
    result = complete_many(job.flow, [Completion(job, changes, set_text)], actor=actor, conn=conn)[0]
    if result.error is not None:
        raise result.error
    return result


def complete_many(
    flow: str, completions: Iterable[Completion], *, actor: str = "", conn: Any = None
) -> list[StepResult]:
    """Commit the results of several jobs of one flow; one result a job, in no particular order."""
    done = sorted(completions, key=lambda c: c.job.wid)
    sets = [c.set_text for c in done]
    found = rows(
        conn,
        "select job_id, ok, seq, status, fired, sqlstate, message, hint, detail from wedsql.complete_many("
        "%s, %s::integer[], %s::bigint[], %s::bigint[], %s::jsonb[], %s, %s::text[])",
        (
            flow,
            [c.job.wid for c in done],
            [c.job.id for c in done],
            [c.job.claim for c in done],
            [to_json(c.changes or {}) for c in done],
            actor,
            sets if any(text is not None for text in sets) else None,
        ),
    )
    return [
        StepResult(job_id, ok, seq, status, fired, _error(*why))
        for job_id, ok, seq, status, fired, *why in found
    ]


def fail(
    job: Job, message: str, *, outcome: str = "failed", sqlstate: str = "", actor: str = "", conn: Any = None
) -> FailResult | None:
    """Count a failed attempt: the job comes back later or is parked. None when it was no longer ours."""
    failures = [Failure(job, message, sqlstate)]
    return next(iter(fail_many(job.flow, failures, outcome=outcome, actor=actor, conn=conn)), None)


def fail_many(
    flow: str, failures: Iterable[Failure], *, outcome: str = "failed", actor: str = "", conn: Any = None
) -> list[FailResult]:
    """Count failed attempts of several jobs of one flow; a job that is not the caller's has no answer."""
    found = list(failures)
    answers = rows(
        conn,
        "select job_id, attempts, parked, not_before from wedsql.fail_many("
        "%s, %s::integer[], %s::bigint[], %s::bigint[], %s::text[], %s::text[], %s, %s)",
        (
            flow,
            [f.job.wid for f in found],
            [f.job.id for f in found],
            [f.job.claim for f in found],
            [f.message for f in found],
            [f.sqlstate or None for f in found],
            outcome,
            actor,
        ),
    )
    return [FailResult(*answer) for answer in answers]


def extend(job: Job, duration: timedelta, *, conn: Any = None) -> datetime:
    """Make a lease last `duration` from now; the new expiry. Raises NotOwner, Timeout, StaleJob."""
    sql = "select wedsql.extend(%s::integer, %s::bigint, %s::bigint, %s)"
    return value(conn, sql, (job.wid, job.id, job.claim, duration))


def release(job: Job, *, actor: str = "", conn: Any = None) -> None:
    """Give a leased job back; no attempt is counted. Raises NotOwner, Timeout, StaleJob."""
    sql = "select wedsql.release(%s::integer, %s::bigint, %s::bigint, %s)"
    value(conn, sql, (job.wid, job.id, job.claim, actor))


def cancel(wid: int, reason: str, *, actor: str = "", conn: Any = None) -> None:
    """Cancel an instance without compensation; needs a reason. Raises UnknownInstance, NotRunning."""
    value(conn, "select wedsql.cancel(%s::integer, %s, %s)", (wid, reason, actor))


def offer(
    flow: str, transitions: Sequence[str], limit: int = 100, *, exclude: Sequence[int] = (), conn: Any = None
) -> list[Offer]:
    """Look at ready jobs without holding any."""
    found = rows(
        conn,
        "select job_id, wid, tgid, trname from wedsql.offer(%s, %s::text[], %s::integer, %s::bigint[])",
        (flow, list(transitions), limit, list(exclude)),
    )
    return [Offer(*row) for row in found]


def register_worker(
    kind: str, name: str, host: str, pid: int, serves: Sequence[str], *, conn: Any = None
) -> int:
    """Make this process known as serving 'flow:transition' names; it is woken on channel wedsql_w<number>."""
    return value(
        conn,
        "select wedsql.register_worker(%s, %s, %s, %s::integer, %s::text[])",
        (kind, name, host, pid, list(serves)),
    )


def heartbeat(worker: int, waiting: bool, *, conn: Any = None) -> bool:
    """Tell that the worker lives and whether it sleeps; False when it must register again."""
    return value(conn, "select wedsql.heartbeat(%s::bigint, %s)", (worker, waiting))


def unregister_worker(worker: int, *, conn: Any = None) -> None:
    """Forget a worker."""
    value(conn, "select wedsql.unregister_worker(%s::bigint)", (worker,))


def reap(limit: int = 200, *, conn: Any = None) -> dict[str, int]:
    """Do one bounded round of what time does (overdue work, leases, timers, pickup deadlines); counts."""
    return value(conn, "select wedsql.reap(%s::integer)", (limit,))


def next_due(*, conn: Any = None) -> datetime | None:
    """Tell when the next lease or timer falls due."""
    return value(conn, "select wedsql.next_due()", ())


def maintain(*, conn: Any = None) -> dict[str, int]:
    """Make the partitions of the months ahead; counts."""
    return value(conn, "select wedsql.maintain()", ())


def check_invariants(limit: int | None = None, *, conn: Any = None) -> datetime | None:
    """Check the eight invariants, keep what was found for the pages; None while somebody else checks."""
    return value(conn, "select wedsql.check_invariants(%s)", (limit,))


def report_disk(free: int, total: int, *, conn: Any = None) -> None:
    """Say how many bytes of the database's disk are free; under 5 % nothing is started for five minutes."""
    value(conn, "select wedsql.report_disk(%s::bigint, %s::bigint)", (free, total))


def data_directory(*, conn: Any = None) -> str | None:
    """Where the server keeps its files, None when the kernel may not know."""
    return value(conn, "select wedsql.data_directory()", ())


def check_predicate(flow: str, predicate: str, *, conn: Any = None) -> str:
    """Render a predicate as the kernel evaluates it. Raises PredicateRefused, PredicateType with position."""
    return value(conn, "select wedsql.check_predicate(%s, %s)", (flow, predicate))


def schema_name(flow: str) -> str:
    """Quote a flow's schema for use in a search_path."""
    return quoted(flow)


def _error(sqlstate: str | None, message: str, hint: str | None, detail: str | None) -> WedError | None:
    return error_for(sqlstate, message, hint=hint or "", detail=detail or "") if sqlstate else None


def _job(flow: str, row: Sequence[Any]) -> Job:
    return Job(row[0], flow, *row[1:])
