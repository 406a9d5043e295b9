"""Operations that end the attempt of a held job: complete and fail."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from flows.engine.connection import State, rows, to_json, typed_error
from flows.types import ClaimedJob, Completion, FailResult, Failure, StepResult


def complete(
    job: ClaimedJob,
    changes: State | None = None,
    *,
    set_text: str | None = None,
    actor: str = "",
    conn: Any = None,
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
    """Commit the results of several jobs of one flow; return one result per job, in no particular order."""
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
        StepResult(job_id, ok, seq, status, fired, typed_error(*why))
        for job_id, ok, seq, status, fired, *why in found
    ]


def fail(
    job: ClaimedJob,
    message: str,
    *,
    outcome: str = "failed",
    sqlstate: str = "",
    actor: str = "",
    conn: Any = None,
) -> FailResult | None:
    """Count a failed attempt: the job is offered again later or parked. None if the caller lost the job."""
    failures = [Failure(job, message, sqlstate)]
    return next(iter(fail_many(job.flow, failures, outcome=outcome, actor=actor, conn=conn)), None)


def fail_many(
    flow: str, failures: Iterable[Failure], *, outcome: str = "failed", actor: str = "", conn: Any = None
) -> list[FailResult]:
    """Count failed attempts of several jobs of one flow; jobs not held by the caller have no result."""
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
