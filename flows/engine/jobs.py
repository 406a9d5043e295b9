"""Operations by which a worker gets jobs: list, take by locks, claim by lease, extend, release."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from flows.engine.connection import rows, value
from flows.types import ClaimedJob, Offer

# All fields of a job except its flow, and their columns where the names differ.
_FIELDS = tuple(field for field in ClaimedJob._fields if field != "flow")
_COLUMN_OF = {"id": "job_id", "transition": "trname"}
_COLUMNS = ", ".join(_COLUMN_OF.get(field, field) for field in _FIELDS)
_TAKE = f"select {_COLUMNS} from wedsql.take(%s, %s::text[], %s::integer, %s, %s::bigint[])"  # noqa: S608
_LEASE = (
    f"select {_COLUMNS} from"  # noqa: S608  # made of constants, as above
    " wedsql.lease(%s, %s::text[], %s::integer, %s, %s::interval, %s::bigint[])"
)


def offer(
    flow: str,
    transitions: Sequence[str],
    limit: int = 100,
    *,
    exclude: Sequence[int] = (),
    actor: str = "",
    conn: Any = None,
) -> list[Offer]:
    """Return jobs that are ready for this worker without taking any; those of others are left out."""
    found = rows(
        conn,
        "select job_id, wid, tgid, trname from wedsql.offer(%s, %s::text[], %s::integer, %s::bigint[], %s)",
        (flow, list(transitions), limit, list(exclude), actor),
    )
    return [Offer(*row) for row in found]


def take(flow: str, transitions: Sequence[str], *, actor: str = "", conn: Any = None) -> ClaimedJob | None:
    """Take one ready job for the current transaction; return None if there is none."""
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
    """Claim up to `limit` ready jobs, each with a token and an expiry; commit before performing them."""
    found = rows(
        conn,
        _LEASE,
        (flow, list(transitions), limit, holder, duration, None if job_ids is None else list(job_ids)),
    )
    return [_job(flow, row) for row in found]


def extend(job: ClaimedJob, duration: timedelta, *, conn: Any = None) -> datetime:
    """Extend a lease to `duration` from now and return the expiry. Raises NotOwner, Timeout, StaleJob."""
    sql = "select wedsql.extend(%s::integer, %s::bigint, %s::bigint, %s)"
    return value(conn, sql, (job.wid, job.id, job.claim, duration))


def release(job: ClaimedJob, *, actor: str = "", conn: Any = None) -> None:
    """Release a leased job without counting an attempt. Raises NotOwner, Timeout, StaleJob."""
    sql = "select wedsql.release(%s::integer, %s::bigint, %s::bigint, %s)"
    value(conn, sql, (job.wid, job.id, job.claim, actor))


def _job(flow: str, row: Sequence[Any]) -> ClaimedJob:
    return ClaimedJob(flow=flow, **dict(zip(_FIELDS, row, strict=True)))
