"""Calls that complete jobs or record failed attempts, as in flows.engine.results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import psycopg
from psycopg.pq.abc import PGresult

from flows import database_errors
from workers.client.claims import Held, Taken
from workers.client.statement import BEGIN, COMMIT, Command, Statement, ints, quoted, texts

# The worker no longer holds the job, so no attempt is counted.
NO_LONGER_HELD = frozenset({"WD102", "WD104", "WD105", "WD203", "WD205"})
LATE = "WD204"
CANCELLED = "57014"
_NO_LONGER_HELD = ", ".join(f"'{code}'" for code in sorted(NO_LONGER_HELD))
_PLAIN = """select c.job_id, c.sqlstate, c.message from {call} c where not c.ok"""
# A rejected result is counted as a failed attempt while the job is still held: a sub-query, which costs
# nothing where nothing is rejected.
_COUNTING = f"""select c.job_id, c.sqlstate, c.message, (
  select count(*) from wedsql.fail_many({{flow}}, array[($1::int[])[array_position($2::bigint[], c.job_id)]],
    case when c.sqlstate in ({_NO_LONGER_HELD}) then '{{{{}}}}' else array[c.job_id] end,
    array[($3::bigint[])[array_position($2::bigint[], c.job_id)]], array[c.message], array[c.sqlstate],
    case c.sqlstate when 'WD204' then 'timeout' else 'failed' end, $4::text))
from {{call}} c where not c.ok"""  # noqa: S608  # made of constants
_GIVEN = "$1::int[], $2::bigint[], $3::bigint[]"


@cache
def _complete_held(flow: str, worded: bool) -> Statement:
    values = "null::jsonb, $4::text, $3::text" if worded else "$3::jsonb, $4::text"
    call = f"{quoted(flow)}.complete_held($1::int, $2::bigint, {values})"
    return Statement(f"wed_complete_held {worded} {flow}", f"select {call}")  # the name is quoted


@cache
def _complete(flow: str, counting: bool, worded: bool) -> Statement:
    """Return the statement that completes jobs; it returns rejected results only."""
    values = "$6::jsonb[], $4::text, $5::text[]" if worded else "$5::jsonb[], $4::text"
    call = f"{quoted(flow)}.complete_many({_GIVEN}, {values})"
    text = (_COUNTING if counting else _PLAIN).format(call=call, flow=_literal(flow))
    return Statement(f"wed_complete {counting} {worded} {flow}", text)


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'::text"


FAILED_COLUMNS = 2
_FAIL = Statement(
    "wed_fail",
    "select job_id, case when not parked then extract(epoch from not_before - wedsql.now())::float8 end"
    " from wedsql.fail_many("
    "$1::text, $2::int[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::text, $8::text)",
)
# The transition is looked up by the job, because a dead process's journal does not name it. A job that is
# assigned is taken for its worker.
_TAKE_AGAIN = Statement(
    "wed_take_again",
    "select count(*) from wedsql.take($1::text, array(select j.trname from wedsql.job_pool j"
    " where j.wid = $2::int and j.id = $3::bigint), 1, coalesce((select j.assigned_to from wedsql.job_pool j"
    " where j.wid = $2::int and j.id = $3::bigint), $4::text), array[$3::bigint])",
)


@dataclass(slots=True)
class Done:
    """A job whose handler ended, with its changes as JSON, its SET string, or its error."""

    taken: Taken
    changes: str | None = None
    sets: str | None = None
    error: BaseException | None = None
    wrote: bool = False
    """Whether the handler used the transaction of its step, so that its result depends on it."""
    broke: bool = False
    """Whether the connection broke while the handler used it."""


class ResultRefused(Exception):
    """The kernel rejected the result of a handler."""

    def __init__(self, job_id: int, sqlstate: str, message: str) -> None:
        super().__init__(message)
        self.job_id = job_id
        self.sqlstate = sqlstate
        self.message = message


def is_transient(error: BaseException) -> bool:
    """Return whether the error is transient: the call can be repeated and no attempt is counted."""
    if not isinstance(error, psycopg.Error):
        return False
    state = error.sqlstate or ""
    return state == CANCELLED or database_errors.is_transient(state, error.diag.message_primary or "")


def complete_held(flow: str, done: Done, actor: str) -> Command:
    """Return the call that completes one held job in its own transaction; a rejection is an error."""
    taken = done.taken
    numbers = (str(taken.wid).encode(), str(taken.job_id).encode())
    worded = done.sets is not None
    value = (done.sets if worded else done.changes) or ""
    return _complete_held(flow, worded), (*numbers, value.encode(), actor.encode())


def warm(flow: str) -> list[Command]:
    """Return a call that completes nothing, but makes the session plan the statement."""
    return [(_complete_held(flow, worded=False), (None, None, b"{}", b""))]


def complete(flow: str, done: Sequence[Done], actor: str, *, counting: bool) -> list[Command]:
    """Return the call that completes all jobs without an error, in one go, so that locks are taken in order.

    counting: record a rejected result as a failed attempt at once, in the same transaction.
    """
    jobs = [d for d in done if d.error is None]
    if not jobs:
        return []
    worded = any(d.sets is not None for d in jobs)
    values = [texts([d.changes for d in jobs])]
    if worded:
        values.insert(0, texts([d.sets for d in jobs]))
    who = _who([d.taken for d in jobs])
    return [(_complete(flow, counting, worded), (*who, actor.encode(), *values))]


def fail(flow: str, failed: Sequence[tuple[Held, str, str]], outcome: str, actor: str) -> Command:
    """Return the call that records failures of one outcome, each (job, message, SQLSTATE).

    Jobs that another worker holds are skipped.
    """
    jobs = [job for job, _, _ in failed]
    messages = texts([message for _, message, _ in failed])
    states = texts([state for _, _, state in failed])
    return _FAIL, (flow.encode(), *_who(jobs), messages, states, outcome.encode(), actor.encode())


def retake(flow: str, job: Held, failures: Sequence[Command], actor: str) -> list[Command]:
    """Return calls that record failures of a job whose lock is lost: the job is taken again first.

    Nothing is recorded if another worker holds it. A leased job is not taken again.
    """
    if job.claim is not None:
        return list(failures)
    which = (str(job.wid).encode(), str(job.job_id).encode())
    return [BEGIN, (_TAKE_AGAIN, (flow.encode(), *which, actor.encode())), *failures, COMMIT]


def refusals(result: PGresult) -> list[ResultRefused]:
    """Return the results that a completion rejected."""
    return [
        ResultRefused(int(result.get_value(r, 0) or 0), _text(result, r, 1), _text(result, r, 2))
        for r in range(result.ntuples)
    ]


def _text(result: PGresult, row: int, column: int) -> str:
    return (result.get_value(row, column) or b"").decode()


def _who(jobs: Sequence[Held]) -> tuple[bytes, bytes, bytes]:
    return (
        ints([job.wid for job in jobs]),
        ints([job.job_id for job in jobs]),
        ints([job.claim for job in jobs]),
    )
