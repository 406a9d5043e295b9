"""Operations that give a worker its jobs: look, take by locks, claim by lease, prolong, give back."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from flows.api.connection import rows, value
from flows.types import ClaimedJob, Offer

# Each field of a job but its flow, and the column it is read from where the two have different names.
_FIELDS = tuple(field for field in ClaimedJob._fields if field != "flow")
_COLUMN_OF = {"id": "job_id", "transition": "trname"}
_COLUMNS = ", ".join(_COLUMN_OF.get(field, field) for field in _FIELDS)
_TAKE = f"select {_COLUMNS} from wedsql.take(%s, %s::text[], %s::integer, %s, %s::bigint[])"  # noqa: S608
_LEASE = (
    f"select {_COLUMNS} from"  # noqa: S608  # made of constants, as above
    " wedsql.lease(%s, %s::text[], %s::integer, %s, %s::interval, %s::bigint[])"
)


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


def take(flow: str, transitions: Sequence[str], *, actor: str = "", conn: Any = None) -> ClaimedJob | None:
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
) -> list[ClaimedJob]:
    """Take up to `limit` ready jobs of different instances for this transaction; nothing is written."""
    found = rows(
        conn,
        _TAKE,
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
) -> list[ClaimedJob]:
    """Claim up to `limit` ready jobs durably, each with a token and an expiry; commit before the work."""
    found = rows(
        conn,
        _LEASE,
        (flow, list(transitions), limit, holder, duration, None if job_ids is None else list(job_ids)),
    )
    return [_job(flow, row) for row in found]


def extend(job: ClaimedJob, duration: timedelta, *, conn: Any = None) -> datetime:
    """Make a lease last `duration` from now; the new expiry. Raises NotOwner, Timeout, StaleJob."""
    sql = "select wedsql.extend(%s::integer, %s::bigint, %s::bigint, %s)"
    return value(conn, sql, (job.wid, job.id, job.claim, duration))


def release(job: ClaimedJob, *, actor: str = "", conn: Any = None) -> None:
    """Give a leased job back; no attempt is counted. Raises NotOwner, Timeout, StaleJob."""
    sql = "select wedsql.release(%s::integer, %s::bigint, %s::bigint, %s)"
    value(conn, sql, (job.wid, job.id, job.claim, actor))


def _job(flow: str, row: Sequence[Any]) -> ClaimedJob:
    return ClaimedJob(flow=flow, **dict(zip(_FIELDS, row, strict=True)))
