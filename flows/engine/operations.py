"""What an operator does to one instance and its jobs; each call needs a reason, which the history keeps.

All raise UnknownInstance, NotRunning for an instance that has ended, and BadDefinition without a reason;
those of a job raise StaleJob and WrongJobState, too.
"""

from __future__ import annotations

from typing import Any

from flows.engine.connection import value


def suspend(wid: int, reason: str, *, actor: str = "", conn: Any = None) -> None:
    """Stop an instance: no job is offered or committed, and no time passes, until it is resumed."""
    value(conn, "select wedsql.suspend(%s::integer, %s, %s)", (wid, reason, actor))


def resume(wid: int, reason: str, *, actor: str = "", conn: Any = None) -> None:
    """Let a suspended instance continue where it was, with the time that was left."""
    value(conn, "select wedsql.resume(%s::integer, %s, %s)", (wid, reason, actor))


def retry_job(wid: int, job: int, reason: str, *, actor: str = "", conn: Any = None) -> None:
    """Offer a job now that waits for its next try or is parked, with the present state and all its attempts.

    Raises NotOwner; ConditionGone where its condition no longer holds, unless its rule has revalidate = none.
    """
    value(conn, "select wedsql.retry_job(%s::integer, %s::bigint, %s, %s)", (wid, job, reason, actor))


def release_job(wid: int, job: int, reason: str, *, actor: str = "", conn: Any = None) -> None:
    """End the lease of a job; the result of its holder will be rejected. Raises NotOwner."""
    value(conn, "select wedsql.release_job(%s::integer, %s::bigint, %s, %s)", (wid, job, reason, actor))


def withdraw_job(wid: int, job: int, reason: str, *, actor: str = "", conn: Any = None) -> None:
    """Withdraw a job that no worker holds; the instance may become an exception. Raises NotOwner."""
    value(conn, "select wedsql.withdraw_job(%s::integer, %s::bigint, %s, %s)", (wid, job, reason, actor))


def prioritize_job(
    wid: int, job: int, priority: int, reason: str, *, actor: str = "", conn: Any = None
) -> None:
    """Change the priority of a job; the highest of a transition is taken first."""
    call = "select wedsql.prioritize_job(%s::integer, %s::bigint, %s::integer, %s, %s)"
    value(conn, call, (wid, job, priority, reason, actor))


def extend_job(wid: int, job: int, seconds: float, reason: str, *, actor: str = "", conn: Any = None) -> None:
    """Prolong the time limit of a job, and the lease that holds it."""
    call = "select wedsql.extend_job(%s::integer, %s::bigint, make_interval(secs => %s), %s, %s)"
    value(conn, call, (wid, job, seconds, reason, actor))


def reassign_job(wid: int, job: int, to: str, reason: str, *, actor: str = "", conn: Any = None) -> None:
    """Assign a job to the workers of a name; only they take it, until an empty name gives it back to all.

    `to` is the name of a worker, or one that several have: `wedworker#1@host`, `@host`. Raises NotOwner.
    """
    call = "select wedsql.reassign_job(%s::integer, %s::bigint, %s, %s, %s)"
    value(conn, call, (wid, job, to, reason, actor))
