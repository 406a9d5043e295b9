"""Calls about the forms of tasks: what is shown, what completing would do, and drafts of what was typed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flows.statements import JSON, value


def task_form(
    task: int, data: Mapping[str, Any] | None = None, *, conn: Any = None
) -> dict[str, dict[str, str]]:
    """Return whether each field is shown, required and readonly with these values: t, f, u, e by attribute.

    Raises UnknownTask.
    """
    return dict(value(conn, "select wedsql.task_form(%s, %s)", (task, JSON(data or {}))))


def preview_task(
    task: int,
    person: str,
    data: Mapping[str, Any] | None = None,
    outcome: str | None = None,
    claim: int | None = None,
    *,
    conn: Any = None,
) -> dict[str, Any]:
    """Return what completing the task would do, or in `refusal` why it would be refused; nothing is written.

    Raises UnknownTask.
    """
    call = "select wedsql.preview_task(%s, %s, %s, %s, %s)"
    return dict(value(conn, call, (task, person, JSON(data or {}), outcome, claim)))


def preview_form(
    trigger: Mapping[str, Any],
    types: Mapping[str, str],
    state: Mapping[str, Any] | None = None,
    *,
    conn: Any = None,
) -> dict[str, Any] | None:
    """Return the form of a trigger that need not be published as a task has it, on a state.

    Raises BadDefinition, UnknownAttribute, BadPredicate.
    """
    call = "select wedsql.preview_form(%s, %s, %s)"
    found = value(conn, call, (JSON(dict(trigger)), JSON(dict(types)), JSON(state or {})))
    return None if found is None else dict(found)


def keep_task_draft(task: int, person: str, fields: Mapping[str, Any], *, conn: Any = None) -> bool:
    """Keep what a person typed into a task that is theirs; return whether there is a draft now.

    Raises UnknownTask, TaskTaken, TaskNotHeld, BadDefinition.
    """
    return bool(value(conn, "select wedsql.keep_task_draft(%s, %s, %s)", (task, person, JSON(dict(fields)))))


def read_task_draft(task: int, person: str, *, conn: Any = None) -> dict[str, Any] | None:
    """Return the `fields` that the person typed and has not sent, with `saved_at`; None for nothing."""
    found = value(conn, "select wedsql.read_task_draft(%s, %s)", (task, person))
    return None if found is None else dict(found)
