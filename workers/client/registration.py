"""Calls that register a process as a worker, as in flows.api.registration."""

from __future__ import annotations

from collections.abc import Sequence

from workers.client.statement import Command, Statement, texts

_REGISTER = Statement(
    "wed_register", "select wedsql.register_worker($1::text, $2::text, $3::text, $4::int, $5::text[])"
)
_HEARTBEAT = Statement("wed_heartbeat", "select wedsql.heartbeat($1::bigint, $2::boolean)")
_UNREGISTER = Statement("wed_unregister", "select wedsql.unregister_worker($1::bigint)")
_PROBLEMS = Statement("wed_problems", "select wedsql.report_problems($1::bigint, $2::text)")
_NEVER_OFFERED = Statement(
    "wed_never_offered",
    "select serves, flow, near, message, hint from wedsql.never_offered($1::text[])",
)


def register_worker(kind: str, name: str, host: str, pid: int, serves: Sequence[str]) -> Command:
    """Return the call that registers a process for 'flow:transition' names and answers its number."""
    return _REGISTER, (kind.encode(), name.encode(), host.encode(), str(pid).encode(), texts(serves))


def heartbeat(worker: int | None, waiting: bool) -> Command:
    """Return the call that reports the worker as alive, idle or not; false means: register again."""
    return _HEARTBEAT, (str(worker).encode(), b"t" if waiting else b"f")


def unregister_worker(worker: int) -> Command:
    """Return the call that removes a worker."""
    return _UNREGISTER, (str(worker).encode(),)


def report_problems(worker: int | None, text: str) -> Command:
    """Return the call that reports which handlers the worker cannot serve, and why."""
    return _PROBLEMS, (str(worker).encode(), text.encode("utf-8", "replace"))


def never_offered(serves: Sequence[str]) -> Command:
    """Return the call that answers which of the served names no worker gets a job of, and why."""
    return _NEVER_OFFERED, (texts(serves),)
