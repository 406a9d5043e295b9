"""Operations that register a worker process, so that the kernel can notify it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flows.engine.connection import rows, value
from flows.types import NeverOffered


def register_worker(
    kind: str, name: str, host: str, pid: int, serves: Sequence[str], *, conn: Any = None
) -> int:
    """Register a process that serves 'flow:transition' names; it is notified on channel wedsql_w<number>."""
    return value(
        conn,
        "select wedsql.register_worker(%s, %s, %s, %s::integer, %s::text[])",
        (kind, name, host, pid, list(serves)),
    )


def heartbeat(worker: int, waiting: bool, *, conn: Any = None) -> bool:
    """Report that the worker is alive and whether it waits; return False if it must register again."""
    return value(conn, "select wedsql.heartbeat(%s::bigint, %s)", (worker, waiting))


def unregister_worker(worker: int, *, conn: Any = None) -> None:
    """Delete the registration of a worker."""
    value(conn, "select wedsql.unregister_worker(%s::bigint)", (worker,))


def never_offered(serves: Sequence[str], *, conn: Any = None) -> list[NeverOffered]:
    """Return those of the served names of which no worker gets a job, and why.

    A name is 'flow:transition', ':transition' for every flow with such a transition, or 'flow:' for a flow.
    """
    found = rows(
        conn,
        "select serves, flow, transition, near, message, hint from wedsql.never_offered(%s::text[])",
        (list(serves),),
    )
    return [NeverOffered(*row) for row in found]
