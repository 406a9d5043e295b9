"""Calls that take jobs: held by a transaction, held by the session, or leased, as in flows.engine.jobs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from workers.client.claims import COLUMNS, Held, Taken
from workers.client.statement import Command, Statement, ints, quoted, texts

_LEASE = Statement(
    "wed_lease",
    f"select {COLUMNS} from"  # noqa: S608
    " wedsql.lease($1::text, $2::text[], $3::int, $4::text, make_interval(secs => $5::float8), $6::bigint[])",
)
_EXTEND = Statement(
    "wed_extend",
    "select to_jsonb(wedsql.extend($1::int, $2::bigint, $3::bigint, make_interval(secs => $4::float8)))",
)
_HOST = Statement("wed_host", "select wedsql.task_host($1::text, $2::text, $3::int, $4::int, $5::bigint)")
_RELEASE = Statement("wed_release", "select wedsql.release($1::int, $2::bigint, $3::bigint, $4::text)")


_OFFER = Statement(
    "wed_offer", "select job_id from wedsql.offer($1::text, $2::text[], $3::int, $4::bigint[], $5::text)"
)


@cache
def _take(flow: str) -> Statement:
    """Return the statement that calls the function of the flow's schema, which needs no dynamic SQL."""
    call = f"{quoted(flow)}.take($1::text[], $2::int, $3::text, $4::bigint[])"
    return Statement(f"wed_take {flow}", f"select {COLUMNS} from {call}")  # noqa: S608  # a quoted name


@cache
def _hold(flow: str) -> Statement:
    call = f"{quoted(flow)}.hold($1::text[], $2::int, $3::text)"
    return Statement(f"wed_hold {flow}", f"select {COLUMNS} from {call}")  # noqa: S608  # a quoted name


def offer(
    flow: str, names: Sequence[str], limit: int, exclude: Sequence[int] = (), *, actor: str = ""
) -> Command:
    """Return the call that answers the ids of jobs that are ready for this worker and holds none."""
    return _OFFER, (flow.encode(), texts(names), str(limit).encode(), ints(exclude), actor.encode())


def take(
    flow: str, names: Sequence[str], limit: int, actor: str, ids: Sequence[int] | None = None
) -> Command:
    """Return the call that takes jobs and holds them until the transaction ends."""
    wanted = None if ids is None else ints(ids)
    return _take(flow), (texts(names), str(limit).encode(), actor.encode(), wanted)


def hold(flow: str, names: Sequence[str], limit: int, actor: str) -> Command:
    """Return the call that holds jobs for `complete_held`; the session releases those it held before."""
    return _hold(flow), (texts(names), str(limit).encode(), actor.encode())


def warm(flow: str, names: Sequence[str]) -> list[Command]:
    """Return calls that hold no job, but make the session plan the statements before the first job."""
    return [
        (_hold(flow), (texts([""]), b"1", b"")),
        (_hold(flow), (texts(names), b"0", b"")),
    ]


def lease(
    flow: str, names: Sequence[str], limit: int, actor: str, span: float, ids: Sequence[int] | None
) -> Command:
    """Return the call that claims jobs for `span` seconds, in a transaction of its own."""
    wanted = None if ids is None else ints(ids)
    numbers = (str(limit).encode(), actor.encode(), str(span).encode())
    return _LEASE, (flow.encode(), texts(names), *numbers, wanted)


def extend(taken: Taken, seconds: float) -> Command:
    """Return the call that extends a lease to so many seconds from now; answers the new deadline as JSON."""
    return _EXTEND, (*_lease(taken), str(seconds).encode())


def host(
    flow: str, transition: str, attempt: int, wid: int | None = None, job_id: int | None = None
) -> Command:
    """Return the call that answers the host of an attempt of a task, if its definition names one."""
    numbers = (None if number is None else str(number).encode() for number in (wid, job_id))
    return _HOST, (flow.encode(), transition.encode(), str(attempt).encode(), *numbers)


def release(taken: Held, actor: str) -> Command:
    """Return the call that gives a leased job back without a result."""
    return _RELEASE, (*_lease(taken), actor.encode())


def _lease(taken: Held) -> tuple[bytes, bytes, bytes]:
    return str(taken.wid).encode(), str(taken.job_id).encode(), str(taken.claim).encode()
