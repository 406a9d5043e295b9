"""Jobs for a worker: held by a transaction, held by the session, or claimed by a lease; flows.api.taking."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from workers.client.statement import Command, Statement, ints, quoted, texts
from workers.client.taken import COLUMNS, Held, Taken

_LEASE = Statement(
    "wed_lease",
    f"select {COLUMNS} from"  # noqa: S608
    " wedsql.lease($1::text, $2::text[], $3::int, $4::text, make_interval(secs => $5::float8), $6::bigint[])",
)
_EXTEND = Statement(
    "wed_extend",
    "select to_jsonb(wedsql.extend($1::int, $2::bigint, $3::bigint, make_interval(secs => $4::float8)))",
)
_RELEASE = Statement("wed_release", "select wedsql.release($1::int, $2::bigint, $3::bigint, $4::text)")


_OFFER = Statement(
    "wed_offer", "select job_id from wedsql.offer($1::text, $2::text[], $3::int, $4::bigint[])"
)


@cache
def _take(flow: str) -> Statement:
    """The flow's own door: its schema's function, so that nothing is composed at run time in the database."""
    call = f"{quoted(flow)}.take($1::text[], $2::int, $3::text, $4::bigint[])"
    return Statement(f"wed_take {flow}", f"select {COLUMNS} from {call}")  # noqa: S608  # a quoted name


@cache
def _hold(flow: str) -> Statement:
    call = f"{quoted(flow)}.hold($1::text[], $2::int, $3::text)"
    return Statement(f"wed_hold {flow}", f"select {COLUMNS} from {call}")  # noqa: S608  # a quoted name


def offer(flow: str, names: Sequence[str], limit: int, exclude: Sequence[int] = ()) -> Command:
    """A look at ready jobs; answers their ids and holds none."""
    return _OFFER, (flow.encode(), texts(names), str(limit).encode(), ints(exclude))


def take(
    flow: str, names: Sequence[str], limit: int, actor: str, ids: Sequence[int] | None = None
) -> Command:
    """Jobs held until the transaction ends."""
    wanted = None if ids is None else ints(ids)
    return _take(flow), (texts(names), str(limit).encode(), actor.encode(), wanted)


def hold(flow: str, names: Sequence[str], limit: int, actor: str) -> Command:
    """Jobs held by the session, each to be finished by `complete_held`; what it held before is let go."""
    return _hold(flow), (texts(names), str(limit).encode(), actor.encode())


def warm(flow: str, names: Sequence[str]) -> list[Command]:
    """Calls that hold no job: afterwards the session has its plans and the first job does not wait."""
    return [
        (_hold(flow), (texts([""]), b"1", b"")),
        (_hold(flow), (texts(names), b"0", b"")),
    ]


def lease(
    flow: str, names: Sequence[str], limit: int, actor: str, span: float, ids: Sequence[int] | None
) -> Command:
    """Jobs claimed for `span` seconds, in a transaction of its own."""
    wanted = None if ids is None else ints(ids)
    numbers = (str(limit).encode(), actor.encode(), str(span).encode())
    return _LEASE, (flow.encode(), texts(names), *numbers, wanted)


def extend(taken: Taken, seconds: float) -> Command:
    """A leased job lasts so long from now; answers the new deadline as JSON."""
    return _EXTEND, (*_lease(taken), str(seconds).encode())


def release(taken: Held, actor: str) -> Command:
    """A leased job given back untouched."""
    return _RELEASE, (*_lease(taken), actor.encode())


def _lease(taken: Held) -> tuple[bytes, bytes, bytes]:
    return str(taken.wid).encode(), str(taken.job_id).encode(), str(taken.claim).encode()
