"""Mails about open cases, every day or every week, for people who choose them; those about tasks likewise.

The caller has checked which flows a person sees. `user` is the id of an account.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from flows.statements import JSON, names, read_as, rows, value


@dataclass(frozen=True)
class CaseDigest:
    """A mail that a user has chosen: `flow` None is every flow, `queue` '' every queue.

    `every` is "day" or "week". What opened after `since_at` is new in the next one. `about` is cases, tasks
    or messages; the latter are sent as they come ("now").
    """

    id: int
    flow: str | None
    queue: str
    every: str
    since_at: datetime
    next_at: datetime | None
    about: str = "cases"


@dataclass(frozen=True)
class DueDigest:
    """The mails of a user that are due at `at`, which are sent as one."""

    user: int
    language: str
    at: datetime
    items: Sequence[CaseDigest]


def save_case_digest(
    user: int, flow: str | None, queue: str, every: str, language: str, hour: int, *, conn: Any = None
) -> None:
    """Save how often a user gets a mail: every "day" or "week" at an hour in UTC; "" for none.

    Raises UnknownFlow, BadCase.
    """
    call = "select wedsql.save_case_digest(%s, %s, %s, %s, %s, %s)"
    value(conn, call, (user, flow, queue, every, language, hour))


def list_case_digests(user: int, about: str = "cases", *, conn: Any = None) -> list[CaseDigest]:
    """Return the mails about something that a user has chosen, by flow and queue."""
    call = "select wedsql.list_case_digests(%s, %s)"
    return [_digest(each) for (each,) in rows(conn, call, (user, about))]


def case_queues(flows: Sequence[str] | None = None, *, conn: Any = None) -> list[str]:
    """Return the names of the queues to which the rules of these flows lead."""
    found = rows(conn, "select wedsql.case_queues(%s::text[])", (names(flows),))
    return [each for (each,) in found]


def due_case_digests(limit: int = 50, about: str = "cases", *, conn: Any = None) -> list[DueDigest]:
    """Return the mails about something that are due, by user."""
    found = rows(conn, "select wedsql.due_case_digests(%s, %s)", (limit, about))
    return [read_as(DueDigest, one | {"items": list(map(_digest, one["items"]))}) for (one,) in found]


def case_digest(
    flows: Sequence[str] | None, queue: str, since: datetime, at: datetime, *, conn: Any = None
) -> dict[str, Any]:
    """Return the text of a mail about the open cases of these flows in a queue, '' for any.

    "open", "new" and "overdue" are counts, "causes" the largest groups, "urgent" the most urgent cases.
    """
    call = "select wedsql.case_digest(%s::text[], %s, %s, %s)"
    return dict(value(conn, call, (names(flows), queue, since, at)))


def queue_case_digest(
    due: DueDigest, hour: int, target: str, message: Mapping[str, Any] | None, *, conn: Any = None
) -> bool:
    """Queue a mail, None for none, and note the next times; return whether no other reaper did it before."""
    given = None if message is None else JSON(dict(message))
    ids = [each.id for each in due.items]
    call = "select wedsql.queue_case_digest(%s, %s::bigint[], %s, %s, %s, %s)"
    return bool(value(conn, call, (due.user, ids, hour, due.at, target, given)))


def delete_case_digests(user: int, *, conn: Any = None) -> None:
    """Delete the mails that a user has chosen whose account does not exist any longer."""
    value(conn, "select wedsql.delete_case_digests(%s)", (user,))


def remove_old_digests(limit: int = 10_000, *, conn: Any = None) -> int:
    """Remove mails about cases that were sent or failed a week ago, at most `limit`."""
    return int(value(conn, "select wedsql.remove_old_digests(%s)", (limit,)))


def _digest(found: Mapping[str, Any]) -> CaseDigest:
    return read_as(CaseDigest, found)
