"""Keys with which workers log in: created, rotated and revoked by administrators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from flows.statements import JSON, rows, value

GRACE = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class WorkerKey:
    """A key without its secret. `scope`: its flows, each with a list of transitions, empty for all.

    `old_until`: until when a secret that was replaced is accepted.
    """

    name: str
    scope: Mapping[str, Sequence[str]]
    created_at: datetime
    created_by: str
    expires_at: datetime | None
    rotated_at: datetime | None
    rotated_by: str | None
    old_until: datetime | None
    used_at: datetime | None
    revoked_at: datetime | None
    revoked_by: str | None
    revoked_for: str | None


def create_worker_key(
    name: str,
    scope: Mapping[str, Sequence[str]],
    actor: str,
    *,
    expires: datetime | None = None,
    conn: Any = None,
) -> str:
    """Create a key and return its secret text, which is stored nowhere. Raises UnknownFlow, BadWorkerKey."""
    given = (name, JSON({flow: list(each) for flow, each in scope.items()}), expires, actor)
    return str(value(conn, "select wedsql.create_worker_key(%s, %s, %s::timestamptz, %s)", given))


def transitions_of_role(flow: str, role: str, *, conn: Any = None) -> list[str]:
    """Return the transitions of a flow that a role performs now.

    Raises UnknownFlow, BadWorkerKey where there are none.
    """
    return list(value(conn, "select wedsql.transitions_of_role(%s, %s)", (flow, role)))


def scope_of_role(
    scope: Mapping[str, Sequence[str]], role: str, *, conn: Any = None
) -> dict[str, Sequence[str]]:
    """Return the scope of a key with the transitions of a role instead of all transitions of a flow.

    Raises UnknownFlow, BadWorkerKey where a flow has no transition of the role.
    """
    return {flow: names or transitions_of_role(flow, role, conn=conn) for flow, names in scope.items()}


def rotate_worker_key(name: str, actor: str, *, grace: timedelta = GRACE, conn: Any = None) -> str:
    """Give a key a new secret and return its text; the old one is accepted for `grace`, at most 30 days.

    Raises UnknownWorkerKey, BadWorkerKey.
    """
    return str(value(conn, "select wedsql.rotate_worker_key(%s, %s::interval, %s)", (name, grace, actor)))


def revoke_worker_key(name: str, reason: str, actor: str, *, conn: Any = None) -> int:
    """Revoke a key for ever, release its leases, and return how many.

    Raises UnknownWorkerKey, BadWorkerKey.
    """
    return int(value(conn, "select wedsql.revoke_worker_key(%s, %s, %s)", (name, reason, actor)))


def list_worker_keys(
    *, all: bool = False, after: str = "", limit: int = 50, conn: Any = None
) -> list[WorkerKey]:
    """Return keys by name, after a name: those that are accepted, or `all`."""
    found = rows(conn, "select * from wedsql.list_worker_keys(%s, %s, %s)", (all, after, limit))
    return [WorkerKey(*each) for each in found]


def log_in_worker(key: str, *, transaction: bool = False, conn: Any = None) -> str:
    """Log the session, or its transaction, in with the secret of a key, and return the key's name.

    Raises WorkerKeyRejected.
    """
    span = "transaction" if transaction else "session"
    return str(value(conn, "select wedsql.log_in_worker(%s, %s)", (key, span)))


def log_out_worker(*, conn: Any = None) -> None:
    """End the log-in of the session."""
    value(conn, "select wedsql.log_out_worker()", ())
