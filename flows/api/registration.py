"""Operations by which a worker process is known to the kernel and woken."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flows.api.connection import value


def register_worker(
    kind: str, name: str, host: str, pid: int, serves: Sequence[str], *, conn: Any = None
) -> int:
    """Make this process known as serving 'flow:transition' names; it is woken on channel wedsql_w<number>."""
    return value(
        conn,
        "select wedsql.register_worker(%s, %s, %s, %s::integer, %s::text[])",
        (kind, name, host, pid, list(serves)),
    )


def heartbeat(worker: int, waiting: bool, *, conn: Any = None) -> bool:
    """Tell that the worker lives and whether it sleeps; False when it must register again."""
    return value(conn, "select wedsql.heartbeat(%s::bigint, %s)", (worker, waiting))


def unregister_worker(worker: int, *, conn: Any = None) -> None:
    """Forget a worker."""
    value(conn, "select wedsql.unregister_worker(%s::bigint)", (worker,))
