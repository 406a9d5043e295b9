"""The kernel functions a runner calls, as prepared statements for `Wire.round`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol

import psycopg
from psycopg.pq.abc import PGresult

from flows import errors
from workers.taken import COLUMNS, Taken
from workers.wire import BEGIN, COMMIT, Command, Statement, ints, texts

_LEASE = Statement(
    "wed_lease",
    f"select {COLUMNS} from"  # noqa: S608
    " wedsql.lease($1::text, $2::text[], $3::int, $4::text, make_interval(secs => $5::float8), $6::bigint[])",
)
# Refused because the job is no longer this worker's, so there is no attempt to count.
NOT_OURS = frozenset({"WD102", "WD104", "WD105", "WD203", "WD205"})
LATE = "WD204"
CANCELLED = "57014"
_NOT_OURS = ", ".join(f"'{code}'" for code in sorted(NOT_OURS))
_PLAIN = """select c.job_id, c.sqlstate, c.message from {call} c where not c.ok"""
# What is refused is counted as a failed attempt while the job is still held: a sub-query, which costs
# nothing where nothing is refused.
_COUNTING = f"""select c.job_id, c.sqlstate, c.message, (
  select count(*) from wedsql.fail_many({{flow}}, array[($1::int[])[array_position($2::bigint[], c.job_id)]],
    case when c.sqlstate in ({_NOT_OURS}) then '{{{{}}}}' else array[c.job_id] end,
    array[($3::bigint[])[array_position($2::bigint[], c.job_id)]], array[c.message], array[c.sqlstate],
    case c.sqlstate when 'WD204' then 'timeout' else 'failed' end, $4::text))
from {{call}} c where not c.ok"""  # noqa: S608  # made of constants
_GIVEN = "$1::int[], $2::bigint[], $3::bigint[]"


@cache
def _take(flow: str) -> Statement:
    """The flow's own door: its schema's function, so that nothing is composed at run time in the database."""
    call = f"{_quoted(flow)}.take($1::text[], $2::int, $3::text, $4::bigint[])"
    return Statement(f"wed_take {flow}", f"select {COLUMNS} from {call}")  # noqa: S608  # a quoted name


@cache
def _hold(flow: str) -> Statement:
    call = f"{_quoted(flow)}.hold($1::text[], $2::int, $3::text)"
    return Statement(f"wed_hold {flow}", f"select {COLUMNS} from {call}")  # noqa: S608  # a quoted name


@cache
def _complete_held(flow: str, worded: bool) -> Statement:
    values = "null::jsonb, $4::text, $3::text" if worded else "$3::jsonb, $4::text"
    call = f"{_quoted(flow)}.complete_held($1::int, $2::bigint, {values})"
    return Statement(f"wed_complete_held {worded} {flow}", f"select {call}")  # a quoted name


@cache
def _complete(flow: str, counting: bool, worded: bool) -> Statement:
    """Only what was refused comes back; a batch that went well answers with nothing to read."""
    values = "$6::jsonb[], $4::text, $5::text[]" if worded else "$5::jsonb[], $4::text"
    call = f"{_quoted(flow)}.complete_many({_GIVEN}, {values})"
    text = (_COUNTING if counting else _PLAIN).format(call=call, flow=_literal(flow))
    return Statement(f"wed_complete {counting} {worded} {flow}", text)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'::text"


FAILED_COLUMNS = 2
_FAIL = Statement(
    "wed_fail",
    "select job_id, case when not parked then extract(epoch from not_before - wedsql.now())::float8 end"
    " from wedsql.fail_many("
    "$1::text, $2::int[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::text, $8::text)",
)
# The flow's own transition is looked up, as a note of a dead process does not name it.
_TAKE_AGAIN = Statement(
    "wed_take_again",
    "select count(*) from wedsql.take($1::text, array(select j.trname from wedsql.job_pool j"
    " where j.wid = $2::int and j.id = $3::bigint), 1, $4::text, array[$3::bigint])",
)
_EXTEND = Statement(
    "wed_extend",
    "select to_jsonb(wedsql.extend($1::int, $2::bigint, $3::bigint, make_interval(secs => $4::float8)))",
)
_RELEASE = Statement("wed_release", "select wedsql.release($1::int, $2::bigint, $3::bigint, $4::text)")


class Held(Protocol):
    """What names a job to the kernel; a claim of None means transaction mode."""

    @property
    def wid(self) -> int: ...
    @property
    def job_id(self) -> int: ...
    @property
    def claim(self) -> int | None: ...


@dataclass(slots=True)
class Done:
    """A job whose handler ended: with changes as JSON, a SET string, or an error."""

    taken: Taken
    changes: str | None = None
    sets: str | None = None
    error: BaseException | None = None
    wrote: bool = False
    """Whether the handler used the step's own transaction, so that its result depends on it."""
    broke: bool = False
    """Whether the connection broke while the handler had it."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A result that the kernel did not accept, and why."""

    job_id: int
    sqlstate: str
    message: str


def passes(error: BaseException) -> bool:
    """Whether the call is worth doing again as it is: nobody's fault, so not an attempt."""
    if not isinstance(error, psycopg.Error):
        return False
    state = error.sqlstate or ""
    return state == CANCELLED or errors.passes(state, error.diag.message_primary or "")


def take(
    flow: str, names: Sequence[str], limit: int, actor: str, ids: Sequence[int] | None = None
) -> Command:
    """Jobs held until the transaction ends."""
    wanted = None if ids is None else ints(ids)
    return _take(flow), (texts(names), str(limit).encode(), actor.encode(), wanted)


def hold(flow: str, names: Sequence[str], limit: int, actor: str) -> Command:
    """Jobs held by the session, each to be finished by `complete_held`; what it held before is let go."""
    return _hold(flow), (texts(names), str(limit).encode(), actor.encode())


def complete_held(flow: str, done: Done, actor: str) -> Command:
    """The result of one held job, a transaction of its own; a refusal is an error."""
    taken = done.taken
    numbers = (str(taken.wid).encode(), str(taken.job_id).encode())
    worded = done.sets is not None
    value = (done.sets if worded else done.changes) or ""
    return _complete_held(flow, worded), (*numbers, value.encode(), actor.encode())


def warm(flow: str, names: Sequence[str]) -> list[Command]:
    """Calls that do nothing, after which the session has its plans: the first job need not wait for them."""
    return [
        (_hold(flow), (texts([""]), b"1", b"")),
        (_hold(flow), (texts(names), b"0", b"")),
        (_complete_held(flow, worded=False), (None, None, b"{}", b"")),
    ]


def lease(
    flow: str, names: Sequence[str], limit: int, actor: str, span: float, ids: Sequence[int] | None
) -> Command:
    """Jobs claimed for `span` seconds, in a transaction of its own."""
    wanted = None if ids is None else ints(ids)
    numbers = (str(limit).encode(), actor.encode(), str(span).encode())
    return _LEASE, (flow.encode(), texts(names), *numbers, wanted)


def complete(flow: str, done: Sequence[Done], actor: str, *, counting: bool) -> list[Command]:
    """The results of handlers that ended well, in one call, so that instances are locked in their order.

    counting: what is refused becomes a failed attempt at once, in the same transaction.
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
    """Failures of one outcome, each (job, message, SQLSTATE); what somebody else holds is passed over."""
    jobs = [job for job, _, _ in failed]
    messages = texts([message for _, message, _ in failed])
    states = texts([state for _, _, state in failed])
    return _FAIL, (flow.encode(), *_who(jobs), messages, states, outcome.encode(), actor.encode())


def again(flow: str, job: Held, failures: Sequence[Command], actor: str) -> list[Command]:
    """These failures of a job whose lock is gone, after it was taken once more; what others have is left."""
    if job.claim is not None:
        return list(failures)
    which = (str(job.wid).encode(), str(job.job_id).encode())
    return [BEGIN, (_TAKE_AGAIN, (flow.encode(), *which, actor.encode())), *failures, COMMIT]


def extend(taken: Taken, seconds: float) -> Command:
    """A leased job lasts so long from now; answers the new deadline as JSON."""
    return _EXTEND, (*_lease(taken), str(seconds).encode())


def release(taken: Held, actor: str) -> Command:
    """A leased job given back untouched."""
    return _RELEASE, (*_lease(taken), actor.encode())


def refusals(result: PGresult) -> list[Refusal]:
    """What a completion's answer refused."""
    return [
        Refusal(int(result.get_value(r, 0) or 0), _text(result, r, 1), _text(result, r, 2))
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


def _lease(taken: Held) -> tuple[bytes, bytes, bytes]:
    return str(taken.wid).encode(), str(taken.job_id).encode(), str(taken.claim).encode()
