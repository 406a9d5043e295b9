"""Operations that undo steps of an instance; each needs a reason, which the history keeps.

All return the status that the instance has then: `X` while a compensation waits for a worker. All raise
UnknownInstance, NotRunning, BadDefinition without a reason, and NotOwner while a worker holds a job: wait for
it, or release its lease. `override` undoes also steps that have no compensation, or are pivots.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from flows.statements import rows, value


class PlannedCompensation(NamedTuple):
    """A step and what compensates it: a transition, "" for the kernel itself, None for nothing.

    `problem` is `pivot`, `missing`, or None.
    """

    seq: int
    transition: str
    compensated_by: str | None
    problem: str | None


def compensations(wid: int, operation: str, seq: int = 1, *, conn: Any = None) -> list[PlannedCompensation]:
    """Return the steps that `rollback`, `compensate` or `abort` would compensate now, in this order."""
    call = "select * from wedsql.compensations(%s::integer, %s, %s::integer)"
    return [PlannedCompensation(*row) for row in rows(conn, call, (wid, operation, seq))]


def roll_back(
    wid: int,
    seq: int,
    reason: str,
    *,
    override: bool = False,
    hold: bool = False,
    actor: str = "",
    conn: Any = None,
) -> str:
    """Undo all steps after one; then the conditions fire again, or with `hold` the instance is suspended.

    Raises UnknownStep and CannotUndo, too.
    """
    call = "select wedsql.roll_back(%s::integer, %s::integer, %s, %s, %s, %s)"
    return value(conn, call, (wid, seq, reason, actor, override, hold))


def compensate(
    wid: int,
    seq: int,
    reason: str,
    *,
    override: bool = False,
    hold: bool = False,
    actor: str = "",
    conn: Any = None,
) -> str:
    """Undo one step and those that depend on it; other branches stay. Raises UnknownStep, CannotUndo, too."""
    call = "select wedsql.compensate(%s::integer, %s::integer, %s, %s, %s, %s)"
    return value(conn, call, (wid, seq, reason, actor, override, hold))


def abort(wid: int, reason: str, *, override: bool = False, actor: str = "", conn: Any = None) -> str:
    """Undo all steps and end the instance as aborted. Raises CannotUndo, too."""
    return value(conn, "select wedsql.abort(%s::integer, %s, %s, %s)", (wid, reason, actor, override))


def skip_compensation(wid: int, reason: str, *, actor: str = "", conn: Any = None) -> str:
    """Go on without the compensation that waits, because it cannot succeed or was done by hand."""
    return value(conn, "select wedsql.skip_compensation(%s::integer, %s, %s)", (wid, reason, actor))
