"""What the definition of a flow was translated from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flows.engine.connection import JSON, value


def keep_source(flow: str, source: Mapping[str, Any], *, conn: Any = None) -> int:
    """Keep with the present version what it was translated from, and return the version.

    `source` has language, format, text and map. Raises UnknownFlow, LockBusy.
    """
    return value(conn, "select wedsql.keep_source(%s, %s)", (flow, JSON(source)))


def read_source(flow: str, version: int | None = None, *, conn: Any = None) -> Mapping[str, Any] | None:
    """Return the source that a version, by default the current one, was translated from, or None."""
    return value(conn, "select wedsql.source(%s, %s)", (flow, version))


def task_host(
    flow: str,
    transition: str,
    attempt: int,
    wid: int | None = None,
    job_id: int | None = None,
    *,
    conn: Any = None,
) -> str | None:
    """Return the host of an attempt of an automatic task, from 1: hosts are tried in their order.

    For a job, and where the application chooses by load, the host that runs the fewest jobs. None where the
    definition names none. Raises UnknownFlow.
    """
    return value(
        conn, "select wedsql.task_host(%s, %s, %s, %s, %s)", (flow, transition, attempt, wid, job_id)
    )
