"""Many tasks at once: taken, or completed with the same outcome, in one transaction.

One that is rejected affects no other: it has its error, and the others are taken or completed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flows.capabilities.tasks.api import HeldTask, TaskResult
from flows.errors import WedError
from flows.statements import JSON, rows, typed_error

_TAKE = """
select job_id, (held).*, sqlstate, message, hint, detail from wedsql.take_tasks(%s::bigint[], %s, %s::text[])
"""
_COMPLETE = """
select job_id, ok, seq, status, fired, repeated, sqlstate, message, hint, detail
from wedsql.complete_tasks(%s::bigint[], %s, %s::jsonb[], %s, %s::bigint[], %s::text[])
"""


@dataclass(frozen=True)
class TakenTask:
    """One of many tasks that a person asked for: `held` as take_task returns it, or the error."""

    job_id: int
    held: HeldTask | None
    error: WedError | None


@dataclass(frozen=True)
class CompletedTask:
    """One of many tasks that a person completed: `result` as complete_task returns it, or the error."""

    job_id: int
    result: TaskResult | None
    error: WedError | None


def take_tasks(
    tasks: Sequence[int], person: str, keys: Sequence[str], *, conn: Any = None
) -> list[TakenTask]:
    """Take up to 500 tasks, each as take_task does; return one row for each.

    Raises BadDefinition for more, or without a name of a person.
    """
    return [
        TakenTask(job, None if why[0] else HeldTask(*held), typed_error(*why))
        for job, *held, why in (
            (*row[:-4], row[-4:]) for row in rows(conn, _TAKE, (list(tasks), person, list(keys)))
        )
    ]


def complete_tasks(
    results: Mapping[int, Mapping[str, Any]],
    person: str,
    outcome: str | None = None,
    claims: Mapping[int, int] | None = None,
    *,
    keys: Sequence[str] | None = None,
    conn: Any = None,
) -> list[CompletedTask]:
    """Complete up to 500 tasks that the person holds, each as complete_task does; return one row for each.

    `results` has the values of each task by its number, `claims` its claim where that is to be the same. With
    `keys`, the audiences of the person, tasks that are open to the person are taken first.
    Raises BadDefinition for more.
    """
    tokens = [(claims or {}).get(task) for task in results]
    values = (
        list(results),
        person,
        [JSON(data) for data in results.values()],
        outcome,
        tokens,
        keys if keys is None else list(keys),
    )
    return [
        CompletedTask(job, TaskResult(*done) if ok else None, typed_error(*why))
        for job, ok, *done, why in ((*row[:-4], row[-4:]) for row in rows(conn, _COMPLETE, values))
    ]
